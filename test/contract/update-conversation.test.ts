import { createStore, type JsonObject, type JsonValue } from "@iga-pages/agent/store";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { failure } from "../support/errors.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { jsonObject, reveal } from "../support/hostile-json.ts";
import { ageRows, lockConversation, query, rowVersions, waitForLockWaiters } from "../support/sql.ts";

let gateway: TestGateway;
/** A second gateway on the same database. */
let other: TestGateway;

beforeAll(async () => {
	gateway = await startGateway();
	other = await startGateway({ databaseUrl: gateway.databaseUrl });
});

afterAll(async () => {
	await other.close();
	await gateway.close();
});

/** The merge of the contract, by lists of entries instead of objects. */
function merged(metadata: JsonObject, patch: JsonObject): JsonObject {
	const entries = Object.entries(metadata)
		.map(([key, value]): [string, JsonValue] => [key, Object.hasOwn(patch, key) ? own(patch, key) : value])
		.concat(Object.entries(patch).filter(([key]) => !Object.hasOwn(metadata, key)));
	return Object.fromEntries(entries.filter(([key, value]) => !Object.hasOwn(patch, key) || value !== null));
}

function own(object: JsonObject, key: string): JsonValue {
	return Object.getOwnPropertyDescriptor(object, key)?.value as JsonValue;
}

