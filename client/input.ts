import { badRequest, StoreError } from "./errors.ts";
import type { MessageInput } from "./generated/operations.ts";
import { newId } from "./ids.ts";
import { type CapturedJson, captureJson, jsonBytes } from "./json.ts";
import { LIMITS, utf8Bytes } from "./limits.ts";
import type { JsonObject, JsonValue } from "./types.ts";

/** The largest integer of GraphQL. */
const LARGEST_INT = 2 ** 31 - 1;

/** Reads named arguments, each once, and refuses unknown names (rule VAL-8). `place` is the method or the field. */
export function readArguments<Name extends string>(
	place: string,
	input: unknown,
	names: readonly Name[],
): { [N in Name]: unknown } {
	if (typeof input !== "object" || input === null || Array.isArray(input)) {
		throw badRequest(place, `must be given an object with ${names.join(", ")} (VAL-8)`);
	}
	const known: readonly string[] = names;
	const unknown = Object.keys(input).filter((name) => !known.includes(name));
	if (unknown.length > 0) {
		throw badRequest(place, `unknown argument ${unknown.join(", ")}; known are ${names.join(", ")} (VAL-8)`);
	}
	const values = {} as { [N in Name]: unknown };
	for (const name of names) {
		try {
			values[name] = (input as { [N in Name]?: unknown })[name];
		} catch (error) {
			throw badRequest(name, "could not be read (VAL-5)", error);
		}
	}
	return values;
}

/** The same where the whole object may be omitted. */
export function readOptionalArguments<Name extends string>(
	place: string,
	input: unknown,
	names: readonly Name[],
): { [N in Name]: unknown } {
	return readArguments(place, input ?? {}, names);
}

/** Checks an id by rule VAL-1. */
export function checkId(field: string, value: unknown): string {
	if (typeof value !== "string" || value === "") throw badRequest(field, "must be a non-empty string (VAL-1)");
	return checkText(field, value, "VAL-1");
}

/** Checks an id that the SDK makes when it is omitted. */
export function checkIdOrNew(field: string, value: unknown): string {
	return value == null ? newId() : checkId(field, value);
}

/** Checks a role or type by rule VAL-2. */
export function checkTag(field: string, value: unknown): string | null {
	if (value === null) return null;
	if (typeof value !== "string") throw badRequest(field, "must be a string or null (VAL-2)");
	return checkText(field, value, "VAL-2");
}

function checkText(field: string, value: string, rule: string): string {
	if (value.length > LIMITS.idBytes || utf8Bytes(value) > LIMITS.idBytes) {
		throw badRequest(field, `must be at most ${LIMITS.idBytes} UTF-8 bytes (${rule})`);
	}
	if (value.includes("\0")) throw badRequest(field, `must not contain U+0000 (${rule})`);
	if (/\p{Surrogate}/u.test(value)) throw badRequest(field, `must not contain a lone surrogate (${rule})`);
	return value;
}

/** Checks the page size by rule MSG-7; omitted leaves the default to the gateway. */
export function checkLimit(value: unknown): { first?: number } {
	if (value == null) return {};
	if (typeof value !== "number" || !Number.isInteger(value) || value < 1 || value > LIMITS.pageLimit) {
		throw badRequest("limit", `must be an integer from 1 to ${LIMITS.pageLimit} (MSG-7)`);
	}
	return { first: value };
}

/** Checks a cursor's form; only the gateway can tell whether it is good (rule MSG-8). */
export function checkCursor(value: unknown): { after?: string } {
	if (value == null) return {};
	if (typeof value !== "string" || value === "") throw badRequest("cursor", "must be a non-empty string (MSG-8)");
	return { after: value };
}

/** Checks the order of a list of messages. */
export function checkOrder(value: unknown): { order?: "ASC" | "DESC" } {
	if (value == null) return {};
	if (value !== "asc" && value !== "desc") throw badRequest("order", 'must be "asc" or "desc" (MSG-7)');
	return { order: value === "asc" ? "ASC" : "DESC" };
}

/** Checks the precondition of appends and of branching: a seq, `"0"` for a conversation without messages. */
export function checkLastSeq(value: unknown): { expectedLastSeq?: string } {
	if (value == null) return {};
	if (typeof value !== "string" || !/^\d{1,19}$/.test(value)) {
		throw badRequest("expectedLastSeq", 'must be a seq as a decimal string, such as "12"');
	}
	return { expectedLastSeq: value };
}

/** Checks the number of a branch. */
export function checkBranch(field: string, value: unknown): number {
	if (typeof value !== "number" || !Number.isInteger(value) || value < 0 || value > LARGEST_INT) {
		throw badRequest(field, "must be the number of a branch, an integer of at least 0");
	}
	return value;
}

