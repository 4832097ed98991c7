import { createSessions } from "@iga-pages/agent/sessions";
import { createStore, type Message } from "@iga-pages/agent/store";
import { Registry } from "prom-client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { drainMessages } from "../support/pages.ts";
import { lockConversation, query, waitForLockWaiters } from "../support/sql.ts";

const registry = new Registry();
let gateway: TestGateway;

beforeAll(async () => {
	gateway = await startGateway({ metrics: registry });
});

afterAll(() => gateway.close());

/** Messages that were appended together with others so far. */
async function appendedTogether(): Promise<number> {
	const { values } = await registry.getSingleMetric("agent_gateway_rows_written_total")!.get();
	return values.find(({ labels }) => labels["statement"] === "messages_append_together")?.value ?? 0;
}

const range = (length: number) => Array.from({ length }, (_, index) => index);

async function createConversations(prefix: string, count: number, store = gateway.store): Promise<string[]> {
	const ids = range(count).map((index) => `${prefix}-${index}`);
	for (const conversationId of ids) await store.createConversation({ conversationId });
	return ids;
}

/** What is stored has each payload once, and seqs without gaps. */
async function expectEachOnce(conversationIds: string[], payloads: (conversationId: string) => unknown[]) {
	for (const conversationId of conversationIds) {
		const stored = await drainMessages(gateway.store, { conversationId });
		const expected = payloads(conversationId);
		expect(stored.map(({ seq }) => Number(seq))).toEqual(range(expected.length).map((index) => index + 1));
		expect(stored.map(({ payload }) => payload).sort()).toEqual(expected.sort());
	}
}

