import { createSessions } from "@iga-pages/agent/sessions";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import type { AgentEvent, AgentRun } from "../../server/domain/agents.ts";
import { echo, gate, scriptedAgent } from "../support/agents.ts";
import { type ApiThread, callApi } from "../support/api.ts";
import { agent, agentOptions } from "../support/asking-agent.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { startGatewayProcess } from "../support/gateway-process.ts";
import { openStream } from "../support/streams.ts";

interface Answer {
	output: string;
	status: string;
	interrupt: { reason: string; data: unknown } | null;
	error: { code: string; message: string };
}

let gateway: TestGateway;
let second: TestGateway;
const scripted = scriptedAgent();

beforeAll(async () => {
	gateway = await startGateway({ agent: scripted.agent });
	second = await startGateway({ agent: scripted.agent, databaseUrl: gateway.databaseUrl });
});
afterAll(async () => {
	await second.close();
	await gateway.close();
});
afterEach(() => {
	scripted.script = echo;
});

function chat(body: object, on = gateway) {
	return callApi<Answer>(on, "POST", "/api/chat", body, gateway.token);
}

async function contents(thread: string): Promise<string[]> {
	const { items } = await gateway.store.listMessages({ conversationId: thread });
	return items.map(({ payload }) => (payload as { content: string }).content);
}

async function getThread(thread: string): Promise<ApiThread> {
	return (await callApi<ApiThread>(gateway, "GET", `/api/threads/${thread}`)).body;
}

const INTERRUPT = { reason: "approval", data: { tool: "rm" } };

/** Asks first; what comes after the answer is up to the test. */
function asking(afterwards: (run: AgentRun) => AsyncIterable<AgentEvent>) {
	return async function* (run: AgentRun): AsyncGenerator<AgentEvent> {
		if (run.resume === null) yield { type: "agent_interrupt", ...INTERRUPT, state: { step: 2 } };
		else yield* afterwards(run);
	};
}

async function* answer({ resume }: AgentRun): AsyncGenerator<AgentEvent> {
	yield JSON.stringify(resume);
}

const ANSWERED = JSON.stringify({ state: { step: 2 }, answer: true });

describe("an interrupted run", () => {
	it("shows what it waits for, and goes on with the answer", async () => {
		scripted.script = async function* ({ resume }) {
			if (resume === null) {
				yield { type: "message", message: { role: "assistant", payload: { content: "May I?" } } };
				yield { type: "agent_interrupt", reason: "approval", data: { tool: "rm" }, state: { step: 2, secret: 1 } };
				throw new Error("never reached");
			}
			yield JSON.stringify(resume);
		};
		const asked = await chat({ message: "Delete it", thread_id: "approval" });
		expect(asked.body).toMatchObject({
			status: "interrupted",
			output: "May I?",
			interrupt: { reason: "approval", data: { tool: "rm" } },
		});
		expect(await getThread("approval")).toMatchObject({
			status: "interrupted",
			interrupt: { reason: "approval", data: { tool: "rm" } },
		});
		const answered = await chat({ thread_id: "approval", resume: { approve: true } }, second);
		expect(JSON.parse(answered.body.output)).toEqual({ state: { step: 2, secret: 1 }, answer: { approve: true } });
		expect(await contents("approval")).toEqual(["Delete it", "May I?", answered.body.output]);
		const again = await chat({ thread_id: "approval", resume: { approve: true } });
		expect([again.status, again.body.error.message]).toEqual([409, expect.stringContaining("does not wait")]);
	});
});

