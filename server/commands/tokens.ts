import { readConfig } from "../config.ts";
import { ROLES } from "../domain/access.ts";
import { DEFAULT_LIMITS } from "../domain/limits.ts";
import { StartError } from "../domain/start-error.ts";
import { rotateSigningKey } from "../store/signing-keys.ts";
import { createToken, listTokens, revokeToken } from "../store/tokens.ts";
import { withDatabase } from "./database.ts";
import { requireProject } from "./projects.ts";
import { printTable } from "./table.ts";
import { UsageError } from "./usage-error.ts";

/** Makes a token and prints it; nothing can show it again. */
export async function runTokenCreate(options: {
	project: string;
	role: string;
	name: string;
	expires: string | undefined;
}): Promise<void> {
	const role = ROLES.find((candidate) => candidate === options.role);
	if (role === undefined) {
		throw new UsageError(`--role must be one of ${ROLES.join(", ")}, not ${JSON.stringify(options.role)}.`);
	}
	const expiresAt = options.expires === undefined ? null : readExpiry(options.expires);
	const token = await withDatabase(readConfig(), async (db) => {
		const { projectId } = await requireProject(db, options.project);
		return createToken(db, { projectId, role, name: options.name, ...(expiresAt === null ? {} : { expiresAt }) });
	});
	process.stdout.write(`${token}\n`);
}

/** Prints the tokens of a project: everything but the tokens themselves, which nobody knows. */
export async function runTokenList(project: string): Promise<void> {
	const tokens = await withDatabase(readConfig(), async (db) => {
		return listTokens(db, (await requireProject(db, project)).projectId);
	});
	printTable(
		["ID", "NAME", "ROLE", "CREATED", "EXPIRES", "LAST USED", "REVOKED"],
		tokens.map(({ tokenId, name, role, createdAt, expiresAt, lastUsedAt, revokedAt }) => {
			const times = [createdAt, expiresAt, lastUsedAt, revokedAt].map((time) => time?.toISOString() ?? null);
			return [tokenId, name, role, ...times];
		}),
	);
}

/** Ends a token. */
export async function runTokenRevoke(tokenId: string): Promise<void> {
	const known = await withDatabase(readConfig(), (db) => revokeToken(db, tokenId));
	if (!known) {
		throw new StartError(
			`There is no token with the id ${JSON.stringify(tokenId)}: "agent-gateway token list --project <name>" shows the ids.`,
		);
	}
	process.stdout.write("The token is revoked; within 10 seconds no gateway takes it any more.\n");
}

/** Signs new browser tokens of a project with a new key; `now` ends those that are about. */
export async function runKeyRotate(project: string, now: boolean): Promise<void> {
	await withDatabase(readConfig(), async (db) => {
		const { projectId } = await requireProject(db, project);
		await rotateSigningKey(db, { projectId, keepSeconds: now ? 0 : DEFAULT_LIMITS.browserTokenSeconds });
	});
	const old = now ? "have ended; within 10 seconds no gateway takes them any more" : "stay valid until they end";
	process.stdout.write(`New browser tokens get a new key; the ones that were made before ${old}.\n`);
}

const UNITS: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

function readExpiry(text: string): Date {
	const [, count, unit = ""] = /^(\d{1,6})([mhd])$/.exec(text) ?? [];
	const time = count === undefined ? Date.parse(text) : Date.now() + Number(count) * UNITS[unit]!;
	if (time > Date.now()) return new Date(time);
	throw new UsageError(
		`--expires must be a time to come like 90d, 12h, 30m or 2030-01-31T12:00Z, not ${JSON.stringify(text)}.`,
	);
}
