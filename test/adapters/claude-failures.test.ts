import { createServer } from "node:net";
import { createStore } from "@iga-pages/agent/store";
import { createSessionStore } from "@iga-pages/agent/store/claude";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { failure } from "../support/errors.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";

let gateway: TestGateway;

beforeAll(async () => {
	gateway = await startGateway();
});
afterAll(() => gateway.close());
afterEach(() => {
	vi.useRealTimers();
});

const KEY = { projectKey: "-home-app", sessionId: "s1" };
const ENTRIES = [{ type: "user", uuid: "a" }];

/** A gateway that is not there: what every request to it does, and what became of them. */
function absentGateway(behave: (signal: AbortSignal) => Promise<Response>) {
	const requests: AbortSignal[] = [];
	const store = createStore({
		url: "https://gateway.example/graphql",
		token: "t",
		fetch: async (_url, init) => {
			requests.push(init.signal as AbortSignal);
			return behave(init.signal as AbortSignal);
		},
	});
	return {
		requests,
		sessions: createSessionStore({
			store,
			foldSessionSummary: (_, { sessionId }) => ({ sessionId, mtime: 0, data: {} }),
		}),
	};
}

function refusing() {
	return absentGateway(() => {
		const cause = Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED", syscall: "connect" });
		throw new TypeError("fetch failed", { cause });
	});
}

/** Takes requests and never answers, like a network that swallows everything. */
function silent() {
	return absentGateway(
		(signal) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error))),
	);
}

describe("while the gateway cannot be reached", () => {
	it("every method goes on for 15 s and then says its code in its message", async () => {
		vi.useFakeTimers();
		const { sessions } = refusing();
		const calls = [
			sessions.append(KEY, ENTRIES),
			sessions.load(KEY),
			sessions.listSessions(KEY.projectKey),
			sessions.listSessionSummaries(KEY.projectKey),
			sessions.listSubkeys(KEY),
			sessions.delete({ ...KEY, sessionId: "s2" }),
		];
		let settled = 0;
		for (const call of calls) call.catch(() => {}).finally(() => settled++);
		await vi.advanceTimersByTimeAsync(14_000);
		expect(settled).toBe(0);
		await vi.advanceTimersByTimeAsync(1_500);
		expect(settled).toBe(calls.length);
		for (const call of calls) {
			const error = await failure(call);
			expect(error.code).toBe("NetworkError");
			expect(error.message).toMatch(/^NetworkError: .*ECONNREFUSED.*15 s/);
		}
	});

	it("appends that wait behind one another give up together", async () => {
		vi.useFakeTimers();
		const { sessions } = refusing();
		const calls = Array.from({ length: 50 }, (_, index) => sessions.append(KEY, [{ type: "mode", index }]));
		const outcomes = Promise.allSettled(calls);
		await vi.advanceTimersByTimeAsync(16_000);
		expect((await outcomes).every(({ status }) => status === "rejected")).toBe(true);
	});

	it("a request in flight is aborted before the call gives up", async () => {
		vi.useFakeTimers();
		const { sessions, requests } = silent();
		const call = failure(sessions.append(KEY, ENTRIES));
		await vi.advanceTimersByTimeAsync(15_000);
		const error = await call;
		expect(error.message).toMatch(/^TimeoutError: .*15 s/);
		expect(requests.map(({ aborted }) => aborted)).toEqual([true]);
		await vi.advanceTimersByTimeAsync(60_000);
		expect(requests).toHaveLength(1);
	});

	it("calls beyond the limit of requests in flight give up in time, too", async () => {
		vi.useFakeTimers();
		const { sessions, requests } = silent();
		const calls = Array.from({ length: 60 }, (_, index) =>
			sessions.append({ ...KEY, sessionId: `s${index}` }, ENTRIES),
		);
		const outcomes = Promise.allSettled(calls);
		await vi.advanceTimersByTimeAsync(15_000);
		expect((await outcomes).every(({ status }) => status === "rejected")).toBe(true);
		expect(requests.every(({ aborted }) => aborted)).toBe(true);
	});

	it("an append goes through when it comes back", async () => {
		let down = true;
		const store = createStore({
			url: gateway.url,
			token: gateway.token,
			retries: 0,
			fetch: (url, init) => {
				if (!down) return fetch(url, init);
				down = false;
				throw new TypeError("fetch failed");
			},
		});
		const sessions = createSessionStore({ store });
		await sessions.append({ ...KEY, sessionId: "back" }, ENTRIES);
		expect(await sessions.load({ ...KEY, sessionId: "back" })).toEqual(ENTRIES);
	});
});

