import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { scriptedAgent } from "../support/agents.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

let gateway: TestGateway;
let running = 0;
const scripted = scriptedAgent(async function* ({ signal }) {
	running++;
	yield "x".repeat(10_000);
	await new Promise((resolve) => signal.addEventListener("abort", resolve));
	running--;
});

beforeAll(async () => {
	gateway = await startGateway({ agent: scripted.agent });
});
afterAll(() => gateway.close());

/** Opens a chat, reads its first piece, and cuts it. */
async function openAndCut(thread_id: string): Promise<void> {
	const leaving = new AbortController();
	const response = await fetch(new URL("/api/chat", gateway.url), {
		method: "POST",
		headers: { authorization: `Bearer ${gateway.token}`, "content-type": "application/json" },
		body: JSON.stringify({ message: "Hi", thread_id, stream: true }),
		signal: leaving.signal,
	});
	const reader = response.body!.getReader();
	const decoder = new TextDecoder();
	for (let text = ""; !text.includes("message_delta"); ) {
		const { done, value } = await reader.read();
		if (done) throw new Error(`The stream ended: ${text}`);
		text += decoder.decode(value, { stream: true });
	}
	leaving.abort();
}

async function cutMany(count: number, name: string): Promise<void> {
	for (let done = 0; done < count; done += 20) {
		await Promise.all(Array.from({ length: 20 }, (_, index) => openAndCut(`${name}-${done + index}`)));
	}
	scripted.runs.length = 0;
	await vi.waitFor(() => expect(running).toBe(0), { timeout: 60_000 });
}

/** What the process holds once garbage is collected. */
function held(): { sockets: number; timers: number; bytes: number } {
	collectGarbage();
	const resources = process.getActiveResourcesInfo();
	const count = (name: string) => resources.filter((resource) => resource === name).length;
	return { sockets: count("TCPSocketWrap"), timers: count("Timeout"), bytes: process.memoryUsage().heapUsed };
}

it("leaves nothing of 2,000 chat streams that were opened and cut", async () => {
	await cutMany(200, "warm");
	const before = held();
	await cutMany(2_000, "cut");
	await vi.waitFor(
		() => {
			const after = held();
			expect(after.sockets).toBeLessThanOrEqual(before.sockets + 30);
			expect(after.timers).toBeLessThanOrEqual(before.timers + 30);
			// 2,000 streams that stayed, with 10 KB each, would be more.
			expect(after.bytes).toBeLessThan(before.bytes + 20_000_000);
		},
		{ timeout: 60_000, interval: 1_000 },
	);
}, 300_000);
