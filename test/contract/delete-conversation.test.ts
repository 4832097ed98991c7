import { randomUUID } from "node:crypto";
import { createStore } from "@iga-pages/agent/store";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { failure } from "../support/errors.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { drainMessages, seqs } from "../support/pages.ts";
import { lockConversation, query, rowVersions, waitForLockWaiters } from "../support/sql.ts";
import { openTransaction } from "../support/transaction.ts";

let gateway: TestGateway;
/** A second gateway on the same database. */
let other: TestGateway;

beforeAll(async () => {
	gateway = await startGateway();
	other = await startGateway({ databaseUrl: gateway.databaseUrl });
});

afterAll(async () => {
	await other.close();
	await gateway.close();
});

/** Messages and branches whose conversation is gone. */
async function orphans(): Promise<unknown[]> {
	return query(
		gateway,
		`SELECT project_id, conversation_id FROM messages UNION ALL SELECT project_id, conversation_id FROM branches
		EXCEPT SELECT project_id, conversation_id FROM conversations`,
	);
}

describe("deleteConversation", () => {
	it("CONV-5: removes the conversation, its messages and its branches", async () => {
		const { store } = gateway;
		const conversationId = "whole";
		const kept = await store.appendMessage({ conversationId: "neighbour", payload: 1 });
		const messages = Array.from({ length: 100 }, (_, payload) => ({ payload }));
		const appended = await store.appendMessages({ conversationId, messages });
		await query(
			gateway,
			`INSERT INTO branches (project_id, conversation_id, branch, parent_branch, fork_seq, created_at)
			VALUES ($1, $2, 1, 0, 5, now())`,
			[gateway.projectId, conversationId],
		);
		expect(await store.deleteConversation({ conversationId })).toBeUndefined();
		expect(await store.getConversation({ conversationId })).toBeNull();
		expect(await store.listMessages({ conversationId })).toEqual({ items: [], nextCursor: null });
		expect(await store.getMessage({ messageId: appended[7]!.messageId })).toBeNull();
		for (const table of ["conversations", "messages", "branches"]) {
			const rows = await query(gateway, `SELECT FROM ${table} WHERE conversation_id = $1`, [conversationId]);
			expect([table, rows.length]).toEqual([table, 0]);
		}
		expect(await store.getMessage({ messageId: kept.messageId })).toEqual(kept);
		const { items } = await store.listConversations();
		expect(items.map((item) => item.conversationId)).toEqual(["neighbour"]);
	});

	it("CONV-5: succeeds for an unknown conversation and when repeated, and writes nothing then", async () => {
		const { store } = gateway;
		await store.createConversation({ conversationId: "twice" });
		await store.deleteConversation({ conversationId: "twice" });
		const before = await rowVersions(gateway);
		await store.deleteConversation({ conversationId: "twice" });
		await store.deleteConversation({ conversationId: "never was" });
		expect(await rowVersions(gateway)).toEqual(before);
	});

	it("CONV-5: a later append starts anew: metadata {}, seq from 1, ids free again", async () => {
		const { store } = gateway;
		const conversationId = "anew";
		const first = await store.createConversation({ conversationId, metadata: { title: "old" } });
		await store.appendMessages({ conversationId, messages: [{ messageId: "m1", payload: 1 }, { payload: 2 }] });
		await store.deleteConversation({ conversationId });
		expect(await store.appendMessage({ conversationId, messageId: "m1", payload: "other" })).toMatchObject({
			seq: "1",
			payload: "other",
		});
		const second = await store.getConversation({ conversationId });
		expect(second?.metadata).toEqual({});
		expect(second!.createdAt >= first.createdAt).toBe(true);
		expect(seqs(await drainMessages(store, { conversationId }))).toEqual([1]);
	});

	it("CONV-5: the cursors of the old incarnation are refused, the conversation being gone or new", async () => {
		const { store } = gateway;
		const conversationId = "cursors";
		const fill = () =>
			store.appendMessages({ conversationId, messages: Array.from({ length: 5 }, () => ({ payload: 1 })) });
		await fill();
		const cursors: { order: "asc" | "desc"; cursor: string | null }[] = [];
		for (const order of ["asc", "desc"] as const) {
			cursors.push({ order, cursor: (await store.listMessages({ conversationId, order, limit: 2 })).nextCursor });
		}
		await store.deleteConversation({ conversationId });
		const refused = async () => {
			for (const { order, cursor } of cursors) {
				const error = await failure(store.listMessages({ conversationId, order, cursor }));
				expect(error).toMatchObject({ code: "BadRequest", status: 400, message: expect.stringMatching(/MSG-8/) });
			}
		};
		await refused();
		await store.createConversation({ conversationId });
		await refused();
		await fill();
		await refused();
		expect(seqs(await drainMessages(store, { conversationId, limit: 2 }))).toEqual([1, 2, 3, 4, 5]);
	});

	it("CONV-5: no update brings a deleted conversation or message back", async () => {
		const { store } = gateway;
		const { conversationId, messageId } = await store.appendMessage({ conversationId: "buried", payload: 1 });
		await store.deleteConversation({ conversationId });
		const before = await rowVersions(gateway);
		const metadata = { a: 1 };
		expect((await failure(store.updateConversation({ conversationId, metadata }))).code).toBe("NotFound");
		expect((await failure(store.updateMessage({ messageId, payload: 2 }))).code).toBe("NotFound");
		await store.clearMessages({ conversationId });
		await store.deleteMessage({ messageId });
		expect(await rowVersions(gateway)).toEqual(before);
	});

	it.each(["appendMessage", "appendMessages"] as const)(
		"CONV-5: an %s that waits for the deletion creates anew",
		async (method) => {
			const { store } = gateway;
			const conversationId = `waits ${method}`;
			await store.createConversation({ conversationId, metadata: { old: true } });
			await store.appendMessages({ conversationId, messages: [{ payload: 1 }, { payload: 2 }] });
			const deletion = await openTransaction(gateway, "DELETE FROM conversations WHERE conversation_id = $1", [
				conversationId,
			]);
			const append =
				method === "appendMessage"
					? store.appendMessage({ conversationId, payload: "new" }).then((message) => [message])
					: store.appendMessages({ conversationId, messages: [{ payload: "new" }] });
			await waitForLockWaiters(gateway, 1);
			await deletion.end("COMMIT");
			expect(await append).toMatchObject([{ seq: "1", payload: "new" }]);
			expect(await store.getConversation({ conversationId })).toMatchObject({ metadata: {} });
			expect(await orphans()).toEqual([]);
		},
	);

	it("CONV-5: an append that waits for a deletion which is taken back goes on where it was", async () => {
		const { store } = gateway;
		const conversationId = "taken back";
		await store.appendMessage({ conversationId, payload: 1 });
		const deletion = await openTransaction(gateway, "DELETE FROM conversations WHERE conversation_id = $1", [
			conversationId,
		]);
		const append = store.appendMessage({ conversationId, payload: 2 });
		await waitForLockWaiters(gateway, 1);
		await deletion.end("ROLLBACK");
		expect((await append).seq).toBe("2");
	});

	it("CONV-5: a deletion that waits for appends takes their messages along", async () => {
		const { store } = gateway;
		const conversationId = "last words";
		await store.appendMessage({ conversationId, messageId: "first word", payload: 1 });
		const lock = await lockConversation(gateway, conversationId);
		const append = store.appendMessage({ conversationId, messageId: "last word", payload: 2 });
		await waitForLockWaiters(gateway, 1);
		const deletion = store.deleteConversation({ conversationId });
		await waitForLockWaiters(gateway, 2);
		await lock.release();
		await Promise.all([append, deletion]);
		// Postgres wakes both; whichever came first, nothing is left half.
		const left = await drainMessages(store, { conversationId });
		expect([[], ["1"]]).toContainEqual(left.map(({ seq }) => seq));
		expect(await store.getMessage({ messageId: "first word" })).toBeNull();
		expect(await orphans()).toEqual([]);
	});

	it("CONV-5: a replay that waits for the deletion is stored as a new message", async () => {
		const { store } = gateway;
		const input = { conversationId: "replayed", messageId: "replayed 1", payload: { a: 1 } };
		await store.appendMessage(input);
		const deletion = await openTransaction(gateway, "DELETE FROM conversations WHERE conversation_id = 'replayed'");
		// Until the deletion is committed the message exists, so this is a replay.
		expect(await store.appendMessage(input)).toMatchObject({ seq: "1" });
		await deletion.end("COMMIT");
		expect(await store.getMessage({ messageId: "replayed 1" })).toBeNull();
		expect(await store.appendMessage(input)).toMatchObject({ seq: "1", payload: { a: 1 } });
	});

	it("CONV-5: hundreds of deletions against appends leave no orphans and no failure, over two gateways", async () => {
		const stores = [gateway.url, other.url].map((url) => createStore({ url, token: gateway.token }));
		for (let round = 0; round < 100; round++) {
			const conversationId = `struggle ${round % 5}`;
			const [first, second] = [stores[round % 2]!, stores[(round + 1) % 2]!];
			const batch = [{ payload: 1 }, { messageId: randomUUID(), payload: 2 }];
			await Promise.all([
				first.appendMessage({ conversationId, payload: round }),
				second.deleteConversation({ conversationId }),
				second.appendMessages({ conversationId, messages: batch }),
				first.deleteConversation({ conversationId }),
				first.appendMessage({ conversationId, payload: round }),
			]);
			const numbers = seqs(await drainMessages(first, { conversationId }));
			expect(numbers).toEqual(numbers.map((_, index) => index + 1));
		}
		expect(await orphans()).toEqual([]);
		for (let slot = 0; slot < 5; slot++) {
			const conversationId = `struggle ${slot}`;
			await gateway.store.deleteConversation({ conversationId });
			expect((await gateway.store.appendMessage({ conversationId, payload: 1 })).seq).toBe("1");
		}
	});
});
