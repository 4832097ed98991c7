import { createStore, type Store, StoreError } from "@iga-pages/agent/store";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { drainMessages, seqs } from "../support/pages.ts";
import { query } from "../support/sql.ts";

const ROUNDS = 200;

let gateway: TestGateway;
let second: TestGateway;
let left: Store;
let right: Store;

beforeAll(async () => {
	gateway = await startGateway();
	second = await startGateway({ databaseUrl: gateway.databaseUrl });
	const { token } = gateway;
	// Without retries, so that every error of the gateway is seen.
	[left, right] = [gateway, second].map(({ url }) => createStore({ url, token, retries: 0 })) as [Store, Store];
});

afterAll(async () => {
	await second.close();
	await gateway.close();
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

describe(`pairs that could deadlock, ${ROUNDS} rounds each`, () => {
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
			const messages = [1, 2, 3, 4, 5, 6].map((item) => ({ messageId: `ob-${round}-${item}`, payload: item }));
			const elsewhere = round % 2 === 0 ? "opposite" : "opposite-elsewhere";
			await collide(
				[
					left.appendMessages({ conversationId: "opposite", messages: messages.slice(0, 4) }),
					right.appendMessages({ conversationId: elsewhere, messages: messages.slice(2).toReversed() }),
					right.appendMessages({ conversationId: "opposite", messages: messages.slice(0, 4).toReversed() }),
				],
				["Conflict"],
			);
			// Whoever won, the batches were written whole: 4 messages, never all 6 and never fewer.
			const [row] = await query<{ written: number }>(
				gateway,
				"SELECT count(*)::int AS written FROM messages WHERE message_id LIKE $1",
				[`ob-${round}-%`],
			);
			expect(row?.written).toBe(4);
		}
		await expectSound();
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
