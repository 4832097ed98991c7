import { once } from "node:events";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { serve } from "@hono/node-server";
import { createStore } from "@iga-pages/agent/store";
import type { Gateway } from "@iga-pages/agent-gateway";
import express from "express";
import { Hono } from "hono";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { scriptedAgent } from "../support/agents.ts";
import { type ApiThread, callApi } from "../support/api.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { openStream } from "../support/streams.ts";

let gateway: TestGateway;
const scripted = scriptedAgent(async function* ({ signal, message }) {
	yield "first";
	if (JSON.stringify(message).includes("wait")) {
		await new Promise((resolve) => signal.addEventListener("abort", resolve));
	}
});

beforeAll(async () => {
	gateway = await startGateway({ agent: scripted.agent });
});
afterAll(() => gateway.close());

/** Servers of others that have the gateway on its paths, and something of their own. */
const SERVERS: Record<string, () => Server> = {
	"node:http": () =>
		createServer((request, response) => {
			if (request.url === "/own") response.end("mine");
			else gateway.gateway.handler(request, response);
		}).listen(0, "127.0.0.1"),
	Express: () => {
		const app = express();
		app.get("/own", (_request, response) => void response.send("mine"));
		app.all(["/graphql", "/api/*path"], gateway.gateway.handler);
		return app.listen(0, "127.0.0.1");
	},
	"Express, behind a body parser": () => {
		const app = express();
		app.use(express.json({ limit: "1mb" }));
		app.get("/own", (_request, response) => void response.send("mine"));
		app.all(["/graphql", "/api/*path"], gateway.gateway.handler);
		return app.listen(0, "127.0.0.1");
	},
	Hono: () => {
		const app = new Hono();
		app.get("/own", (context) => context.text("mine"));
		app.all("/graphql", ({ req }) => gateway.gateway.fetch(req.raw));
		app.all("/api/*", ({ req }) => gateway.gateway.fetch(req.raw));
		return serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" }) as Server;
	},
};

it("VAL-10: takes a body as it came, where a body parser keeps it, and one that the parser has unpacked", async () => {
	const app = express();
	const verify = (request: IncomingMessage, _response: unknown, rawBody: Buffer) =>
		void Object.assign(request, { rawBody });
	app.use("/graphql", express.json({ verify }));
	app.use("/api", express.json());
	app.all(["/graphql", "/api/*path"], gateway.gateway.handler);
	const server = app.listen(0, "127.0.0.1");
	await once(server, "listening");
	const mounted = { ...gateway, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql` };
	const headers = { authorization: `Bearer ${gateway.token}`, "content-type": "application/json" };
	const exact =
		'{"query":"query ($n: Int) { messages(conversationId: \\"c\\", first: $n) { __typename } }","variables":{"n":9007199254740993}}';
	const refused = await fetch(mounted.url, { method: "POST", headers, body: exact });
	expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining("VAL-10")]);
	const packed = await fetch(new URL("/api/threads", mounted.url), {
		method: "POST",
		headers: { ...headers, "content-encoding": "gzip" },
		body: gzipSync('{"thread_id":"packed"}'),
	});
	expect([packed.status, await packed.json()]).toEqual([201, expect.objectContaining({ thread_id: "packed" })]);
	server.close();
	server.closeAllConnections();
});

describe.each(Object.keys(SERVERS))("mounted in %s", (name) => {
	let server: Server;
	let mounted: TestGateway;

	beforeAll(async () => {
		server = SERVERS[name]!();
		if (!server.listening) await once(server, "listening");
		const { port } = server.address() as AddressInfo;
		mounted = { ...gateway, url: `http://127.0.0.1:${port}/graphql` };
	});
	afterAll(() => {
		server.close();
		server.closeAllConnections();
	});

	it("leaves the other paths alone", async () => {
		expect(await (await fetch(new URL("/own", mounted.url))).text()).toBe("mine");
	});

	it("answers GraphQL and HTTP, bodies and errors included", async () => {
		const store = createStore({ url: mounted.url, token: gateway.token });
		await store.appendMessage({ conversationId: name, payload: "漢".repeat(100_000) });
		const { body } = await callApi<ApiThread>(mounted, "GET", `/api/threads/${encodeURIComponent(name)}`);
		expect(body.messages[0]?.payload).toBe("漢".repeat(100_000));
		expect((await callApi(mounted, "GET", "/api/threads/unknown")).status).toBe(404);
		expect((await callApi(mounted, "GET", "/api/threads", undefined, null)).status).toBe(401);
	});

	it("streams, and ends the run of a client that leaves", async () => {
		const thread_id = `${name}-left`;
		const leaving = new AbortController();
		const response = await fetch(new URL("/api/chat", mounted.url), {
			method: "POST",
			headers: { authorization: `Bearer ${gateway.token}`, "content-type": "application/json" },
			body: JSON.stringify({ message: "wait", thread_id, stream: true }),
			signal: leaving.signal,
		});
		const reader = response.body!.getReader();
		const decoder = new TextDecoder();
		for (let text = ""; !text.includes("first"); )
			text += decoder.decode((await reader.read()).value, { stream: true });
		leaving.abort();
		await vi.waitFor(
			async () => {
				const { body } = await callApi<ApiThread>(mounted, "GET", `/api/threads/${encodeURIComponent(thread_id)}`);
				expect(body.status).toBe("error");
			},
			{ timeout: 20_000, interval: 50 },
		);
	});

	it("streams to the end", async () => {
		const stream = await openStream(mounted, "/api/chat", {
			method: "POST",
			body: JSON.stringify({ message: "go", stream: true }),
			headers: { "content-type": "application/json" },
		});
		await stream.ended;
		expect(stream.events().at(-1)).toContain("event: done");
	});
});

