import { connect } from "node:net";
import { createStore } from "@iga-pages/agent/store";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { type GatewayProcess, startGatewayProcess } from "../support/gateway-process.ts";
import { Ledger } from "../support/ledger.ts";
import { drainMessages, seqs } from "../support/pages.ts";
import { lockConversation, waitForLockWaiters } from "../support/sql.ts";

const conversationId = "busy";

/** Beside the processes under test, to look at the rows. */
let beside: TestGateway;

beforeAll(async () => {
	beside = await startGateway();
	await beside.store.createConversation({ conversationId });
});

afterAll(() => beside.close());

async function start(env: Record<string, string> = {}): Promise<GatewayProcess> {
	const gateway = await startGatewayProcess("serve", { DATABASE_URL: beside.databaseUrl, ...env });
	onTestFinished(() => gateway.stop());
	return gateway;
}

function storeAt({ url }: GatewayProcess) {
	return createStore({ url, token: beside.token, retries: 0 });
}

/** Resolves when the gateway takes no more connections. */
async function waitUntilClosed({ url }: GatewayProcess): Promise<void> {
	const { hostname, port } = new URL(url);
	const probe = () =>
		new Promise<void>((resolve, reject) => {
			const socket = connect(Number(port), hostname)
				.once("connect", () => {
					socket.destroy();
					reject(new Error("still open"));
				})
				.once("error", () => resolve());
		});
	await vi.waitFor(probe, { timeout: 20_000, interval: 10 });
}

describe("SIGTERM while 20 appends wait for a lock", () => {
	it("ERR-6: lets them finish when the lock goes, and ends with 0", async () => {
		const gateway = await start();
		const lock = await lockConversation(beside, conversationId);
		const appends = Array.from({ length: 20 }, (_, payload) =>
			storeAt(gateway).appendMessage({ conversationId, payload }),
		);
		// One project has eight of the ten connections at most; the other calls wait for one.
		await waitForLockWaiters(beside, 8);
		gateway.signal("SIGTERM");
		await waitUntilClosed(gateway);
		await lock.release();
		const stored = await Promise.all(appends);
		expect(await gateway.ended).toBe(0);
		expect(new Set(seqs(stored)).size).toBe(20);
		const ids = new Set((await drainMessages(beside.store, { conversationId })).map(({ messageId }) => messageId));
		expect(stored.every(({ messageId }) => ids.has(messageId))).toBe(true);
	});

	it("ends at once on a second one, and every append is there at most once", async () => {
		const gateway = await start();
		const lock = await lockConversation(beside, conversationId);
		const ledger = new Ledger();
		const appends = Array.from({ length: 20 }, () => ledger.append(storeAt(gateway), conversationId));
		await waitForLockWaiters(beside, 8);
		gateway.signal("SIGTERM");
		await waitUntilClosed(gateway);
		let code: unknown;
		void gateway.ended.then((ended) => {
			code = ended;
		});
		// What follows within a second is the same signal, forwarded by npm.
		await vi.waitFor(
			() => {
				if (code === undefined) gateway.signal("SIGTERM");
				expect(code).toBe(130);
			},
			{ timeout: 9_000 },
		);
		await Promise.all(appends);
		await lock.release();
		await waitForLockWaiters(beside, 0);
		const messages = await drainMessages(beside.store, { conversationId });
		ledger.verify(messages.filter(({ payload }) => typeof payload === "object"));
		const { resolved, refused, unknown } = ledger.outcomes;
		expect([resolved, refused + unknown]).toEqual([0, 20]);
		// One that was still on its way met a closed port, and was certainly not executed; those at the lock are unknown.
		expect(unknown).toBeGreaterThanOrEqual(8);
	});
});

describe("kill -9 in the middle of batches", () => {
	it("MSG-4 ERR-6: leaves no half batch, and what was acknowledged; another gateway goes on at once", async () => {
		const ledger = new Ledger();
		const killed = ["batches-1", "batches-2"];
		for (let round = 0; round < 3; round++) {
			const gateway = await start();
			let alive = true;
			const goal = ledger.outcomes.resolved + 20;
			const writers = Array.from({ length: 8 }, async (_, writer) => {
				while (alive) {
					await ledger.append(storeAt(gateway), killed[writer % 2]!, 25);
					if (!alive || ledger.outcomes.resolved < goal) continue;
					alive = false;
					gateway.signal("SIGKILL");
				}
			});
			expect(await gateway.ended).toBe("SIGKILL");
			await Promise.all(writers);
		}
		expect(ledger.outcomes.unknown).toBeGreaterThan(0);
		expect(await ledger.append(beside.store, killed[0]!)).toBe("resolved");
		const walks = killed.map((it) => drainMessages(beside.store, { conversationId: it, limit: 200 }));
		const stored = await Promise.all(walks);
		ledger.verify(stored.flat());
		for (const messages of stored) expect(seqs(messages)).toEqual(messages.map((_, index) => index + 1));
	});
});
