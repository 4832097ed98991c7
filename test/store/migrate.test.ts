import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { StartError } from "../../server/domain/start-error.ts";
import { Database } from "../../server/store/database.ts";
import { migrate, pendingMigrations } from "../../server/store/migrate.ts";
import { withSchemaEngine } from "../../server/store/schema-engine.ts";
import { createDatabase, type TestDatabase } from "../support/database.ts";
import { runGateway } from "../support/gateway-process.ts";
import { hasTerminal, runOnTerminal } from "../support/terminal.ts";

const PRISMA = new URL("../../prisma/", import.meta.url);
const SHIPPED = (await readdir(new URL("migrations/", PRISMA))).filter((name) => /^\d/.test(name)).sort();

async function connect(url: string): Promise<pg.Client> {
	const client = new pg.Client(url);
	await client.connect();
	return client;
}

async function emptyDatabase() {
	const { url, drop } = await createDatabase({ migrated: false });
	const sql = await connect(url);
	const database = new Database({ url, poolSize: 1 });
	onTestFinished(async () => {
		await sql.end();
		await database.close();
		await drop();
	});
	return { url, sql, pending: () => pendingMigrations(database) };
}

async function tables(sql: pg.Client): Promise<string[]> {
	const { rows } = await sql.query("SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY tablename");
	return rows.map((row) => row.tablename);
}

describe("migrate", () => {
	it("applies every migration to an empty database, and nothing the second time", async () => {
		const { url, pending } = await emptyDatabase();
		expect(await pending()).toEqual(SHIPPED);
		const told: number[][] = [];
		expect(await migrate(url, (...numbers) => told.push(numbers))).toEqual(SHIPPED);
		expect(told).toEqual([0, ...SHIPPED.map((_, index) => index + 1)].map((applied) => [applied, SHIPPED.length]));
		expect(await pending()).toEqual([]);
		expect(await migrate(url)).toEqual([]);
	});

	it("VAL-3: refuses a database that cannot hold every string, and leaves it as it is", async () => {
		const { url, drop } = await createDatabase({ migrated: false, encoding: "LATIN1" });
		onTestFinished(drop);
		await expect(migrate(url)).rejects.toThrow(/^The database is encoded in LATIN1: create it with/);
		const sql = await connect(url);
		expect(await tables(sql)).toEqual([]);
		await sql.end();
	});

	it("records the checksums that prisma migrate deploy compares", async () => {
		const { url, sql } = await emptyDatabase();
		await migrate(url);
		const { rows } = await sql.query(
			"SELECT migration_name, checksum, finished_at, applied_steps_count FROM _prisma_migrations",
		);
		expect(rows).toHaveLength(SHIPPED.length);
		for (const row of rows) {
			const script = await readFile(new URL(`migrations/${row.migration_name}/migration.sql`, PRISMA));
			expect(row.checksum).toBe(createHash("sha256").update(script).digest("hex"));
			expect(row.finished_at).not.toBeNull();
			expect(row.applied_steps_count).toBe(1);
		}
	});

	it("lets two processes migrate at once", async () => {
		const { url, pending } = await emptyDatabase();
		const runs = await Promise.all([1, 2].map(() => runGateway(["migrate"], { DATABASE_URL: url })));
		expect(runs.map(({ code, stderr }) => ({ code, stderr }))).toEqual([
			{ code: 0, stderr: "" },
			{ code: 0, stderr: "" },
		]);
		const outputs = runs.map(({ stdout }) => stdout).sort();
		expect(outputs).toEqual(["The database is up to date.\n", SHIPPED.map((name) => `applied ${name}\n`).join("")]);
		expect(await pending()).toEqual([]);
	});

	it.skipIf(!hasTerminal)("shows a bar on a terminal", async () => {
		const { url } = await emptyDatabase();
		const command = [process.execPath, "--import", "tsx", "server/main.ts", "migrate"];
		const { code, shown } = await runOnTerminal(command, { env: { ...process.env, DATABASE_URL: url } }, []);
		const all = SHIPPED.length;
		expect(code).toBe(0);
		expect(shown).toMatch(/^\r\[\.{24}\] {3}0 % {2}0 of/);
		expect(shown).toContain(
			`\r[${"#".repeat(24)}] 100 %  ${all} of ${all} migrations\u001b[K\r\napplied ${SHIPPED[0]}\r\n`,
		);
	});

	it("waits for a migrator that holds Prisma's lock", async () => {
		const { url, sql } = await emptyDatabase();
		await sql.query("SELECT pg_advisory_lock(72707369)");
		const applied = migrate(url);
		await vi.waitFor(async () => {
			const { rows } = await sql.query("SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted");
			expect(rows).toHaveLength(1);
		});
		await sql.query("SELECT pg_advisory_unlock(72707369)");
		expect(await applied).toEqual(SHIPPED);
	});

	it("leaves nothing of a migration that fails", async () => {
		const { url, sql, pending } = await emptyDatabase();
		await sql.query("CREATE SEQUENCE messages");
		await expect(migrate(url)).rejects.toThrow(
			new StartError('The migrations were not applied, and nothing changed: relation "messages" already exists'),
		);
		expect(await tables(sql)).toEqual([]);
		await sql.query("DROP SEQUENCE messages");
		expect(await pending()).toEqual(SHIPPED);
		expect(await migrate(url)).toEqual(SHIPPED);
	});

	it("refuses a database that holds tables of something else", async () => {
		const { url, sql } = await emptyDatabase();
		await sql.query("CREATE TABLE invoices (id int)");
		await expect(migrate(url)).rejects.toThrow(
			new StartError("The database holds tables of something else: give the gateway a database of its own."),
		);
		expect(await tables(sql)).toEqual(["invoices"]);
	});

	it("refuses a migration that another tool left half done", async () => {
		const { url, sql, pending } = await emptyDatabase();
		await migrate(url);
		await sql.query("UPDATE _prisma_migrations SET finished_at = NULL WHERE migration_name = $1", [SHIPPED[0]]);
		expect(await pending()).toEqual([SHIPPED[0]]);
		await expect(migrate(url)).rejects.toThrow(`Another tool began ${SHIPPED[0]} and did not end it`);
		await sql.query("UPDATE _prisma_migrations SET finished_at = now()");
		expect(await migrate(url)).toEqual([]);
	});

	it("says in one line that the database cannot be reached", async () => {
		await expect(migrate("postgres://nobody@127.0.0.1:1/none")).rejects.toThrow(
			new StartError("The migrations were not applied, and nothing changed: connect ECONNREFUSED 127.0.0.1:1"),
		);
	});
});

