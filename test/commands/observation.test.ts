import { createStore } from "@iga-pages/agent/store";
import { expect, it, onTestFinished, vi } from "vitest";
import { startGateway } from "../support/gateway.ts";
import { startGatewayProcess } from "../support/gateway-process.ts";

it("serve writes its log to standard output and its metrics to METRICS_PORT, not to the clients' port", async () => {
	const beside = await startGateway();
	onTestFinished(beside.close);
	const gateway = await startGatewayProcess("serve", { DATABASE_URL: beside.databaseUrl, METRICS_PORT: "0" });
	onTestFinished(gateway.stop);
	await createStore({ url: gateway.url, token: beside.token }).appendMessage({ conversationId: "c", payload: 1 });
	await vi.waitFor(() => expect(gateway.output()).toContain('"operation":"appendMessage"'));
	const lines = gateway
		.output()
		.trimEnd()
		.split("\n")
		.map((line) => JSON.parse(line) as Record<string, string>);
	const { url } = lines.find(({ msg }) => msg === "metrics are served")!;
	const answer = await fetch(url!);
	expect(answer.headers.get("content-type")).toContain("text/plain");
	const text = await answer.text();
	expect(text).toContain('agent_gateway_requests_total{operation="appendMessage",code="OK"} 1');
	expect(text).toContain('agent_gateway_rows_written_total{statement="messages_append"} 1');
	expect(text).toContain("process_cpu_seconds_total");
	expect((await fetch(new URL("/metrics", gateway.url))).status).toBe(404);
	expect((await fetch(new URL("/", url))).status).toBe(404);
});
