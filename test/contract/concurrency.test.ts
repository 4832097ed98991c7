import { createStore, type Store } from "@iga-pages/agent/store";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { type GatewayProcess, startGatewayProcess } from "../support/gateway-process.ts";
import { drainMessages, seqs } from "../support/pages.ts";
import { lockConversation, query, waitForLockWaiters } from "../support/sql.ts";

let gateway: TestGateway;
let second: TestGateway;
let processes: GatewayProcess[] = [];
/** One project through two gateways of this process. */
let stores: Store[];
/** The same project through two gateway processes. */
let remoteStores: Store[];

const range = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

beforeAll(async () => {
	gateway = await startGateway();
	second = await startGateway({ databaseUrl: gateway.databaseUrl });
	const environment = { DATABASE_URL: gateway.databaseUrl, LOG_LEVEL: "info" };
	processes = await Promise.all([1, 2].map(() => startGatewayProcess("serve", environment)));
	const { token } = gateway;
	stores = [gateway, second].map(({ url }) => createStore({ url, token }));
	remoteStores = processes.map(({ url }) => createStore({ url, token }));
});

afterAll(async () => {
	await Promise.all(processes.map((process) => process.stop()));
	await second.close();
	await gateway.close();
});

describe.each([
	["two gateways", () => stores],
	["two gateway processes", () => remoteStores],
])("parallel appends through %s", (place, storesOf) => {
	const nameOf = (name: string) => `${name} ${place}`;

	it("MSG-5 MSG-2: 50 first appends to one new conversation give 50 rows, seq 1 to 50, and no error", async () => {
		const conversationId = nameOf("fifty");
		const messages = await Promise.all(
			range(50).map((payload) => storesOf()[payload % 2]!.appendMessage({ conversationId, payload })),
		);
		expect(seqs(messages).sort((left, right) => left - right)).toEqual(range(50));
		const stored = await drainMessages(gateway.store, { conversationId });
		expect(stored).toEqual(messages.toSorted((left, right) => Number(left.seq) - Number(right.seq)));
	});

	it("MSG-5 MSG-2: first batches stay whole and gapless", async () => {
		const conversationId = nameOf("batches");
		const batches = await Promise.all(
			range(20).map((batch) =>
				storesOf()[batch % 2]!.appendMessages({
					conversationId,
					messages: range(5).map((item) => ({ payload: [batch, item] })),
				}),
			),
		);
		for (const batch of batches) {
			const [start = 0] = seqs(batch);
			expect(seqs(batch)).toEqual(range(5).map((item) => start + item - 1));
		}
		expect(seqs(await drainMessages(gateway.store, { conversationId }))).toEqual(range(100));
	});

	it("MSG-5 MSG-3: equal appends of one messageId give one row, and every caller gets it", async () => {
		const conversationId = nameOf("same");
		const input = { conversationId, messageId: nameOf("same-1"), role: "user", payload: { text: "same" } };
		const messages = await Promise.all(range(30).map((call) => storesOf()[call % 2]!.appendMessage(input)));
		for (const message of messages) expect(message).toEqual(messages[0]);
		expect(await drainMessages(gateway.store, { conversationId })).toEqual([messages[0]]);
		expect(await gateway.store.appendMessage({ conversationId, payload: "next" })).toMatchObject({ seq: "2" });
	});

	it("MSG-3 MSG-4: of unequal appends of one messageId exactly one wins, the others are Conflicts", async () => {
		const outcomes = await Promise.allSettled(
			range(20).map((call) =>
				storesOf()[call % 2]!.appendMessages({
					conversationId: nameOf(`rival-${call % 3}`),
					messages: [{ payload: "bystander" }, { messageId: nameOf("contested"), payload: call }],
				}),
			),
		);
		const won = outcomes.filter(({ status }) => status === "fulfilled");
		expect(won).toHaveLength(1);
		for (const outcome of outcomes) {
			if (outcome.status === "rejected") {
				expect(outcome.reason).toMatchObject({ code: "Conflict", status: 409, error: { code: "23505" } });
			}
		}
		const rows = await query(
			gateway,
			"SELECT FROM messages WHERE project_id = $1 AND conversation_id = ANY($2::text[])",
			[gateway.projectId, [0, 1, 2].map((rival) => nameOf(`rival-${rival}`))],
		);
		expect(rows).toHaveLength(2);
	});

	it("MSG-2: visibility is monotonic: a reader who saw a seq never sees a smaller one appear", async () => {
		const conversationId = nameOf("monotonic");
		let writing = true;
		const writers = Promise.all(
			range(6).map(async (writer) => {
				const store = storesOf()[writer % 2]!;
				for (const round of range(15)) {
					// Batches of different sizes, so that transactions take differently long.
					const messages = range(1 + ((writer * round) % 9)).map((item) => ({ payload: item }));
					await store.appendMessages({ conversationId, messages });
				}
			}),
		).finally(() => {
			writing = false;
		});
		const readers = range(2).map(async (reader) => {
			const store = storesOf()[reader % 2]!;
			let seen = new Set<number>();
			let newest = 0;
			while (writing) {
				const page = seqs((await store.listMessages({ conversationId, order: "desc", limit: 200 })).items);
				const late = page.filter((seq) => seq <= newest && seq > newest - 50 && !seen.has(seq));
				expect(late).toEqual([]);
				expect(page).toEqual(page.toSorted((left, right) => right - left));
				newest = Math.max(newest, page[0] ?? 0);
				seen = new Set(page);
			}
		});
		await Promise.all([writers, ...readers]);
		const total = seqs(await drainMessages(gateway.store, { conversationId, limit: 200 }));
		expect(total).toEqual(range(total.length));
	});
});

