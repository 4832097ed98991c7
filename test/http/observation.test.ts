import { createStore } from "@iga-pages/agent/store";
import { pino } from "pino";
import { Registry } from "prom-client";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { failure } from "../support/errors.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { lockConversation, query, waitForLockWaiters } from "../support/sql.ts";

/** What users write, and what must not be in a log or a metric. */
const SECRET = "s3cret-words";

interface Line {
	msg: string;
	level: number;
	requestId?: string;
	project?: string;
	operation?: string;
	code?: string;
	status?: number;
	durationMs?: number;
	sdk?: string;
}

let gateway: TestGateway;
const lines: Line[] = [];
let registry: Registry;

beforeAll(async () => {
	registry = new Registry();
	const logger = pino({ level: "debug" }, { write: (line: string) => lines.push(JSON.parse(line) as Line) });
	gateway = await startGateway({ logger, metrics: registry, store: { retries: 0 } });
});

afterAll(() => gateway.close());

beforeEach(() => {
	lines.length = 0;
	registry.resetMetrics();
});

/** One request for each kind of name, text and value that a caller chooses, and each kind of error that quotes one. */
async function sendSecrets() {
	const { store } = gateway;
	const conversationId = `${SECRET}-conversation`;
	const messageId = `${SECRET}-message`;
	const message = { conversationId, messageId, role: SECRET, type: SECRET, payload: { [SECRET]: SECRET } };
	await store.appendMessage({ ...message, metadata: { [SECRET]: SECRET } });
	await failure(store.appendMessage({ ...message, payload: `${SECRET} again` }));
	await failure(store.createConversation({ conversationId }));
	await failure(store.updateMessage({ messageId: `${SECRET}-unknown`, payload: SECRET }));
	await failure(store.listMessages({ conversationId, cursor: SECRET }));
	const wrong = [
		{ query: `{ ${SECRET.replace("-", "_")} }` },
		{ query: `query ${SECRET.replace("-", "_")} { viewer { role } }`, operationName: SECRET },
		{ query: `{ message(messageId: "${SECRET}") { seq `, variables: { [SECRET]: SECRET } },
		{ query: "query ($id: Int!) { message(messageId: $id) { seq } }", variables: { id: SECRET } },
	];
	for (const body of wrong) await gateway.post(body);
	await gateway.post(`{"${SECRET}`);
	await gateway.post({ query: "{ viewer { role } }" }, { authorization: `Bearer ${SECRET}`, "x-agent-sdk": SECRET });
	await fetch(new URL(`/${SECRET}?${SECRET}`, gateway.url));
}

/** Lets the database fail with errors that quote what was to be written, as Postgres's own do. */
async function failWith(state: string, work: () => Promise<unknown>) {
	await query(
		gateway,
		`CREATE FUNCTION quote() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
			RAISE EXCEPTION USING ERRCODE = '${state}', DETAIL = 'Failing row contains (' || new.payload || ')',
				MESSAGE = CASE WHEN '${state}' LIKE '22%' THEN 'invalid input: ' || new.payload ELSE 'the reason' END;
		END $$`,
	);
	await query(gateway, "CREATE TRIGGER quote BEFORE INSERT ON messages FOR EACH ROW EXECUTE FUNCTION quote()");
	await work();
	await query(gateway, "DROP FUNCTION quote CASCADE");
}

