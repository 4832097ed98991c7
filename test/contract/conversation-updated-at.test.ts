import type { Store } from "@iga-pages/agent/store";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { failure } from "../support/errors.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { lockConversation, query, waitForLockWaiters } from "../support/sql.ts";
import { openTransaction } from "../support/transaction.ts";

let gateway: TestGateway;

beforeAll(async () => {
	gateway = await startGateway();
});

afterAll(() => gateway.close());

const LONG_AGO = "2020-01-01T00:00:00.000Z";
let conversations = 0;

/** A conversation with the messages `<id> 1` and `<id> 2`, last updated long ago. */
async function agedConversation(): Promise<string> {
	const conversationId = `c${++conversations}`;
	await gateway.store.createConversation({ conversationId, metadata: { a: 1 } });
	const messages = [1, 2].map((payload) => ({ messageId: `${conversationId} ${payload}`, payload }));
	await gateway.store.appendMessages({ conversationId, messages });
	for (const table of ["conversations", "messages"]) {
		await query(gateway, `UPDATE ${table} SET created_at = $1, updated_at = $1 WHERE conversation_id = $2`, [
			LONG_AGO,
			conversationId,
		]);
	}
	return conversationId;
}

async function updatedAt(conversationId: string): Promise<string | undefined> {
	return (await gateway.store.getConversation({ conversationId }))?.updatedAt;
}

type Use = (store: Store, conversationId: string) => Promise<unknown>;

const MOVING: Record<string, Use> = {
	"an append": (store, conversationId) => store.appendMessage({ conversationId, payload: 3 }),
	"a batch": (store, conversationId) => store.appendMessages({ conversationId, messages: [{ payload: 3 }] }),
	"a merge": (store, conversationId) => store.updateConversation({ conversationId, metadata: { b: 1 } }),
	"a merge of equal values": (store, conversationId) =>
		store.updateConversation({ conversationId, metadata: { a: 1 } }),
	"a merge that removes nothing": (store, conversationId) =>
		store.updateConversation({ conversationId, metadata: { missing: null } }),
	"an update of a message": (store, id) => store.updateMessage({ messageId: `${id} 1`, role: "x" }),
	"an update with equal values": (store, id) => store.updateMessage({ messageId: `${id} 1`, payload: 1 }),
	"a deletion of a message": (store, id) => store.deleteMessage({ messageId: `${id} 2` }),
	"a clearing": (store, conversationId) => store.clearMessages({ conversationId }),
};

const STILL: Record<string, Use> = {
	"a replay": (store, id) => store.appendMessage({ conversationId: id, messageId: `${id} 1`, payload: 1 }),
	"a replay of a batch": (store, id) =>
		store.appendMessages({
			conversationId: id,
			messages: [
				{ messageId: `${id} 2`, payload: 2 },
				{ messageId: `${id} 1`, payload: 1 },
			],
		}),
	"a refused append": (store, id) =>
		failure(store.appendMessage({ conversationId: id, messageId: `${id} 1`, payload: "other" })),
	"a refused batch": (store, id) =>
		failure(
			store.appendMessages({ conversationId: id, messages: [{ payload: 3 }, { messageId: `${id} 1`, payload: 1 }] }),
		),
	"an empty merge": (store, conversationId) => store.updateConversation({ conversationId, metadata: {} }),
	"a refused merge": (store, conversationId) =>
		failure(store.updateConversation({ conversationId, metadata: { a: "x".repeat(1024 * 1024) } })),
	"a refused creation": (store, conversationId) => failure(store.createConversation({ conversationId })),
	"a deletion of nothing": (store) => store.deleteMessage({ messageId: "nothing" }),
	reading: (store, conversationId) =>
		Promise.all([
			store.getConversation({ conversationId }),
			store.listConversations(),
			store.listMessages({ conversationId }),
			store.getMessage({ messageId: `${conversationId} 1` }),
		]),
	"a write to another conversation": (store) => store.appendMessage({ conversationId: "another", payload: 1 }),
};

