import { describe, expect, test } from "vitest";
import { createStore, StoreError } from "../../client/store.ts";
import { CONVERSATION, data, MESSAGE, scriptedFetch } from "./scripted-fetch.ts";

const network = scriptedFetch(() => {
	throw new Error("a refused input must not be sent");
});
const url = "https://gateway.example/graphql";
const store = createStore({ url, fetch: network.fetch });
const MIB = 1024 * 1024;

/** Calls a method as JavaScript can, without the types. */
function call(method: keyof typeof store, ...input: unknown[]): Promise<unknown> {
	return (store[method] as (...args: unknown[]) => Promise<unknown>)(...input);
}

async function refusal(method: keyof typeof store, ...input: unknown[]): Promise<StoreError> {
	const error: unknown = await call(method, ...input).catch((reason: unknown) => reason);
	expect(error).toBeInstanceOf(StoreError);
	expect(network.sent).toEqual([]);
	return error as StoreError;
}

async function expectBadRequest(message: string | RegExp, method: keyof typeof store, ...input: unknown[]) {
	const error = await refusal(method, ...input);
	expect(error.toJSON()).toEqual({ code: "BadRequest", message: expect.stringMatching(message) });
}

describe("ids", () => {
	const methods = [
		["getConversation", "conversationId", {}],
		["createConversation", "conversationId", {}],
		["updateConversation", "conversationId", { metadata: {} }],
		["deleteConversation", "conversationId", {}],
		["appendMessage", "conversationId", { payload: 1 }],
		["appendMessage", "messageId", { conversationId: "c", payload: 1 }],
		["appendMessages", "conversationId", { messages: [{ payload: 1 }] }],
		["getMessage", "messageId", {}],
		["listMessages", "conversationId", {}],
		["updateMessage", "messageId", { payload: 1 }],
		["deleteMessage", "messageId", {}],
		["clearMessages", "conversationId", {}],
	] as const;

	test.each(methods)("VAL-1: %s refuses a bad %s", async (method, name, rest) => {
		for (const id of ["", 7, {}, "a\0b", "\ud800", "\udc00x", "汉".repeat(86), "a".repeat(257)]) {
			await expectBadRequest(new RegExp(`^${name}: .*VAL-1`), method, { ...rest, [name]: id });
		}
	});

	test.each(
		methods.filter(
			([method, name]) => method !== "createConversation" && (method !== "appendMessage" || name !== "messageId"),
		),
	)("VAL-1: %s requires its %s", async (method, name, rest) => {
		await expectBadRequest(new RegExp(`^${name}: .*VAL-1`), method, rest);
		await expectBadRequest(new RegExp(`^${name}: .*VAL-1`), method, { ...rest, [name]: null });
	});

	test("VAL-1: takes 256 bytes of anything", async () => {
		const { fetch, sent } = scriptedFetch(data({ message: null }));
		for (const id of [`${"汉".repeat(85)}a`, "😀".repeat(64), "../..%2f'\"`;--\n", "a".repeat(256)]) {
			await createStore({ url, fetch }).getMessage({ messageId: id });
			expect(sent.at(-1)?.variables).toEqual({ messageId: id });
		}
	});
});

