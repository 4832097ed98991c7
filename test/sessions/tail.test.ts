import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { messagesIn, readTail, sessionsAt } from "../support/tails.ts";

let gateway: TestGateway;
let other: TestGateway;

beforeAll(async () => {
	gateway = await startGateway();
	other = await startGateway({ databaseUrl: gateway.databaseUrl });
});

afterAll(async () => {
	await other.close();
	await gateway.close();
});

describe("tail", () => {
	it("tells what is there and what comes, on any gateway", async () => {
		const conversationId = "both";
		const { store } = gateway;
		await store.appendMessage({ conversationId, payload: 1 });
		const tails = [gateway.url, other.url].map((url) =>
			readTail(sessionsAt({ url, token: gateway.token }), { conversationId }),
		);
		for (const tail of tails) await tail.until((events) => messagesIn(events) === 1);
		await store.appendMessages({ conversationId, messages: [{ payload: 2 }, { payload: 3 }] });
		for (const tail of tails) {
			await tail.until((events) => messagesIn(events) === 3);
			expect(tail.payloads()).toEqual([1, 2, 3]);
			expect(tail.events.map(({ kind }) => kind)).toEqual(["opened", "message", "message", "message"]);
		}
	});
});
