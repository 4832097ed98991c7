import type { Runner } from "../agents/runner.ts";
import { checkMessage, type RunEvent } from "../domain/agents.ts";
import { badRequest, Fault } from "../domain/faults.ts";
import { checkId, newId } from "../domain/ids.ts";
import type { JsonObject, JsonValue } from "../domain/json.ts";
import type { Message } from "../domain/messages.ts";
import { sealPosition } from "../domain/tails.ts";
import type { StartedRun } from "../store/runs.ts";
import { errorResponse } from "./errors.ts";
import type { InFlight } from "./in-flight.ts";
import type { Call, Route } from "./router.ts";
import { CHAT_ANSWER, CONFIG_FIELDS, KEY, TEXT } from "./schemas.ts";
import { eventStream, type StreamEvent } from "./sse.ts";
import { bodyThread } from "./threads.ts";
import { entryOf, readConfig } from "./wire.ts";

/** Runs the agent; without one, the route says so. */
export function chatRoute(runner: Runner | undefined, inFlight: InFlight): Route {
	return {
		method: "POST",
		path: "/api/chat",
		name: "chat",
		summary:
			"Runs the gateway's agent on a thread: stores the message, then what the agent answers. One run a thread at a time.",
		access: { role: "write", limited: "named" },
		conversationOf: bodyThread,
		body: {
			message: { type: ["string", "null"], minLength: 1, description: "What the user says." },
			thread_id: { ...KEY, type: ["string", "null"], description: "A new thread is made when omitted." },
			entry_id: {
				...TEXT,
				type: ["string", "null"],
				description: "The message's id; one that exists is a Conflict, so that a retry is safe.",
			},
			stream: { type: ["boolean", "null"], description: "Answers with server-sent events; false by default." },
			resume: { description: "In place of a message: the answer that an interrupted run waits for." },
			...CONFIG_FIELDS,
		},
		success: {
			status: 200,
			description:
				"The answer, or with `stream` its events; the last one is `done`. The id of each event is a position of the thread's live tail.",
			schema: CHAT_ANSWER,
			isStream: true,
		},
		errors: [404, 409, 501],
		answer: async (call) => {
			if (runner === undefined) throw noAgent();
			const input = readInput(call);
			const started = await runner.start(call, input, call.signal);
			if (call.body["stream"] !== true)
				return answerAtEnd(call, started, runner.run(call, started, input, call.signal));
			inFlight.stay();
			const source = (signal: AbortSignal) => toStream(call, started, runner.run(call, started, input, signal));
			const { heartbeatMs } = call.limits;
			return eventStream(source, { signal: call.signal, heartbeatMs, onEnd: () => inFlight.leave() });
		},
	};
}

function readInput(call: Call) {
	const { body, limits } = call;
	if (body["stream"] != null && typeof body["stream"] !== "boolean") throw badRequest("stream", "must be a boolean");
	const isResume = body["resume"] !== undefined;
	if (isResume && body["message"] != null) throw badRequest("resume", "must not be given with message");
	const thread = bodyThread(call);
	if (isResume && thread === null) throw badRequest("thread_id", "must be given with resume");
	const given = Object.entries(body).filter(([name]) => Object.hasOwn(CONFIG_FIELDS, name));
	return {
		conversationId: thread ?? newId(),
		message: isResume ? null : checkMessage("message", body["message"]),
		messageId: body["entry_id"] == null ? null : checkId("entry_id", body["entry_id"], limits.idBytes),
		answer: body["resume"] ?? null,
		config: readConfig("body", Object.fromEntries(given)),
	};
}

/** One answer for the whole run. */
async function answerAtEnd(call: Call, started: StartedRun, events: AsyncIterable<RunEvent>): Promise<object> {
	let end: Extract<RunEvent, { kind: "end" }> | undefined;
	for await (const event of events) if (event.kind === "end") end = event;
	const { output, status, interrupt, error } = end!;
	const about = { thread_id: started.conversationId, run_id: started.runId };
	if (error !== null) return errorResponse(error, call.requestId, about);
	return { ...about, output, status, interrupt: interrupt && { ...interrupt } };
}

/** The events as they are sent. */
async function* toStream(
	call: Call,
	started: StartedRun,
	events: AsyncIterable<RunEvent>,
): AsyncGenerator<StreamEvent, undefined> {
	const { conversationId, runId } = started;
	const place = new Place(call, started);
	for await (const event of events) {
		if (event.kind === "message") place.tell(event.message);
		const id = place.position;
		if (event.kind === "end") {
			const { output, status, interrupt, error } = event;
			const failure = error && { code: error.code, message: error.message, requestId: call.requestId };
			const data = { schema: "chat.done.v1", type: "done", thread_id: conversationId, run_id: runId, output, status };
			yield { id, event: "done", data: { ...data, interrupt, ...(failure === null ? {} : { error: failure }) } };
		} else {
			const [type, payload]: [string, JsonValue] =
				event.kind === "message" ? ["message", entryOf(event.message)] : [event.type, event.payload];
			yield { id, event: type, data: envelope(started, type, payload) };
		}
	}
}

function envelope({ conversationId, runId }: StartedRun, type: string, payload: JsonValue): JsonObject {
	return {
		schema: "agent.event.v1",
		type,
		thread_id: conversationId,
		timestamp: new Date().toISOString(),
		run_info: { run_id: runId, component: "agent" },
		payload,
	};
}

/** How far a stream has told its thread: behind messages of others that came in between, it stays. */
class Place {
	readonly #call: Call;
	readonly #run: StartedRun;
	#seq: bigint;
	position: string;

	constructor(call: Call, run: StartedRun) {
		this.#call = call;
		this.#run = run;
		this.#seq = BigInt(run.lastSeq);
		this.position = this.#seal();
	}

	tell({ seq }: Message): void {
		if (BigInt(seq) !== this.#seq + 1n) return;
		this.#seq = BigInt(seq);
		this.position = this.#seal();
	}

	#seal(): string {
		const { conversationId, incarnation } = this.#run;
		const { cursorKey } = this.#call.identity;
		return sealPosition(cursorKey, conversationId, { incarnation, seq: String(this.#seq) });
	}
}

function noAgent(): Fault {
	return new Fault("UnknownError", "This gateway has no agent: give it one with createGateway({ agent }) or --agent", {
		status: 501,
	});
}
