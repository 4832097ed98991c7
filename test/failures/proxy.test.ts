import { createStore } from "@iga-pages/agent/store";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { FAULTS, type FaultyProxy, faultSequence, startFaultyProxy } from "../support/faulty-proxy.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { Ledger } from "../support/ledger.ts";
import { drainMessages } from "../support/pages.ts";
import { query } from "../support/sql.ts";

let gateway: TestGateway;
let proxy: FaultyProxy;

beforeAll(async () => {
	gateway = await startGateway();
	proxy = await startFaultyProxy(gateway.url, faultSequence(7));
});

afterAll(async () => {
	await proxy.close();
	await gateway.close();
});

describe("a proxy that drops, cuts, doubles and delays", () => {
	it("ERR-2 ERR-4 MSG-3: loses no turn and doubles none, when the SDK tries again", async () => {
		const store = createStore({ url: proxy.url, token: gateway.token, retries: 30, timeoutMs: 60_000 });
		const ledger = new Ledger();
		await Promise.all(
			Array.from({ length: 10 }, async (_, writer) => {
				for (let turn = 0; turn < 10; turn++) {
					expect(await ledger.append(store, `turns-${writer % 3}`, (turn % 3) + 1)).toBe("resolved");
				}
			}),
		);
		expect([...proxy.done.keys()].sort()).toEqual([...FAULTS].sort());
		const stored = await Promise.all(
			[0, 1, 2].map((it) => drainMessages(gateway.store, { conversationId: `turns-${it}`, limit: 200 })),
		);
		ledger.verify(stored.flat());
		expect(stored.flat()).toHaveLength(190);
		for (const messages of stored)
			expect(messages.map(({ seq }) => Number(seq))).toEqual(messages.map((_, i) => i + 1));
	});

	it("ERR-4 ERR-6: leaves rows as callers were told, when they change them, too, and try again only where that is safe", async () => {
		const store = createStore({ url: proxy.url, token: gateway.token, retries: 3 });
		const ledgers = await Promise.all(
			Array.from({ length: 10 }, async (_, writer) => {
				const ledger = new Ledger();
				for (let round = 0; round < 6; round++) {
					await ledger.append(store, `changes-${writer}`, 2);
					await ledger.update(store);
					await ledger.delete(store);
				}
				ledger.verify(await drainMessages(gateway.store, { conversationId: `changes-${writer}` }));
				return ledger.outcomes;
			}),
		);
		for (const outcome of ["resolved", "unknown"] as const) {
			expect(ledgers.reduce((sum, outcomes) => sum + outcomes[outcome], 0)).toBeGreaterThan(0);
		}
	});

	it("ERR-4 CONV-1: makes each conversation once, where the SDK chooses its id", async () => {
		const { store: fresh, token, projectId } = await gateway.createProject();
		// A request that comes twice is an id that exists, and that is a Conflict; the SDK never sends one twice at once.
		const others = FAULTS.filter((fault) => fault !== "doubled request");
		const single = await startFaultyProxy(gateway.url, faultSequence(3, others));
		onTestFinished(single.close);
		const store = createStore({ url: single.url, token, retries: 30, timeoutMs: 60_000 });
		const made = await Promise.all(Array.from({ length: 40 }, (_, n) => store.createConversation({ metadata: { n } })));
		const rows = await query(gateway, "SELECT conversation_id FROM conversations WHERE project_id = $1", [projectId]);
		expect(rows).toHaveLength(40);
		for (const conversation of made) {
			expect(await fresh.getConversation({ conversationId: conversation.conversationId })).toEqual(conversation);
		}
	});
});
