import { createStore } from "@iga-pages/agent/store";
import { describe, expect, it, onTestFinished } from "vitest";
import { startGateway } from "../support/gateway.ts";

async function start() {
	const gateway = await startGateway({ requestsPerSecond: 2, store: { retries: 0 } });
	onTestFinished(gateway.close);
	return gateway;
}

/** Sends more at once than a second may take. */
function burst(read: () => Promise<unknown>): Promise<PromiseSettledResult<unknown>[]> {
	return Promise.allSettled(Array.from({ length: 12 }, read));
}

describe("more requests a second than a token may send", () => {
	it("are TooManyRequests with Retry-After, before their bodies are read", async () => {
		const gateway = await start();
		const answers = await Promise.all(Array.from({ length: 12 }, () => gateway.post("no JSON at all")));
		const refused = answers.filter(({ status }) => status === 429);
		expect(refused).not.toEqual([]);
		expect(answers.filter(({ status }) => status === 400)).toHaveLength(12 - refused.length);
		expect(refused[0]?.headers.get("retry-after")).toBe("1");
		expect(await refused[0]?.json()).toMatchObject({
			errors: [{ message: "This token may send 2 requests a second", extensions: { code: "TooManyRequests" } }],
		});
	});

	it("are a StoreError that says so", async () => {
		const { store } = await start();
		const outcomes = await burst(() => store.getMessage({ messageId: "m" }));
		const [refusal] = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason] : []));
		expect(refusal).toMatchObject({ code: "TooManyRequests", status: 429 });
	});

	it("do not count for another token of the same project's gateway", async () => {
		const gateway = await start();
		const other = await gateway.createProject();
		await burst(() => gateway.store.getMessage({ messageId: "m" }));
		expect(await other.store.getMessage({ messageId: "m" })).toBeNull();
	});

	it("ERR-4: are sent again by the SDK after the time that it is told", async () => {
		const gateway = await start();
		const patient = createStore({ url: gateway.url, token: gateway.token, retries: 20 });
		await Promise.all(Array.from({ length: 5 }, () => patient.getMessage({ messageId: "m" })));
	});
});
