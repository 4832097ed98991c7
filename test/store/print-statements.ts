/**
 * Prints every SQL statement of this gateway, for the test that runs them on the schema of later ones. At a release:
 *
 *     npx tsx test/store/print-statements.ts > test/store/released/<version>.sql
 *
 * and remove the files of gateways that need not run beside the new one.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { startEmbeddedPostgres } from "../../server/embedded/embedded-postgres.ts";
import { Database } from "../../server/store/database.ts";
import { countTokens } from "../../server/store/diagnosis.ts";
import { migrate } from "../../server/store/migrate.ts";
import { createProject, deleteProject, findProject, listProjects } from "../../server/store/projects.ts";
import { rotateSigningKey } from "../../server/store/signing-keys.ts";
import { createToken, hasTokens, listTokens, revokeToken } from "../../server/store/tokens.ts";
import { migrationNames } from "../support/migrations.ts";
import { loadStatements } from "../support/statements.ts";

const TABLE_OF_PRISMA = /"public"\."\w+"/;

/** The statements that Prisma makes of the calls of its client; a new call is added here. */
async function prismaStatements(db: Database): Promise<string[]> {
	const texts = new Set<string>();
	const send: (query: { text?: string }, ...rest: unknown[]) => unknown = pg.Client.prototype.query;
	Object.assign(pg.Client.prototype, {
		query(this: pg.Client, query: { text?: string }, ...rest: unknown[]) {
			if (TABLE_OF_PRISMA.test(query.text ?? "")) texts.add(query.text!);
			return send.call(this, query, ...rest);
		},
	});
	const { projectId } = await createProject(db, "released");
	await findProject(db, "released");
	await listProjects(db);
	await createToken(db, { projectId, role: "read", name: "released" });
	await hasTokens(db);
	await countTokens(db);
	const [token] = await listTokens(db, projectId);
	await revokeToken(db, token!.tokenId);
	await rotateSigningKey(db, { projectId, keepSeconds: 0 });
	await deleteProject(db, projectId);
	return [...texts];
}

const folder = await mkdtemp(join(tmpdir(), "agent-store-statements-"));
const { url, stop } = await startEmbeddedPostgres({ folder, durable: false });
try {
	await migrate(url);
	const db = new Database({ url });
	const prisma = (await prismaStatements(db)).map((text, index) => ({ name: `prisma_${index + 1}`, text }));
	await db.close();
	process.stdout.write(`-- Up to the migration ${(await migrationNames()).at(-1)}; made by print-statements.ts\n`);
	for (const { name, text } of [...(await loadStatements()), ...prisma]) {
		process.stdout.write(`\n-- ${name}\n${text.replaceAll(/\n\t\t/g, "\n")};\n`);
	}
} finally {
	await stop();
	await rm(folder, { recursive: true, force: true });
}
