/** One event of a stream. */
export interface StreamEvent {
	/** Where a client that lost the stream goes on. */
	id?: string;
	event: string;
	/** Printed as JSON. */
	data: unknown;
}

/** A stream's way to its client. */
interface StreamOptions {
	/** Of the request: aborted when the client has left. */
	signal: AbortSignal;
	/** Milliseconds of silence after which a comment keeps the connection from looking dead. */
	heartbeatMs?: number;
	/** Called once when the stream is over, with the error that its source threw, if it did. */
	onEnd?: (error?: unknown) => void;
}

const HEARTBEAT_MS = 15_000;

/** Proxies must pass events on as they come: unchanged, not gathered, not compressed. */
const HEADERS = {
	"content-type": "text/event-stream; charset=utf-8",
	"cache-control": "no-cache, no-transform",
	"x-accel-buffering": "no",
};

const encoder = new TextEncoder();
const OPENING = encoder.encode(": open\n\n");
const HEARTBEAT = encoder.encode(": still here\n\n");

/** An event as it is sent. JSON escapes line ends, so the data is one line. */
export function printEvent({ id, event, data }: StreamEvent): string {
	const position = id === undefined ? "" : `id: ${id}\n`;
	return `${position}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}

/**
 * Answers with a stream of events. The next event is asked for when the one before has gone out, so a slow client slows
 * its source and loses nothing. The signal that the source gets is aborted when nobody reads any more, be it that the
 * client left or that the source is at its end; what it awaits must end with it. A source that throws ends the stream.
 */
export function eventStream(
	source: (signal: AbortSignal) => AsyncIterable<StreamEvent>,
	{ signal, heartbeatMs = HEARTBEAT_MS, onEnd = () => {} }: StreamOptions,
): Response {
	const reading = new AbortController();
	const events = source(reading.signal)[Symbol.asyncIterator]();
	let stopWaiting = () => {};
	const end = (error?: unknown) => {
		if (reading.signal.aborted) return;
		signal.removeEventListener("abort", leave);
		reading.abort();
		stopWaiting();
		// A source that waits for something hears the signal first, and comes to its end then.
		Promise.resolve(events.return?.()).then(
			() => onEnd(error),
			(last) => onEnd(error ?? last),
		);
	};
	const leave = () => end();
	if (signal.aborted) end();
	else signal.addEventListener("abort", leave);
	/** The next event as it is sent; undefined when there is none, or nobody to get it. */
	const next = async (): Promise<Uint8Array | undefined> => {
		if (reading.signal.aborted) return undefined;
		const result = await new Promise<IteratorResult<StreamEvent> | undefined>((resolve, reject) => {
			stopWaiting = () => resolve(undefined);
			events.next().then(resolve, reject);
		});
		return result?.done === false ? encoder.encode(printEvent(result.value)) : undefined;
	};
	let isCancelled = false;
	const body = new ReadableStream<Uint8Array>(
		{
			// The head leaves with the first bytes.
			start: (controller) => controller.enqueue(OPENING),
			async pull(controller) {
				const beat = setInterval(() => {
					if (controller.desiredSize === 0) controller.enqueue(HEARTBEAT);
				}, heartbeatMs);
				const bytes = await next().catch(end);
				clearInterval(beat);
				if (isCancelled) return;
				if (bytes !== undefined) return controller.enqueue(bytes);
				end();
				controller.close();
			},
			cancel() {
				isCancelled = true;
				end();
			},
		},
		{ highWaterMark: 0 },
	);
	return new Response(body, { headers: HEADERS });
}
