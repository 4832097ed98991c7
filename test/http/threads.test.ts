import { createSessions } from "@iga-pages/agent/sessions";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ApiThread, callApi } from "../support/api.ts";
import { createBrowserToken } from "../support/browser-tokens.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";

let gateway: TestGateway;
let threads = 0;

beforeAll(async () => {
	gateway = await startGateway();
});
afterAll(() => gateway.close());

/** A thread with messages; returns its id and those of the messages. */
async function newThread(...texts: string[]) {
	const conversationId = `thread ${++threads}/%?`;
	await gateway.store.createConversation({ conversationId, metadata: { title: "T" } });
	const messages = texts.map((text, index) => ({
		role: index % 2 === 0 ? "user" : "assistant",
		payload: { content: text },
	}));
	const stored = messages.length === 0 ? [] : await gateway.store.appendMessages({ conversationId, messages });
	return { id: conversationId, path: `/api/threads/${encodeURIComponent(conversationId)}`, entries: stored };
}

describe("POST and GET /api/threads", () => {
	it("creates a thread that the SDK and the next GET show", async () => {
		const { status, body } = await callApi<ApiThread>(gateway, "POST", "/api/threads", { metadata: { title: "新" } });
		expect(status).toBe(201);
		expect(body).toMatchObject({ status: "idle", config: null, metadata: { title: "新" }, parent_thread_id: null });
		expect(await gateway.store.getConversation({ conversationId: body.thread_id })).toMatchObject({
			metadata: { title: "新" },
		});
		const read = await callApi<ApiThread>(gateway, "GET", `/api/threads/${body.thread_id}`);
		expect(read).toMatchObject({ status: 200, body: { ...body, messages: [], next_cursor: null } });
	});

	it("takes no body, or the caller's id, once", async () => {
		expect((await callApi(gateway, "POST", "/api/threads")).status).toBe(201);
		const thread_id = `own-${++threads}`;
		const answers = [
			await callApi(gateway, "POST", "/api/threads", { thread_id }),
			await callApi(gateway, "POST", "/api/threads", { thread_id }),
		];
		expect(answers.map(({ status }) => status)).toEqual([201, 409]);
		expect(answers[1]?.body.error).toMatchObject({ code: "Conflict" });
	});

	it("lists pages, the latest updated first, and [] where there is nothing", async () => {
		const other = await gateway.createProject();
		const list = (query: string) =>
			callApi<{ threads: ApiThread[]; next_cursor: string | null }>(
				gateway,
				"GET",
				`/api/threads${query}`,
				undefined,
				other.token,
			);
		expect((await list("")).body).toEqual({ threads: [], next_cursor: null });
		for (const conversationId of ["a", "b", "c"]) await other.store.createConversation({ conversationId });
		const first = (await list("?limit=2")).body;
		const second = (await list(`?limit=2&cursor=${first.next_cursor}`)).body;
		expect(first.threads.map(({ thread_id }) => thread_id)).toEqual(["c", "b"]);
		expect(second).toMatchObject({ threads: [{ thread_id: "a" }], next_cursor: null });
	});
});

describe("GET /api/threads/{key}", () => {
	it("shows what a model sees, page by page", async () => {
		const { id, path, entries } = await newThread("old", "old answer", "new", "new answer");
		const sessions = createSessions({ url: gateway.url, token: gateway.token });
		await sessions.compact({ conversationId: id, summary: "S", firstKeptMessageId: entries[2]!.messageId });
		const { body } = await callApi<ApiThread>(gateway, "GET", path);
		expect(body.messages.map(({ payload }) => payload)).toMatchObject([
			{ summary: "S" },
			{ content: "new" },
			{ content: "new answer" },
		]);
		expect(body.messages[1]?.entry_id).toBe(entries[2]?.messageId);
	});

	it("is NotFound for an unknown thread, and for one of another project", async () => {
		const { path } = await newThread("secret");
		const other = await gateway.createProject();
		const unknown = await callApi(gateway, "GET", "/api/threads/unknown");
		const foreign = await callApi(gateway, "GET", path, undefined, other.token);
		expect([unknown.status, foreign.status]).toEqual([404, 404]);
		expect(unknown.body.error).toEqual({
			code: "NotFound",
			message: 'Conversation "unknown" does not exist',
			requestId: unknown.headers.get("x-request-id"),
		});
	});
});

