import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { type Checkpointer, createCheckpointer } from "@iga-pages/agent/store/langgraph";
import { Command } from "@langchain/langgraph";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { createDeepTeller, createTeller } from "./langgraph-agents.ts";

let gateway: TestGateway;
let saver: Checkpointer;
let threads = 0;

beforeAll(async () => {
	gateway = await startGateway();
	saver = createCheckpointer(null, { store: gateway.store });
});
afterAll(() => gateway.close());

function newThread() {
	return { configurable: { thread_id: `agent-${++threads}` } };
}

const PAY = { messages: [{ role: "user", content: "pay" }] };
const APPROVE = new Command({ resume: { decisions: [{ type: "approve" }] } });
const REJECT = new Command({ resume: { decisions: [{ type: "reject", message: "no" }] } });

async function resumeElsewhere(threadId: string, kind: "agent" | "deep"): Promise<unknown> {
	const script = fileURLToPath(new URL("langgraph-resume.ts", import.meta.url));
	const child = spawn(process.execPath, ["--import", "tsx", script, threadId, kind], {
		env: { ...process.env, AGENT_STORE_URL: gateway.url, AGENT_STORE_TOKEN: gateway.token },
		stdio: ["ignore", "pipe", "inherit"],
	});
	const [output] = await Promise.all([text(child.stdout), once(child, "close")]);
	expect(child.exitCode).toBe(0);
	return JSON.parse(output);
}

describe("createAgent", () => {
	it("waits for an approval, and goes on in a new process", async () => {
		const thread = newThread();
		const paused = await createTeller(saver).invoke(PAY, thread);
		expect(JSON.stringify(paused.__interrupt__)).toMatch('"amount":7');
		expect(await resumeElsewhere(thread.configurable.thread_id, "agent")).toEqual([
			"done: transferred 7",
			"heard 2 messages",
		]);
	});

	it("takes a rejection", async () => {
		const thread = newThread();
		await createTeller(saver).invoke(PAY, thread);
		const state = await createTeller(saver).invoke(REJECT, thread);
		expect(state.messages.at(-1)?.text).toBe("done: no");
	});
});

describe("createDeepAgent", () => {
	it("keeps files and a subagent's answer over an approval in a new process", async () => {
		const thread = newThread();
		const paused = await createDeepTeller(saver).invoke(PAY, thread);
		expect(JSON.stringify(paused.__interrupt__)).toMatch('"amount":3');
		expect(await resumeElsewhere(thread.configurable.thread_id, "deep")).toEqual([
			"done: the subagent counted 3, transferred 3",
			"heard 2 messages",
		]);
		const { values } = await createDeepTeller(saver).graph.getState(thread);
		expect(values.files["/note.txt"]).toMatchObject({ content: "nul \u0000" });
	});

	it("goes on after its thread was pruned to the newest checkpoint, and is gone after a deletion", async () => {
		const thread = newThread();
		await createDeepTeller(saver).invoke(PAY, thread);
		await createDeepTeller(saver).invoke(APPROVE as never, thread);
		const before = await createDeepTeller(saver).graph.getState(thread);
		const { removed } = await saver.pruneThread(thread.configurable.thread_id, { keep: 1 });
		expect(removed).toBeGreaterThan(10);
		expect((await createDeepTeller(saver).graph.getState(thread)).values).toEqual(before.values);
		const state = await createDeepTeller(saver).invoke({ messages: [{ role: "user", content: "and?" }] }, thread);
		expect(state.messages.at(-1)?.text).toBe("heard 2 messages");
		await saver.deleteThread(thread.configurable.thread_id);
		expect((await createDeepTeller(saver).graph.getState(thread)).values).toEqual({});
	});
});
