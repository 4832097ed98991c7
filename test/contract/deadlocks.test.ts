import { createStore, type Store, StoreError } from "@iga-pages/agent/store";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { createDatabase, type TestDatabase } from "../support/database.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { drainMessages, seqs } from "../support/pages.ts";
import { query, waitForLockWaiters } from "../support/sql.ts";

const ROUNDS = 200;

let database: TestDatabase;
let gateway: TestGateway;
let second: TestGateway;
let left: Store;
let right: Store;

beforeAll(async () => {
	database = await createDatabase();
	gateway = await startGateway({ databaseUrl: database.url });
	second = await startGateway({ databaseUrl: database.url });
	const { token } = gateway;
	// Without retries, so that every error of the gateway is seen.
	[left, right] = [gateway, second].map(({ url }) => createStore({ url, token, retries: 0 })) as [Store, Store];
});

afterAll(async () => {
	await Promise.all([second.close(), gateway.close()]);
	// The gateway would hide a deadlock by trying again, but Postgres counts them, at the latest when a session ends.
	const client = new pg.Client(database.url);
	await client.connect();
	const count = async (text: string) => Number((await client.query<{ count: string }>(text)).rows[0]?.count);
	await vi.waitFor(
		async () => {
			const sessions =
				"SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()";
			expect(await count(sessions)).toBe(0);
		},
		{ timeout: 20_000 },
	);
	const deadlocks = await count("SELECT deadlocks AS count FROM pg_stat_database WHERE datname = current_database()");
	await client.end();
	await database.drop();
	expect(deadlocks).toBe(0);
});

/** Runs calls against each other; whatever fails must fail with one of the codes that the contract names for it. */
async function collide(calls: Promise<unknown>[], allowed: string[]): Promise<void> {
	for (const outcome of await Promise.allSettled(calls)) {
		if (outcome.status === "fulfilled") continue;
		expect(outcome.reason).toBeInstanceOf(StoreError);
		expect(allowed, outcome.reason.message).toContain(outcome.reason.code);
	}
}

/** No message without its conversation, no seq twice or above the counter. */
async function expectSound(): Promise<void> {
	const broken = await query(
		gateway,
		`SELECT m.message_id FROM messages m LEFT JOIN conversations c USING (project_id, conversation_id)
		WHERE c.conversation_id IS NULL OR m.seq > c.last_seq OR m.seq < 1`,
	);
	expect(broken).toEqual([]);
}

describe(`pairs that could deadlock, ${ROUNDS} rounds each`, { timeout: 180_000 }, () => {
	it("MSG-10 MSG-11: update against clear", async () => {
		for (let round = 0; round < ROUNDS; round++) {
			const conversationId = `update-clear-${round % 4}`;
			const ids = [1, 2, 3].map((item) => `uc-${round}-${item}`);
			await left.appendMessages({ conversationId, messages: ids.map((messageId) => ({ messageId, payload: 0 })) });
			const updates = ids.map((messageId) => right.updateMessage({ messageId, payload: round }));
			await collide([...updates, left.clearMessages({ conversationId })], ["NotFound"]);
			expect(await drainMessages(left, { conversationId })).toEqual([]);
		}
		await expectSound();
	});

	it("MSG-1 MSG-11: delete of a message against append", async () => {
		const conversationId = "delete-append";
		for (let round = 0; round < ROUNDS; round++) {
			const input = { conversationId, messageId: `da-${round}`, payload: round };
			await left.appendMessage(input);
			await collide(
				[
					right.deleteMessage({ messageId: input.messageId }),
					left.appendMessage(input),
					right.appendMessage(input),
					left.appendMessage({ conversationId, payload: "other" }),
				],
				[],
			);
		}
		const walked = seqs(await drainMessages(left, { conversationId, limit: 200 }));
		expect(new Set(walked).size).toBe(walked.length);
		await expectSound();
	});

	it("MSG-3 MSG-4: overlapping batches in opposite order, of one and of two conversations", async () => {
		for (let round = 0; round < ROUNDS; round++) {
			const messages = Array.from({ length: 40 }, (_, item) => ({ messageId: `ob-${round}-${item}`, payload: item }));
			const elsewhere = round % 2 === 0 ? "opposite" : "opposite-elsewhere";
			await collide(
				[
					left.appendMessages({ conversationId: "opposite", messages: messages.slice(0, 30) }),
					right.appendMessages({ conversationId: elsewhere, messages: messages.slice(10).toReversed() }),
					right.appendMessages({ conversationId: "opposite", messages: messages.slice(0, 30).toReversed() }),
				],
				["Conflict"],
			);
			// Whoever won, the batches were written whole: 30 messages, never all 40 and never fewer.
			const [row] = await query<{ written: number }>(
				gateway,
				"SELECT count(*)::int AS written FROM messages WHERE message_id LIKE $1",
				[`ob-${round}-%`],
			);
			expect(row?.written).toBe(30);
		}
		await expectSound();
	});

	it("MSG-3 MSG-4: overlapping batches in opposite order that meet in the middle", async () => {
		const blocker = new pg.Client(database.url);
		await blocker.connect();
		await left.appendMessage({ conversationId: "blocker", messageId: "blocker", payload: 0 });
		for (let round = 0; round < 20; round++) {
			const messages = Array.from({ length: 9 }, (_, item) => ({ messageId: `mm-${round}-${item}`, payload: item }));
			// Both batches stop at the id in the middle, each with its first half inserted, and go on together.
			await blocker.query("BEGIN");
			await blocker.query(
				`INSERT INTO messages SELECT (jsonb_populate_record(m, jsonb_build_object('message_id', $2::text, 'seq', 1000))).*
				FROM messages m WHERE project_id = $1 AND message_id = 'blocker'`,
				[gateway.projectId, `mm-${round}-4`],
			);
			const calls = [
				left.appendMessages({ conversationId: `ascending-${round}`, messages }),
				right.appendMessages({ conversationId: `descending-${round}`, messages: messages.toReversed() }),
			];
			const collision = collide(calls, ["Conflict"]);
			await waitForLockWaiters(gateway, 2);
			await blocker.query("ROLLBACK");
			await collision;
			const outcomes = await Promise.allSettled(calls);
			expect(outcomes.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
		}
		await blocker.end();
	});

	it("MSG-10 CONV-5: update against delete of the conversation, with an append that re-creates it", async () => {
		for (let round = 0; round < ROUNDS; round++) {
			const conversationId = `update-delete-${round % 4}`;
			const messageId = `ud-${round}`;
			await left.appendMessage({ conversationId, messageId, payload: 0 });
			await collide(
				[
					right.updateMessage({ messageId, payload: 1 }),
					left.deleteConversation({ conversationId }),
					right.appendMessage({ conversationId, payload: "again" }),
					left.deleteMessage({ messageId }),
				],
				["NotFound"],
			);
			expect(await left.getMessage({ messageId })).toBeNull();
		}
		await expectSound();
	});

	it("MSG-11 CONV-4 CONV-5: clear, metadata update, append and delete of one conversation, all at once", async () => {
		const conversationId = "melee";
		for (let round = 0; round < ROUNDS / 4; round++) {
			await collide(
				[left, right].flatMap((store) => [
					store.appendMessage({ conversationId, payload: round }),
					store.appendMessages({ conversationId, messages: [{ payload: 1 }, { payload: 2 }] }),
					store.clearMessages({ conversationId }),
					store.updateConversation({ conversationId, metadata: { round } }),
					store.deleteConversation({ conversationId }),
				]),
				["NotFound"],
			);
		}
		await expectSound();
	});
});
