import type { ArchiveRecord, ItemRecord, PartRecord } from "./archives.ts";
import { checkSeq } from "./branches.ts";
import { checkPath, draftSerialized, type SerializedInput } from "./checkpoints.ts";
import { checkConfig } from "./configs.ts";
import { badRequest } from "./faults.ts";
import { checkId, checkTag } from "./ids.ts";
import { checkObject, encodeJson, type JsonObject, type JsonValue } from "./json.ts";
import type { Limits } from "./limits.ts";
import { draftMessage } from "./messages.ts";
import { checkSummary, draftEntries } from "./transcripts.ts";

/** Checks the value of a field and returns it; an omitted field is null. */
type Check = (field: string, value: JsonValue, limits: Limits) => JsonValue;

const id: Check = (field, value, limits) => checkId(field, value, limits.idBytes);
const key: Check = (field, value, limits) => checkId(field, value, limits.keyBytes);
const path: Check = (field, value, limits) => checkPath(field, string(field, value, limits), limits);
const channel: Check = (field, value, limits) => checkId(field, value, limits.pathBytes);

const string = (field: string, value: JsonValue, _limits: Limits): string => {
	if (typeof value !== "string") throw badRequest(field, "must be a string");
	return value;
};

const tag: Check = (field, value, limits) => checkTag(field, string(field, value, limits), limits.idBytes);
const text: Check = (field, value, limits) => checkTag(field, string(field, value, limits), limits.messageBytes);

/** Far more than any conversation has; what comes after it must have numbers, too. */
const LARGEST_SEQ = BigInt(Number.MAX_SAFE_INTEGER);

const seq: Check = (field, value, limits) => {
	const checked = checkSeq(field, string(field, value, limits))!;
	if (checked > LARGEST_SEQ) throw badRequest(field, `must be at most ${LARGEST_SEQ}`);
	return String(checked);
};

const LARGEST_INTEGER = 2 ** 31 - 1;

function integerUpTo(most: number, least = 0): Check {
	return (field, value) => {
		if (Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most) return value;
		throw badRequest(field, `must be an integer from ${least} to ${most}`);
	};
}

const integer = integerUpTo(LARGEST_INTEGER);
/** To the last time that JavaScript knows: clocks go on behind what they gave out, and must stay exact. */
const milliseconds = integerUpTo(8_640_000_000_000_000);

/** Postgres knows no year 0, and writes those before it and those of five digits differently. */
const FIRST_TIME = "0001-01-01T00:00:00.000Z";

const time: Check = (field, value) => {
	const date = typeof value === "string" ? new Date(value) : new Date(Number.NaN);
	// Years before 0 and of more than four digits begin with a sign, which is less than any digit.
	if (!Number.isNaN(date.getTime()) && date.toISOString() === value && value >= FIRST_TIME) return value;
	throw badRequest(field, "must be a time like 2030-01-31T12:00:00.000Z (VAL-11)");
};

const json: Check = (field, value, limits) => {
	encodeJson(field, value, { depth: limits.jsonDepth, bytes: limits.messageBytes });
	return value;
};

const object: Check = (field, value, limits) => json(field, checkObject(field, value), limits);

const metadata: Check = (field, value, limits) => {
	encodeJson(field, checkObject(field, value), { depth: limits.jsonDepth, bytes: limits.metadataBytes });
	return value;
};

const config: Check = (field, value, limits) => metadata(field, checkConfig(field, value), limits);

const DIGEST = /^[A-Za-z0-9+/]{43}=$/;

const digest: Check = (field, value) => {
	if (typeof value === "string" && DIGEST.test(value)) return value;
	throw badRequest(field, "must be the base64 of 32 bytes");
};

function nullable(check: Check): Check {
	return (field, value, limits) => (value === null ? null : check(field, value, limits));
}

function oneOf(...allowed: string[]): Check {
	return (field, value) => {
		if (allowed.includes(value as string)) return value;
		throw badRequest(field, `must be one of ${allowed.join(", ")}`);
	};
}

function listOf(check: Check): Check {
	return (field, value, limits) => {
		if (!Array.isArray(value)) throw badRequest(field, "must be an array");
		return value.map((item, index) => check(`${field}[${index}]`, item, limits));
	};
}

/** An object of these fields. */
function fields(checks: Readonly<Record<string, Check>>) {
	return (field: string, value: JsonValue, limits: Limits): JsonObject => {
		const given = checkObject(field, value);
		const unknown = Object.keys(given).filter((name) => !Object.hasOwn(checks, name));
		if (unknown.length > 0) throw badRequest(field, `unknown ${unknown.join(", ")} (VAL-8)`);
		const checked = Object.entries(checks).map(([name, check]): [string, JsonValue] => [
			name,
			check(`${field}.${name}`, Object.hasOwn(given, name) ? given[name]! : null, limits),
		]);
		return Object.fromEntries(checked);
	};
}