describe("appends that wait for a lock", () => {
	it("MSG-1 CONV-5: re-create the conversation when what they wait for is its delete", async () => {
		const { store } = gateway;
		const conversationId = "waited";
		await store.createConversation({ conversationId, metadata: { old: true } });
		await store.appendMessages({ conversationId, messages: [{ payload: 1 }, { payload: 2 }] });
		const lock = await lockConversation(gateway, conversationId);
		const deleted = store.deleteConversation({ conversationId });
		await waitForLockWaiters(gateway, 1);
		const appended = stores[1]!.appendMessage({ conversationId, payload: "anew" });
		await waitForLockWaiters(gateway, 2);
		await lock.release();
		await deleted;
		expect(await appended).toMatchObject({ seq: "1", payload: "anew" });
		expect(await store.getConversation({ conversationId })).toMatchObject({ metadata: {} });
		expect(seqs(await drainMessages(store, { conversationId }))).toEqual([1]);
	});

	it("MSG-10 CONV-5: an update that waits for the delete of its conversation is NotFound and re-creates nothing", async () => {
		const { store } = gateway;
		const conversationId = "update-waited";
		const { messageId } = await store.appendMessage({ conversationId, payload: 1 });
		const lock = await lockConversation(gateway, conversationId);
		const deleted = store.deleteConversation({ conversationId });
		await waitForLockWaiters(gateway, 1);
		const updated = Promise.allSettled([store.updateMessage({ messageId, payload: 2 })]);
		await waitForLockWaiters(gateway, 2);
		await lock.release();
		await deleted;
		expect(await updated).toMatchObject([{ status: "rejected", reason: { code: "NotFound", status: 404 } }]);
		expect(await store.getConversation({ conversationId })).toBeNull();
	});

	it("MSG-10 MSG-11: an update that waits for the delete or the clear of its message is NotFound", async () => {
		const { store } = gateway;
		for (const remove of ["deleteMessage", "clearMessages"] as const) {
			const conversationId = `removed-by-${remove}`;
			const { messageId } = await store.appendMessage({ conversationId, payload: 1 });
			const lock = await lockConversation(gateway, conversationId);
			const removed =
				remove === "clearMessages" ? store.clearMessages({ conversationId }) : store.deleteMessage({ messageId });
			await waitForLockWaiters(gateway, 1);
			const updated = Promise.allSettled([store.updateMessage({ messageId, payload: 2 })]);
			await waitForLockWaiters(gateway, 2);
			await lock.release();
			await removed;
			expect(await updated).toMatchObject([{ status: "rejected", reason: { code: "NotFound" } }]);
			expect(await drainMessages(store, { conversationId })).toEqual([]);
		}
	});

	it("MSG-2 VAL-11: are numbered and timed in the order in which they get the lock", async () => {
		const { store } = gateway;
		const conversationId = "queued";
		await store.createConversation({ conversationId });
		const lock = await lockConversation(gateway, conversationId);
		const calls = [];
		for (const payload of range(5)) {
			calls.push(stores[payload % 2]!.appendMessage({ conversationId, payload }));
			await waitForLockWaiters(gateway, payload);
		}
		await lock.release();
		const stored = (await Promise.all(calls)).sort((left, right) => Number(left.seq) - Number(right.seq));
		expect(seqs(stored)).toEqual(range(5));
		const times = stored.map(({ createdAt }) => createdAt);
		expect(times).toEqual(times.toSorted());
	});
});
