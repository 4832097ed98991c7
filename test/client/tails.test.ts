import { createSessions, StoreError } from "@iga-pages/agent/sessions";
import { expect, it } from "vitest";
import { readEvents } from "../../client/event-stream.ts";
import { failure } from "../support/errors.ts";

const URL = "http://127.0.0.1:9/graphql";

/** A gateway's answer to each connection, one after another; the last one again and again. */
function scripted(...answers: ((init: RequestInit) => Response | Promise<Response>)[]) {
	const requests: { variables: { after?: string; last?: number }; accept: string; signal: AbortSignal }[] = [];
	const fetch = async (_url: unknown, init: RequestInit = {}) => {
		const { variables } = JSON.parse(init.body as string) as { variables: { after?: string; last?: number } };
		requests.push({ variables, accept: new Headers(init.headers).get("accept")!, signal: init.signal! });
		return answers[Math.min(requests.length, answers.length) - 1]!(init);
	};
	return {
		requests,
		sessions: createSessions({ url: URL, token: "t", retries: 1, fetch: fetch as typeof globalThis.fetch }),
	};
}

function stream(text: string, { ends = true, signal }: { ends?: boolean; signal?: AbortSignal | null } = {}): Response {
	const body = new ReadableStream({
		start(controller) {
			controller.enqueue(new TextEncoder().encode(text));
			if (ends) controller.close();
			signal?.addEventListener("abort", () => controller.error(signal.reason));
		},
	});
	return new Response(body, { headers: { "content-type": "text/event-stream" } });
}

function event(kind: "OPENED" | "MESSAGE" | "RESET", position: string, message: object | null = null): string {
	return `event: next\ndata: ${JSON.stringify({ data: { messageAdded: { kind, position, message } } })}\n\n`;
}

function refusal(code: string, status: number): Response {
	return Response.json({ errors: [{ message: code, extensions: { code, status } }] }, { status });
}

async function take(tail: AsyncIterator<{ position: string }>, count: number): Promise<string[]> {
	const positions: string[] = [];
	while (positions.length < count) positions.push(((await tail.next()).value as { position: string }).position);
	return positions;
}

it("a tail connects anew from its last position, however its connection ends", async () => {
	const closing = JSON.stringify({
		errors: [{ message: "x", extensions: { code: "ServiceUnavailable", status: 503 } }],
	});
	const { requests, sessions } = scripted(
		() => stream(event("OPENED", "1") + event("MESSAGE", "2", { seq: "1" })),
		() => stream(`${event("OPENED", "2")}event: next\ndata: ${closing}\n\nevent: complete\ndata:\n\n`),
		() => refusal("TooManyRequests", 429),
		() => new Response("<html>", { status: 502, headers: { "content-type": "text/html" } }),
		() => Promise.reject(new TypeError("fetch failed")),
		() => stream(`${event("OPENED", "2").slice(0, 30)}`),
		() => stream(event("OPENED", "2") + event("MESSAGE", "3", { seq: "2" })),
	);
	const tail = sessions.tail({ conversationId: "c", last: 5 });
	expect(await take(tail, 5)).toEqual(["1", "2", "2", "2", "3"]);
	expect(requests.map(({ variables }) => variables)).toEqual([
		{ conversationId: "c", last: 5 },
		...Array.from({ length: 6 }, () => ({ conversationId: "c", after: "2" })),
	]);
	await tail.return?.();
	expect(requests.every(({ signal }) => signal.aborted)).toBe(true);
});

it("a tail connects anew after too long a silence", async () => {
	const { requests, sessions } = scripted(({ signal }) =>
		stream(event("OPENED", "1"), { ends: false, signal: signal! }),
	);
	const tail = sessions.tail({ conversationId: "c" }, { timeoutMs: 20 });
	expect(await take(tail, 3)).toEqual(["1", "1", "1"]);
	expect(requests).toHaveLength(3);
	await tail.return?.();
});

it("a tail's first connection is tried as often as any call, and tells why it failed", async () => {
	for (const [answer, code, attempts] of [
		[() => Promise.reject(new TypeError("fetch failed")), "NetworkError", 2],
		[() => refusal("ServiceUnavailable", 503), "ServiceUnavailable", 2],
		[() => refusal("Unauthorized", 401), "Unauthorized", 1],
		[() => refusal("BadRequest", 400), "BadRequest", 1],
		[() => new Response("<html>login</html>", { headers: { "content-type": "text/html" } }), "UnknownError", 1],
		[() => Response.json([1]), "UnknownError", 1],
	] as const) {
		const { requests, sessions } = scripted(answer);
		const error = await failure(sessions.tail({ conversationId: "c" }).next());
		expect(error).toBeInstanceOf(StoreError);
		expect([error.code, requests.length]).toEqual([code, attempts]);
		expect(error.message).not.toContain("<");
	}
});

it("a tail that was opened ends when its token does", async () => {
	const { requests, sessions } = scripted(
		() => stream(event("OPENED", "1")),
		() => refusal("Unauthorized", 401),
	);
	const tail = sessions.tail({ conversationId: "c" });
	await tail.next();
	expect(await failure(tail.next())).toMatchObject({ code: "Unauthorized", status: 401 });
	expect(requests).toHaveLength(2);
	expect(await tail.next()).toEqual({ done: true, value: undefined });
});

it("events are read from whatever pieces they come in", async () => {
	const text =
		': open\n\nid: 1\nevent: next\ndata: {"a":"käse"}\n\ndata:first\r\ndata: second\r\n\r\nevent: empty\n\nevent: cut\ndata: x';
	const bytes = new TextEncoder().encode(text);
	for (const size of [1, 2, 3, 7, bytes.length]) {
		let signs = 0;
		const body = new ReadableStream<Uint8Array>({
			start(controller) {
				for (let start = 0; start < bytes.length; start += size) controller.enqueue(bytes.slice(start, start + size));
				controller.close();
			},
		});
		const events = [];
		for await (const found of readEvents(body, () => signs++)) events.push(found);
		expect(events).toEqual([
			{ event: "next", data: '{"a":"käse"}' },
			{ event: "message", data: "first\nsecond" },
		]);
		expect(signs).toBe(Math.ceil(bytes.length / size));
	}
});
