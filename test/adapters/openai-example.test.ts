import { setTracingDisabled } from "@openai/agents";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { openaiExample } from "../../client/examples/openai.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { calls, ScriptedModel, says } from "./openai-model.ts";

setTracingDisabled(true);

let gateway: TestGateway;

beforeAll(async () => {
	gateway = await startGateway();
	vi.stubEnv("AGENT_STORE_URL", gateway.url);
	vi.stubEnv("AGENT_STORE_TOKEN", gateway.token);
});
afterAll(async () => {
	vi.unstubAllEnvs();
	await gateway.close();
});

it("remembers the first run in the second one", async () => {
	const model = new ScriptedModel([
		[calls("weather", { city: "Oslo" }, "c1")],
		[says("It is sunny in Oslo.")],
		({ input }) => [says(JSON.stringify(input).includes("sunny in Oslo") ? "Oslo." : "I do not know.")],
	]);
	const { conversationId, answers } = await openaiExample(model);
	expect(answers).toEqual(["It is sunny in Oslo.", "Oslo."]);
	const { items } = await gateway.store.listMessages({ conversationId });
	expect(items.map(({ type }) => type)).toEqual([
		"message",
		"function_call",
		"function_call_result",
		"message",
		"message",
		"message",
	]);
});
