import { createStore, type Store } from "@iga-pages/agent/store";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { failure } from "../support/errors.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { drainMessages } from "../support/pages.ts";

let gateway: TestGateway;
let store: Store;

beforeAll(async () => {
	gateway = await startGateway();
	// No socket can be opened there, so that every answer comes from the gateway itself.
	store = createStore({ url: "http://localhost:1/graphql", token: gateway.token, fetch: gateway.gateway.fetch });
});

afterAll(() => gateway.close());

describe("createStore({ fetch }) with a gateway in the same process", () => {
	it("MSG-1 MSG-7: writes and reads what the gateway serves over HTTP", async () => {
		const message = await store.appendMessage({ conversationId: "inside", payload: { text: "汉\0", list: [1] } });
		expect(await drainMessages(gateway.store, { conversationId: "inside" })).toEqual([message]);
		expect(await store.listMessages({ conversationId: "inside" })).toEqual({ items: [message], nextCursor: null });
		expect(await store.getConversation({ conversationId: "inside" })).toMatchObject({ metadata: {} });
	});

	it("ERR-1 ERR-7: shows the same errors", async () => {
		await store.createConversation({ conversationId: "twice" });
		expect(await failure(store.createConversation({ conversationId: "twice" }))).toMatchObject({
			code: "Conflict",
			status: 409,
			error: { code: "23505" },
			requestId: expect.any(String),
		});
		const stranger = createStore({ url: "http://localhost:1/graphql", fetch: gateway.gateway.fetch });
		expect(await failure(stranger.getMessage({ messageId: "x" }))).toMatchObject({ code: "Unauthorized", status: 401 });
	});

	it("VAL-7: takes large bodies, and refuses too large ones", async () => {
		const payload = "x".repeat(5_000_000);
		expect(await store.appendMessage({ conversationId: "large", payload })).toMatchObject({ payload });
		const small = await startGateway({ databaseUrl: gateway.databaseUrl, limits: { requestBytes: 1_000 } });
		const narrow = createStore({ url: small.url, token: small.token, fetch: small.gateway.fetch });
		expect(await failure(narrow.appendMessage({ conversationId: "large", payload }))).toMatchObject({
			code: "PayloadTooLarge",
			status: 413,
		});
		await small.close();
	});

	it("ERR-3: opens no socket", async () => {
		const spy = vi.spyOn(globalThis, "fetch");
		await store.getMessage({ messageId: "x" });
		expect(spy).not.toHaveBeenCalled();
		spy.mockRestore();
	});

	it("MSG-1: takes a Request as well as an address", async () => {
		const init = {
			method: "POST",
			headers: { "content-type": "application/json", authorization: `Bearer ${gateway.token}` },
			body: JSON.stringify({ query: "{ viewer { role } }" }),
		};
		const url = "http://localhost:1/graphql";
		for (const response of await Promise.all([
			gateway.gateway.fetch(new Request(url, init)),
			gateway.gateway.fetch(url, init),
			gateway.gateway.fetch(new URL(url), init),
		])) {
			expect(await response.json()).toEqual({ data: { viewer: { role: "WRITE" } } });
		}
	});
});
