import type { TypedQueryDocumentNode } from "graphql";
import { readEvents } from "./event-stream.ts";
import type { Settings } from "./options.ts";
import { type Failure, foreignAnswer, graphqlFailure, networkFailure } from "./responses.ts";
import { printDocument, requestHeaders } from "./transport.ts";

interface Subscription<Data, Variables extends object> {
	document: TypedQueryDocumentNode<Data, Variables>;
	variables: Variables;
}

/** What ends a subscription's connection from this side. */
interface Patience {
	signal: AbortSignal | undefined;
	/** The longest silence. */
	timeoutMs: number;
}

/**
 * Connects once, by fetch, since a browser's EventSource sends no Authorization and a token must not stand in a url.
 * Yields what the gateway tells, and throws the `Failure` that tells why it ended; it never ends otherwise.
 */
export async function* subscribe<Data, Variables extends object>(
	settings: Settings,
	{ document, variables }: Subscription<Data, Variables>,
	{ signal, timeoutMs }: Patience,
): AsyncGenerator<Data, never> {
	const endpoint = settings.locate();
	const connection = new AbortController();
	const abort = () => connection.abort();
	const timer = new Timer(timeoutMs, abort);
	signal?.addEventListener("abort", abort);
	try {
		// As a method of `settings`, a browser's own fetch would refuse to run.
		const { fetch } = settings;
		const answer = await fetch(endpoint.url, {
			method: "POST",
			headers: { ...requestHeaders(settings, endpoint), accept: "text/event-stream, application/json" },
			body: JSON.stringify({ query: printDocument(document), variables }),
			signal: connection.signal,
			redirect: "manual",
		}).catch((error: unknown) => {
			throw networkFailure(endpoint.url, error);
		});
		if (!/\btext\/event-stream\b/i.test(answer.headers.get("content-type") ?? "")) throw await refusal(answer);
		const events = readEvents(answer.body!, () => timer.restart());
		for (;;) {
			const next = await events.next().catch((error: unknown) => {
				throw networkFailure(endpoint.url, error);
			});
			if (next.done || next.value.event === "complete")
				throw networkFailure(endpoint.url, new Error("the stream ended"));
			if (next.value.event === "next") yield readResult(answer, next.value.data);
		}
	} finally {
		timer.stop();
		signal?.removeEventListener("abort", abort);
		abort();
	}
}

function readResult<Data>(answer: Response, text: string): Data {
	const { data, errors } = parse<{ data: Data; errors?: unknown[] }>(answer, text);
	if (errors !== undefined && errors.length !== 0) throw graphqlFailure(answer, errors[0]);
	return data;
}

/** The failure that an answer tells which is not a stream. */
async function refusal(answer: Response): Promise<Failure> {
	const text = await answer.text().catch(() => "");
	const { errors } = parse<{ errors?: unknown[] }>(answer, text);
	return errors === undefined || errors.length === 0 ? foreignAnswer(answer) : graphqlFailure(answer, errors[0]);
}

function parse<Value extends object>(answer: Response, text: string): Value {
	try {
		const value = JSON.parse(text) as unknown;
		if (typeof value === "object" && value !== null) return value as Value;
	} catch (error) {
		throw foreignAnswer(answer, error);
	}
	throw foreignAnswer(answer);
}

/** Calls back after some time without a restart. */
class Timer {
	readonly #ms: number;
	readonly #onTime: () => void;
	#timer: ReturnType<typeof setTimeout>;

	constructor(ms: number, onTime: () => void) {
		this.#ms = ms;
		this.#onTime = onTime;
		this.#timer = setTimeout(onTime, ms);
	}

	restart(): void {
		this.stop();
		this.#timer = setTimeout(this.#onTime, this.#ms);
	}

	stop(): void {
		clearTimeout(this.#timer);
	}
}
