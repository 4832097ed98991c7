import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { createStore } from "@iga-pages/agent/store";
import { createSession, type StoreSession } from "@iga-pages/agent/store/openai";
import {
	Agent,
	type AgentInputItem,
	InputGuardrailTripwireTriggered,
	OutputGuardrailTripwireTriggered,
	Runner,
	RunState,
	setTracingDisabled,
	tool,
} from "@openai/agents";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { failure } from "../support/errors.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { type LossyFetch, lossyFetch } from "../support/lost-answers.ts";
import { APPROVAL_SCRIPT, createTeller } from "./openai-approval.ts";
import { calls, ScriptedModel, type Step, says } from "./openai-model.ts";

setTracingDisabled(true);

let gateway: TestGateway;
let lossy: LossyFetch;
let conversations = 0;
const runner = new Runner({ tracingDisabled: true });

beforeAll(async () => {
	lossy = lossyFetch();
	gateway = await startGateway({ store: { fetch: lossy.fetch } });
});
afterAll(() => gateway.close());

function newSession() {
	const conversationId = `run-${++conversations}`;
	return { conversationId, session: createSession(conversationId, { store: gateway.store }) };
}

/** The items as one word each, for comparing shapes. */
async function shapes(session: StoreSession): Promise<string[]> {
	return (await session.getItems()).map(shape);
}

function shape(item: AgentInputItem): string {
	if (item.type === "function_call") return `call ${item.callId}`;
	if (item.type === "function_call_result") return `result ${item.callId}`;
	return "role" in item ? item.role : (item.type ?? "?");
}

const weather = tool({
	name: "weather",
	description: "Tells the weather",
	parameters: z.object({ city: z.string() }),
	execute: async ({ city }) => `sunny in ${city} \u0000`,
});

function newAgent(steps: Step[], options: Partial<ConstructorParameters<typeof Agent>[0]> = {}) {
	const model = new ScriptedModel(steps);
	return { model, agent: new Agent({ name: "Helper", instructions: "Help.", model, tools: [weather], ...options }) };
}

const TOOL_LOOP: Step[] = [[calls("weather", { city: "Oslo" }, "c1")], [says("Sunny.")]];

