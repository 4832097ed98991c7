import { spawn } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { describe, expect, it, onTestFinished } from "vitest";
import { createDatabase } from "../support/database.ts";
import { migrateTo, migrationNames } from "../support/migrations.ts";

// While an upgrade lasts, gateways of the last release work on the schema of the new one.

/** The statements of each release that may still run; print-statements.ts tells how to write such a file. */
const RELEASED = new URL("released/", import.meta.url);
const STORE = new URL("../../server/store/", import.meta.url);
const PRINT = fileURLToPath(new URL("print-statements.ts", import.meta.url));

interface Release {
	/** The last migration that it knows. */
	migration: string;
	statements: Map<string, string>;
}

function parse(printed: string): Release {
	const [head = "", ...parts] = printed.split(/^-- /m).slice(1);
	const statements = parts.map((part): [string, string] => {
		const end = part.indexOf("\n");
		return [part.slice(0, end), part.slice(end)];
	});
	return { migration: /migration (\w+)/.exec(head)![1]!, statements: new Map(statements) };
}

async function connect(database: { url: string; drop: () => Promise<void> }): Promise<pg.Client> {
	const client = new pg.Client(database.url);
	await client.connect();
	onTestFinished(async () => {
		await client.end();
		await database.drop();
	});
	return client;
}

/** Parses and plans a statement as the gateway's connections do. */
async function plan(client: pg.Client, name: string, statement: string): Promise<void> {
	await client.query(`PREPARE "${name}" AS ${statement}`);
	const { rows } = await client.query(
		"SELECT coalesce(cardinality(parameter_types), 0) AS count FROM pg_prepared_statements WHERE name = $1",
		[name],
	);
	const values = Array.from({ length: rows[0].count }, () => "NULL").join(", ");
	await client.query(`EXPLAIN EXECUTE "${name}"${values === "" ? "" : `(${values})`}`);
}

interface Demand {
	table: string;
	column: string | null;
	demand: string;
	has_default: boolean;
}

/** What Postgres asks of rows that are written: columns that may not be null, and all kinds of constraints. */
async function demands(client: pg.Client): Promise<Demand[]> {
	const { rows } = await client.query<Demand>(`
		SELECT c.relname AS table, a.attname AS column, 'not null' AS demand, a.atthasdef OR a.attidentity <> '' AS has_default
		FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
		WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace AND a.attnum > 0 AND a.attnotnull AND NOT a.attisdropped
		UNION ALL
		SELECT conrelid::regclass::text, NULL, pg_get_constraintdef(oid), false
		FROM pg_constraint WHERE connamespace = 'public'::regnamespace AND contype IN ('c', 'f', 'x')
		UNION ALL
		SELECT indrelid::regclass::text, NULL, regexp_replace(pg_get_indexdef(indexrelid), 'INDEX \\S+', 'INDEX'), false
		FROM pg_index JOIN pg_class t ON t.oid = indrelid
		WHERE indisunique AND t.relnamespace = 'public'::regnamespace
		UNION ALL
		SELECT tgrelid::regclass::text, NULL, pg_get_triggerdef(oid), false FROM pg_trigger WHERE NOT tgisinternal
		ORDER BY 1, 2, 3`);
	return rows;
}

async function columns(client: pg.Client): Promise<Set<string>> {
	const { rows } = await client.query(
		"SELECT table_name || '.' || column_name AS name FROM information_schema.columns WHERE table_schema = 'public'",
	);
	return new Set(rows.map(({ name }) => name));
}

const files = (await readdir(RELEASED)).sort();

describe.each(files)("a gateway of %s, on the newest schema", (file) => {
	it("finds all that its statements name", async () => {
		const { statements } = parse(await readFile(new URL(file, RELEASED), "utf8"));
		expect(statements.size).toBeGreaterThan(100);
		const client = await connect(await createDatabase());
		const refused: string[] = [];
		for (const [name, statement] of statements) {
			await plan(client, name, statement).catch((error: Error) => refused.push(`${name}: ${error.message}`));
		}
		expect(refused).toEqual([]);
	});

	it("is asked for nothing that it does not know to write", async () => {
		const { migration } = parse(await readFile(new URL(file, RELEASED), "utf8"));
		const names = await migrationNames();
		const then = await createDatabase({ migrated: false });
		await migrateTo(then.url, names.slice(0, names.indexOf(migration) + 1));
		const [before, now] = [await connect(then), await connect(await createDatabase())];
		const known = await columns(before);
		const tables = new Set([...known].map((name) => name.split(".")[0]));
		const met = new Set((await demands(before)).map(({ table, column, demand }) => `${table} ${column} ${demand}`));
		const added = (await demands(now)).filter(({ table, column, demand, has_default }) => {
			const filled = has_default && !known.has(`${table}.${column}`);
			return tables.has(table) && !filled && !met.has(`${table} ${column} ${demand}`);
		});
		expect(added).toEqual([]);
	});
});

it("a release prints all statements that there are", async () => {
	const child = spawn(process.execPath, ["--import", "tsx", PRINT], { stdio: ["ignore", "pipe", "inherit"] });
	const { migration, statements } = parse(await text(child.stdout));
	expect(migration).toBe((await migrationNames()).at(-1));
	const literals = (await readdir(STORE)).map(async (name) => {
		if (!name.endsWith(".ts")) return [];
		const source = await readFile(new URL(name, STORE), "utf8");
		return [...source.matchAll(/^\tname: "(\w+)",$/gm)].map(([, statement]) => statement!);
	});
	const named = (await Promise.all(literals)).flat();
	expect(named.length).toBeGreaterThan(80);
	expect(named.filter((name) => !statements.has(name))).toEqual([]);
	expect([...statements.keys()].filter((name) => name.startsWith("prisma_")).length).toBeGreaterThan(10);
});
