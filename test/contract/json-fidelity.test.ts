import type { JsonObject, JsonValue, Message } from "@iga-pages/agent/store";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { failure } from "../support/errors.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { HOSTILE_JSON, jsonObject, jsonValue, reveal, throughJson } from "../support/hostile-json.ts";
import { drainMessages } from "../support/pages.ts";
import { sendRaw } from "../support/raw.ts";
import { query, rowVersions } from "../support/sql.ts";

let gateway: TestGateway;

beforeAll(async () => {
	gateway = await startGateway();
});

afterAll(() => gateway.close());

const CASES = Object.entries(HOSTILE_JSON);

interface Content {
	payload: JsonValue;
	metadata: JsonObject;
}

const contentOf = ({ payload, metadata }: Content) => reveal([payload, metadata]);

const NESTED = `query ($conversationId: String!, $messageId: String!, $ids: [ID!]!) {
	conversation(conversationId: $conversationId) { messages(first: 1) { edges { node { payload metadata } } } }
	conversations(first: 1) { nodes { messages(first: 1) { nodes { payload metadata } } } }
	message(messageId: $messageId) { payload metadata conversation { messages(first: 1) { nodes { payload metadata } } } }
	messages(conversationId: $conversationId, first: 1, order: DESC) { edges { node { payload metadata } } }
	aliased: message(messageId: $messageId) { p: payload __proto__: metadata }
	nodes(ids: $ids) { ... on Message { payload metadata } }
}`;

/** Every content that occurs anywhere in an answer. */
function contentsIn(answer: unknown): Content[] {
	if (typeof answer !== "object" || answer === null) return [];
	if ("payload" in answer) {
		const { payload, metadata, ...rest } = answer as Content;
		return [{ payload, metadata }, ...contentsIn(rest)];
	}
	return Object.values(answer).flatMap(contentsIn);
}

/** The message by every way that reads or returns it. */
async function readEverywhere(message: Message): Promise<Record<string, Content>> {
	const { store } = gateway;
	const { conversationId, messageId } = message;
	const read = await store.getMessage({ messageId });
	const asc = await store.listMessages({ conversationId });
	const desc = await store.listMessages({ conversationId, order: "desc", limit: 1 });
	const ids = [Buffer.from(`Message:${messageId}`).toString("base64url")];
	const variables = { conversationId, messageId, ids };
	const { data, errors } = await sendRaw(gateway, { query: NESTED, variables });
	expect(errors).toEqual([]);
	const { aliased, ...rest } = data as Record<string, unknown> & { aliased: Record<string, unknown> };
	const nested = contentsIn(rest);
	expect(nested).toHaveLength(6);
	return {
		getMessage: read!,
		"listMessages asc": asc.items[0]!,
		"listMessages desc": desc.items[0]!,
		...Object.fromEntries(nested.map((content, index) => [`nested ${index}`, content])),
		aliased: { payload: aliased["p"] as JsonValue, metadata: Reflect.get(aliased, "__proto__") as JsonObject },
	};
}

async function expectEverywhere(message: Message, content: Content): Promise<void> {
	expect(contentOf(message)).toBe(contentOf(content));
	for (const [way, found] of Object.entries(await readEverywhere(message))) {
		expect(`${way}: ${contentOf(found)}`).toBe(`${way}: ${contentOf(content)}`);
	}
}

