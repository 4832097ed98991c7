import { createHash } from "node:crypto";
import { draftNames, draftPieces, type PieceDraft, type PiecesDraft, type PiecesInput } from "./checkpoint-pieces.ts";
import { badRequest } from "./faults.ts";
import { checkId, checkTag } from "./ids.ts";
import { canonicalJson, checkObject, encodeJson, type JsonObject } from "./json.ts";
import type { Limits } from "./limits.ts";

/** How the bytes of a value are packed; the gateway never unpacks them. */
export type Encoding = "identity" | "gzip";

/** A value as the client's serialiser wrote it: its type and its bytes. The bytes are opaque, and stored as they are. */
export interface Serialized {
	type: string;
	encoding: Encoding;
	data: Uint8Array;
}

/** The same as it arrives: its bytes in base64, which Postgres decodes. */
export interface SerializedInput {
	type: string;
	encoding?: Encoding | null | undefined;
	data: string;
}

/** A namespace of a thread. */
export interface NamespaceInput {
	threadId: string;
	checkpointNs?: string | null | undefined;
}

export interface ChannelVersion {
	channel: string;
	version: string;
}

/** A channel's value at a version; without a value the channel is empty then. */
export interface ChannelValueInput extends ChannelVersion, PiecesInput {
	value?: SerializedInput | null | undefined;
}

/** What a caller gives to put a checkpoint. */
export interface CheckpointInput extends NamespaceInput {
	checkpointId: string;
	parentCheckpointId?: string | null | undefined;
	format: number;
	checkpoint: SerializedInput;
	metadata: SerializedInput;
	metadataJson?: JsonObject | null | undefined;
	channelVersions: readonly ChannelVersion[];
	values: readonly ChannelValueInput[];
	/** Of the pieces of its values, those that may not be stored yet; in base64. */
	pieces?: readonly string[] | null | undefined;
	/** What tasks of the thread wrote, to be stored along. */
	taskWrites?: readonly TaskWritesInput[] | null | undefined;
}

export interface WriteInput {
	idx: number;
	channel: string;
	value: SerializedInput;
}

/** What a task wrote after a checkpoint. */
export interface TaskWritesInput {
	checkpointNs?: string | null | undefined;
	checkpointId: string;
	taskId: string;
	taskPath?: string | null | undefined;
	writes: readonly WriteInput[];
}

/** What a caller gives to put the writes of a task. */
export interface WritesInput extends TaskWritesInput {
	threadId: string;
}

/** A pending write of a task. */
export interface CheckpointWrite {
	taskId: string;
	channel: string;
	value: Serialized;
}

/** A checkpoint with everything that it takes to resume from it. */
export interface Checkpoint {
	threadId: string;
	checkpointNs: string;
	checkpointId: string;
	parentCheckpointId: string | null;
	/** The checkpoint itself, without the values of its channels. */
	checkpoint: Serialized;
	metadata: Serialized;
	metadataJson: JsonObject;
	values: { channel: string; value: Serialized }[];
	/** In the order in which a run applies them. */
	writes: CheckpointWrite[];
	/** Of a checkpoint of a format below 4: what the tasks of its parent sent. */
	sends: Serialized[];
	createdAt: string;
}

/** What one channel gathered on the way to a checkpoint since its value was last stored. */
export interface ChannelHistory {
	channel: string;
	/** The oldest first. */
	writes: CheckpointWrite[];
	/** The stored value that the writes follow; null where the channel began empty. */
	seed: Serialized | null;
}

/** Checks a thread's id. */
export function checkThread(field: string, value: unknown, limits: Limits): string {
	return checkId(`${field}threadId`, value, limits.idBytes);
}

/** Checks a thread's id and a namespace, which is empty for the graph itself. */
export function checkNamespace(field: string, input: NamespaceInput, limits: Limits): [string, string] {
	const { threadId, checkpointNs } = input;
	return [checkThread(field, threadId, limits), checkPath(`${field}checkpointNs`, checkpointNs ?? "", limits)];
}

/** Checks a namespace or path: it may be empty, and be longer than an id. */
export function checkPath(field: string, value: string, limits: Limits): string {
	return value === "" ? value : checkId(field, value, limits.pathBytes);
}

/** A checked value, still in base64. */
interface SerializedDraft extends Required<SerializedInput> {
	encoding: Encoding;
}

export interface CheckpointDraft {
	threadId: string;
	checkpointNs: string;
	checkpointId: string;
	parentCheckpointId: string | null;
	format: number;
	checkpoint: SerializedDraft;
	metadata: SerializedDraft;
	metadataJson: string;
	metadataTerms: string[];
	channelVersions: readonly ChannelVersion[];
	/** Of channels that are not empty at their version: a version without a stored value says the same. */
	values: readonly ChannelValueDraft[];
	/** Those that were sent and that a value has. */
	pieces: readonly PieceDraft[];
	writes: readonly WriteDraft[];
}

export interface ChannelValueDraft extends ChannelVersion {
	value: SerializedDraft;
	/** The version whose pieces it may have, too. */
	base: string | null;
	/** Undefined of a value that is whole. */
	pieces: PiecesDraft | undefined;
}