describe("DELETE /api/threads/{key}", () => {
	it("deletes, and deletes again", async () => {
		const { id, path } = await newThread("one");
		expect((await callApi(gateway, "DELETE", path)).status).toBe(204);
		expect((await callApi(gateway, "DELETE", path)).status).toBe(204);
		expect(await gateway.store.getConversation({ conversationId: id })).toBeNull();
	});
});

describe("POST /api/threads/{key}/branch", () => {
	it.each([
		["the active leaf", undefined, 4],
		["an entry", 1, 2],
	])("copies the path to %s into a new thread", async (_what, at, count) => {
		const { id, path, entries } = await newThread("1", "2", "3", "4");
		const entry = at === undefined ? undefined : entries[at];
		const body = entry === undefined ? undefined : { entry_id: entry.messageId };
		const forked = await callApi<ApiThread>(gateway, "POST", `${path}/branch`, body);
		expect(forked.status).toBe(201);
		expect(forked.body).toMatchObject({ parent_thread_id: id, metadata: { title: "T" } });
		expect(forked.body.thread_id).not.toBe(id);
		const copies = await callApi<ApiThread>(gateway, "GET", `/api/threads/${forked.body.thread_id}`);
		expect(copies.body.messages.map(({ payload }) => payload)).toEqual(
			entries.slice(0, count).map(({ payload }) => payload),
		);
		expect((await gateway.store.listMessages({ conversationId: id })).items).toEqual(entries);
	});

	it("is NotFound for an unknown entry or thread, and makes none", async () => {
		const { path } = await newThread("1");
		const before = (await gateway.store.listConversations({ limit: 200 })).items.length;
		const answers = [
			await callApi(gateway, "POST", `${path}/branch`, { entry_id: "unknown" }),
			await callApi(gateway, "POST", "/api/threads/unknown/branch"),
		];
		expect(answers.map(({ status }) => status)).toEqual([404, 404]);
		expect((await gateway.store.listConversations({ limit: 200 })).items).toHaveLength(before);
	});
});