describe("a message's JSON", () => {
	it.each(CASES)("VAL-3: keeps %s in payload and metadata through every read", async (name, json) => {
		const content = { payload: json, metadata: { value: json, ...(isObject(json) ? json : {}) } };
		const message = await gateway.store.appendMessage({ conversationId: name, ...content });
		await expectEverywhere(message, throughJson(content as JsonObject) as unknown as Content);
	});

	it.each(CASES)("VAL-3: keeps %s when an update sets it", async (name, json) => {
		const { store } = gateway;
		const conversationId = `update ${name}`;
		const { messageId } = await store.appendMessage({ conversationId, payload: "before", metadata: { before: 1 } });
		const payloadSet = await store.updateMessage({ messageId, payload: json });
		await expectEverywhere(payloadSet, { payload: json, metadata: { before: 1 } });
		const metadataSet = await store.updateMessage({ messageId, metadata: { value: json } });
		await expectEverywhere(metadataSet, { payload: json, metadata: { value: json } });
	});

	it("VAL-3: keeps a batch of all hostile values in order", async () => {
		const { store } = gateway;
		const messages = CASES.map(([name, json]) => ({ payload: json, metadata: { [name]: json } }));
		const returned = await store.appendMessages({ conversationId: "batch", messages });
		const read = await drainMessages(store, { conversationId: "batch", limit: 7 });
		expect(returned.map(contentOf)).toEqual(messages.map(contentOf));
		expect(read.map(contentOf)).toEqual(messages.map(contentOf));
	});

	it("VAL-3: keeps any JSON value through append, replay, read and list", async () => {
		const { store } = gateway;
		await fc.assert(
			fc.asyncProperty(jsonValue, jsonObject, async (payload, metadata) => {
				const message = await store.appendMessage({ conversationId: "any", payload, metadata });
				const { messageId } = message;
				const { items } = await store.listMessages({ conversationId: "any", order: "desc", limit: 1 });
				const replay = await store.appendMessage({ conversationId: "any", messageId, payload, metadata });
				for (const found of [message, await store.getMessage({ messageId }), items[0], replay]) {
					expect(contentOf(found!)).toBe(contentOf({ payload, metadata }));
				}
			}),
			{ numRuns: 60 },
		);
	});

	it("VAL-3: keeps inline literals as it keeps variables", async () => {
		const literal = `{ b: 1, a: [1e21, 5e-324, 1e-7, -1.5, 0.1, 1e20, 1152921504606846976], __proto__: { x: null },
			text: "a\\u0000\\"\\\\ \\u00e9", block: """a "b" \\n""", empty: {}, none: [], t: true, toString: "" }`;
		const document = `mutation { appendMessage(input: { conversationId: "inline", payload: ${literal} }) { message { payload } } }`;
		const { data, errors } = await sendRaw(gateway, { query: document });
		expect(errors).toEqual([]);
		const { payload } = (data as { appendMessage: { message: { payload: JsonValue } } }).appendMessage.message;
		const expected = `{"b":1,"a":[1e+21,5e-324,1e-7,-1.5,0.1,100000000000000000000,1152921504606846976],"__proto__":{"x":null},"text":"a\\u0000\\"\\\\ é","block":"a \\"b\\" \\\\n","empty":{},"none":[],"t":true,"toString":""}`;
		expect(reveal(payload)).toBe(reveal(JSON.parse(expected)));
	});

	it("VAL-3: leaves no trace of __proto__ in the prototypes of gateway and SDK", async () => {
		const hostile = JSON.parse('{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}') as JsonObject;
		const { store } = gateway;
		await store.createConversation({ conversationId: "proto", metadata: hostile });
		await store.updateConversation({ conversationId: "proto", metadata: hostile });
		await store.appendMessage({ conversationId: "proto", payload: hostile, metadata: hostile });
		const read = await store.getConversation({ conversationId: "proto" });
		expect(structuredClone(read?.metadata)).toEqual(hostile);
		expect(Reflect.get({}, "polluted")).toBeUndefined();
	});

	it("VAL-3: stores JSON as json, which no column of the tables turns into jsonb", async () => {
		const columns = await query<{ column: string }>(
			gateway,
			`SELECT table_name || '.' || column_name AS column FROM information_schema.columns
			WHERE table_schema = current_schema() AND data_type = 'jsonb'`,
		);
		expect(columns).toEqual([]);
	});

	it("VAL-3: refuses an append without a payload, in the SDK and in the gateway", async () => {
		const call = gateway.store.appendMessage({ conversationId: "none" } as never);
		expect(await failure(call)).toMatchObject({
			code: "BadRequest",
			message: expect.stringMatching(/^payload: .*VAL-3/),
		});
		const query = `mutation { appendMessage(input: { conversationId: "none" }) { message { seq } } }`;
		expect(await sendRaw(gateway, { query })).toMatchObject({
			status: 400,
			errors: [{ message: expect.stringMatching(/payload: .*VAL-3/) }],
		});
	});
});

