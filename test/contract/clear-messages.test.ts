import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { failure } from "../support/errors.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { drainMessages } from "../support/pages.ts";
import { ageRows, lockConversation, query, rowVersions } from "../support/sql.ts";

let gateway: TestGateway;

beforeAll(async () => {
	gateway = await startGateway({ limits: { lockMs: 200 }, store: { retries: 0 } });
});

afterAll(() => gateway.close());

describe("clearMessages", () => {
	it("MSG-11: removes every message and keeps conversation, metadata, createdAt and counter", async () => {
		const { store } = gateway;
		const conversationId = "cleared";
		await store.createConversation({ conversationId, metadata: { title: "kept" } });
		const messages = Array.from({ length: 100 }, (_, index) => ({ messageId: `cleared-${index}`, payload: index }));
		await store.appendMessages({ conversationId, messages });
		await ageRows(gateway);
		const aged = await store.getConversation({ conversationId });
		expect(await store.clearMessages({ conversationId })).toBeUndefined();
		expect(await drainMessages(store, { conversationId })).toEqual([]);
		expect(await store.getMessage({ messageId: "cleared-0" })).toBeNull();
		const moved = await store.getConversation({ conversationId });
		expect(moved).toEqual({ ...aged, updatedAt: expect.any(String) });
		expect(moved!.updatedAt > aged!.updatedAt).toBe(true);
		expect(await store.appendMessage({ conversationId, messageId: "cleared-0", payload: 0 })).toMatchObject({
			seq: "101",
		});
	});

	it("MSG-11: leaves other conversations alone", async () => {
		const { store } = gateway;
		const kept = await store.appendMessage({ conversationId: "neighbour", payload: 1 });
		await store.appendMessage({ conversationId: "neighbour-cleared", payload: 1 });
		await store.clearMessages({ conversationId: "neighbour-cleared" });
		expect(await drainMessages(store, { conversationId: "neighbour" })).toEqual([kept]);
	});

	it("MSG-11 CONV-6: succeeds on an empty, a cleared and an unknown conversation, and writes nothing", async () => {
		const { store } = gateway;
		await store.createConversation({ conversationId: "empty" });
		await store.appendMessage({ conversationId: "once", payload: 1 });
		await store.clearMessages({ conversationId: "once" });
		const before = await rowVersions(gateway);
		for (const conversationId of ["empty", "once", "unknown"]) await store.clearMessages({ conversationId });
		expect(await rowVersions(gateway)).toEqual(before);
		expect(await store.getConversation({ conversationId: "unknown" })).toBeNull();
	});

	it("MSG-11: deletes nothing when it fails", async () => {
		const { store } = gateway;
		const conversationId = "held";
		await store.appendMessages({ conversationId, messages: [{ payload: 1 }, { payload: 2 }] });
		const before = await rowVersions(gateway);
		const lock = await lockConversation(gateway, conversationId);
		expect(await failure(store.clearMessages({ conversationId }))).toMatchObject({ code: "TimeoutError", status: 504 });
		await lock.release();
		expect(await rowVersions(gateway)).toEqual(before);
	});

	it("MSG-11: deletes nothing when Postgres refuses in the middle of it", async () => {
		const { store } = gateway;
		const conversationId = "guarded";
		await store.appendMessages({ conversationId, messages: [{ payload: 1 }, { messageId: "guarded-2", payload: 2 }] });
		const before = await rowVersions(gateway);
		await query(gateway, 'CREATE TABLE guards (project_id uuid, message_id text COLLATE "C")');
		await query(
			gateway,
			"ALTER TABLE guards ADD FOREIGN KEY (project_id, message_id) REFERENCES messages (project_id, message_id)",
		);
		await query(gateway, "INSERT INTO guards VALUES ($1, 'guarded-2')", [gateway.projectId]);
		expect(await failure(store.clearMessages({ conversationId }))).toMatchObject({ code: "UnknownError", status: 500 });
		await query(gateway, "DROP TABLE guards");
		expect(await rowVersions(gateway)).toEqual(before);
		await store.clearMessages({ conversationId });
		expect(await drainMessages(store, { conversationId })).toEqual([]);
	});
});