describe("updateConversation", () => {
	it("CONV-4: keeps absent keys, removes by null, replaces nested values whole", async () => {
		const { store } = gateway;
		const metadata = { kept: { a: 1 }, nested: { a: 1, b: 2 }, list: [1, 2, 3], gone: "x", inner: { n: 1 } };
		const created = await store.createConversation({ conversationId: "merge", metadata });
		const patch = { nested: { c: null }, list: [], gone: null, inner: { n: null }, never: null, added: 0 };
		const updated = await store.updateConversation({ conversationId: "merge", metadata: patch });
		const expected = { kept: { a: 1 }, nested: { c: null }, list: [], inner: { n: null }, added: 0 };
		expect(reveal(updated.metadata)).toBe(reveal(expected));
		expect(updated).toMatchObject({ conversationId: "merge", createdAt: created.createdAt });
		expect(await store.getConversation({ conversationId: "merge" })).toEqual(updated);
	});

	it("CONV-4: keeps a key's place when its value changes, and adds new keys behind", async () => {
		const { store } = gateway;
		await store.createConversation({ conversationId: "places", metadata: { c: 1, a: 2, b: 3 } });
		const { metadata } = await store.updateConversation({
			conversationId: "places",
			metadata: { z: 0, a: 20, c: null, y: 0 },
		});
		expect(JSON.stringify(metadata)).toBe('{"a":20,"b":3,"z":0,"y":0}');
	});

	it("CONV-4: merges any metadata with any patches as its definition says", async () => {
		const { store } = gateway;
		let run = 0;
		await fc.assert(
			fc.asyncProperty(jsonObject, fc.array(jsonObject, { minLength: 1, maxLength: 3 }), async (start, patches) => {
				const conversationId = `any ${run++}`;
				await store.createConversation({ conversationId, metadata: start });
				let expected = start;
				for (const metadata of patches) {
					expected = merged(expected, metadata);
					const updated = await store.updateConversation({ conversationId, metadata });
					expect(reveal(updated.metadata)).toBe(reveal(expected));
				}
				expect(reveal((await store.getConversation({ conversationId }))?.metadata)).toBe(reveal(expected));
			}),
			{ numRuns: 60 },
		);
	});

	it("CONV-4: {} changes nothing, not even updatedAt, and gives the conversation", async () => {
		const { store } = gateway;
		await store.createConversation({ conversationId: "empty patch", metadata: { a: 1 } });
		await ageRows(gateway);
		const before = await rowVersions(gateway);
		const stored = await store.getConversation({ conversationId: "empty patch" });
		for (const metadata of [{}, { dropped: undefined as never }]) {
			expect(await store.updateConversation({ conversationId: "empty patch", metadata })).toEqual(stored);
		}
		expect(await rowVersions(gateway)).toEqual(before);
	});

	it("CONV-4: is NotFound for an unknown conversation, with {} too, and creates nothing", async () => {
		const { store } = gateway;
		const before = await rowVersions(gateway);
		for (const metadata of [{ a: 1 }, {}, { a: null }]) {
			const error = await failure(store.updateConversation({ conversationId: "unknown", metadata }));
			expect(error).toMatchObject({ code: "NotFound", status: 404, message: expect.stringContaining('"unknown"') });
			expect(error.error).toBeUndefined();
		}
		expect(await rowVersions(gateway)).toEqual(before);
	});

	it("CONV-4: needs metadata", async () => {
		const error = await failure(gateway.store.updateConversation({ conversationId: "merge" } as never));
		expect(error).toMatchObject({ code: "BadRequest", message: expect.stringMatching(/^metadata: .*VAL-4/) });
	});

	it("CONV-4: 300 updates of different keys at once all survive, over two gateways", async () => {
		// Patient, since the gateways let only so many calls wait.
		const stores = [gateway.url, other.url].map((url) =>
			createStore({ url, token: gateway.token, retries: 20, timeoutMs: 50_000 }),
		);
		const conversationId = "parallel";
		await gateway.store.createConversation({ conversationId, metadata: { kept: true } });
		const keys = Array.from({ length: 300 }, (_, index) => `k${index}`);
		await Promise.all(
			keys.map((key, index) => stores[index % 2]!.updateConversation({ conversationId, metadata: { [key]: index } })),
		);
		const { metadata } = (await gateway.store.getConversation({ conversationId }))!;
		expect(metadata).toEqual({ kept: true, ...Object.fromEntries(keys.map((key, index) => [key, index])) });
	});

	it("CONV-4: sets and removals of one key at once leave what one of them wrote, and no other key is lost", async () => {
		const { store } = gateway;
		const conversationId = "contended";
		await store.createConversation({ conversationId, metadata: { x: 0 } });
		for (let round = 0; round < 20; round++) {
			const patches = [{ a: round }, { b: round }, { a: null }, { x: round, c: { round } }];
			await Promise.all(patches.map((metadata) => store.updateConversation({ conversationId, metadata })));
			const { metadata } = (await store.getConversation({ conversationId }))!;
			expect(metadata).toMatchObject({ b: round, x: round, c: { round } });
			expect([undefined, round]).toContain(metadata["a"]);
		}
	});

	it("CONV-4: merges with what was written while it waited for the lock", async () => {
		const { store } = gateway;
		const conversationId = "waiting";
		await store.createConversation({ conversationId, metadata: { first: 1 } });
		const lock = await lockConversation(gateway, conversationId);
		const updates = ["a", "b", "c"].map((key) => store.updateConversation({ conversationId, metadata: { [key]: 1 } }));
		await waitForLockWaiters(gateway, 3);
		await lock.release();
		await Promise.all(updates);
		expect((await store.getConversation({ conversationId }))?.metadata).toEqual({ first: 1, a: 1, b: 1, c: 1 });
	});

	it("CONV-4: an update that fails leaves everything as it was", async () => {
		const { store } = gateway;
		const conversationId = "failing";
		await store.createConversation({ conversationId, metadata: { a: 1, big: "x".repeat(1024 * 1024 - 100) } });
		const before = await rowVersions(gateway);
		const calls: JsonObject[] = [{ a: null, more: "x".repeat(200) }, { a: 2, bad: Number.NaN }, [] as never];
		for (const metadata of calls) await failure(store.updateConversation({ conversationId, metadata }));
		expect(await rowVersions(gateway)).toEqual(before);
		const [row] = await query<{ a: string }>(
			gateway,
			"SELECT metadata->>'a' AS a FROM conversations WHERE conversation_id = $1",
			[conversationId],
		);
		expect(row).toEqual({ a: "1" });
	});
});
