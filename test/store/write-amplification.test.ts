import { randomUUID } from "node:crypto";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { DEFAULT_LIMITS } from "../../server/domain/limits.ts";
import { draftMessage } from "../../server/domain/messages.ts";
import { renewRun, startRun } from "../../server/store/runs.ts";
import { checkToken } from "../../server/store/tokens.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { query } from "../support/sql.ts";

const SKIPPED = "This Postgres has no pg_walinspect, which comes with 15.";

interface Record {
	manager: string;
	type: string;
	bytes: number;
}

/** What some work makes Postgres write into the database's log, without copies of whole pages. */
async function written(gateway: TestGateway, work: () => Promise<unknown>): Promise<Record[]> {
	const at = async () =>
		(await query<{ at: string }>(gateway, "SELECT pg_current_wal_insert_lsn()::text AS at"))[0]!.at;
	const from = await at();
	await work();
	const to = await at();
	if (to === from) return [];
	const read = () =>
		query<Record>(
			gateway,
			`SELECT resource_manager AS manager, record_type AS type, (record_length - fpi_length)::int AS bytes
			FROM pg_get_wal_records_info($1, $2), pg_database
			WHERE datname = current_database() AND block_ref LIKE '%/' || pg_database.oid || '/%'`,
			[from, to],
		);
	// Refused until all of it is on disk; the tests' own Postgres leaves that for a moment.
	return vi.waitFor(read, { timeout: 20_000 });
}

/** A gateway on a Postgres whose log can be looked into. */
async function start(): Promise<TestGateway | undefined> {
	const gateway = await startGateway();
	onTestFinished(gateway.close);
	const [available] = await query(gateway, "SELECT FROM pg_available_extensions WHERE name = 'pg_walinspect'");
	if (available === undefined) return undefined;
	await query(gateway, "CREATE EXTENSION pg_walinspect");
	return gateway;
}

/** How many records there are of each kind. */
function counts(records: readonly Record[]): { [kind: string]: number } {
	const kinds: { [kind: string]: number } = {};
	for (const { manager, type } of records) kinds[`${manager} ${type}`] = (kinds[`${manager} ${type}`] ?? 0) + 1;
	return kinds;
}

const MESSAGE = { conversationId: "c", role: "user", payload: { text: "x".repeat(289) } };

describe("what Postgres writes", () => {
	// The message and its conversation, each in two indexes: those of ids, of the path, and of the latest updates.
	it("for an append is two rows and four index entries, in about a thousand bytes for 300", async ({ skip }) => {
		const gateway = await start();
		if (gateway === undefined) return skip(SKIPPED);
		for (let n = 0; n < 20; n++) await gateway.store.appendMessage(MESSAGE);
		const records = await written(gateway, () => gateway.store.appendMessage(MESSAGE));
		expect(counts(records)).toEqual({ "Heap INSERT": 1, "Heap LOCK": 1, "Heap UPDATE": 1, "Btree INSERT_LEAF": 4 });
		expect(records.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThan(1_100);
	});

	it("MSG-3: for a replay is nothing", async ({ skip }) => {
		const gateway = await start();
		if (gateway === undefined) return skip(SKIPPED);
		const message = { ...MESSAGE, messageId: "m" };
		await gateway.store.appendMessage(message);
		expect(await written(gateway, () => gateway.store.appendMessage(message))).toEqual([]);
	});

	it("for a run that renews its lease is a row on the same page, and no index entry", async ({ skip }) => {
		const gateway = await start();
		if (gateway === undefined) return skip(SKIPPED);
		for (let n = 0; n < 200; n++) await gateway.store.createConversation({ conversationId: `other ${n}` });
		const identity = await checkToken(gateway.db, gateway.token);
		const scope = { db: gateway.db, identity: identity!, limits: DEFAULT_LIMITS };
		const draft = draftMessage("message", { messageId: "m", payload: 1 }, DEFAULT_LIMITS);
		const runId = randomUUID();
		const run = await startRun(scope, { conversationId: "other 20", runId, draft, leaseMs: 60_000 });
		const kinds = counts(await written(gateway, () => renewRun(scope, run, 60_000)));
		expect(kinds).toMatchObject({ "Heap HOT_UPDATE": 1 });
		expect(Object.keys(kinds).filter((kind) => kind.startsWith("Btree"))).toEqual([]);
	});
});