describe("metadata", () => {
	it.each(CASES)("VAL-4: keeps %s in a conversation's metadata through every read", async (name, json) => {
		const { store } = await gateway.createProject();
		const metadata = { value: json, ...(isObject(json) ? json : {}) };
		const conversationId = `metadata ${name}`;
		const created = await store.createConversation({ conversationId, metadata });
		const read = await store.getConversation({ conversationId });
		const { items } = await store.listConversations();
		const updated = await store.updateConversation({ conversationId, metadata: { added: json === null ? 0 : json } });
		expect([created, read!, items[0]!].map((found) => reveal(found.metadata))).toEqual(
			Array(3).fill(reveal(throughJson(metadata as JsonObject))),
		);
		expect(reveal(updated.metadata)).toBe(
			reveal(throughJson({ ...metadata, added: json === null ? 0 : json } as JsonObject)),
		);
	});

	it("VAL-4: is {} when left out, and empty when given empty", async () => {
		const { store } = gateway;
		expect(await store.createConversation()).toMatchObject({ metadata: {} });
		expect(await store.createConversation({ metadata: {} })).toMatchObject({ metadata: {} });
		expect(await store.appendMessage({ conversationId: "empty", payload: 1 })).toMatchObject({ metadata: {} });
		const [message] = await store.appendMessages({ conversationId: "empty", messages: [{ payload: 1 }] });
		expect(message).toMatchObject({ metadata: {} });
	});

	it.each([[null], [[]], [["a"]], ["text"], [1], [true], [{ toJSON: () => [] }], [new Date(0)]])(
		"VAL-4: refuses %j in every method, naming the field",
		async (value) => {
			const { store } = gateway;
			const metadata = value as never;
			const { messageId, conversationId } = await store.appendMessage({ conversationId: "refusals", payload: 1 });
			const before = await rowVersions(gateway);
			const calls = [
				store.createConversation({ metadata }),
				store.updateConversation({ conversationId, metadata }),
				store.appendMessage({ conversationId, payload: 1, metadata }),
				store.appendMessages({ conversationId, messages: [{ payload: 1, metadata }] }),
				store.updateMessage({ messageId, metadata }),
			];
			for (const call of calls) {
				expect(await failure(call)).toMatchObject({
					code: "BadRequest",
					message: expect.stringMatching(/^(messages\[0\]\.)?metadata: .*VAL-4/),
				});
			}
			expect(await rowVersions(gateway)).toEqual(before);
		},
	);

	it.each(["null", "[]", '"text"', "1", "[[]]"])("VAL-4: refuses %s in the gateway, too", async (literal) => {
		const before = await rowVersions(gateway);
		const inputs = [
			`createConversation(input: { metadata: ${literal} }) { conversation { metadata } }`,
			`appendMessage(input: { conversationId: "x", payload: 1, metadata: ${literal} }) { message { metadata } }`,
			`appendMessages(input: { conversationId: "x", messages: [{ payload: 1, metadata: ${literal} }] }) { messages { metadata } }`,
			`updateMessage(input: { messageId: "x", metadata: ${literal} }) { message { metadata } }`,
			`updateConversation(input: { conversationId: "x", metadata: ${literal} }) { conversation { metadata } }`,
		];
		for (const input of inputs) {
			const { status, errors } = await sendRaw(gateway, { query: `mutation { ${input} }` });
			expect([input, status, errors[0]?.extensions.code]).toEqual([input, 400, "BadRequest"]);
			expect(errors[0]?.message).toMatch(/metadata|JSONObject!/);
		}
		expect(await rowVersions(gateway)).toEqual(before);
	});
});

function isObject(json: JsonValue): json is JsonObject {
	return typeof json === "object" && json !== null && !Array.isArray(json);
}
