import pg from "pg";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { DEFAULT_LIMITS } from "../../server/domain/limits.ts";
import { pruneProject } from "../../server/store/retention.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { lockConversation, query, waitForLockWaiters } from "../support/sql.ts";
import { openTransaction } from "../support/transaction.ts";
import { createPlace, type Place } from "./places.ts";

let gateway: TestGateway;
let place: Place;

beforeEach(async () => {
	gateway ??= await startGateway();
	place = await createPlace(gateway);
});
afterAll(() => gateway?.close());

/** Sets the times of all that is stored under an id back by 100 days. */
async function age(...ids: string[]): Promise<void> {
	const long = "interval '100 days'";
	for (const [table, key, columns] of [
		["conversations", "conversation_id", ["updated_at"]],
		["states", "key", ["created_at", "updated_at"]],
		["state_checkpoints", "key", ["created_at"]],
		["checkpoints", "thread_id", ["created_at"]],
		["transcripts", "session_id", ["created_at"]],
	] as const) {
		const set = columns.map((column) => `${column} = ${column} - ${long}`).join();
		await query(gateway, `UPDATE ${table} SET ${set} WHERE project_id = $1 AND ${key} = ANY($2::text[])`, [
			place.projectId,
			ids,
		]);
	}
	const mtime =
		"UPDATE transcripts SET mtime = mtime - 8640000000 WHERE project_id = $1 AND session_id = ANY($2::text[])";
	await query(gateway, mtime, [place.projectId, ids]);
}

async function conversationIds(): Promise<string[]> {
	const { items } = await place.store.listConversations({ limit: 200 });
	return items.map(({ conversationId }) => conversationId).sort();
}

async function checkpoint(threadId: string, n: number, ns = ""): Promise<void> {
	const config = {
		configurable: { thread_id: threadId, checkpoint_ns: ns, ...(n > 1 && { checkpoint_id: `id-${n - 1}` }) },
	};
	const versions = { a: n };
	const values = {
		v: 4,
		id: `id-${n}`,
		ts: "",
		channel_values: versions,
		channel_versions: versions,
		versions_seen: {},
	};
	const put = await place.checkpointer.put(config, values, { source: "loop", step: n, parents: {} }, versions);
	await place.checkpointer.putWrites(put, [["a", n]], "task");
}

/** Prunes, first dry and then really, and checks that both count the same. */
async function prune(...args: string[]): Promise<Record<string, number>> {
	const counts = ({ stdout }: { stdout: string }) =>
		Object.fromEntries([...stdout.matchAll(/^(\w+) +(\d+)$/gm)].map(([, kind, count]) => [kind!, Number(count)]));
	const dry = await place.run("prune", [...args, "--dry-run"]);
	expect(dry).toMatchObject({ code: 0, stdout: expect.stringContaining("Nothing was removed: this was a dry run.") });
	const real = await place.run("prune", args);
	expect(real.code).toBe(0);
	expect(counts(dry)).toEqual(counts(real));
	return Object.fromEntries(Object.entries(counts(real)).filter(([, count]) => count > 0));
}

