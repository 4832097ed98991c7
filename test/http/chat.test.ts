import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { echo, gate, said, scriptedAgent } from "../support/agents.ts";
import { type ApiThread, callApi } from "../support/api.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { query } from "../support/sql.ts";

interface Answer {
	thread_id: string;
	run_id: string;
	output: string;
	status: string;
	interrupt: { reason: string; data: unknown } | null;
	error: { code: string; message: string; requestId: string };
}

const DEFAULTS = { model: "default", skills: ["a"], thinking: { effort: "low", budget: 1 } };

let gateway: TestGateway;
let second: TestGateway;
let threads = 0;
const scripted = scriptedAgent();

beforeAll(async () => {
	const options = { agent: scripted.agent, agentOptions: { config: DEFAULTS } };
	gateway = await startGateway(options);
	second = await startGateway({ ...options, databaseUrl: gateway.databaseUrl });
});
afterAll(async () => {
	await second.close();
	await gateway.close();
});
beforeEach(() => {
	scripted.runs.length = 0;
});
afterEach(() => {
	scripted.script = echo;
});

function chat(body: object, on = gateway) {
	return callApi<Answer>(on, "POST", "/api/chat", body, gateway.token);
}

async function contents(thread: string): Promise<string[]> {
	const { items } = await gateway.store.listMessages({ conversationId: thread, limit: 200 });
	return items.map(({ payload }) => (payload as { content: string }).content);
}

async function getThread(thread: string): Promise<ApiThread> {
	return (await callApi<ApiThread>(gateway, "GET", `/api/threads/${thread}`)).body;
}

describe("POST /api/chat", () => {
	it("stores what the user says and what the agent answers", async () => {
		const { status, body } = await chat({ message: "Hello", thread_id: "plain", stream: false });
		expect(status).toBe(200);
		expect(body).toEqual({
			thread_id: "plain",
			run_id: expect.any(String),
			output: "Hello",
			status: "finished",
			interrupt: null,
		});
		expect(await getThread("plain")).toMatchObject({
			status: "finished",
			messages: [
				{ role: "user", payload: { role: "user", content: "Hello" } },
				{ role: "assistant", payload: { role: "assistant", content: "Hello" } },
			],
		});
	});

	it("makes a thread where none is given, and goes on there", async () => {
		const first = await chat({ message: "One" });
		const again = await chat({ message: "Two", thread_id: first.body.thread_id });
		expect(again.body.thread_id).toBe(first.body.thread_id);
		expect(await contents(first.body.thread_id)).toEqual(["One", "One", "Two", "Two"]);
		expect(scripted.runs.map(({ context, message }) => [context.length, said(message)])).toEqual([
			[0, "One"],
			[2, "Two"],
		]);
	});

	it("stores the user's message before the agent runs", async () => {
		scripted.script = async function* ({ threadId }) {
			yield (await contents(threadId)).join();
		};
		expect((await chat({ message: "Stored?" })).body.output).toBe("Stored?");
	});

	it("gives the agent a long context whole, from the latest compaction on", async () => {
		const conversationId = "long";
		const messages = Array.from({ length: 100 }, (_, index) => ({ payload: { content: `m${index}` } }));
		for (let page = 0; page < 3; page++) await gateway.store.appendMessages({ conversationId, messages });
		await chat({ message: "Now", thread_id: conversationId });
		expect(scripted.runs[0]?.context.map(({ seq }) => Number(seq))).toEqual(
			Array.from({ length: 300 }, (_, index) => index + 1),
		);
	});

	it("takes each field of the config from the request, else the thread, else the gateway, and nothing sticks", async () => {
		const thread_id = "configured";
		await chat({ message: "1", thread_id });
		await callApi(gateway, "PUT", `/api/threads/${thread_id}/config`, {
			config: { model: "thread", thinking: { effort: "high" } },
		});
		await chat({ message: "2", thread_id });
		await chat({ message: "3", thread_id, model: "request", response_format: { type: "json_object" }, skills: ["b"] });
		await chat({ message: "4", thread_id, model: null });
		await callApi(gateway, "PUT", `/api/threads/${thread_id}/config`, { config: null });
		await chat({ message: "5", thread_id });
		expect(scripted.runs.map(({ config }) => config)).toEqual([
			DEFAULTS,
			{ ...DEFAULTS, model: "thread", thinking: { effort: "high" } },
			{ model: "request", responseFormat: { type: "json_object" }, skills: ["b"], thinking: { effort: "high" } },
			{ ...DEFAULTS, model: "thread", thinking: { effort: "high" } },
			DEFAULTS,
		]);
	});

	it("makes a message of an answer that comes in pieces alone", async () => {
		scripted.script = async function* () {
			yield { type: "message_delta", delta: "thinking…", kind: "thinking" };
			yield "Hel";
			yield "lo";
		};
		const { body } = await chat({ message: "Hi" });
		expect(body.output).toBe("Hello");
		expect(await contents(body.thread_id)).toEqual(["Hi", "Hello"]);
	});
});