describe("appends that come at the same time", () => {
	it("MSG-1 MSG-2: are stored each once, in the conversation that it names, with seqs without gaps", async () => {
		const ids = await createConversations("many", 10);
		const before = await appendedTogether();
		const answers = await Promise.all(
			range(400).map(async (index) => {
				const input = { conversationId: ids[index % 10]!, messageId: `many-${index}`, role: "user", payload: index };
				return { input, message: await gateway.store.appendMessage(input) };
			}),
		);
		for (const { input, message } of answers) expect(message).toMatchObject(input);
		await expectEachOnce(ids, (id) => range(400).filter((index) => ids[index % 10] === id));
		expect(await appendedTogether()).toBeGreaterThan(before + 100);
	});

	it("MSG-2: have one order when two gateways append to the same conversations", async () => {
		const other = await startGateway({ databaseUrl: gateway.databaseUrl });
		try {
			const ids = await createConversations("shared", 4);
			const append = async (index: number, url: string) => {
				const response = await fetch(url, {
					method: "POST",
					headers: { "content-type": "application/json", authorization: `Bearer ${gateway.token}` },
					body: JSON.stringify({
						query: "mutation ($input: AppendMessageInput!) { appendMessage(input: $input) { message { seq } } }",
						variables: { input: { conversationId: ids[index % 4], payload: index } },
					}),
				});
				expect(((await response.json()) as { errors?: unknown }).errors).toBeUndefined();
			};
			await Promise.all(range(400).map((index) => append(index, index % 8 < 4 ? gateway.url : other.url)));
			await expectEachOnce(ids, (id) => range(400).filter((index) => ids[index % 4] === id));
		} finally {
			await other.close();
		}
	});

	it("MSG-1 MSG-3: end as each would alone: created, stored, repeated, or a Conflict", async () => {
		const [known = ""] = await createConversations("mixed", 1);
		const stored = await gateway.store.appendMessage({ conversationId: known, messageId: "stored", payload: "first" });
		const before = await appendedTogether();
		const outcomes = await Promise.allSettled(
			range(60).map((index) => {
				const inputs = [
					{ conversationId: known, messageId: `new-${index}`, payload: index },
					{ conversationId: known, messageId: "stored", payload: "first" },
					{ conversationId: known, messageId: "stored", payload: "other" },
					{ conversationId: "elsewhere", messageId: "stored", payload: "first" },
					{ conversationId: `unknown-${index}`, payload: index },
					{ conversationId: known, messageId: "twice", payload: "the same" },
				];
				return gateway.store.appendMessage(inputs[index % 6]!);
			}),
		);
		expect(await appendedTogether()).toBeGreaterThan(before);
		const kinds = range(6).map((kind) => outcomes.filter((_, index) => index % 6 === kind));
		const messagesOf = (kind: number) => kinds[kind]!.map((it) => (it as PromiseFulfilledResult<Message>).value);
		expect(messagesOf(0).map(({ payload }) => payload)).toEqual(range(10).map((index) => index * 6));
		for (const message of messagesOf(1)) expect(message).toEqual(stored);
		for (const kind of [2, 3]) {
			for (const it of kinds[kind]!)
				expect(it).toMatchObject({ reason: { code: "Conflict", error: { code: "23505" } } });
		}
		expect(messagesOf(4).map(({ conversationId, seq }) => [conversationId, seq])).toEqual(
			range(10).map((index) => [`unknown-${index * 6 + 4}`, "1"]),
		);
		expect(new Set(messagesOf(5).map((message) => JSON.stringify(message))).size).toBe(1);
		expect(await drainMessages(gateway.store, { conversationId: known })).toHaveLength(12);
		expect(await gateway.store.getConversation({ conversationId: "elsewhere" })).toBeNull();
	});

	it("MSG-2: are not held up by a conversation that another transaction has locked", async () => {
		const [locked = "", ...free] = await createConversations("held", 20);
		const lock = await lockConversation(gateway, locked);
		let isStored = false;
		const append = (conversationId: string) => gateway.store.appendMessage({ conversationId, payload: "x" });
		const [held, ...others] = [locked, ...free].map(append);
		const waiting = held!.then(() => {
			isStored = true;
		});
		await Promise.all(others);
		await waitForLockWaiters(gateway, 1);
		await Promise.all(free.map(append));
		expect(isStored).toBe(false);
		await lock.release();
		await waiting;
	});

	it("ISO-1: of two projects stay apart, also with the same ids", async () => {
		const second = await gateway.createProject();
		const projects = [gateway, second];
		for (const { store } of projects) await createConversations("apart", 3, store);
		await Promise.all(
			range(120).map((index) =>
				projects[index % 2]!.store.appendMessage({
					conversationId: `apart-${(index >> 1) % 3}`,
					messageId: `apart-${index >> 1}`,
					payload: index,
				}),
			),
		);
		for (const [number, { store }] of projects.entries()) {
			for (const conversation of range(3)) {
				const stored = await drainMessages(store, { conversationId: `apart-${conversation}` });
				const payloads = stored.map(({ payload }) => payload as number).sort((a, b) => a - b);
				expect(payloads).toEqual(
					range(120).filter((index) => index % 2 === number && (index >> 1) % 3 === conversation),
				);
			}
		}
	});

	it("MSG-12: go to the active branch of each conversation", async () => {
		const sessions = createSessions({ url: gateway.url, token: gateway.token });
		const ids = await createConversations("branched", 4);
		for (const conversationId of ids) {
			const { messageId } = await gateway.store.appendMessage({ conversationId, payload: "root" });
			await gateway.store.appendMessage({ conversationId, payload: "left" });
			await sessions.branch({ conversationId, messageId });
		}
		const append = (conversationId: string, payload: number) =>
			gateway.store.appendMessage({ conversationId, payload });
		await Promise.all(range(80).map((index) => append(ids[index % 4]!, index)));
		for (const [place, conversationId] of ids.entries()) {
			const stored = await drainMessages(gateway.store, { conversationId });
			const [root, ...others] = stored.map(({ payload }) => payload);
			expect(root).toBe("root");
			expect((others as number[]).sort((a, b) => a - b)).toEqual(range(80).filter((index) => index % 4 === place));
		}
	});

	it("ERR-4: are stored once each when their connections break again and again", async () => {
		const ids = await createConversations("broken", 10);
		let isOver = false;
		const breaking = (async () => {
			while (!isOver) {
				await query(
					gateway,
					`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
					WHERE datname = current_database() AND query LIKE '%unnest($2::text[], $3::text[]%' AND pid <> pg_backend_pid()`,
				);
			}
		})();
		const patient = createStore({ url: gateway.url, token: gateway.token, retries: 10 });
		for (const round of range(5)) {
			await Promise.all(
				range(100).map((index) =>
					patient.appendMessage({ conversationId: ids[index % 10]!, payload: round * 100 + index }),
				),
			);
		}
		isOver = true;
		await breaking;
		await expectEachOnce(ids, (id) => range(500).filter((index) => ids[index % 10] === id));
	});
});