describe("prune", () => {
	it("removes old conversations with all that is stored under their ids, and nothing younger", async () => {
		const { store, states, transcripts } = place;
		for (const id of ["old", "young", "old thread", "used thread", "used state", "used transcript"]) {
			for (const n of [1, 2]) await store.appendMessage({ conversationId: id, messageId: `${id} ${n}`, payload: n });
		}
		for (const id of ["old thread", "used thread"]) await checkpoint(id, 1);
		await states.save({ key: "used state", state: {} });
		await states.save({ key: "old", state: {} });
		for (const sessionId of ["old", "used transcript"]) {
			await transcripts.append({ projectKey: "-a", sessionId }, [{ type: "user" }]);
		}
		await age("old", "old thread", "used thread", "used state", "used transcript");
		await checkpoint("used thread", 2);
		await states.save({ key: "used state", state: {} });
		await transcripts.append({ projectKey: "-a", sessionId: "used transcript" }, [{ type: "user" }]);
		expect(await prune("--older-than", "90d")).toEqual({
			conversations: 2,
			messages: 4,
			states: 1,
			checkpoints: 1,
			channelValues: 1,
			checkpointWrites: 1,
			transcripts: 1,
			transcriptEntries: 1,
		});
		expect(await conversationIds()).toEqual(["used state", "used thread", "used transcript", "young"]);
		expect(await prune("--older-than", "90d")).toEqual({});
	});

	it("removes old states, threads and transcripts that have no conversation, each id by the youngest of it", async () => {
		const { store, states, transcripts } = place;
		for (const id of ["both", "mixed", "state", "talk"]) await states.save({ key: id, state: {} });
		await states.appendCheckpoint({ key: "snapshots", state: {} });
		for (const id of ["both", "mixed", "thread", "talk"]) await checkpoint(id, 1);
		for (const sessionId of ["both", "session", "talk"]) {
			for (const projectKey of ["-a", "-b"]) await transcripts.append({ projectKey, sessionId }, [{ type: "user" }]);
		}
		await store.appendMessage({ conversationId: "talk", payload: 1 });
		expect(await prune("--older-than", "90d")).toEqual({});
		await age("both", "mixed", "state", "snapshots", "thread", "session");
		await checkpoint("mixed", 2);
		await query(
			gateway,
			"UPDATE states SET created_at = now() - interval '100 days', updated_at = created_at WHERE key = 'talk'",
		);
		expect(await prune("--older-than", "90d")).toEqual({
			states: 3,
			stateCheckpoints: 1,
			checkpoints: 2,
			channelValues: 2,
			checkpointWrites: 2,
			transcripts: 4,
			transcriptEntries: 4,
		});
		expect((await states.list()).items.map(({ key }) => key).sort()).toEqual(["mixed", "talk"]);
		expect(await transcripts.listSessions?.("-a")).toMatchObject([{ sessionId: "talk" }]);
		expect(await prune("--older-than", "90d")).toEqual({});
	});

	it("keeps the newest checkpoints of each namespace and state, and forgets expired operations", async () => {
		const { states, history } = place;
		for (const ns of ["", "sub"]) for (const n of [1, 2, 3, 4]) await checkpoint("t", n, ns);
		for (const n of [1, 2, 3, 4]) await states.appendCheckpoint({ key: "s", state: { n } });
		await history("h").addItems([
			{ role: "user", content: "1" },
			{ role: "user", content: "2" },
		]);
		await history("h").popItem();
		await query(gateway, "UPDATE history_operations SET expires_at = now() - interval '1 s' WHERE project_id = $1", [
			place.projectId,
		]);
		expect(await prune("--keep-checkpoints", "2")).toEqual({
			checkpoints: 4,
			channelValues: 4,
			checkpointWrites: 4,
			stateCheckpoints: 2,
			historyOperations: 1,
		});
		const left = [];
		for await (const { config } of place.checkpointer.list({ configurable: { thread_id: "t", checkpoint_ns: "" } })) {
			left.push(config.configurable?.["checkpoint_id"]);
		}
		expect(left).toEqual(["id-4", "id-3"]);
		expect((await states.listCheckpoints({ key: "s" })).items.map(({ state }) => state)).toEqual([{ n: 4 }, { n: 3 }]);
	});

	it("touches the projects that it is asked for, and takes orders that make sense only", async () => {
		await place.store.createConversation({ conversationId: "old" });
		await age("old");
		const other = await createPlace(gateway);
		const { stdout } = await other.run("prune", ["--older-than", "90d"]);
		expect(stdout).toMatch(/^conversations +0$/m);
		expect(await conversationIds()).toEqual(["old"]);
		for (const [args, message] of [
			[[], "needs --older-than or --keep-checkpoints"],
			[["--older-than", "soon"], "--older-than: must be an age like 90d"],
			[["--keep-checkpoints", "0"], "--keep-checkpoints: must be an integer of at least 1"],
		] as const) {
			const refused = await other.run("prune", [...args]);
			expect(refused).toMatchObject({ stdout: "", stderr: expect.stringContaining(message) });
			expect(refused.code).not.toBe(0);
		}
	});
});

