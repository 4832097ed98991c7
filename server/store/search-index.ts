import { createHash } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { StartError } from "../domain/start-error.ts";
import type { Reader } from "./schema-engine.ts";
import { DROP_FUNCTIONS, searchFunctions } from "./search-functions.ts";

/** The indexes behind search, with what they cover. They exist from `enableSearch` to `disableSearch` only. */
const INDEXES = {
	messages_search_idx: {
		table: "messages",
		on: "search_message_terms(project_id, payload)",
		where: "kind <> 'custom'",
	},
	conversations_search_idx: { table: "conversations", on: "search_title_terms(project_id, metadata)", where: "true" },
} as const;

/** Conditions that these indexes answer; `$2` are the terms of a word. */
export const MESSAGE_HAS_WORD = `${INDEXES.messages_search_idx.where} AND ${INDEXES.messages_search_idx.on} @> $2::bigint[]`;
export const TITLE_HAS_WORD = `${INDEXES.conversations_search_idx.on} @> $2::bigint[]`;

/** Written on an index when it is whole, so that one of another release, with other terms, is not taken for this one's. */
const MARK = `search ${createHash("sha256")
	.update(JSON.stringify([INDEXES, searchFunctions("schema", "collation")]))
	.digest("base64url")
	.slice(0, 16)}`;

const STATE = {
	name: "search_index_state",
	text: `SELECT count(*)::int AS found, count(*) FILTER (WHERE indisvalid AND obj_description(indexrelid, 'pg_class') = $2)::int AS usable,
			coalesce(sum(pg_relation_size(indexrelid)), 0)::float8 AS bytes
		FROM pg_index WHERE indexrelid = ANY(ARRAY(SELECT to_regclass(name) FROM unnest($1::text[]) AS name)::oid[])`,
};

/** Whether search works; `unfinished` is what an interrupted command, or another release, left. */
export interface SearchState {
	state: "enabled" | "unfinished" | "disabled";
	bytes: number;
}

/** Looks at the indexes. */
export async function readSearchState(reader: Reader): Promise<SearchState> {
	const [row] = await reader.read(STATE, [Object.keys(INDEXES), MARK]);
	const { found, usable, bytes } = row as { found: number; usable: number; bytes: number };
	const whole = usable === Object.keys(INDEXES).length;
	return { state: whole ? "enabled" : found > 0 ? "unfinished" : "disabled", bytes };
}

const TABLE_BYTES = {
	name: "search_table_bytes",
	text: "SELECT sum(pg_table_size(to_regclass(name)))::float8 AS bytes FROM unnest($1::text[]) AS name",
};

/** How large the tables are that the indexes are made of. */
export async function readSearchedBytes(reader: Reader): Promise<number> {
	const [row] = await reader.read(TABLE_BYTES, [Object.values(INDEXES).map(({ table }) => table)]);
	return (row as { bytes: number }).bytes;
}

/**
 * Makes what search needs, while the gateway goes on writing. May be repeated: what an interrupted run left is made anew.
 *
 * @param url A direct connection; a pooler in transaction mode loses the lock.
 * @param begin Told of the pages of the tables to be read; what it returns is told of those that were.
 * @returns False when all of it was there.
 * @throws StartError when another run is under way, or when the role may not do this.
 */
export async function enableSearch(url: string, begin: (pages: number) => (read: number) => void): Promise<boolean> {
	return withLock(url, async (client) => {
		if ((await readSearchState(readerOf(client))).state === "enabled") return false;
		await drop(client);
		const { rows } = await client.query(SURROUNDINGS, [Object.values(INDEXES).map(({ table }) => table)]);
		const { schema, collation, pages } = rows[0] as { schema: string; collation: string; pages: number };
		await client.query(searchFunctions(pg.escapeIdentifier(schema), pg.escapeIdentifier(collation)));
		const advance = begin(pages);
		for (const [name, { table, on, where }] of Object.entries(INDEXES)) {
			// A short list of pending entries: whoever fills it up sorts it in, and every search reads it.
			const create = `CREATE INDEX CONCURRENTLY ${name} ON ${table} USING gin (${on}) WITH (gin_pending_list_limit = 256) WHERE ${where}`;
			await watched(url, client, create, advance);
			// Statistics of the terms would cost every ANALYZE thousands of calls, and the plans are good without them.
			await client.query(`ALTER INDEX ${name} ALTER COLUMN 1 SET STATISTICS 0`);
			await client.query(`COMMENT ON INDEX ${name} IS ${pg.escapeLiteral(MARK)}`);
		}
		return true;
	});
}