describe("messages", () => {
	test("VAL-2: refuses a bad role or type", async () => {
		for (const name of ["role", "type"]) {
			for (const tag of [1, {}, "a\0", "\ud800", "汉".repeat(86)]) {
				const message = new RegExp(`^${name}: .*VAL-2`);
				await expectBadRequest(message, "appendMessage", { conversationId: "c", payload: 1, [name]: tag });
				await expectBadRequest(message, "updateMessage", { messageId: "m", [name]: tag });
			}
		}
	});

	test("VAL-3: requires a payload, for which undefined is not a value", async () => {
		await expectBadRequest(/^payload: is required/, "appendMessage", { conversationId: "c" });
		await expectBadRequest(/^payload: is required/, "appendMessage", { conversationId: "c", payload: undefined });
		const toJSON = () => undefined;
		await expectBadRequest(/^payload: is required/, "appendMessage", { conversationId: "c", payload: { toJSON } });
		await expectBadRequest(/^messages\[1\].payload: is/, "appendMessages", {
			conversationId: "c",
			messages: [{ payload: null }, {}],
		});
	});

	test("VAL-4: refuses metadata that is no object, null included", async () => {
		for (const metadata of [null, [], "x", 1, () => 1, { toJSON: () => [] }, new Map()]) {
			const message = /^metadata: .*(VAL-4|VAL-5)/;
			await expectBadRequest(message, "createConversation", { metadata });
			await expectBadRequest(message, "updateConversation", { conversationId: "c", metadata });
			await expectBadRequest(message, "appendMessage", { conversationId: "c", payload: 1, metadata });
			await expectBadRequest(message, "updateMessage", { messageId: "m", metadata });
		}
		await expectBadRequest(/^metadata: .*VAL-4/, "updateConversation", { conversationId: "c" });
	});

	test("VAL-5: names the place in a batch", async () => {
		await expectBadRequest(/^messages\[1\]\.payload\.a\[0\]: .*VAL-5/, "appendMessages", {
			conversationId: "c",
			messages: [{ payload: 1 }, { payload: { a: [Number.NaN] } }],
		});
		await expectBadRequest(/^messages\[0\]\.metadata\.when: .*VAL-5/, "appendMessages", {
			conversationId: "c",
			messages: [{ payload: 1, metadata: { when: /x/ } }],
		});
	});

	test("MSG-4: refuses an empty batch, one of 101, a messageId twice, and what is no array", async () => {
		const batch = (messages: unknown) => ({ conversationId: "c", messages });
		await expectBadRequest(/^messages: .*MSG-4/, "appendMessages", batch([]));
		await expectBadRequest(/^messages: .*MSG-4/, "appendMessages", batch(Array(101).fill({ payload: 1 })));
		await expectBadRequest(/^messages: .*MSG-4/, "appendMessages", batch({ length: 1 }));
		await expectBadRequest(/^messages\[0\]: .*VAL-8/, "appendMessages", batch([null]));
		const twice = [{ messageId: "m", payload: 1 }, { payload: 1 }, { messageId: "m", payload: 1 }];
		await expectBadRequest(/^messages\[2\]\.messageId: .*MSG-4/, "appendMessages", batch(twice));
	});

	test("MSG-7: refuses a limit outside 1 to 200, an order that is none, and an empty cursor", async () => {
		for (const limit of [0, -1, 201, 1.5, Number.NaN, "5"]) {
			await expectBadRequest(/^limit: .*MSG-7/, "listMessages", { conversationId: "c", limit });
			await expectBadRequest(/^limit: .*MSG-7/, "listConversations", { limit });
		}
		await expectBadRequest(/^order: .*MSG-7/, "listMessages", { conversationId: "c", order: "DESC" });
		await expectBadRequest(/^cursor: .*MSG-8/, "listMessages", { conversationId: "c", cursor: "" });
		await expectBadRequest(/^cursor: .*MSG-8/, "listConversations", { cursor: 1 });
	});

	test("MSG-10: an update needs at least one field", async () => {
		await expectBadRequest(/MSG-10/, "updateMessage", { messageId: "m" });
		await expectBadRequest(/MSG-10/, "updateMessage", { messageId: "m", role: undefined, metadata: undefined });
	});

	test("VAL-7: refuses a message over 16 MiB and names the limit", async () => {
		const half = "a".repeat(8 * MIB);
		const error = await refusal("appendMessage", { conversationId: "c", payload: half, metadata: { half } });
		expect(error.toJSON()).toMatchObject({
			code: "PayloadTooLarge",
			status: 413,
			message: expect.stringMatching(/16 MiB.*VAL-7/),
		});
		await expect(refusal("updateMessage", { messageId: "m", payload: half + half })).resolves.toMatchObject({
			code: "PayloadTooLarge",
		});
	});

	test("VAL-7: takes a message of exactly 16 MiB", async () => {
		const { fetch, sent } = scriptedFetch(data({ appendMessage: { message: MESSAGE } }));
		// Two quotes around the text, and `{}` for the metadata, which is not sent.
		const payload = "é".repeat(8 * MIB - 2);
		await createStore({ url, fetch }).appendMessage({ conversationId: "c", payload });
		expect(sent).toHaveLength(1);
		await expect(refusal("appendMessage", { conversationId: "c", payload: `${payload}a` })).resolves.toMatchObject({
			code: "PayloadTooLarge",
		});
	});

	test("VAL-7: refuses a request over 64 MiB", async () => {
		const payload = "a".repeat(15 * MIB);
		const error = await refusal("appendMessages", { conversationId: "c", messages: Array(5).fill({ payload }) });
		expect(error).toMatchObject({
			code: "PayloadTooLarge",
			status: 413,
			message: expect.stringMatching(/64 MiB.*VAL-7/),
		});
	});

	test("VAL-7: refuses a conversation's metadata over 1 MiB, not counting the keys that an update removes", async () => {
		const metadata = { text: "a".repeat(MIB) };
		for (const method of ["createConversation", "updateConversation"] as const) {
			const error = await refusal(method, { conversationId: "c", metadata });
			expect(error).toMatchObject({
				code: "PayloadTooLarge",
				status: 413,
				message: expect.stringMatching(/1 MiB.*VAL-7/),
			});
		}
		const { fetch, sent } = scriptedFetch(data({ updateConversation: { conversation: CONVERSATION } }));
		const removal = { ["k".repeat(MIB)]: null };
		await createStore({ url, fetch }).updateConversation({ conversationId: "c", metadata: removal });
		expect(sent).toHaveLength(1);
	});
});

