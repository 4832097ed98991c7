import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { SchemaEngine } from "@prisma/schema-engine-wasm/schema_engine_bg";
import { reasonOf, StartError } from "../domain/start-error.ts";
import { type Reader, withSchemaEngine } from "./schema-engine.ts";

/** Prisma's code for tables without a record of migrations. */
const SCHEMA_NOT_EMPTY = "P3005";

interface Migration {
	name: string;
	script: string;
}

/**
 * Applies the migrations that the database lacks and records them as `prisma migrate deploy` would.
 * Safe to run twice and by several processes at once: the others wait, then find nothing to do.
 *
 * @param url A direct connection; a pooler in transaction mode cannot hold the lock.
 * @param onProgress Told how many migrations of how many are applied: at the start and after each. The last one told
 * is not committed yet.
 * @returns The names of the migrations applied now.
 * @throws StartError when the database is not encoded in UTF-8, when a migration fails (nothing of the
 * run is kept), or when one that another tool began has not ended.
 */
export async function migrate(
	url: string,
	onProgress: (applied: number, total: number) => void = () => {},
): Promise<string[]> {
	const migrations = await shippedMigrations();
	return withSchemaEngine(url, async (engine, reader) => {
		await checkEncoding(reader);
		const { failed, pending } = compare(migrations, await recordedMigrations(reader));
		if (failed.length > 0) {
			throw new StartError(
				`Another tool began ${failed.join(", ")} and did not end it: see what it left in the database, then tell it with "npx prisma migrate resolve --applied <name>" or "--rolled-back <name>".`,
			);
		}
		if (pending.length > 0) onProgress(0, pending.length);
		for (const [index, name] of pending.entries()) {
			await apply(engine, migrations.slice(0, migrations.findIndex((it) => it.name === name) + 1));
			onProgress(index + 1, pending.length);
		}
		return pending;
	}).catch((error: unknown) => {
		if (error instanceof StartError) throw error;
		if ((error as { code?: unknown }).code === SCHEMA_NOT_EMPTY) {
			throw new StartError("The database holds tables of something else: give the gateway a database of its own.");
		}
		throw new StartError(`The migrations were not applied, and nothing changed: ${reasonOf(error)}`, { cause: error });
	});
}

/** Applies what is lacking of the given migrations and records it. */
async function apply(engine: SchemaEngine, migrations: readonly Migration[]): Promise<void> {
	await engine.applyMigrations({
		migrationsList: {
			baseDir: migrationsFolder(),
			lockfile: { path: "migration_lock.toml", content: 'provider = "postgresql"\n' },
			shadowDbInitScript: "",
			migrationDirectories: migrations.map(({ name, script }) => ({
				path: name,
				migrationFile: { path: "migration.sql", content: { tag: "ok", value: script } },
			})),
		},
		filters: { externalTables: [], externalEnums: [] },
	});
}

/**
 * The names of the shipped migrations that the database lacks, in order; all of them for an empty
 * database. One that began and did not end counts as lacking.
 */
export async function pendingMigrations(reader: Reader): Promise<string[]> {
	return compare(await shippedMigrations(), await recordedMigrations(reader)).pending;
}

interface RecordedMigration {
	name: string;
	finished: boolean;
}

function compare(shipped: Migration[], recorded: RecordedMigration[]) {
	const applied = new Set(recorded.filter(({ finished }) => finished).map(({ name }) => name));
	return {
		pending: shipped.map(({ name }) => name).filter((name) => !applied.has(name)),
		failed: recorded.filter(({ finished }) => !finished).map(({ name }) => name),
	};
}

const ENCODING = {
	name: "server_encoding",
	text: "SELECT current_setting('server_encoding') AS encoding",
};

/** Other encodings cannot hold every string, and count its bytes differently (rules VAL-1, VAL-3). */
async function checkEncoding(reader: Reader): Promise<void> {
	const [row] = await reader.read(ENCODING, []);
	if (row?.["encoding"] === "UTF8") return;
	throw new StartError(
		`The database is encoded in ${String(row?.["encoding"])}: create it with "ENCODING 'UTF8' TEMPLATE template0".`,
	);
}

const FIND_TABLE = {
	name: "migrations_table",
	text: "SELECT to_regclass('_prisma_migrations') IS NOT NULL AS found",
};

const READ_TABLE = {
	name: "migrations_recorded",
	text: `SELECT migration_name AS name, finished_at IS NOT NULL AS finished
		FROM _prisma_migrations WHERE rolled_back_at IS NULL ORDER BY started_at`,
};

/** What Prisma's table says; nothing when the table is missing. Rolled back ones do not count. */
async function recordedMigrations(reader: Reader): Promise<RecordedMigration[]> {
	const [table] = await reader.read(FIND_TABLE, []);
	if (table?.["found"] !== true) return [];
	const rows = await reader.read(READ_TABLE, []);
	return rows.map((row) => ({ name: String(row["name"]), finished: row["finished"] === true }));
}

async function shippedMigrations(): Promise<Migration[]> {
	const folder = migrationsFolder();
	const entries = await readdir(folder, { withFileTypes: true });
	const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
	return Promise.all(
		names.sort().map(async (name) => ({ name, script: await readFile(join(folder, name, "migration.sql"), "utf8") })),
	);
}

/** The folder stands beside `server` in the sources and beside `dist` in the package. */
function migrationsFolder(): string {
	for (let folder = dirname(fileURLToPath(import.meta.url)); ; folder = dirname(folder)) {
		const candidate = join(folder, "prisma", "migrations");
		if (existsSync(candidate)) return candidate;
		if (folder === dirname(folder)) throw new StartError("The package is incomplete: prisma/migrations is missing.");
	}
}