describe("a request that is refused", () => {
	it.each([
		[{}, 400, "message: must be a non-empty string"],
		[{ message: "" }, 400, "message: must be a non-empty string"],
		[{ message: 1 }, 400, "message: must be a non-empty string"],
		[{ message: "x", thread_id: ".." }, 400, "thread_id: must not be"],
		[{ message: "x", stream: "yes" }, 400, "stream: must be a boolean"],
		[{ message: "x", thinking: { effort: "extreme" } }, 400, "thinking.effort: must be one of low"],
		[{ message: "x", temperature: 1 }, 400, "body: unknown temperature"],
		[{ resume: true }, 400, "thread_id: must be given with resume"],
		[{ resume: true, message: "x", thread_id: "t" }, 400, "resume: must not be given with message"],
		[{ resume: true, thread_id: "unknown" }, 404, 'Conversation "unknown" does not exist'],
	])("makes no thread and runs nothing: %j", async (body, status, message) => {
		const before = await gateway.store.listConversations({ limit: 200 });
		const refused = await chat(body);
		expect([refused.status, refused.body.error.message]).toEqual([status, expect.stringContaining(message)]);
		expect((await gateway.store.listConversations({ limit: 200 })).items).toEqual(before.items);
		expect(scripted.runs).toEqual([]);
	});

	it("is 501 where the gateway has no agent, and makes no thread", async () => {
		const bare = await startGateway();
		const { status, body } = await callApi(bare, "POST", "/api/chat", { message: "Hi", thread_id: "t" });
		expect([status, body.error.message]).toEqual([501, expect.stringContaining("has no agent")]);
		expect((await bare.store.listConversations()).items).toEqual([]);
		await bare.close();
	});

	it("is a Conflict when its entry_id exists, so that a retry is answered once", async () => {
		const body = { message: "Once", thread_id: "once", entry_id: "once-1" };
		expect([(await chat(body)).status, (await chat(body)).status]).toEqual([200, 409]);
		expect(await contents("once")).toEqual(["Once", "Once"]);
	});
});

