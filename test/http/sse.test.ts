import { describe, expect, it, vi } from "vitest";
import { eventStream, printEvent, type StreamEvent } from "../../server/http/sse.ts";
import { gate } from "../support/agents.ts";

const never = new AbortController().signal;

function numbered(count: number): AsyncGenerator<StreamEvent> {
	return (async function* () {
		for (let index = 0; index < count; index++) yield { id: `${index}`, event: "n", data: index };
	})();
}

describe("a stream of events", () => {
	it("sends each on lines of its own, whatever its data holds", async () => {
		expect(printEvent({ id: "a", event: "e", data: { text: "1\n\n2\r: data" } })).toBe(
			'id: a\nevent: e\ndata: {"text":"1\\n\\n2\\r: data"}\n\n',
		);
		const text = await eventStream(() => numbered(2), { signal: never }).text();
		expect(text).toBe(": open\n\nid: 0\nevent: n\ndata: 0\n\nid: 1\nevent: n\ndata: 1\n\n");
	});

	it("forbids proxies to gather and to change it", () => {
		const { headers } = eventStream(() => numbered(0), { signal: never });
		expect(Object.fromEntries(headers)).toEqual({
			"content-type": "text/event-stream; charset=utf-8",
			"cache-control": "no-cache, no-transform",
			"x-accel-buffering": "no",
		});
	});

	it("says that it is still there while its source is silent", async () => {
		const { open, opened } = gate();
		async function* source(): AsyncGenerator<StreamEvent> {
			await opened;
			yield { event: "late", data: null };
		}
		const reader = eventStream(source, { signal: never, heartbeatMs: 1 }).body!.getReader();
		const read = async () => new TextDecoder().decode((await reader.read()).value);
		expect(await read()).toBe(": open\n\n");
		expect(await read()).toBe(": still here\n\n");
		expect(await read()).toBe(": still here\n\n");
		open();
		await vi.waitFor(async () => expect(await read()).toContain("event: late"));
	});

	it("asks its source for no more than is read", async () => {
		let asked = 0;
		async function* source(): AsyncGenerator<StreamEvent> {
			for (; ; asked++) yield { event: "n", data: asked };
		}
		const reader = eventStream(source, { signal: never }).body!.getReader();
		for (let index = 0; index < 10; index++) await reader.read();
		expect(asked).toBeLessThanOrEqual(10);
		await reader.cancel();
	});

	it.each([
		["the request is aborted", (abort: () => void) => abort()],
		["its body is cancelled", (_abort: () => void, reader: ReadableStreamDefaultReader) => void reader.cancel()],
	])("ends its waiting source when %s", async (_how, leave) => {
		const leaving = new AbortController();
		const ended = gate();
		let wasTold = false;
		async function* source(signal: AbortSignal): AsyncGenerator<StreamEvent> {
			await new Promise((resolve) => signal.addEventListener("abort", resolve));
			wasTold = true;
		}
		const stream = eventStream(source, { signal: leaving.signal, onEnd: ended.open });
		const reader = stream.body!.getReader();
		await reader.read();
		const next = reader.read();
		leave(() => leaving.abort(), reader);
		expect((await next).done).toBe(true);
		await ended.opened;
		expect(wasTold).toBe(true);
	});

	it.each([
		["throws", new Error("broken")],
		["yields what has no JSON", new TypeError("Do not know how to serialize a BigInt")],
	])("ends, and says why, when its source %s", async (_how, reason) => {
		async function* source(): AsyncGenerator<StreamEvent> {
			yield { event: "first", data: 1 };
			if (!(reason instanceof TypeError)) throw reason;
			yield { event: "second", data: 2n };
		}
		const onEnd = vi.fn();
		const text = await eventStream(source, { signal: never, onEnd }).text();
		expect(text).toContain("event: first");
		await vi.waitFor(() => expect(onEnd).toHaveBeenCalledExactlyOnceWith(reason));
	});
});
