import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createStore } from "@iga-pages/agent/store";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { failure } from "../support/errors.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { drainMessages } from "../support/pages.ts";
import { lockConversation, waitForLockWaiters } from "../support/sql.ts";

const conversationId = "hot";

async function start(poolSize: number, waitingCalls: number): Promise<TestGateway> {
	const gateway = await startGateway({
		poolSize,
		limits: { waitingCalls, waitingMs: 60_000, lockMs: 60_000 },
		store: { retries: 0 },
	});
	onTestFinished(gateway.close);
	await gateway.store.appendMessage({ conversationId, payload: "first" });
	return gateway;
}

function append(gateway: TestGateway, payload: string) {
	return gateway.store.appendMessage({ conversationId, payload });
}

describe("a project that floods the gateway", () => {
	it("leaves connections to the others, however long its own are blocked", async () => {
		const gateway = await start(5, 10);
		const lock = await lockConversation(gateway, conversationId);
		const flood = Array.from({ length: 14 }, (_, index) => append(gateway, `flood ${index}`));
		await waitForLockWaiters(gateway, 4);
		const { store } = await gateway.createProject();
		await store.appendMessage({ conversationId, payload: "meanwhile" });
		expect(await drainMessages(store, { conversationId })).toHaveLength(1);
		await lock.release();
		await Promise.all(flood);
		expect(await drainMessages(gateway.store, { conversationId })).toHaveLength(15);
	});

	it("gives up a place to wait to a project that has none, and takes turns with it", async () => {
		const gateway = await start(1, 3);
		const other = await gateway.createProject({ store: { retries: 0 } });
		await other.store.listConversations();
		const lock = await lockConversation(gateway, conversationId);
		const running = append(gateway, "running");
		await waitForLockWaiters(gateway, 1);
		const done: string[] = [];
		const refused: unknown[] = [];
		// Two messages each, for single ones would wait together.
		const waiting = ["a", "b", "c", "d"].map((name) =>
			gateway.store.appendMessages({ conversationId, messages: [{ payload: name }, { payload: name }] }).then(
				() => void done.push(name),
				({ code }) => void refused.push(code),
			),
		);
		// Three of the four find a place, until the other project's call comes.
		await vi.waitFor(() => expect(refused).toEqual(["TooManyRequests"]));
		const others = other.store.createConversation().then(() => done.push("other"));
		await vi.waitFor(() => expect(refused).toEqual(["TooManyRequests", "TooManyRequests"]));
		await lock.release();
		await Promise.all([running, others, ...waiting]);
		expect(done).toHaveLength(3);
		expect(done.at(-1)).not.toBe("other");
	});
});

describe("a project that holds all bytes that may be worked on", () => {
	it("does not lock out the others, and gets no more itself", async () => {
		const gateway = await startGateway({ limits: { requestBytesInFlight: 50_000 }, store: { retries: 0 } });
		onTestFinished(gateway.close);
		const other = await gateway.createProject({ store: { retries: 0 } });
		await gateway.store.createConversation({ conversationId });
		const lock = await lockConversation(gateway, conversationId);
		const running = [append(gateway, "x".repeat(30_000)), append(gateway, "x".repeat(15_000))];
		await waitForLockWaiters(gateway, 2);
		expect((await failure(append(gateway, "x".repeat(10_000)))).code).toBe("TooManyRequests");
		await other.store.appendMessage({ conversationId, payload: "x".repeat(20_000) });
		const large = other.store.appendMessage({ conversationId, payload: "x".repeat(30_000) });
		expect((await failure(large)).code).toBe("TooManyRequests");
		await lock.release();
		await Promise.all(running);
		await other.store.appendMessage({ conversationId, payload: "x".repeat(45_000) });
	});
});

describe("a caller who goes away while its call waits", () => {
	it("has nothing written", async () => {
		const gateway = await start(1, 1);
		let left = 0;
		const server = createServer((request, response) => {
			response.once("close", () => {
				if (!response.writableFinished) left += 1;
			});
			gateway.gateway.handler(request, response);
		}).listen(0, "127.0.0.1");
		onTestFinished(() => void server.close());
		await once(server, "listening");
		const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`;
		const lock = await lockConversation(gateway, conversationId);
		const running = append(gateway, "running");
		await waitForLockWaiters(gateway, 1);
		const leaving = new AbortController();
		const visitor = createStore({ url, token: gateway.token, retries: 0 });
		const calls = ["left", "left, too"].map((payload) =>
			failure(visitor.appendMessage({ conversationId, payload }, { signal: leaving.signal })),
		);
		// There is one place to wait: when one of the two is refused, the other one has it.
		expect((await Promise.race(calls)).code).toBe("TooManyRequests");
		leaving.abort();
		expect((await Promise.all(calls)).map(({ code }) => code).sort()).toEqual(["AbortError", "TooManyRequests"]);
		await vi.waitFor(() => expect(left).toBe(1));
		const last = append(gateway, "last");
		await lock.release();
		await Promise.all([running, last]);
		const messages = await drainMessages(gateway.store, { conversationId });
		expect(messages.map(({ payload }) => payload)).toEqual(["first", "running", "last"]);
	});
});