describe("the migrated database", () => {
	let database: TestDatabase;
	let sql: pg.Client;

	beforeAll(async () => {
		database = await createDatabase();
		sql = await connect(database.url);
	});

	afterAll(async () => {
		await sql.end();
		await database.drop();
	});

	it("agrees with schema.prisma", async () => {
		const files = [{ path: "schema.prisma", content: await readFile(new URL("schema.prisma", PRISMA), "utf8") }];
		const difference = await withSchemaEngine(database.url, (engine) =>
			engine.diff({
				from: { tag: "schemaDatasource", files, configDir: "." },
				to: { tag: "schemaDatamodel", files },
				script: true,
				exitCode: true,
				filters: { externalTables: [], externalEnums: [] },
			}),
		);
		expect(difference).toEqual({ exitCode: 0, stdout: "-- This is an empty migration.\n" });
	});

	it("VAL-1: orders and compares every text bytewise", async () => {
		expect(await columns("t.typcollation <> 0 AND coll.collname IS DISTINCT FROM 'C'")).toEqual([]);
		expect(await columns("t.typname = 'text'")).not.toEqual([]);
	});

	it("VAL-3: keeps JSON as json, never as jsonb", async () => {
		expect(await columns("t.typname = 'jsonb'")).toEqual([]);
		expect(await columns("t.typname = 'json'")).toEqual(
			expect.arrayContaining(["conversations.metadata", "messages.metadata", "messages.payload"]),
		);
	});

	it("ISO-1: leads every key and index of a tenant's rows with the project", async () => {
		const { rows } = await sql.query(`
			SELECT i.indexrelid::regclass::text AS index, a.attname AS first
			FROM pg_index i
				JOIN pg_class c ON c.oid = i.indrelid
				JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0]
			WHERE c.relnamespace = 'public'::regnamespace AND c.relname NOT IN ('projects', '_prisma_migrations')`);
		expect(rows.filter((row) => row.first !== "project_id")).toEqual([]);
		expect(rows.length).toBeGreaterThan(10);
	});

	it("clears the tables that change most of dead rows early, out of their indexes too", async () => {
		const { rows } = await sql.query(
			"SELECT relname AS table, reloptions AS options FROM pg_class WHERE relkind = 'r' AND reloptions IS NOT NULL ORDER BY 1",
		);
		const options = ["autovacuum_vacuum_scale_factor=0.01", "autovacuum_vacuum_threshold=1000", "fillfactor=90"];
		expect(rows.map((row) => ({ ...row, options: row.options.sort() }))).toEqual([
			{ table: "conversations", options: [...options, "vacuum_index_cleanup=on"] },
			{ table: "states", options: [...options, "vacuum_index_cleanup=on"] },
			{ table: "transcripts", options },
		]);
	});

	it("compresses what users write with lz4, where Postgres has it", async () => {
		const { rows } = await sql.query(
			"SELECT FROM pg_settings WHERE name = 'default_toast_compression' AND 'lz4' = ANY (enumvals)",
		);
		const compressed = ["conversations.agent_state", "messages.payload", "transcript_entries.entry"];
		expect(await columns("a.attcompression = 'l'")).toEqual(
			rows.length === 0 ? [] : expect.arrayContaining(compressed),
		);
	});

	async function columns(condition: string): Promise<string[]> {
		const { rows } = await sql.query(`
			SELECT c.relname || '.' || a.attname AS name
			FROM pg_attribute a
				JOIN pg_class c ON c.oid = a.attrelid
				JOIN pg_type t ON t.oid = a.atttypid
				LEFT JOIN pg_collation coll ON coll.oid = a.attcollation
			WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND c.relname <> '_prisma_migrations'
				AND a.attnum > 0 AND NOT a.attisdropped AND (${condition})
			ORDER BY name`);
		return rows.map((row) => row.name);
	}
});