/** Servers that have the gateway below a path: one that knows of it, unless they take it away. */
const BELOW: Record<string, (below: Gateway) => Server> = {
	"node:http": ({ handler }) => createServer(handler).listen(0, "127.0.0.1"),
	"Express, with use()": ({ handler }) => express().use("/deep/store", handler).listen(0, "127.0.0.1"),
	"Express, behind a body parser": ({ handler }) =>
		express().use(express.json()).use("/deep/store", handler).listen(0, "127.0.0.1"),
	Hono: (below) => {
		const app = new Hono().all("/deep/store/*", ({ req }) => below.fetch(req.raw));
		return serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" }) as Server;
	},
	"Hono, with mount()": () => {
		const app = new Hono().mount("/deep/store", (request) => gateway.gateway.fetch(request));
		return serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" }) as Server;
	},
};

it.each(Object.keys(BELOW))("is reached below a path of %s", async (name) => {
	const { databaseUrl } = gateway;
	const below = await startGateway({ databaseUrl, agent: scripted.agent, basePath: "/deep/store" });
	const server = BELOW[name]!(below.gateway);
	if (!server.listening) await once(server, "listening");
	const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	const url = `${origin}/deep/store/graphql`;
	const store = createStore({ url, token: gateway.token });
	await store.appendMessage({ conversationId: "below", payload: name });
	const at = { ...gateway, url };
	expect((await callApi(at, "GET", "/deep/store/api/threads/below")).status).toBe(200);
	expect((await callApi(at, "GET", "/deep/store/api/threads/unknown")).status).toBe(404);
	expect((await callApi(at, "GET", "/deep/store/nothing")).status).toBe(404);
	expect((await fetch(`${origin}/deep/store/health/live`)).status).toBe(200);
	const stream = await openStream(at, "/deep/store/api/chat", {
		method: "POST",
		body: JSON.stringify({ message: "go", stream: true }),
		headers: { "content-type": "application/json" },
	});
	await stream.ended;
	expect(stream.events().at(-1)).toContain("event: done");
	server.close();
	server.closeAllConnections();
	await below.close();
});

it.each(["/caf%C3%A9", "/a%20b", "/tenant(1", "/a:b*", "/~a;b=c@d"])(
	"is reached below a path that stands in URLs as it is given: %s",
	async (basePath) => {
		const below = await startGateway({ databaseUrl: gateway.databaseUrl, basePath });
		const url = new URL(`${basePath}/graphql`, below.url).href;
		for (const send of [fetch, below.gateway.fetch]) {
			const store = createStore({ url, token: gateway.token, fetch: send });
			expect(await store.getConversation({ conversationId: "nowhere" })).toBeNull();
		}
		expect((await callApi(below, "GET", `${basePath}/api/threads`, undefined, gateway.token)).status).toBe(200);
		expect((await callApi(below, "GET", `${basePath}/nothing`)).status).toBe(404);
		await below.close();
	},
);

it("below a path, is nowhere else, and says so in its description", async () => {
	const below = await startGateway({ databaseUrl: gateway.databaseUrl, basePath: "/store" });
	const { body } = await callApi<{ servers: object }>(below, "GET", "/store/api/openapi.json");
	expect(body.servers).toEqual([{ url: "/store" }]);
	for (const path of ["/graphql", "/api/threads", "/storeapi/threads", "/health/live"]) {
		expect((await callApi(below, "POST", path, {})).body.error.message).toContain("GraphQL is at /store/graphql");
	}
	await below.close();
	for (const basePath of ["/", "store", "/store/", "/café", "/a b", "/a|b", "/%zz", "/a/../store"]) {
		await expect(startGateway({ databaseUrl: gateway.databaseUrl, basePath })).rejects.toThrow("basePath must");
	}
});
