import { readConfig } from "../config.ts";
import { useEmbeddedPostgres } from "../embedded/embedded-postgres.ts";
import { migrate } from "../store/migrate.ts";

/** Applies the migrations to DATABASE_DIRECT_URL, DATABASE_URL or the embedded Postgres, whichever is set first. */
export async function runMigrations(): Promise<void> {
	const { directUrl, dataFolder } = readConfig();
	const embedded = directUrl === undefined ? await useEmbeddedPostgres({ folder: dataFolder }) : undefined;
	try {
		const applied = await migrate(directUrl ?? embedded!.url);
		for (const name of applied) process.stdout.write(`applied ${name}\n`);
		if (applied.length === 0) process.stdout.write("The database is up to date.\n");
	} finally {
		await embedded?.stop();
	}
}
