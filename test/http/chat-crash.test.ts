import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { callApi } from "../support/api.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { type GatewayProcess, runGateway, startGatewayProcess } from "../support/gateway-process.ts";
import { agent, agentOptions } from "../support/slow-agent.ts";
import { openStream } from "../support/streams.ts";

let gateway: TestGateway;
let other: GatewayProcess | undefined;

beforeAll(async () => {
	gateway = await startGateway({ agent, agentOptions });
});
afterAll(async () => {
	await other?.stop();
	await gateway.close();
});

function openChat(url: string, message: string, thread_id: string) {
	return openStream({ url, token: gateway.token }, "/api/chat", {
		method: "POST",
		body: JSON.stringify({ message, thread_id, stream: true }),
		headers: { "content-type": "application/json" },
	});
}

const statusOf = async (thread: string) =>
	(await callApi<{ status: string }>(gateway, "GET", `/api/threads/${thread}`)).body.status;

describe("the lease of a run", () => {
	it("ends when its gateway is killed, and another gateway's run goes on after the user's message", async () => {
		const env = { DATABASE_URL: gateway.databaseUrl };
		other = await startGatewayProcess("serve", env, ["--agent", "test/support/slow-agent.ts"]);
		const stream = await openChat(other.url, "wait", "crashed");
		await stream.until(3);
		expect(await statusOf("crashed")).toBe("running");
		other.signal("SIGKILL");
		await other.ended;
		expect((await callApi(gateway, "POST", "/api/chat", { message: "mine", thread_id: "crashed" })).status).toBe(409);
		await vi.waitFor(async () => expect(await statusOf("crashed")).toBe("error"), { timeout: 20_000, interval: 50 });
		const next = await callApi(gateway, "POST", "/api/chat", { message: "mine", thread_id: "crashed" });
		expect(next).toMatchObject({ status: 200, body: { output: "begun done" } });
		const { items } = await gateway.store.listMessages({ conversationId: "crashed" });
		expect(items.map(({ payload }) => (payload as { content: string }).content)).toEqual([
			"wait",
			"mine",
			"begun done",
		]);
	});

	it("is renewed as long as the run goes on", async () => {
		const stream = await openChat(gateway.url, "wait", "renewed");
		await stream.until(3);
		const expiry = async () => {
			const [row] = await gateway.db.read<{ expires: string; now: string }>(
				{ name: "", text: "SELECT run_expires_at::text AS expires FROM conversations WHERE conversation_id = $1" },
				["renewed"],
			);
			return row!.expires;
		};
		const first = await expiry();
		await vi.waitFor(async () => expect((await expiry()) > first).toBe(true), { timeout: 10_000, interval: 50 });
		expect(await statusOf("renewed")).toBe("running");
	});
});

describe("--agent", () => {
	it.each([
		["test/support/no-such-agent.ts", "cannot be loaded"],
		["test/support/folder.ts", 'must export a function named "agent"'],
	])("names what is wrong with %s", async (module, message) => {
		const env = { DATABASE_URL: gateway.databaseUrl };
		const { code, stderr } = await runGateway(["serve", "--agent", module], env);
		expect([code, stderr]).toEqual([1, expect.stringContaining(message)]);
	});
});
