import { readConfig } from "../config.ts";
import { useEmbeddedPostgres } from "../embedded/embedded-postgres.ts";
import type { Database } from "../store/database.ts";
import { migrate } from "../store/migrate.ts";
import { disableSearch, enableSearch, readSearchState, type SearchState } from "../store/search-index.ts";
import { openFor, requireMigrations } from "./database.ts";
import { type Progress, showProgress } from "./progress.ts";

const MIB = 1024 * 1024;

const MEANINGS: Record<SearchState["state"], string> = {
	enabled: "Search is enabled",
	unfinished:
		'Search is not enabled: its indexes are being made, were left half done, or are another release\'s. Run "agent-gateway search enable"',
	disabled: 'Search is not enabled: "agent-gateway search enable" makes its indexes',
};

/** Makes the indexes behind search. */
export async function runSearchEnable(): Promise<void> {
	await withDirectUrl(async (url, db) => {
		let progress: Progress | undefined;
		const made = await enableSearch(url, (total) => {
			progress = showProgress(process.stderr, { what: "pages of the tables read", total });
			return progress.advance;
		}).finally(() => progress?.end());
		if (!made) process.stdout.write("Nothing had to be done.\n");
		await printState(db);
	});
}

/** Removes the indexes behind search. */
export async function runSearchDisable(): Promise<void> {
	await withDirectUrl(async (url, db) => {
		await disableSearch(url);
		await printState(db);
	});
}

/** Says whether search works, and how large its indexes are. */
export async function runSearchStatus(): Promise<void> {
	await withDirectUrl((_, db) => printState(db));
}

async function printState(db: Database): Promise<void> {
	const { state, bytes } = await readSearchState(db);
	process.stdout.write(`${MEANINGS[state]}${bytes === 0 ? "" : ` (${inMiB(bytes)})`}.\n`);
}

/** A size as people read it. */
export function inMiB(bytes: number): string {
	return `${(bytes / MIB).toFixed(1)} MiB`;
}

/** Works on DATABASE_DIRECT_URL, DATABASE_URL or the embedded Postgres, as migrations do. */
async function withDirectUrl(work: (url: string, db: Database) => Promise<void>): Promise<void> {
	const { directUrl, dataFolder } = readConfig();
	const embedded = directUrl === undefined ? await useEmbeddedPostgres({ folder: dataFolder }) : undefined;
	const url = directUrl ?? embedded!.url;
	try {
		if (embedded !== undefined) await migrate(url);
		await openFor({ databaseUrl: url, pooler: "none" }, async (db) => {
			await requireMigrations(db);
			await work(url, db);
		});
	} finally {
		await embedded?.stop();
	}
}