describe("config and thinking", () => {
	const config = {
		model: "large",
		response_format: {
			type: "json_schema",
			json_schema: { name: "s", schema: { properties: { responseFormat: { json_schema: 1 } } } },
		},
		thinking: { include_thoughts: true, effort: "high" },
		skills: ["search"],
	};

	it("come back as they were put, and the SDK has them under its names", async () => {
		const { id, path } = await newThread();
		expect((await callApi(gateway, "GET", `${path}/config`)).body).toEqual({ thread_id: id, config: null });
		const put = await callApi(gateway, "PUT", `${path}/config`, { config });
		expect(put).toMatchObject({ status: 200, body: { thread_id: id, config } });
		expect((await callApi(gateway, "GET", `${path}/config`)).body).toEqual({ thread_id: id, config });
		const sessions = createSessions({ url: gateway.url, token: gateway.token });
		expect(await sessions.getConfig({ conversationId: id })).toMatchObject({
			responseFormat: { jsonSchema: config.response_format.json_schema },
			thinking: { includeThoughts: true },
		});
	});

	it("keep the other fields when thinking changes, and go with null", async () => {
		const { id, path } = await newThread();
		await callApi(gateway, "PUT", `${path}/config`, { config });
		const thinking = { effort: "low" };
		const put = await callApi(gateway, "PUT", `${path}/thinking`, { thinking });
		expect(put.body).toEqual({ thread_id: id, thinking });
		expect((await callApi(gateway, "GET", path)).body).toMatchObject({ config: { ...config, thinking } });
		await callApi(gateway, "PUT", `${path}/thinking`, { thinking: null });
		expect((await callApi(gateway, "GET", `${path}/thinking`)).body).toEqual({ thread_id: id, thinking: null });
		expect((await callApi(gateway, "PUT", `${path}/config`, { config: null })).body).toMatchObject({ config: null });
	});

	it.each(["GET", "PUT"])("of an unknown thread are NotFound: %s", async (method) => {
		for (const [part, value] of [
			["config", { config: { model: "m" } }],
			["thinking", { thinking: { effort: "low" } }],
		] as const) {
			const body = method === "PUT" ? value : undefined;
			expect((await callApi(gateway, method, `/api/threads/unknown/${part}`, body)).status).toBe(404);
		}
		expect(await gateway.store.getConversation({ conversationId: "unknown" })).toBeNull();
	});

	it.each([
		[{}, "config: must be given"],
		[{ config: { response_format: { type: "xml" } } }, "config.response_format.type: must be one of"],
		[{ config: { thinking: { include_thoughts: 1 } } }, "config.thinking.include_thoughts: must be a boolean"],
		[{ config: { temperature: 1 } }, "config: unknown temperature; known are model, response_format"],
		[{ config: [] }, "config: must be a JSON object"],
	])("are refused by the name that was sent: %j", async (body, message) => {
		const { path } = await newThread();
		const refused = await callApi(gateway, "PUT", `${path}/config`, body);
		expect(refused.status).toBe(400);
		expect(refused.body.error).toMatchObject({ code: "BadRequest", message: expect.stringContaining(message) });
	});
});

describe("what is refused", () => {
	it.each([".", ".."])("a key that clients resolve in paths: %s", async (thread_id) => {
		const { status, body } = await callApi(gateway, "POST", "/api/threads", { thread_id });
		expect([status, body.error.message]).toEqual([400, 'thread_id: must not be "." or ".."']);
	});

	it.each([
		["GET", "/api/threads?limit=0", undefined, 400, "limit: must be an integer from 1 to 200"],
		["GET", "/api/threads?limit=many", undefined, 400, "limit: must be a whole number"],
		["GET", "/api/threads?cursor=made-up", undefined, 400, "cursor: is not a cursor of this list"],
		["GET", "/api/threads?offset=1", undefined, 400, "query: unknown offset"],
		["GET", "/api/threads/%ff", undefined, 400, "key: must be percent-encoded UTF-8"],
		["POST", "/api/threads", { id: "x" }, 400, "body: unknown id; known are thread_id, metadata (VAL-8)"],
		["POST", "/api/threads", { metadata: [] }, 400, "metadata: must be a JSON object"],
		["POST", "/api/threads", { thread_id: "漢".repeat(86) }, 400, "thread_id: must be at most 256 UTF-8 bytes"],
		["POST", "/api/threads", "{", 400, "body: must be JSON"],
		["POST", "/api/threads", "[]", 400, "body: must be one request"],
		["PATCH", "/api/threads", undefined, 405, "method: must be one of POST, GET"],
		["GET", "/api/nothing", undefined, 404, "There is nothing at /api/nothing"],
		["GET", "/api/threads/", undefined, 404, "There is nothing at /api/threads/"],
	])("%s %s %j", async (method, path, body, status, message) => {
		const answer = await callApi(gateway, method, path, body);
		expect(answer.status).toBe(status);
		expect(answer.body.error).toMatchObject({ message: expect.stringContaining(message) });
		expect(answer.body.error.requestId).toBe(answer.headers.get("x-request-id"));
	});

	it("a body over the limit, and one that is not JSON by its type", async () => {
		const small = await startGateway({ databaseUrl: gateway.databaseUrl, limits: { requestBytes: 100 } });
		const large = await callApi(small, "POST", "/api/threads", { metadata: { text: "x".repeat(200) } });
		await small.close();
		expect([large.status, large.body.error.code]).toEqual([413, "PayloadTooLarge"]);
		const form = await fetch(new URL("/api/threads", gateway.url), {
			method: "POST",
			headers: { authorization: `Bearer ${gateway.token}` },
			body: "thread_id=1",
		});
		expect(form.status).toBe(415);
	});
});

