import { createStore, type Store } from "@iga-pages/agent/store";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { failure } from "../support/errors.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { drainMessages, seqs } from "../support/pages.ts";
import { rowVersions } from "../support/sql.ts";

let gateway: TestGateway;
/** Its requests arrive, but the answers to the first `lost` of them do not. */
let store: Store;
let lost: number;
let requests: number;

beforeAll(async () => {
	gateway = await startGateway();
	store = createStore({
		url: gateway.url,
		token: gateway.token,
		fetch: async (url, init) => {
			requests++;
			const response = await fetch(url, init);
			await response.clone().arrayBuffer();
			if (requests <= lost) throw new TypeError("fetch failed", { cause: new Error("socket hang up") });
			return response;
		},
	});
});

afterAll(() => gateway.close());

beforeEach(() => {
	lost = 2;
	requests = 0;
});

describe("writes whose answers are lost after they took effect", () => {
	it("ERR-4 MSG-3: appendMessage without an id is sent again with the same one, and stored once", async () => {
		const message = await store.appendMessage({ conversationId: "append", payload: "once" });
		expect(requests).toBe(3);
		expect(await drainMessages(gateway.store, { conversationId: "append" })).toEqual([message]);
		expect(message.seq).toBe("1");
	});

	it("ERR-4 MSG-4: appendMessages is sent again with the same ids, and stored once", async () => {
		const messages = [{ payload: 1 }, { payload: 2 }, { payload: 3 }];
		const stored = await store.appendMessages({ conversationId: "batch", messages });
		expect(requests).toBe(3);
		expect(await drainMessages(gateway.store, { conversationId: "batch" })).toEqual(stored);
		expect(seqs(stored)).toEqual([1, 2, 3]);
	});

	it("ERR-4 MSG-11: deleteMessage is sent again and succeeds", async () => {
		await gateway.store.appendMessage({ conversationId: "delete", messageId: "delete-1", payload: 1 });
		await store.deleteMessage({ messageId: "delete-1" });
		expect(requests).toBe(3);
		expect(await gateway.store.getMessage({ messageId: "delete-1" })).toBeNull();
	});

	it("ERR-4 CONV-1: createConversation with an id made by the SDK returns the row of the lost attempt", async () => {
		lost = 1;
		const conversation = await store.createConversation({ metadata: { title: "mine" } });
		expect(conversation).toEqual(await gateway.store.getConversation({ conversationId: conversation.conversationId }));
		expect(conversation.metadata).toEqual({ title: "mine" });
	});

	it("ERR-4 CONV-4: updateConversation with {} is sent again", async () => {
		const stored = await gateway.store.createConversation({ conversationId: "unchanged" });
		expect(await store.updateConversation({ conversationId: "unchanged", metadata: {} })).toEqual(stored);
		expect(requests).toBe(3);
	});

	it("ERR-4: reads are sent again", async () => {
		expect(await store.getMessage({ messageId: "nothing" })).toBeNull();
		expect(requests).toBe(3);
	});

	it.each([
		["createConversation with the caller's id", () => store.createConversation({ conversationId: "own" })],
		["updateConversation", () => store.updateConversation({ conversationId: "once", metadata: { a: 1 } })],
		["updateMessage", () => store.updateMessage({ messageId: "once-1", payload: 2 })],
		["clearMessages", () => store.clearMessages({ conversationId: "once" })],
		["deleteConversation", () => store.deleteConversation({ conversationId: "once" })],
	])("ERR-4: %s is not sent again: NetworkError, and it ran once", async (_method, call) => {
		await gateway.store.appendMessage({ conversationId: "once", messageId: "once-1", payload: 1 }).catch(() => {});
		const before = await rowVersions(gateway);
		expect((await failure(call())).toJSON()).toEqual({
			code: "NetworkError",
			message: expect.stringContaining("socket hang up"),
		});
		expect(requests).toBe(1);
		expect(await rowVersions(gateway)).not.toEqual(before);
	});
});