describe("updatedAt of a conversation", () => {
	it.each(Object.entries(MOVING))("CONV-6: moves with %s, to the time that the write returns", async (_, use) => {
		const conversationId = await agedConversation();
		const before = Date.now() - 60_000;
		const result = await use(gateway.store, conversationId);
		const moved = await updatedAt(conversationId);
		expect(Date.parse(moved!)).toBeGreaterThan(before);
		expect(await gateway.store.getConversation({ conversationId })).toMatchObject({ createdAt: LONG_AGO });
		const returned = ([result].flat() as ({ updatedAt?: string } | undefined)[])[0]?.updatedAt;
		expect(returned ?? moved).toBe(moved);
	});

	it.each(Object.entries(STILL))("CONV-6: stays with %s", async (_, use) => {
		const conversationId = await agedConversation();
		await use(gateway.store, conversationId);
		expect(await updatedAt(conversationId)).toBe(LONG_AGO);
	});

	it("CONV-6: stays when a conversation without messages is cleared", async () => {
		const conversationId = await agedConversation();
		await gateway.store.clearMessages({ conversationId });
		await query(gateway, "UPDATE conversations SET updated_at = $1 WHERE conversation_id = $2", [
			LONG_AGO,
			conversationId,
		]);
		await gateway.store.clearMessages({ conversationId });
		expect(await updatedAt(conversationId)).toBe(LONG_AGO);
	});

	it("CONV-6: an update of a message moves that message and no other", async () => {
		const conversationId = await agedConversation();
		await gateway.store.updateMessage({ messageId: `${conversationId} 1`, type: "t" });
		const { items } = await gateway.store.listMessages({ conversationId });
		expect(items.map((item) => item.updatedAt === LONG_AGO)).toEqual([false, true]);
		expect(items.map((item) => item.createdAt)).toEqual([LONG_AGO, LONG_AGO]);
	});

	it.each(Object.entries(MOVING))("CONV-6: never goes back with %s, though the clock was set back", async (_, use) => {
		const conversationId = await agedConversation();
		const ahead = new Date(Date.now() + 3_600_000).toISOString();
		await query(gateway, "UPDATE conversations SET updated_at = $1 WHERE conversation_id = $2", [
			ahead,
			conversationId,
		]);
		await use(gateway.store, conversationId);
		expect(await updatedAt(conversationId)).toBe(ahead);
	});

	it("CONV-6: is seen together with the change, and not before", async () => {
		const conversationId = await agedConversation();
		const message = `${conversationId} 1`;
		// The message's row is locked after the conversation's, so the write stops half way.
		const blocker = await openTransaction(gateway, "SELECT FROM messages WHERE message_id = $1 FOR UPDATE", [message]);
		const update = gateway.store.updateMessage({ messageId: message, role: "late" });
		await waitForLockWaiters(gateway, 1);
		expect(await updatedAt(conversationId)).toBe(LONG_AGO);
		expect(await gateway.store.getMessage({ messageId: message })).toMatchObject({ role: null });
		await blocker.end("ROLLBACK");
		expect((await update).updatedAt).toBe(await updatedAt(conversationId));
	});

	it("CONV-6: does not fall for writers that waited for each other", async () => {
		const { store } = gateway;
		const conversationId = await agedConversation();
		const lock = await lockConversation(gateway, conversationId);
		const writes = [
			store.appendMessage({ conversationId, payload: 1 }),
			store.updateConversation({ conversationId, metadata: { b: 1 } }),
			store.updateMessage({ messageId: `${conversationId} 2`, role: "x" }),
			store.appendMessage({ conversationId, payload: 2 }),
		];
		await waitForLockWaiters(gateway, 4);
		await lock.release();
		const times = (await Promise.all(writes)).map((written) => written.updatedAt);
		expect(await updatedAt(conversationId)).toBe([...times].sort().at(-1));
	});
});
