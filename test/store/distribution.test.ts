import pg from "pg";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { StartError } from "../../server/domain/start-error.ts";
import { distribute } from "../../server/store/distribution.ts";
import { createDatabase, type TestDatabase } from "../support/database.ts";
import { runGateway } from "../support/gateway-process.ts";
import { clausesOf } from "../support/statement-clauses.ts";
import { tableStatements } from "../support/statement-plans.ts";

/** Stands in for Citus, which is not to be had here: it keeps what is distributed, and refuses what Citus refuses. */
const STAND_IN = `
	CREATE TABLE pg_dist_partition (logicalrelid regclass, partmethod "char");
	CREATE FUNCTION create_reference_table(name regclass) RETURNS void LANGUAGE sql AS $$
		INSERT INTO pg_dist_partition VALUES (name, 'n')
	$$;
	CREATE FUNCTION create_distributed_table(name regclass, key text, colocate_with text) RETURNS void LANGUAGE plpgsql AS $$
	DECLARE
		at smallint := (SELECT attnum FROM pg_attribute WHERE attrelid = name AND attname = key);
	BEGIN
		IF colocate_with <> 'none' AND NOT EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = colocate_with::regclass) THEN
			RAISE 'relation % is not distributed', colocate_with;
		END IF;
		IF EXISTS (SELECT FROM pg_index WHERE indrelid = name AND indisunique AND NOT at = ANY (indkey::smallint[])) THEN
			RAISE 'cannot create constraint on %', name;
		END IF;
		IF EXISTS (
			SELECT FROM pg_constraint c LEFT JOIN pg_dist_partition p ON p.logicalrelid = c.confrelid
			WHERE c.conrelid = name AND c.contype = 'f' AND (p IS NULL OR p.partmethod = 'h' AND NOT at = ANY (c.conkey))
		) THEN
			RAISE 'cannot create foreign key constraint of %', name;
		END IF;
		INSERT INTO pg_dist_partition VALUES (name, 'h');
	END
	$$`;

async function start(database: TestDatabase): Promise<pg.Client> {
	const sql = new pg.Client(database.url);
	await sql.connect();
	return sql;
}

describe("migrate --distributed", () => {
	async function standIn() {
		const database = await createDatabase();
		const sql = await start(database);
		onTestFinished(async () => {
			await sql.end();
			await database.drop();
		});
		await sql.query(STAND_IN);
		return { url: database.url, sql };
	}

	it("distributes every table by project, in an order that Citus takes, and nothing the second time", async () => {
		const { url, sql } = await standIn();
		const first = await runGateway(["migrate", "--distributed"], { DATABASE_URL: url });
		expect(first).toMatchObject({ code: 0, stderr: "" });
		const told = [...first.stdout.matchAll(/^distributed (\w+)$/gm)].map(([, name]) => name);
		const { rows } = await sql.query(
			"SELECT DISTINCT table_name AS name FROM information_schema.columns WHERE column_name = 'project_id' AND table_schema = 'public'",
		);
		expect(told.toSorted()).toEqual(rows.map(({ name }) => name).toSorted());
		const second = await runGateway(["migrate", "--distributed"], { DATABASE_URL: url });
		expect(second).toMatchObject({ code: 0, stdout: "The database is up to date.\n" });
	});

	it("keeps the names of projects unique: their table is whole on every node", async () => {
		const { url, sql } = await standIn();
		await distribute(url);
		const { rows } = await sql.query("SELECT logicalrelid::text AS name FROM pg_dist_partition WHERE partmethod = 'n'");
		expect(rows).toEqual([{ name: "projects" }]);
	});

	it("goes on where it broke off, and says what stopped it", async () => {
		const { url, sql } = await standIn();
		await sql.query("CREATE UNIQUE INDEX across ON messages (message_id)");
		await expect(distribute(url)).rejects.toThrow(
			new StartError("The tables were not all distributed; run it again: cannot create constraint on messages"),
		);
		await sql.query("DROP INDEX across");
		const rest = await distribute(url);
		expect(rest).toContain("messages");
		expect(rest).not.toContain("conversations");
	});

	it("says what to do where there is no Citus, and changes nothing", async () => {
		const database = await createDatabase();
		onTestFinished(() => database.drop());
		const { code, stderr } = await runGateway(["migrate", "--distributed"], { DATABASE_URL: database.url });
		expect(code).toBe(1);
		expect(stderr).toMatch(
			/^agent-gateway: The database has no Citus: install it on every node,.*CREATE EXTENSION citus/,
		);
	});

	it("is not for the embedded Postgres", async () => {
		const { code, stderr } = await runGateway(["migrate", "--distributed"], {});
		expect(code).toBe(1);
		expect(stderr).toMatch(/^agent-gateway: The embedded Postgres is not distributed: set DATABASE_URL/);
	});
});