describe("a run that fails", () => {
	it("leaves the user's message, status error, and tells nothing of the agent's inside", async () => {
		scripted.script = async function* () {
			yield "half an ";
			throw new Error("secret path /srv/agent");
		};
		const { status, body } = await chat({ message: "Try", thread_id: "failed" });
		expect(status).toBe(500);
		expect(body).toMatchObject({ thread_id: "failed", error: { code: "UnknownError", message: "The agent failed" } });
		expect(await contents("failed")).toEqual(["Try"]);
		expect(await getThread("failed")).toMatchObject({ status: "error", error: "The agent failed" });
		scripted.script = echo;
		expect((await chat({ message: "Again", thread_id: "failed" })).status).toBe(200);
		expect(await getThread("failed")).toMatchObject({ status: "finished", error: null });
	});

	it("tells what the agent wants to be told", async () => {
		scripted.script = async function* () {
			yield { type: "agent_error", error: "The model is overloaded" };
		};
		const { status, body } = await chat({ message: "Try" });
		expect([status, body.error.message]).toEqual([500, "The model is overloaded"]);
	});

	it("fails on a message that cannot be stored", async () => {
		scripted.script = async function* () {
			yield { type: "message", message: { role: "x".repeat(300), payload: 1 } };
		};
		const { status, body } = await chat({ message: "Try", thread_id: "unstorable" });
		expect([status, body.error.message]).toEqual([400, expect.stringContaining("message of the agent.role: must be")]);
		expect(await getThread("unstorable")).toMatchObject({ status: "error" });
	});

	it("keeps a partial answer by option", async () => {
		const keeping = await startGateway({
			databaseUrl: gateway.databaseUrl,
			agent: scripted.agent,
			agentOptions: { keepPartial: true },
		});
		scripted.script = async function* () {
			yield { type: "message", message: { role: "assistant", payload: { content: "First." } } };
			yield "half an ";
			throw new Error("broken");
		};
		await chat({ message: "Try", thread_id: "partial" }, keeping);
		await keeping.close();
		expect(await contents("partial")).toEqual(["Try", "First.", "half an "]);
		const { items } = await gateway.store.listMessages({ conversationId: "partial" });
		expect(items.at(-1)?.metadata).toEqual({ partial: true });
	});

	it("ends when its client leaves, and leaves the message and an error", async () => {
		const started = gate();
		let wasTold = false;
		scripted.script = async function* ({ signal }) {
			yield "x";
			started.open();
			await new Promise((resolve) => signal.addEventListener("abort", resolve));
			wasTold = true;
		};
		const leaving = new AbortController();
		const request = fetch(new URL("/api/chat", gateway.url), {
			method: "POST",
			headers: { authorization: `Bearer ${gateway.token}`, "content-type": "application/json" },
			body: JSON.stringify({ message: "Bye", thread_id: "left" }),
			signal: leaving.signal,
		}).catch(() => {});
		await started.opened;
		expect(await getThread("left")).toMatchObject({ status: "running" });
		leaving.abort();
		await request;
		await vi.waitFor(async () => expect(await getThread("left")).toMatchObject({ status: "error" }));
		expect(wasTold).toBe(true);
		expect(await contents("left")).toEqual(["Bye"]);
	});
});

describe("two runs on one thread at once", () => {
	it.each(["one gateway", "two gateways"])("are one run and one Conflict, on %s", async (where) => {
		const started = gate();
		const mayEnd = gate();
		scripted.script = async function* (run) {
			started.open();
			await mayEnd.opened;
			yield* echo(run);
		};
		const thread_id = `busy-${++threads}`;
		const first = chat({ message: "First", thread_id });
		await started.opened;
		const other = await chat({ message: "Second", thread_id }, where === "one gateway" ? gateway : second);
		expect([other.status, other.body.error.code, other.headers.get("retry-after")]).toEqual([409, "Conflict", "1"]);
		await gateway.store.appendMessage({ conversationId: thread_id, payload: { content: "beside" } });
		mayEnd.open();
		expect((await first).status).toBe(200);
		expect(await contents(thread_id)).toEqual(["First", "beside", "First"]);
	});

	it("take turns by option, and lose nothing", async () => {
		const waiting = await startGateway({
			databaseUrl: gateway.databaseUrl,
			agent: scripted.agent,
			agentOptions: { whenBusy: "wait" },
		});
		const thread_id = "turns";
		const answers = await Promise.all(["a", "b", "c", "d"].map((message) => chat({ message, thread_id }, waiting)));
		await waiting.close();
		expect(answers.map(({ status, body }) => [status, body.output])).toEqual([
			[200, "a"],
			[200, "b"],
			[200, "c"],
			[200, "d"],
		]);
		const stored = await contents(thread_id);
		expect(stored.filter((_, index) => index % 2 === 0)).toEqual(stored.filter((_, index) => index % 2 === 1));
		expect(stored.filter((_, index) => index % 2 === 0).sort()).toEqual(["a", "b", "c", "d"]);
	});
});

