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
		const spread = distributed ? await showing("tables", (onProgress) => distribute(directUrl!, onProgress)) : [];
		for (const table of spread) process.stdout.write(`distributed ${table}\n`);
		if (applied.length + spread.length === 0) process.stdout.write("The database is up to date.\n");
	} finally {
		await embedded?.stop();
	}
}

/** Applies the migrations and shows how far that is. @returns Their names. */
export function migrateWithProgress(url: string): Promise<string[]> {
	return showing("migrations", (onProgress) => migrate(url, onProgress));
}

/** Shows the progress of work that tells how many of how many are done, where there is anything to do. */
async function showing<T>(
	what: string,
	work: (onProgress: (done: number, total: number) => void) => Promise<T>,
): Promise<T> {
	let progress = undefined as Progress | undefined;
	try {
		return await work((done, total) => {
			if (done === 0) progress = showProgress(process.stderr, { what, total });
			else progress?.advance();
		});
	} finally {
		progress?.end();
	}
}
