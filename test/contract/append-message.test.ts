import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { failure } from "../support/errors.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { drainMessages, seqs } from "../support/pages.ts";
import { ageRows, query, rowVersions } from "../support/sql.ts";

let gateway: TestGateway;

beforeAll(async () => {
	gateway = await startGateway();
});

afterAll(() => gateway.close());

describe("appendMessage", () => {
	it("MSG-1: creates the conversation with the first message, metadata {}", async () => {
		const { store } = gateway;
		const message = await store.appendMessage({ conversationId: "first", role: "user", payload: { text: "hello" } });
		expect(message).toMatchObject({ conversationId: "first", seq: "1", role: "user", type: null, metadata: {} });
		const conversation = await store.getConversation({ conversationId: "first" });
		expect(conversation).toEqual({
			conversationId: "first",
			metadata: {},
			createdAt: message.createdAt,
			updatedAt: message.createdAt,
		});
	});

	it("MSG-1: keeps the metadata of a conversation that exists", async () => {
		const { store } = gateway;
		await store.createConversation({ conversationId: "titled", metadata: { title: "mine" } });
		await store.appendMessage({ conversationId: "titled", payload: 1 });
		expect(await store.getConversation({ conversationId: "titled" })).toMatchObject({ metadata: { title: "mine" } });
	});

	it("MSG-1: leaves no conversation behind when the append is refused", async () => {
		const { store } = gateway;
		await store.appendMessage({ conversationId: "owner", messageId: "owned", payload: 1 });
		const before = await rowVersions(gateway);
		expect(
			await failure(store.appendMessage({ conversationId: "refused", messageId: "owned", payload: 1 })),
		).toMatchObject({ code: "Conflict" });
		const response = await gateway.post({
			query: "mutation ($input: AppendMessageInput!) { appendMessage(input: $input) { message { seq } } }",
			variables: { input: { conversationId: "refused", payload: 1, metadata: [] } },
		});
		expect(response.status).toBe(400);
		expect(await store.getConversation({ conversationId: "refused" })).toBeNull();
		expect(await rowVersions(gateway)).toEqual(before);
	});

	it("MSG-2: numbers messages 1, 2, 3 and never uses the number of a deleted one again", async () => {
		const { store } = gateway;
		const conversationId = "numbered";
		const append = () => store.appendMessage({ conversationId, payload: null });
		const first = await append();
		const second = await append();
		await store.deleteMessage({ messageId: second.messageId });
		const third = await append();
		expect([first.seq, second.seq, third.seq]).toEqual(["1", "2", "3"]);
		expect(seqs(await drainMessages(store, { conversationId }))).toEqual([1, 3]);
	});

	it("MSG-2: counts each conversation for itself", async () => {
		const { store } = gateway;
		const [left, right] = await Promise.all(
			["left", "right"].map((conversationId) => store.appendMessage({ conversationId, payload: 0 })),
		);
		expect([left?.seq, right?.seq]).toEqual(["1", "1"]);
	});

	it("MSG-2: counts beyond what a double holds, as a decimal string", async () => {
		const { store } = gateway;
		await store.createConversation({ conversationId: "long" });
		await query(gateway, "UPDATE conversations SET last_seq = 9007199254740992 WHERE conversation_id = 'long'");
		const written = [
			await store.appendMessage({ conversationId: "long", payload: 0 }),
			await store.appendMessage({ conversationId: "long", payload: 0 }),
		];
		expect(written.map(({ seq }) => seq)).toEqual(["9007199254740993", "9007199254740994"]);
		const page = await store.listMessages({ conversationId: "long", limit: 1 });
		const next = await store.listMessages({ conversationId: "long", limit: 1, cursor: page.nextCursor });
		expect([...page.items, ...next.items]).toEqual(written);
	});

	it("MSG-2: uses up no number for a refused append", async () => {
		const { store } = gateway;
		await store.appendMessage({ conversationId: "gapless", messageId: "gapless-1", payload: 1 });
		await failure(store.appendMessage({ conversationId: "gapless", messageId: "gapless-1", payload: 2 }));
		await failure(store.appendMessage({ conversationId: "gapless", messageId: "owned", payload: 1 }));
		expect(await store.appendMessage({ conversationId: "gapless", payload: 3 })).toMatchObject({ seq: "2" });
	});

	it("MSG-3: returns the stored row on an exact replay, key order and omitted defaults aside", async () => {
		const { store } = gateway;
		const stored = await store.appendMessage({
			conversationId: "replayed",
			messageId: "replayed-1",
			role: null,
			payload: { a: 1, b: { c: [1, { d: 2, e: 3 }] } },
		});
		await store.appendMessage({ conversationId: "replayed", payload: "later" });
		await ageRows(gateway);
		const before = await rowVersions(gateway);
		const aged = await store.getMessage({ messageId: "replayed-1" });
		const replay = await store.appendMessage({
			conversationId: "replayed",
			messageId: "replayed-1",
			type: null,
			payload: { b: { c: [1, { e: 3, d: 2 }] }, a: 1 },
			metadata: {},
		});
		expect(replay).toEqual(aged);
		expect(JSON.stringify(replay.payload)).toBe(JSON.stringify(stored.payload));
		expect(await rowVersions(gateway)).toEqual(before);
	});

	const original = {
		conversationId: "differing",
		messageId: "differing-1",
		role: "user",
		type: "text",
		payload: { text: "same", list: [1, 2] },
		metadata: { source: "test" },
	};
	it.each([
		["role", { role: "assistant" }],
		["a role that was cleared", { role: null }],
		["type", { type: "image" }],
		["payload", { payload: { text: "same", list: [2, 1] } }],
		["a payload with a key more", { payload: { text: "same", list: [1, 2], more: null } }],
		["a payload of another type", { payload: { text: "same", list: ["1", 2] } }],
		["metadata", { metadata: {} }],
		["the conversation", { conversationId: "another" }],
	])("MSG-3: refuses an existing id with another %s, with Postgres's own error inside", async (_what, change) => {
		const { store } = gateway;
		await store.appendMessage(original);
		const before = await rowVersions(gateway);
		const error = await failure(store.appendMessage({ ...original, ...change }));
		expect(error.toJSON()).toEqual({
			code: "Conflict",
			status: 409,
			message: 'duplicate key value violates unique constraint "messages_pkey"',
			error: {
				code: "23505",
				message: 'duplicate key value violates unique constraint "messages_pkey"',
				details: `Key (project_id, message_id)=(${gateway.projectId}, differing-1) already exists.`,
				hint: null,
			},
			requestId: expect.any(String),
		});
		expect(await rowVersions(gateway)).toEqual(before);
		expect(await store.getConversation({ conversationId: "another" })).toBeNull();
	});

	it("MSG-3: compares with what is stored now, not with what was appended first", async () => {
		const { store } = gateway;
		const input = { conversationId: "edited", messageId: "edited-1", payload: "old" };
		await store.appendMessage(input);
		const updated = await store.updateMessage({ messageId: "edited-1", payload: "new" });
		expect(await failure(store.appendMessage(input))).toMatchObject({ code: "Conflict" });
		expect(await store.appendMessage({ ...input, payload: "new" })).toEqual(updated);
	});

	it("MSG-3: frees the id when its message or its conversation goes", async () => {
		const { store } = gateway;
		const input = { conversationId: "freed", messageId: "freed-1", payload: "old" };
		await store.appendMessage(input);
		await store.deleteConversation({ conversationId: "freed" });
		expect(await store.appendMessage({ ...input, conversationId: "elsewhere", payload: "new" })).toMatchObject({
			conversationId: "elsewhere",
			seq: "1",
			payload: "new",
		});
	});

	it("CONV-6: moves the conversation's updatedAt by an append, not by a replay or a refusal", async () => {
		const { store } = gateway;
		const input = { conversationId: "moving", messageId: "moving-1", payload: 1 };
		await store.appendMessage(input);
		await ageRows(gateway);
		const aged = await store.getConversation({ conversationId: "moving" });
		await store.appendMessage(input);
		await failure(store.appendMessage({ ...input, payload: 2 }));
		expect(await store.getConversation({ conversationId: "moving" })).toEqual(aged);
		const message = await store.appendMessage({ conversationId: "moving", payload: 2 });
		const moved = await store.getConversation({ conversationId: "moving" });
		expect(moved).toEqual({ ...aged, updatedAt: message.createdAt });
		expect(moved!.updatedAt > aged!.updatedAt).toBe(true);
	});
});
