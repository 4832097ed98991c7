import { createStore } from "@iga-pages/agent/store";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { listTokens, revokeToken } from "../../server/store/tokens.ts";
import { createBrowserToken } from "../support/browser-tokens.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { startGatewayProcess } from "../support/gateway-process.ts";
import { lockConversation, query, waitForLockWaiters } from "../support/sql.ts";
import { openSubscription } from "../support/streams.ts";
import { messagesIn, type ReadTail, readTail, sessionsAt } from "../support/tails.ts";
import { Wire } from "../support/wire.ts";

let gateway: TestGateway;

beforeAll(async () => {
	gateway = await startGateway();
});

afterAll(() => gateway.close());

/** Ends the connections of a name to the test's database, and returns how many there were. */
async function terminate(name: string): Promise<number> {
	const rows = await query(
		gateway,
		`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
		WHERE datname = current_database() AND application_name LIKE $1 AND pid <> pg_backend_pid()`,
		[name],
	);
	return rows.length;
}

/** Appends, again and again where it fails, one message after another until it is told to stop. */
function writeInto(conversationId: string) {
	const store = createStore({ url: gateway.url, token: gateway.token, retries: 50 });
	let writing = true;
	const written: number[] = [];
	const done = (async () => {
		for (let payload = 1; writing; payload++) {
			await store.appendMessage({ conversationId, payload });
			written.push(payload);
		}
	})();
	return {
		written,
		stop: async () => {
			writing = false;
			await done;
			return written;
		},
	};
}

function seqs({ events }: ReadTail): number[] {
	return events.flatMap((event) => (event.kind === "message" ? [Number(event.message.seq)] : []));
}

describe("tail", () => {
	it("goes on at another gateway when its own is killed in the middle", async () => {
		const conversationId = "killed";
		const child = await startGatewayProcess("serve", { DATABASE_URL: gateway.databaseUrl });
		onTestFinished(() => child.stop());
		let url = child.url;
		const connected: string[] = [];
		// What stands between, as a load balancer does.
		const sessions = sessionsAt(gateway, (_, init) => {
			connected.push(url);
			return fetch(url, init);
		});
		const tail = readTail(sessions, { conversationId });
		const writer = writeInto(conversationId);
		await tail.until((events) => messagesIn(events) >= 20);
		child.signal("SIGKILL");
		await child.ended;
		url = gateway.url;
		const { length } = tail.events;
		await tail.until((events) => events.length > length + 20);
		const written = await writer.stop();
		await tail.until((events) => messagesIn(events) >= written.length);
		expect(tail.payloads()).toEqual(written);
		expect(connected).toContain(gateway.url);
	});

	it("misses and repeats nothing while Postgres ends its connections again and again", async () => {
		const conversationId = "terminated";
		const tails = [
			readTail(sessionsAt(gateway), { conversationId }),
			readTail(sessionsAt(gateway), { conversationId }),
		];
		const writer = writeInto(conversationId);
		let terminated = 0;
		for (let strike = 1; strike <= 8; strike++) {
			await tails[0]!.until((events) => messagesIn(events) >= strike * 10);
			terminated += await terminate("agent-gateway%");
		}
		const written = await writer.stop();
		expect(terminated).toBeGreaterThan(8);
		for (const tail of tails) {
			await tail.until((events) => messagesIn(events) >= written.length);
			// A write that broke off may have been repeated under its id, never doubled.
			expect(seqs(tail)).toEqual(written);
		}
	});

	it("hears of other gateways again after the connection for hints broke", async () => {
		const conversationId = "hinted";
		// It would look by itself after an hour only.
		const patient = await startGateway({ databaseUrl: gateway.databaseUrl, limits: { tailPollMs: 3_600_000 } });
		onTestFinished(() => patient.close());
		const tail = readTail(sessionsAt({ url: patient.url, token: gateway.token }), { conversationId });
		await tail.until((events) => events.length === 1);
		for (let round = 1; round <= 3; round++) {
			await gateway.store.appendMessage({ conversationId, payload: round });
			await tail.until((events) => messagesIn(events) === round);
			// The last break itself made the gateway look, perhaps before it was connected again.
			await vi.waitFor(async () => expect(await terminate("agent-gateway-hints")).toBeGreaterThan(0), 10_000);
		}
	});

	it("hears of the first message and of the last one that another gateway appends", async () => {
		const conversationId = "first and last";
		const patient = await startGateway({ databaseUrl: gateway.databaseUrl, limits: { tailPollMs: 3_600_000 } });
		onTestFinished(() => patient.close());
		const tail = readTail(sessionsAt({ url: patient.url, token: gateway.token }), { conversationId });
		await tail.until((events) => events.length === 1);
		const brief = await startGateway({ databaseUrl: gateway.databaseUrl });
		const store = createStore({ url: brief.url, token: gateway.token });
		// The connection for hints is made for this one.
		await store.appendMessage({ conversationId, payload: "first" });
		await tail.until((events) => messagesIn(events) === 1);
		await store.appendMessage({ conversationId, payload: "last" });
		await brief.close();
		await tail.until((events) => messagesIn(events) === 2);
	});

	it("looks by itself where no hints arrive", async () => {
		const conversationId = "unhinted";
		const wire = new Wire(gateway.databaseUrl);
		await wire.open();
		const { databaseUrl: directUrl } = wire;
		await wire.cut();
		const deaf = await startGateway({ databaseUrl: gateway.databaseUrl, directUrl, limits: { tailPollMs: 50 } });
		onTestFinished(() => deaf.close());
		const tail = readTail(sessionsAt({ url: deaf.url, token: gateway.token }), { conversationId });
		for (let round = 1; round <= 3; round++) {
			await gateway.store.appendMessage({ conversationId, payload: round });
			await tail.until((events) => messagesIn(events) === round);
		}
	});

	it("outlives a database that is away for a while", async () => {
		const conversationId = "away";
		const wire = new Wire(gateway.databaseUrl);
		await wire.open();
		const cut = await startGateway({ databaseUrl: wire.databaseUrl, limits: { tailPollMs: 50 } });
		onTestFinished(async () => {
			await cut.close();
			await wire.cut();
		});
		const tail = readTail(sessionsAt({ url: cut.url, token: gateway.token }), { conversationId });
		await gateway.store.appendMessage({ conversationId, payload: 1 });
		await tail.until((events) => messagesIn(events) === 1);
		await wire.cut();
		await gateway.store.appendMessages({ conversationId, messages: [{ payload: 2 }, { payload: 3 }] });
		await wire.open();
		await tail.until((events) => messagesIn(events) === 3);
		expect(tail.payloads()).toEqual([1, 2, 3]);
		// The stream itself has stayed.
		expect(tail.events.filter(({ kind }) => kind === "opened")).toHaveLength(1);
	});

	it("ends with Unauthorized when its token is revoked or expires", async () => {
		const impatient = await startGateway({ databaseUrl: gateway.databaseUrl, limits: { tailPollMs: 50 } });
		onTestFinished(() => impatient.close());
		const { url, db } = impatient;
		const revoked = await impatient.createProject();
		const short = await createBrowserToken(gateway, { conversationIds: ["c"], lifetimeSeconds: 2 });
		const tails = [revoked.token, short].map((token) => readTail(sessionsAt({ url, token }), { conversationId: "c" }));
		for (const tail of tails) await tail.until((events) => events.length === 1);
		const [token] = await listTokens(db, revoked.projectId);
		await revokeToken(db, token!.tokenId);
		for (const tail of tails) {
			expect(await tail.ended).toMatchObject({ code: "Unauthorized", status: 401 });
			expect(tail.events).toHaveLength(1);
		}
	});
});

