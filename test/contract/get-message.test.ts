import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startGateway, type TestGateway } from "../support/gateway.ts";

let gateway: TestGateway;

beforeAll(async () => {
	gateway = await startGateway();
});

afterAll(() => gateway.close());

describe("getMessage", () => {
	it("MSG-6: reads a message by its id alone", async () => {
		const { store } = gateway;
		const message = await store.appendMessage({
			conversationId: "read",
			role: "tool",
			type: "result",
			payload: [1, null, "x"],
			metadata: { cost: 0.1 },
		});
		expect(await store.getMessage({ messageId: message.messageId })).toEqual(message);
	});

	it("MSG-6: returns null for an unknown and for a deleted id", async () => {
		const { store } = gateway;
		expect(await store.getMessage({ messageId: "unknown" })).toBeNull();
		await store.appendMessage({ conversationId: "read", messageId: "gone", payload: 1 });
		await store.deleteMessage({ messageId: "gone" });
		expect(await store.getMessage({ messageId: "gone" })).toBeNull();
	});

	it("MSG-6: takes ids that look like paths, patterns, SQL or code as they are", async () => {
		const { store } = gateway;
		const ids = [
			"../../etc/passwd",
			"%",
			"_",
			"'; DROP TABLE messages; --",
			"{a,b}",
			'"',
			"\\",
			"__proto__",
			" ",
			"👩‍👩‍👧",
		];
		const messages = ids.map((messageId, index) => ({ messageId, payload: index }));
		const stored = await store.appendMessages({ conversationId: "'{}'", messages });
		const read = await Promise.all(ids.map((messageId) => store.getMessage({ messageId })));
		expect(read).toEqual(stored);
	});
});
