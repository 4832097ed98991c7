import { createStore } from "@iga-pages/agent/store";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { failure } from "../support/errors.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { query, rowVersions, waitForLockWaiters } from "../support/sql.ts";
import { openTransaction } from "../support/transaction.ts";

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

describe("createConversation", () => {
	it("CONV-1: creates an empty conversation when nothing is given", async () => {
		const { store } = gateway;
		const first = await store.createConversation();
		const second = await store.createConversation({});
		expect(first).toEqual({
			conversationId: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/) as string,
			metadata: {},
			createdAt: first.updatedAt,
			updatedAt: first.updatedAt,
		});
		expect(second.conversationId).not.toBe(first.conversationId);
		expect(await store.getConversation({ conversationId: first.conversationId })).toEqual(first);
		expect(await store.listMessages({ conversationId: first.conversationId })).toEqual({ items: [], nextCursor: null });
	});

	it("CONV-1: keeps the id and the metadata that are given", async () => {
		const { store } = gateway;
		const metadata = { title: "新对话", tags: ["a", { b: null }] };
		const created = await store.createConversation({ conversationId: "given", metadata });
		expect(created).toMatchObject({ conversationId: "given", metadata });
		expect(await store.getConversation({ conversationId: "given" })).toEqual(created);
	});

	it("CONV-1: refuses an id in use with Postgres's own error, and leaves the conversation alone", async () => {
		const { store } = gateway;
		await store.createConversation({ conversationId: "taken", metadata: { title: "first" } });
		const before = await rowVersions(gateway);
		for (const metadata of [{ title: "second" }, { title: "first" }, undefined]) {
			const call = store.createConversation({ conversationId: "taken", ...(metadata && { metadata }) });
			const error = await failure(call);
			expect(error.toJSON()).toEqual({
				code: "Conflict",
				status: 409,
				message: 'duplicate key value violates unique constraint "conversations_pkey"',
				error: {
					code: "23505",
					message: 'duplicate key value violates unique constraint "conversations_pkey"',
					details: `Key (project_id, conversation_id)=(${gateway.projectId}, taken) already exists.`,
					hint: null,
				},
				requestId: expect.any(String) as string,
			});
		}
		expect(await rowVersions(gateway)).toEqual(before);
		expect(await store.getConversation({ conversationId: "taken" })).toMatchObject({ metadata: { title: "first" } });
	});

	it("CONV-1: refuses the id of a conversation that an append created", async () => {
		const { store } = gateway;
		await store.appendMessage({ conversationId: "appended", payload: 1 });
		expect((await failure(store.createConversation({ conversationId: "appended" }))).code).toBe("Conflict");
	});

	it("CONV-1: lets exactly one of many racing creations win, over two gateways", async () => {
		const stores = [gateway.url, other.url].map((url) => createStore({ url, token: gateway.token }));
		for (let round = 0; round < 10; round++) {
			const conversationId = `race ${round}`;
			const outcomes = await Promise.allSettled(
				Array.from({ length: 20 }, (_, index) =>
					stores[index % 2]!.createConversation({ conversationId, metadata: { winner: index } }),
				),
			);
			const winners = outcomes.flatMap((outcome) => (outcome.status === "fulfilled" ? [outcome.value] : []));
			const losers = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason as unknown] : []));
			expect(winners).toHaveLength(1);
			for (const loser of losers) {
				expect(loser).toMatchObject({ code: "Conflict", status: 409, error: { code: "23505" } });
			}
			expect(await gateway.store.getConversation({ conversationId })).toEqual(winners[0]);
		}
	});

	it("CONV-1: races with first appends leave one conversation that holds every message", async () => {
		const { store } = gateway;
		for (let round = 0; round < 10; round++) {
			const conversationId = `mixed ${round}`;
			const append = () => store.appendMessage({ conversationId, payload: round });
			const create = store.createConversation({ conversationId, metadata: { round } });
			const [created] = await Promise.allSettled([create, append(), append(), append()]);
			const conversation = await store.getConversation({ conversationId });
			expect(conversation?.metadata).toEqual(created?.status === "fulfilled" ? { round } : {});
			const { items } = await store.listMessages({ conversationId });
			expect(items.map(({ seq }) => seq)).toEqual(["1", "2", "3"]);
		}
	});

	it.each(["COMMIT", "ROLLBACK"] as const)(
		"CONV-1: waits for a deletion that ends in %s, and then decides",
		async (how) => {
			const { store } = gateway;
			const conversationId = `deleted ${how}`;
			await store.appendMessage({ conversationId, payload: 1 });
			const deletion = await openTransaction(gateway, "DELETE FROM conversations WHERE conversation_id = $1", [
				conversationId,
			]);
			const creation = Promise.allSettled([store.createConversation({ conversationId, metadata: { life: 2 } })]);
			await waitForLockWaiters(gateway, 1);
			await deletion.end(how);
			expect(await creation).toMatchObject([
				how === "COMMIT"
					? { status: "fulfilled", value: { metadata: { life: 2 } } }
					: { status: "rejected", reason: { code: "Conflict", error: { code: "23505" } } },
			]);
			expect((await store.listMessages({ conversationId })).items).toHaveLength(how === "COMMIT" ? 0 : 1);
		},
	);

	it("CONV-1: writes nothing when the input is refused", async () => {
		const before = await rowVersions(gateway);
		const { store } = gateway;
		expect((await failure(store.createConversation({ conversationId: "bad", metadata: [] as never }))).code).toBe(
			"BadRequest",
		);
		expect(await rowVersions(gateway)).toEqual(before);
	});
});

describe("getConversation", () => {
	it("CONV-2: gives null for an unknown id, and creates nothing", async () => {
		const { store } = gateway;
		const before = await rowVersions(gateway);
		for (const conversationId of ["unknown", "Given", "given ", "%", "_", "汉"]) {
			expect(await store.getConversation({ conversationId })).toBeNull();
		}
		expect(await rowVersions(gateway)).toEqual(before);
	});

	it("CONV-2: gives the conversation without its messages", async () => {
		const { store } = gateway;
		await store.appendMessage({ conversationId: "with messages", payload: "secret" });
		const conversation = await store.getConversation({ conversationId: "with messages" });
		expect(Object.keys(conversation!)).toEqual(["conversationId", "metadata", "createdAt", "updatedAt"]);
	});

	it("CONV-2: gives null after a deletion", async () => {
		const { store } = gateway;
		const { conversationId } = await store.createConversation();
		await store.deleteConversation({ conversationId });
		expect(await store.getConversation({ conversationId })).toBeNull();
		const rows = await query(gateway, "SELECT FROM conversations WHERE conversation_id = $1", [conversationId]);
		expect(rows).toEqual([]);
	});
});