describe("states", () => {
	it("are [] where there are none, and NotFound or gone by key", async () => {
		expect((await callApi(gateway, "GET", "/api/states")).body).toEqual({ states: [], next_cursor: null });
		expect((await callApi(gateway, "GET", "/api/states/unknown")).status).toBe(404);
		expect((await callApi(gateway, "DELETE", "/api/states/unknown")).status).toBe(204);
	});
});

describe("limits and origins", () => {
	it("are those of GraphQL: rate, bytes in flight, CORS", async () => {
		const origin = "https://chat.example";
		const strict = await startGateway({
			databaseUrl: gateway.databaseUrl,
			requestsPerSecond: 2,
			limits: { requestBytesInFlight: 50 },
			origins: [origin],
		});
		const full = await callApi(strict, "POST", "/api/threads", { metadata: { text: "x".repeat(100) } });
		expect([full.status, full.body.error.code]).toEqual([429, "TooManyRequests"]);
		const answers = await Promise.all(
			Array.from({ length: 12 }, () =>
				fetch(new URL("/api/threads", strict.url), { headers: { authorization: `Bearer ${strict.token}`, origin } }),
			),
		);
		await strict.close();
		const refused = answers.filter(({ status }) => status === 429);
		expect(refused.length).toBeGreaterThan(0);
		expect(refused[0]?.headers.get("retry-after")).toBe("1");
		expect(answers.map(({ headers }) => headers.get("access-control-allow-origin"))).toEqual(Array(12).fill(origin));
	});
});

describe("a credential", () => {
	it("is asked for, with WWW-Authenticate", async () => {
		const { status, headers, body } = await callApi(gateway, "GET", "/api/threads", undefined, null);
		expect([status, headers.get("www-authenticate"), body.error.code]).toEqual([401, "Bearer", "Unauthorized"]);
	});

	it("of role read changes nothing", async () => {
		const { path } = await newThread("1");
		const { token } = await gateway.createProject({ role: "read" });
		const answers = await Promise.all([
			callApi(gateway, "POST", "/api/threads", undefined, token),
			callApi(gateway, "DELETE", path, undefined, token),
			callApi(gateway, "POST", `${path}/branch`, undefined, token),
			callApi(gateway, "PUT", `${path}/config`, { config: null }, token),
			callApi(gateway, "DELETE", "/api/states/x", undefined, token),
			callApi(gateway, "POST", "/api/chat", { message: "Hi" }, token),
		]);
		expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403, 403]);
	});

	it("limited to a thread reaches that one alone", async () => {
		const mine = await newThread("mine");
		const other = await newThread("other");
		const token = await createBrowserToken(gateway, { conversationIds: [mine.id], role: "WRITE" });
		const call = async (method: string, path: string, body?: object) =>
			(await callApi(gateway, method, path, body, token)).status;
		expect(await call("GET", mine.path)).toBe(200);
		expect(await call("PUT", `${mine.path}/config`, { config: null })).toBe(200);
		expect(await call("GET", other.path)).toBe(404);
		expect(await call("GET", `${other.path}/config`)).toBe(404);
		expect(await call("DELETE", other.path)).toBe(403);
		expect(await call("POST", "/api/threads")).toBe(403);
		expect(await call("POST", `${mine.path}/branch`)).toBe(403);
		expect(await call("GET", "/api/states")).toBe(403);
		expect(await call("POST", "/api/chat", { message: "Hi", thread_id: other.id })).toBe(403);
		const { body } = await callApi<{ threads: ApiThread[] }>(gateway, "GET", "/api/threads", undefined, token);
		expect(body.threads.map(({ thread_id }) => thread_id)).toEqual([mine.id]);
	});
});
