import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { echo, gate, scriptedAgent } from "../support/agents.ts";
import { type ApiThread, callApi } from "../support/api.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { openStream } from "../support/streams.ts";

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

interface SentEvent {
	id: string;
	event: string;
	data: {
		schema: string;
		type: string;
		thread_id: string;
		run_info: { run_id: string };
		payload: { entry_id: string; payload: { content: string }; delta: string };
		output: string;
		status: string;
		error?: { code: string; message: string; requestId: string };
	};
}

function openChat(body: object, on = gateway) {
	return openStream({ url: on.url, token: gateway.token }, "/api/chat", {
		method: "POST",
		body: JSON.stringify({ stream: true, ...body }),
		headers: { "content-type": "application/json" },
	});
}

/** Reads events as a client does. */
function parse(frames: string[]): SentEvent[] {
	return frames.map((frame) => {
		const fields = Object.fromEntries(frame.split("\n").map((line) => line.split(/: (.*)/s, 2)));
		return { ...fields, data: JSON.parse(fields["data"]) };
	});
}

/** All events of a stream that the gateway ends. */
async function readAll(body: object): Promise<SentEvent[]> {
	const stream = await openChat(body);
	expect(stream.response.status).toBe(200);
	await stream.ended;
	return parse(stream.events());
}

async function getThread(thread: string): Promise<ApiThread> {
	return (await callApi<ApiThread>(gateway, "GET", `/api/threads/${thread}`)).body;
}

describe("POST /api/chat with stream", () => {
	it("sends named events in envelopes, each with an id, and done at the end", async () => {
		scripted.script = async function* (run) {
			yield { type: "turn_start", payload: { turn: 1 } };
			yield { type: "message_delta", delta: "Hm", kind: "thinking" };
			yield "He";
			yield "llo";
			yield { type: "tool_call_start", payload: { tool_call: { id: "1", name: "t", arguments: "{}" } } };
			yield* echo(run);
		};
		const events = await readAll({ message: "Hello", thread_id: "named" });
		expect(events.map(({ event }) => event)).toEqual([
			"message",
			"agent_start",
			"turn_start",
			"message_delta",
			"message_delta",
			"message_delta",
			"tool_call_start",
			"message",
			"agent_end",
			"done",
		]);
		for (const { event, id, data } of events.slice(0, -1)) {
			expect(id).not.toBe("");
			expect(data).toMatchObject({ schema: "agent.event.v1", type: event, thread_id: "named" });
			expect(data.run_info.run_id).toBe(events[0]?.data.run_info.run_id);
		}
		expect(events.at(-1)?.data).toMatchObject({ schema: "chat.done.v1", output: "Hello", status: "finished" });
		const { messages } = await getThread("named");
		expect(events.filter(({ event }) => event === "message").map(({ data }) => data.payload)).toEqual(messages);
	});

	it("sends pieces while the agent still works", async () => {
		const mayEnd = gate();
		scripted.script = async function* () {
			yield "first";
			await mayEnd.opened;
			yield "last";
		};
		const stream = await openChat({ message: "Go" });
		await stream.until(3);
		expect(parse(stream.events()).at(-1)?.data.payload.delta).toBe("first");
		mayEnd.open();
		await stream.ended;
		expect(parse(stream.events()).at(-1)?.data).toMatchObject({ output: "firstlast" });
	});

	it("tells a failure as an event and in done", async () => {
		scripted.script = async function* () {
			yield "x";
			throw new Error("secret");
		};
		const events = await readAll({ message: "Go", thread_id: "failed" });
		expect(events.slice(-2).map(({ event }) => event)).toEqual(["agent_error", "done"]);
		expect(events.at(-1)?.data).toMatchObject({
			status: "error",
			error: { code: "UnknownError", message: "The agent failed", requestId: expect.any(String) },
		});
		expect(JSON.stringify(events)).not.toContain("secret");
	});

	it("answers in JSON what is refused before the run", async () => {
		const { response } = await openChat({ message: "" });
		expect([response.status, response.headers.get("content-type")]).toEqual([400, "application/json"]);
	});

	it("stores and sends each message as it comes, by option", async () => {
		const each = await startGateway({
			agent: scripted.agent,
			agentOptions: { store: "each" },
			databaseUrl: gateway.databaseUrl,
		});
		const mayEnd = gate();
		scripted.script = async function* (run) {
			yield* echo(run);
			await mayEnd.opened;
			yield* echo(run);
		};
		const stream = await openChat({ message: "Go", thread_id: "each" }, each);
		await stream.until(3);
		expect((await getThread("each")).messages).toHaveLength(2);
		mayEnd.open();
		await stream.ended;
		await each.close();
		expect((await getThread("each")).messages).toHaveLength(3);
	});

	it("is gone on with by the id of any event, on any gateway, also after the run", async () => {
		scripted.script = async function* (run) {
			yield "lost";
			yield* echo(run);
			yield* echo(run);
		};
		const events = await readAll({ message: "Again", thread_id: "resumed" });
		const stored = (await getThread("resumed")).messages.map(({ entry_id }) => entry_id);
		for (const { id, event } of events) {
			const told = events.slice(0, events.findLastIndex((other) => other.id === id) + 1);
			const known = told.filter((other) => other.event === "message").length;
			const tail = await openStream({ url: second.url, token: gateway.token }, "/api/threads/resumed/events", {
				headers: { "last-event-id": id },
			});
			await tail.until(1 + stored.length - known);
			const replayed = parse(tail.events()).filter((other) => other.event === "message");
			expect([event, replayed.map(({ data }) => data.payload.entry_id)]).toEqual([event, stored.slice(known)]);
		}
	});

	it("skips no message of others that came in between", async () => {
		scripted.script = async function* (run) {
			await gateway.store.appendMessage({ conversationId: "between", messageId: "beside", payload: 1 });
			yield* echo(run);
		};
		const events = await readAll({ message: "Go", thread_id: "between" });
		const tail = await openStream(gateway, "/api/threads/between/events", {
			headers: { "last-event-id": events.at(-1)!.id },
		});
		await tail.until(3);
		expect(parse(tail.events())[1]?.data.payload.entry_id).toBe("beside");
	});
});

