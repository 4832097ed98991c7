import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterEach, describe, expect, test, vi } from "vitest";
import { createStore } from "../../client/store.ts";
import { broken, data, MESSAGE, page, scriptedFetch, silence } from "./scripted-fetch.ts";
import { graphql, startScriptedServer } from "./scripted-server.ts";

const url = "https://gateway.example/graphql";
const input = { messageId: "m" };

afterEach(() => {
	vi.useRealTimers();
});

/** A caller's signal that counts the listeners it holds. */
function countedSignal() {
	const controller = new AbortController();
	const { signal } = controller;
	let listeners = 0;
	const add = signal.addEventListener.bind(signal);
	const remove = signal.removeEventListener.bind(signal);
	vi.spyOn(signal, "addEventListener").mockImplementation((...args: Parameters<typeof add>) => {
		listeners++;
		add(...args);
	});
	vi.spyOn(signal, "removeEventListener").mockImplementation((...args: Parameters<typeof remove>) => {
		listeners--;
		remove(...args);
	});
	return { controller, signal, listeners: () => listeners };
}

describe("time-out", () => {
	test("ERR-3: a call ends after 30 s by default", async () => {
		vi.useFakeTimers();
		const start = Date.now();
		const promise = createStore({ url, fetch: scriptedFetch(silence()).fetch }).getMessage(input);
		promise.catch(() => {});
		await vi.runAllTimersAsync();
		await expect(promise).rejects.toMatchObject({ code: "TimeoutError", message: expect.stringContaining("30000 ms") });
		await expect(promise).rejects.not.toHaveProperty("status");
		expect(Date.now() - start).toBe(30_000);
	});

	test("ERR-3: the call's own time goes before the store's", async () => {
		vi.useFakeTimers();
		const start = Date.now();
		const store = createStore({ url, fetch: scriptedFetch(silence()).fetch, timeoutMs: 5_000 });
		for (const [options, ms] of [
			[undefined, 5_000],
			[{ timeoutMs: 70 }, 70],
		] as const) {
			const before = Date.now() - start;
			const promise = store.getMessage(input, options);
			promise.catch(() => {});
			await vi.runAllTimersAsync();
			await expect(promise).rejects.toMatchObject({ code: "TimeoutError" });
			expect(Date.now() - start - before).toBe(ms);
		}
	});

	test("ERR-3: retries and pauses are part of the time, and the last failure is the cause", async () => {
		vi.useFakeTimers();
		const start = Date.now();
		const { fetch } = scriptedFetch(page(502), silence());
		const promise = createStore({ url, fetch, timeoutMs: 1_000 }).getMessage(input);
		promise.catch(() => {});
		await vi.runAllTimersAsync();
		await expect(promise).rejects.toMatchObject({ code: "TimeoutError", cause: { status: 502 } });
		expect(Date.now() - start).toBe(1_000);
	});

	test("ERR-3: reading the body is part of the time", async () => {
		await using server = await startScriptedServer((response) => {
			response.writeHead(200, { "content-type": "application/json" });
			response.write('{"data":');
		});
		const promise = createStore({ url: server.url, timeoutMs: 50 }).getMessage(input);
		await expect(promise).rejects.toMatchObject({ code: "TimeoutError" });
	});

	test("ERR-3: ends a fetch that ignores its signal", async () => {
		vi.useFakeTimers();
		const promise = createStore({ url, fetch: () => new Promise(() => {}) }).getMessage(input);
		promise.catch(() => {});
		await vi.runAllTimersAsync();
		await expect(promise).rejects.toMatchObject({ code: "TimeoutError" });
	});

	test("ERR-3: AbortSignal.timeout is a TimeoutError", async () => {
		const { fetch } = scriptedFetch(silence());
		const promise = createStore({ url, fetch }).getMessage(input, { signal: AbortSignal.timeout(1) });
		await expect(promise).rejects.toMatchObject({ code: "TimeoutError", cause: { name: "TimeoutError" } });
	});
});

