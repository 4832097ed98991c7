import {
	type Checkpoint,
	checkNamespace,
	checkPath,
	checkThread,
	type Encoding,
	metadataTerms,
	type NamespaceInput,
	type Serialized,
} from "../domain/checkpoints.ts";
import { badRequest } from "../domain/faults.ts";
import { checkId } from "../domain/ids.ts";
import { checkObject, encodeJson, type JsonObject } from "../domain/json.ts";
import { checkPageSize, openCursor, type Page, sealCursor } from "../domain/pages.ts";
import { bytesOf, dataOf, encodingOf } from "./checkpoint-pieces.ts";
import type { Statement } from "./database.ts";
import type { Scope } from "./scope.ts";
import { isoTime } from "./times.ts";

const SENDS_CHANNEL = "__pregel_tasks";
const FIRST_FORMAT_WITH_SENDS = 4;

// Each value, and the writes of each checkpoint, are looked up by their own keys: as plain joins, Postgres may read all
// that the thread has of them.
function valueAt(checkpoint: string): string {
	return `SELECT * FROM checkpoint_blobs b
		WHERE b.project_id = ${checkpoint}.project_id AND b.thread_id = ${checkpoint}.thread_id
			AND b.checkpoint_ns = ${checkpoint}.checkpoint_ns AND b.channel = v.channel AND b.version = v.version OFFSET 0`;
}

function writesOf(checkpoint: string, id: string): string {
	return `SELECT * FROM checkpoint_writes w
		WHERE w.project_id = ${checkpoint}.project_id AND w.thread_id = ${checkpoint}.thread_id
			AND w.checkpoint_ns = ${checkpoint}.checkpoint_ns AND w.checkpoint_id = ${id} OFFSET 0`;
}

// One row for each part of a checkpoint, so that nothing is gathered in memory: its own bytes, its metadata, the values
// of its channels, its writes in the order in which a run applies them, and for old formats the sends of its parent.
const NONE = "NULL::text AS channel, NULL::text AS task_path, NULL::text AS task_id, NULL::int AS idx";
const PART = {
	checkpoint: `SELECT page.position, 'checkpoint' AS part, ${NONE}, page.type, page.encoding, page.data FROM page`,
	metadata: `SELECT page.position, 'metadata', ${NONE}, page.metadata_type, page.metadata_encoding, page.metadata FROM page`,
	value: `SELECT page.position, 'value', v.channel, NULL, NULL, NULL, b.type, ${encodingOf("b")}, ${dataOf("b")}
		FROM page CROSS JOIN LATERAL unnest(page.channels, page.versions) AS v (channel, version)
		CROSS JOIN LATERAL (${valueAt("page")}) AS b
		WHERE b.data IS NOT NULL`,
	write: `SELECT page.position, 'write', w.channel, w.task_path, w.task_id, w.idx, w.type, w.encoding, w.data
		FROM page CROSS JOIN LATERAL (${writesOf("page", "page.checkpoint_id")}) AS w`,
	send: `SELECT page.position, 'send', w.channel, w.task_path, w.task_id, w.idx, w.type, w.encoding, w.data
		FROM page CROSS JOIN LATERAL (${writesOf("page", "page.parent_checkpoint_id")}) AS w
		WHERE page.format < ${FIRST_FORMAT_WITH_SENDS} AND w.channel = '${SENDS_CHANNEL}'`,
};

/** Reads the checkpoints that `page` selects, with all their parts. */
function readParts(page: string): string {
	return `WITH page AS (${page}), parts AS (${Object.values(PART).join(" UNION ALL ")})
		SELECT parts.position, parts.part, parts.channel, parts.task_id, parts.type, parts.encoding, parts.data,
			page.thread_id, page.checkpoint_ns, page.checkpoint_id, page.parent_checkpoint_id, page.metadata_json,
			page.fetched, ${isoTime("created_at", "page")}
		FROM parts LEFT JOIN page ON page.position = parts.position AND parts.part = 'checkpoint'
		ORDER BY parts.position, parts.part, parts.task_path COLLATE "C", parts.task_id COLLATE "C", parts.idx`;
}

