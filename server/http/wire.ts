import { checkConfig, checkThinking } from "../domain/configs.ts";
import { badRequest, Fault } from "../domain/faults.ts";
import type { JsonObject, JsonValue } from "../domain/json.ts";
import type { Message } from "../domain/messages.ts";
import type { Thread } from "../domain/runs.ts";

/** A message as HTTP shows it: an entry of a thread. */
export function entryOf(message: Message): JsonObject {
	return {
		entry_id: message.messageId,
		seq: message.seq,
		branch: message.branch,
		kind: message.kind,
		role: message.role,
		type: message.type,
		payload: message.payload,
		metadata: message.metadata,
		label: message.label,
		source_entry_id: message.sourceMessageId,
		created_at: message.createdAt,
		updated_at: message.updatedAt,
	};
}

/** A conversation as HTTP shows it. */
export function threadOf(thread: Thread): JsonObject {
	const { config, status, error, interrupt } = thread;
	return {
		...threadInfoOf(thread),
		status,
		error,
		interrupt: interrupt && { reason: interrupt.reason, data: interrupt.data },
		config: config && toSnake(config),
	};
}

/** A conversation in a list. */
export function threadInfoOf(
	thread: Pick<
		Thread,
		"conversationId" | "metadata" | "parentConversationId" | "parentMessageId" | "createdAt" | "updatedAt"
	>,
): JsonObject {
	return {
		thread_id: thread.conversationId,
		metadata: thread.metadata,
		parent_thread_id: thread.parentConversationId,
		parent_entry_id: thread.parentMessageId,
		created_at: thread.createdAt,
		updated_at: thread.updatedAt,
	};
}

/** The fields of a config that have other names in HTTP, with what is inside them and has such, too. */
const RENAMED: Readonly<Record<string, string>> = {
	responseFormat: "response_format",
	jsonSchema: "json_schema",
	includeThoughts: "include_thoughts",
};
const ORIGINAL = Object.fromEntries(Object.entries(RENAMED).map(([original, renamed]) => [renamed, original]));

/** A config, or a part of one, as HTTP shows it. */
export function toSnake(config: JsonObject): JsonObject {
	return rename(config, RENAMED);
}

/** Reads a config; a field that is wrong is named as it was sent. */
export function readConfig(field: string, value: JsonValue): JsonObject {
	return inSnake(() => checkConfig(field, fromSnake(value)));
}

/** Reads the thinking part of a config. */
export function readThinking(field: string, value: JsonValue): JsonObject {
	return inSnake(() => checkThinking(field, fromSnake(value)));
}

function fromSnake(value: JsonValue): JsonValue {
	return isObject(value) ? rename(value, ORIGINAL) : value;
}

/** A JSON schema has names of its own, so renaming stops at it. */
function rename(config: JsonObject, names: Readonly<Record<string, string>>): JsonObject {
	return Object.fromEntries(
		Object.entries(config).map(([name, value]) => {
			const isSchema = name === "schema";
			return [
				Object.hasOwn(names, name) ? names[name]! : name,
				isObject(value) && !isSchema ? rename(value, names) : value,
			];
		}),
	);
}

function inSnake<T>(read: () => T): T {
	try {
		return read();
	} catch (error) {
		if (!(error instanceof Fault) || error.code !== "BadRequest") throw error;
		const message = Object.entries(RENAMED).reduce(
			(text, [name, renamed]) => text.replaceAll(name, renamed),
			error.message,
		);
		throw new Fault("BadRequest", message);
	}
}

function isObject(value: JsonValue): value is JsonObject {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A field of the body that may be missing or null, and is a string otherwise. */
export function readText(body: JsonObject, field: string): string | null {
	const value = body[field] ?? null;
	if (value !== null && typeof value !== "string") throw badRequest(field, "must be a string");
	return value;
}

/** A number of the query; the store checks its range. */
export function readNumber(query: Readonly<Record<string, string>>, name: string): number | null {
	const text = query[name];
	if (text === undefined) return null;
	if (!/^\d{1,9}$/.test(text)) throw badRequest(name, "must be a whole number");
	return Number(text);
}
