import type { RunStatus } from "./agents.ts";
import type { ChannelVersion } from "./checkpoints.ts";
import { badRequest, Fault } from "./faults.ts";
import type { JsonObject, JsonValue } from "./json.ts";
import type { MessageKind } from "./messages.ts";
import type { RunInterrupt } from "./runs.ts";

// An archive is JSON Lines: a header, then items. An item is a run of records from the one that opens it to an `end`,
// so that a file that was cut is noticed. What follows from other fields (sizes, hashes, uuids of entries) is not in
// it; nor is what belongs to one place only: incarnations, leases of runs, and the ids of requests that may be retried.

const ARCHIVE_FORMAT = "agent-store";
const ARCHIVE_VERSION = 1;

/** The first line. */
export interface ArchiveHeader {
	record: "archive";
	format: string;
	version: number;
	createdAt: string;
}

/** Opens a conversation; its branches follow by number, its messages by seq, and operations by id. */
export interface ConversationRecord {
	record: "conversation";
	conversationId: string;
	metadata: JsonObject;
	config: JsonObject | null;
	agentState: JsonObject | null;
	agentVersion: number;
	agentRevision: string;
	/** How its last run ended; null where none has ended. */
	run: RunRecord | null;
	lastSeq: string;
	activeBranch: number;
	lastBranch: number;
	parentConversationId: string | null;
	parentMessageId: string | null;
	createdAt: string;
	updatedAt: string;
}

export interface RunRecord {
	status: Exclude<RunStatus, "idle" | "running">;
	error: string | null;
	interrupt: RunInterrupt | null;
}

/** A branch; branch 0 has no record. */
export interface BranchRecord {
	record: "branch";
	branch: number;
	parentBranch: number;
	forkSeq: string;
	createdAt: string;
}

export interface MessageRecord {
	record: "message";
	messageId: string;
	branch: number;
	seq: string;
	kind: MessageKind;
	role: string | null;
	type: string | null;
	payload: JsonValue;
	metadata: JsonObject;
	label: string | null;
	sourceMessageId: string | null;
	/** Of a compaction, where what it keeps begins. */
	firstKeptSeq: string | null;
	createdAt: string;
	updatedAt: string;
}

/** A change of the history that was applied and that its framework may ask for again. */
export interface HistoryOperationRecord {
	record: "historyOperation";
	operationId: string;
	/** SHA-256 of what it does, in base64. */
	digest: string;
	result: JsonValue;
	createdAt: string;
}

/** Opens a state; its checkpoints follow by seq. */
export interface StateRecord {
	record: "state";
	key: string;
	/** Null for a key that has checkpoints only. */
	state: JsonObject | null;
	version: number;
	revision: string;
	lastSeq: string;
	createdAt: string;
	updatedAt: string | null;
}

export interface StateCheckpointRecord {
	record: "stateCheckpoint";
	seq: string;
	version: number;
	state: JsonObject;
	createdAt: string;
}

/** Opens a LangGraph thread; its checkpoints, channel values and writes follow, each by their keys. */
export interface ThreadRecord {
	record: "thread";
	threadId: string;
}

/** Bytes of a client's serialiser, in base64. */
export interface SerializedRecord {
	type: string;
	encoding: string;
	data: string;
}

export interface CheckpointRecord {
	record: "checkpoint";
	checkpointNs: string;
	checkpointId: string;
	parentCheckpointId: string | null;
	format: number;
	channelVersions: ChannelVersion[];
	checkpoint: SerializedRecord;
	metadata: SerializedRecord;
	metadataJson: JsonObject;
	createdAt: string;
}

/** A channel's value at a version; null where the channel is empty then. */
export interface ChannelValueRecord extends ChannelVersion {
	record: "channelValue";
	checkpointNs: string;
	value: SerializedRecord | null;
}

export interface CheckpointWriteRecord {
	record: "checkpointWrite";
	checkpointNs: string;
	checkpointId: string;
	taskId: string;
	idx: number;
	taskPath: string;
	channel: string;
	value: SerializedRecord;
}

/** Opens a transcript; its entries follow by subpath and seq. */
export interface TranscriptRecord {
	record: "transcript";
	projectKey: string;
	sessionId: string;
	lastSeq: string;
	/** Null where the main transcript has no entries. */
	mtime: number | null;
	summary: string | null;
	summaryMtime: number | null;
	summarySeq: string | null;
	createdAt: string;
}

export interface TranscriptEntryRecord {
	record: "transcriptEntry";
	/** Empty for the main transcript. */
	subpath: string;
	seq: string;
	batchId: string;
	batchIndex: number;
	/** JSON text, as it was appended. */
	entry: string;
}

/** Closes an item. */
export interface EndRecord {
	record: "end";
	/** How many records stand before it, the opening one included. */
	records: number;
}

/** What opens an item. */
export type ItemRecord = ConversationRecord | StateRecord | ThreadRecord | TranscriptRecord;

/** What an item consists of. */
export type PartRecord =
	| BranchRecord
	| MessageRecord
	| HistoryOperationRecord
	| StateCheckpointRecord
	| CheckpointRecord
	| ChannelValueRecord
	| CheckpointWriteRecord
	| TranscriptEntryRecord;

export type ArchiveRecord = ArchiveHeader | ItemRecord | PartRecord | EndRecord;

/** A line as it was read: a value to be checked, or what is wrong with it. A last line that is no text or JSON was cut. */
export type ArchiveLine = { line: number } & ({ value: JsonValue } | { fault: Fault; cut?: boolean });

/** What became of an item. */
export interface ImportedItem {
	/** The line that opens it. */
	line: number;
	/** What it is and its id, such as `conversation "c-1"`; null where that cannot be read. */
	name: string | null;
	outcome: "imported" | "already there" | "refused";
	/** Why it was refused, and the line that shows it. */
	refusal: { line: number; fault: Fault } | null;
}

/** The first record of an archive. */
export function archiveHeader(createdAt: string): ArchiveHeader {
	return { record: "archive", format: ARCHIVE_FORMAT, version: ARCHIVE_VERSION, createdAt };
}

/** Checks that a value is the header of an archive that this version reads. */
export function checkHeader(value: JsonValue): void {
	const { record, format, version } = (value ?? {}) as { [name: string]: JsonValue | undefined };
	if (record !== "archive" || format !== ARCHIVE_FORMAT) {
		throw badRequest(
			"header",
			`must be the first line of an archive, {"record":"archive","format":"${ARCHIVE_FORMAT}",…}`,
		);
	}
	if (typeof version !== "number" || !Number.isInteger(version) || version < 1) {
		throw badRequest("header.version", "must be an integer of at least 1");
	}
	if (version > ARCHIVE_VERSION) {
		throw new Fault(
			"BadRequest",
			`header.version: the archive has version ${version}, this gateway reads up to version ${ARCHIVE_VERSION}; import it with a newer one`,
		);
	}
}