describe("the log", () => {
	it("has one line a request: id, project, operation, code, status, duration and the SDK's version", async () => {
		const { store } = gateway;
		await store.appendMessage({ conversationId: "c", payload: 1 });
		const error = await failure(store.updateMessage({ messageId: "unknown", payload: 1 }));
		await gateway.post({ query: "{ a: viewer { role } b: viewer { role } }" });
		await gateway.post({ query: '{ viewer { role } message(messageId: "x") { seq } }' });
		await gateway.post({ query: "{ nothing }" });
		await gateway.post({ query: "{ viewer { role } }" }, { authorization: "" });
		await fetch(new URL("/nowhere", gateway.url));
		const common = { msg: "request", level: 30, requestId: expect.any(String), durationMs: expect.any(Number) };
		const project = expect.stringMatching(/^project-/);
		const sdk = expect.stringMatching(/^\d+\.\d+\.\d+/);
		expect(lines).toMatchObject([
			{ ...common, project, operation: "appendMessage", code: "OK", status: 200, sdk },
			{
				...common,
				project,
				operation: "updateMessage",
				code: "NotFound",
				status: 404,
				sdk,
				requestId: error.requestId,
			},
			{ ...common, project, operation: "viewer", code: "OK", status: 200 },
			{ ...common, project, operation: "several", code: "OK", status: 200 },
			{ ...common, project, operation: "none", code: "BadRequest", status: 400 },
			{ ...common, operation: "none", code: "Unauthorized", status: 401 },
			{ ...common, operation: "none", code: "NotFound", status: 404 },
		]);
		expect(new Set(lines.map(({ requestId }) => requestId)).size).toBe(lines.length);
		expect(lines[2]).not.toHaveProperty("sdk");
		expect(lines[5]).not.toHaveProperty("project");
	});

	it("says at debug only that somebody asked for health", async () => {
		await fetch(new URL("/health/ready", gateway.url));
		expect(lines).toMatchObject([{ level: 20, operation: "/health/ready", code: "OK", status: 200 }]);
	});

	it("ERR-5: has nothing of what callers send, whatever they send and wherever it fails", async () => {
		await sendSecrets();
		const requests = lines.length;
		for (const state of ["22P02", "23514", "53100", "XX000"]) {
			await failWith(state, () => failure(gateway.store.appendMessage({ conversationId: "c", payload: SECRET })));
		}
		// Each of the four has its request and what the database said.
		expect(lines).toHaveLength(requests + 8);
		const log = JSON.stringify(lines);
		expect(log).toContain("the reason");
		expect(log).not.toContain(SECRET);
		expect(log).not.toContain(SECRET.replace("-", "_"));
		expect(log).not.toContain(gateway.token);
		expect(log).not.toMatch(/ags_|INSERT|SELECT|postgres:\/\//);
	});
});

async function metric(name: string, labels: Record<string, string> = {}): Promise<number | undefined> {
	const { values } = await registry.getSingleMetric(name)!.get();
	return values.find((it) => Object.entries(labels).every(([label, value]) => it.labels[label] === value))?.value;
}

describe("the metrics", () => {
	it("count requests by operation and code, and time them", async () => {
		const { store } = gateway;
		for (let time = 0; time < 3; time++) await store.appendMessage({ conversationId: "c", payload: time });
		await failure(store.updateMessage({ messageId: "unknown", payload: 1 }));
		const requests = "agent_gateway_requests_total";
		expect(await metric(requests, { operation: "appendMessage", code: "OK" })).toBe(3);
		expect(await metric(requests, { operation: "updateMessage", code: "NotFound" })).toBe(1);
		const text = await registry.metrics();
		expect(text).toContain('agent_gateway_request_duration_seconds_count{operation="appendMessage"} 3');
	});

	it("count rows that were committed, by statement, and not those of a replay", async () => {
		const { store } = gateway;
		const rows = "agent_gateway_rows_written_total";
		const messages = [1, 2].map((payload) => ({ messageId: `rows-${payload}`, payload }));
		await store.appendMessages({ conversationId: "rows", messages });
		expect(await metric(rows, { statement: "messages_append" })).toBe(2);
		await store.appendMessages({ conversationId: "rows", messages });
		await failWith("23514", () => failure(store.appendMessage({ conversationId: "rows", payload: 3 })));
		await failure(store.updateMessage({ messageId: "unknown", payload: 1 }));
		expect(await metric(rows, { statement: "messages_append" })).toBe(2);
		expect(await metric(rows, { statement: "message_update" })).toBeUndefined();
	});

	it("show what is being worked on: connections, waiting calls, requests and their bytes", async () => {
		await gateway.store.createConversation({ conversationId: "held" });
		const lock = await lockConversation(gateway, "held");
		const calls = Array.from({ length: 12 }, () => gateway.store.appendMessage({ conversationId: "held", payload: 1 }));
		await waitForLockWaiters(gateway, 8);
		await vi.waitFor(async () => expect(await metric("agent_gateway_database_waiting_calls")).toBe(4));
		expect(await metric("agent_gateway_database_connections", { state: "used" })).toBe(8);
		expect(await metric("agent_gateway_requests_in_flight")).toBe(12);
		expect(await metric("agent_gateway_request_bytes_in_flight")).toBeGreaterThan(12 * 100);
		await lock.release();
		await Promise.all(calls);
		expect(await metric("agent_gateway_database_waiting_calls")).toBe(0);
		expect(await metric("agent_gateway_database_connections", { state: "used" })).toBe(0);
		expect(await metric("agent_gateway_requests_in_flight")).toBe(0);
		expect(await metric("agent_gateway_request_bytes_in_flight")).toBe(0);
	});

	it("have nothing of what callers send, and as many series as there are names in the gateway", async () => {
		await sendSecrets();
		const before = (await registry.metrics()).split("\n").length;
		const stranger = createStore({ url: gateway.url, token: "strange", retries: 0 });
		for (let time = 0; time < 5; time++) {
			await sendSecrets();
			await failure(stranger.getMessage({ messageId: `${time}` }));
			await gateway.post({ query: `query q${time} { unknown${time} }` });
			await fetch(new URL(`/path-${time}`, gateway.url));
		}
		const text = await registry.metrics();
		expect(text.split("\n").length - before).toBeLessThan(3);
		expect(text).not.toContain(SECRET);
		expect(text).not.toContain("project-");
	});
});