describe("arguments", () => {
	const valid = {
		createConversation: {},
		getConversation: { conversationId: "c" },
		listConversations: {},
		updateConversation: { conversationId: "c", metadata: {} },
		deleteConversation: { conversationId: "c" },
		appendMessage: { conversationId: "c", payload: 1 },
		appendMessages: { conversationId: "c", messages: [{ payload: 1 }] },
		getMessage: { messageId: "m" },
		listMessages: { conversationId: "c" },
		updateMessage: { messageId: "m", payload: 1 },
		deleteMessage: { messageId: "m" },
		clearMessages: { conversationId: "c" },
	};
	const methods = Object.entries(valid) as [keyof typeof valid, object][];

	test.each(methods)("VAL-8: %s names an unknown argument", async (method, input) => {
		await expectBadRequest(new RegExp(`^${method}: unknown argument foo, metdata; .*VAL-8`), method, {
			...input,
			foo: undefined,
			metdata: {},
		});
	});

	test("VAL-8: names an unknown argument inside a batch, and an unknown call option", async () => {
		await expectBadRequest(/^messages\[0\]: unknown argument seq; .*VAL-8/, "appendMessages", {
			conversationId: "c",
			messages: [{ payload: 1, seq: "1" }],
		});
		await expectBadRequest(
			/^options: unknown argument timeout; .*VAL-8/,
			"getMessage",
			{ messageId: "m" },
			{ timeout: 1 },
		);
	});

	test.each(methods)("VAL-8: %s refuses what is no object", async (method) => {
		for (const input of ["c", 1, ["c"], () => 1]) await expectBadRequest(/VAL-8/, method, input);
	});

	test("VAL-8: a throwing getter among the arguments is a BadRequest with its cause", async () => {
		const cause = new Error("no");
		const input = {
			get messageId() {
				throw cause;
			},
		};
		expect(await refusal("getMessage", input)).toMatchObject({ code: "BadRequest", cause });
	});

	test("refuses bad call options", async () => {
		for (const timeoutMs of [0, -1, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 31, "1"]) {
			await expectBadRequest(/^timeoutMs: /, "getMessage", { messageId: "m" }, { timeoutMs });
		}
		await expectBadRequest(/^signal: /, "getMessage", { messageId: "m" }, { signal: {} });
	});

	test("null means omitted for optional arguments", async () => {
		const { fetch, sent } = scriptedFetch(
			data({ createConversation: { conversation: CONVERSATION } }),
			data({ messages: { nodes: [], pageInfo: { hasNextPage: false, endCursor: null } } }),
			data({ conversations: { nodes: [], pageInfo: { hasNextPage: false, endCursor: null } } }),
			data({ appendMessage: { message: MESSAGE } }),
		);
		const own = createStore({ url, fetch, token: null, timeoutMs: null, retries: null, headers: null });
		const options = { signal: null, timeoutMs: null };
		await own.createConversation({ conversationId: null }, options);
		await own.listMessages({ conversationId: "c", limit: null, cursor: null, order: null }, options);
		await own.listConversations(null, options);
		await own.appendMessage({ conversationId: "c", messageId: null, role: null, type: null, payload: null }, null);
		const uuid = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
		expect(sent.map(({ variables }) => variables)).toEqual([
			{ input: { conversationId: uuid } },
			{ conversationId: "c" },
			{},
			{ input: { conversationId: "c", messageId: uuid, role: null, type: null, payload: null } },
		]);
	});

	test("null is a value of role, type and payload in an update", async () => {
		const { fetch, sent } = scriptedFetch(data({ updateMessage: { message: MESSAGE } }));
		await createStore({ url, fetch }).updateMessage({ messageId: "m", role: null, type: null, payload: null });
		expect(sent[0]?.variables).toEqual({ input: { messageId: "m", role: null, type: null, payload: null } });
	});

	test("VAL-9: takes the input as it is at the call", async () => {
		const { fetch, sent } = scriptedFetch(data({ appendMessages: { messages: [MESSAGE] } }));
		const message = { role: "user", payload: { list: [1] }, metadata: { a: 1 } };
		const messages = [message];
		const input = { conversationId: "c", messages };
		const promise = createStore({ url, fetch }).appendMessages(input);
		input.conversationId = "other";
		messages.push({ ...message });
		message.role = "assistant";
		message.payload.list.push(2);
		message.metadata.a = 2;
		await promise;
		expect(sent[0]?.variables).toEqual({
			input: {
				conversationId: "c",
				messages: [{ messageId: expect.any(String), role: "user", payload: { list: [1] }, metadata: { a: 1 } }],
			},
		});
	});
});
