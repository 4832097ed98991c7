import { createHash, randomBytes } from "node:crypto";
import type { Database, Statement } from "./database.ts";
import { isoTime } from "./times.ts";

export type Role = "read" | "write" | "admin";
export const ROLES: readonly Role[] = ["read", "write", "admin"];

/** Whom a token stands for: the token alone decides the project (rule ISO-1). */
export interface Identity {
	projectId: string;
	projectName: string;
	projectCreatedAt: string;
	role: Role;
	/** Signs the project's cursors. */
	cursorKey: Uint8Array;
}

const PREFIX = "ags_";
const PROJECT_BYTES = 16;
const SECRET_BYTES = 32;

/**
 * Makes a token and returns it; it cannot be read again, since only its hash is stored. The project's id stands in
 * the token, so that looking it up, like every other statement, names the project.
 */
export async function createToken(
	db: Database,
	input: { projectId: string; role: Role; name: string; expiresAt?: Date },
): Promise<string> {
	const secret = Buffer.concat([Buffer.from(input.projectId.replaceAll("-", ""), "hex"), randomBytes(SECRET_BYTES)]);
	const token = PREFIX + secret.toString("base64url");
	const { projectId, role, name, expiresAt = null } = input;
	await db.prisma.apiToken.create({ data: { projectId, tokenHash: hash(token), name, role, expiresAt } });
	return token;
}

interface TokenRow {
	role: Role;
	name: string;
	created_at: string;
	cursor_key: Buffer;
	unnoted: boolean;
}

const CHECK: Statement = {
	name: "token_check",
	text: `SELECT t.role, p.name, ${isoTime("created_at", "p")}, p.cursor_key,
			t.last_used_at IS NULL OR t.last_used_at < now() - interval '1 minute' AS unnoted
		FROM api_tokens t JOIN projects p ON p.project_id = t.project_id
		WHERE t.project_id = $1 AND t.token_hash = $2
			AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > now())`,
};

const NOTE_USE: Statement = {
	name: "token_note_use",
	text: "UPDATE api_tokens SET last_used_at = now() WHERE project_id = $1 AND token_hash = $2",
};

/** The identity behind a token, or null where it is unknown, expired or revoked. Notes its use, once a minute at most. */
export async function checkToken(db: Database, token: string): Promise<Identity | null> {
	const projectId = projectOf(token);
	if (projectId === null) return null;
	const key = [projectId, hash(token)];
	const [row] = await db.read<TokenRow>(CHECK, key);
	if (row === undefined) return null;
	if (row.unnoted) await db.write(NOTE_USE, key);
	return {
		projectId,
		projectName: row.name,
		projectCreatedAt: row.created_at,
		role: row.role,
		cursorKey: row.cursor_key,
	};
}

/** Whether anybody could get in at all (rule ISO-3). */
export async function hasTokens(db: Database): Promise<boolean> {
	return (await db.prisma.apiToken.findFirst({ select: { projectId: true } })) !== null;
}

function projectOf(token: string): string | null {
	if (!token.startsWith(PREFIX)) return null;
	const bytes = Buffer.from(token.slice(PREFIX.length), "base64url");
	if (bytes.length !== PROJECT_BYTES + SECRET_BYTES) return null;
	return bytes.toString("hex", 0, PROJECT_BYTES).replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

function hash(token: string): Buffer<ArrayBuffer> {
	return createHash("sha256").update(token).digest();
}
