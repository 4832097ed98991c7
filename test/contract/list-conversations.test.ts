import type { Conversation, Page, Store } from "@iga-pages/agent/store";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { failure } from "../support/errors.ts";
import { startGateway, type TestGateway, type TestProject } from "../support/gateway.ts";
import { sendRaw } from "../support/raw.ts";
import { query } from "../support/sql.ts";

let gateway: TestGateway;

beforeAll(async () => {
	gateway = await startGateway();
});

afterAll(() => gateway.close());

/** A project with these conversations, `minute` being when each was updated. */
async function projectWith(rows: readonly { id: string; minute: number }[]): Promise<TestProject> {
	const project = await gateway.createProject();
	await query(
		gateway,
		`INSERT INTO conversations (project_id, conversation_id, metadata, created_at, updated_at)
		SELECT $1, id, '{}', '2026-01-01', timestamptz '2026-01-01T00:00:00Z' + minute * interval '1 minute'
		FROM unnest($2::text[], $3::int[]) AS given (id, minute)`,
		[project.projectId, rows.map(({ id }) => id), rows.map(({ minute }) => minute)],
	);
	return project;
}

/** What the contract says about the order, computed apart. */
function inOrder(rows: readonly { id: string; minute: number }[]): string[] {
	return [...rows]
		.sort((a, b) => b.minute - a.minute || Buffer.compare(Buffer.from(b.id), Buffer.from(a.id)))
		.map(({ id }) => id);
}

async function walk(
	store: Store,
	limit: number,
	between?: (page: Page<Conversation>, pages: number) => Promise<unknown>,
): Promise<string[][]> {
	const pages: string[][] = [];
	for (let cursor: string | null = null; pages.length === 0 || cursor !== null; ) {
		const page: Page<Conversation> = await store.listConversations({ limit, cursor });
		pages.push(page.items.map(({ conversationId }) => conversationId));
		cursor = page.nextCursor;
		if (cursor !== null) await between?.(page, pages.length);
	}
	return pages;
}

const ties = (count: number) =>
	Array.from({ length: count }, (_, index) => ({ id: `c${String(index).padStart(4, "0")}`, minute: 0 }));