/** Removes all that `enableSearch` made; it is a success when there is nothing. */
export async function disableSearch(url: string): Promise<void> {
	await withLock(url, drop);
}

// The database's own collation may know no capitals but those of ASCII, as "C" does.
const SURROUNDINGS = `SELECT current_schema()::text AS schema,
		coalesce((
			SELECT collname::text FROM pg_collation
			WHERE collnamespace = 'pg_catalog'::regnamespace AND collname IN ('pg_c_utf8', 'und-x-icu')
			ORDER BY collname LIMIT 1
		), 'default') AS collation,
		(
			SELECT sum(pg_relation_size(name::regclass) / current_setting('block_size')::int)::int FROM unnest($1::text[]) AS name
		) AS pages`;

async function drop(client: pg.Client): Promise<void> {
	for (const name of Object.keys(INDEXES)) await client.query(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
	await client.query(DROP_FUNCTIONS);
}

/** Any number that no other lock of this database has. */
const LOCK = 6_119_027;

const INSUFFICIENT_PRIVILEGE = "42501";

async function withLock<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
	const client = await connect(url);
	try {
		await client.query("SET statement_timeout = 0; SET lock_timeout = 0; SET idle_session_timeout = 0");
		// Ends the work when this process is killed; not every system can tell.
		await client.query("SET client_connection_check_interval = '1s'").catch(() => {});
		// Not waited for: who waits keeps an old snapshot, which the index waits for.
		const { rows } = await client.query("SELECT pg_try_advisory_lock($1) AS locked", [LOCK]);
		if (!rows[0].locked) throw new StartError("Search is being enabled or disabled by another process: wait for it.");
		return await work(client);
	} catch (error) {
		if (!(error instanceof pg.DatabaseError) || error.code !== INSUFFICIENT_PRIVILEGE) throw error;
		throw new StartError(
			`The role of this address may not change the tables (${error.message}): set DATABASE_DIRECT_URL to one of the role that owns them, which runs "agent-gateway migrate", too.`,
			{ cause: error },
		);
	} finally {
		await client.end();
	}
}

async function connect(url: string): Promise<pg.Client> {
	const client = new pg.Client({ connectionString: url, application_name: "agent-gateway" });
	// What breaks in a statement rejects it, too.
	client.on("error", () => {});
	await client.connect();
	return client;
}

function readerOf(client: pg.Client): Reader {
	return { read: async ({ text }, values) => (await client.query(text, values)).rows };
}

const LOOK_EVERY_MS = 500;

const PROGRESS = `SELECT blocks_done::int AS done FROM pg_stat_progress_create_index
	WHERE pid = $1 AND phase LIKE 'building index%'`;

/** Builds an index and tells how many pages of its table it has read. */
async function watched(url: string, client: pg.Client, create: string, advance: (read: number) => void): Promise<void> {
	const { rows } = await client.query("SELECT pg_backend_pid() AS pid");
	const watcher = await connect(url);
	let over = false;
	const building = client.query(create).finally(() => {
		over = true;
	});
	try {
		for (let told = 0; !over; ) {
			await Promise.race([building, delay(LOOK_EVERY_MS)]);
			// What goes wrong here must not end the work.
			const seen = await watcher.query(PROGRESS, [rows[0].pid]).catch(() => undefined);
			const done = Math.max(told, seen?.rows[0]?.done ?? 0);
			advance(done - told);
			told = done;
		}
	} finally {
		await watcher.end();
	}
	await building;
}
