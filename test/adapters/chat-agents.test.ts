import { AIMessage } from "@langchain/core/messages";
import { FakeListChatModel } from "@langchain/core/utils/testing";
import { MemorySaver, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { Agent, type ModelRequest, setTracingDisabled, tool } from "@openai/agents";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { langGraphAgent } from "../../server/agents/langgraph.ts";
import { openAIAgent } from "../../server/agents/openai.ts";
import { startChat } from "./chat.ts";
import { APPROVAL_SCRIPT, createTeller } from "./openai-approval.ts";
import { calls, ScriptedModel, says } from "./openai-model.ts";

setTracingDisabled(true);

describe("an agent of the OpenAI Agents SDK", () => {
	it("gets the thread as input, and each message is stored once", async () => {
		const model = new ScriptedModel([[says("One.")], [says("Two.")]]);
		const { chat, rows } = await startChat(openAIAgent(new Agent({ name: "A", instructions: "Answer.", model })));
		expect(await chat({ message: "First" })).toMatchObject({ output: "One.", status: "finished" });
		expect(await chat({ message: "Second" })).toMatchObject({ output: "Two." });
		expect(await rows()).toEqual({ messages: 4, checkpoints: 0 });
		expect(model.inputs[1]).toMatchObject([
			{ role: "user", content: "First" },
			{ role: "assistant", content: [{ text: "One." }] },
			{ role: "user", content: "Second" },
		]);
	});

	it.each([
		[true, "transferred 7"],
		[{ "call-1": true }, "transferred 7"],
		[false, "not approved"],
	])("asks for approval, goes on with the answer %j, and stores nothing twice", async (resume, result) => {
		const { agent, model } = createTeller([...APPROVAL_SCRIPT.asking, ...APPROVAL_SCRIPT.answering]);
		const { gateway, chat, rows } = await startChat(openAIAgent(agent));
		const asked = await chat({ message: "Send 7" });
		expect(asked).toMatchObject({
			status: "interrupted",
			interrupt: { reason: "tool_approval", data: { calls: [{ callId: "call-1", name: "transfer" }] } },
		});
		// A call without a result would spoil the thread for a next message, so it is stored with that.
		expect(await rows()).toEqual({ messages: 1, checkpoints: 0 });
		expect(await chat({ resume })).toMatchObject({ output: "Transferred.", status: "finished" });
		const { items } = await gateway.store.listMessages({ conversationId: "t" });
		expect(items.map(({ role, type }) => type ?? role)).toEqual([
			"user",
			"function_call",
			"function_call_result",
			"message",
		]);
		expect(JSON.stringify(items[2]?.payload)).toContain(result);
		expect(model.inputs).toHaveLength(2);
	});

	it("stores what came before the question once, and what comes after the answer once", async () => {
		const { agent, model } = createTeller([
			[calls("look", {}, "call-0")],
			...APPROVAL_SCRIPT.asking,
			...APPROVAL_SCRIPT.answering,
		]);
		const look = tool({ name: "look", description: "Looks", parameters: z.object({}), execute: async () => "seen" });
		agent.tools.push(look);
		const { gateway, chat } = await startChat(openAIAgent(agent));
		const types = async () =>
			(await gateway.store.listMessages({ conversationId: "t" })).items.map(({ role, type }) => type ?? role);
		await chat({ message: "Look, then send 7" });
		expect(await types()).toEqual(["user", "function_call", "function_call_result"]);
		expect(await chat({ resume: true })).toMatchObject({ output: "Transferred." });
		expect(await types()).toEqual([
			"user",
			"function_call",
			"function_call_result",
			"function_call",
			"function_call_result",
			"message",
		]);
		expect(model.inputs).toHaveLength(3);
	});

	it("can be answered anew when its model fails after the answer, and stores nothing twice", async () => {
		const { agent } = createTeller([
			...APPROVAL_SCRIPT.asking,
			new Error("the model failed"),
			...APPROVAL_SCRIPT.answering,
		]);
		const { chat, rows, thread } = await startChat(openAIAgent(agent));
		await chat({ message: "Send 7" });
		expect((await chat({ resume: true })).error.message).toBe("The agent failed");
		expect(await thread()).toMatchObject({ status: "error", interrupt: { reason: "tool_approval" } });
		expect(await rows()).toEqual({ messages: 1, checkpoints: 0 });
		expect(await chat({ resume: true })).toMatchObject({ output: "Transferred.", status: "finished" });
		expect(await rows()).toEqual({ messages: 4, checkpoints: 0 });
	});

	const SCHEMA = {
		type: "object",
		properties: { n: { type: "integer" } },
		required: ["n"],
		additionalProperties: false,
	};

	it.each([
		["none", undefined, "text"],
		["text", { type: "text" }, "text"],
		["JSON", { type: "json_object" }, { type: "json_object" }],
		[
			"a strict schema",
			{ type: "json_schema", json_schema: { name: "number", description: "A number.", schema: SCHEMA, strict: true } },
			{ type: "json_schema", name: "number", description: "A number.", schema: SCHEMA, strict: true },
		],
		[
			"a schema",
			{ type: "json_schema", json_schema: { name: "number", schema: SCHEMA } },
			{ type: "json_schema", name: "number", schema: SCHEMA, strict: false },
		],
	])("asks its model for the format of the request: %s", async (_which, response_format, outputType) => {
		const asked: unknown[] = [];
		const step = (request: ModelRequest) => {
			asked.push(request.outputType);
			return [says('{"n":1}')];
		};
		const agent = new Agent({ name: "A", instructions: "Answer.", model: new ScriptedModel([step, step]) });
		const { chat } = await startChat(openAIAgent(agent));
		expect((await chat({ message: "One", response_format })).output).toBe('{"n":1}');
		await chat({ message: "Two" });
		expect(asked).toEqual([outputType, "text"]);
	});

	it("goes on in a thread that another agent wrote", async () => {
		const model = new ScriptedModel([[says("Yes.")]]);
		const { gateway, chat } = await startChat(openAIAgent(new Agent({ name: "A", instructions: "Answer.", model })));
		await gateway.store.appendMessages({
			conversationId: "t",
			messages: [
				{ role: "user", payload: { text: "Hello" } },
				{ role: "assistant", payload: { role: "assistant", content: "Hi" } },
			],
		});
		await chat({ message: "Still there?" });
		expect(model.inputs[0]).toMatchObject([
			{ role: "user", content: "Hello" },
			{ role: "assistant", content: [{ type: "output_text", text: "Hi" }] },
			{ role: "user", content: "Still there?" },
		]);
	});
});

describe("a LangGraph graph", () => {
	it("gets the thread as input, and each message is stored once", async () => {
		const model = new FakeListChatModel({ responses: ["One.", "Two."] });
		const seen: string[][] = [];
		const graph = new StateGraph(MessagesAnnotation)
			.addNode("call", async ({ messages }) => {
				seen.push(messages.map((message) => `${message.getType()}: ${message.content}`));
				return { messages: [await model.invoke(messages)] };
			})
			.addEdge(START, "call")
			.compile();
		const { chat, rows } = await startChat(langGraphAgent(graph));
		expect(await chat({ message: "First" })).toMatchObject({ output: "One.", status: "finished" });
		expect(await chat({ message: "Second" })).toMatchObject({ output: "Two." });
		expect(await rows()).toEqual({ messages: 4, checkpoints: 0 });
		expect(seen[1]).toEqual(["human: First", "ai: One.", "human: Second"]);
	});

	it("stores calls of tools and their results so that the next run has them", async () => {
		const calls = [{ id: "c1", name: "weather", args: { city: "Oslo" }, type: "tool_call" as const }];
		const lengths: number[] = [];
		const graph = new StateGraph(MessagesAnnotation)
			.addNode("call", ({ messages }) => {
				lengths.push(messages.length);
				return {
					messages: [
						new AIMessage({ content: "", tool_calls: calls }),
						{ role: "tool", content: "Sunny", tool_call_id: "c1" },
						new AIMessage("It is sunny."),
					],
				};
			})
			.addEdge(START, "call")
			.compile();
		const { gateway, chat } = await startChat(langGraphAgent(graph));
		expect(await chat({ message: "Weather?" })).toMatchObject({ output: "It is sunny." });
		const { items } = await gateway.store.listMessages({ conversationId: "t" });
		expect(items.map(({ payload }) => payload)).toMatchObject([
			{ role: "user" },
			{ role: "assistant", tool_calls: calls },
			{ role: "tool", tool_call_id: "c1", content: "Sunny" },
			{ role: "assistant", content: "It is sunny." },
		]);
		await chat({ message: "Again?" });
		expect(lengths).toEqual([1, 5]);
	});

	it("is refused with a checkpointer", () => {
		const graph = new StateGraph(MessagesAnnotation)
			.addNode("call", () => ({ messages: [] }))
			.addEdge(START, "call")
			.compile({ checkpointer: new MemorySaver() });
		expect(() => langGraphAgent(graph)).toThrow("without a checkpointer");
	});
});