describe("while prune runs", () => {
	const pruneOld = (dryRun = false) => {
		const scope = { db: gateway.db, identity: { projectId: place.projectId }, limits: DEFAULT_LIMITS };
		return pruneProject(scope, { olderThanMs: 90 * 86_400_000, keepCheckpoints: 1, dryRun });
	};

	it("a conversation that is touched meanwhile is kept, and nothing waits for its lock", async () => {
		for (const conversationId of ["a", "b", "c"]) await place.store.appendMessage({ conversationId, payload: 1 });
		await age("a", "b", "c");
		const lock = await lockConversation({ ...gateway, projectId: place.projectId }, "b");
		// Does not wait for the one that is locked: whoever holds it is touching it.
		expect(await pruneOld()).toMatchObject({ conversations: 2 });
		await lock.release();
		await place.store.appendMessage({ conversationId: "b", payload: 2 });
		expect(await pruneOld()).toMatchObject({ conversations: 0 });
		expect(await conversationIds()).toEqual(["b"]);
	});

	it("a state that is saved meanwhile keeps all that has its id", async () => {
		await place.store.appendMessage({ conversationId: "saved", payload: 1 });
		await place.states.save({ key: "saved", state: { n: 1 }, version: 1 });
		await age("saved");
		const writer = new pg.Client(gateway.databaseUrl);
		await writer.connect();
		await writer.query("BEGIN");
		const save = "UPDATE states SET updated_at = now() WHERE project_id = $1 AND key = 'saved'";
		await writer.query(save, [place.projectId]);
		const pruning = pruneOld();
		await waitForLockWaiters(gateway, 1);
		await writer.query("COMMIT");
		await writer.end();
		expect(await pruning).toMatchObject({ conversations: 0, states: 0 });
		expect(await place.states.load({ key: "saved" })).toMatchObject({ state: { n: 1 } });
	});

	it("what is stored under its id for the first time, or without a lock, stays", async () => {
		const { store, states, transcripts } = place;
		await store.appendMessage({ conversationId: "late", messageId: "late 1", payload: 1 });
		await checkpoint("late", 1);
		await age("late");
		// Holds up what prune deletes first, when it has looked at everything.
		const message = "SELECT FROM messages WHERE project_id = $1 AND message_id = 'late 1' FOR UPDATE";
		const holder = await openTransaction(gateway, message, [place.projectId]);
		const pruning = pruneOld();
		await waitForLockWaiters(gateway, 1);
		await checkpoint("late", 2);
		await states.save({ key: "late", state: { n: 1 } });
		await transcripts.append({ projectKey: "-late", sessionId: "late" }, [{ type: "user" }]);
		await holder.end("ROLLBACK");
		expect(await pruning).toMatchObject({ conversations: 1, messages: 1, checkpoints: 1, states: 0, transcripts: 0 });
		const newest = await place.checkpointer.getTuple({ configurable: { thread_id: "late" } });
		expect(newest?.checkpoint).toMatchObject({ id: "id-2", channel_values: { a: 2 } });
		expect(newest?.pendingWrites).toEqual([["task", "a", 2]]);
		expect(await states.load({ key: "late" })).toMatchObject({ state: { n: 1 } });
		expect(await transcripts.load({ projectKey: "-late", sessionId: "late" })).toEqual([{ type: "user" }]);
	});

	it("a conversation that is made meanwhile stays, without what was there before it", async () => {
		await place.states.save({ key: "made", state: {} });
		await checkpoint("made", 1);
		await age("made");
		const held = "SELECT FROM checkpoints WHERE project_id = $1 AND thread_id = 'made' FOR UPDATE";
		const holder = await openTransaction(gateway, held, [place.projectId]);
		const pruning = pruneOld();
		await waitForLockWaiters(gateway, 1);
		await place.store.appendMessage({ conversationId: "made", payload: 1 });
		await holder.end("ROLLBACK");
		expect(await pruning).toMatchObject({ conversations: 0, messages: 0, states: 1, checkpoints: 1 });
		expect(await place.store.listMessages({ conversationId: "made" })).toMatchObject({ items: [{ payload: 1 }] });
	});

	it("a run that has the conversation keeps it", async () => {
		await place.store.appendMessage({ conversationId: "run", payload: 1 });
		await age("run");
		const lease =
			"UPDATE conversations SET run_id = gen_random_uuid(), run_expires_at = now() + interval '1 minute' WHERE project_id = $1";
		await query(gateway, lease, [place.projectId]);
		expect(await pruneOld(true)).toMatchObject({ conversations: 0 });
		expect(await pruneOld()).toMatchObject({ conversations: 0 });
	});

	it("appends to other conversations go on, and to its own ones begin anew", async () => {
		for (let n = 0; n < 30; n++) {
			const messages = [1, 2, 3].map((payload) => ({ messageId: `${n} ${payload}`, payload }));
			await place.store.appendMessages({ conversationId: `old ${n}`, messages });
		}
		await age(...Array.from({ length: 30 }, (_, n) => `old ${n}`));
		const appends = Array.from({ length: 30 }, (_, n) => [
			place.store.appendMessage({ conversationId: "new", payload: n }),
			place.store.appendMessage({ conversationId: `old ${n}`, messageId: `late ${n}`, payload: n }),
		]);
		const [pruned] = await Promise.all([pruneOld(), ...appends.flat()]);
		// Each old one was either removed before the append, which began it anew, or kept because of it.
		const [fresh] = await query<{ count: number }>(
			gateway,
			"SELECT count(*)::int AS count FROM conversations WHERE project_id = $1 AND conversation_id <> 'new' AND last_seq = 1",
			[place.projectId],
		);
		expect(pruned.conversations).toBe(fresh!.count);
		expect(await place.store.listMessages({ conversationId: "new" })).toMatchObject({ items: { length: 30 } });
		for (let n = 0; n < 30; n++) {
			expect(await place.store.getMessage({ messageId: `late ${n}` })).toMatchObject({ payload: n });
		}
	});
});
