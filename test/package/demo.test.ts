import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startGateway, type TestGateway } from "../support/gateway.ts";

let gateway: TestGateway;

beforeAll(async () => {
	gateway = await startGateway();
});

afterAll(() => gateway.close());

async function runExample(file: string): Promise<string> {
	const { stdout } = await promisify(execFile)(process.execPath, ["--import", "tsx", `client/examples/${file}`], {
		cwd: fileURLToPath(new URL("../../", import.meta.url)),
		env: { ...process.env, AGENT_STORE_URL: gateway.url, AGENT_STORE_TOKEN: gateway.token },
	});
	return stdout;
}

it("the quick start stores a message and reads it back", async () => {
	expect(await runExample("run-quick-start.ts")).toContain("payload: { text: '你好' }");
});

it("the demo stores conversations, and running it again stores nothing twice", async () => {
	const first = await runExample("demo.ts");
	const stored = await gateway.db.read<{ messages: string }>(
		{ name: "test", text: "SELECT count(*) AS messages FROM messages WHERE conversation_id LIKE 'demo-%'" },
		[],
	);
	expect(first).toContain(` with ${stored[0]?.messages} messages.`);
	expect((await runExample("demo.ts")).split("\n")[0]).toBe(first.split("\n")[0]);
	const again = await gateway.db.read<{ messages: string }>(
		{ name: "test", text: "SELECT count(*) AS messages FROM messages WHERE conversation_id LIKE 'demo-%'" },
		[],
	);
	expect(again).toEqual(stored);
});
