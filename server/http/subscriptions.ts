import { isAsyncIterable, type Plugin } from "graphql-yoga";
import type { Limits } from "../domain/limits.ts";
import type { InFlight } from "./in-flight.ts";
import { eventStream, type StreamEvent } from "./sse.ts";

/** Sends the results of a subscription as events named `next`, then `complete`: like Yoga, but as all our streams are sent. */
export function subscriptions({ heartbeatMs }: Pick<Limits, "heartbeatMs">, streams: InFlight): Plugin {
	return {
		onResultProcess({ request, result, resultProcessor, setResultProcessor }) {
			// Without a processor, the caller takes no streams, and Yoga says so.
			if (resultProcessor === undefined || !isAsyncIterable(result)) return;
			setResultProcessor(() => {
				streams.stay();
				const options = { signal: request.signal, heartbeatMs, onEnd: () => streams.leave() };
				return eventStream((signal) => toEvents(result, signal), options);
			}, "text/event-stream");
		},
	};
}

async function* toEvents(results: AsyncIterable<unknown>, signal: AbortSignal): AsyncGenerator<StreamEvent> {
	const iterator = results[Symbol.asyncIterator]();
	signal.addEventListener("abort", () => void iterator.return?.(), { once: true });
	for (let result = await iterator.next(); !result.done; result = await iterator.next()) {
		yield { event: "next", data: result.value };
	}
	yield { event: "complete", data: "" };
}