interface PartRow {
	position: string;
	part: keyof typeof PART;
	channel: string | null;
	task_id: string | null;
	type: string;
	encoding: Encoding;
	data: Buffer;
	/** These are null but in the part `checkpoint`, which comes first. */
	thread_id: string;
	checkpoint_ns: string;
	checkpoint_id: string;
	parent_checkpoint_id: string | null;
	metadata_json: JsonObject;
	fetched: string;
	created_at: string;
}

const GET: Statement = {
	name: "checkpoint_get",
	text: readParts(`SELECT *, 1::bigint AS position, 1::bigint AS fetched FROM checkpoints
		WHERE project_id = $1 AND thread_id = $2 AND checkpoint_ns = $3 AND checkpoint_id = $4`),
};

const GET_LATEST: Statement = {
	name: "checkpoint_get_latest",
	text: readParts(`SELECT *, 1::bigint AS position, 1::bigint AS fetched FROM checkpoints
		WHERE project_id = $1 AND thread_id = $2 AND checkpoint_ns = $3 ORDER BY checkpoint_id DESC LIMIT 1`),
};

/** A checkpoint with all its parts, the latest of the namespace when no id is given; null where there is none. */
export async function getCheckpoint(
	{ db, identity, limits }: Scope,
	input: NamespaceInput & { checkpointId?: string | null | undefined },
): Promise<Checkpoint | null> {
	const key = [identity.projectId, ...checkNamespace("", input, limits)];
	const id = input.checkpointId;
	const rows = await (id == null
		? db.read<PartRow>(GET_LATEST, key)
		: db.read<PartRow>(GET, [...key, checkId("checkpointId", id, limits.idBytes)]));
	return toCheckpoints(rows)[0] ?? null;
}

/** What a list is narrowed to; everything of the project when nothing is given. */
export interface CheckpointPageInput {
	threadId?: string | null | undefined;
	checkpointNs?: string | null | undefined;
	checkpointId?: string | null | undefined;
	beforeCheckpointId?: string | null | undefined;
	filter?: JsonObject | null | undefined;
	first?: number | null | undefined;
	after?: string | null | undefined;
}

/** Above every id, for none is so long (rule VAL-1). */
const ABOVE_ALL = "repeat(U&'\\+10FFFF', 65)";

const FIXED_PARAMETERS = 8;

// Each set of columns that are given has a statement of its own, so that each finds its index. A page ends at a number
// of bytes, but never before its first row (rule VAL-7); sizes are known without reading the values.
function list(given: readonly string[]): Statement {
	const conditions = given.map((column, index) => ` AND ${column} = $${FIXED_PARAMETERS + 1 + index}`);
	return {
		name: ["checkpoints_list", ...given].join("_by_"),
		text: readParts(`SELECT * FROM (
			SELECT *, count(*) OVER () AS fetched, row_number() OVER newest AS position,
				sum(bytes) OVER newest AS bytes_so_far
			FROM (
				SELECT c.*, octet_length(c.data) + octet_length(c.metadata) + coalesce(held.bytes, 0)
					+ coalesce(written.bytes, 0) AS bytes
				FROM (
					SELECT * FROM checkpoints
					WHERE project_id = $1${conditions.join("")}
						AND checkpoint_id < coalesce($2, ${ABOVE_ALL}) AND metadata_terms @> $3::text[]
						AND (checkpoint_id, thread_id, checkpoint_ns)
							< (coalesce($4, ${ABOVE_ALL}), coalesce($5, ''), coalesce($6, ''))
					ORDER BY checkpoint_id DESC, thread_id DESC, checkpoint_ns DESC LIMIT $7::int + 1
				) AS c
				CROSS JOIN LATERAL (
					SELECT sum(${bytesOf("b")}) AS bytes FROM unnest(c.channels, c.versions) AS v (channel, version)
					CROSS JOIN LATERAL (${valueAt("c")}) AS b
				) AS held
				CROSS JOIN LATERAL (
					SELECT sum(octet_length(w.data)) AS bytes FROM checkpoint_writes w
					WHERE w.project_id = c.project_id AND w.thread_id = c.thread_id
						AND w.checkpoint_ns = c.checkpoint_ns AND w.checkpoint_id = c.checkpoint_id
				) AS written
			) AS candidates
			WINDOW newest AS (ORDER BY checkpoint_id DESC, thread_id DESC, checkpoint_ns DESC)
		) AS walk
		WHERE position = 1 OR (position <= $7::int AND bytes_so_far <= $8::bigint)`),
	};
}