describe("an answer that will not change", () => {
	it("is not waited for", async () => {
		const sessions = createSessionStore({ store: createStore({ url: gateway.url, token: "wrong" }) });
		const error = await failure(sessions.append(KEY, ENTRIES));
		expect(error).toMatchObject({ code: "Unauthorized", status: 401 });
		expect(error.message).toMatch(/^Unauthorized: /);
	});

	it("tells a credential that may only read what it may not", async () => {
		const { store } = await gateway.createProject({ role: "read" });
		const sessions = createSessionStore({ store });
		expect((await failure(sessions.append(KEY, ENTRIES))).code).toBe("Forbidden");
		expect((await failure(sessions.delete(KEY))).code).toBe("Forbidden");
		expect(await sessions.load(KEY)).toBeNull();
	});
});

describe("a load", () => {
	it("starts over when the transcript is deleted and begun anew meanwhile", async () => {
		const key = { ...KEY, sessionId: "replaced" };
		const sessions = createSessionStore({ store: gateway.store });
		await sessions.append(
			key,
			Array.from({ length: 1_500 }, (_, index) => ({ type: "old", uuid: `old${index}` })),
		);
		let requests = 0;
		const store = createStore({
			url: gateway.url,
			token: gateway.token,
			fetch: async (url, init) => {
				if (++requests === 2) {
					await sessions.delete(key);
					await sessions.append(key, [{ type: "new", uuid: "new" }]);
				}
				return fetch(url, init);
			},
		});
		expect(await createSessionStore({ store }).load(key)).toEqual([{ type: "new", uuid: "new" }]);
	});

	it("does not show what is appended after it began", async () => {
		const key = { ...KEY, sessionId: "growing" };
		const sessions = createSessionStore({ store: gateway.store });
		const entries = Array.from({ length: 1_500 }, (_, index) => ({ type: "mode", index }));
		await sessions.append(key, entries);
		const store = createStore({
			url: gateway.url,
			token: gateway.token,
			fetch: async (url, init) => {
				const answer = await fetch(url, init);
				await sessions.append(key, [{ type: "late" }]);
				return answer;
			},
		});
		expect(await createSessionStore({ store }).load(key)).toEqual(entries);
	});
});

describe("createSessionStore", () => {
	it("returns at once and sends nothing", async () => {
		const { sessions, requests } = refusing();
		expect(Object.keys(sessions).sort()).toEqual(
			["append", "load", "listSessions", "listSessionSummaries", "delete", "listSubkeys"].sort(),
		);
		expect(typeof createSessionStore().append).toBe("function");
		expect(requests).toEqual([]);
	});

	it("refuses options that it does not know or cannot use", () => {
		expect(() => createSessionStore({ storage: 1 } as object)).toThrow("unknown argument storage");
		expect(() => createSessionStore({ store: {} as never })).toThrow("must come from createStore");
		expect(() => createSessionStore({ foldSessionSummary: "x" as never })).toThrow("must be a function");
	});

	it("meets a closed port with the same error", async () => {
		const server = createServer().listen(0, "127.0.0.1");
		await new Promise((resolve) => server.once("listening", resolve));
		const { port } = server.address() as { port: number };
		await new Promise((resolve) => server.close(resolve));
		vi.useFakeTimers({ toFake: ["performance"] });
		const sessions = createSessionStore({
			store: createStore({ url: `http://127.0.0.1:${port}/graphql`, retries: 0 }),
		});
		const call = failure(sessions.load(KEY));
		vi.advanceTimersByTime(20_000);
		expect((await call).message).toMatch(/^NetworkError: /);
	});
});