describe("abort", () => {
	test("ERR-3: ends its own call and no other", async () => {
		const first = new AbortController();
		const second = new AbortController();
		let arrived = 0;
		await using server = await startScriptedServer(
			() => first.abort("enough"),
			(response, request) => {
				arrived++;
				graphql({ data: { message: null } })(response, request);
			},
		);
		const store = createStore({ url: server.url });
		const aborted = store.getMessage(input, { signal: first.signal });
		const failure = await aborted.catch((error: unknown) => error);
		expect(failure).toMatchObject({ code: "AbortError", cause: "enough" });
		expect(failure).not.toHaveProperty("status");
		await expect(store.getMessage(input, { signal: second.signal })).resolves.toBeNull();
		expect(arrived).toBe(1);
	});

	test("ERR-3: of two calls in flight, the other goes on", async () => {
		const controller = new AbortController();
		const answers: (() => void)[] = [];
		const { fetch } = scriptedFetch(({ init: { signal } }) => {
			return new Promise((resolve, reject) => {
				signal?.addEventListener("abort", () => reject(signal.reason));
				answers.push(() => resolve(data({ message: null })({} as never)));
			});
		});
		const store = createStore({ url, fetch });
		const aborted = store.getMessage(input, { signal: controller.signal });
		const other = store.getMessage(input);
		await vi.waitUntil(() => answers.length === 2);
		controller.abort();
		await expect(aborted).rejects.toMatchObject({ code: "AbortError", cause: { name: "AbortError" } });
		for (const answer of answers) answer();
		await expect(other).resolves.toBeNull();
	});

	test("ERR-3: a signal that is aborted already sends nothing", async () => {
		const { fetch, sent } = scriptedFetch(data({ message: null }));
		const store = createStore({ url, fetch });
		await expect(store.getMessage(input, { signal: AbortSignal.abort() })).rejects.toMatchObject({
			code: "AbortError",
		});
		expect(sent).toEqual([]);
	});

	test("ERR-3: ends the pause before a retry", async () => {
		vi.useFakeTimers();
		const controller = new AbortController();
		const { fetch, sent } = scriptedFetch(broken());
		const promise = createStore({ url, fetch, retries: 5 }).getMessage(input, { signal: controller.signal });
		promise.catch(() => {});
		await vi.advanceTimersByTimeAsync(1);
		controller.abort();
		await expect(promise).rejects.toMatchObject({ code: "AbortError" });
		await vi.runAllTimersAsync();
		expect(sent).toHaveLength(1);
	});

	test("ERR-3: ends a fetch that ignores its signal", async () => {
		const controller = new AbortController();
		const promise = createStore({ url, fetch: () => new Promise(() => {}) }).getMessage(input, {
			signal: controller.signal,
		});
		controller.abort();
		await expect(promise).rejects.toMatchObject({ code: "AbortError" });
	});

	test("ERR-3: after the headers, too", async () => {
		const controller = new AbortController();
		await using server = await startScriptedServer((response) => {
			response.writeHead(200, { "content-type": "application/json" });
			response.write('{"data":', () => controller.abort());
		});
		const promise = createStore({ url: server.url }).getMessage(input, { signal: controller.signal });
		await expect(promise).rejects.toMatchObject({ code: "AbortError" });
	});

	test.each([
		["success", data({ message: null })],
		["a failure", page(500)],
		["a retry", broken()],
	])("ERR-3: leaves no timer and no listener after %s", async (_, step) => {
		vi.useFakeTimers();
		const { signal, listeners } = countedSignal();
		const { fetch } = scriptedFetch(step);
		const promise = createStore({ url, fetch }).getMessage(input, { signal });
		promise.catch(() => {});
		expect(listeners()).toBe(1);
		await vi.advanceTimersByTimeAsync(2_000);
		await promise.catch(() => {});
		expect(listeners()).toBe(0);
		expect(vi.getTimerCount()).toBe(0);
	});

	test("ERR-3: does not keep a result alive by the signal of its request", async () => {
		setFlagsFromString("--expose-gc");
		const collect = runInNewContext("gc") as () => void;
		const { fetch, sent } = scriptedFetch(data({ message: MESSAGE }));
		const store = createStore({ url, fetch });
		const result = new WeakRef((await store.getMessage(input))!);
		// A WeakRef holds what it refers to until the current task is over.
		await vi.waitUntil(() => {
			collect();
			return result.deref() === undefined;
		});
		expect(sent[0]!.init.signal).toMatchObject({ aborted: false });
	});

	test("ERR-3: leaves no timer and no listener after an abort", async () => {
		vi.useFakeTimers();
		const { controller, signal, listeners } = countedSignal();
		const promise = createStore({ url, fetch: scriptedFetch(silence()).fetch }).getMessage(input, { signal });
		controller.abort();
		await expect(promise).rejects.toMatchObject({ code: "AbortError" });
		expect(listeners()).toBe(0);
		expect(vi.getTimerCount()).toBe(0);
	});
});