describe("run with a session", () => {
	it("stores a tool loop and loads it in the next turn", async () => {
		const { conversationId, session } = newSession();
		const first = newAgent(TOOL_LOOP);
		expect((await runner.run(first.agent, "weather?", { session })).finalOutput).toBe("Sunny.");
		expect(await shapes(session)).toEqual(["user", "call c1", "result c1", "assistant"]);
		const second = newAgent([[says("Oslo.")]]);
		const reopened = createSession(conversationId, { store: gateway.store });
		await runner.run(second.agent, "which city?", { session: reopened });
		expect((second.model.inputs[0] as AgentInputItem[]).map(shape)).toEqual([
			"user",
			"call c1",
			"result c1",
			"assistant",
			"user",
		]);
		expect(JSON.stringify(second.model.inputs[0])).toContain("sunny in Oslo \\u0000");
	});

	it("stores a streamed run", async () => {
		const { session } = newSession();
		const { agent } = newAgent(TOOL_LOOP);
		const result = await runner.run(agent, "weather?", { session, stream: true });
		for await (const _ of result.toStream());
		await result.completed;
		expect(await shapes(session)).toEqual(["user", "call c1", "result c1", "assistant"]);
	});

	it("stores a handoff and the answer of the second agent", async () => {
		const { session } = newSession();
		const { agent: second } = newAgent([[says("From the expert.")]], { name: "Expert" });
		const { agent } = newAgent([[calls("transfer_to_Expert", {}, "h1")]], { handoffs: [second] });
		const result = await runner.run(agent, "help", { session });
		expect(result.lastAgent?.name).toBe("Expert");
		expect(await shapes(session)).toEqual(["user", "call h1", "result h1", "assistant"]);
	});

	it("stores more calls of one turn than a public batch may have", async () => {
		const { session } = newSession();
		const many = Array.from({ length: 61 }, (_, index) => calls("weather", { city: "Oslo" }, `c${index}`));
		const { agent } = newAgent([many, [says("Sunny.")]]);
		await runner.run(agent, "weather everywhere?", { session });
		expect(await session.getItems()).toHaveLength(124);
	});

	it("stores nothing of a run whose model fails, and goes on afterwards", async () => {
		const { session } = newSession();
		const { agent } = newAgent([new Error("overloaded"), [says("Hello.")]]);
		await expect(runner.run(agent, "hi", { session })).rejects.toThrow("overloaded");
		expect(await session.getItems()).toEqual([]);
		await runner.run(agent, "hi again", { session });
		expect(await shapes(session)).toEqual(["user", "assistant"]);
	});

	it("keeps the user's message of a stream that is aborted", async () => {
		const { session } = newSession();
		const controller = new AbortController();
		const { agent } = newAgent([
			[calls("weather", { city: "Oslo" }, "c1")],
			() => {
				controller.abort();
				return [says("too late")];
			},
		]);
		const result = await runner.run(agent, "weather?", { session, stream: true, signal: controller.signal });
		for await (const _ of result.toStream());
		await result.completed.catch(() => {});
		expect((await shapes(session))[0]).toBe("user");
		expect(await shapes(session)).not.toContain("assistant");
	});

	it("rejects with the store's own error when the store fails", async () => {
		const { session } = newSession();
		const { agent } = newAgent([[says(`a picture ${"x".repeat(17 * 1024 * 1024)}`)]]);
		const error = await failure(runner.run(agent, "draw", { session }));
		expect(error.code).toBe("PayloadTooLarge");
		expect(error.message).toMatch(/^items\[1\]/);
		expect(await session.getItems()).toEqual([]);
	});

	it("keeps two runs at once whole", async () => {
		const { session } = newSession();
		const runs = ["a", "b"].map((name) => {
			const { agent } = newAgent([[calls("weather", { city: name }, name)], [says(name)]]);
			return runner.run(agent, name, { session });
		});
		await Promise.all(runs);
		const stored = await shapes(session);
		const turn = (name: string) => ["user", `call ${name}`, `result ${name}`, "assistant"];
		expect([
			[...turn("a"), ...turn("b")],
			[...turn("b"), ...turn("a")],
		]).toContainEqual(stored);
	});
});

describe("guardrails", () => {
	it("store nothing when the input is refused", async () => {
		const { session } = newSession();
		const { agent } = newAgent([[says("never")]], {
			inputGuardrails: [{ name: "no", execute: async () => ({ tripwireTriggered: true, outputInfo: {} }) }],
		});
		await expect(runner.run(agent, "bad", { session })).rejects.toThrow(InputGuardrailTripwireTriggered);
		expect(await session.getItems()).toEqual([]);
	});

	const blocking = {
		outputGuardrails: [{ name: "no", execute: async () => ({ tripwireTriggered: true, outputInfo: {} }) }],
	};

	it.each([false, true])("keep finished tool pairs when the output is refused (stream: %s)", async (stream) => {
		const { session } = newSession();
		const { agent } = newAgent(TOOL_LOOP, blocking);
		// A lost answer makes the transaction come twice.
		const run = async () => {
			if (!stream) return runner.run(agent, "weather?", { session });
			const result = await runner.run(agent, "weather?", { session, stream: true });
			for await (const _ of result.toStream());
			return result.completed;
		};
		await expect(run()).rejects.toThrow(OutputGuardrailTripwireTriggered);
		expect(await shapes(session)).toEqual(["user", "call c1", "result c1"]);
	});

	it("keep a tool pair once when the answer to its transaction got lost", async () => {
		const { session } = newSession();
		const { agent } = newAgent(TOOL_LOOP, {
			outputGuardrails: [
				{
					name: "no",
					execute: async () => {
						lossy.losing = 2;
						return { tripwireTriggered: true, outputInfo: {} };
					},
				},
			],
		});
		await expect(runner.run(agent, "weather?", { session })).rejects.toThrow(OutputGuardrailTripwireTriggered);
		expect(lossy.losing).toBe(0);
		expect(await shapes(session)).toEqual(["user", "call c1", "result c1"]);
	});
});

