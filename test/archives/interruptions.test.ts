import { once } from "node:events";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { temporaryFolder } from "../support/folder.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { spawnGateway } from "../support/gateway-process.ts";
import { query } from "../support/sql.ts";
import { archiveOf, conversationRecord, createPlace, messageRecord, type Place, recordsOf } from "./places.ts";

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

/** Exports that wait for the first messages, behind their headers, until they are let go on. */
async function heldExports() {
	const holder = new pg.Client(gateway.databaseUrl);
	await holder.connect();
	await holder.query("BEGIN; LOCK TABLE messages");
	return {
		start: async (output: string) => {
			const folder = dirname(output);
			const before = await readdir(folder);
			const args = ["export", "--project", place.name, "--output", output];
			const { child, output: printed } = spawnGateway(args, { DATABASE_URL: gateway.databaseUrl });
			const ended = once(child, "close");
			const begun = async () => (await readdir(folder)).filter((name) => !before.includes(name));
			await vi.waitFor(async () => expect(await begun()).toHaveLength(1), { timeout: 50_000, interval: 50 });
			const [partial] = await begun();
			return { child, ended, printed, partial: partial! };
		},
		goOn: () => holder.end(),
	};
}

it("an export that is interrupted leaves no part of its file", async () => {
	const folder = await temporaryFolder();
	await place.store.createConversation({ conversationId: "exported" });
	const exports = await heldExports();
	const { child, ended } = await exports.start(join(folder, "out.jsonl"));
	child.kill("SIGINT");
	const [code, signal] = await ended;
	await exports.goOn();
	expect([code, signal]).toEqual([null, "SIGINT"]);
	expect(await readdir(folder)).toEqual([]);
});

it("what a killed export left is removed by the next one of that file, which says so, and nothing else is", async () => {
	const folder = await temporaryFolder();
	const output = join(folder, "out.jsonl");
	await place.store.createConversation({ conversationId: "exported" }).catch(() => {});
	const exports = await heldExports();
	const killed = await exports.start(output);
	const other = await exports.start(join(folder, "other.jsonl"));
	for (const { child, ended } of [killed, other]) {
		child.kill("SIGKILL");
		await ended;
	}
	const own = ["out.jsonl.partial", "out.jsonl.1-mine.partial", `${killed.partial}.gz`];
	for (const name of own) await writeFile(join(folder, name), "");
	expect((await readdir(folder)).sort()).toEqual([...own, killed.partial, other.partial].sort());
	const first = await exports.start(output);
	const second = await exports.start(output);
	expect((await readdir(folder)).sort()).toEqual([...own, first.partial, second.partial, other.partial].sort());
	await exports.goOn();
	expect([await first.ended, await second.ended]).toEqual([
		[0, null],
		[0, null],
	]);
	expect(first.printed.stderr).toContain(`Removed ${join(folder, killed.partial)}, which an export that was killed`);
	expect(second.printed.stderr).not.toContain("Removed");
	expect((await readdir(folder)).sort()).toEqual([...own, "out.jsonl", other.partial].sort());
	expect(recordsOf(await readFile(output, "utf8")).at(-1)).toMatchObject({ record: "end" });
});

it("an import that is interrupted leaves no copy of its standard input", async () => {
	const folder = await temporaryFolder();
	const env = { DATABASE_URL: gateway.databaseUrl, TMPDIR: folder };
	const { child } = spawnGateway(["import", "--project", place.name, "--format", "pi", "-"], env);
	child.stdin.on("error", () => {});
	child.stdin.write("{}\n");
	const left = async () => (await readdir(folder, { recursive: true })).filter((name) => name.includes("import"));
	// A folder, and the copy in it.
	await vi.waitFor(async () => expect(await left()).toHaveLength(2), { timeout: 50_000, interval: 50 });
	child.kill("SIGTERM");
	const [code, signal] = await once(child, "close");
	expect([code, signal]).toEqual([null, "SIGTERM"]);
	expect(await left()).toEqual([]);
});
