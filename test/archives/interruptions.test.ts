import { once } from "node:events";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { spawnGateway } from "../support/gateway-process.ts";
import { query } from "../support/sql.ts";
import { archiveOf, conversationRecord, createPlace, messageRecord, type Place } from "./places.ts";

let gateway: TestGateway;
let place: Place;

beforeAll(async () => {
	gateway = await startGateway();
	place = await createPlace(gateway);
});
afterAll(() => gateway.close());

const conversation = (id: string, count: number) => [
	conversationRecord(id, { lastSeq: String(count) }),
	...Array.from({ length: count }, (_, n) => messageRecord(n + 1, { messageId: `${id} ${n + 1}` })),
];

/** Transactions that have inserted messages and are not committed. */
function openInserts() {
	const sql = `SELECT FROM pg_stat_activity
		WHERE datname = current_database() AND state = 'idle in transaction' AND query ~ 'INSERT INTO messages'`;
	return query(gateway, sql);
}

it("an import that is killed leaves whole conversations only, and is completed by another one", async () => {
	const text = archiveOf(conversation("a", 3), conversation("b", 2_000), conversation("c", 3));
	const half = text.slice(0, text.indexOf('"b 1500"'));
	const { child } = spawnGateway(["import", "--project", place.name, "-"], { DATABASE_URL: gateway.databaseUrl });
	// It is killed while it waits for more.
	child.stdin.on("error", () => {});
	child.stdin.write(half);
	const patience = { timeout: 50_000, interval: 50 };
	await vi.waitFor(async () => {
		expect(await place.store.getConversation({ conversationId: "a" })).not.toBeNull();
		expect(await openInserts()).toHaveLength(1);
	}, patience);
	child.kill("SIGKILL");
	await once(child, "close");
	await vi.waitFor(async () => expect(await openInserts()).toEqual([]), patience);
	expect(await place.store.getConversation({ conversationId: "b" })).toBeNull();
	expect(await query(gateway, "SELECT FROM messages WHERE conversation_id = 'b'")).toEqual([]);
	expect(await place.run("import", ["-"], text)).toMatchObject({
		code: 0,
		stdout: "2 imported, 1 already there, 0 refused\n",
	});
	expect(await place.sessions.getStats({ conversationId: "b" })).toMatchObject({ messageCount: 2_000 });
});

it("two imports of the same archive at once import it once", async () => {
	const text = archiveOf(...Array.from({ length: 20 }, (_, n) => conversation(`twin ${n}`, 20)));
	const runs = await Promise.all([1, 2].map(() => place.run("import", ["-"], text)));
	expect(runs.map(({ code }) => code)).toEqual([0, 0]);
	const counts = runs.map(({ stdout }) => /^(\d+) imported, (\d+) already there, 0 refused$/m.exec(stdout)!.slice(1));
	expect(counts.flat().reduce((sum, count) => sum + Number(count), 0)).toBe(40);
	expect(Number(counts[0]![0]) + Number(counts[1]![0])).toBe(20);
});
