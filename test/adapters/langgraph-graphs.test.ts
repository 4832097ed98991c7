import { createCheckpointer } from "@iga-pages/agent/store/langgraph";
import { Annotation, Command, END, interrupt, MemorySaver, Send, START, StateGraph } from "@langchain/langgraph";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { approveTrip, forgetTrip, planTrip } from "../../client/examples/langgraph.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { type LossyFetch, lossyFetch } from "../support/lost-answers.ts";
import { deltaGraph } from "./langgraph-delta.ts";

let gateway: TestGateway;
let lossy: LossyFetch;
let saver: BaseCheckpointSaver;
let threads = 0;

beforeAll(async () => {
	lossy = lossyFetch();
	gateway = await startGateway({ store: { fetch: lossy.fetch } });
	saver = createCheckpointer(null, { store: gateway.store });
});
afterAll(() => gateway.close());

function newThread() {
	return { configurable: { thread_id: `graph-${++threads}` } };
}

const Log = Annotation.Root({
	log: Annotation<string[]>({ reducer: (left, right) => [...left, ...right], default: () => [] }),
	last: Annotation<string>(),
});

const step = (name: string) => async () => ({ log: [name], last: name });

/** A chain of nodes that each leave their name. */
function chain(checkpointer: BaseCheckpointSaver, names = ["a", "b", "c"]) {
	const graph = new StateGraph(Log) as StateGraph<
		typeof Log,
		typeof Log.State,
		typeof Log.Update,
		string,
		typeof Log.spec,
		typeof Log.spec
	>;
	for (const name of names) graph.addNode(name, step(name));
	[START, ...names].forEach((name, index) => {
		graph.addEdge(name as typeof START, (names[index] ?? END) as typeof END);
	});
	return graph.compile({ checkpointer });
}

async function history(graph: { getStateHistory(config: object): AsyncIterable<{ values: object }> }, config: object) {
	const values: object[] = [];
	for await (const state of graph.getStateHistory(config)) values.push(state.values);
	return values;
}

describe.each(["sync", "async", "exit"] as const)("durability %s", (durability) => {
	it("keeps what the framework's own saver keeps, over several turns", async () => {
		const states = await Promise.all(
			[saver, new MemorySaver()].map(async (checkpointer) => {
				const thread = newThread();
				await chain(checkpointer).invoke({ log: ["in"] }, { ...thread, durability });
				await chain(checkpointer).invoke({ log: ["again"] }, { ...thread, durability });
				return history(chain(checkpointer), thread);
			}),
		);
		expect(states[0]).toEqual(states[1]);
		expect(states[0]?.[0]).toEqual({ log: ["in", "a", "b", "c", "again", "a", "b", "c"], last: "c" });
	});

	it("goes on after a failed node without repeating those that finished", async () => {
		let failing = true;
		let runs = 0;
		const graph = new StateGraph(Log)
			.addNode("good", async () => {
				runs++;
				return { log: ["good"] };
			})
			.addNode("bad", async () => {
				if (failing) throw new Error("down");
				return { log: ["bad"] };
			})
			.addEdge(START, "good")
			.addEdge(START, "bad")
			.compile({ checkpointer: saver });
		const thread = newThread();
		await expect(graph.invoke({ log: ["in"] }, { ...thread, durability })).rejects.toThrow("down");
		failing = false;
		const state = await graph.invoke(null, { ...thread, durability });
		expect([...state.log].sort()).toEqual(["bad", "good", "in"]);
		if (durability !== "exit") expect(runs).toBe(1);
	});
});

describe("a run", () => {
	it("sends one request for a read, and one for each checkpoint, with which writes go along", async () => {
		const { sent } = lossy;
		await chain(saver).invoke({ log: ["in"] }, { ...newThread(), durability: "async" });
		// One read and five checkpoints; of the writes of the input and the three nodes, some may have gone by themselves.
		expect(lossy.sent - sent).toBeGreaterThanOrEqual(1 + 5);
		expect(lossy.sent - sent).toBeLessThan(1 + 5 + 4);
	});

	it("survives answers that get lost", async () => {
		const thread = newThread();
		const graph = chain(saver);
		for (let turn = 0; turn < 5; turn++) {
			lossy.losing = 2;
			await graph.invoke({ log: ["in"] }, thread);
		}
		expect(lossy.losing).toBe(0);
		expect((await graph.getState(thread)).values["log"]).toEqual(Array(5).fill(["in", "a", "b", "c"]).flat());
	});

	it("fails when the gateway stays silent, and nothing half done is left", async () => {
		const thread = newThread();
		const graph = chain(saver);
		lossy.losing = Number.POSITIVE_INFINITY;
		await expect(graph.invoke({ log: ["in"] }, thread)).rejects.toMatchObject({ code: "NetworkError" });
		lossy.losing = 0;
		await graph.invoke({ log: ["again"] }, thread);
		expect((await graph.getState(thread)).values["log"].slice(-4)).toEqual(["again", "a", "b", "c"]);
	});
});

