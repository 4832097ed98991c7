import { readFileSync } from "node:fs";
import { type DocumentNode, Kind, parse } from "graphql";
import { describe, expect, test, vi } from "vitest";
import { transportOf } from "../../client/connections.ts";
import { newId } from "../../client/ids.ts";
import { createStore, store as defaultStore } from "../../client/store.ts";
import { VERSION } from "../../client/version.ts";
import { CONVERSATION, data, MESSAGE, type Sent, scriptedFetch } from "./scripted-fetch.ts";
import { graphql, startScriptedServer } from "./scripted-server.ts";

const url = "https://gateway.example/graphql";

function rootFields(query: string): string[] {
	const document: DocumentNode = parse(query);
	return document.definitions.flatMap((definition) =>
		definition.kind === Kind.OPERATION_DEFINITION
			? definition.selectionSet.selections.map((selection) =>
					selection.kind === Kind.FIELD ? selection.name.value : "?",
				)
			: [],
	);
}

/** Answers every method. */
function gateway() {
	const connection = (node: object) => ({ nodes: [node], pageInfo: { hasNextPage: true, endCursor: "next" } });
	return scriptedFetch(
		data({
			conversation: CONVERSATION,
			conversations: connection(CONVERSATION),
			message: MESSAGE,
			messages: connection(MESSAGE),
			createConversation: { conversation: CONVERSATION },
			updateConversation: { conversation: CONVERSATION },
			deleteConversation: { conversationId: "c" },
			appendMessage: { message: MESSAGE },
			appendMessages: { messages: [MESSAGE] },
			updateMessage: { message: MESSAGE },
			deleteMessage: { messageId: "m" },
			clearMessages: { conversationId: "c" },
		}),
	);
}

describe("methods", () => {
	const { fetch, sent } = gateway();
	const store = createStore({ url, fetch });
	const content = { role: "user", type: "text", payload: { text: "hi" }, metadata: { a: 1 } };
	const ids = { conversationId: "c", messageId: "m" };

	test.each([
		["createConversation", { conversationId: "c", metadata: { a: 1 } }, CONVERSATION, "createConversation", undefined],
		["getConversation", { conversationId: "c" }, CONVERSATION, "conversation", { conversationId: "c" }],
		["listConversations", { limit: 5, cursor: "x" }, [CONVERSATION], "conversations", { first: 5, after: "x" }],
		[
			"updateConversation",
			{ conversationId: "c", metadata: { a: null } },
			CONVERSATION,
			"updateConversation",
			undefined,
		],
		["deleteConversation", { conversationId: "c" }, undefined, "deleteConversation", undefined],
		["appendMessage", { ...ids, ...content }, MESSAGE, "appendMessage", undefined],
		[
			"appendMessages",
			{ conversationId: "c", messages: [{ messageId: "m", ...content }] },
			[[MESSAGE]],
			"appendMessages",
			undefined,
		],
		["getMessage", { messageId: "m" }, MESSAGE, "message", { messageId: "m" }],
		[
			"listMessages",
			{ conversationId: "c", limit: 200, cursor: "x", order: "desc" },
			[MESSAGE],
			"messages",
			{ conversationId: "c", first: 200, after: "x", order: "DESC" },
		],
		["updateMessage", { messageId: "m", ...content }, MESSAGE, "updateMessage", undefined],
		["deleteMessage", { messageId: "m" }, undefined, "deleteMessage", undefined],
		["clearMessages", { conversationId: "c" }, undefined, "clearMessages", undefined],
	] as const)(
		"ERR-7: %s sends one root field and returns the documented shape",
		async (method, input, result, field, variables) => {
			sent.length = 0;
			const call = store[method] as (argument: unknown) => Promise<unknown>;
			const isPage = method.startsWith("list");
			const expected = isPage
				? { items: result, nextCursor: "next" }
				: method === "appendMessages"
					? [MESSAGE]
					: result;
			await expect(call(input)).resolves.toStrictEqual(expected);
			expect(sent).toHaveLength(1);
			expect(rootFields((sent[0] as Sent).query)).toEqual([field]);
			expect(sent[0]?.variables).toEqual(variables ?? { input });
		},
	);

	test("work when they are taken off the store", async () => {
		const { getMessage } = store;
		await expect(getMessage({ messageId: "m" })).resolves.toEqual(MESSAGE);
	});

	test("CONV-2, MSG-6: an unknown id gives null", async () => {
		const nothing = createStore({ url, fetch: scriptedFetch(data({ conversation: null, message: null })).fetch });
		await expect(nothing.getConversation({ conversationId: "c" })).resolves.toBeNull();
		await expect(nothing.getMessage({ messageId: "m" })).resolves.toBeNull();
	});

	test("MSG-9: the last page has no cursor, even where the gateway shows the end", async () => {
		const last = { nodes: [MESSAGE], pageInfo: { hasNextPage: false, endCursor: "end" } };
		const { fetch } = scriptedFetch(data({ messages: last }));
		const page = await createStore({ url, fetch }).listMessages({ conversationId: "c" });
		expect(page).toStrictEqual({ items: [MESSAGE], nextCursor: null });
	});

	test("VAL-3: keeps __proto__ keys, U+0000 and lone surrogates on both ways", async () => {
		const json = String.raw`{"__proto__":{"a":1},"z":"\u0000","s":"\ud800","n":1e+21,"10":1}`;
		await using server = await startScriptedServer(
			(response, request) => {
				response.setHeader("content-type", "application/json");
				const payload = JSON.stringify(JSON.parse(json));
				response.end(`{"data":{"message":${JSON.stringify({ ...MESSAGE, payload: "?" }).replace('"?"', payload)}}}`);
				request.resume();
			},
			graphql({ data: { appendMessage: { message: MESSAGE } } }),
		);
		const store = createStore({ url: server.url });
		const message = await store.getMessage({ messageId: "m" });
		expect(JSON.stringify(message?.payload)).toBe(JSON.stringify(JSON.parse(json)));
		await store.appendMessage({ conversationId: "c", payload: message?.payload ?? null });
		const input = server.received[1]?.variables["input"] as { payload: unknown } | undefined;
		expect(JSON.stringify(input?.payload)).toBe(JSON.stringify(JSON.parse(json)));
	});
});

