import { randomUUID } from "node:crypto";
import { decodeJwt, decodeProtectedHeader, errors, type JWTPayload, jwtVerify, SignJWT } from "jose";
import type { Role } from "../domain/access.ts";
import { type BrowserToken, type BrowserTokenInput, checkGrant } from "../domain/browser-tokens.ts";
import { badRequest, Fault } from "../domain/faults.ts";
import { isUuid } from "../domain/ids.ts";
import type { Queries, Statement } from "./database.ts";
import type { Scope } from "./scope.ts";
import { isoTime } from "./times.ts";
import type { Identity } from "./tokens.ts";

const ALGORITHM = "HS256";

/** Longer headers are refused by many servers. */
const LONGEST_TOKEN = 8_192;

interface Claims extends JWTPayload {
	/** The project's id. */
	project: string;
	role: Role;
	conversations: string[];
	/** The id of the token that asked for this one, which ends with it. */
	by: string;
	jti: string;
	exp: number;
}

const NEWEST_KEY: Statement = {
	name: "signing_key_newest",
	text: `SELECT key_id, secret, floor(extract(epoch FROM clock_timestamp()))::int AS now FROM signing_keys
		WHERE project_id = $1 AND retired_at IS NULL ORDER BY created_at DESC LIMIT 1`,
};

/** Makes a token for a browser: a JWT, which is stored nowhere. It ends with the token that asks for it, at the latest. */
export async function createBrowserToken(
	{ db, identity, limits }: Scope,
	input: BrowserTokenInput,
): Promise<BrowserToken> {
	const { role, conversationIds, lifetimeSeconds } = checkGrant("input", input, limits);
	const { projectId, tokenId: by, expiresAt: end } = identity;
	const [key] = await db.read<{ key_id: string; secret: Buffer; now: number }>(NEWEST_KEY, [projectId]);
	if (key === undefined) throw new Fault("NotFound", 'The project has no signing key: run "agent-gateway key rotate"');
	const tokenId = randomUUID();
	const expiry = Math.min(key.now + lifetimeSeconds, end === null ? Infinity : Math.floor(Date.parse(end) / 1_000));
	const token = await new SignJWT({ project: projectId, role, conversations: conversationIds, by })
		.setProtectedHeader({ alg: ALGORITHM, kid: key.key_id })
		.setJti(tokenId)
		.setIssuedAt(key.now)
		.setExpirationTime(expiry)
		.sign(key.secret);
	if (token.length > LONGEST_TOKEN) {
		throw badRequest("input.conversationIds", `make a token of more than ${LONGEST_TOKEN} bytes; give fewer`);
	}
	return { token, tokenId, expiresAt: new Date(expiry * 1_000).toISOString() };
}

const REVOKE: Statement = {
	name: "browser_token_revoke",
	text: `WITH forgotten AS (
			DELETE FROM revoked_browser_tokens WHERE project_id = $1 AND expires_at < now()
		)
		INSERT INTO revoked_browser_tokens (project_id, token_id, expires_at)
		VALUES ($1, $2, now() + make_interval(secs => $3)) ON CONFLICT DO NOTHING`,
};

/** Ends a browser token before its time. One that is unknown or ended is a success. */
export async function revokeBrowserToken({ db, identity, limits }: Scope, input: { tokenId: string }): Promise<void> {
	if (!isUuid(input.tokenId)) throw badRequest("input.tokenId", "must be the tokenId that came with a browser token");
	await db.write(REVOKE, [identity.projectId, input.tokenId, limits.browserTokenSeconds]);
}

const CHECK: Statement = {
	name: "browser_token_check",
	text: `SELECT k.secret, p.name, ${isoTime("created_at", "p")}, p.cursor_key,
			floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now
		FROM signing_keys k JOIN projects p ON p.project_id = k.project_id
		WHERE k.project_id = $1 AND k.key_id = $2
			AND NOT EXISTS (SELECT FROM revoked_browser_tokens r WHERE r.project_id = $1 AND r.token_id = $3)
			AND EXISTS (SELECT FROM api_tokens t WHERE t.project_id = $1 AND t.token_id = $4
				AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > now()))`,
};

interface CheckRow {
	secret: Buffer;
	name: string;
	created_at: string;
	cursor_key: Buffer;
	now: string;
}

/** The identity behind a browser token, or null where it is none, expired, revoked, or its maker is. */
export async function checkBrowserToken(db: Queries, token: string): Promise<Identity | null> {
	const key = keyOf(token);
	if (key === null) return null;
	const [row] = await db.read<CheckRow>(CHECK, key);
	if (row === undefined) return null;
	const now = Number(row.now);
	const claims = await verify(token, row.secret, now);
	if (claims === null) return null;
	return {
		projectId: claims.project,
		projectName: row.name,
		projectCreatedAt: row.created_at,
		cursorKey: row.cursor_key,
		tokenId: claims.jti,
		role: claims.role,
		conversationIds: claims.conversations,
		expiresAt: new Date(claims.exp * 1_000).toISOString(),
		validMs: claims.exp * 1_000 - now,
	};
}

async function verify(token: string, secret: Uint8Array, now: number): Promise<Claims | null> {
	try {
		const options = { algorithms: [ALGORITHM], requiredClaims: ["exp"], currentDate: new Date(now) };
		return (await jwtVerify<Claims>(token, secret, options)).payload;
	} catch (error) {
		if (error instanceof errors.JOSEError) return null;
		throw error;
	}
}

/** What a token says that it is, to look up what it is to be verified with: project, key, token, maker. */
function keyOf(token: string): string[] | null {
	try {
		const { project, jti, by } = decodeJwt<Claims>(token);
		const key = [project, decodeProtectedHeader(token).kid, jti, by];
		return key.every(isUuid) ? key : null;
	} catch {
		return null;
	}
}
