import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createGateway } from "@iga-pages/agent-gateway";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { scriptedAgent } from "../support/agents.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { openStream, openSubscription, type RawStream } from "../support/streams.ts";

let gateway: TestGateway;
const scripted = scriptedAgent(async function* () {
	yield "x";
	await new Promise(() => {});
});

beforeAll(async () => {
	gateway = await startGateway();
	await gateway.store.appendMessage({ conversationId: "t", payload: 1 });
});
afterAll(() => gateway.close());

type Where = Pick<TestGateway, "url" | "token">;

const STREAMS: Record<string, (where: Where) => Promise<RawStream>> = {
	done: (where) =>
		openStream(where, "/api/chat", {
			method: "POST",
			body: JSON.stringify({ message: "Hi", stream: true }),
			headers: { "content-type": "application/json" },
		}),
	error: (where) => openStream(where, "/api/threads/t/events"),
	complete: (where) => openSubscription(where, 'subscription { messageAdded(conversationId: "t") { kind } }'),
};

describe("close() of a gateway that another server has mounted", () => {
	it.each(Object.keys(STREAMS))("resolves when streams have been sent their last event: %s", async (event) => {
		const { databaseUrl, token } = gateway;
		const closing = await startGateway({ databaseUrl, agent: scripted.agent, limits: { shutdownMs: 2_000 } });
		const responses: ServerResponse[] = [];
		const server = createServer((request, response) => {
			responses.push(response);
			closing.gateway.handler(request, response);
		}).listen(0, "127.0.0.1");
		await once(server, "listening");
		const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`;
		const streams = await Promise.all(Array.from({ length: 30 }, () => STREAMS[event]!({ url, token })));
		await Promise.all(streams.map((stream) => stream.until(2)));
		await closing.gateway.close();
		expect(responses.map(({ writableEnded }) => writableEnded)).toEqual(streams.map(() => true));
		await Promise.all(streams.map(({ ended }) => ended));
		for (const stream of streams) expect(stream.events().at(-1)).toContain(`event: ${event}\n`);
		server.close();
	});

	it("is the same closing when it is called again, meanwhile or afterwards", async () => {
		const again = createGateway({ databaseUrl: gateway.databaseUrl, logger: pino({ level: "silent" }) });
		await again.ready();
		const first = again.close();
		await Promise.all([first, again.close()]);
		await again.close();
		expect(again.close()).toBe(first);
	});
});
