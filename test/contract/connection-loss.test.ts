import { createStore } from "@iga-pages/agent/store";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createDatabase } from "../support/database.ts";
import { failure } from "../support/errors.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { type GatewayProcess, startGatewayProcess } from "../support/gateway-process.ts";
import { drainMessages } from "../support/pages.ts";
import { lockConversation, query, rowVersions, waitForLockWaiters } from "../support/sql.ts";
import { Wire } from "../support/wire.ts";

/** Ends every database connection of every gateway on the database, and returns how many there were. */
async function terminateBackends(gateway: TestGateway): Promise<number> {
	const rows = await query(
		gateway,
		`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
		WHERE datname = current_database() AND application_name = 'agent-gateway' AND pid <> pg_backend_pid()`,
	);
	return rows.length;
}

let gateway: TestGateway;

beforeAll(async () => {
	gateway = await startGateway();
});

afterAll(() => gateway.close());

describe("database connections that break", () => {
	it("ERR-4 ERR-6: while idle are replaced without an error", async () => {
		const { store } = gateway;
		await Promise.all([1, 2, 3].map((payload) => store.appendMessage({ conversationId: "idle", payload })));
		expect(await terminateBackends(gateway)).toBeGreaterThan(0);
		await Promise.all([4, 5, 6].map((payload) => store.appendMessage({ conversationId: "idle", payload })));
		expect(await drainMessages(store, { conversationId: "idle" })).toHaveLength(6);
	});

	const conversationId = "broken";
	const messageId = "broken-1";
	it.each([
		["appendMessage", 502, "UnknownError", () => ({ conversationId, payload: 2 })],
		["updateMessage", 503, "ServiceUnavailable", () => ({ messageId, payload: 2 })],
		["deleteMessage", 503, "ServiceUnavailable", () => ({ messageId })],
		["clearMessages", 503, "ServiceUnavailable", () => ({ conversationId })],
		["deleteConversation", 502, "UnknownError", () => ({ conversationId })],
		["updateConversation", 503, "ServiceUnavailable", () => ({ conversationId, metadata: { a: 1 } })],
	] as const)(
		"ERR-4 ERR-6: in the middle of %s end it with %i, and the gateway lives on",
		async (method, status, code, input) => {
			const impatient = createStore({ url: gateway.url, token: gateway.token, retries: 0 });
			await gateway.store.appendMessage({ conversationId, messageId, payload: 1 });
			const before = await rowVersions(gateway);
			const lock = await lockConversation(gateway, conversationId);
			const call = impatient[method] as (input: unknown) => Promise<unknown>;
			const failed = failure(call(input()));
			await waitForLockWaiters(gateway, 1);
			await terminateBackends(gateway);
			const error = await failed;
			await lock.release();
			expect(error).toMatchObject({ code, status });
			expect(error.message).not.toMatch(/terminat|administrator|postgres:/i);
			expect(await rowVersions(gateway)).toEqual(before);
		},
	);

	it("ERR-4 ERR-6: again and again in the middle of appends double nothing and lose nothing", async () => {
		const patient = createStore({ url: gateway.url, token: gateway.token, retries: 50 });
		const conversationId = "storm";
		let writing = true;
		const resolved: string[] = [];
		const writers = Promise.all(
			Array.from({ length: 8 }, async (_, writer) => {
				for (let round = 0; round < 15; round++) {
					const [first, second] = await patient.appendMessages({
						conversationId,
						messages: [{ payload: [writer, round, 0] }, { payload: [writer, round, 1] }],
					});
					expect(BigInt(second!.seq)).toBe(BigInt(first!.seq) + 1n);
					resolved.push(first!.messageId, second!.messageId);
				}
			}),
		).finally(() => {
			writing = false;
		});
		let terminated = 0;
		for (let strike = 0; strike < 10 && writing; strike++) {
			const { length } = resolved;
			// Some progress between two strikes, so that each meets calls at another point.
			while (writing && resolved.length < length + 10) await query(gateway, "SELECT 1");
			terminated += await terminateBackends(gateway);
		}
		await writers;
		expect(terminated).toBeGreaterThan(0);
		const stored = await drainMessages(gateway.store, { conversationId, limit: 200 });
		expect(stored).toHaveLength(240);
		expect(new Set(stored.map(({ payload }) => JSON.stringify(payload))).size).toBe(240);
		expect(new Set(stored.map((message) => message.messageId))).toEqual(new Set(resolved));
	});
});