describe("a run that waits for approval", () => {
	async function interrupt(session: StoreSession): Promise<string> {
		const { agent } = createTeller(APPROVAL_SCRIPT.asking);
		const result = await runner.run(agent, "transfer 7", { session });
		expect(result.interruptions).toHaveLength(1);
		return result.state.toString();
	}

	async function resumeElsewhere(conversationId: string, decision: string, state: string): Promise<unknown> {
		const script = fileURLToPath(new URL("openai-resume.ts", import.meta.url));
		const child = spawn(process.execPath, ["--import", "tsx", script, conversationId, decision], {
			env: { ...process.env, AGENT_STORE_URL: gateway.url, AGENT_STORE_TOKEN: gateway.token },
			stdio: ["pipe", "pipe", "inherit"],
		});
		child.stdin.end(state);
		const [output] = await Promise.all([text(child.stdout), once(child, "close")]);
		expect(child.exitCode).toBe(0);
		return JSON.parse(output);
	}

	it.each([
		["approve", /transferred 7/],
		["reject", /not approved|rejected/],
	])("goes on in a new process with %s", async (decision, result) => {
		const { conversationId, session } = newSession();
		const state = await interrupt(session);
		expect(await shapes(session)).toEqual(["user", "call call-1"]);
		expect(await resumeElsewhere(conversationId, decision, state)).toBe("Transferred.");
		expect(await shapes(session)).toEqual(["user", "call call-1", "result call-1", "assistant"]);
		expect(JSON.stringify((await session.getItems())[2])).toMatch(result);
	});

	it("keeps what others added meanwhile", async () => {
		const { session } = newSession();
		const serialised = await interrupt(session);
		await session.addItems([{ type: "message", role: "user", content: "meanwhile" }]);
		const { agent } = createTeller(APPROVAL_SCRIPT.answering);
		const state = await RunState.fromString<unknown, typeof agent>(agent, serialised);
		for (const interruption of state.getInterruptions()) state.approve(interruption);
		await runner.run(agent, state, { session });
		expect(await shapes(session)).toEqual(["user", "call call-1", "user", "result call-1", "assistant"]);
	});

	it("stores each item once when the store was out of reach and the same state is resumed again", async () => {
		const { conversationId, session } = newSession();
		const serialised = await interrupt(session);
		const { agent } = createTeller([...APPROVAL_SCRIPT.answering, ...APPROVAL_SCRIPT.answering]);
		const state = await RunState.fromString<unknown, typeof agent>(agent, serialised);
		for (const interruption of state.getInterruptions()) state.approve(interruption);
		const broken = createStore({
			url: gateway.url,
			fetch: () => Promise.reject(new TypeError("fetch failed")),
			retries: 0,
		});
		const offline = createSession(conversationId, { store: broken });
		expect((await failure(runner.run(agent, state, { session: offline }))).code).toBe("NetworkError");
		await runner.run(agent, state, { session });
		expect(await shapes(session)).toEqual(["user", "call call-1", "result call-1", "assistant"]);
	});
});

describe("compaction", () => {
	it("replaces the history by the framework's own item", async () => {
		const { session } = newSession();
		const { agent } = newAgent([
			[says("one")],
			[{ type: "compaction", encrypted_content: "short" } as never, says("two")],
			[says("three")],
		]);
		const replace = vi.spyOn(session, "replaceHistoryWithCompaction");
		for (const input of ["1", "2", "3"]) await runner.run(agent, input, { session });
		expect(replace).toHaveBeenCalledOnce();
		expect(await shapes(session)).toEqual(["compaction", "assistant", "user", "assistant"]);
	});
});
