import { gzipSync } from "node:zlib";
import type {
	BranchRecord,
	ChannelValueRecord,
	CheckpointRecord,
	CheckpointWriteRecord,
	HistoryOperationRecord,
	ItemRecord,
	MessageRecord,
	SerializedRecord,
	StateCheckpointRecord,
	TranscriptEntryRecord,
} from "../domain/archives.ts";
import { metadataTerms } from "../domain/checkpoints.ts";
import { newId } from "../domain/ids.ts";
import { draftEntries } from "../domain/transcripts.ts";
import { defineParts, jsonText, type Parts } from "./archive-tables.ts";
import { bytesOf, dataOf, IN_PIECES } from "./checkpoint-pieces.ts";
import { allRows } from "./paths.ts";

const branches = defineParts<BranchRecord>({
	record: "branch",
	table: "branches",
	key: ["conversation_id"],
	columns: { branch: "int", parent_branch: "int", fork_seq: "bigint", created_at: "time" },
	order: ["branch"],
	size: "1",
	toRecord: (row) => ({
		record: "branch",
		branch: row["branch"]!,
		parentBranch: row["parent_branch"]!,
		forkSeq: row["fork_seq"]!,
		createdAt: row["created_at"]!,
	}),
	toDraft: ({ branch, parentBranch, forkSeq, createdAt }) => ({
		branch: String(branch),
		parent_branch: String(parentBranch),
		fork_seq: forkSeq,
		created_at: createdAt,
	}),
});

const messages = defineParts<MessageRecord>({
	record: "message",
	table: "messages",
	key: ["conversation_id"],
	columns: {
		message_id: "text",
		branch: "int",
		seq: "bigint",
		kind: "text",
		role: "text",
		type: "text",
		payload: "json",
		metadata: "json",
		bytes: "int",
		label: "text",
		source_message_id: "text",
		first_kept_seq: "bigint",
		created_at: "time",
		updated_at: "time",
	},
	order: ["seq"],
	taken: "a message with its messageId",
	size: "bytes",
	rows: `SELECT m.* FROM (
			SELECT * FROM conversations WHERE project_id = $1 AND conversation_id = $2 OFFSET 0
		) AS c
		CROSS JOIN LATERAL (
			${allRows({ high: "c.last_seq", order: "asc", after: "$3::bigint", limit: "$4::int" })}
		) AS m`,
	toRecord: (row) => ({
		record: "message",
		messageId: row["message_id"]!,
		branch: row["branch"]!,
		seq: row["seq"]!,
		kind: row["kind"]!,
		role: row["role"]!,
		type: row["type"]!,
		payload: row["payload"]!,
		metadata: row["metadata"]!,
		label: row["label"]!,
		sourceMessageId: row["source_message_id"]!,
		firstKeptSeq: row["first_kept_seq"]!,
		createdAt: row["created_at"]!,
		updatedAt: row["updated_at"]!,
	}),
	toDraft: (message) => {
		const payload = JSON.stringify(message.payload);
		const metadata = JSON.stringify(message.metadata);
		return {
			message_id: message.messageId,
			branch: String(message.branch),
			seq: message.seq,
			kind: message.kind,
			role: message.role,
			type: message.type,
			payload,
			metadata,
			bytes: String(Buffer.byteLength(payload) + Buffer.byteLength(metadata)),
			label: message.label,
			source_message_id: message.sourceMessageId,
			first_kept_seq: message.firstKeptSeq,
			created_at: message.createdAt,
			updated_at: message.updatedAt,
		};
	},
});

