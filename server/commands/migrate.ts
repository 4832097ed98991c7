import { readConfig } from "../config.ts";
import { StartError } from "../domain/start-error.ts";
import { useEmbeddedPostgres } from "../embedded/embedded-postgres.ts";
import { distribute } from "../store/distribution.ts";
import { migrate } from "../store/migrate.ts";
import { type Progress, showProgress } from "./progress.ts";

/**
 * Applies the migrations to DATABASE_DIRECT_URL, DATABASE_URL or the embedded Postgres, whichever is set first; with
 * `distributed`, then spreads the tables over the nodes of a Citus cluster.
 */
export async function runMigrations({ distributed = false } = {}): Promise<void> {
	const { directUrl, dataFolder } = readConfig();
	if (distributed && directUrl === undefined) {
		throw new StartError("The embedded Postgres is not distributed: set DATABASE_URL to the coordinator of a cluster.");
	}
	const embedded = directUrl === undefined ? await useEmbeddedPostgres({ folder: dataFolder }) : undefined;
	try {
		const applied = await migrateWithProgress(directUrl ?? embedded!.url);
		for (const name of applied) process.stdout.write(`applied ${name}\n`);
		const spread = distributed ? await distribute(directUrl!) : [];
		for (const table of spread) process.stdout.write(`distributed ${table}\n`);
		if (applied.length + spread.length === 0) process.stdout.write("The database is up to date.\n");
	} finally {
		await embedded?.stop();
	}
}

/** Applies the migrations and shows how far that is, where there are any to apply. @returns Their names. */
export async function migrateWithProgress(url: string): Promise<string[]> {
	let progress = undefined as Progress | undefined;
	try {
		return await migrate(url, (applied, total) => {
			if (applied === 0) progress = showProgress(process.stderr, { what: "migrations", total });
			else progress?.advance();
		});
	} finally {
		progress?.end();
	}
}