describe("a run that waits for another one", () => {
	// It would look by itself in ten minutes only.
	const never = { limits: { tailPollMs: 600_000 }, agentOptions: { whenBusy: "wait" as const, waitMs: 600_000 } };

	it.each(["ends", "fails"])("begins when that %s, on whatever gateway", async (how) => {
		const { databaseUrl } = gateway;
		const directUrl = `${databaseUrl}?application_name=waits-${how}`;
		const waiting = await startGateway({ databaseUrl, directUrl, agent: scripted.agent, ...never });
		const started = gate();
		const mayEnd = gate();
		scripted.script = async function* (run) {
			started.open();
			await mayEnd.opened;
			if (how === "fails") throw new Error("no");
			yield* echo(run);
		};
		const thread_id = `waits-${how}`;
		const first = chat({ message: "First", thread_id }, second);
		await started.opened;
		scripted.script = echo;
		const next = chat({ message: "Next", thread_id }, waiting);
		await vi.waitFor(async () => {
			const listening = await query(
				gateway,
				"SELECT FROM pg_stat_activity WHERE application_name = $1 AND state = 'idle' AND query LIKE '%LISTEN%'",
				[thread_id],
			);
			expect(listening).toHaveLength(1);
		});
		mayEnd.open();
		await first;
		expect((await next).body.output).toBe("Next");
		await waiting.close();
	});

	it("is refused when its time is over", async () => {
		const waiting = await startGateway({
			databaseUrl: gateway.databaseUrl,
			agent: scripted.agent,
			agentOptions: { whenBusy: "wait", waitMs: 100 },
		});
		const started = gate();
		const mayEnd = gate();
		scripted.script = async function* (run) {
			started.open();
			await mayEnd.opened;
			yield* echo(run);
		};
		const first = chat({ message: "First", thread_id: "waits" });
		await started.opened;
		expect((await chat({ message: "Next", thread_id: "waits" }, waiting)).status).toBe(409);
		mayEnd.open();
		await first;
		await waiting.close();
		expect(await contents("waits")).toEqual(["First", "First"]);
	});
});

describe("a run that loses its thread", () => {
	const steal = (thread: string) =>
		query(gateway, "UPDATE conversations SET run_id = gen_random_uuid() WHERE conversation_id = $1 RETURNING 1", [
			thread,
		]);

	it.each([
		["another run has it", steal, 409],
		["it was deleted", (conversationId: string) => gateway.store.deleteConversation({ conversationId }), 409],
	])("stores nothing more when %s", async (_why, take, status) => {
		const thread_id = `lost-${++threads}`;
		scripted.script = async function* (run) {
			await take(thread_id);
			yield* echo(run);
		};
		expect((await chat({ message: "Mine", thread_id })).status).toBe(status);
		expect((await contents(thread_id)).filter((text) => text === "Mine").length).toBeLessThanOrEqual(1);
		expect(await gateway.store.listMessages({ conversationId: thread_id, order: "desc" })).not.toMatchObject({
			items: [{ role: "assistant" }],
		});
	});

	it("stores nothing on another branch that became the active one", async () => {
		const thread_id = `lost-${++threads}`;
		await chat({ message: "1", thread_id });
		const before = await contents(thread_id);
		scripted.script = async function* (run) {
			await query(gateway, "UPDATE conversations SET active_branch = 0, last_branch = 1 WHERE conversation_id = $1", [
				thread_id,
			]);
			await query(
				gateway,
				`WITH branch AS (INSERT INTO branches SELECT project_id, conversation_id, 1, 0, 2, now() FROM conversations
					WHERE conversation_id = $1 RETURNING 1)
				UPDATE conversations SET active_branch = 1 WHERE conversation_id = $1 AND EXISTS (SELECT FROM branch)`,
				[thread_id],
			);
			yield* echo(run);
		};
		const refused = await chat({ message: "2", thread_id });
		expect([refused.status, refused.body.error.message]).toEqual([409, expect.stringContaining("Another branch")]);
		expect(await contents(thread_id)).toEqual(before);
		expect(await getThread(thread_id)).toMatchObject({ status: "error" });
	});
});
