import { once } from "node:events";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { serve } from "@hono/node-server";
import { createStore } from "@iga-pages/agent/store";
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
