/** A request as the scripted fetch received it. */
export interface Sent {
	url: string;
	init: RequestInit;
	query: string;
	variables: { input: Record<string, unknown> } & Record<string, unknown>;
}

/** Makes an answer, throws, or never ends, as a network does. */
export type Step = (sent: Sent) => Response | Promise<Response>;

/** A fetch that answers as told: the first step to the first request, and so on; the last one repeats. */
export function scriptedFetch(...steps: [Step, ...Step[]]) {
	const sent: Sent[] = [];
	const fetch = async (url: string, init: RequestInit) => {
		const body = JSON.parse(init.body as string) as Pick<Sent, "query" | "variables">;
		const step = steps[Math.min(sent.length, steps.length - 1)] ?? steps[0];
		const request = { url, init, ...body };
		sent.push(request);
		return step(request);
	};
	return { fetch, sent };
}

const JSON_TYPE = { "content-type": "application/graphql-response+json" };

/** The gateway's data. */
export function data(value: object): Step {
	return () => new Response(JSON.stringify({ data: value }), { headers: JSON_TYPE });
}

/** The gateway's refusal. */
export function refusal(
	code: string,
	status: number,
	more: { headers?: Record<string, string>; error?: object } = {},
): Step {
	const extensions = { code, status, requestId: "r-1", ...(more.error === undefined ? {} : { error: more.error }) };
	const body = JSON.stringify({ data: null, errors: [{ message: `said ${code}`, extensions }] });
	return () => new Response(body, { status, headers: { ...JSON_TYPE, ...more.headers } });
}

/** A proxy's page. */
export function page(status: number, headers: Record<string, string> = {}): Step {
	return () => new Response("<html>secret</html>", { status, headers: { "content-type": "text/html", ...headers } });
}

/** A connection that breaks after the request was sent. */
export function broken(): Step {
	return () => Promise.reject(new TypeError("fetch failed", { cause: systemError("ECONNRESET", "read") }));
}

/** A connection that never came about. */
export function refused(): Step {
	return () => Promise.reject(new TypeError("fetch failed", { cause: systemError("ECONNREFUSED", "connect") }));
}

/** A host with two addresses: the first refuses, the second fails as told. */
export function refusedAtFirst(second: "connect" | "read"): Step {
	const errors = [systemError("ECONNREFUSED", "connect"), systemError("ECONNRESET", second)];
	return () => Promise.reject(new TypeError("fetch failed", { cause: new AggregateError(errors) }));
}

/** A server that accepts and never answers; it honours the signal, as fetch does. */
export function silence(): Step {
	return ({ init: { signal } }) =>
		new Promise((_, reject) => {
			signal?.addEventListener("abort", () => reject(signal.reason));
		});
}

function systemError(code: string, syscall: string): Error {
	return Object.assign(new Error(`${syscall} ${code}`), { code, syscall });
}

/** A message as the gateway returns it. */
export const MESSAGE = {
	messageId: "m",
	conversationId: "c",
	seq: "1",
	role: null,
	type: null,
	payload: null,
	metadata: {},
	createdAt: "2026-11-30T18:00:00.000Z",
	updatedAt: "2026-11-30T18:00:00.000Z",
};

/** A conversation as the gateway returns it. */
export const CONVERSATION = {
	conversationId: "c",
	metadata: {},
	createdAt: "2026-11-30T18:00:00.000Z",
	updatedAt: "2026-11-30T18:00:00.000Z",
};
