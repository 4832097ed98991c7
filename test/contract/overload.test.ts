import { connect } from "node:net";
import { createStore } from "@iga-pages/agent/store";
import { pino } from "pino";
import { Registry } from "prom-client";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { failure } from "../support/errors.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { drainMessages, seqs } from "../support/pages.ts";
import { lockConversation, rowVersions, waitForLockWaiters } from "../support/sql.ts";

const registry = new Registry();
let gateway: TestGateway;

beforeAll(async () => {
	const limits = { waitingCalls: 1, waitingMs: 60_000 };
	gateway = await startGateway({ metrics: registry, poolSize: 1, limits, store: { retries: 0 } });
});

afterAll(() => gateway.close());

/** Occupies the one connection, and the one place to wait for it. */
async function occupy(conversationId: string) {
	await gateway.store.appendMessage({ conversationId, payload: "first" });
	const lock = await lockConversation(gateway, conversationId);
	const running = gateway.store.appendMessage({ conversationId, payload: "running" });
	await waitForLockWaiters(gateway, 1);
	const waiting = gateway.store.appendMessage({ conversationId, payload: "waiting" });
	await vi.waitFor(
		async () => {
			const { values } = await registry.getSingleMetric("agent_gateway_database_waiting_calls")!.get();
			expect(values[0]?.value).toBe(1);
		},
		{ timeout: 20_000, interval: 5 },
	);
	return { lock, running, waiting };
}

describe("more calls than the gateway takes", () => {
	it("ERR-4: are TooManyRequests with Retry-After and write nothing; those that wait succeed", async () => {
		const { lock, running, waiting } = await occupy("crowded");
		const before = await rowVersions(gateway);
		const response = await gateway.post({
			query: 'mutation { appendMessage(input: { conversationId: "crowded", payload: 0 }) { message { seq } } }',
		});
		expect(response.status).toBe(429);
		expect(response.headers.get("retry-after")).toMatch(/^[1-9]\d*$/);
		expect(await response.json()).toMatchObject({
			errors: [{ extensions: { code: "TooManyRequests", status: 429, requestId: expect.any(String) } }],
		});
		expect(await failure(gateway.store.clearMessages({ conversationId: "crowded" }))).toMatchObject({
			code: "TooManyRequests",
			status: 429,
		});
		expect(await rowVersions(gateway)).toEqual(before);
		await lock.release();
		expect(seqs(await Promise.all([running, waiting]))).toEqual([2, 3]);
	});

	it("ERR-4: are sent again by the SDK, also those that must not run twice", async () => {
		const { lock, running, waiting } = await occupy("retried");
		let refused: () => void;
		const wasRefused = new Promise<void>((resolve) => {
			refused = resolve;
		});
		const patient = createStore({
			url: gateway.url,
			token: gateway.token,
			retries: 10,
			fetch: async (url, init) => {
				const response = await fetch(url, init);
				if (response.status === 429) refused();
				return response;
			},
		});
		const cleared = patient.clearMessages({ conversationId: "retried" });
		await wasRefused;
		await lock.release();
		await Promise.all([running, waiting]);
		await cleared;
		expect(await drainMessages(gateway.store, { conversationId: "retried" })).toEqual([]);
	});

	it("ERR-4: wait at most as long as the limit says", async () => {
		const hasty = await startGateway({
			databaseUrl: gateway.databaseUrl,
			poolSize: 1,
			limits: { waitingMs: 300 },
			store: { retries: 0 },
		});
		try {
			await hasty.store.appendMessage({ conversationId: "hasty", payload: 1 });
			const lock = await lockConversation(hasty, "hasty");
			const running = hasty.store.appendMessage({ conversationId: "hasty", payload: 2 });
			await waitForLockWaiters(hasty, 1);
			expect(await failure(hasty.store.getMessage({ messageId: "x" }))).toMatchObject({
				code: "TooManyRequests",
				status: 429,
			});
			await lock.release();
			expect(await running).toMatchObject({ seq: "2" });
		} finally {
			await hasty.close();
		}
	});
});

describe("more bytes than the gateway holds at once", () => {
	it("ERR-4 VAL-7: are given back when callers leave while their statements wait, and nothing is logged", async () => {
		const logged: string[] = [];
		const narrow = await startGateway({
			databaseUrl: gateway.databaseUrl,
			limits: { requestBytesInFlight: 50_000 },
			logger: pino({ level: "error" }, { write: (line: string) => logged.push(line) }),
			store: { retries: 0 },
		});
		try {
			const { store } = narrow;
			const append = (signal?: AbortSignal) =>
				store.appendMessage({ conversationId: "leavers", payload: "x".repeat(40_000) }, signal ? { signal } : {});
			await append();
			for (let time = 0; time < 3; time++) {
				const lock = await lockConversation(narrow, "leavers");
				const controller = new AbortController();
				const left = failure(append(controller.signal));
				await waitForLockWaiters(narrow, 1);
				controller.abort();
				expect(await left).toMatchObject({ code: "AbortError" });
				await lock.release();
				await waitForLockWaiters(narrow, 0);
				// While the bytes of the one who left are still counted, this is refused.
				await vi.waitFor(() => append(), { timeout: 10_000, interval: 5 });
			}
			expect(logged).toEqual([]);
		} finally {
			await narrow.close();
		}
	});

	it("ERR-4 VAL-7: are given back when the client leaves in the middle of its body", async () => {
		const narrow = await startGateway({ databaseUrl: gateway.databaseUrl, limits: { requestBytesInFlight: 50_000 } });
		try {
			const { hostname, port } = new URL(narrow.url);
			for (let time = 0; time < 5; time++) {
				const socket = connect(Number(port), hostname).on("error", () => {});
				socket.write(
					`POST /graphql HTTP/1.1\r\nhost: ${hostname}\r\nauthorization: Bearer ${narrow.token}\r\n` +
						`content-type: application/json\r\ncontent-length: 45000\r\n\r\n${" ".repeat(40_000)}`,
				);
				// Its bytes are counted once there is no room for as many more.
				const probe = () => narrow.post({ query: "{ viewer { role } }", variables: { pad: "x".repeat(30_000) } });
				await vi.waitFor(async () => expect((await probe()).status).toBe(429), { timeout: 10_000, interval: 5 });
				if (time % 2 === 0) socket.resetAndDestroy();
				else socket.end();
				await vi.waitFor(async () => expect((await probe()).status).toBe(200), { timeout: 10_000, interval: 5 });
			}
		} finally {
			await narrow.close();
		}
	});

	it("ERR-4 VAL-7: are TooManyRequests with Retry-After, and what was taken is given back", async () => {
		const narrow = await startGateway({
			databaseUrl: gateway.databaseUrl,
			limits: { requestBytesInFlight: 50_000 },
			store: { retries: 0 },
		});
		try {
			await narrow.store.createConversation({ conversationId: "bytes" });
			const lock = await lockConversation(narrow, "bytes");
			const running = narrow.store.appendMessage({ conversationId: "bytes", payload: "x".repeat(30_000) });
			await waitForLockWaiters(narrow, 1);
			const refused = await narrow.post({ query: "{ viewer { role } }", variables: { pad: "x".repeat(30_000) } });
			expect(refused.status).toBe(429);
			expect(refused.headers.get("retry-after")).toMatch(/^[1-9]\d*$/);
			await lock.release();
			await running;
			// Refused and answered bodies alike were given back, or this would not fit.
			for (let time = 0; time < 3; time++) {
				await narrow.store.appendMessage({ conversationId: "bytes", payload: "x".repeat(45_000) });
			}
		} finally {
			await narrow.close();
		}
	});
});
