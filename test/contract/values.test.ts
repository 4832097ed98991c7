import type { Store } from "@iga-pages/agent/store";
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

const OPAQUE_IDS = [
	"../../etc/passwd",
	"a/b?c=d&e#f",
	"%00%2e%2e",
	"'; DROP TABLE messages; --",
	'"quoted"\\back\\slash',
	" leading and trailing ",
	"line\nbreak\ttab\r\u0001\u007f",
	"👩‍👩‍👧‍👦",
	"e\u0301",
	"\u00e9",
	"\ufeff",
	"\uffff",
	"null",
	"__proto__",
	"constructor",
	"0",
	`${"汉".repeat(85)}a`,
	"😀".repeat(64),
	"x".repeat(256),
];

const REFUSED_TEXTS: [string, string][] = [
	["257 bytes", "x".repeat(257)],
	["86 characters of three bytes", "汉".repeat(86)],
	["65 characters of four bytes", "😀".repeat(65)],
	["U+0000", "a\0b"],
	["a high surrogate alone", "a\ud83c"],
	["a low surrogate alone", "\udf9fa"],
	["surrogates in the wrong order", "\udf9f\ud83c"],
];

/** All uses of an id as an argument, by method. */
function usesOf(store: Store, id: string): Record<string, () => Promise<unknown>> {
	return {
		createConversation: () => store.createConversation({ conversationId: id }),
		getConversation: () => store.getConversation({ conversationId: id }),
		updateConversation: () => store.updateConversation({ conversationId: id, metadata: { a: 1 } }),
		deleteConversation: () => store.deleteConversation({ conversationId: id }),
		appendMessage: () => store.appendMessage({ conversationId: id, payload: 1 }),
		"appendMessage, messageId": () => store.appendMessage({ conversationId: "c", messageId: id, payload: 1 }),
		appendMessages: () => store.appendMessages({ conversationId: id, messages: [{ payload: 1 }] }),
		"appendMessages, messageId": () =>
			store.appendMessages({ conversationId: "c", messages: [{ payload: 1 }, { messageId: id, payload: 1 }] }),
		getMessage: () => store.getMessage({ messageId: id }),
		listMessages: () => store.listMessages({ conversationId: id }),
		updateMessage: () => store.updateMessage({ messageId: id, role: "user" }),
		deleteMessage: () => store.deleteMessage({ messageId: id }),
		clearMessages: () => store.clearMessages({ conversationId: id }),
	};
}

/** The same as raw documents, past the SDK's own checks. */
const RAW_USES: Record<string, string> = {
	conversation: "query ($id: String!) { conversation(conversationId: $id) { conversationId } }",
	message: "query ($id: String!) { message(messageId: $id) { messageId } }",
	messages: "query ($id: String!) { messages(conversationId: $id) { nodes { messageId } } }",
	createConversation:
		"mutation ($id: String!) { createConversation(input: { conversationId: $id }) { conversation { conversationId } } }",
	updateConversation:
		"mutation ($id: String!) { updateConversation(input: { conversationId: $id, metadata: {} }) { conversation { conversationId } } }",
	deleteConversation:
		"mutation ($id: String!) { deleteConversation(input: { conversationId: $id }) { conversationId } }",
	appendMessage:
		"mutation ($id: String!) { appendMessage(input: { conversationId: $id, payload: 1 }) { message { seq } } }",
	"appendMessage, messageId":
		'mutation ($id: String!) { appendMessage(input: { conversationId: "c", messageId: $id, payload: 1 }) { message { seq } } }',
	"appendMessages, messageId":
		'mutation ($id: String!) { appendMessages(input: { conversationId: "c", messages: [{ messageId: $id, payload: 1 }] }) { messages { seq } } }',
	updateMessage:
		'mutation ($id: String!) { updateMessage(input: { messageId: $id, role: "x" }) { message { messageId } } }',
	deleteMessage: "mutation ($id: String!) { deleteMessage(input: { messageId: $id }) { messageId } }",
	clearMessages: "mutation ($id: String!) { clearMessages(input: { conversationId: $id }) { conversationId } }",
};

