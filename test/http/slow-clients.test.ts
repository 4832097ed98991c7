import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { scriptedAgent } from "../support/agents.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

/** Much more than the buffers of two sockets. */
const EVENTS = 480;
const EVENT_BYTES = 100_000;
/** What a gateway may hold of a stream: a page of a tail, some events, and what is garbage anyhow. */
const HELD_BYTES = 12_000_000;

let gateway: TestGateway;
let produced = 0;
const scripted = scriptedAgent(async function* () {
	for (produced = 0; produced < EVENTS; produced++) yield numbered(produced);
});

beforeAll(async () => {
	gateway = await startGateway({ agent: scripted.agent });
	for (let stored = 0; stored < EVENTS; stored += 60) {
		const messages = Array.from({ length: 60 }, (_, index) => ({ payload: numbered(stored + index) }));
		await gateway.store.appendMessages({ conversationId: "long", messages });
	}
}, 60_000);
afterAll(() => gateway.close());

function numbered(index: number): string {
	return `<${index}>${"x".repeat(EVENT_BYTES)}`;
}

/** Opens a stream and reads nothing of it yet. */
async function open(method: string, path: string, body?: object): Promise<IncomingMessage> {
	const headers = {
		authorization: `Bearer ${gateway.token}`,
		"content-type": "application/json",
		accept: "text/event-stream",
	};
	const call = request(new URL(path, gateway.url), { method, headers }).end(body && JSON.stringify(body));
	const [response] = (await once(call, "response")) as [IncomingMessage];
	expect(response.statusCode).toBe(200);
	return response;
}

/** Resolves when no more bytes come, since they have nowhere to go. */
async function whenFull({ socket }: IncomingMessage): Promise<void> {
	let before = 0;
	await vi.waitFor(
		() => {
			const [last, now] = [before, socket.bytesRead];
			before = now;
			expect([now > EVENT_BYTES / 10, now]).toEqual([true, last]);
		},
		{ timeout: 30_000, interval: 500 },
	);
}

/** Reads on, and returns the numbers of the events in the order in which they come. */
async function readNumbers(response: IncomingMessage, count: number): Promise<number[]> {
	const numbers: number[] = [];
	let rest = "";
	for await (const part of response) {
		rest += part;
		for (const [, number] of rest.matchAll(/<(\d+)>/g)) numbers.push(Number(number));
		rest = rest.slice(rest.lastIndexOf("<") + 1);
		if (numbers.length === count) break;
	}
	return numbers;
}

async function heldBytes(): Promise<number> {
	for (let round = 0; round < 3; round++) {
		await new Promise((resolve) => setImmediate(resolve));
		collectGarbage();
	}
	const { heapUsed, external } = process.memoryUsage();
	return heapUsed + external;
}

describe("a client that stops reading", () => {
	const all = Array.from({ length: EVENTS }, (_, index) => index);

	it("stops the agent of its chat, and gets all events when it reads on", async () => {
		const before = await heldBytes();
		const response = await open("POST", "/api/chat", { message: "Go", stream: true });
		await whenFull(response);
		expect(produced).toBeLessThan(EVENTS / 2);
		expect((await heldBytes()) - before).toBeLessThan(HELD_BYTES);
		expect(await readNumbers(response, EVENTS)).toEqual(all);
	});

	it.each([
		["tail", "GET", "/api/threads/long/events", undefined],
		[
			"subscription",
			"POST",
			"/graphql",
			{ query: 'subscription { messageAdded(conversationId: "long") { message { payload } } }' },
		],
	])("is sent no more of its %s, and gets all messages when it reads on", async (_which, method, path, body) => {
		const before = await heldBytes();
		const response = await open(method, path, body);
		await whenFull(response);
		expect(response.socket.bytesRead).toBeLessThan((EVENTS * EVENT_BYTES) / 2);
		expect((await heldBytes()) - before).toBeLessThan(HELD_BYTES);
		expect(await readNumbers(response, EVENTS)).toEqual(all);
	});
});