const serialized: Check = (field, value, limits) => {
	const checked = serializedFields(field, value, limits);
	draftSerialized(field, checked as unknown as SerializedInput, limits);
	return checked;
};

const serializedFields = fields({ type: tag, encoding: oneOf("identity", "gzip"), data: string });

const channelVersion = { channel, version: id };

/** What an interrupted run goes on with is its runner's own; all that others read is what it asks. */
const interrupt: Check = (field, value, limits) => {
	fields({ reason: text, data: json })(`${field}.shown`, checkObject(field, value)["shown"] ?? null, limits);
	return object(field, value, limits);
};

const entry: Check = (field, value, limits) => {
	draftEntries(field, [string(field, value, limits)], 0, limits);
	return value;
};

const RECORDS: { readonly [record: string]: Readonly<Record<string, Check>> } = {
	conversation: {
		conversationId: id,
		metadata,
		config: nullable(config),
		agentState: nullable(object),
		agentVersion: integer,
		agentRevision: seq,
		run: nullable(
			fields({
				status: oneOf("finished", "interrupted", "error"),
				error: nullable(text),
				interrupt: nullable(interrupt),
			}),
		),
		lastSeq: seq,
		activeBranch: integer,
		lastBranch: integer,
		parentConversationId: nullable(id),
		parentMessageId: nullable(id),
		createdAt: time,
		updatedAt: time,
	},
	branch: { branch: integerUpTo(LARGEST_INTEGER, 1), parentBranch: integer, forkSeq: seq, createdAt: time },
	message: {
		messageId: id,
		branch: integer,
		seq,
		kind: oneOf("message", "compaction", "branch_summary", "custom"),
		role: nullable(tag),
		type: nullable(tag),
		payload: json,
		metadata: object,
		label: nullable(tag),
		sourceMessageId: nullable(id),
		firstKeptSeq: nullable(seq),
		createdAt: time,
		updatedAt: time,
	},
	historyOperation: { operationId: id, digest, result: json, createdAt: time },
	state: {
		key: id,
		state: nullable(object),
		version: integer,
		revision: seq,
		lastSeq: seq,
		createdAt: time,
		updatedAt: nullable(time),
	},
	stateCheckpoint: { seq, version: integer, state: object, createdAt: time },
	thread: { threadId: id },
	checkpoint: {
		checkpointNs: path,
		checkpointId: id,
		parentCheckpointId: nullable(id),
		format: integer,
		channelVersions: listOf(fields(channelVersion)),
		checkpoint: serialized,
		metadata: serialized,
		metadataJson: object,
		createdAt: time,
	},
	channelValue: { checkpointNs: path, ...channelVersion, value: nullable(serialized) },
	checkpointWrite: {
		checkpointNs: path,
		checkpointId: id,
		taskId: id,
		idx: integerUpTo(LARGEST_INTEGER, -LARGEST_INTEGER - 1),
		taskPath: path,
		channel,
		value: serialized,
	},
	transcript: {
		projectKey: key,
		sessionId: key,
		lastSeq: seq,
		mtime: nullable(milliseconds),
		summary: nullable((field, value, limits) => checkSummary(field, string(field, value, limits), limits)),
		summaryMtime: nullable(milliseconds),
		summarySeq: nullable(seq),
		createdAt: time,
	},
	transcriptEntry: { subpath: path, seq, batchId: id, batchIndex: integer, entry },
	end: { records: integer },
};

/** The kinds of records that open an item. */
const ITEMS: ReadonlySet<JsonValue | undefined> = new Set(["conversation", "state", "thread", "transcript"]);

/** What kind of record a value says that it is. */
export function recordOf(value: JsonValue): JsonValue | undefined {
	return typeof value === "object" && value !== null && !Array.isArray(value) ? value["record"] : undefined;
}

/** Whether a value says that it opens an item, so that what stands before it is over. */
export function opensItem(value: JsonValue): boolean {
	return ITEMS.has(recordOf(value));
}

/** Checks a record by the rules of what writes such rows otherwise; its place in the item is another matter. */
export function checkRecord(value: JsonValue, limits: Limits): Exclude<ArchiveRecord, { record: "archive" }> {
	const record = recordOf(value);
	const checks = typeof record === "string" && Object.hasOwn(RECORDS, record) ? RECORDS[record] : undefined;
	if (checks === undefined) throw badRequest("record", `must be one of ${Object.keys(RECORDS).join(", ")}`);
	const { record: _record, ...rest } = value as JsonObject;
	const checked = { record, ...fields(checks)(record as string, rest, limits) } as unknown as ItemRecord | PartRecord;
	if (checked.record === "message") {
		const { payload, kind } = checked;
		draftMessage("message", checked, limits, kind);
		if (kind === "compaction" || kind === "branch_summary") {
			string("message.payload.summary", checkObject("message.payload", payload)["summary"] ?? null, limits);
		}
	}
	return checked;
}
