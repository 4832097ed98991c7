import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { query } from "../support/sql.ts";
import { createPlace, type Place } from "./places.ts";

let gateway: TestGateway;
let place: Place;
let other: Place;

beforeAll(async () => {
	gateway = await startGateway();
	place = await createPlace(gateway);
	other = await createPlace(gateway);
});
afterAll(() => gateway.close());

/** Stores something of every kind under an id. */
async function fillId({ store, sessions, states, checkpointer, transcripts, history }: Place, id: string) {
	for (const n of [1, 2, 3]) await store.appendMessage({ conversationId: id, messageId: `${id} ${n}`, payload: n });
	await sessions.branch({ conversationId: id, messageId: `${id} 1` });
	await store.appendMessage({ conversationId: id, messageId: `${id} 4`, payload: 4 });
	await history(id).addItems([
		{ role: "user", content: "five" },
		{ role: "user", content: "six" },
	]);
	await history(id).popItem();
	await states.save({ key: id, state: { n: 1 } });
	for (const n of [1, 2]) await states.appendCheckpoint({ key: id, state: { n } });
	const config = { configurable: { thread_id: id, checkpoint_ns: "" } };
	const long = Array.from({ length: 1_000 }, (_, n) => Math.sin(n));
	const putAt = (version: number, a: unknown) => {
		const versions = { a: version };
		const values = { channel_values: { a }, channel_versions: versions };
		const checkpoint = { v: 4, id: "1ef", ts: "", ...values, versions_seen: {} };
		return checkpointer.put(config, checkpoint, { source: "input", step: 0, parents: {} }, versions);
	};
	// Of a long value that changes a little, pieces are stored.
	await putAt(1, long);
	const put = await putAt(2, [...long, "more"]);
	await checkpointer.putWrites(put, [["a", 2]], "task");
	for (const projectKey of ["-a", "-b"]) await transcripts.append({ projectKey, sessionId: id }, [{ type: "user" }]);
	await transcripts.append({ projectKey: "-a", sessionId: id, subpath: "sub" }, [{ type: "user" }]);
}

/** The rows of every table, by project. */
async function rowsOf({ projectId }: Place): Promise<Record<string, number>> {
	const tables = [
		...["conversations", "messages", "branches", "history_operations", "states", "state_checkpoints", "checkpoints"],
		...[
			"checkpoint_blobs",
			"checkpoint_pieces",
			"checkpoint_writes",
			"transcripts",
			"transcript_entries",
			"transcript_clocks",
		],
	];
	const counts = tables.map((table) => `(SELECT count(*)::int FROM ${table} WHERE project_id = $1) AS ${table}`);
	const [row] = await query<Record<string, number>>(gateway, `SELECT ${counts.join()}`, [projectId]);
	return row!;
}

const ALL = {
	conversations: 1,
	messages: 5,
	branches: 1,
	historyOperations: 1,
	states: 1,
	stateCheckpoints: 2,
	checkpoints: 1,
	channelValues: 2,
	checkpointWrites: 1,
	transcripts: 2,
	transcriptEntries: 3,
};

describe("erase", () => {
	it("removes all that is stored under an id, says what, and leaves everything else", async () => {
		await fillId(place, "kept");
		const [before, beforeOther] = [await rowsOf(place), await fillId(other, "gone").then(() => rowsOf(other))];
		expect(before["checkpoint_pieces"]).toBeGreaterThan(0);
		await fillId(place, "gone");
		await place.sessions.fork({ conversationId: "gone", newConversationId: "copy" });
		const { erased, forks } = await place.sessions.erase({ conversationId: "gone" });
		expect(erased).toEqual(ALL);
		expect(forks).toEqual(["copy"]);
		await place.store.deleteConversation({ conversationId: "copy" });
		expect(await rowsOf(place)).toEqual(before);
		expect(await rowsOf(other)).toEqual(beforeOther);
		const nothing = Object.fromEntries(Object.keys(ALL).map((kind) => [kind, 0]));
		expect(await place.sessions.erase({ conversationId: "gone" })).toEqual({ erased: nothing, forks: [] });
	});

	it("is a command, too", async () => {
		await fillId(place, "gone");
		const { code, stdout } = await place.run("erase", ["gone"]);
		expect(code).toBe(0);
		for (const [kind, count] of Object.entries(ALL)) expect(stdout).toMatch(new RegExp(`^${kind} +${count}$`, "m"));
		expect(await place.store.getConversation({ conversationId: "gone" })).toBeNull();
	});

	it("leaves no orphans while others append", async () => {
		await fillId(place, "raced");
		const appends = Array.from({ length: 20 }, async (_, n) => {
			await place.store.appendMessage({ conversationId: "raced", messageId: `late ${n}`, payload: n });
			await place.states.appendCheckpoint({ key: "raced", state: { n } });
			await place.transcripts.append({ projectKey: "-a", sessionId: "raced" }, [{ type: "user", n }]);
		});
		await Promise.all([...appends, ...[1, 2, 3].map(() => place.sessions.erase({ conversationId: "raced" }))]);
		await place.sessions.erase({ conversationId: "raced" });
		for (const [table, key] of Object.entries({
			messages: "conversation_id",
			branches: "conversation_id",
			state_checkpoints: "key",
			checkpoint_blobs: "thread_id",
			checkpoint_pieces: "thread_id",
			transcript_entries: "session_id",
		})) {
			const left = await query(gateway, `SELECT FROM ${table} WHERE ${key} = 'raced'`);
			expect([table, left.length]).toEqual([table, 0]);
		}
	});
});
