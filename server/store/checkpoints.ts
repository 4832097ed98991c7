import {
	type CheckpointDraft,
	type CheckpointInput,
	checkThread,
	draftCheckpoint,
	draftWrites,
	type WritesInput,
} from "../domain/checkpoints.ts";
import type { Statement } from "./database.ts";
import type { Scope } from "./scope.ts";

// A value is stored once per version and never changed: a client's versions are unique, so a second value for one is
// a retry. The checkpoint itself is replaced, as a run that ends does with the one it began with.
const PUT: Statement = {
	name: "checkpoint_put",
	text: `WITH kept AS (
			INSERT INTO checkpoint_blobs (project_id, thread_id, checkpoint_ns, channel, version, type, encoding, data)
			SELECT $1, $2, $3, value.channel, value.version, value.type, value.encoding, decode(value.data, 'base64')
			FROM unnest($17::text[], $18::text[], $19::text[], $20::text[], $21::text[])
				AS value (channel, version, type, encoding, data)
			ORDER BY value.channel, value.version
			ON CONFLICT DO NOTHING
		)
		INSERT INTO checkpoints (project_id, thread_id, checkpoint_ns, checkpoint_id, parent_checkpoint_id, format,
			type, encoding, data, metadata_type, metadata_encoding, metadata, metadata_json, metadata_terms,
			channels, versions)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, decode($9, 'base64'), $10, $11, decode($12, 'base64'), $13::text::json,
			$14::text[], $15::text[], $16::text[])
		ON CONFLICT (project_id, thread_id, checkpoint_ns, checkpoint_id) DO UPDATE SET
			parent_checkpoint_id = excluded.parent_checkpoint_id, format = excluded.format,
			type = excluded.type, encoding = excluded.encoding, data = excluded.data,
			metadata_type = excluded.metadata_type, metadata_encoding = excluded.metadata_encoding,
			metadata = excluded.metadata, metadata_json = excluded.metadata_json,
			metadata_terms = excluded.metadata_terms, channels = excluded.channels, versions = excluded.versions`,
};

/** Stores a checkpoint and the values of the channels that changed; the same again changes nothing. */
export async function putCheckpoint({ db, identity, limits }: Scope, input: CheckpointInput): Promise<void> {
	const draft = draftCheckpoint("input.", input, limits);
	const { checkpoint, metadata, channelVersions, values } = draft;
	const valueColumn = (read: (value: CheckpointDraft["values"][number]) => string) => values.map(read);
	await db.write(PUT, [
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
		valueColumn(({ channel }) => channel),
		valueColumn(({ version }) => version),
		valueColumn(({ value }) => value.type),
		valueColumn(({ value }) => value.encoding),
		valueColumn(({ value }) => value.data),
	]);
}

// A negative idx marks a write that replaces (an error, an interrupt, a resume value); of others the first stays.
const PUT_WRITES: Statement = {
	name: "checkpoint_put_writes",
	text: `INSERT INTO checkpoint_writes AS w (project_id, thread_id, checkpoint_ns, checkpoint_id, task_id, task_path, idx,
			channel, type, encoding, data)
		SELECT $1, $2, $3, $4, $5, $6, write.idx, write.channel, write.type, write.encoding, decode(write.data, 'base64')
		FROM unnest($7::int[], $8::text[], $9::text[], $10::text[], $11::text[])
			AS write (idx, channel, type, encoding, data)
		ORDER BY write.idx
		ON CONFLICT (project_id, thread_id, checkpoint_ns, checkpoint_id, task_id, idx) DO UPDATE SET
			task_path = excluded.task_path, channel = excluded.channel,
			type = excluded.type, encoding = excluded.encoding, data = excluded.data
		WHERE w.idx < 0`,
};

/** Stores the writes of a task. Their checkpoint need not be there yet: a run does not wait for the one with the other. */
export async function putCheckpointWrites({ db, identity, limits }: Scope, input: WritesInput): Promise<void> {
	const draft = draftWrites("input.", input, limits);
	if (draft.writes.length === 0) return;
	await db.write(PUT_WRITES, [
		identity.projectId,
		draft.threadId,
		draft.checkpointNs,
		draft.checkpointId,
		draft.taskId,
		draft.taskPath,
		draft.writes.map(({ idx }) => idx),
		draft.writes.map(({ channel }) => channel),
		draft.writes.map(({ value }) => value.type),
		draft.writes.map(({ value }) => value.encoding),
		draft.writes.map(({ value }) => value.data),
	]);
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
	await db.write(DELETE_THREAD, [identity.projectId, checkThread("input.", input.threadId, limits)]);
}