describe("the schema, for a distributed Postgres", () => {
	let database: TestDatabase;
	let sql: pg.Client;

	beforeAll(async () => {
		database = await createDatabase();
		sql = await start(database);
	});

	afterAll(async () => {
		await sql.end();
		await database.drop();
	});

	it("has the project in every unique and every foreign key, except that of a project's name", async () => {
		const { rows } = await sql.query(`
			SELECT indexrelid::regclass::text AS key FROM pg_index i JOIN pg_class t ON t.oid = i.indrelid
			WHERE i.indisunique AND t.relnamespace = 'public'::regnamespace AND t.relname <> '_prisma_migrations' AND NOT EXISTS (
				SELECT FROM pg_attribute WHERE attrelid = t.oid AND attname = 'project_id' AND attnum = ANY (i.indkey::smallint[])
			)
			UNION ALL
			SELECT conname FROM pg_constraint c WHERE contype = 'f' AND connamespace = 'public'::regnamespace AND NOT EXISTS (
				SELECT FROM pg_attribute WHERE attrelid = c.conrelid AND attname = 'project_id' AND attnum = c.conkey[1]
			)`);
		expect(rows).toEqual([{ key: "projects_name_key" }]);
	});

	it("has no sequences, triggers, rules or partitions", async () => {
		const { rows } = await sql.query(`
			SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('S', 'p', 'v', 'm')
			UNION ALL
			SELECT tgname FROM pg_trigger WHERE NOT tgisinternal
			UNION ALL
			SELECT rulename FROM pg_rules WHERE schemaname = 'public'`);
		expect(rows).toEqual([]);
	});

	it("is written by statements that call nothing that Citus refuses where they change rows", async () => {
		const { rows } = await sql.query<{ name: string; volatile: boolean }>(
			"SELECT proname AS name, bool_or(provolatile = 'v') AS volatile FROM pg_proc WHERE provolatile <> 'i' GROUP BY 1",
		);
		const changing = new Map(rows.map(({ name, volatile }) => [name, volatile]));
		const refused: string[] = [];
		for (const { name, text } of await tableStatements()) {
			for (const { clause, sql: part } of clausesOf(text)) {
				const isStrict = clause === "RETURNING" || clause === "DO UPDATE SET";
				const calls = [...part.matchAll(/\b([a-z_]+)\s*\(/g)].map(([, called]) => called!);
				const bad = calls.filter((called) => (isStrict ? changing.has(called) : changing.get(called)));
				// A time and an interval make a time that depends on the session's zone.
				if (/[a-z_.]+ [+-] [^()]*interval/.test(part)) bad.push("interval");
				refused.push(...bad.map((called) => `${name}: ${called} in ${clause}`));
			}
		}
		expect(refused).toEqual([]);
	});

	it("is used without what works on one node only", async () => {
		const forbidden = /\b(nextval|pg_advisory\w*|LOCK TABLE|TABLESAMPLE|GROUPING SETS|CREATE TEMP\w*)\b/i;
		expect((await tableStatements()).filter(({ text }) => forbidden.test(text))).toEqual([]);
	});
});
