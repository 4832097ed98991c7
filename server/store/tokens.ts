import { createHash, randomBytes } from "node:crypto";
import type { Credential, Role } from "../domain/access.ts";
import { checkName, isUuid } from "../domain/ids.ts";
import type { Database, Queries, Statement } from "./database.ts";
import { isoTime } from "./times.ts";

/** Whom a token stands for: the token alone decides the project (rule ISO-1). */
export interface Identity extends Credential {
	projectId: string;
	projectName: string;
	projectCreatedAt: string;
	/** Signs the project's cursors. */
	cursorKey: Uint8Array;
	tokenId: string;
	expiresAt: string | null;
	/** Milliseconds until then, at the time of the check. */
	validMs: number;
}

const PREFIX = "ags_";
const PROJECT_BYTES = 16;
const SECRET_BYTES = 32;
/** Anything else is refused without a look. */
const FORM = /^ags_[\w-]{64}$/;

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
	const { projectId, role, expiresAt = null } = input;
	const name = checkName("name", input.name);
	await db.prisma.apiToken.create({ data: { projectId, tokenHash: hash(token), name, role, expiresAt } });
	return token;
}

interface TokenRow {
	token_id: string;
	role: Role;
	expires_at: string | null;
	valid_ms: number | null;
	name: string;
	created_at: string;
	cursor_key: Buffer;
	unnoted: boolean;
}

const CHECK: Statement = {
	name: "token_check",
	text: `SELECT t.token_id, t.role, ${isoTime("expires_at", "t")},
			extract(epoch FROM t.expires_at - now())::float8 * 1000 AS valid_ms, p.name, ${isoTime("created_at", "p")}, p.cursor_key,
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
export async function checkToken(db: Queries, token: string): Promise<Identity | null> {
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
		cursorKey: row.cursor_key,
		tokenId: row.token_id,
		role: row.role,
		conversationIds: null,
		expiresAt: row.expires_at,
		validMs: row.valid_ms ?? Number.POSITIVE_INFINITY,
	};
}

/** Whether anybody could get in at all (rule ISO-3). */
export async function hasTokens(db: Database): Promise<boolean> {
	return (await db.prisma.apiToken.findFirst({ select: { projectId: true } })) !== null;
}

/** What may be known of a token afterwards. */
export interface TokenSummary {
	tokenId: string;
	name: string;
	role: string;
	createdAt: Date;
	expiresAt: Date | null;
	lastUsedAt: Date | null;
	revokedAt: Date | null;
}

/** The tokens of a project, the oldest first. */
export async function listTokens({ prisma }: Database, projectId: string): Promise<TokenSummary[]> {
	return prisma.apiToken.findMany({
		where: { projectId },
		orderBy: [{ createdAt: "asc" }, { tokenId: "asc" }],
		select: {
			tokenId: true,
			name: true,
			role: true,
			createdAt: true,
			expiresAt: true,
			lastUsedAt: true,
			revokedAt: true,
		},
	});
}

/** Ends a token, and with it the browser tokens that it made. False where there is none of this id. */
export async function revokeToken({ prisma }: Database, tokenId: string): Promise<boolean> {
	if (!isUuid(tokenId)) return false;
	const found = await prisma.apiToken.findFirst({ where: { tokenId }, select: { projectId: true } });
	if (found === null) return false;
	await prisma.apiToken.updateMany({ where: { ...found, tokenId, revokedAt: null }, data: { revokedAt: new Date() } });
	return true;
}

function projectOf(token: string): string | null {
	if (!FORM.test(token)) return null;
	const bytes = Buffer.from(token.slice(PREFIX.length), "base64url");
	return bytes.toString("hex", 0, PROJECT_BYTES).replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

function hash(token: string): Buffer<ArrayBuffer> {
	return createHash("sha256").update(token).digest();
}
