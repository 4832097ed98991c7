import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createStore, type Store, StoreError } from "../../client/store.ts";
import {
	broken,
	CONVERSATION,
	data,
	MESSAGE,
	page,
	refusal,
	refused,
	refusedAtFirst,
	type Step,
	scriptedFetch,
	silence,
} from "./scripted-fetch.ts";
import { answer, graphql, refusedUrl, startScriptedServer } from "./scripted-server.ts";

const url = "https://gateway.example/graphql";
const emptyPage = { nodes: [], pageInfo: { hasNextPage: false, endCursor: null } };

/** Each operation with the answer that makes it succeed. */
const ALWAYS: [string, (store: Store) => Promise<unknown>, object][] = [
	["getConversation", (store) => store.getConversation({ conversationId: "c" }), { conversation: CONVERSATION }],
	["listConversations", (store) => store.listConversations(), { conversations: emptyPage }],
	["getMessage", (store) => store.getMessage({ messageId: "m" }), { message: MESSAGE }],
	["listMessages", (store) => store.listMessages({ conversationId: "c" }), { messages: emptyPage }],
	[
		"appendMessage",
		(store) => store.appendMessage({ conversationId: "c", payload: 1 }),
		{ appendMessage: { message: MESSAGE } },
	],
	[
		"appendMessages",
		(store) => store.appendMessages({ conversationId: "c", messages: [{ payload: 1 }, { payload: 2 }] }),
		{ appendMessages: { messages: [MESSAGE, MESSAGE] } },
	],
	["deleteMessage", (store) => store.deleteMessage({ messageId: "m" }), { deleteMessage: { messageId: "m" } }],
	[
		"createConversation with an id of the SDK",
		(store) => store.createConversation(),
		{ createConversation: { conversation: CONVERSATION } },
	],
	[
		"updateConversation with {}",
		(store) => store.updateConversation({ conversationId: "c", metadata: {} }),
		{ updateConversation: { conversation: CONVERSATION } },
	],
];
const UNEXECUTED: typeof ALWAYS = [
	[
		"createConversation with an id of the caller",
		(store) => store.createConversation({ conversationId: "c" }),
		{ createConversation: { conversation: CONVERSATION } },
	],
	[
		"updateConversation",
		(store) => store.updateConversation({ conversationId: "c", metadata: { a: 1 } }),
		{ updateConversation: { conversation: CONVERSATION } },
	],
	[
		"updateMessage",
		(store) => store.updateMessage({ messageId: "m", payload: 1 }),
		{ updateMessage: { message: MESSAGE } },
	],
	[
		"deleteConversation",
		(store) => store.deleteConversation({ conversationId: "c" }),
		{ deleteConversation: { conversationId: "c" } },
	],
	[
		"clearMessages",
		(store) => store.clearMessages({ conversationId: "c" }),
		{ clearMessages: { conversationId: "c" } },
	],
];
/** After these, nobody knows whether the request was executed. */
const AMBIGUOUS: [string, Step][] = [
	["a broken connection", broken()],
	["a connection that breaks at a host's second address", refusedAtFirst("read")],
	["a proxy's 429", page(429)],
	["a proxy's 502", page(502)],
	["a proxy's 503", page(503)],
	["a proxy's 504", page(504)],
	["the gateway's 504", refusal("TimeoutError", 504)],
];
/** After these, it certainly was not. */
const UNSENT: [string, Step][] = [
	["a refused connection", refused()],
	["a connection refused at both addresses of a host", refusedAtFirst("connect")],
	["the gateway's 429", refusal("TooManyRequests", 429)],
	["the gateway's 503", refusal("ServiceUnavailable", 503)],
];

beforeEach(() => {
	vi.useFakeTimers();
});
afterEach(() => {
	expect(vi.getTimerCount()).toBe(0);
	vi.useRealTimers();
});

/** Lets a call run with all its pauses, which take no time here. */
async function settle<T>(promise: Promise<T>): Promise<T> {
	promise.catch(() => {});
	await vi.runAllTimersAsync();
	return promise;
}

