import { decodeJwt, decodeProtectedHeader, SignJWT } from "jose";
import type { TestGateway } from "./gateway.ts";
import { sendRaw } from "./raw.ts";
import { query } from "./sql.ts";

export interface BrowserTokenOptions {
	conversationIds: string[];
	role?: "READ" | "WRITE";
	lifetimeSeconds?: number;
	/** Makes one that ended so many seconds ago. */
	expiredFor?: number;
}

const CREATE = `mutation ($input: CreateBrowserTokenInput!) {
	createBrowserToken(input: $input) { token tokenId expiresAt }
}`;

/** What the gateway answers to who asks for a browser token. */
export async function askForBrowserToken(gateway: TestGateway, input: object, token = gateway.token) {
	const { data, errors } = await sendRaw(gateway, { query: CREATE, variables: { input } }, token);
	const created = data?.["createBrowserToken"] as { token: string; tokenId: string; expiresAt: string } | null;
	return { created, errors };
}

/** A token for browsers, made by the gateway's first project. */
export async function createBrowserToken(gateway: TestGateway, options: BrowserTokenOptions): Promise<string> {
	const { expiredFor, ...input } = options;
	const { created, errors } = await askForBrowserToken(gateway, input);
	if (created === null) throw new Error(JSON.stringify(errors));
	if (expiredFor === undefined) return created.token;
	const now = Math.floor(Date.now() / 1_000);
	return forge(created.token, { exp: now - expiredFor }, await secretOf(gateway, created.token));
}

/** The key that a token is signed with. */
export async function secretOf(gateway: TestGateway, token: string): Promise<Uint8Array> {
	const { kid } = decodeProtectedHeader(token);
	const [row] = await query<{ secret: Buffer }>(gateway, "SELECT secret FROM signing_keys WHERE key_id = $1", [kid]);
	return row!.secret;
}

/** The token with other claims, signed with a key. */
export function forge(token: string, claims: object, secret: Uint8Array): Promise<string> {
	const { kid } = decodeProtectedHeader(token);
	return new SignJWT({ ...decodeJwt(token), ...claims })
		.setProtectedHeader({ alg: "HS256", ...(kid === undefined ? {} : { kid }) })
		.sign(secret);
}
