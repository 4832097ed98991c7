import { createStore } from "@iga-pages/agent/store";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { startGatewayProcess } from "../support/gateway-process.ts";
import { Ledger } from "../support/ledger.ts";
import { drainMessages } from "../support/pages.ts";
import { lockConversation, waitForLockWaiters } from "../support/sql.ts";

const conversationId = "busy";

let beside: TestGateway;

beforeAll(async () => {
	beside = await startGateway();
	await beside.store.createConversation({ conversationId });
});

afterAll(() => beside.close());

describe("SIGTERM while appends wait for a lock that stays", () => {
	it.each([
		["none", "its lock timeout ends them"],
		// As behind a pooler, nothing ends a statement but the gateway.
		["transaction", "the gateway's time to shut down ends them"],
	])("ERR-6: answers each of them and ends with 0 (DATABASE_POOLER=%s: %s)", async (pooler) => {
		const gateway = await startGatewayProcess("serve", {
			DATABASE_URL: beside.databaseUrl,
			DATABASE_POOLER: pooler,
		});
		const store = createStore({ url: gateway.url, token: beside.token, retries: 0 });
		const lock = await lockConversation(beside, conversationId);
		const ledger = new Ledger();
		const appends = Array.from({ length: 20 }, () => ledger.append(store, conversationId));
		await waitForLockWaiters(beside, 8);
		gateway.signal("SIGTERM");
		expect(await gateway.ended).toBe(0);
		await Promise.all(appends);
		expect(ledger.outcomes.resolved).toBe(0);
		// Those that waited for a connection were never executed.
		expect(ledger.outcomes.refused).toBeGreaterThanOrEqual(12);
		await lock.release();
		await waitForLockWaiters(beside, 0);
		const stored = await drainMessages(beside.store, { conversationId });
		await beside.store.clearMessages({ conversationId });
		ledger.verify(stored);
	});
});
