import type { CallOptions, JsonObject, JsonValue, Store } from "@iga-pages/agent/store";
import { createStore } from "@iga-pages/agent/store";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { failure } from "../support/errors.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { sendRaw } from "../support/raw.ts";
import { rowVersions } from "../support/sql.ts";

let gateway: TestGateway;

beforeAll(async () => {
	gateway = await startGateway();
});

afterAll(() => gateway.close());

/** Every method that takes JSON, with the value inside a payload or metadata, and the path that an error names. */
function writesOf(store: Store, value: JsonValue): [path: string, call: () => Promise<unknown>][] {
	const nested = { list: [1, { value }] };
	const input = { conversationId: "json", payload: 1 };
	return [
		["payload.list[1].value", () => store.appendMessage({ ...input, payload: nested })],
		["metadata.list[1].value", () => store.appendMessage({ ...input, metadata: nested })],
		["payload", () => store.appendMessage({ ...input, payload: value })],
		[
			"messages[1].payload.list[1].value",
			() => store.appendMessages({ conversationId: "json", messages: [{ payload: 1 }, { payload: nested }] }),
		],
		["payload.list[1].value", () => store.updateMessage({ messageId: "m", payload: nested })],
		["metadata.list[1].value", () => store.createConversation({ metadata: nested })],
		["metadata.list[1].value", () => store.updateConversation({ conversationId: "json", metadata: nested })],
	];
}

const loop: JsonObject = {};
loop["loop"] = [loop];

class Point {
	x = 1;
}

describe("what counts as JSON", () => {
	it.each<[string, unknown]>([
		["NaN", Number.NaN],
		["an infinity", Number.POSITIVE_INFINITY],
		["a bigint", 1n],
		["a function", () => 1],
		["a symbol", Symbol("s")],
		["a Map", new Map([[1, 2]])],
		["a Set", new Set([1])],
		["a typed array", new Uint8Array(2)],
		["an ArrayBuffer", new ArrayBuffer(2)],
		["a RegExp", /x/],
		["an Error", new Error("x")],
		["an instance of a class", new Point()],
		["a promise", Promise.resolve(1)],
		["an invalid Date", new Date(Number.NaN)],
		["a hole", new Array(2)],
		["undefined in an array", [undefined]],
		["a cycle", loop],
		["a throwing getter", Object.defineProperty({}, "x", { enumerable: true, get: () => expect.unreachable() })],
	])("VAL-5: refuses %s in every method, naming the path, and writes nothing", async (_, value) => {
		const before = await rowVersions(gateway);
		for (const [path, call] of writesOf(gateway.store, value as JsonValue)) {
			const error = await failure(call());
			expect([error.code, error.status]).toEqual(["BadRequest", undefined]);
			expect(error.message).toMatch(/VAL-5/);
			expect(error.message.startsWith(path)).toBe(true);
		}
		expect(await rowVersions(gateway)).toEqual(before);
	});

	it("VAL-5: takes what JSON takes: toJSON, no prototype, undefined properties", async () => {
		const { store } = gateway;
		const shared = { a: 1 };
		const value = Object.assign(Object.create(null) as object, {
			when: new Date(0),
			gone: undefined,
			url: new URL("https://example.org/a"),
			bare: Object.assign(Object.create(null) as object, { a: 1 }),
			own: { toJSON: (key: string) => [key, null] },
			shared: [shared, shared],
		});
		const message = await store.appendMessage({ conversationId: "taken", payload: value as unknown as JsonValue });
		const expected = JSON.stringify(value);
		expect(JSON.stringify(message.payload)).toBe(expected);
		expect(JSON.stringify((await store.getMessage({ messageId: message.messageId }))?.payload)).toBe(expected);
	});

	it("VAL-5: keeps what a getter or toJSON threw as the cause", async () => {
		const cause = new Error("no");
		const throwing = {
			toJSON: () => {
				throw cause;
			},
		};
		const payload = { a: throwing } as unknown as JsonValue;
		const error = await failure(gateway.store.appendMessage({ conversationId: "c", payload }));
		expect(error).toMatchObject({ code: "BadRequest", cause, message: expect.stringMatching(/^payload\.a: .*VAL-5/) });
	});
});

