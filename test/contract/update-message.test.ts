import type { UpdateMessageInput } from "@iga-pages/agent/store";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { failure } from "../support/errors.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { drainMessages } from "../support/pages.ts";
import { ageRows, rowVersions } from "../support/sql.ts";

let gateway: TestGateway;
let number = 0;

/** Appends a message with every field set, in a conversation of its own, an hour ago. */
async function appendOne() {
	const message = await gateway.store.appendMessage({
		conversationId: `updated-${++number}`,
		role: "user",
		type: "text",
		payload: { text: "old", kept: { deep: true } },
		metadata: { a: 1, b: 2 },
	});
	await ageRows(gateway);
	return (await gateway.store.getMessage({ messageId: message.messageId }))!;
}

beforeAll(async () => {
	gateway = await startGateway();
});

afterAll(() => gateway.close());

describe("updateMessage", () => {
	it.each([
		["role", { role: "assistant" }],
		["type", { type: "image" }],
		["payload", { payload: { text: "new" } }],
		["metadata", { metadata: { b: 3 } }],
		["an empty metadata", { metadata: {} }],
		["a payload that is null", { payload: null }],
		["a role that is null", { role: null }],
		["a type that is null", { type: null }],
		["everything", { role: null, type: "t", payload: [1], metadata: { c: null } }],
	])("MSG-10: replaces %s whole and leaves every other field", async (_what, change: Partial<UpdateMessageInput>) => {
		const { store } = gateway;
		const before = await appendOne();
		const updated = await store.updateMessage({ messageId: before.messageId, ...change });
		expect(updated).toEqual({ ...before, ...change, updatedAt: expect.any(String) });
		expect(updated.updatedAt > before.updatedAt).toBe(true);
		expect(await store.getMessage({ messageId: before.messageId })).toEqual(updated);
		expect(await drainMessages(store, { conversationId: before.conversationId })).toEqual([updated]);
	});

	it("MSG-10 CONV-6: moves the conversation's updatedAt with its own", async () => {
		const { store } = gateway;
		const { messageId, conversationId } = await appendOne();
		const before = await store.getConversation({ conversationId });
		const updated = await store.updateMessage({ messageId, payload: 1 });
		expect(await store.getConversation({ conversationId })).toEqual({ ...before, updatedAt: updated.updatedAt });
	});

	it("MSG-10: counts an update to equal values as an update", async () => {
		const { store } = gateway;
		const before = await appendOne();
		const updated = await store.updateMessage({ messageId: before.messageId, role: before.role });
		expect(updated.updatedAt > before.updatedAt).toBe(true);
	});

	it("MSG-10: changes no place: later messages stay behind", async () => {
		const { store } = gateway;
		const first = await appendOne();
		const second = await store.appendMessage({ conversationId: first.conversationId, payload: 2 });
		const updated = await store.updateMessage({ messageId: first.messageId, payload: 1 });
		expect(await drainMessages(store, { conversationId: first.conversationId })).toEqual([updated, second]);
	});

	it("MSG-10: refuses an update without a field, in the SDK and in the gateway", async () => {
		const { messageId } = await appendOne();
		const before = await rowVersions(gateway);
		for (const input of [{ messageId }, { messageId, role: undefined, payload: undefined }]) {
			const error = await failure(gateway.store.updateMessage(input));
			expect(error.toJSON()).toEqual({ code: "BadRequest", message: expect.stringContaining("(MSG-10)") });
		}
		const response = await gateway.post({
			query: "mutation ($input: UpdateMessageInput!) { updateMessage(input: $input) { message { seq } } }",
			variables: { input: { messageId } },
		});
		expect(response.status).toBe(400);
		expect(await response.json()).toMatchObject({
			errors: [{ message: expect.stringContaining("(MSG-10)"), extensions: { code: "BadRequest", status: 400 } }],
		});
		expect(await rowVersions(gateway)).toEqual(before);
	});

	it.each([
		["metadata null", { metadata: null }, "metadata"],
		["metadata that is an array", { metadata: [] }, "metadata"],
		["a role that is too long", { role: "汉".repeat(86) }, "role"],
		["a type with U+0000", { type: "a\0b" }, "type"],
	])("MSG-10: refuses %s with the field's name and writes nothing", async (_what, change, field) => {
		const { messageId } = await appendOne();
		const before = await rowVersions(gateway);
		const input = { messageId, payload: "new", ...change };
		const error = await failure(gateway.store.updateMessage(input as UpdateMessageInput));
		expect(error.toJSON()).toEqual({ code: "BadRequest", message: expect.stringContaining(field) });
		const response = await gateway.post({
			query: "mutation ($input: UpdateMessageInput!) { updateMessage(input: $input) { message { seq } } }",
			variables: { input },
		});
		expect(response.status).toBe(400);
		expect(await response.json()).toMatchObject({ errors: [{ message: expect.stringContaining(`input.${field}`) }] });
		expect(await rowVersions(gateway)).toEqual(before);
	});

	it("MSG-10: is NotFound for an unknown and for a deleted message, and creates neither", async () => {
		const { store } = gateway;
		const { messageId } = await appendOne();
		await store.deleteMessage({ messageId });
		const before = await rowVersions(gateway);
		for (const id of ["never", messageId]) {
			const error = await failure(store.updateMessage({ messageId: id, payload: 1 }));
			expect(error).toMatchObject({ code: "NotFound", status: 404, message: expect.stringContaining(id) });
		}
		expect(await rowVersions(gateway)).toEqual(before);
	});

	it("MSG-10: keeps every one of parallel updates of different fields", async () => {
		const { store } = gateway;
		const { messageId } = await appendOne();
		await Promise.all([
			store.updateMessage({ messageId, role: "r" }),
			store.updateMessage({ messageId, type: "t" }),
			store.updateMessage({ messageId, payload: "p" }),
			store.updateMessage({ messageId, metadata: { m: 1 } }),
		]);
		expect(await store.getMessage({ messageId })).toMatchObject({
			role: "r",
			type: "t",
			payload: "p",
			metadata: { m: 1 },
		});
	});
});