describe("listConversations", () => {
	it("CONV-3: lists the latest updated first, with everything that a conversation has", async () => {
		const { store } = await gateway.createProject();
		const created: Conversation[] = [];
		for (const conversationId of ["z", "m", "a"]) created.push(await store.createConversation({ conversationId }));
		await query(gateway, "UPDATE conversations SET updated_at = updated_at - interval '1 hour'");
		const updated = await store.updateConversation({ conversationId: "m", metadata: { title: "latest" } });
		const page = await store.listConversations();
		expect(page.items.map(({ conversationId }) => conversationId)[0]).toBe("m");
		expect(page.items[0]).toEqual(updated);
		expect(page).toMatchObject({ items: { length: 3 }, nextCursor: null });
		await store.appendMessage({ conversationId: "z", payload: 1 });
		expect((await store.listConversations({ limit: 1 })).items[0]?.conversationId).toBe("z");
	});

	it("CONV-3: orders equal times by the bytes of the ids, descending", async () => {
		const ids = ["B", "a", "Z", "é", "e\u0301", "ß", "ss", "z", "_", "~", "\uffee", "😀", "10", "9", " ", "a\n"];
		const rows = ids.map((id) => ({ id, minute: 0 }));
		const { store } = await projectWith(rows);
		expect((await walk(store, 3)).flat()).toEqual(inOrder(rows));
	});

	it("CONV-3: a walk over 205 equal times shows each once, in pages of any size", async () => {
		const rows = ties(205);
		const { store } = await projectWith(rows);
		for (const limit of [7, 100, 200]) {
			const pages = await walk(store, limit);
			expect(pages.flat()).toEqual(inOrder(rows));
			expect(pages.map((page) => page.length).slice(0, -1)).toEqual(Array(pages.length - 1).fill(limit));
		}
	});

	it("CONV-3: any times, ids and page size give the order of the contract, each row once", async () => {
		const rowsOf = fc.uniqueArray(
			fc.record({
				id: fc.string({ unit: "binary", minLength: 1, maxLength: 3 }),
				minute: fc.integer({ min: 0, max: 3 }),
			}),
			{ selector: ({ id }) => id, maxLength: 25 },
		);
		const valid = rowsOf.map((rows) => rows.filter(({ id }) => !/\0|\p{Surrogate}/u.test(id)));
		await fc.assert(
			fc.asyncProperty(valid, fc.integer({ min: 1, max: 6 }), async (rows, limit) => {
				const { store } = await projectWith(rows);
				const pages = await walk(store, limit);
				expect(pages.flat()).toEqual(inOrder(rows));
				expect(pages).toHaveLength(Math.max(1, Math.ceil(rows.length / limit)));
			}),
			{ numRuns: 25 },
		);
	});

	it("CONV-3: rows that move during a walk displace no other", async () => {
		const rows = ties(60);
		const { store } = await projectWith(rows);
		const moved = new Set<string>();
		const order = inOrder(rows);
		const pages = await walk(store, 10, async ({ items }, page) => {
			// One that was seen, one that is next, and one far ahead.
			for (const id of [items[3]!.conversationId, order[page * 10]!, order[Math.min(59, page * 10 + 15)]!]) {
				moved.add(id);
				await store.updateConversation({ conversationId: id, metadata: { page } });
			}
		});
		const seen = pages.flat();
		const still = order.filter((id) => !moved.has(id));
		expect(seen.filter((id) => !moved.has(id))).toEqual(still);
		expect(moved.size).toBeGreaterThan(10);
	});

	it("CONV-3: rows deleted and created during a walk displace no other", async () => {
		const rows = ties(30);
		const { store } = await projectWith(rows);
		const order = inOrder(rows);
		const deleted = [order[9]!, order[10]!, order[25]!];
		const pages = await walk(store, 10, async (_, page) => {
			if (page > 1) return;
			for (const conversationId of deleted) await store.deleteConversation({ conversationId });
			await store.createConversation({ conversationId: "new" });
		});
		expect(pages.flat()).toEqual(order.filter((id) => !deleted.slice(1).includes(id)));
	});

	it("CONV-3: nextCursor is null exactly when no further conversation existed", async () => {
		const { store } = await projectWith(ties(20));
		expect((await walk(store, 10)).map((page) => page.length)).toEqual([10, 10]);
		expect((await walk(store, 20)).map((page) => page.length)).toEqual([20]);
		expect((await walk(store, 19)).map((page) => page.length)).toEqual([19, 1]);
		const { store: empty } = await gateway.createProject();
		expect(await empty.listConversations()).toEqual({ items: [], nextCursor: null });
	});

	it("CONV-3: shows 50 by default and takes limits from 1 to 200", async () => {
		const { store } = await projectWith(ties(205));
		expect((await store.listConversations()).items).toHaveLength(50);
		expect((await store.listConversations({ limit: 200 })).items).toHaveLength(200);
		for (const limit of [0, -1, 201, 1e9, 1.5, Number.NaN, "5", true, [1]]) {
			const error = await failure(store.listConversations({ limit: limit as number }));
			expect(error).toMatchObject({ code: "BadRequest", message: expect.stringMatching(/^limit: .*1 to 200/) });
		}
		for (const first of [0, -1, 201]) {
			const document = "query ($first: Int) { conversations(first: $first) { nodes { conversationId } } }";
			expect(await sendRaw(gateway, { query: document, variables: { first } })).toMatchObject({
				status: 400,
				errors: [{ message: expect.stringMatching(/^first: .*1 to 200/), extensions: { code: "BadRequest" } }],
			});
		}
	});

	it("CONV-3: refuses cursors that are empty, edited, cut, or of another list", async () => {
		const { store } = await projectWith(ties(5));
		const { nextCursor } = await store.listConversations({ limit: 2 });
		const cursor = nextCursor!;
		await store.appendMessages({ conversationId: "c0004", messages: [{ payload: 1 }, { payload: 2 }] });
		const ofMessages = (await store.listMessages({ conversationId: "c0004", limit: 1 })).nextCursor!;
		const flipped = [...cursor].map(
			(char, at) => cursor.slice(0, at) + (char === "A" ? "B" : "A") + cursor.slice(at + 1),
		);
		const bad = [
			"",
			" ",
			"x",
			cursor.slice(0, -1),
			cursor.slice(1),
			`${cursor}A`,
			`${cursor}=`,
			` ${cursor}`,
			ofMessages,
		];
		for (const wrong of [...bad, ...flipped]) {
			const error = await failure(store.listConversations({ cursor: wrong }));
			expect([wrong, error.code]).toEqual([wrong, "BadRequest"]);
			expect(error.message).toMatch(/MSG-8/);
		}
		expect((await failure(store.listMessages({ conversationId: "c0000", cursor }))).code).toBe("BadRequest");
		expect((await store.listConversations({ cursor, limit: 200 })).items).toHaveLength(3);
	});

	it("CONV-3: refuses to page backwards", async () => {
		for (const args of ["last: 5", 'before: "x"']) {
			expect(
				await sendRaw(gateway, { query: `{ conversations(${args}) { nodes { conversationId } } }` }),
			).toMatchObject({
				status: 400,
				errors: [{ message: expect.stringMatching(/^(last|before): is not supported/) }],
			});
		}
	});
});
