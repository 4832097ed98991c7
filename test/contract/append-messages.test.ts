import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { failure } from "../support/errors.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { drainMessages, seqs } from "../support/pages.ts";
import { ageRows, rowVersions } from "../support/sql.ts";

let gateway: TestGateway;

beforeAll(async () => {
	gateway = await startGateway();
});

afterAll(() => gateway.close());

const APPEND = `mutation ($input: AppendMessagesInput!) {
	appendMessages(input: $input) { messages { messageId seq } }
}`;

describe("appendMessages", () => {
	it("MSG-1 MSG-2: creates the conversation and numbers the messages in the order of the array", async () => {
		const { store } = gateway;
		// Descending ids, since the rows are inserted in ascending order of their ids.
		const messages = ["c", "b", "a"].map((messageId) => ({ messageId, payload: messageId }));
		const stored = await store.appendMessages({ conversationId: "ordered", messages });
		expect(stored.map(({ messageId, seq }) => [messageId, seq])).toEqual([
			["c", "1"],
			["b", "2"],
			["a", "3"],
		]);
		expect(await drainMessages(store, { conversationId: "ordered" })).toEqual(stored);
		expect(await store.getConversation({ conversationId: "ordered" })).toMatchObject({ metadata: {} });
	});

	it("MSG-4: takes 100 messages", async () => {
		const { store } = gateway;
		const messages = Array.from({ length: 100 }, (_, index) => ({ payload: index }));
		const stored = await store.appendMessages({ conversationId: "hundred", messages });
		expect(stored.map(({ payload }) => payload)).toEqual(messages.map(({ payload }) => payload));
		expect(new Set(stored.map(({ messageId }) => messageId)).size).toBe(100);
	});

	it.each([
		["no message", []],
		["101 messages", Array.from({ length: 101 }, () => ({ payload: 0 }))],
		[
			"one messageId twice",
			[
				{ messageId: "twice", payload: 1 },
				{ messageId: "once", payload: 1 },
				{ messageId: "twice", payload: 1 },
			],
		],
	])("MSG-4: refuses %s, in the SDK and in the gateway, and creates nothing", async (_what, messages) => {
		const { store } = gateway;
		const before = await rowVersions(gateway);
		const error = await failure(store.appendMessages({ conversationId: "refused", messages }));
		expect(error.toJSON()).toEqual({ code: "BadRequest", message: expect.stringMatching(/messages.*\(MSG-4\)/) });
		const response = await gateway.post({
			query: APPEND,
			variables: { input: { conversationId: "refused", messages } },
		});
		expect(response.status).toBe(400);
		expect(await response.json()).toMatchObject({
			errors: [{ message: expect.stringMatching(/^input\.messages.*\(MSG-4\)/), extensions: { code: "BadRequest" } }],
		});
		expect(await rowVersions(gateway)).toEqual(before);
		expect(await store.getConversation({ conversationId: "refused" })).toBeNull();
	});

	it("MSG-4: writes none of a batch in which one message is refused", async () => {
		const { store } = gateway;
		await store.appendMessage({ conversationId: "whole", payload: 0 });
		const before = await rowVersions(gateway);
		const good = { messageId: "whole-good", payload: 1 };
		for (const bad of [{ payload: 1, role: "x".repeat(257) }, { payload: 1, metadata: [] }, {}]) {
			const response = await gateway.post({
				query: APPEND,
				variables: { input: { conversationId: "whole", messages: [good, bad] } },
			});
			expect(response.status).toBe(400);
			expect(await response.json()).toMatchObject({
				errors: [{ message: expect.stringContaining("input.messages[1].") }],
			});
		}
		expect(await rowVersions(gateway)).toEqual(before);
	});

	it("MSG-4: returns the stored rows when all exist and are equal, in the order that is asked", async () => {
		const { store } = gateway;
		const messages = [1, 2, 3].map((n) => ({ messageId: `again-${n}`, payload: { n } }));
		const stored = await store.appendMessages({ conversationId: "again", messages });
		const before = await rowVersions(gateway);
		expect(await store.appendMessages({ conversationId: "again", messages })).toEqual(stored);
		expect(await store.appendMessages({ conversationId: "again", messages: messages.toReversed() })).toEqual(
			stored.toReversed(),
		);
		// Any stored subset is a replay, too, whatever batch it came in.
		expect(await store.appendMessages({ conversationId: "again", messages: messages.slice(1, 2) })).toEqual(
			stored.slice(1, 2),
		);
		expect(await store.appendMessage({ conversationId: "again", ...messages[2]! })).toEqual(stored[2]);
		expect(await rowVersions(gateway)).toEqual(before);
	});

	const known = { messageId: "known", payload: "known" };
	it.each([
		["an existing and a new id", [known, { messageId: "new", payload: 1 }], "known"],
		["a new and an existing id", [{ messageId: "new", payload: 1 }, known], "known"],
		["an existing id and a message without one", [known, { payload: 1 }], "known"],
		["two existing ids of which one differs", [known, { messageId: "known-2", payload: "other" }], "known"],
	])("MSG-4: refuses %s as a Conflict with 23505 inside and writes nothing", async (_what, messages, id) => {
		const { store } = gateway;
		await store.appendMessages({ conversationId: "mixed", messages: [known, { messageId: "known-2", payload: 2 }] });
		const before = await rowVersions(gateway);
		for (const conversationId of ["mixed", "never-created"]) {
			expect(await failure(store.appendMessages({ conversationId, messages }))).toMatchObject({
				code: "Conflict",
				status: 409,
				error: { code: "23505", details: expect.stringContaining(`, ${id}) already exists.`) },
			});
		}
		expect(await rowVersions(gateway)).toEqual(before);
		expect(await store.getMessage({ messageId: "new" })).toBeNull();
	});

	it("CONV-6: gives all messages of a batch the time that the conversation's updatedAt moves to", async () => {
		const { store } = gateway;
		await store.appendMessage({ conversationId: "timed", payload: 0 });
		await ageRows(gateway);
		const batch = { conversationId: "timed", messages: [1, 2, 3].map((payload) => ({ payload })) };
		const stored = await store.appendMessages(batch);
		const conversation = await store.getConversation({ conversationId: "timed" });
		expect(new Set(stored.flatMap(({ createdAt, updatedAt }) => [createdAt, updatedAt]))).toEqual(
			new Set([conversation!.updatedAt]),
		);
		expect(seqs(stored)).toEqual([2, 3, 4]);
	});
});