describe("retries", () => {
	describe.each(ALWAYS)("%s", (_, call, success) => {
		test.each([...AMBIGUOUS, ...UNSENT])("ERR-4: is sent again after %s", async (_failure, step) => {
			const { fetch, sent } = scriptedFetch(step, step, data(success));
			await settle(call(createStore({ url, fetch })));
			expect(sent).toHaveLength(3);
			expect(sent.map(({ init }) => init.body)).toEqual(Array(3).fill(sent[0]?.init.body));
		});
	});

	describe.each(UNEXECUTED)("%s", (_, call, success) => {
		test.each(UNSENT)("ERR-4: is sent again after %s", async (_failure, step) => {
			const { fetch, sent } = scriptedFetch(step, step, data(success));
			await settle(call(createStore({ url, fetch })));
			expect(sent).toHaveLength(3);
		});

		test.each(AMBIGUOUS)("ERR-4: is not sent again after %s", async (_failure, step) => {
			const { fetch, sent } = scriptedFetch(step, data(success));
			await expect(settle(call(createStore({ url, fetch })))).rejects.toBeInstanceOf(StoreError);
			expect(sent).toHaveLength(1);
		});
	});

	test.each([
		["BadRequest", 400],
		["Unauthorized", 401],
		["Forbidden", 403],
		["NotFound", 404],
		["Conflict", 409],
		["PayloadTooLarge", 413],
		["UnknownError", 500],
	])("ERR-4: %s is final", async (code, status) => {
		const { fetch, sent } = scriptedFetch(refusal(code, status));
		await expect(settle(createStore({ url, fetch }).getMessage({ messageId: "m" }))).rejects.toMatchObject({
			code,
			status,
		});
		expect(sent).toHaveLength(1);
	});

	test("ERR-4: a write is not sent again after an unsent and then an ambiguous attempt", async () => {
		const { fetch, sent } = scriptedFetch(refused(), broken(), data({ clearMessages: { conversationId: "c" } }));
		const promise = createStore({ url, fetch }).clearMessages({ conversationId: "c" });
		await expect(settle(promise)).rejects.toMatchObject({ code: "NetworkError" });
		expect(sent).toHaveLength(2);
	});

	test("ERR-4: rejects with the last failure after two retries by default", async () => {
		const { fetch, sent } = scriptedFetch(broken(), page(502), refusal("ServiceUnavailable", 503));
		await expect(settle(createStore({ url, fetch }).getMessage({ messageId: "m" }))).rejects.toMatchObject({
			status: 503,
		});
		expect(sent).toHaveLength(3);
	});

	test("ERR-4 ERR-6: a write that may have been executed is not reported as refused, whatever came after it", async () => {
		const append = (store: Store) => store.appendMessage({ conversationId: "c", payload: 1 });
		for (const [steps, code] of [
			[[broken(), refusal("ServiceUnavailable", 503), refusal("TooManyRequests", 429)], "NetworkError"],
			[[refused(), page(502), refused()], "UnknownError"],
			[[refused(), refused(), refusal("ServiceUnavailable", 503)], "ServiceUnavailable"],
			[[broken(), refusal("BadRequest", 400)], "BadRequest"],
		] as [[Step, ...Step[]], string][]) {
			const { fetch } = scriptedFetch(...steps);
			await expect(settle(append(createStore({ url, fetch })))).rejects.toMatchObject({ code });
		}
	});

	test.each([0, 5])("ERR-4: retries as often as the option says: %i", async (retries) => {
		const { fetch, sent } = scriptedFetch(broken());
		const promise = createStore({ url, fetch, retries }).getMessage({ messageId: "m" });
		await expect(settle(promise)).rejects.toMatchObject({ code: "NetworkError" });
		expect(sent).toHaveLength(retries + 1);
	});

	test("ERR-4: pauses grow and vary", async () => {
		const random = vi.spyOn(Math, "random");
		const pauses = [];
		for (const value of [0, 0.999]) {
			random.mockReturnValue(value);
			const times: number[] = [];
			const { fetch } = scriptedFetch((sent) => {
				times.push(Date.now());
				return broken()(sent);
			});
			await settle(createStore({ url, fetch, retries: 3 }).getMessage({ messageId: "m" })).catch(() => {});
			pauses.push(times.slice(1).map((time, index) => time - (times[index] ?? 0)));
		}
		random.mockRestore();
		expect(pauses).toEqual([[50, 100, 200], [99, 199, 399].map((ms) => expect.closeTo(ms, -1))]);
	});

	test.each(["3", "date"])("ERR-4: waits as long as Retry-After says: %s", async (form) => {
		const start = Date.now();
		const retryAfter = form === "date" ? new Date(Math.ceil(start / 1_000) * 1_000 + 3_000).toUTCString() : form;
		const times: number[] = [];
		const { fetch } = scriptedFetch(page(429, { "retry-after": retryAfter }), () => {
			times.push(Date.now() - start);
			return data({ message: null })({} as never);
		});
		await settle(createStore({ url, fetch }).getMessage({ messageId: "m" }));
		expect(times[0]).toBeGreaterThanOrEqual(3_000);
		expect(times[0]).toBeLessThan(4_200);
	});

	test("ERR-4: fails at once when Retry-After goes beyond the time left", async () => {
		const { fetch, sent } = scriptedFetch(refusal("TooManyRequests", 429, { headers: { "retry-after": "30" } }));
		const start = Date.now();
		await expect(createStore({ url, fetch }).getMessage({ messageId: "m" })).rejects.toMatchObject({ status: 429 });
		expect(Date.now()).toBe(start);
		expect(sent).toHaveLength(1);
	});

	test("ERR-4: ignores a Retry-After that says nothing", async () => {
		const { fetch } = scriptedFetch(page(503, { "retry-after": "soon" }), data({ message: null }));
		await expect(settle(createStore({ url, fetch }).getMessage({ messageId: "m" }))).resolves.toBeNull();
	});
});

