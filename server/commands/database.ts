import type { Config } from "../config.ts";
import { Fault } from "../domain/faults.ts";
import { reasonOf, StartError } from "../domain/start-error.ts";
import { useEmbeddedPostgres } from "../embedded/embedded-postgres.ts";
import { Database } from "../store/database.ts";
import { pendingMigrations } from "../store/migrate.ts";
import { migrateWithProgress } from "./migrate.ts";

/** Runs work on the database of DATABASE_URL, or else on the embedded one, which is migrated first. */
export async function withDatabase<T>(config: Config, work: (db: Database) => Promise<T>): Promise<T> {
	if (config.databaseUrl !== undefined) {
		return openFor({ ...config, databaseUrl: config.databaseUrl }, async (db) => {
			await requireMigrations(db);
			return work(db);
		});
	}
	const embedded = await useEmbeddedPostgres({ folder: config.dataFolder });
	try {
		await migrateWithProgress(embedded.url);
		return await openFor({ databaseUrl: embedded.url, pooler: "none" }, work);
	} finally {
		await embedded.stop();
	}
}

/** Opens a small pool for a piece of work. */
export async function openFor<T>(
	{ databaseUrl, pooler }: { databaseUrl: string; pooler: Config["pooler"] },
	work: (db: Database) => Promise<T>,
): Promise<T> {
	const db = new Database({ url: databaseUrl, pooler, poolSize: 2 });
	try {
		return await work(db);
	} catch (error) {
		if (!(error instanceof Fault) || error.code !== "ServiceUnavailable") throw error;
		const { hostname, pathname } = new URL(databaseUrl);
		throw new StartError(
			`Cannot use the database ${pathname.slice(1)} on ${hostname} (${reasonOf(error.cause ?? error)}): check DATABASE_URL and that Postgres runs.`,
			{ cause: error },
		);
	} finally {
		await db.close();
	}
}

/** @throws StartError naming the migrations that the database lacks. */
export async function requireMigrations(db: Database): Promise<void> {
	const pending = await pendingMigrations(db);
	if (pending.length === 0) return;
	throw new StartError(`The database lacks the migrations ${pending.join(", ")}: run "agent-gateway migrate" first.`);
}
