import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { failure } from "../support/errors.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { drainMessages, seqs } from "../support/pages.ts";
import { query } from "../support/sql.ts";

let gateway: TestGateway;

/** Starts a conversation with as many messages. */
async function fill(conversationId: string, count: number): Promise<void> {
	for (let done = 0; done < count; done += 100) {
		const messages = Array.from({ length: Math.min(100, count - done) }, (_, index) => ({ payload: done + index + 1 }));
		await gateway.store.appendMessages({ conversationId, messages });
	}
}

const range = (from: number, to: number) =>
	Array.from({ length: Math.abs(to - from) + 1 }, (_, index) => (from <= to ? from + index : from - index));

beforeAll(async () => {
	gateway = await startGateway();
	await fill("many", 201);
});

afterAll(() => gateway.close());

describe("listMessages", () => {
	it("MSG-7: returns the 50 oldest by default, by seq and not by text", async () => {
		const page = await gateway.store.listMessages({ conversationId: "many" });
		expect(seqs(page.items)).toEqual(range(1, 50));
		expect(page.nextCursor).not.toBeNull();
	});

	it("MSG-7: reads the newest first with order desc", async () => {
		const page = await gateway.store.listMessages({ conversationId: "many", order: "desc", limit: 3 });
		expect(seqs(page.items)).toEqual([201, 200, 199]);
	});

	it("MSG-7: takes the limits 1 and 200", async () => {
		const { store } = gateway;
		expect(seqs((await store.listMessages({ conversationId: "many", limit: 1 })).items)).toEqual([1]);
		expect(seqs((await store.listMessages({ conversationId: "many", limit: 200 })).items)).toEqual(range(1, 200));
	});

	it.each([0, -1, 201, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 31, "10", true])(
		"MSG-7: refuses the limit %s, in the SDK and in the gateway",
		async (limit) => {
			const error = await failure(gateway.store.listMessages({ conversationId: "many", limit: limit as number }));
			expect(error.toJSON()).toEqual({ code: "BadRequest", message: expect.stringMatching(/^limit: .*\(MSG-7\)/) });
			const response = await gateway.post({
				query: 'query ($first: Int) { messages(conversationId: "many", first: $first) { nodes { seq } } }',
				// NaN and Infinity become null in JSON, which means omitted: they are sent as text.
				variables: { first: Number.isFinite(limit) ? limit : String(limit) },
			});
			expect(response.status).toBe(400);
			expect(await response.json()).toMatchObject({
				errors: [{ message: expect.stringContaining("first"), extensions: { code: "BadRequest", status: 400 } }],
			});
		},
	);

	it.each(["ASC", "newest", "", 1])("MSG-7: refuses the order %j", async (order) => {
		const error = await failure(gateway.store.listMessages({ conversationId: "many", order: order as "asc" }));
		expect(error.toJSON()).toEqual({ code: "BadRequest", message: 'order: must be "asc" or "desc" (MSG-7)' });
	});

	it("MSG-7: returns an empty page for an unknown and for an empty conversation", async () => {
		const { store } = gateway;
		await store.createConversation({ conversationId: "empty" });
		for (const conversationId of ["unknown", "empty"]) {
			for (const order of ["asc", "desc"] as const) {
				expect(await store.listMessages({ conversationId, order })).toEqual({ items: [], nextCursor: null });
			}
		}
		expect(await store.getConversation({ conversationId: "unknown" })).toBeNull();
	});

	it("MSG-7: takes null for an omitted limit, cursor and order", async () => {
		const { store } = gateway;
		expect(await store.listMessages({ conversationId: "many", limit: null, cursor: null, order: null })).toEqual(
			await store.listMessages({ conversationId: "many" }),
		);
	});

	it("MSG-9: ends with null on the last page, without an extra empty one, also where the limit divides the count", async () => {
		const { store } = gateway;
		await fill("six", 6);
		for (const order of ["asc", "desc"] as const) {
			for (const [limit, pages] of [
				[1, 6],
				[2, 3],
				[3, 2],
				[4, 2],
				[5, 2],
				[6, 1],
				[7, 1],
			] as const) {
				let cursor: string | null = null;
				const lengths: number[] = [];
				do {
					const page = await store.listMessages({ conversationId: "six", order, limit, cursor });
					lengths.push(page.items.length);
					cursor = page.nextCursor;
				} while (cursor !== null);
				expect(lengths).toHaveLength(pages);
				expect(lengths.every((length) => length > 0)).toBe(true);
			}
		}
	});

	it("MSG-9: sees that the rows behind a page are gone", async () => {
		const { store } = gateway;
		await fill("cut", 3);
		const all = await drainMessages(store, { conversationId: "cut" });
		await store.deleteMessage({ messageId: all[2]!.messageId });
		expect((await store.listMessages({ conversationId: "cut", limit: 2 })).nextCursor).toBeNull();
	});

	it("MSG-7: walks a conversation whole, in both orders", async () => {
		const { store } = gateway;
		expect(seqs(await drainMessages(store, { conversationId: "many", limit: 70 }))).toEqual(range(1, 201));
		expect(seqs(await drainMessages(store, { conversationId: "many", limit: 200, order: "desc" }))).toEqual(
			range(201, 1),
		);
	});

	it("MSG-7: orders seqs of different lengths as numbers", async () => {
		const { store } = gateway;
		await store.createConversation({ conversationId: "digits" });
		await query(gateway, "UPDATE conversations SET last_seq = 98 WHERE conversation_id = 'digits'");
		await fill("digits", 3);
		expect(seqs(await drainMessages(store, { conversationId: "digits", limit: 1 }))).toEqual([99, 100, 101]);
	});

	it("VAL-7: ends a page early at its byte limit, never below one row, and goes on by the cursor", async () => {
		const small = await startGateway({ databaseUrl: gateway.databaseUrl, limits: { pageBytes: 1_000 } });
		try {
			const messages = [400, 400, 400, 3_000, 10, 10].map((size) => ({ payload: "x".repeat(size) }));
			await small.store.appendMessages({ conversationId: "heavy", messages });
			const lengths: number[] = [];
			const walked: number[] = [];
			let cursor: string | null = null;
			do {
				const page = await small.store.listMessages({ conversationId: "heavy", cursor });
				lengths.push(page.items.length);
				walked.push(...seqs(page.items));
				cursor = page.nextCursor;
			} while (cursor !== null);
			expect(walked).toEqual([1, 2, 3, 4, 5, 6]);
			expect(lengths.length).toBeGreaterThan(1);
			expect(Math.min(...lengths)).toBeGreaterThan(0);
		} finally {
			await small.close();
		}
	});
});