describe("a gateway process whose database connections break", () => {
	let child: GatewayProcess;

	beforeAll(async () => {
		child = await startGatewayProcess("serve", { DATABASE_URL: gateway.databaseUrl, LOG_LEVEL: "info" });
	});

	afterAll(() => child.stop());

	it("ERR-4: lives on, whatever its statements wait for", async () => {
		const conversationId = "process";
		const store = createStore({ url: child.url, token: gateway.token, retries: 0 });
		const { messageId } = await store.appendMessage({ conversationId, payload: 1 });
		for (let round = 0; round < 5; round++) {
			const lock = await lockConversation(gateway, conversationId);
			const calls = Promise.allSettled([
				store.updateMessage({ messageId, payload: round }),
				store.deleteMessage({ messageId }),
				store.clearMessages({ conversationId }),
				store.appendMessage({ conversationId, payload: 2 }),
			]);
			await waitForLockWaiters(gateway, 4);
			await terminateBackends(gateway);
			const outcomes = await calls;
			await lock.release();
			expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected", "rejected"]);
			const health = await fetch(new URL("/health/live", child.url));
			expect(health.status).toBe(200);
		}
		expect(await drainMessages(store, { conversationId })).toHaveLength(1);
	});
});

describe("a database that cannot be reached", () => {
	let cut: TestGateway;
	let wire: Wire;
	let database: Awaited<ReturnType<typeof createDatabase>>;

	beforeAll(async () => {
		database = await createDatabase();
		wire = new Wire(database.url);
		await wire.open();
		cut = await startGateway({ databaseUrl: wire.databaseUrl, store: { retries: 0 }, poolSize: 4 });
		await cut.store.appendMessage({ conversationId: "before", messageId: "before-1", payload: 1 });
		await wire.cut();
	});

	afterAll(async () => {
		await wire.open().catch(() => {});
		await cut.close();
		await wire.cut();
		await database.drop();
	});

	it("ERR-4 ERR-5: is ServiceUnavailable with Retry-After for reads and writes, and names no address", async () => {
		for (const query of [
			'{ message(messageId: "x") { seq } }',
			'mutation { deleteMessage(input: { messageId: "x" }) { messageId } }',
		]) {
			const response = await cut.post({ query });
			expect(response.status).toBe(503);
			expect(response.headers.get("retry-after")).toMatch(/^[1-9]\d*$/);
			const text = await response.text();
			expect(JSON.parse(text)).toMatchObject({ errors: [{ extensions: { code: "ServiceUnavailable", status: 503 } }] });
			expect(text).not.toMatch(/ECONNREFUSED|127\.0\.0\.1|postgres:/);
		}
	});

	it("ERR-4: is ServiceUnavailable for every one of many calls at once, not an overload", async () => {
		const calls = Array.from({ length: 40 }, (_, payload) =>
			cut.store.appendMessage({ conversationId: "many", payload }),
		);
		const codes = (await Promise.all(calls.map(failure))).map(({ code }) => code);
		expect(new Set(codes)).toEqual(new Set(["ServiceUnavailable"]));
	});

	it("ERR-4: fails also the look-up of a token that was not seen before as ServiceUnavailable, not Unauthorized", async () => {
		const strange = `ags_${Buffer.alloc(48, 7).toString("base64url")}`;
		const response = await cut.post({ query: "{ viewer { role } }" }, { authorization: `Bearer ${strange}` });
		expect(response.status).toBe(503);
		expect(response.headers.get("retry-after")).not.toBeNull();
	});

	it("ERR-4: answers /health/ready with 503, /health/live with 200", async () => {
		expect((await fetch(new URL("/health/ready", cut.url))).status).toBe(503);
		expect((await fetch(new URL("/health/live", cut.url))).status).toBe(200);
	});

	it("ERR-4 ERR-6: works again once the database is back: a waiting append is written once", async () => {
		const patient = createStore({ url: cut.url, token: cut.token, retries: 20 });
		const appended = patient.appendMessage({ conversationId: "after", payload: 1 });
		expect(await failure(cut.store.getMessage({ messageId: "before-1" }))).toMatchObject({
			code: "ServiceUnavailable",
		});
		await wire.open();
		expect(await appended).toMatchObject({ seq: "1" });
		expect(await drainMessages(cut.store, { conversationId: "after" })).toHaveLength(1);
		expect(await cut.store.getMessage({ messageId: "before-1" })).toMatchObject({ payload: 1 });
	});
});