describe("ids that the SDK makes", () => {
	test("ERR-4: a batch keeps its messageIds over its attempts, and has others at the next call", async () => {
		const { fetch, sent } = scriptedFetch(broken(), data({ appendMessages: { messages: [MESSAGE, MESSAGE] } }));
		const store = createStore({ url, fetch });
		const input = { conversationId: "c", messages: [{ payload: 1 }, { payload: 2 }] };
		await settle(store.appendMessages(input));
		await settle(store.appendMessages(input));
		const ids = sent.map(({ variables }) =>
			(variables.input["messages"] as { messageId: string }[]).map((m) => m.messageId),
		);
		expect(ids[1]).toEqual(ids[0]);
		expect(new Set(ids.flat()).size).toBe(4);
	});

	test("ERR-4: a Conflict after an ambiguous attempt reads and returns the own conversation", async () => {
		const { fetch, sent } = scriptedFetch(broken(), refusal("Conflict", 409), ({ variables }) => {
			const conversation = { ...CONVERSATION, conversationId: variables["conversationId"] };
			return data({ conversation })({} as never) as Response;
		});
		const conversation = await settle(createStore({ url, fetch }).createConversation({ metadata: { a: 1 } }));
		expect(conversation.conversationId).toBe(sent[0]?.variables.input["conversationId"]);
		expect(sent).toHaveLength(3);
	});

	test("CONV-1: a Conflict stays one without an ambiguous attempt, with the caller's id, or when the row has gone", async () => {
		const conflict = refusal("Conflict", 409);
		const row = data({ conversation: CONVERSATION });
		for (const [steps, input] of [
			[[conflict, row], {}],
			[[refused(), conflict, row], {}],
			[[refused(), conflict, row], { conversationId: "c" }],
			[[broken(), conflict, data({ conversation: null })], {}],
		] as [[Step, ...Step[]], object][]) {
			const { fetch } = scriptedFetch(...steps);
			const promise = createStore({ url, fetch }).createConversation(input);
			await expect(settle(promise)).rejects.toMatchObject({ code: "Conflict", status: 409 });
		}
	});

	test("ERR-3: reading the own row belongs to the time of the call", async () => {
		const { fetch } = scriptedFetch(broken(), refusal("Conflict", 409), silence());
		await expect(settle(createStore({ url, fetch }).createConversation())).rejects.toMatchObject({
			code: "TimeoutError",
		});
	});
});

describe("over a real socket", () => {
	beforeEach(() => {
		vi.useRealTimers();
	});
	afterEach(() => {
		vi.useFakeTimers();
	});

	test("ERR-4: an append survives a connection that is reset and a proxy's 503", async () => {
		await using server = await startScriptedServer(
			(_, request) => request.socket.resetAndDestroy(),
			answer(503, { "content-type": "text/html" }, "<html>"),
			graphql({ data: { appendMessage: { message: MESSAGE } } }),
		);
		const store = createStore({ url: server.url });
		await expect(store.appendMessage({ conversationId: "c", payload: 1 })).resolves.toEqual(MESSAGE);
		expect(new Set(server.received.map(({ variables }) => JSON.stringify(variables))).size).toBe(1);
	});

	test("ERR-4: an update is not repeated when the connection is reset", async () => {
		await using server = await startScriptedServer((_, request) => request.socket.resetAndDestroy());
		const promise = createStore({ url: server.url }).updateMessage({ messageId: "m", payload: 1 });
		await expect(promise).rejects.toMatchObject({ code: "NetworkError" });
		expect(server.received).toHaveLength(1);
	});

	test("ERR-4: an update is repeated when the connection is refused", async () => {
		const { port } = new URL(await refusedUrl());
		let attempts = 0;
		const fetch = (_: string, init: RequestInit) => {
			attempts++;
			return globalThis.fetch(`http://localhost:${port}/graphql`, init);
		};
		const promise = createStore({ url, fetch }).updateMessage({ messageId: "m", payload: 1 });
		await expect(promise).rejects.toMatchObject({ code: "NetworkError" });
		expect(attempts).toBe(3);
	});

	test("ERR-4: an update is repeated when the host has no address", async () => {
		let attempts = 0;
		const fetch = (_: string, init: RequestInit) => {
			attempts++;
			return globalThis.fetch("http://gateway.invalid/graphql", init);
		};
		const promise = createStore({ url, fetch }).updateMessage({ messageId: "m", payload: 1 });
		await expect(promise).rejects.toMatchObject({ code: "NetworkError" });
		expect(attempts).toBe(3);
	});
});
