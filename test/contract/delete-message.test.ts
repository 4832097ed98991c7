import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { drainMessages, seqs } from "../support/pages.ts";
import { ageRows, rowVersions } from "../support/sql.ts";

let gateway: TestGateway;

beforeAll(async () => {
	gateway = await startGateway();
});

afterAll(() => gateway.close());

describe("deleteMessage", () => {
	it("MSG-11: removes one message, keeps its conversation and numbers nothing anew", async () => {
		const { store } = gateway;
		await store.createConversation({ conversationId: "kept", metadata: { title: "kept" } });
		const messages = await store.appendMessages({
			conversationId: "kept",
			messages: [1, 2, 3].map((payload) => ({ payload })),
		});
		expect(await store.deleteMessage({ messageId: messages[1]!.messageId })).toBeUndefined();
		expect(await drainMessages(store, { conversationId: "kept" })).toEqual([messages[0], messages[2]]);
		await store.deleteMessage({ messageId: messages[0]!.messageId });
		await store.deleteMessage({ messageId: messages[2]!.messageId });
		expect(await store.getConversation({ conversationId: "kept" })).toMatchObject({ metadata: { title: "kept" } });
	});

	it("MSG-11 CONV-6: moves the conversation's updatedAt when it removed something, and only then", async () => {
		const { store } = gateway;
		const { messageId } = await store.appendMessage({ conversationId: "touched", payload: 1 });
		await ageRows(gateway);
		const aged = await store.getConversation({ conversationId: "touched" });
		await store.deleteMessage({ messageId });
		const moved = await store.getConversation({ conversationId: "touched" });
		expect(moved).toEqual({ ...aged, updatedAt: expect.any(String) });
		expect(moved!.updatedAt > aged!.updatedAt).toBe(true);
		const before = await rowVersions(gateway);
		await store.deleteMessage({ messageId });
		await store.deleteMessage({ messageId: "unknown" });
		expect(await rowVersions(gateway)).toEqual(before);
	});

	it("MSG-11: frees the id: appended again it is a new message with a new seq", async () => {
		const { store } = gateway;
		const input = { conversationId: "freed", messageId: "freed-1", payload: "same" };
		await store.appendMessage(input);
		await store.deleteMessage({ messageId: "freed-1" });
		expect(await store.appendMessage(input)).toMatchObject({ seq: "2" });
		expect(seqs(await drainMessages(store, { conversationId: "freed" }))).toEqual([2]);
	});
});