describe("ids", () => {
	it("VAL-1: takes any text of 1 to 256 bytes as an id and finds exactly that row again", async () => {
		const { store } = gateway;
		for (const id of OPAQUE_IDS) {
			await store.createConversation({ conversationId: id, metadata: { id } });
			await store.appendMessage({ conversationId: id, messageId: id, payload: id });
		}
		for (const id of OPAQUE_IDS) {
			expect(await store.getConversation({ conversationId: id })).toMatchObject({
				conversationId: id,
				metadata: { id },
			});
			expect(await store.getMessage({ messageId: id })).toMatchObject({
				conversationId: id,
				messageId: id,
				payload: id,
			});
			const { items } = await store.listMessages({ conversationId: id });
			expect(items.map(({ messageId }) => messageId)).toEqual([id]);
		}
		for (const id of OPAQUE_IDS) await store.deleteConversation({ conversationId: id });
	});

	it.each([...REFUSED_TEXTS, ["the empty string", ""]] as [string, string][])(
		"VAL-1: refuses %s in every method, naming field and rule",
		async (_, id) => {
			const before = await rowVersions(gateway);
			for (const [use, call] of Object.entries(usesOf(gateway.store, id))) {
				const error = await failure(call());
				expect([use, error.code, error.status]).toEqual([use, "BadRequest", undefined]);
				expect(error.message).toMatch(/(conversationId|messageId): .*VAL-1/);
			}
			expect(await rowVersions(gateway)).toEqual(before);
		},
	);

	it.each([...REFUSED_TEXTS, ["the empty string", ""]] as [string, string][])(
		"VAL-1: refuses %s in every field of the gateway, whoever asks",
		async (_, id) => {
			const before = await rowVersions(gateway);
			for (const [use, document] of Object.entries(RAW_USES)) {
				const { status, errors } = await sendRaw(gateway, { query: document, variables: { id } });
				expect([use, status, errors[0]?.extensions.code]).toEqual([use, 400, "BadRequest"]);
				expect(errors[0]?.message).toMatch(/(conversationId|messageId): .*VAL-1/);
			}
			expect(await rowVersions(gateway)).toEqual(before);
		},
	);

	it("VAL-1: refuses a node id that hides a bad id", async () => {
		for (const type of ["Conversation", "Message"]) {
			for (const id of ["a\0b", "x".repeat(257), ""]) {
				const node = Buffer.from(`${type}:${id}`).toString("base64url");
				const query = "query ($id: ID!) { node(id: $id) { id } }";
				const { status, errors } = await sendRaw(gateway, { query, variables: { id: node } });
				expect([type, status, errors[0]?.extensions.code]).toEqual([type, 400, "BadRequest"]);
			}
		}
	});

	it.each([[1], [true], [null], [{}], [["a"]], [Object("a")], [undefined]])(
		"VAL-1: refuses %j instead of an id",
		async (id) => {
			const error = await failure(gateway.store.getConversation({ conversationId: id as string }));
			expect(error).toMatchObject({ code: "BadRequest", message: expect.stringMatching(/^conversationId: .*VAL-1/) });
		},
	);

	it("VAL-1: compares and orders ids by bytes, without case, accents or normal forms", async () => {
		const { store } = await gateway.createProject();
		const ids = ["B", "a", "Z", "é", "e\u0301", "ß", "ss", "ä", "z", "_", "-", "~", "\uffee", "😀"];
		for (const conversationId of ids) await store.createConversation({ conversationId });
		await gateway.db.write({ name: "", text: "UPDATE conversations SET updated_at = '2020-01-01'" }, []);
		const { items } = await store.listConversations();
		const bytewise = ids.map((id) => Buffer.from(id)).sort(Buffer.compare);
		expect(items.map(({ conversationId }) => conversationId)).toEqual(bytewise.reverse().map(String));
	});
});

describe("role and type", () => {
	it("VAL-2: takes null, the empty string and any text of at most 256 bytes", async () => {
		const { store } = gateway;
		for (const text of [null, "", "x".repeat(256), "汉".repeat(85), "__proto__", "line\nbreak", "😀"]) {
			const given = await store.appendMessage({ conversationId: "tags", role: text, type: text, payload: 1 });
			expect(await store.getMessage({ messageId: given.messageId })).toMatchObject({ role: text, type: text });
			const { messageId } = await store.appendMessage({ conversationId: "tags", payload: 1 });
			expect(await store.updateMessage({ messageId, role: text, type: text })).toMatchObject({
				role: text,
				type: text,
			});
		}
	});

	it.each(REFUSED_TEXTS)("VAL-2: refuses %s in append, batch and update, naming the field", async (_, text) => {
		const { store } = gateway;
		const { messageId } = await store.appendMessage({ conversationId: "tags", payload: 1 });
		const before = await rowVersions(gateway);
		for (const field of ["role", "type"]) {
			const tag = { [field]: text };
			const calls = [
				store.appendMessage({ conversationId: "c", payload: 1, ...tag }),
				store.appendMessages({ conversationId: "c", messages: [{ payload: 1 }, { payload: 1, ...tag }] }),
				store.updateMessage({ messageId, ...tag }),
			];
			for (const call of calls) {
				expect(await failure(call)).toMatchObject({
					code: "BadRequest",
					message: expect.stringMatching(new RegExp(`${field}: .*VAL-2`)),
				});
			}
			const input = `{ messageId: ${JSON.stringify(messageId)}, ${field}: $text }`;
			const raw = await sendRaw(gateway, {
				query: `mutation ($text: String) { updateMessage(input: ${input}) { message { role } } }`,
				variables: { text },
			});
			expect(raw).toMatchObject({ status: 400, errors: [{ message: expect.stringMatching(/VAL-2/) }] });
		}
		expect(await rowVersions(gateway)).toEqual(before);
	});

	it("VAL-2: refuses what is no string", async () => {
		for (const role of [1, true, {}, []]) {
			const call = gateway.store.appendMessage({ conversationId: "c", payload: 1, role: role as unknown as string });
			expect((await failure(call)).message).toMatch(/^role: .*VAL-2/);
		}
	});
});