describe("a client that leaves a stream", () => {
	it("ends the run, and the next one may begin", async () => {
		let running = 0;
		scripted.script = async function* ({ signal }) {
			running++;
			yield "x";
			await new Promise((resolve) => signal.addEventListener("abort", resolve));
			running--;
		};
		for (let round = 0; round < 10; round++) {
			const leaving = Array.from({ length: 10 }, (_, index) => leaveEarly(`left-${round}-${index}`));
			await Promise.all(leaving);
		}
		await vi.waitFor(() => expect(running).toBe(0), { timeout: 30_000 });
		await vi.waitFor(async () => expect(await getThread("left-9-9")).toMatchObject({ status: "error" }));
		scripted.script = echo;
		expect((await callApi(gateway, "POST", "/api/chat", { message: "Next", thread_id: "left-9-9" })).status).toBe(200);
	});
});

/** Opens a stream, reads its first piece, and cuts it. */
async function leaveEarly(thread_id: string): Promise<void> {
	const leaving = new AbortController();
	const response = await fetch(new URL("/api/chat", gateway.url), {
		method: "POST",
		headers: { authorization: `Bearer ${gateway.token}`, "content-type": "application/json" },
		body: JSON.stringify({ message: "Hi", thread_id, stream: true }),
		signal: leaving.signal,
	});
	const reader = response.body!.getReader();
	const decoder = new TextDecoder();
	let text = "";
	while (!text.includes("message_delta")) {
		const { done, value } = await reader.read();
		if (done) throw new Error(`The stream ended: ${text}`);
		text += decoder.decode(value, { stream: true });
	}
	leaving.abort();
}

describe("a gateway that shuts down", () => {
	it("ends a run with an error that its client and the thread are told", async () => {
		const closing = await startGateway({ agent: scripted.agent, databaseUrl: gateway.databaseUrl });
		scripted.script = async function* () {
			yield "x";
			await new Promise(() => {});
		};
		const stream = await openChat({ message: "Long", thread_id: "closing" }, closing);
		await stream.until(3);
		await closing.gateway.close();
		await stream.ended;
		expect(parse(stream.events()).at(-1)?.data).toMatchObject({
			status: "error",
			error: { code: "ServiceUnavailable" },
		});
		expect(await getThread("closing")).toMatchObject({ status: "error", error: "The gateway is shutting down" });
	});
});