/** Checks a checkpoint and encodes its metadata. */
export function draftCheckpoint(field: string, input: CheckpointInput, limits: Limits): CheckpointDraft {
	const [threadId, checkpointNs] = checkNamespace(field, input, limits);
	const checkpointId = checkId(`${field}checkpointId`, input.checkpointId, limits.idBytes);
	const parent = input.parentCheckpointId;
	if (parent === checkpointId) throw badRequest(`${field}parentCheckpointId`, "must be another checkpoint");
	const metadataJson = checkObject(`${field}metadataJson`, input.metadataJson ?? undefined);
	const checkVersion = (at: string, { channel, version }: ChannelVersion): ChannelVersion => ({
		channel: checkId(`${at}.channel`, channel, limits.pathBytes),
		version: checkId(`${at}.version`, version, limits.idBytes),
	});
	const sent = draftPieces((input.pieces ?? []).map((data, index) => checkBase64(`${field}pieces[${index}]`, data)));
	const values = input.values.flatMap((it, index): ChannelValueDraft[] => {
		const at = `${field}values[${index}]`;
		const version = checkVersion(at, it);
		if (it.value == null) return [];
		const value = draftSerialized(`${at}.value`, it.value, limits);
		const base = it.base == null ? null : checkId(`${at}.base`, it.base, limits.idBytes);
		const pieces = draftNames(at, it, Buffer.byteLength(value.data, "base64"), sent);
		if (pieces !== undefined && value.encoding !== "identity") {
			throw badRequest(`${at}.value.encoding`, "must be IDENTITY where there are pieces");
		}
		return [{ ...version, value, base, pieces }];
	});
	const named = new Set(values.flatMap(({ pieces }) => pieces?.names ?? []));
	return {
		threadId,
		checkpointNs,
		checkpointId,
		parentCheckpointId: parent == null ? null : checkId(`${field}parentCheckpointId`, parent, limits.idBytes),
		format: input.format,
		checkpoint: draftSerialized(`${field}checkpoint`, input.checkpoint, limits),
		metadata: draftSerialized(`${field}metadata`, input.metadata, limits),
		metadataJson: encodeJson(`${field}metadataJson`, metadataJson, {
			depth: limits.jsonDepth,
			bytes: limits.messageBytes,
		}).text,
		metadataTerms: metadataTerms(metadataJson),
		channelVersions: input.channelVersions.map((it, index) => checkVersion(`${field}channelVersions[${index}]`, it)),
		values,
		pieces: [...sent.values()].filter(({ name }) => named.has(name)),
		writes: draftTasks(field, threadId, input.taskWrites ?? [], limits),
	};
}

/** A checked write, with its place. */
export interface WriteDraft {
	checkpointNs: string;
	checkpointId: string;
	taskId: string;
	taskPath: string;
	idx: number;
	channel: string;
	value: SerializedDraft;
}

export interface WritesDraft {
	threadId: string;
	writes: readonly WriteDraft[];
}

/** Checks the writes of a task. */
export function draftWrites(field: string, input: WritesInput, limits: Limits): WritesDraft {
	const threadId = checkThread(field, input.threadId, limits);
	return { threadId, writes: unique(draftTask(field, threadId, input, limits)) };
}

function draftTasks(
	field: string,
	threadId: string,
	tasks: readonly TaskWritesInput[],
	limits: Limits,
): readonly WriteDraft[] {
	return unique(tasks.flatMap((task, index) => draftTask(`${field}taskWrites[${index}].`, threadId, task, limits)));
}

function draftTask(field: string, threadId: string, input: TaskWritesInput, limits: Limits): WriteDraft[] {
	const [, checkpointNs] = checkNamespace(field, { threadId, checkpointNs: input.checkpointNs }, limits);
	const place = {
		checkpointNs,
		checkpointId: checkId(`${field}checkpointId`, input.checkpointId, limits.idBytes),
		taskId: checkId(`${field}taskId`, input.taskId, limits.idBytes),
		taskPath: checkPath(`${field}taskPath`, input.taskPath ?? "", limits),
	};
	return input.writes.map(({ idx, channel, value }, index) => ({
		...place,
		idx,
		channel: checkId(`${field}writes[${index}].channel`, channel, limits.pathBytes),
		value: draftSerialized(`${field}writes[${index}].value`, value, limits),
	}));
}

/** Of writes that share a task and an idx the last counts where it is negative, else the first. */
function unique(writes: readonly WriteDraft[]): readonly WriteDraft[] {
	const byKey = new Map<string, WriteDraft>();
	for (const write of writes) {
		const key = JSON.stringify([write.checkpointNs, write.checkpointId, write.taskId, write.idx]);
		if (write.idx < 0 || !byKey.has(key)) byKey.set(key, write);
	}
	return [...byKey.values()];
}

function checkBase64(field: string, data: string): string {
	if (data.length % 4 !== 0 || !BASE64.test(data)) throw badRequest(field, "must be base64 with its padding");
	return data;
}

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** Checks a value of a serialiser, whose bytes stay what they are. */
export function draftSerialized(
	field: string,
	{ type, encoding, data }: SerializedInput,
	limits: Limits,
): SerializedDraft {
	checkBase64(`${field}.data`, data);
	return { type: checkTag(`${field}.type`, type, limits.idBytes) ?? "", encoding: encoding ?? "identity", data };
}

const TERM_BYTES = 16;

/**
 * One hash for each top-level entry of the metadata, equal when key and value are; the order of keys inside the value
 * does not count. Hashes, since SQL cannot look into JSON that holds U+0000.
 */
export function metadataTerms(metadata: JsonObject): string[] {
	return Object.entries(metadata).map((entry) => {
		const digest = createHash("sha256").update(canonicalJson(entry)).digest();
		return digest.subarray(0, TERM_BYTES).toString("base64url");
	});
}