describe("requests", () => {
	test("carry the token, the version, the content types and the caller's headers", async () => {
		await using server = await startScriptedServer(graphql({ data: { message: null } }));
		const headers = { "X-Trace": "7", Authorization: "Basic x", Accept: "text/html" };
		await createStore({ url: `${server.url}?a=b`, token: "t", headers }).getMessage({ messageId: "m" });
		expect(server.received[0]).toMatchObject({
			method: "POST",
			path: "/graphql?a=b",
			headers: {
				authorization: "Bearer t",
				accept: "application/graphql-response+json, application/json",
				"content-type": "application/json",
				"x-agent-sdk": VERSION,
				"x-trace": "7",
			},
		});
	});

	test("VERSION is that of the package", () => {
		const manifest = new URL("../../client/package.json", import.meta.url);
		expect(JSON.parse(readFileSync(manifest, "utf8"))).toMatchObject({ version: VERSION });
	});

	test("go through the global fetch as it is at the call", async () => {
		const { fetch, sent } = scriptedFetch(data({ message: null }));
		const store = createStore({ url });
		vi.stubGlobal("fetch", fetch);
		await store.getMessage({ messageId: "m" });
		vi.unstubAllGlobals();
		expect(sent).toHaveLength(1);
	});

	test("call a fetch without a receiver, as browsers demand of theirs", async () => {
		const receivers: unknown[] = [];
		const { fetch } = scriptedFetch(data({ message: null }));
		const strict = function (this: unknown, address: string, init: RequestInit) {
			receivers.push(this);
			return fetch(address, init);
		};
		await createStore({ url, fetch: strict }).getMessage({ messageId: "m" });
		expect(receivers).toEqual([undefined]);
	});

	test("become an UnknownError where the fetch returns no response", async () => {
		const promise = createStore({ url, fetch: (async () => undefined) as never }).getMessage({ messageId: "m" });
		await expect(promise).rejects.toMatchObject({ code: "UnknownError", cause: expect.any(TypeError) });
	});

	test("become a NetworkError where the fetch throws at once or throws no error", async () => {
		for (const thrown of [new Error("no"), "no", undefined]) {
			const fetch = () => {
				throw thrown;
			};
			const promise = createStore({ url, fetch, retries: 0 }).getMessage({ messageId: "m" });
			await expect(promise).rejects.toMatchObject({ code: "NetworkError" });
		}
	});
});

describe("seams", () => {
	test("adapters reach the transport of a store, and of nothing else", () => {
		expect(transportOf(defaultStore).request).toBeTypeOf("function");
		expect(transportOf(createStore()).call).toBeTypeOf("function");
		expect(() => transportOf({})).toThrow(/^store: must come from createStore/);
	});

	test("ids are UUIDv7 of now", () => {
		const before = Date.now();
		const id = newId();
		const time = Number.parseInt(id.replace("-", "").slice(0, 12), 16);
		expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
		expect(time).toBeGreaterThanOrEqual(before);
		expect(time).toBeLessThanOrEqual(Date.now());
		expect(new Set(Array.from({ length: 1_000 }, newId)).size).toBe(1_000);
	});
});
