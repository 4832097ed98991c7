import type { Logger } from "pino";
import type { TailEvent } from "../domain/tails.ts";
import type { Tail, TailInput } from "../store/tails.ts";
import { toFault } from "./errors.ts";
import type { InFlight } from "./in-flight.ts";
import type { Call, Route } from "./router.ts";
import { TEXT } from "./schemas.ts";
import { eventStream, type StreamEvent } from "./sse.ts";
import { entryOf, readNumber } from "./wire.ts";

/** Follows a thread; `open` opens the tail. */
export function tailRoute(open: (call: Call, input: TailInput) => Tail, streams: InFlight, logger: Logger): Route {
	return {
		method: "GET",
		path: "/api/threads/{key}/events",
		name: "followThread",
		summary:
			"The live tail of a thread: the entries of all its branches by seq, those that are there and those to come, on whatever gateway. An unknown thread is waited for. Updates and deletes of entries are not told.",
		access: { role: "read", limited: "kept" },
		query: {
			after: {
				...TEXT,
				description:
					"The id of an event: the stream goes on behind it. The header Last-Event-ID is the same and comes first. When omitted the stream begins with the first entry.",
			},
			last: {
				type: "integer",
				minimum: 0,
				description: "Without a position: begins with so many of the newest entries at most.",
			},
		},
		success: {
			status: 200,
			description:
				"Events `opened`, `message` (its payload is an entry) and `reset` (the thread was deleted; what follows is a new one), each with its position as id; and, when the stream ends by itself, a last one, `error`.",
			isStream: true,
		},
		answer: async (call) => {
			// A client that connects anew repeats the url and adds the header.
			const given = call.header("last-event-id") || null;
			const { after = null } = call.query;
			const last = given === null ? readNumber(call.query, "last") : null;
			const tail = open(call, { conversationId: call.key, after: given ?? after, last });
			const { heartbeatMs } = call.limits;
			streams.stay();
			const source = (signal: AbortSignal) => toEvents(call, tail, logger, signal);
			return eventStream(source, { signal: call.signal, heartbeatMs, onEnd: () => streams.leave() });
		},
	};
}

async function* toEvents(
	{ key, requestId }: Call,
	tail: Tail,
	logger: Logger,
	signal: AbortSignal,
): AsyncGenerator<StreamEvent, undefined> {
	signal.addEventListener("abort", () => void tail.return?.(), { once: true });
	const about = { schema: "thread.event.v1", thread_id: key };
	try {
		for await (const event of tail)
			yield { id: event.position, event: event.kind, data: { ...about, ...print(event) } };
	} catch (error) {
		const { code, message } = toFault(error, requestId, logger);
		yield { event: "error", data: { ...about, type: "error", error: { code, message, requestId } } };
	}
}

function print({ kind, message }: TailEvent): object {
	return { type: kind, payload: message && entryOf(message) };
}
