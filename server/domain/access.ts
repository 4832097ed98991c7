import { Fault } from "./faults.ts";

/** What a credential may do; each role may do what those before it may. */
export const ROLES = ["read", "write", "admin"] as const;
export type Role = (typeof ROLES)[number];

/** The part of an identity that decides what it may do. */
export interface Credential {
	role: Role;
	/** The only conversations that it reaches; null when it reaches the whole project. */
	conversationIds: readonly string[] | null;
}

/** What an operation asks of the credential: every root field and route has one of these. */
export interface Access {
	/** The least role. */
	role: Role;
	/**
	 * What a credential that is limited to conversations may do with it: use it on the conversation that it names,
	 * when that is one of the credential's (`named`); use it, since it keeps to those by itself (`kept`); or nothing
	 * (`closed`).
	 */
	limited: "named" | "kept" | "closed";
}

/** Whether the conversation is one that the credential reaches. */
export function reaches({ conversationIds }: Credential, conversationId: string | null | undefined): boolean {
	return conversationIds === null || (conversationId != null && conversationIds.includes(conversationId));
}

/**
 * The one decision about access. False: the operation reads a conversation that the credential does not reach, which
 * looks absent to it.
 *
 * @throws Fault Forbidden, before anything was looked up.
 */
export function authorize(credential: Credential, access: Access, conversationId?: string | null): boolean {
	if (ROLES.indexOf(credential.role) < ROLES.indexOf(access.role)) {
		throw forbidden(`This credential may only ${credential.role}; this takes the role ${access.role}`);
	}
	if (credential.conversationIds === null || access.limited === "kept") return true;
	if (access.limited === "closed") throw forbidden("This credential is limited to conversations and may not do this");
	if (reaches(credential, conversationId)) return true;
	if (access.role === "read") return false;
	throw forbidden("This credential is limited to other conversations");
}

function forbidden(message: string): Fault {
	return new Fault("Forbidden", message);
}
