import type { JsonObject, JsonValue } from "@iga-pages/agent/store";
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

function nested(levels: number, wrap: (inner: JsonValue) => JsonValue): JsonValue {
	let value: JsonValue = 1;
	for (let level = 0; level < levels; level++) value = wrap(value);
	return value;
}

const SHAPES: [string, (inner: JsonValue) => JsonValue, open: string, close: string][] = [
	["arrays", (inner) => [inner], "[", "]"],
	["objects", (inner) => ({ a: inner }), '{"a":', "}"],
	["wide arrays", (inner) => [0, inner, "x"], "[0,", ',"x"]'],
];

const INPUTS: Record<string, (json: string) => string> = {
	"AppendMessageInput appendMessage": (json) => `{"conversationId":"raw","payload":${json}}`,
	"AppendMessageInput appendMessage ": (json) => `{"conversationId":"raw","payload":1,"metadata":{"deep":${json}}}`,
	"AppendMessagesInput appendMessages": (json) =>
		`{"conversationId":"raw","messages":[{"payload":1},{"payload":${json}}]}`,
	"UpdateMessageInput updateMessage": (json) => `{"messageId":"kept","payload":${json}}`,
	"CreateConversationInput createConversation": (json) => `{"conversationId":"raw","metadata":{"deep":${json}}}`,
	"UpdateConversationInput updateConversation": (json) => `{"conversationId":"kept","metadata":{"deep":${json}}}`,
};

describe("nesting", () => {
	it.each(SHAPES)("VAL-6: takes 200 levels of %s and reads them back", async (shape, wrap) => {
		const { store } = gateway;
		const payload = nested(200, wrap);
		const metadata = { deep: nested(199, wrap) };
		const conversationId = `deep ${shape}`;
		await store.createConversation({ conversationId, metadata });
		const { messageId } = await store.appendMessage({ conversationId, payload, metadata });
		await store.appendMessages({ conversationId, messages: [{ payload, metadata }] });
		await store.updateMessage({ messageId, payload, metadata });
		await store.updateConversation({ conversationId, metadata: { other: metadata.deep } });
		const { items } = await store.listMessages({ conversationId });
		for (const item of [...items, await store.getMessage({ messageId })]) {
			expect(JSON.stringify([item?.payload, item?.metadata])).toBe(JSON.stringify([payload, metadata]));
		}
		const read = await store.getConversation({ conversationId });
		expect(JSON.stringify(read?.metadata)).toBe(JSON.stringify({ ...metadata, other: metadata.deep }));
	});

	it.each(SHAPES)("VAL-6: refuses 201 and 100,000 levels of %s in every method", async (_, wrap) => {
		const { store } = gateway;
		const before = await rowVersions(gateway);
		for (const levels of [201, 100_000]) {
			const payload = nested(levels, wrap);
			const metadata = { deep: nested(levels - 1, wrap) } as JsonObject;
			const calls = {
				payload: () => store.appendMessage({ conversationId: "c", payload }),
				metadata: () => store.appendMessage({ conversationId: "c", payload: 1, metadata }),
				messages: () => store.appendMessages({ conversationId: "c", messages: [{ payload: 1 }, { payload }] }),
				"payload of an update": () => store.updateMessage({ messageId: "m", payload }),
				"metadata of a creation": () => store.createConversation({ metadata }),
				"metadata of an update": () => store.updateConversation({ conversationId: "c", metadata }),
			};
			for (const [field, call] of Object.entries(calls)) {
				const error = await failure(call());
				expect([field, error.code]).toEqual([field, "BadRequest"]);
				expect(error.message).toMatch(/(payload|metadata).*200 levels.*VAL-6/);
			}
		}
		expect(await rowVersions(gateway)).toEqual(before);
	});

	it.each(SHAPES)(
		"VAL-6: the gateway itself refuses 201 and 100,000 levels of %s, and lives on",
		async (_, __, open, close) => {
			const { store } = await gateway.createProject();
			await gateway.store.createConversation({ conversationId: "kept" }).catch(() => undefined);
			await gateway.store.appendMessage({ conversationId: "kept", messageId: "kept", payload: 1 });
			const before = await rowVersions(gateway);
			for (const [use, inputOf] of Object.entries(INPUTS)) {
				for (const levels of [201, 100_000]) {
					const [type, field] = use.trim().split(" ");
					const query = `mutation ($input: ${type}!) { ${field}(input: $input) { __typename } }`;
					const input = inputOf(`${open.repeat(levels)}1${close.repeat(levels)}`);
					const answer = await sendRaw(gateway, `{"query":${JSON.stringify(query)},"variables":{"input":${input}}}`);
					expect([use, levels, answer.status, answer.errors[0]?.extensions.code]).toEqual([
						use,
						levels,
						400,
						"BadRequest",
					]);
					expect(answer.errors[0]?.message).toMatch(/200 levels.*VAL-6/);
				}
			}
			expect(await rowVersions(gateway)).toEqual(before);
			expect(await store.getConversation({ conversationId: "alive" })).toBeNull();
		},
	);

	it("VAL-6: refuses deep JSON where none belongs, and deep documents, without failing itself", async () => {
		const deep = "[".repeat(100_000) + "]".repeat(100_000);
		const query = "query ($id: String!) { message(messageId: $id) { seq } }";
		const bodies = [
			deep,
			`{"query":${JSON.stringify(query)},"variables":{"id":${deep}}}`,
			`{"query":${JSON.stringify(query)},"variables":${deep}}`,
			`{"query":${JSON.stringify(query)},"variables":{"id":"x"},"extensions":${deep}}`,
			`{"query":${deep}}`,
			JSON.stringify({
				query: `mutation { appendMessage(input: { conversationId: "x", payload: ${deep} }) { __typename } }`,
			}),
			JSON.stringify({ query: `query ${"{ a".repeat(100_000)}` }),
		];
		for (const body of bodies) {
			const { status, errors } = await sendRaw(gateway, body);
			expect([body.slice(0, 60), status, errors[0]?.extensions.code]).toEqual([body.slice(0, 60), 400, "BadRequest"]);
			expect(errors[0]!.message.length).toBeLessThan(1_100);
		}
	});
});