describe("a run that goes on from an interrupt", () => {
	it("is shown as running, and waits for nothing meanwhile", async () => {
		const mayEnd = gate();
		scripted.script = asking(async function* (run) {
			await mayEnd.opened;
			yield* answer(run);
		});
		await chat({ message: "Go", thread_id: "running" });
		const answered = chat({ thread_id: "running", resume: true });
		await vi.waitFor(async () => expect(await getThread("running")).toMatchObject({ status: "running" }));
		expect((await getThread("running")).interrupt).toBeNull();
		expect((await chat({ thread_id: "running", resume: true }, second)).status).toBe(409);
		mayEnd.open();
		expect((await answered).body).toMatchObject({ status: "finished", output: ANSWERED });
	});

	it("can be answered anew when it fails, until it ends well, and stores nothing twice", async () => {
		scripted.script = asking(async function* () {
			yield { type: "message", message: { role: "assistant", payload: { content: "lost" } } };
			throw new Error("the tool failed");
		});
		await chat({ message: "Go", thread_id: "failing" });
		for (const on of [gateway, second]) {
			expect((await chat({ thread_id: "failing", resume: true }, on)).status).toBe(500);
			expect(await getThread("failing")).toMatchObject({
				status: "error",
				error: "The agent failed",
				interrupt: INTERRUPT,
			});
		}
		scripted.script = asking(answer);
		expect((await chat({ thread_id: "failing", resume: true })).body.output).toBe(ANSWERED);
		expect(await getThread("failing")).toMatchObject({ status: "finished", interrupt: null });
		expect(await contents("failing")).toEqual(["Go", ANSWERED]);
		expect((await chat({ thread_id: "failing", resume: true })).body.error.message).toContain("does not wait");
	});

	it("can be answered anew when its client left", async () => {
		scripted.script = asking(async function* ({ signal }) {
			yield "x";
			await new Promise((resolve) => signal.addEventListener("abort", resolve));
		});
		await chat({ message: "Go", thread_id: "left" });
		const leaving = new AbortController();
		const { body } = await fetch(new URL("/api/chat", gateway.url), {
			method: "POST",
			headers: { authorization: `Bearer ${gateway.token}`, "content-type": "application/json" },
			body: JSON.stringify({ thread_id: "left", resume: true, stream: true }),
			signal: leaving.signal,
		});
		await body!.getReader().read();
		leaving.abort();
		await vi.waitFor(async () =>
			expect(await getThread("left")).toMatchObject({ status: "error", interrupt: INTERRUPT }),
		);
	});

	it("may interrupt anew, and then waits for that", async () => {
		scripted.script = asking(async function* ({ resume }) {
			if (resume?.answer === "first") yield { type: "agent_interrupt", reason: "again", state: { step: 3 } };
			else yield JSON.stringify(resume);
		});
		await chat({ message: "Go", thread_id: "twice" });
		expect((await chat({ thread_id: "twice", resume: "first" })).body).toMatchObject({
			status: "interrupted",
			interrupt: { reason: "again" },
		});
		const { output } = (await chat({ thread_id: "twice", resume: "second" })).body;
		expect(JSON.parse(output)).toEqual({ state: { step: 3 }, answer: "second" });
	});

	it("is over once something of it is stored, which would be stored twice", async () => {
		const each = await startGateway({
			agent: scripted.agent,
			agentOptions: { store: "each" },
			databaseUrl: gateway.databaseUrl,
		});
		scripted.script = asking(async function* () {
			yield { type: "message", message: { role: "assistant", payload: { content: "kept" } } };
			throw new Error("the tool failed");
		});
		await chat({ message: "Go", thread_id: "each" }, each);
		expect((await chat({ thread_id: "each", resume: true }, each)).status).toBe(500);
		expect((await chat({ thread_id: "each", resume: true }, each)).status).toBe(409);
		await each.close();
		expect(await contents("each")).toEqual(["Go", "kept"]);
		expect(await getThread("each")).toMatchObject({ status: "error", interrupt: null });
	});

	it("gives way to a new message, whose failure does not bring it back", async () => {
		scripted.script = asking(answer);
		await chat({ message: "Go", thread_id: "moved-on" });
		scripted.script = async function* () {
			yield { type: "agent_error", error: "no" };
		};
		expect((await chat({ message: "Something else", thread_id: "moved-on" })).status).toBe(500);
		expect(await getThread("moved-on")).toMatchObject({ status: "error", interrupt: null });
		expect((await chat({ thread_id: "moved-on", resume: true })).status).toBe(409);
	});

	it("MSG-12: is over when the messages are cleared, which its state may repeat", async () => {
		scripted.script = asking(answer);
		await chat({ message: "Go", thread_id: "cleared" });
		await gateway.store.clearMessages({ conversationId: "cleared" });
		expect(await getThread("cleared")).toMatchObject({ status: "idle", interrupt: null });
		expect((await chat({ thread_id: "cleared", resume: true })).status).toBe(409);
		expect(await contents("cleared")).toEqual([]);
	});

	it("MSG-11: is over when a message is deleted, which its state may repeat", async () => {
		scripted.script = asking(answer);
		await gateway.store.appendMessage({ conversationId: "cut", messageId: "cut-1", payload: { content: "Before" } });
		await chat({ message: "Go", thread_id: "cut" });
		await gateway.store.deleteMessage({ messageId: "unknown" });
		expect(await getThread("cut")).toMatchObject({ status: "interrupted" });
		await gateway.store.deleteMessage({ messageId: "cut-1" });
		expect(await getThread("cut")).toMatchObject({ status: "idle", interrupt: null });
		expect((await chat({ thread_id: "cut", resume: true })).status).toBe(409);
		expect(await contents("cut")).toEqual(["Go"]);
	});

	it("goes on where it stopped, and on no other branch", async () => {
		const sessions = createSessions({ url: gateway.url, token: gateway.token });
		scripted.script = asking(answer);
		await gateway.store.appendMessage({ conversationId: "branched", messageId: "b1", payload: { content: "Before" } });
		await chat({ message: "Go", thread_id: "branched" });
		await sessions.branch({ conversationId: "branched", messageId: "b1" });
		await gateway.store.appendMessage({ conversationId: "branched", payload: { content: "Other" } });
		const refused = await chat({ thread_id: "branched", resume: true });
		expect([refused.status, refused.body.error.message]).toEqual([409, expect.stringContaining("on branch 0")]);
		await sessions.switchBranch({ conversationId: "branched", branch: 0 });
		expect((await chat({ thread_id: "branched", resume: true })).status).toBe(200);
		expect(await contents("branched")).toEqual(["Before", "Go", ANSWERED]);
	});

	it("can be answered anew, on another gateway, when its own is killed in its middle", async () => {
		const { databaseUrl } = gateway;
		const module = ["--agent", "test/support/asking-agent.ts"];
		const killed = await startGatewayProcess("serve", { DATABASE_URL: databaseUrl }, module);
		const on = { ...gateway, url: killed.url };
		expect((await chat({ message: "wait", thread_id: "killed" }, on)).body).toMatchObject({ interrupt: INTERRUPT });
		const stream = await openStream(on, "/api/chat", {
			method: "POST",
			body: JSON.stringify({ thread_id: "killed", resume: "wait", stream: true }),
			headers: { "content-type": "application/json" },
		});
		await stream.until(2);
		killed.signal("SIGKILL");
		await killed.ended;
		await vi.waitFor(
			async () => expect(await getThread("killed")).toMatchObject({ status: "error", interrupt: INTERRUPT }),
			{ timeout: 20_000, interval: 50 },
		);
		const other = await startGateway({ databaseUrl, agent, agentOptions });
		const answered = await chat({ thread_id: "killed", resume: "now" }, other);
		await other.close();
		expect(answered.body).toMatchObject({ status: "finished", output: "begun now" });
		expect(await contents("killed")).toEqual(["wait", "begun now"]);
	});
});
