import { readdir, readFile } from "node:fs/promises";
import { withSchemaEngine } from "../../server/store/schema-engine.ts";

const MIGRATIONS = new URL("../../prisma/migrations/", import.meta.url);

/** The names of all migrations, in order. */
export async function migrationNames(): Promise<string[]> {
	return (await readdir(MIGRATIONS)).filter((name) => /^\d/.test(name)).sort();
}

/** Brings a database to where it was when the given migrations were all there were. */
export async function migrateTo(url: string, names: readonly string[]): Promise<void> {
	const migrationDirectories = await Promise.all(
		names.map(async (name) => {
			const value = await readFile(new URL(`${name}/migration.sql`, MIGRATIONS), "utf8");
			return { path: name, migrationFile: { path: "migration.sql", content: { tag: "ok" as const, value } } };
		}),
	);
	await withSchemaEngine(url, (engine) =>
		engine.applyMigrations({
			migrationsList: {
				baseDir: ".",
				lockfile: { path: "migration_lock.toml", content: 'provider = "postgresql"\n' },
				shadowDbInitScript: "",
				migrationDirectories,
			},
			filters: { externalTables: [], externalEnums: [] },
		}),
	);
}
