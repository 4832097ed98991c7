import type { Access } from "../domain/access.ts";
import { unknownConversation } from "../domain/conversations.ts";
import { badRequest } from "../domain/faults.ts";
import { newId } from "../domain/ids.ts";
import type { JsonObject } from "../domain/json.ts";
import { setConfig, setThinking } from "../store/configs.ts";
import { listContext } from "../store/contexts.ts";
import { createConversation, deleteConversation, listConversations } from "../store/conversations.ts";
import { fork } from "../store/forks.ts";
import { getThread } from "../store/runs.ts";
import { checkKey } from "./api.ts";
import type { Call, Route } from "./router.ts";
import { CONFIG, CURSOR, ENTRY, KEY, LIMIT, METADATA, page, TEXT, THINKING, THREAD, THREAD_INFO } from "./schemas.ts";
import { entryOf, readConfig, readNumber, readText, readThinking, threadInfoOf, threadOf, toSnake } from "./wire.ts";

const READ: Access = { role: "read", limited: "named" };
const WRITE: Access = { role: "write", limited: "named" };

/** The `thread_id` of a body. */
export function bodyThread({ body, limits }: Call): string | null {
	return body["thread_id"] == null ? null : checkKey("thread_id", body["thread_id"], limits);
}

export const threadRoutes: readonly Route[] = [
	{
		method: "POST",
		path: "/api/threads",
		name: "createThread",
		summary: "Creates a thread, which is a conversation. An id that exists is a Conflict.",
		access: WRITE,
		conversationOf: bodyThread,
		body: { thread_id: { ...KEY, description: "Made by the gateway when omitted." }, metadata: METADATA },
		success: { status: 201, description: "The new thread.", schema: THREAD },
		errors: [409],
		answer: async (call) => {
			const metadata = call.body["metadata"] as JsonObject | undefined;
			const conversation = await createConversation(call, { conversationId: bodyThread(call) ?? newId(), metadata });
			return threadOf({ ...conversation, config: null, status: "idle", error: null, interrupt: null });
		},
	},
	{
		method: "GET",
		path: "/api/threads",
		name: "listThreads",
		summary: "A page of the threads, the latest updated first.",
		access: { role: "read", limited: "kept" },
		query: { limit: LIMIT, cursor: CURSOR },
		success: { status: 200, description: "A page.", schema: page("threads", THREAD_INFO) },
		answer: async (call) => {
			const first = readNumber(call.query, "limit");
			const { items, hasNext, cursorOf } = await listConversations(call, { first, after: call.query["cursor"] });
			return { threads: items.map(threadInfoOf), next_cursor: hasNext ? cursorOf(items.at(-1)!) : null };
		},
	},
	{
		method: "GET",
		path: "/api/threads/{key}",
		name: "getThread",
		summary:
			"A thread with what a model should see of its active branch: the latest compaction, then what it keeps, in order.",
		access: READ,
		query: { cursor: CURSOR },
		success: {
			status: 200,
			description: "The thread; with a cursor, the next page of its messages.",
			schema: {
				...THREAD,
				properties: { ...(THREAD["properties"] as object), ...(page("messages", ENTRY)["properties"] as object) },
			},
		},
		errors: [404],
		answer: async (call) => {
			const thread = await existing(call);
			const after = call.query["cursor"];
			const { messages, nextCursor } = await listContext(call, { conversationId: call.key, after });
			return { ...threadOf(thread), messages: messages.map(entryOf), next_cursor: nextCursor };
		},
	},
	{
		method: "DELETE",
		path: "/api/threads/{key}",
		name: "deleteThread",
		summary: "Deletes a thread with everything in it. An unknown one is a success.",
		access: WRITE,
		success: { status: 204, description: "It is gone." },
		answer: async (call) => {
			await deleteConversation(call, { conversationId: call.key });
			return undefined;
		},
	},
	{
		method: "POST",
		path: "/api/threads/{key}/branch",
		name: "branchThread",
		summary:
			"Copies the path to an entry, or to the active leaf, into a new thread; this one stays as it is. (The SDK's `branch` moves the leaf inside one conversation; this is its `fork`.)",
		access: { role: "write", limited: "closed" },
		body: {
			entry_id: { ...TEXT, description: "The last entry that the new thread has; the active leaf when omitted." },
			thread_id: {
				...KEY,
				description: "The new thread's id, which makes a retry safe; made by the gateway when omitted.",
			},
		},
		success: { status: 201, description: "The new thread.", schema: THREAD },
		errors: [404, 409],
		answer: async (call) => {
			const forked = await fork(call, {
				conversationId: call.key,
				messageId: readText(call.body, "entry_id"),
				newConversationId: bodyThread(call) ?? newId(),
			});
			return threadOf(await existing({ ...call, key: forked.conversationId }));
		},
	},
	{
		method: "GET",
		path: "/api/threads/{key}/config",
		name: "getThreadConfig",
		summary: "How calls for a thread are made, where a call does not say otherwise.",
		access: READ,
		success: { status: 200, description: "Null where none is set.", schema: configSchema("config", CONFIG) },
		errors: [404],
		answer: async (call) => configOf(call, (await existing(call)).config),
	},
	{
		method: "PUT",
		path: "/api/threads/{key}/config",
		name: "setThreadConfig",
		summary: "Replaces the config of a thread whole; null takes it out.",
		access: WRITE,
		body: { config: CONFIG },
		required: ["config"],
		success: { status: 200, description: "The config afterwards.", schema: configSchema("config", CONFIG) },
		errors: [404],
		answer: async (call) => {
			const config = readRequired(call, "config", readConfig);
			return configOf(call, await setConfig(call, { conversationId: call.key, config }));
		},
	},
	{
		method: "GET",
		path: "/api/threads/{key}/thinking",
		name: "getThreadThinking",
		summary: "The thinking part of the config of a thread.",
		access: READ,
		success: { status: 200, description: "Null where none is set.", schema: configSchema("thinking", THINKING) },
		errors: [404],
		answer: async (call) => thinkingOf(call, (await existing(call)).config),
	},
	{
		method: "PUT",
		path: "/api/threads/{key}/thinking",
		name: "setThreadThinking",
		summary: "Replaces the thinking part of the config of a thread; the other parts stay. Null takes it out.",
		access: WRITE,
		body: { thinking: THINKING },
		required: ["thinking"],
		success: { status: 200, description: "The part afterwards.", schema: configSchema("thinking", THINKING) },
		errors: [404],
		answer: async (call) => {
			const thinking = readRequired(call, "thinking", readThinking);
			return thinkingOf(call, await setThinking(call, { conversationId: call.key, thinking }));
		},
	},
];

async function existing(call: Call) {
	const thread = await getThread(call, call.key);
	if (thread === null) throw unknownConversation(call.key);
	return thread;
}

/** A field that must be there, since leaving it out by mistake would take out what is set. */
function readRequired(
	{ body }: Call,
	field: string,
	read: (field: string, value: JsonObject[string]) => JsonObject,
): JsonObject | null {
	const value = body[field];
	if (value === undefined) throw badRequest(field, "must be given; null takes it out");
	return value === null ? null : read(field, value);
}

function configOf(call: Call, config: JsonObject | null): object {
	return { thread_id: call.key, config: config && toSnake(config) };
}

function thinkingOf(call: Call, config: JsonObject | null): object {
	const thinking = (config?.["thinking"] ?? null) as JsonObject | null;
	return { thread_id: call.key, thinking: thinking && toSnake(thinking) };
}

function configSchema(field: string, schema: object) {
	return { type: "object", required: ["thread_id", field], properties: { thread_id: TEXT, [field]: schema } };
}