/** The same where it may be omitted. */
export function checkOptionalBranch<Name extends string>(field: Name, value: unknown): { [N in Name]?: number } {
	return value == null ? {} : ({ [field]: checkBranch(field, value) } as { [N in Name]?: number });
}

/** Checks a text of any length. */
export function checkString(field: string, value: unknown): string {
	if (typeof value !== "string") throw badRequest(field, "must be a string");
	return value;
}

/** Captures a payload by rules VAL-3 and VAL-5; `null` is a value, undefined is not. */
export function capturePayload(field: string, value: unknown): CapturedJson {
	const payload = captureJson(field, value);
	if (payload === undefined) throw badRequest(field, "is required; null is a value (VAL-3)");
	return payload;
}

/** Captures metadata by rule VAL-4. */
export function captureMetadata(field: string, value: unknown): CapturedJson<JsonObject> {
	const metadata = captureJson(field, value);
	const data = metadata?.value;
	if (metadata === undefined || typeof data !== "object" || data === null || Array.isArray(data)) {
		throw badRequest(field, "must be a JSON object (VAL-4)");
	}
	return { value: data, maxBytes: metadata.maxBytes };
}

/** Captures a conversation's metadata, which has a size limit of its own (rule VAL-7). */
export function captureConversationMetadata(value: unknown): JsonObject {
	const metadata = captureMetadata("metadata", value);
	if (metadata.maxBytes > LIMITS.metadataBytes) {
		// A null removes its key in an update, so only the rest is sure to count.
		const kept = Object.fromEntries(Object.entries(metadata.value).filter(([, entry]) => entry !== null));
		if (jsonBytes(kept) > LIMITS.metadataBytes) throw payloadTooLarge("metadata", LIMITS.metadataBytes);
	}
	return metadata.value;
}

/** The content of a message as far as it was given. */
interface Content {
	role?: string | null;
	type?: string | null;
	payload?: JsonValue;
	metadata?: JsonObject;
}

/** The arguments that make up a message's content. */
export const CONTENT_NAMES = ["role", "type", "payload", "metadata"] as const;

/** Captures the given parts of a message's content; `prefix` is its place, such as `messages[3].`. */
export function captureContent(prefix: string, input: { [N in (typeof CONTENT_NAMES)[number]]: unknown }): Content {
	const content: Content = {};
	let maxBytes = 0;
	if (input.role !== undefined) content.role = checkTag(`${prefix}role`, input.role);
	if (input.type !== undefined) content.type = checkTag(`${prefix}type`, input.type);
	if (input.payload !== undefined) {
		const payload = capturePayload(`${prefix}payload`, input.payload);
		content.payload = payload.value;
		maxBytes += payload.maxBytes;
	}
	if (input.metadata !== undefined) {
		const metadata = captureMetadata(`${prefix}metadata`, input.metadata);
		content.metadata = metadata.value;
		maxBytes += metadata.maxBytes;
	}
	if (maxBytes > LIMITS.messageBytes) {
		const bytes = jsonBytes(content.payload ?? null) + jsonBytes(content.metadata ?? {});
		if (bytes > LIMITS.messageBytes) throw payloadTooLarge(`${prefix}payload and metadata`, LIMITS.messageBytes);
	}
	return content;
}

/** Captures a message to be appended; its id is fixed here, before the first attempt (rule ERR-4). */
export function captureMessage(
	prefix: string,
	input: { [N in "messageId" | (typeof CONTENT_NAMES)[number]]: unknown },
): MessageInput & { messageId: string } {
	const messageId = checkIdOrNew(`${prefix}messageId`, input.messageId);
	if (input.payload === undefined) throw badRequest(`${prefix}payload`, "is required; null is a value (VAL-3)");
	return { messageId, ...captureContent(prefix, input) };
}

/** Captures the messages of a batch (rule MSG-4). */
export function captureMessages(value: unknown): MessageInput[] {
	if (!Array.isArray(value) || value.length < 1 || value.length > LIMITS.batchMessages) {
		throw badRequest("messages", `must be an array of 1 to ${LIMITS.batchMessages} messages (MSG-4)`);
	}
	const seen = new Set<string>();
	return Array.from({ length: value.length }, (_, index) => {
		const field = `messages[${index}]`;
		const message = captureMessage(`${field}.`, readArguments(field, value[index], ["messageId", ...CONTENT_NAMES]));
		if (seen.has(message.messageId)) {
			throw badRequest(`${field}.messageId`, "must not occur twice in one batch (MSG-4)");
		}
		seen.add(message.messageId);
		return message;
	});
}

/** The refusal of something over a size limit (rule VAL-7); with the gateway's status, whoever finds it first. */
export function payloadTooLarge(what: string, limit: number): StoreError {
	const message = `${what}: must be at most ${limit / (1024 * 1024)} MiB (VAL-7)`;
	return new StoreError({ code: "PayloadTooLarge", status: 413, message });
}
