import { AIMessage } from "@langchain/core/messages";
import {
	DeltaValue,
	END,
	interrupt,
	MessagesAnnotation,
	MessagesValue,
	START,
	StateGraph,
	StateSchema,
} from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { langGraphAgent } from "../../server/agents/langgraph.ts";
import { startGateway } from "../support/gateway.ts";
import { startGatewayProcess } from "../support/gateway-process.ts";
import { query } from "../support/sql.ts";
import { agent, askingGraph } from "./asking-graph.ts";
import { startChat } from "./chat.ts";
import { createDeepTeller, createTeller } from "./langgraph-agents.ts";

interface Asked {
	interrupts: { id: string; value: { question?: string; actionRequests?: object[] } }[];
}

const says = (content: string) => ({ messages: [{ role: "assistant", content }] });
const APPROVED = { decisions: [{ type: "approve" }] };

describe("interrupt() in a graph", () => {
	it("is shown, twice in a row if it comes to that, and goes on with the answers on another gateway", async () => {
		let looks = 0;
		const looking = langGraphAgent(askingGraph(() => looks++));
		const { gateway, chat, rows, stored, thread } = await startChat<Asked>(looking);
		const second = await startGateway({ agent: looking, databaseUrl: gateway.databaseUrl });
		const asked = await chat({ message: "Go" });
		expect(asked).toMatchObject({
			status: "interrupted",
			output: "I looked.",
			interrupt: {
				reason: "graph_interrupt",
				data: { interrupts: [{ id: expect.any(String), value: { question: "May I?" } }] },
			},
		});
		expect((await thread()).interrupt).toEqual(asked.interrupt);
		expect(await rows()).toEqual({ messages: 2, checkpoints: 0 });
		const again = await chat({ resume: "yes" }, second.url);
		expect(again.interrupt?.data.interrupts.map(({ value }) => value.question)).toEqual(["Really?"]);
		expect(await chat({ resume: "of course" })).toMatchObject({
			status: "finished",
			output: "yes, of course, in t",
			interrupt: null,
		});
		await second.close();
		expect(looks).toBe(1);
		expect(await stored()).toEqual(["user: Go", "assistant: I looked.", "assistant: yes, of course, in t"]);
		expect(await rows()).toEqual({ messages: 3, checkpoints: 0 });
		expect((await chat({ resume: "more" })).error.message).toContain("does not wait for an answer");
	});

	it("survives the gateway", async () => {
		const { gateway, chat, stored } = await startChat<Asked>(agent);
		const module = ["--agent", "test/adapters/asking-graph.ts"];
		const killed = await startGatewayProcess("serve", { DATABASE_URL: gateway.databaseUrl }, module);
		expect((await chat({ message: "Go" }, killed.url)).status).toBe("interrupted");
		killed.signal("SIGKILL");
		await killed.ended;
		expect((await chat({ resume: 1 })).status).toBe("interrupted");
		expect((await chat({ resume: 2 })).output).toBe("1, 2, in t");
		expect(await stored()).toEqual(["user: Go", "assistant: I looked.", "assistant: 1, 2, in t"]);
	});

	it("can be answered anew when the graph fails afterwards, and stores nothing twice", async () => {
		let fails = true;
		const graph = new StateGraph(MessagesAnnotation)
			.addNode("ask", () => says(`heard ${interrupt("?")}`))
			.addNode("work", () => {
				if (fails) throw new Error("the tool failed");
				return says("worked");
			})
			.addEdge(START, "ask")
			.addEdge("ask", "work")
			.compile();
		const { chat, stored, thread } = await startChat<Asked>(langGraphAgent(graph));
		await chat({ message: "Go" });
		expect((await chat({ resume: "one" })).error.message).toBe("The agent failed");
		expect(await thread()).toMatchObject({ status: "error", interrupt: { reason: "graph_interrupt" } });
		expect((await chat({ resume: null })).error.message).toContain("resume: must not be null");
		fails = false;
		expect((await chat({ resume: "two" })).output).toBe("worked");
		expect(await stored()).toEqual(["user: Go", "assistant: heard two", "assistant: worked"]);
	});

	it("may come from several nodes at once, answered by id, and repeats no node that was done", async () => {
		let runs = 0;
		const graph = new StateGraph(MessagesAnnotation)
			.addNode("done", () => says(`done ${++runs}`))
			.addNode("left", () => says(`left ${interrupt("l")}`))
			.addNode("right", () => says(`right ${interrupt("r")}`))
			.addEdge(START, "done")
			.addEdge(START, "left")
			.addEdge(START, "right")
			.compile();
		const { chat, stored } = await startChat<Asked>(langGraphAgent(graph));
		const asked = (await chat({ message: "Go" })).interrupt!.data.interrupts;
		expect(asked.map(({ value }) => value)).toEqual(["l", "r"]);
		const [left, right] = asked.map(({ id }) => id);
		const half = await chat({ resume: { [right!]: "R" } });
		expect(half.interrupt?.data.interrupts.map(({ id }) => id)).toEqual([left]);
		expect((await chat({ resume: { [left!]: "L" } })).status).toBe("finished");
		expect(await stored()).toEqual(["user: Go", "assistant: done 1", "assistant: left L", "assistant: right R"]);
	});

	it("may come from a subgraph, which goes on where it was", async () => {
		let prepared = 0;
		const inner = new StateGraph(MessagesAnnotation)
			.addNode("prepare", () => says(`prepared ${++prepared}`))
			.addNode("ask", () => says(`heard ${interrupt("?")}`))
			.addEdge(START, "prepare")
			.addEdge("prepare", "ask")
			.compile();
		const graph = new StateGraph(MessagesAnnotation).addNode("inner", inner).addEdge(START, "inner").compile();
		const { chat, stored } = await startChat<Asked>(langGraphAgent(graph));
		expect((await chat({ message: "Go" })).status).toBe("interrupted");
		expect((await chat({ resume: "yes" })).status).toBe("finished");
		expect(await stored()).toEqual(["user: Go", "assistant: prepared 1", "assistant: heard yes"]);
	});

	it("loses nothing that a delta channel gathered", async () => {
		const log = new DeltaValue(
			z.array(z.string()).default(() => []),
			{ reducer: (state: string[], writes: string[][]) => state.concat(...writes), snapshotFrequency: 100 },
		);
		const ask = (round: string) => () => ({ log: [`${round} ${interrupt(round)}`] });
		const graph = new StateGraph(new StateSchema({ messages: MessagesValue, log }))
			.addNode("first", ask("first"))
			.addNode("second", ask("second"))
			.addNode("tell", (state) => says(state.log.join(", ")))
			.addEdge(START, "first")
			.addEdge("first", "second")
			.addEdge("second", "tell")
			.compile();
		const { chat } = await startChat<Asked>(langGraphAgent(graph));
		await chat({ message: "Go" });
		expect((await chat({ resume: 1 })).status).toBe("interrupted");
		expect((await chat({ resume: 2 })).output).toBe("first 1, second 2");
	});

	it("pauses where the graph was compiled to, and goes on with any answer", async () => {
		const graph = new StateGraph(MessagesAnnotation)
			.addNode("before", () => says("before"))
			.addNode("after", () => says("after"))
			.addEdge(START, "before")
			.addEdge("before", "after")
			.compile({ interruptBefore: ["after"] });
		const { chat, stored } = await startChat<Asked>(langGraphAgent(graph));
		expect((await chat({ message: "Go" })).interrupt).toEqual({ reason: "graph_interrupt", data: { interrupts: [] } });
		expect((await chat({ resume: null })).output).toBe("after");
		expect(await stored()).toEqual(["user: Go", "assistant: before", "assistant: after"]);
	});

	it("keeps no more than where it stopped, however often it asks, and within the limit", async () => {
		const graph = new StateGraph(MessagesAnnotation)
			.addNode("ask", ({ messages }) => says(`${"x".repeat(10)} ${messages.length} ${interrupt("more?")}`))
			.addEdge(START, "ask")
			.addConditionalEdges("ask", ({ messages }: { messages: object[] }) => (messages.length > 12 ? END : "ask"))
			.compile();
		const { gateway, chat } = await startChat<Asked>(langGraphAgent(graph), { limits: { messageBytes: 60_000 } });
		const size = async () => {
			const [row] = await query<{ bytes: number }>(
				gateway,
				"SELECT octet_length(run_interrupt::text) AS bytes FROM conversations",
			);
			return row!.bytes;
		};
		await chat({ message: "Go" });
		const first = await size();
		for (let round = 0; round < 8; round++) expect((await chat({ resume: "y" })).status).toBe("interrupted");
		expect(await size()).toBeLessThan(first * 6);
		const refused = await chat({ message: "x".repeat(59_900) });
		expect([refused.error.code, refused.error.message]).toEqual([
			"PayloadTooLarge",
			expect.stringContaining("agent_interrupt: must be at most"),
		]);
	});
});

