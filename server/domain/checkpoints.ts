import { createHash } from "node:crypto";
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
export interface ChannelValueInput extends ChannelVersion {
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
}

export interface WriteInput {
	idx: number;
	channel: string;
	value: SerializedInput;
}

/** What a caller gives to put the writes of a task. */
export interface WritesInput extends NamespaceInput {
	checkpointId: string;
	taskId: string;
	taskPath?: string | null | undefined;
	writes: readonly WriteInput[];
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
	values: readonly (ChannelVersion & { value: SerializedDraft })[];
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
		values: input.values.flatMap((it, index) => {
			const at = `${field}values[${index}]`;
			const version = checkVersion(at, it);
			return it.value == null ? [] : [{ ...version, value: draftSerialized(`${at}.value`, it.value, limits) }];
		}),
	};
}

export interface WritesDraft {
	threadId: string;
	checkpointNs: string;
	checkpointId: string;
	taskId: string;
	taskPath: string;
	writes: readonly { idx: number; channel: string; value: SerializedDraft }[];
}

/** Checks the writes of a task. Of those that share an idx the last counts where it is negative, else the first. */
export function draftWrites(field: string, input: WritesInput, limits: Limits): WritesDraft {
	const [threadId, checkpointNs] = checkNamespace(field, input, limits);
	const byIdx = new Map<number, WritesDraft["writes"][number]>();
	for (const [index, { idx, channel, value }] of input.writes.entries()) {
		const at = `${field}writes[${index}]`;
		const write = {
			idx,
			channel: checkId(`${at}.channel`, channel, limits.pathBytes),
			value: draftSerialized(`${at}.value`, value, limits),
		};
		if (idx < 0 || !byIdx.has(idx)) byIdx.set(idx, write);
	}
	return {
		threadId,
		checkpointNs,
		checkpointId: checkId(`${field}checkpointId`, input.checkpointId, limits.idBytes),
		taskId: checkId(`${field}taskId`, input.taskId, limits.idBytes),
		taskPath: checkPath(`${field}taskPath`, input.taskPath ?? "", limits),
		writes: [...byIdx.values()],
	};
}

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** Checks a value of a serialiser, whose bytes stay what they are. */
export function draftSerialized(
	field: string,
	{ type, encoding, data }: SerializedInput,
	limits: Limits,
): SerializedDraft {
	if (data.length % 4 !== 0 || !BASE64.test(data)) throw badRequest(`${field}.data`, "must be base64 with its padding");
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
