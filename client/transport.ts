import { type DocumentNode, print, type TypedQueryDocumentNode } from "graphql";
import { GraphQLClient } from "graphql-request";
import { Deadline } from "./deadline.ts";
import type { Endpoint } from "./endpoint.ts";
import { StoreError } from "./errors.ts";
import { payloadTooLarge } from "./input.ts";
import { LIMITS, utf8Bytes } from "./limits.ts";
import { checkCallOptions, type Settings } from "./options.ts";
import { Failure, foreignAnswer, graphqlFailure, networkFailure } from "./responses.ts";
import type { CallOptions } from "./types.ts";
import { VERSION } from "./version.ts";

/** One request to the gateway: a document with one root field (rule ERR-7). */
export interface Operation<Data, Variables extends object, Result> {
	document: TypedQueryDocumentNode<Data, Variables>;
	/** Captured data: it may be sent several times. */
	variables: Variables;
	/**
	 * When a failed attempt is repeated (rule ERR-4): `always` for reads and for writes that a key makes idempotent,
	 * `unexecuted` for writes that must not run twice.
	 */
	retry: "always" | "unexecuted";
	/** Takes the result out of the answer's data; undefined, or an exception, means that the data lack it. */
	read: (data: Data) => Result | undefined;
}

/** A call of a method: all requests of one call share its deadline. */
interface Call {
	send<Data, Variables extends object, Result>(operation: Operation<Data, Variables, Result>): Promise<Result>;
	/** Whether an attempt failed so that nobody knows if it was executed. */
	readonly ambiguous: boolean;
}

/** The way to the gateway that every operation takes, those of the adapters too. Rejects with `StoreError` only. */
export interface Transport {
	/** Sends one operation. */
	request<Data, Variables extends object, Result>(
		operation: Operation<Data, Variables, Result>,
		options: CallOptions | null | undefined,
	): Promise<Result>;
	/** Does what takes several requests under one deadline. */
	call<Result>(options: CallOptions | null | undefined, work: (call: Call) => Promise<Result>): Promise<Result>;
}

/** What graphql-request hands to its fetch; it sets undefined where `RequestInit` allows absence only. */
type LooseInit = { [Key in keyof RequestInit]: RequestInit[Key] | undefined };

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 2_000;

export function createTransport(settings: Settings): Transport {
	let located: Endpoint | undefined;

	async function call<Result>(
		options: CallOptions | null | undefined,
		work: (call: Call) => Promise<Result>,
	): Promise<Result> {
		const { signal, timeoutMs } = checkCallOptions(options);
		const deadline = new Deadline(timeoutMs ?? settings.timeoutMs, signal);
		let ambiguous = false;
		const onFailure = (failure: Failure) => {
			deadline.lastError = failure.error;
			ambiguous ||= failure.transient && !failure.unexecuted;
		};
		try {
			return await deadline.run(() =>
				work({
					send: async (operation) => {
						located ??= settings.locate();
						return sendWithRetries(settings, located, operation, deadline, onFailure);
					},
					get ambiguous() {
						return ambiguous;
					},
				}),
			);
		} catch (error) {
			if (error instanceof StoreError) throw error;
			throw new StoreError({ code: "UnknownError", message: "The SDK failed unexpectedly", cause: error });
		} finally {
			deadline.release();
		}
	}

	return { call, request: (operation, options) => call(options, ({ send }) => send(operation)) };
}

async function sendWithRetries<Data, Variables extends object, Result>(
	settings: Settings,
	endpoint: Endpoint,
	operation: Operation<Data, Variables, Result>,
	deadline: Deadline,
	onFailure: (failure: Failure) => void,
): Promise<Result> {
	const encode = bodyEncoder();
	const writes = operation.document.definitions.some((it) => "operation" in it && it.operation === "mutation");
	let unknown: Failure | undefined;
	for (let attempt = 0; ; attempt++) {
		try {
			return await sendOnce(settings, endpoint, operation, encode, deadline.signal);
		} catch (error) {
			deadline.signal.throwIfAborted();
			if (!(error instanceof Failure)) throw error;
			onFailure(error);
			if (writes && error.transient && !error.unexecuted) unknown = error;
			const allowed = error.transient && (error.unexecuted || operation.retry === "always");
			const pauseMs = error.retryAfterMs + jitteredPause(attempt);
			if (!allowed || attempt >= settings.retries || pauseMs >= deadline.remainingMs) {
				// That the last attempt was refused says nothing about an earlier one, which may have been executed.
				throw (error.unexecuted ? (unknown ?? error) : error).error;
			}
			await deadline.pause(pauseMs);
		}
	}
}