describe("an approval of tools", () => {
	it.each([
		["createAgent", createTeller, "done: transferred 7"],
		["a deep agent", createDeepTeller, "done: the subagent counted 3, transferred 3"],
	])("interrupts %s, and the call is stored with its result, once", async (_which, create, output) => {
		const { chat, rows, stored } = await startChat<Asked>(langGraphAgent(create()));
		const asked = await chat({ message: "pay" });
		expect(asked.interrupt?.data.interrupts).toMatchObject([{ value: { actionRequests: [{ name: "transfer" }] } }]);
		const before = await stored();
		expect(before.filter((message) => message.endsWith("calls")).length).toBe(
			before.filter((message) => message.startsWith("tool")).length,
		);
		expect(await chat({ resume: APPROVED })).toMatchObject({ output, status: "finished" });
		const after = await stored();
		expect(after.slice(0, before.length)).toEqual(before);
		expect(after.slice(before.length)).toEqual([
			"assistant: 1 calls",
			expect.stringMatching(/^tool: transferred/),
			`assistant: ${output}`,
		]);
		expect(await rows()).toEqual({ messages: after.length, checkpoints: 0 });
	});

	it("leaves a thread that another message can go on with instead", async () => {
		const { chat, stored } = await startChat<Asked>(langGraphAgent(createTeller()));
		await chat({ message: "pay" });
		expect(await chat({ message: "No, wait" })).toMatchObject({ status: "finished", output: "heard 2 messages" });
		expect(await stored()).toEqual(["user: pay", "user: No, wait", "assistant: heard 2 messages"]);
		expect((await chat({ resume: APPROVED })).error.code).toBe("Conflict");
	});

	it("may edit the call", async () => {
		const { chat, stored } = await startChat<Asked>(langGraphAgent(createTeller()));
		await chat({ message: "pay" });
		const edited = { type: "edit", editedAction: { name: "transfer", args: { amount: 1 } } };
		expect((await chat({ resume: { decisions: [edited] } })).output).toBe("done: transferred 1");
		expect(await stored()).toHaveLength(4);
	});
});

it("a graph whose messages have no ids of their own stores each once", async () => {
	const graph = new StateGraph(MessagesAnnotation)
		.addNode("ask", () => ({ messages: [new AIMessage(`heard ${interrupt("?")}`), new AIMessage("bye")] }))
		.addEdge(START, "ask")
		.compile();
	const { chat, stored } = await startChat<Asked>(langGraphAgent(graph));
	await chat({ message: "Go" });
	await chat({ resume: "a" });
	await chat({ message: "Again" });
	await chat({ resume: "b" });
	expect(await stored()).toEqual([
		"user: Go",
		"assistant: heard a",
		"assistant: bye",
		"user: Again",
		"assistant: heard b",
		"assistant: bye",
	]);
});