// Only those that a framework may ask for again: the others are of no use when their request is over.
const historyOperations = defineParts<HistoryOperationRecord>({
	record: "historyOperation",
	table: "history_operations",
	key: ["conversation_id"],
	columns: { operation_id: "text", digest: "bytes", result: "json", created_at: "time" },
	order: ["operation_id"],
	size: "coalesce(octet_length(result::text), 0) + 1",
	rows: `SELECT * FROM history_operations
		WHERE project_id = $1 AND conversation_id = $2 AND operation_id > $3 AND expires_at IS NULL
		ORDER BY operation_id LIMIT $4::int`,
	toRecord: (row) => ({
		record: "historyOperation",
		operationId: row["operation_id"]!,
		digest: base64(row["digest"]!),
		result: row["result"]!,
		createdAt: row["created_at"]!,
	}),
	toDraft: ({ operationId, digest, result, createdAt }) => ({
		operation_id: operationId,
		digest,
		result: jsonText(result),
		created_at: createdAt,
	}),
});

const stateCheckpoints = defineParts<StateCheckpointRecord>({
	record: "stateCheckpoint",
	table: "state_checkpoints",
	key: ["key"],
	columns: { seq: "bigint", version: "int", state: "json", bytes: "int", operation_id: "text", created_at: "time" },
	order: ["seq"],
	size: "bytes",
	toRecord: (row) => ({
		record: "stateCheckpoint",
		seq: row["seq"]!,
		version: row["version"]!,
		state: row["state"]!,
		createdAt: row["created_at"]!,
	}),
	toDraft: ({ seq, version, state, createdAt }) => {
		const text = JSON.stringify(state);
		const bytes = String(Buffer.byteLength(text));
		return { seq, version: String(version), state: text, bytes, operation_id: newId(), created_at: createdAt };
	},
});

const checkpoints = defineParts<CheckpointRecord>({
	record: "checkpoint",
	table: "checkpoints",
	key: ["thread_id"],
	columns: {
		checkpoint_ns: "text",
		checkpoint_id: "text",
		parent_checkpoint_id: "text",
		format: "int",
		channels: "texts",
		versions: "texts",
		type: "text",
		encoding: "text",
		data: "bytes",
		metadata_type: "text",
		metadata_encoding: "text",
		metadata: "bytes",
		metadata_json: "json",
		metadata_terms: "texts",
		created_at: "time",
	},
	order: ["checkpoint_ns", "checkpoint_id"],
	size: "octet_length(data) + octet_length(metadata) + octet_length(metadata_json::text)",
	toRecord: (row) => {
		const versions: string[] = row["versions"]!;
		return {
			record: "checkpoint",
			checkpointNs: row["checkpoint_ns"]!,
			checkpointId: row["checkpoint_id"]!,
			parentCheckpointId: row["parent_checkpoint_id"]!,
			format: row["format"]!,
			channelVersions: (row["channels"] as unknown as string[]).map((channel, index) => ({
				channel,
				version: versions[index]!,
			})),
			checkpoint: toSerialized(row["type"]!, row["encoding"]!, row["data"]!),
			metadata: toSerialized(row["metadata_type"]!, row["metadata_encoding"]!, row["metadata"]!),
			metadataJson: row["metadata_json"]!,
			createdAt: row["created_at"]!,
		};
	},
	toDraft: (checkpoint) => ({
		checkpoint_ns: checkpoint.checkpointNs,
		checkpoint_id: checkpoint.checkpointId,
		parent_checkpoint_id: checkpoint.parentCheckpointId,
		format: String(checkpoint.format),
		channels: JSON.stringify(checkpoint.channelVersions.map(({ channel }) => channel)),
		versions: JSON.stringify(checkpoint.channelVersions.map(({ version }) => version)),
		...checkpoint.checkpoint,
		metadata_type: checkpoint.metadata.type,
		metadata_encoding: checkpoint.metadata.encoding,
		metadata: checkpoint.metadata.data,
		metadata_json: JSON.stringify(checkpoint.metadataJson),
		metadata_terms: JSON.stringify(metadataTerms(checkpoint.metadataJson)),
		created_at: checkpoint.createdAt,
	}),
});

