import {
	type CheckpointInput,
	checkThread,
	draftCheckpoint,
	draftWrites,
	type WriteDraft,
	type WritesInput,
} from "../domain/checkpoints.ts";
import { Fault } from "../domain/faults.ts";
import { IN_PIECES, removeUnusedPieces } from "./checkpoint-pieces.ts";
import type { Statement } from "./database.ts";
import type { Scope } from "./scope.ts";

// A negative idx marks a write that replaces (an error, an interrupt, a resume value); of others the first stays.
function insertWrites(first: number, condition: string): string {
	const column = (index: number, type = "text") => `$${first + index}::${type}[]`;
	return `INSERT INTO checkpoint_writes AS w (project_id, thread_id, checkpoint_ns, checkpoint_id, task_id, task_path, idx,
			channel, type, encoding, data)
		SELECT $1, $2, write.checkpoint_ns, write.checkpoint_id, write.task_id, write.task_path, write.idx, write.channel,
			write.type, write.encoding, decode(write.data, 'base64')
		FROM unnest(${column(0)}, ${column(1)}, ${column(2)}, ${column(3)}, ${column(4, "int")}, ${column(5)}, ${column(6)},
			${column(7)}, ${column(8)})
			AS write (checkpoint_ns, checkpoint_id, task_id, task_path, idx, channel, type, encoding, data)${condition}
		ORDER BY write.checkpoint_ns, write.checkpoint_id, write.task_id, write.idx
		ON CONFLICT (project_id, thread_id, checkpoint_ns, checkpoint_id, task_id, idx) DO UPDATE SET
			task_path = excluded.task_path, channel = excluded.channel,
			type = excluded.type, encoding = excluded.encoding, data = excluded.data
		WHERE w.idx < 0`;
}

// A value is stored once per version and never changed: a client's versions are unique, so a second value for one is
// a retry. The checkpoint itself is replaced, as a run that ends does with the one it began with.
// Nothing is stored unless every piece that was not sent is one of the value's base. The base is locked against those
// that remove it, so that its pieces stay; pieces that are sent are locked where they are there already.
const PUT: Statement = {
	name: "checkpoint_put",
	text: `WITH based AS (
			SELECT count(*) AS found
			FROM unnest($22::text[], $23::text[], $24::text[]) AS borrower (channel, version, names)
			CROSS JOIN LATERAL (
				SELECT b.pieces FROM checkpoint_blobs b WHERE b.project_id = $1 AND b.thread_id = $2 AND b.checkpoint_ns = $3
					AND b.channel = borrower.channel AND b.version = borrower.version FOR KEY SHARE
			) AS base
			WHERE base.pieces @> ARRAY(SELECT json_array_elements_text(borrower.names::json))
		), sent AS (
			INSERT INTO checkpoint_pieces AS p (project_id, thread_id, name, data)
			SELECT $1, $2, piece.name, decode(piece.data, 'base64')
			FROM based CROSS JOIN unnest($27::text[], $28::text[]) AS piece (name, data)
			WHERE based.found = cardinality($22::text[])
			ORDER BY piece.name COLLATE "C"
			ON CONFLICT (project_id, thread_id, name) DO UPDATE SET data = p.data WHERE false
		), kept AS (
			INSERT INTO checkpoint_blobs (project_id, thread_id, checkpoint_ns, channel, version, type, encoding, data,
				pieces, bytes)
			SELECT $1, $2, $3, value.channel, value.version, value.type, value.encoding, decode(value.data, 'base64'),
				CASE WHEN value.pieces IS NOT NULL THEN ARRAY(SELECT json_array_elements_text(value.pieces::json)) END,
				value.bytes
			FROM based CROSS JOIN unnest($17::text[], $18::text[], $19::text[], $20::text[], $21::text[], $25::text[], $26::int[])
				AS value (channel, version, type, encoding, data, pieces, bytes)
			WHERE based.found = cardinality($22::text[])
			ORDER BY value.channel, value.version
			ON CONFLICT DO NOTHING
		), written AS (
			${insertWrites(29, ", based WHERE based.found = cardinality($22::text[])")}
		)
		INSERT INTO checkpoints (project_id, thread_id, checkpoint_ns, checkpoint_id, parent_checkpoint_id, format,
			type, encoding, data, metadata_type, metadata_encoding, metadata, metadata_json, metadata_terms,
			channels, versions)
		SELECT $1, $2, $3, $4, $5, $6, $7, $8, decode($9, 'base64'), $10, $11, decode($12, 'base64'), $13::text::json,
			$14::text[], $15::text[], $16::text[]
		FROM based WHERE based.found = cardinality($22::text[])
		ON CONFLICT (project_id, thread_id, checkpoint_ns, checkpoint_id) DO UPDATE SET
			parent_checkpoint_id = excluded.parent_checkpoint_id, format = excluded.format,
			type = excluded.type, encoding = excluded.encoding, data = excluded.data,
			metadata_type = excluded.metadata_type, metadata_encoding = excluded.metadata_encoding,
			metadata = excluded.metadata, metadata_json = excluded.metadata_json,
			metadata_terms = excluded.metadata_terms, channels = excluded.channels, versions = excluded.versions
		RETURNING true AS stored`,
};