describe("names of arguments", () => {
	type Method = (input: object, options?: object) => Promise<unknown>;
	const GOOD: Record<keyof Store, object> = {
		createConversation: {},
		getConversation: { conversationId: "c" },
		listConversations: {},
		updateConversation: { conversationId: "c", metadata: { a: 1 } },
		deleteConversation: { conversationId: "c" },
		appendMessage: { conversationId: "c", payload: 1 },
		appendMessages: { conversationId: "c", messages: [{ payload: 1 }] },
		getMessage: { messageId: "m" },
		listMessages: { conversationId: "c" },
		updateMessage: { messageId: "m", role: "x" },
		deleteMessage: { messageId: "m" },
		clearMessages: { conversationId: "c" },
	};

	it.each(Object.entries(GOOD))("VAL-8: %s refuses unknown arguments and names them", async (method, input) => {
		const before = await rowVersions(gateway);
		const call = gateway.store[method as keyof Store] as Method;
		for (const unknown of [{ conversationID: "c" }, { userId: 1, limits: 2 }, { toString: 1 }]) {
			const error = await failure(call({ ...input, ...unknown }));
			expect(error).toMatchObject({ code: "BadRequest", message: expect.stringMatching(/VAL-8/) });
			for (const name of Object.keys(unknown)) expect(error.message).toContain(name);
		}
		for (const noObject of [[], "c", 1, () => input]) {
			expect((await failure(call(noObject as object))).code).toBe("BadRequest");
		}
		expect(await rowVersions(gateway)).toEqual(before);
	});

	it.each(Object.entries(GOOD))("VAL-8: %s refuses unknown and invalid options", async (method, input) => {
		const call = gateway.store[method as keyof Store] as Method;
		const refused = [{ timeout: 1 }, { timeoutMs: -1 }, { timeoutMs: "1" }, { timeoutMs: Number.NaN }, { signal: {} }];
		for (const options of refused) {
			const error = await failure(call(input, options as CallOptions));
			expect(error.code).toBe("BadRequest");
			expect(error.message).toMatch(/timeout|signal/);
		}
	});

	it("VAL-8: names the unknown argument of a message in a batch", async () => {
		const messages = [{ payload: 1 }, { payload: 1, payloads: 2 }];
		const error = await failure(gateway.store.appendMessages({ conversationId: "c", messages } as never));
		expect(error.message).toMatch(/^messages\[1\]: .*payloads.*VAL-8/);
	});

	it("VAL-8: createStore refuses unknown and invalid options", () => {
		for (const options of [{ uri: "http://x" }, { retries: -1 }, { timeoutMs: 0 }, { url: "no url" }, { headers: 1 }]) {
			expect(() => createStore(options as never)).toThrow(expect.objectContaining({ code: "BadRequest" }) as Error);
		}
	});

	it.each([
		["an argument", 'query { messages(conversationId: "c", limit: 1) { nodes { seq } } }', {}, "limit"],
		[
			"a field of an input",
			"mutation ($input: AppendMessageInput!) { appendMessage(input: $input) { message { seq } } }",
			{ input: { conversationId: "c", payload: 1, userId: "u" } },
			"userId",
		],
		[
			"a field of a message in a batch",
			"mutation ($input: AppendMessagesInput!) { appendMessages(input: $input) { messages { seq } } }",
			{ input: { conversationId: "c", messages: [{ payload: 1, seq: "1" }] } },
			"seq",
		],
	])("VAL-8: the gateway refuses %s that it does not know, and names it", async (_, query, variables, name) => {
		const before = await rowVersions(gateway);
		const { status, errors } = await sendRaw(gateway, { query, variables });
		expect([status, errors[0]?.extensions.code]).toEqual([400, "BadRequest"]);
		expect(errors[0]?.message).toContain(`"${name}"`);
		expect(await rowVersions(gateway)).toEqual(before);
	});
});

describe("the moment of capture", () => {
	it("VAL-9: changes of the input after the call change nothing", async () => {
		const { store } = gateway;
		const payload = { text: "before", list: [1, { deep: true }] };
		const metadata: JsonObject = { at: "before" };
		const input = { conversationId: "captured", messageId: "captured-1", role: "user", payload, metadata };
		const messages = [{ messageId: "captured-2", payload, metadata }];
		const batch = { conversationId: "captured", messages };
		const calls = [
			store.appendMessage(input),
			store.appendMessages(batch),
			store.createConversation({ conversationId: "captured-conversation", metadata }),
		] as const;
		payload.text = "after";
		payload.list.push(2);
		(payload.list[1] as { deep: boolean }).deep = false;
		metadata["at"] = "after";
		input.conversationId = "elsewhere";
		input.role = "other";
		messages.push({ messageId: "captured-3", payload, metadata });
		batch.conversationId = "elsewhere";
		const expected = { payload: { text: "before", list: [1, { deep: true }] }, metadata: { at: "before" } };
		const [appended, [second, ...more], created] = await Promise.all(calls);
		expect(appended).toMatchObject({ conversationId: "captured", role: "user", ...expected });
		expect(second).toMatchObject({ conversationId: "captured", ...expected });
		expect(more).toEqual([]);
		expect(created.metadata).toEqual({ at: "before" });
		expect(await store.getConversation({ conversationId: "elsewhere" })).toBeNull();
	});

	it("VAL-9: a retry sends what the call was given", async () => {
		const bodies: string[] = [];
		const payload = { text: "before" };
		const store = createStore({
			url: gateway.url,
			token: gateway.token,
			fetch: (url, init) => {
				bodies.push(String(init.body));
				payload.text = "after";
				if (bodies.length === 1) return Promise.resolve(new Response("busy", { status: 503 }));
				return fetch(url, init);
			},
		});
		expect(await store.appendMessage({ conversationId: "retried", payload })).toMatchObject({
			payload: { text: "before" },
		});
		expect(bodies).toEqual([bodies[0], bodies[0]]);
	});
});

describe("optional arguments", () => {
	it("VAL-8: takes null for an optional argument as if it were left out", async () => {
		const { store } = gateway;
		const created = await store.createConversation({ conversationId: null });
		expect(created.conversationId).toMatch(/^[0-9a-f-]{36}$/);
		const message = await store.appendMessage({
			conversationId: created.conversationId,
			messageId: null,
			role: null,
			type: null,
			payload: null,
		});
		expect(message).toMatchObject({ messageId: expect.stringMatching(/^[0-9a-f-]{36}$/), role: null, payload: null });
		const { conversationId } = created;
		const page = await store.listMessages({ conversationId, limit: null, cursor: null, order: null }, null);
		expect(page).toEqual({ items: [message], nextCursor: null });
		const list = await store.listConversations({ limit: null, cursor: null }, { signal: null, timeoutMs: null });
		expect(list.items[0]).toMatchObject({ conversationId });
		expect((await store.listConversations(null)).items).toEqual(list.items);
	});
});