const channelValues = defineParts<ChannelValueRecord>({
	record: "channelValue",
	table: "checkpoint_blobs",
	key: ["thread_id"],
	columns: {
		checkpoint_ns: "text",
		channel: "text",
		version: "text",
		type: "text",
		encoding: "text",
		data: "bytes",
	},
	order: ["checkpoint_ns", "channel", "version"],
	size: `coalesce(${bytesOf("read")}, 0) + 1`,
	reads: { data: dataOf("page") },
	toRecord: (row) => ({
		record: "channelValue",
		checkpointNs: row["checkpoint_ns"]!,
		channel: row["channel"]!,
		version: row["version"]!,
		value: row["data"] === null ? null : toWhole(row["type"]!, row["encoding"]!, row["data"]!),
	}),
	toDraft: ({ checkpointNs, channel, version, value }) => ({ checkpoint_ns: checkpointNs, channel, version, ...value }),
});

const checkpointWrites = defineParts<CheckpointWriteRecord>({
	record: "checkpointWrite",
	table: "checkpoint_writes",
	key: ["thread_id"],
	columns: {
		checkpoint_ns: "text",
		checkpoint_id: "text",
		task_id: "text",
		idx: "int",
		task_path: "text",
		channel: "text",
		type: "text",
		encoding: "text",
		data: "bytes",
	},
	order: ["checkpoint_ns", "checkpoint_id", "task_id", "idx"],
	size: "octet_length(data) + 1",
	toRecord: (row) => ({
		record: "checkpointWrite",
		checkpointNs: row["checkpoint_ns"]!,
		checkpointId: row["checkpoint_id"]!,
		taskId: row["task_id"]!,
		idx: row["idx"]!,
		taskPath: row["task_path"]!,
		channel: row["channel"]!,
		value: toSerialized(row["type"]!, row["encoding"]!, row["data"]!),
	}),
	toDraft: ({ checkpointNs, checkpointId, taskId, idx, taskPath, channel, value }) => ({
		checkpoint_ns: checkpointNs,
		checkpoint_id: checkpointId,
		task_id: taskId,
		idx: String(idx),
		task_path: taskPath,
		channel,
		...value,
	}),
});

const transcriptEntries = defineParts<TranscriptEntryRecord>({
	record: "transcriptEntry",
	table: "transcript_entries",
	key: ["project_key", "session_id"],
	columns: { subpath: "text", seq: "bigint", uuid: "text", batch_id: "text", batch_index: "int", entry: "text" },
	order: ["subpath", "seq"],
	taken: "an entry with its uuid, or with its batch and place,",
	size: "octet_length(entry)",
	toRecord: (row) => ({
		record: "transcriptEntry",
		subpath: row["subpath"]!,
		seq: row["seq"]!,
		batchId: row["batch_id"]!,
		batchIndex: row["batch_index"]!,
		entry: row["entry"]!,
	}),
	toDraft: ({ subpath, seq, batchId, batchIndex, entry }, limits) => ({
		subpath,
		seq,
		uuid: draftEntries("transcriptEntry", [entry], batchIndex, limits)[0]!.uuid,
		batch_id: batchId,
		batch_index: String(batchIndex),
		entry,
	}),
});

/** The tables of each kind of item, in the order of their records. */
export const PARTS: Readonly<Record<ItemRecord["record"], readonly Parts[]>> = {
	conversation: [branches, messages, historyOperations],
	state: [stateCheckpoints],
	thread: [checkpoints, channelValues, checkpointWrites],
	transcript: [transcriptEntries],
};

function base64(bytes: Buffer): string {
	return bytes.toString("base64");
}

/** A value in pieces becomes a whole one, compressed as those are: the pieces of a thread are no part of an archive. */
function toWhole(type: string, encoding: string, data: Buffer): SerializedRecord {
	return encoding === IN_PIECES ? toSerialized(type, "gzip", gzipSync(data)) : toSerialized(type, encoding, data);
}

function toSerialized(type: string, encoding: string, data: Buffer): SerializedRecord {
	return { type, encoding, data: base64(data) };
}
