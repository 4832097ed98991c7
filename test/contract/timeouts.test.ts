import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { failure } from "../support/errors.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { drainMessages } from "../support/pages.ts";
import { lockConversation, rowVersions, waitForLockWaiters } from "../support/sql.ts";

describe("a lock that another session holds past lock_timeout", () => {
	let gateway: TestGateway;
	const conversationId = "held";
	const messageId = "held-1";

	beforeAll(async () => {
		gateway = await startGateway({ limits: { lockMs: 300 }, store: { retries: 0 } });
		await gateway.store.appendMessage({ conversationId, messageId, payload: 1 });
	});

	afterAll(() => gateway.close());

	it.each([
		["appendMessage", () => gateway.store.appendMessage({ conversationId, payload: 2 })],
		["appendMessages", () => gateway.store.appendMessages({ conversationId, messages: [{ payload: 2 }] })],
		["updateMessage", () => gateway.store.updateMessage({ messageId, payload: 2 })],
		["deleteMessage", () => gateway.store.deleteMessage({ messageId })],
		["clearMessages", () => gateway.store.clearMessages({ conversationId })],
		["updateConversation", () => gateway.store.updateConversation({ conversationId, metadata: { a: 1 } })],
		["deleteConversation", () => gateway.store.deleteConversation({ conversationId })],
	])(
		"ERR-1 ERR-6: %s is a TimeoutError with Postgres's 55P03 inside, and nothing is written",
		async (_method, call) => {
			const before = await rowVersions(gateway);
			const lock = await lockConversation(gateway, conversationId);
			const error = await failure(call()).finally(() => lock.release());
			expect(error.toJSON()).toEqual({
				code: "TimeoutError",
				status: 504,
				message: "The database did not finish in time; nothing was written",
				error: { code: "55P03", message: "canceling statement due to lock timeout", details: null, hint: null },
				requestId: expect.any(String),
			});
			expect(await rowVersions(gateway)).toEqual(before);
		},
	);

	it("MSG-7: reads do not wait for it", async () => {
		const lock = await lockConversation(gateway, conversationId);
		try {
			expect(await drainMessages(gateway.store, { conversationId })).toHaveLength(1);
			expect(await gateway.store.getConversation({ conversationId })).not.toBeNull();
		} finally {
			await lock.release();
		}
	});

	it("ERR-4: an append outlives it by the SDK's retries, and is written once", async () => {
		const { store } = await gateway.createProject();
		await store.createConversation({ conversationId: "outlived" });
		const patient = await gateway.createProject({ store: { retries: 20 } });
		await patient.store.createConversation({ conversationId });
		const lock = await lockConversation({ ...gateway, projectId: patient.projectId }, conversationId);
		const appended = patient.store.appendMessage({ conversationId, payload: "once" });
		await waitForLockWaiters(gateway, 1);
		await waitForLockWaiters(gateway, 0);
		await lock.release();
		expect(await appended).toMatchObject({ seq: "1", payload: "once" });
		expect(await drainMessages(patient.store, { conversationId })).toHaveLength(1);
	});
});

describe("a statement that runs past statement_timeout", () => {
	let gateway: TestGateway;

	beforeAll(async () => {
		gateway = await startGateway({ limits: { statementMs: 300 }, store: { retries: 0 } });
	});

	afterAll(() => gateway.close());

	it("ERR-1 ERR-6: is a TimeoutError with Postgres's 57014 inside, and nothing is written", async () => {
		const { store } = gateway;
		await store.createConversation({ conversationId: "slow" });
		const before = await rowVersions(gateway);
		const lock = await lockConversation(gateway, "slow");
		const error = await failure(store.appendMessage({ conversationId: "slow", payload: 1 })).finally(() =>
			lock.release(),
		);
		expect(error).toMatchObject({
			code: "TimeoutError",
			status: 504,
			error: { code: "57014", message: "canceling statement due to statement timeout" },
		});
		expect(await rowVersions(gateway)).toEqual(before);
		expect(await store.appendMessage({ conversationId: "slow", payload: 1 })).toMatchObject({ seq: "1" });
	});
});

describe("a caller who leaves", () => {
	let gateway: TestGateway;

	beforeAll(async () => {
		gateway = await startGateway();
	});

	afterAll(() => gateway.close());

	it("ERR-3: aborting one call, or its time running out, affects no other call", async () => {
		const { store } = gateway;
		const conversationId = "left";
		await store.createConversation({ conversationId });
		const lock = await lockConversation(gateway, conversationId);
		const controller = new AbortController();
		const aborted = failure(store.appendMessage({ conversationId, payload: "aborted" }, { signal: controller.signal }));
		const late = failure(store.appendMessage({ conversationId, payload: "late" }, { timeoutMs: 200 }));
		const kept = store.appendMessage({ conversationId, payload: "kept" });
		await waitForLockWaiters(gateway, 3);
		controller.abort();
		expect((await aborted).toJSON()).toEqual({ code: "AbortError", message: expect.any(String) });
		expect((await late).toJSON()).toEqual({ code: "TimeoutError", message: expect.stringContaining("200 ms") });
		await lock.release();
		expect(await kept).toMatchObject({ payload: "kept" });
		// What became of the other two is unknown to their callers, but each is there once at most.
		const payloads = (await drainMessages(store, { conversationId })).map(({ payload }) => payload);
		expect(new Set(payloads).size).toBe(payloads.length);
	});
});
