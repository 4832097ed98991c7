import { createHash } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { StartError } from "../domain/start-error.ts";
import type { Reader } from "./schema-engine.ts";

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

/** Characters of a message or title that are searched. */
const SEARCHED_CHARACTERS = 16_384;

/** Levels of nesting in which a payload's text is looked for. */
const SEARCHED_DEPTH = 8;

/** Scripts that put no spaces between words, and pictures: each character and each pair of neighbours is a term. */
const PAIRED = String.raw`\u0E00-\u0EFF\u1000-\u109F\u1780-\u17FF\u3005-\u3007\u3041-\u30FA\u30FC-\u30FF\u3105-\u318E\u3400-\u4DBF\u4E00-\u9FFF\uA000-\uA48F\uAC00-\uD7AF\uF900-\uFAFF\uFF66-\uFFDC\U0001F000-\U0001FAFF\U00020000-\U0003FFFF`;

/** All other letters and digits, in lower case. */
const SPACED = String.raw`0-9a-z\u00AA\u00B5\u00BA\u00C0-\u0DFF\u0F00-\u0FFF\u10A0-\u177F\u1800-\u1FFF\u2C00-\u2DFF\uA490-\uABFF\uFB00-\uFDFF\uFE70-\uFEFE\uFF10-\uFF19\uFF21-\uFF3A\uFF41-\uFF5A\U00010000-\U0001EFFF`;

/** The members of an object under which the formats of agent frameworks keep text, directly or further inside. */
const TEXT_MEMBERS = ["text", "content", "summary", "output", "message", "parts", "kwargs"];

// A term is a hash of project and word: no look-up meets another project's rows, the index holds no readable text, and
// no extension is needed. What the functions cannot read they leave out, for an error in them would refuse the append.
function functions(schema: string, collation: string): string {
	const members = TEXT_MEMBERS.map((name) => `${schema}.search_text(value -> '${name}', depth - 1)`);
	// LangChain stores a message under it; elsewhere it holds images.
	members.push(
		`${schema}.search_text(CASE jsonb_typeof(value -> 'data') WHEN 'object' THEN value -> 'data' END, depth - 1)`,
	);
	return String.raw`
CREATE OR REPLACE FUNCTION ${schema}.search_json(value json) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE STRICT AS $search$
DECLARE
	raw text := value::text;
BEGIN
	-- jsonb takes neither U+0000 nor half a surrogate pair. Escaped backslashes go first: what follows one is no escape.
	IF strpos(raw, '\u') > 0 THEN
		raw := regexp_replace(replace(raw, '\\', ' '), '\\u(0000|[dD][89a-fA-F]..)', ' ', 'g');
	END IF;
	RETURN raw::jsonb;
END $search$;

CREATE OR REPLACE FUNCTION ${schema}.search_text(value jsonb, depth int) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT AS $search$
BEGIN
	CASE jsonb_typeof(value)
	WHEN 'string' THEN
		RETURN value #>> '{}';
	WHEN 'array' THEN
		IF depth = 0 THEN RETURN NULL; END IF;
		RETURN (SELECT string_agg(${schema}.search_text(item, depth - 1), ' ') FROM jsonb_array_elements(value) AS item);
	WHEN 'object' THEN
		IF depth = 0 THEN RETURN NULL; END IF;
		RETURN concat_ws(' ', ${members.join(", ")});
	ELSE
		RETURN NULL;
	END CASE;
END $search$;

CREATE OR REPLACE FUNCTION ${schema}.search_terms(project uuid, value text) RETURNS bigint[] LANGUAGE plpgsql IMMUTABLE STRICT AS $search$
DECLARE
	folded text := lower(left(value, ${SEARCHED_CHARACTERS}) COLLATE ${collation});
	salt bigint := uuid_hash_extended(project, 0);
BEGIN
	IF octet_length(folded) = length(folded) THEN
		RETURN ARRAY(SELECT hashtextextended(term, salt) FROM unnest(regexp_split_to_array(folded, '[^0-9a-z]+')) AS term WHERE term <> '');
	END IF;
	RETURN ARRAY(SELECT hashtextextended(term, salt) FROM (
		SELECT unnest(regexp_split_to_array(folded, '[^${SPACED}]+'))
		UNION ALL
		SELECT unnest(ARRAY[character, character || nullif(next, ' ')]) FROM (
			SELECT character, lead(character) OVER () AS next
			FROM unnest(string_to_array(regexp_replace(folded, '[^${PAIRED}]+', ' ', 'g'), NULL)) AS character
		) AS characters WHERE character <> ' '
	) AS terms (term) WHERE term <> '');
END $search$;

CREATE OR REPLACE FUNCTION ${schema}.search_message_terms(project uuid, payload json) RETURNS bigint[] LANGUAGE plpgsql IMMUTABLE STRICT COST 10000 AS $search$
BEGIN
	RETURN ${schema}.search_terms(project, ${schema}.search_text(${schema}.search_json(payload), ${SEARCHED_DEPTH}));
EXCEPTION WHEN OTHERS THEN
	RETURN NULL;
END $search$;

CREATE OR REPLACE FUNCTION ${schema}.search_title_terms(project uuid, metadata json) RETURNS bigint[] LANGUAGE plpgsql IMMUTABLE STRICT COST 10000 AS $search$
DECLARE
	raw text := metadata::text;
	titles jsonb;
BEGIN
	IF strpos(raw, '"title"') = 0 AND strpos(raw, '"name"') = 0 THEN RETURN NULL; END IF;
	titles := ${schema}.search_json(metadata);
	RETURN ${schema}.search_terms(project, concat_ws(' ',
		CASE jsonb_typeof(titles -> 'title') WHEN 'string' THEN titles ->> 'title' END,
		CASE jsonb_typeof(titles -> 'name') WHEN 'string' THEN titles ->> 'name' END));
EXCEPTION WHEN OTHERS THEN
	RETURN NULL;
END $search$;`;
}

const DROP_FUNCTIONS = `DROP FUNCTION IF EXISTS search_message_terms(uuid, json), search_title_terms(uuid, json),
	search_terms(uuid, text), search_text(jsonb, int), search_json(json)`;

/** Written on an index when it is whole, so that one of another release, with other terms, is not taken for this one's. */
const MARK = `search ${createHash("sha256")
	.update(JSON.stringify([INDEXES, functions("schema", "collation")]))
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
		await client.query(functions(pg.escapeIdentifier(schema), pg.escapeIdentifier(collation)));
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
