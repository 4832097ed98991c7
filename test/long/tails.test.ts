import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { Registry } from "prom-client";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { startGateway, type TestGateway } from "../support/gateway.ts";

const STREAMS = 2_000;
const AT_ONCE = 100;
const QUERY = 'subscription { messageAdded(conversationId: "soak") { kind message { payload } } }';

const metrics = new Registry();
let gateway: TestGateway;

beforeAll(async () => {
	gateway = await startGateway({ metrics });
	// More than the sockets' buffers hold, so that some streams are cut in the middle of a message.
	const messages = Array.from({ length: 8 }, () => ({ payload: "x".repeat(1_000_000) }));
	await gateway.store.appendMessages({ conversationId: "large", messages });
});

afterAll(() => gateway.close());

/** Opens a stream over a connection of its own, and resolves once it tells something. */
async function open(index: number): Promise<Socket> {
	const { hostname, port, host } = new URL(gateway.url);
	const socket = connect(Number(port), hostname).on("error", () => {});
	const head = [`host: ${host}`, `authorization: Bearer ${gateway.token}`, "accept: text/event-stream"];
	if (index % 3 === 0) {
		const thread = index % 2 === 0 ? "soak" : "large";
		socket.write(`GET /api/threads/${thread}/events HTTP/1.1\r\n${head.join("\r\n")}\r\n\r\n`);
	} else {
		const query = index % 2 === 0 ? QUERY : QUERY.replace("soak", "large");
		const body = JSON.stringify({ query });
		head.push("content-type: application/json", `content-length: ${body.length}`);
		socket.write(`POST /graphql HTTP/1.1\r\n${head.join("\r\n")}\r\n\r\n${body}`);
	}
	let text = "";
	while (!/opened/i.test(text)) text += String((await once(socket, "data"))[0]);
	// What comes now is not read any more.
	socket.pause();
	return socket;
}

async function openAndCut(streams: number): Promise<void> {
	for (let opened = 0; opened < streams; opened += AT_ONCE) {
		const sockets = await Promise.all(Array.from({ length: AT_ONCE }, (_, index) => open(opened + index)));
		for (const socket of sockets) socket.destroy();
	}
	await vi.waitFor(
		async () => expect(await metrics.getSingleMetricAsString("agent_gateway_live_tails")).toMatch(/ 0$/),
		{
			timeout: 30_000,
		},
	);
}

/** What holds the event loop, by kind, and bytes in use. */
async function footprint() {
	setFlagsFromString("--expose-gc");
	const collect = runInNewContext("gc") as () => void;
	const resources = () => {
		const counts: Record<string, number> = {};
		for (const kind of process.getActiveResourcesInfo()) counts[kind] = (counts[kind] ?? 0) + 1;
		return counts;
	};
	for (let round = 0; round < 3; round++) {
		await new Promise((resolve) => setImmediate(resolve));
		collect();
	}
	return { resources: resources(), bytes: process.memoryUsage().heapUsed };
}

it(`${STREAMS} streams that are opened and cut leave no socket, timer, listener or memory`, async () => {
	// Caches and pools fill up first.
	await openAndCut(400);
	const before = await footprint();
	await openAndCut(STREAMS);
	await vi.waitFor(
		async () => {
			const after = await footprint();
			expect(after.resources["TCPSocketWrap"] ?? 0).toBeLessThanOrEqual(before.resources["TCPSocketWrap"] ?? 0);
			expect(after.resources["Timeout"] ?? 0).toBeLessThanOrEqual((before.resources["Timeout"] ?? 0) + 5);
			// A kilobyte a stream would be seen.
			expect(after.bytes - before.bytes).toBeLessThan(STREAMS * 1_024);
		},
		{ timeout: 20_000, interval: 500 },
	);
}, 180_000);