describe("time travel", () => {
	it("keeps both branches right after an update of an old checkpoint", async () => {
		const thread = newThread();
		const graph = chain(saver);
		await graph.invoke({ log: ["in"] }, thread);
		const states = [];
		for await (const state of graph.getStateHistory(thread)) states.push(state);
		const afterA = states.find(({ next }) => next[0] === "b")!;
		const fork = await graph.updateState(afterA.config, { log: ["FORKED"], last: "f" }, "a");
		expect((await graph.getState(fork)).values).toEqual({ log: ["in", "a", "FORKED"], last: "f" });
		expect((await graph.getState(states[0]!.config)).values).toEqual(states[0]!.values);
		expect((await graph.invoke(null, fork))["log"]).toEqual(["in", "a", "FORKED", "b", "c"]);
		for (const state of states) expect((await graph.getState(state.config)).values).toEqual(state.values);
	});

	it("keeps each run whole when two run on one thread at once", async () => {
		const thread = newThread();
		const graph = chain(saver);
		await graph.invoke({ log: ["in"] }, thread);
		const inputs = ["one", "two", "three"];
		await Promise.all(inputs.map((input) => graph.invoke({ log: [input] }, thread)));
		const ends = (await history(graph, thread)).map((values) => (values as { log: string[] }).log.join());
		for (const input of inputs) expect(ends).toContain(`in,a,b,c,${input},a,b,c`);
		for (const end of ends) expect(end).toMatch(/^(in?(,a(,b(,c(,(one|two|three)(,a(,b(,c)?)?)?)?)?)?)?)?$/);
	});

	it("goes on with a thread that was copied from a saver with integer versions", async () => {
		// The channels of the first node keep their integer versions while those of the loop move on.
		const build = (checkpointer: BaseCheckpointSaver) =>
			new StateGraph(Log)
				.addNode("once", step("once"))
				.addNode("loop", step("loop"))
				.addConditionalEdges(START, ({ log }) => (log.length === 1 ? "once" : "loop"), ["once", "loop"])
				.addEdge("once", "loop")
				.addConditionalEdges("loop", ({ log }) => (log.length % 10 === 0 ? END : "loop"), ["loop", END])
				.compile({ checkpointer });
		const memory = new MemorySaver();
		const thread = newThread();
		await build(memory).invoke({ log: ["in"] }, thread);
		const tuples = [];
		for await (const tuple of memory.list(thread)) tuples.unshift(tuple);
		for (const { checkpoint, metadata, parentConfig } of tuples) {
			await saver.put(parentConfig ?? thread, checkpoint, metadata!, checkpoint.channel_versions);
		}
		for (const graph of [build(saver), build(memory)]) {
			for (let turn = 0; turn < 3; turn++) await graph.invoke({ log: ["in"] }, thread);
		}
		expect((await build(saver).getState(thread)).values).toEqual((await build(memory).getState(thread)).values);
		expect((await build(saver).getState(thread)).values.log).toHaveLength(40);
	});
});

describe("graphs", () => {
	it("apply the tasks of a Send in the order in which they were sent", async () => {
		const graph = new StateGraph(Log)
			.addNode("work", async ({ last }: { last: string }) => ({ log: [last] }))
			.addNode("wait", async () => ({ last: interrupt("go on?") as string }))
			.addConditionalEdges(START, () => [..."edcba"].map((last) => new Send("work", { last })))
			.addEdge("work", "wait")
			.compile({ checkpointer: saver });
		const thread = newThread();
		await graph.invoke({ log: [] }, thread);
		const state = await graph.invoke(new Command({ resume: "yes" }), thread);
		expect(state).toEqual({ log: [..."edcba"], last: "yes" });
	});

	it("keep the state of subgraphs in namespaces of their own", async () => {
		const inner = new StateGraph(Log)
			.addNode("ask", async () => ({ log: [`inner ${interrupt("name?")}`] }))
			.addEdge(START, "ask")
			.compile();
		const build = () =>
			new StateGraph(Log)
				.addNode("before", step("before"))
				.addNode("sub", inner)
				.addEdge(START, "before")
				.addEdge("before", "sub")
				.compile({ checkpointer: createCheckpointer(null, { store: gateway.store }) });
		const thread = newThread();
		await build().invoke({ log: ["in"] }, thread);
		const paused = await build().getState(thread, { subgraphs: true });
		expect(paused.tasks[0]?.interrupts[0]?.value).toBe("name?");
		expect(JSON.stringify(paused.tasks[0]?.state)).toMatch("before");
		const state = await build().invoke(new Command({ resume: "Ann" }), thread);
		expect(state.log.at(-1)).toBe("inner Ann");
		const namespaces = new Set<string>();
		for await (const { config } of saver.list(thread)) namespaces.add(config.configurable?.["checkpoint_ns"]);
		expect([...namespaces].map((ns) => ns.split(":")[0]).sort()).toEqual(["", "sub"]);
	});

	it.each([100, 3])("rebuild a delta channel that is stored whole every %i updates", async (snapshotFrequency) => {
		const graph = deltaGraph(saver, snapshotFrequency);
		const thread = newThread();
		for (let turn = 0; turn < 8; turn++) await graph.invoke({ log: [`in ${turn}`] }, thread);
		const { values } = await graph.getState(thread);
		expect(values.log).toEqual(Array.from({ length: 16 }, (_, index) => `${index % 2 ? "out" : "in"} ${index >> 1}`));
	});
});

describe("the example", () => {
	it("runs with the identity of the environment", async () => {
		vi.stubEnv("AGENT_STORE_URL", gateway.url);
		vi.stubEnv("AGENT_STORE_TOKEN", gateway.token);
		await planTrip("trip", "Rome");
		expect(await approveTrip("trip", "Ann")).toEqual(["planned three days in Rome", "approved by Ann", "booked Rome"]);
		expect(await saver.getTuple({ configurable: { thread_id: "trip" } })).toBeDefined();
		await forgetTrip("trip");
		expect(await saver.getTuple({ configurable: { thread_id: "trip" } })).toBeUndefined();
		vi.unstubAllEnvs();
	});
});
