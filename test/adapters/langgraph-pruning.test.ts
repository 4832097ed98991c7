import { type Checkpointer, createCheckpointer } from "@iga-pages/agent/store/langgraph";
import { MemorySaver } from "@langchain/langgraph";
import { emptyCheckpoint, uuid6 } from "@langchain/langgraph-checkpoint";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { query } from "../support/sql.ts";
import { deltaGraph } from "./langgraph-delta.ts";

let gateway: TestGateway;
let saver: Checkpointer;
let threads = 0;

beforeAll(async () => {
	gateway = await startGateway();
	saver = createCheckpointer(null, { store: gateway.store });
});
afterAll(() => gateway.close());

function newThread() {
	const id = `pruned-${++threads}`;
	return { id, thread: { configurable: { thread_id: id } } };
}

async function stateOf(graph: ReturnType<typeof deltaGraph>, config: object): Promise<object> {
	return (await graph.getState(config)).values;
}

async function listIds(config: object): Promise<string[]> {
	const ids: string[] = [];
	for await (const { checkpoint } of saver.list(config)) ids.push(checkpoint.id);
	return ids;
}

describe.each([100, 3, 1])("pruneThread with a delta channel stored whole every %i updates", (snapshotFrequency) => {
	it.each([1, 2, 5])("keeps the newest %i checkpoints whole, and the thread goes on", async (keep) => {
		const graph = deltaGraph(saver, snapshotFrequency);
		const reference = deltaGraph(new MemorySaver(), snapshotFrequency);
		const { id, thread } = newThread();
		for (let turn = 0; turn < 7; turn++) {
			for (const each of [graph, reference]) await each.invoke({ log: [`in ${turn}`] }, thread);
		}
		const before = await listIds(thread);
		const configs = before.slice(0, keep).map((checkpoint) => ({
			configurable: { thread_id: id, checkpoint_ns: "", checkpoint_id: checkpoint },
		}));
		const states = await Promise.all(configs.map((config) => stateOf(graph, config)));
		const { removed } = await saver.pruneThread(id, { keep });
		const after = await listIds(thread);
		expect(after.slice(0, keep)).toEqual(before.slice(0, keep));
		expect(removed).toBe(before.length - after.length);
		expect(await Promise.all(configs.map((config) => stateOf(graph, config)))).toEqual(states);
		for (const each of [graph, reference]) await each.invoke({ log: ["later"] }, thread);
		expect(await stateOf(graph, thread)).toEqual(await stateOf(reference, thread));
		// Without a delta to rebuild, nothing but the newest is kept.
		if (snapshotFrequency === 1) expect(after.length).toBe(keep);
		expect(await saver.pruneThread("unknown", { keep })).toEqual({ removed: 0 });
	});
});

describe("pruneThread", () => {
	it("keeps the writes of what it keeps, and those that arrived before their checkpoint", async () => {
		const { id, thread } = newThread();
		const metadata = { source: "loop" as const, step: 0, parents: {} };
		let config: Parameters<Checkpointer["put"]>[0] = thread;
		for (let index = 0; index < 4; index++) {
			const checkpoint = { ...emptyCheckpoint(), id: uuid6(0) };
			checkpoint.channel_values = { kept: "since the beginning", changing: index };
			const version = saver.getNextVersion(index);
			checkpoint.channel_versions = { kept: "0" as unknown as number, changing: version };
			const changed = index === 0 ? checkpoint.channel_versions : { changing: version };
			config = await saver.put(config, checkpoint, metadata, changed);
			await saver.putWrites(config, [["changing", index + 1]], "task");
		}
		const early = { configurable: { ...thread.configurable, checkpoint_ns: "", checkpoint_id: uuid6(0) } };
		await saver.putWrites(early, [["changing", 9]], "task");
		expect(await saver.pruneThread(id, { keep: 1 })).toEqual({ removed: 3 });
		const tuple = await saver.getTuple(thread);
		expect(tuple?.checkpoint.channel_values).toEqual({ kept: "since the beginning", changing: 3 });
		expect(tuple?.pendingWrites).toEqual([["task", "changing", 4]]);
		const counts = await query(
			gateway,
			`SELECT (SELECT count(*)::int FROM checkpoint_writes WHERE project_id = $1 AND thread_id = $2) AS writes,
				(SELECT count(*)::int FROM checkpoint_blobs WHERE project_id = $1 AND thread_id = $2) AS blobs`,
			[gateway.projectId, id],
		);
		expect(counts).toEqual([{ writes: 2, blobs: 2 }]);
	});

	it("counts each namespace for itself", async () => {
		const { id } = newThread();
		const metadata = { source: "loop" as const, step: 0, parents: {} };
		for (const checkpoint_ns of ["", "child:1", "child:2"]) {
			for (let index = 0; index < 3; index++) {
				const checkpoint = { ...emptyCheckpoint(), id: uuid6(0) };
				await saver.put({ configurable: { thread_id: id, checkpoint_ns } }, checkpoint, metadata, {});
			}
		}
		expect(await saver.pruneThread(id, { keep: 2 })).toEqual({ removed: 3 });
		for (const checkpoint_ns of ["", "child:1", "child:2"]) {
			expect(await listIds({ configurable: { thread_id: id, checkpoint_ns } })).toHaveLength(2);
		}
	});

	it("keeps the parent whose sends a checkpoint of an old format needs", async () => {
		const { id, thread } = newThread();
		const metadata = { source: "loop" as const, step: 0, parents: {} };
		let config: Parameters<Checkpointer["put"]>[0] = thread;
		for (let index = 0; index < 3; index++) {
			config = await saver.put(config, { ...emptyCheckpoint(), v: 1, id: uuid6(0) }, metadata, {});
			await saver.putWrites(config, [["__pregel_tasks", `send ${index}`]], "task");
		}
		expect(await saver.pruneThread(id, { keep: 1 })).toEqual({ removed: 1 });
		expect((await saver.getTuple(thread))?.checkpoint.channel_values).toEqual({ __pregel_tasks: ["send 1"] });
	});

	it("leaves a ring of parents alone, and reading it ends", async () => {
		const { id, thread } = newThread();
		const metadata = { source: "loop" as const, step: 0, parents: {} };
		const ids = [uuid6(0), uuid6(0)];
		for (const [index, checkpoint_id] of ids.entries()) {
			const checkpoint = { ...emptyCheckpoint(), id: ids[1 - index]!, channel_versions: { log: 1 } };
			const config = { configurable: { ...thread.configurable, checkpoint_id } };
			await saver.putWrites(await saver.put(config, checkpoint, metadata, {}), [["log", index]], "task");
		}
		const history = await saver.getDeltaChannelHistory({ config: thread, channels: ["log"] });
		expect(history["log"]?.writes.length).toBeGreaterThan(0);
		expect(await saver.pruneThread(id, { keep: 1 })).toEqual({ removed: 0 });
	});
});
