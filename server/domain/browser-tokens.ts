import type { Role } from "./access.ts";
import { badRequest } from "./faults.ts";
import { checkId } from "./ids.ts";
import type { Limits } from "./limits.ts";

/** A token for browsers, as it is returned once. */
export interface BrowserToken {
	token: string;
	/** Names the token without revealing it: to revoke it by. */
	tokenId: string;
	expiresAt: string;
}

export interface BrowserTokenInput {
	role?: Role | null | undefined;
	conversationIds: readonly string[];
	lifetimeSeconds?: number | null | undefined;
}

/** What a browser token is to permit, checked. */
export interface Grant {
	role: Role;
	conversationIds: string[];
	lifetimeSeconds: number;
}

/** Checks what is asked for: read or write, some conversations, for a while. */
export function checkGrant(field: string, input: BrowserTokenInput, limits: Limits): Grant {
	const role = input.role ?? "read";
	if (role === "admin") throw badRequest(`${field}.role`, "must be READ or WRITE");
	const { browserTokenConversations: most, browserTokenSeconds: longest } = limits;
	const { length } = input.conversationIds;
	if (length < 1 || length > most) throw badRequest(`${field}.conversationIds`, `must be 1 to ${most} ids`);
	const ids = input.conversationIds.map((id, index) =>
		checkId(`${field}.conversationIds[${index}]`, id, limits.idBytes),
	);
	const lifetimeSeconds = input.lifetimeSeconds ?? limits.browserTokenSecondsDefault;
	if (lifetimeSeconds < 1 || lifetimeSeconds > longest) {
		throw badRequest(`${field}.lifetimeSeconds`, `must be 1 to ${longest}`);
	}
	return { role, conversationIds: [...new Set(ids)], lifetimeSeconds };
}