/** How long to wait before the attempt after this one. */
export function jitteredPause(attempt: number): number {
	return Math.min(FIRST_PAUSE_MS * 2 ** attempt, LONGEST_PAUSE_MS) * (0.5 + Math.random() / 2);
}

async function sendOnce<Data, Variables extends object, Result>(
	settings: Settings,
	endpoint: Endpoint,
	{ document, variables, read }: Operation<Data, Variables, Result>,
	encode: (body: unknown) => string,
	signal: AbortSignal,
): Promise<Result> {
	let answer: Response | undefined;
	let wasRead = false;
	const client = new GraphQLClient(endpoint.url, {
		// A document has one operation: its name would only cost a parse of the document.
		excludeOperationName: true,
		errorPolicy: "all",
		jsonSerializer: {
			stringify: encode,
			parse: (text) => {
				wasRead = true;
				return JSON.parse(text) as unknown;
			},
		},
		// Without headers in its configuration, which it would copy into a `Headers` that fetch copies again.
		fetch: async (_url, { body } = {}) => {
			const headers = requestHeaders(settings, endpoint);
			answer = await fetchAnswer(settings, endpoint, { method: "POST", headers, body, signal, redirect: "manual" });
			// For an error status graphql-request would build an error that repeats the whole request.
			return answer.ok ? answer : new Response(answer.body, { headers: answer.headers });
		},
	});
	try {
		const { data, errors } = await client.rawRequest<Data>(printDocument(document), variables);
		if (errors !== undefined && errors.length !== 0) throw graphqlFailure(answer!, errors[0]);
		const result = read(data);
		if (result === undefined) throw foreignAnswer(answer!);
		return result;
	} catch (error) {
		if (error instanceof Failure || error instanceof StoreError || answer === undefined) throw error;
		throw wasRead ? foreignAnswer(answer) : networkFailure(endpoint.url, error);
	}
}

/** The headers of a request. */
export function requestHeaders(settings: Settings, { token }: Endpoint): Record<string, string> {
	return {
		...settings.headers,
		"content-type": "application/json",
		accept: "application/graphql-response+json, application/json",
		"x-agent-sdk": VERSION,
		...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
	};
}

async function fetchAnswer(settings: Settings, { url }: Endpoint, init: LooseInit): Promise<Response> {
	// As a method of `settings`, a browser's own fetch would refuse to run.
	const { fetch } = settings;
	let answer: Response;
	try {
		answer = await fetch(url, init as RequestInit);
	} catch (error) {
		throw networkFailure(url, error);
	}
	const type = answer.headers.get("content-type") ?? "";
	if (/\bapplication\/(graphql-response\+)?json\b/i.test(type)) return answer;
	// An unread body would keep its connection. Whether that can be cancelled concerns nobody any more.
	answer.body?.cancel().catch(() => {});
	throw foreignAnswer(answer);
}

/** Encodes the body at the first attempt only, and refuses one that is too large (rule VAL-7). */
function bodyEncoder(): (body: unknown) => string {
	let text: string | undefined;
	return (body) => {
		text ??= encodeBody(body);
		return text;
	};
}

function encodeBody(body: unknown): string {
	let text: string;
	try {
		text = JSON.stringify(body);
	} catch (error) {
		// Captured data can always be encoded, unless the text outgrows what JavaScript's strings can hold.
		if (error instanceof RangeError) throw payloadTooLarge("The request", LIMITS.requestBytes);
		throw error;
	}
	// No UTF-16 unit takes more than three bytes, so that most texts need no counting.
	if (text.length * 3 > LIMITS.requestBytes && utf8Bytes(text) > LIMITS.requestBytes) {
		throw payloadTooLarge("The request", LIMITS.requestBytes);
	}
	return text;
}

const printed = new WeakMap<object, string>();

/** The text of a document, printed once. */
export function printDocument(document: DocumentNode): string {
	let text = printed.get(document);
	if (text === undefined) {
		text = print(document);
		printed.set(document, text);
	}
	return text;
}