describe("a gateway that closes", () => {
	it("ends its tails at once, telling why, also those that nobody reads", async () => {
		const child = await startGatewayProcess("serve", { DATABASE_URL: gateway.databaseUrl });
		onTestFinished(() => child.stop());
		const access = { url: child.url, token: gateway.token };
		const subscription = 'subscription { messageAdded(conversationId: "closing") { kind } }';
		const streams = await Promise.all([1, 2].map(() => openSubscription(access, subscription)));
		const messages = Array.from({ length: 8 }, () => ({ payload: "x".repeat(1_000_000) }));
		await gateway.store.appendMessages({ conversationId: "stalled", messages });
		const unread = await fetch(child.url, {
			method: "POST",
			headers: { accept: "*/*", authorization: `Bearer ${gateway.token}`, "content-type": "application/json" },
			body: JSON.stringify({
				query: 'subscription { messageAdded(conversationId: "stalled") { message { payload } } }',
			}),
		});
		for (const stream of streams) await stream.until(1);
		// A request that takes its time; the streams do not wait for it.
		const lock = await lockConversation(gateway, "stalled");
		const append = createStore(access).appendMessage({ conversationId: "stalled", payload: "late" });
		await waitForLockWaiters(gateway, 1);
		child.signal("SIGTERM");
		await Promise.all(streams.map(({ ended }) => ended));
		await lock.release();
		expect(await append).toMatchObject({ payload: "late" });
		expect(await child.ended).toBe(0);
		const [opened, last, complete] = streams[0]!.events();
		expect(opened).toBe('event: next\ndata: {"data":{"messageAdded":{"kind":"OPENED"}}}');
		expect(last).toMatch(/^event: next\ndata: /);
		expect(JSON.parse(last!.slice("event: next\ndata: ".length))).toMatchObject({
			errors: [{ message: "The gateway is shutting down", extensions: { code: "ServiceUnavailable", status: 503 } }],
		});
		expect(complete).toMatch(/^event: complete\n/);
		await unread.body?.cancel().catch(() => {});
	});
});