/**
 * Stores a checkpoint, the values of the channels that changed, and writes of tasks; the same again changes nothing.
 *
 * @throws Fault Conflict where pieces of a value are neither sent nor its base's; nothing is stored then.
 */
export async function putCheckpoint({ db, identity, limits }: Scope, input: CheckpointInput): Promise<void> {
	const draft = draftCheckpoint("input.", input, limits);
	const { checkpoint, metadata, channelVersions, values, pieces } = draft;
	const borrowers = values.filter((value) => (value.pieces?.borrowed.length ?? 0) > 0);
	const rows = await db.write(PUT, [
		identity.projectId,
		draft.threadId,
		draft.checkpointNs,
		draft.checkpointId,
		draft.parentCheckpointId,
		draft.format,
		checkpoint.type,
		checkpoint.encoding,
		checkpoint.data,
		metadata.type,
		metadata.encoding,
		metadata.data,
		draft.metadataJson,
		draft.metadataTerms,
		channelVersions.map(({ channel }) => channel),
		channelVersions.map(({ version }) => version),
		values.map(({ channel }) => channel),
		values.map(({ version }) => version),
		values.map(({ value }) => value.type),
		values.map((it) => (it.pieces === undefined ? it.value.encoding : IN_PIECES)),
		values.map(({ value }) => value.data),
		borrowers.map(({ channel }) => channel),
		borrowers.map(({ base }) => base),
		borrowers.map((it) => JSON.stringify(it.pieces?.borrowed)),
		values.map((it) => (it.pieces === undefined ? null : JSON.stringify(it.pieces.names))),
		values.map((it) => it.pieces?.bytes ?? null),
		pieces.map(({ name }) => name),
		pieces.map(({ data }) => data),
		...columnsOf(draft.writes),
	]);
	if (rows.length === 0) {
		throw new Fault("Conflict", "input.values: a base that lends pieces is not stored, or not with these pieces");
	}
}

const PUT_WRITES: Statement = { name: "checkpoint_put_writes", text: insertWrites(3, "") };

/** Stores the writes of a task. Their checkpoint need not be there yet: a run does not wait for the one with the other. */
export async function putCheckpointWrites({ db, identity, limits }: Scope, input: WritesInput): Promise<void> {
	const { threadId, writes } = draftWrites("input.", input, limits);
	if (writes.length > 0) await db.write(PUT_WRITES, [identity.projectId, threadId, ...columnsOf(writes)]);
}

function columnsOf(writes: readonly WriteDraft[]): unknown[][] {
	return [
		writes.map(({ checkpointNs }) => checkpointNs),
		writes.map(({ checkpointId }) => checkpointId),
		writes.map(({ taskId }) => taskId),
		writes.map(({ taskPath }) => taskPath),
		writes.map(({ idx }) => idx),
		writes.map(({ channel }) => channel),
		writes.map(({ value }) => value.type),
		writes.map(({ value }) => value.encoding),
		writes.map(({ value }) => value.data),
	];
}

const DELETE_THREAD: Statement = {
	name: "checkpoint_delete_thread",
	text: `WITH writes AS (
			DELETE FROM checkpoint_writes WHERE project_id = $1 AND thread_id = $2
		), blobs AS (
			DELETE FROM checkpoint_blobs WHERE project_id = $1 AND thread_id = $2
		)
		DELETE FROM checkpoints WHERE project_id = $1 AND thread_id = $2`,
};

/** Deletes everything of a thread at once, in all its namespaces; an unknown one is a success. */
export async function deleteCheckpointThread(
	{ db, identity, limits }: Scope,
	input: { threadId: string },
): Promise<void> {
	const threadId = checkThread("input.", input.threadId, limits);
	await db.transaction(async (transaction) => {
		await transaction.query(DELETE_THREAD, [identity.projectId, threadId]);
		await removeUnusedPieces(transaction, identity.projectId, threadId);
	});
}
