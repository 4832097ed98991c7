import type { Store } from "@iga-pages/agent/store";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { failure } from "../support/errors.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { seqs } from "../support/pages.ts";

let gateway: TestGateway;

async function fill(store: Store, conversationId: string): Promise<void> {
	const messages = [1, 2, 3, 4, 5].map((payload) => ({ payload }));
	await store.appendMessages({ conversationId, messages });
}

/** A cursor after the first two messages of a conversation with five. */
async function cursorIn(conversationId: string, order: "asc" | "desc" = "asc"): Promise<string> {
	await fill(gateway.store, conversationId);
	const { nextCursor } = await gateway.store.listMessages({ conversationId, order, limit: 2 });
	return nextCursor!;
}

beforeAll(async () => {
	gateway = await startGateway();
});

afterAll(() => gateway.close());

describe("the cursors of listMessages", () => {
	it("MSG-8: bound the walk at its first page: messages appended later do not appear", async () => {
		const { store } = gateway;
		const conversationId = "bounded";
		const cursor = await cursorIn(conversationId);
		await fill(store, conversationId);
		const second = await store.listMessages({ conversationId, limit: 2, cursor });
		const third = await store.listMessages({ conversationId, limit: 2, cursor: second.nextCursor });
		expect(seqs([...second.items, ...third.items])).toEqual([3, 4, 5]);
		expect(third.nextCursor).toBeNull();
		expect(seqs((await store.listMessages({ conversationId })).items)).toHaveLength(10);
	});

	it("MSG-8: show the updates and deletes that happen during the walk", async () => {
		const { store } = gateway;
		const conversationId = "changing";
		const cursor = await cursorIn(conversationId);
		const { items } = await store.listMessages({ conversationId });
		await store.updateMessage({ messageId: items[2]!.messageId, payload: "changed" });
		await store.deleteMessage({ messageId: items[3]!.messageId });
		// The message on which the cursor stands may go, too.
		await store.deleteMessage({ messageId: items[1]!.messageId });
		const page = await store.listMessages({ conversationId, cursor });
		expect(page.items.map(({ payload }) => payload)).toEqual(["changed", 5]);
		expect(page.nextCursor).toBeNull();
	});

	it("MSG-8: can be used again and with another limit", async () => {
		const { store } = gateway;
		const cursor = await cursorIn("reused", "desc");
		const page = { conversationId: "reused", order: "desc", cursor } as const;
		expect(seqs((await store.listMessages({ ...page, limit: 1 })).items)).toEqual([3]);
		expect(seqs((await store.listMessages({ ...page, limit: 200 })).items)).toEqual([3, 2, 1]);
		expect(seqs((await store.listMessages({ ...page, limit: 1 })).items)).toEqual([3]);
	});

	it("MSG-8: work at every gateway on the database", async () => {
		const second = await startGateway({ databaseUrl: gateway.databaseUrl });
		try {
			const cursor = await cursorIn("shared");
			const response = await fetch(second.url, {
				method: "POST",
				headers: { "content-type": "application/json", authorization: `Bearer ${gateway.token}` },
				body: JSON.stringify({
					query: 'query ($after: String) { messages(conversationId: "shared", after: $after) { nodes { seq } } }',
					variables: { after: cursor },
				}),
			});
			expect(await response.json()).toEqual({
				data: { messages: { nodes: [{ seq: "3" }, { seq: "4" }, { seq: "5" }] } },
			});
		} finally {
			await second.close();
		}
	});

	const refused = { code: "BadRequest", status: 400, message: expect.stringContaining("(MSG-8)") };

	it("MSG-8: are refused in another conversation and in the other order", async () => {
		const { store } = gateway;
		const cursor = await cursorIn("home");
		await fill(store, "abroad");
		for (const input of [
			{ conversationId: "abroad", cursor },
			{ conversationId: "unknown", cursor },
			{ conversationId: "home", order: "desc", cursor } as const,
		]) {
			expect(await failure(store.listMessages(input))).toMatchObject(refused);
		}
	});

	it("MSG-8: are refused in another project, and in the other list", async () => {
		const { store } = gateway;
		const cursor = await cursorIn("neighbour");
		const other = await gateway.createProject();
		await fill(other.store, "neighbour");
		expect(await failure(other.store.listMessages({ conversationId: "neighbour", cursor }))).toMatchObject(refused);
		expect(await failure(store.listConversations({ cursor }))).toMatchObject(refused);
		await fill(store, "neighbour-2");
		const { nextCursor } = await store.listConversations({ limit: 1 });
		expect(await failure(store.listMessages({ conversationId: "neighbour", cursor: nextCursor }))).toMatchObject(
			refused,
		);
	});

	it("MSG-8: are refused with any one character changed, cut or added", async () => {
		const { store } = gateway;
		const cursor = await cursorIn("edited");
		const edited = new Set<string>();
		for (let index = 0; index < cursor.length; index++) {
			edited.add(cursor.slice(0, index) + (cursor[index] === "A" ? "B" : "A") + cursor.slice(index + 1));
		}
		for (const length of [1, 21, 22, 23, cursor.length - 1]) edited.add(cursor.slice(0, length));
		for (const extra of [" ", "=", "A", "\n", "%00", "é"]) edited.add(cursor + extra);
		edited.add(` ${cursor}`);
		edited.add(
			Buffer.from(cursor, "base64url")
				.toString("base64")
				.padEnd(cursor.length + 1, "="),
		);
		for (const text of edited) {
			const error = await failure(store.listMessages({ conversationId: "edited", cursor: text }));
			expect(error, text).toMatchObject(refused);
		}
	});

	it.each(["null", "0", "MTA", "../..", "x".repeat(100_000), "💥"])(
		"MSG-8: of one's own making are refused: %.20s",
		async (cursor) => {
			const error = await failure(gateway.store.listMessages({ conversationId: "edited", cursor }));
			expect(error).toMatchObject(refused);
			expect(error.message.length).toBeLessThan(200);
		},
	);

	it("MSG-8: refuses the empty cursor, in the SDK and in the gateway", async () => {
		await fill(gateway.store, "blank");
		const error = await failure(gateway.store.listMessages({ conversationId: "blank", cursor: "" }));
		expect(error.toJSON()).toEqual({ code: "BadRequest", message: "cursor: must be a non-empty string (MSG-8)" });
		const response = await gateway.post({
			query: '{ messages(conversationId: "blank", after: "") { nodes { seq } } }',
		});
		expect(response.status).toBe(400);
		expect(await response.json()).toMatchObject({ errors: [{ message: expect.stringContaining("after") }] });
	});

	it("MSG-8 MSG-11: give an empty page after clearMessages, new messages included", async () => {
		const { store } = gateway;
		const cursor = await cursorIn("cleared");
		await store.clearMessages({ conversationId: "cleared" });
		const empty = { items: [], nextCursor: null };
		expect(await store.listMessages({ conversationId: "cleared", cursor })).toEqual(empty);
		await fill(store, "cleared");
		expect(await store.listMessages({ conversationId: "cleared", cursor })).toEqual(empty);
	});

	it("MSG-8 CONV-5: are refused after deleteConversation, and in the conversation created anew", async () => {
		const { store } = gateway;
		for (const order of ["asc", "desc"] as const) {
			const conversationId = `reborn-${order}`;
			const cursor = await cursorIn(conversationId, order);
			await store.deleteConversation({ conversationId });
			expect(await failure(store.listMessages({ conversationId, order, cursor }))).toMatchObject(refused);
			await fill(store, conversationId);
			expect(await failure(store.listMessages({ conversationId, order, cursor }))).toMatchObject(refused);
		}
	});
});