const LISTS = new Map(
	[
		[],
		["thread_id"],
		["checkpoint_ns"],
		["checkpoint_id"],
		["thread_id", "checkpoint_ns"],
		["thread_id", "checkpoint_id"],
		["checkpoint_ns", "checkpoint_id"],
		["thread_id", "checkpoint_ns", "checkpoint_id"],
	].map((given) => [given.join(), list(given)]),
);

/** A page of checkpoints with all their parts, the newest first: of a thread, or of the whole project. */
export async function listCheckpoints(
	{ db, identity, limits }: Scope,
	input: CheckpointPageInput,
): Promise<Page<Checkpoint>> {
	const { threadId, checkpointNs, checkpointId, beforeCheckpointId, filter, first, after } = input;
	const before = beforeCheckpointId == null ? null : checkId("beforeCheckpointId", beforeCheckpointId, limits.idBytes);
	const terms = metadataTerms(checkFilter(filter, limits));
	const given = new Map<string, string>();
	if (threadId != null) given.set("thread_id", checkThread("", threadId, limits));
	if (checkpointNs != null) given.set("checkpoint_ns", checkPath("checkpointNs", checkpointNs, limits));
	if (checkpointId != null) given.set("checkpoint_id", checkId("checkpointId", checkpointId, limits.idBytes));
	const cursorScope = `checkpoints\0${JSON.stringify([...given, before, ...terms])}`;
	if (after === "") throw badRequest("after", "must not be empty (MSG-8)");
	const start = after == null ? [] : openCursor("after", identity.cursorKey, cursorScope, after);
	const rows = await db.read<PartRow>(LISTS.get([...given.keys()].join())!, [
		identity.projectId,
		before,
		terms,
		...[start[0] ?? null, start[1] ?? null, start[2] ?? null],
		checkPageSize("first", first, limits),
		limits.pageBytes,
		...given.values(),
	]);
	const items = toCheckpoints(rows);
	return {
		items,
		hasNext: Number(rows[0]?.fetched ?? 0) > items.length,
		cursorOf: (item) =>
			sealCursor(identity.cursorKey, cursorScope, [item.checkpointId, item.threadId, item.checkpointNs]),
	};
}

function checkFilter(filter: JsonObject | null | undefined, limits: Scope["limits"]): JsonObject {
	const checked = checkObject("filter", filter ?? undefined);
	encodeJson("filter", checked, { depth: limits.jsonDepth, bytes: limits.metadataBytes });
	return checked;
}

function toCheckpoints(rows: readonly PartRow[]): Checkpoint[] {
	const checkpoints: Checkpoint[] = [];
	for (const row of rows) {
		const value: Serialized = { type: row.type, encoding: row.encoding, data: row.data };
		const channel = row.channel ?? "";
		const checkpoint = checkpoints.at(-1)!;
		if (row.part === "checkpoint") checkpoints.push(newCheckpoint(row, value));
		else if (row.part === "metadata") checkpoint.metadata = value;
		else if (row.part === "value") checkpoint.values.push({ channel, value });
		else if (row.part === "write") checkpoint.writes.push({ taskId: row.task_id ?? "", channel, value });
		else checkpoint.sends.push(value);
	}
	return checkpoints;
}

function newCheckpoint(row: PartRow, checkpoint: Serialized): Checkpoint {
	return {
		threadId: row.thread_id,
		checkpointNs: row.checkpoint_ns,
		checkpointId: row.checkpoint_id,
		parentCheckpointId: row.parent_checkpoint_id,
		checkpoint,
		metadata: checkpoint,
		metadataJson: row.metadata_json,
		values: [],
		writes: [],
		sends: [],
		createdAt: row.created_at,
	};
}
