import { createStore } from "@iga-pages/agent/store";
import { createSession } from "@iga-pages/agent/store/openai";
import type { AgentInputItem } from "@openai/agents";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { failure } from "../support/errors.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { type LossyFetch, lossyFetch } from "../support/lost-answers.ts";
import { drainMessages, seqs } from "../support/pages.ts";
import { query, rowVersions } from "../support/sql.ts";

let gateway: TestGateway;
let lossy: LossyFetch;
let conversations = 0;

beforeAll(async () => {
	lossy = lossyFetch();
	gateway = await startGateway({ store: { fetch: lossy.fetch } });
});
afterAll(() => gateway.close());

function newSession() {
	const conversationId = `session-${++conversations}`;
	return { conversationId, session: createSession(conversationId, { store: gateway.store }) };
}

function user(content: string): AgentInputItem {
	return { type: "message", role: "user", content };
}

function users(count: number, prefix = "item"): AgentInputItem[] {
	return Array.from({ length: count }, (_, index) => user(`${prefix} ${index + 1}`));
}

/** Items of every shape that the framework stores, some with what text columns and jsonb would not take. */
const ITEMS: AgentInputItem[] = [
	{ role: "user", content: "no type" } as AgentInputItem,
	{ type: "message", role: "user", content: [{ type: "input_text", text: "nul \u0000, lone \ud83c, 汉, \u2028" }] },
	{ type: "reasoning", id: "rs_1", content: [{ type: "input_text", text: "hm" }], providerData: { b: 1, a: 2 } },
	{ type: "function_call", callId: "c1", name: "f", status: "completed", arguments: '{"n":1e21}' },
	{ type: "function_call_result", callId: "c1", name: "f", status: "completed", output: { type: "text", text: "" } },
	{ type: "compaction", encrypted_content: "x" } as AgentInputItem,
	{
		type: "message",
		role: "assistant",
		status: "completed",
		content: [{ type: "output_text", text: "done" }],
		providerData: JSON.parse('{"__proto__":{"x":1},"10":1,"9":[null,1.7976931348623157e308,5e-324]}') as object,
	},
];

describe("createSession", () => {
	it("returns at once and asks nobody for its id", async () => {
		const { conversationId, session } = newSession();
		const before = lossy.sent;
		expect(session).not.toBeInstanceOf(Promise);
		expect(await session.getSessionId()).toBe(conversationId);
		expect(lossy.sent).toBe(before);
		expect(await gateway.store.getConversation({ conversationId })).toBeNull();
	});

	it.each([
		["", /non-empty/],
		["汉".repeat(86), /256 UTF-8 bytes/],
		["a\u0000", /U\+0000/],
	])("refuses the conversationId %j (VAL-1)", (conversationId, message) => {
		expect(() => createSession(conversationId)).toThrow(message);
	});

	it("refuses unknown options and foreign stores (VAL-8)", () => {
		expect(() => createSession("c", { shop: 1 } as never)).toThrow(/shop/);
		expect(() => createSession("c", { store: {} as never })).toThrow(/createStore/);
	});

	it("takes the identity of the application by default", async () => {
		vi.stubEnv("AGENT_STORE_URL", gateway.url);
		vi.stubEnv("AGENT_STORE_TOKEN", gateway.token);
		await createSession("default-identity").addItems([user("hello")]);
		vi.unstubAllEnvs();
		expect(await createSession("default-identity", { store: gateway.store }).getItems()).toEqual([user("hello")]);
	});
});

describe("getItems and addItems", () => {
	it("gives back every item exactly, in order (VAL-3)", async () => {
		const { session } = newSession();
		await session.addItems(ITEMS);
		const items = await session.getItems();
		expect(JSON.stringify(items)).toBe(JSON.stringify(ITEMS));
	});

	it("stores each item as a message of the conversation", async () => {
		const { conversationId, session } = newSession();
		await session.addItems(ITEMS);
		const messages = await drainMessages(gateway.store, { conversationId });
		expect(seqs(messages)).toEqual([1, 2, 3, 4, 5, 6, 7]);
		expect(messages.map(({ role }) => role)).toEqual(["user", "user", null, null, null, null, "assistant"]);
		expect(messages.map(({ type }) => type)).toEqual(ITEMS.map((item) => item.type ?? null));
		expect(messages.map(({ payload }) => JSON.stringify(payload))).toEqual(ITEMS.map((item) => JSON.stringify(item)));
	});

	it("returns the latest n in chronological order", async () => {
		const { session } = newSession();
		const items = users(130);
		await session.addItems(items);
		expect(await session.getItems(10)).toEqual(items.slice(-10));
		expect(await session.getItems(1)).toEqual(items.slice(-1));
		expect(await session.getItems(130)).toEqual(items);
		expect(await session.getItems(131)).toEqual(items);
		expect(await session.getItems(Number.POSITIVE_INFINITY)).toEqual(items);
		expect(await session.getItems()).toEqual(items);
	});

	it("returns nothing for a limit of 0 or less, and for an unknown conversation", async () => {
		const { session } = newSession();
		expect(await session.getItems()).toEqual([]);
		expect(await session.getItems(5)).toEqual([]);
		await session.addItems(users(3));
		for (const limit of [0, -1, -0.5, Number.NEGATIVE_INFINITY]) expect(await session.getItems(limit)).toEqual([]);
		expect((await failure(session.getItems(Number.NaN))).code).toBe("BadRequest");
		expect((await failure(session.getItems("5" as never))).code).toBe("BadRequest");
	});

	it("reads a history of several pages whole, and its latest part", async () => {
		const { session } = newSession();
		const items = users(4_500);
		await session.addItems(items);
		const before = lossy.sent;
		expect(await session.getItems()).toEqual(items);
		expect(lossy.sent - before).toBe(3);
		expect(await session.getItems(2_100)).toEqual(items.slice(-2_100));
		expect(await session.getItems(2_000)).toEqual(items.slice(-2_000));
	});

	it("stores any number of items by one request, all or none", async () => {
		const { conversationId, session } = newSession();
		const before = lossy.sent;
		await session.addItems(users(124));
		expect(lossy.sent - before).toBe(1);
		const [{ times } = { times: 0 }] = await query<{ times: number }>(
			gateway,
			"SELECT count(DISTINCT xmin::text)::int AS times FROM messages WHERE conversation_id = $1",
			[conversationId],
		);
		expect(times).toBe(1);
	});

	it("does nothing for no items", async () => {
		const { conversationId, session } = newSession();
		const before = lossy.sent;
		await session.addItems([]);
		expect(lossy.sent).toBe(before);
		expect(await gateway.store.getConversation({ conversationId })).toBeNull();
	});

	it("stores equal items twice when they are added twice", async () => {
		const { session } = newSession();
		await session.addItems([user("ok")]);
		await session.addItems([user("ok"), user("ok")]);
		expect(await session.getItems()).toEqual([user("ok"), user("ok"), user("ok")]);
	});

	it("stores nothing twice when an answer got lost (ERR-4)", async () => {
		const { session } = newSession();
		lossy.losing = 2;
		await session.addItems(users(124));
		expect(lossy.losing).toBe(0);
		expect(await session.getItems()).toEqual(users(124));
	});

	it.each([
		["not JSON", { type: "message", role: "user", content: 10n }, "BadRequest", /^items\[1\]\.content: .*bigint/],
		["binary", { type: "message", image: new Uint8Array(2) }, "BadRequest", /^items\[1\]\.image: .*Uint8Array/],
		[
			"too large",
			{ type: "message", content: "x".repeat(16 * 1024 * 1024) },
			"PayloadTooLarge",
			/^items\[1\]: .*16 MiB/,
		],
		["no object", "text", "BadRequest", /^items\[1\]: /],
		["nothing", undefined, "BadRequest", /^items\[1\]: /],
		["a long type", { type: "t".repeat(257) }, "BadRequest", /^items\[1\]\.type: .*256/],
	])("names an item that is %s, and stores nothing of its batch", async (_, item, code, message) => {
		const { conversationId, session } = newSession();
		const error = await failure(session.addItems([user("fine"), item as never, user("fine")]));
		expect(error.code).toBe(code);
		expect(error.message).toMatch(message);
		expect(await gateway.store.getConversation({ conversationId })).toBeNull();
	});

	it("keeps what it was given when the items change afterwards (VAL-9)", async () => {
		const { session } = newSession();
		const item = { type: "message", role: "user", content: "before" };
		const adding = session.addItems([item as AgentInputItem]);
		item.content = "after";
		await adding;
		expect(await session.getItems()).toEqual([user("before")]);
	});

	it("slices what exceeds a request, in order, without doubles after a lost answer", async () => {
		const { session } = newSession();
		const items = Array.from({ length: 5 }, (_, index) => user(String(index).repeat(14 * 1024 * 1024)));
		const before = lossy.sent;
		lossy.losing = 1;
		await session.addItems(items);
		expect(lossy.sent - before).toBe(3);
		const stored = await session.getItems();
		expect(stored.map((item) => (item as { content: string }).content.slice(0, 3))).toEqual(
			items.map((_, index) => String(index).repeat(3)),
		);
	});

	it("loses nothing when sessions of one conversation add at once, and keeps batches together", async () => {
		const { conversationId } = newSession();
		const other = createStore({ url: gateway.url, token: gateway.token });
		const sessions = [
			createSession(conversationId, { store: gateway.store }),
			createSession(conversationId, { store: other }),
		];
		const batches = Array.from({ length: 200 }, (_, index) => [user(`${index} a`), user(`${index} b`)]);
		await Promise.all(batches.map((batch, index) => sessions[index % 2]!.addItems(batch)));
		const items = (await sessions[0]!.getItems()) as { content: string }[];
		expect(items).toHaveLength(400);
		for (let index = 0; index < 400; index += 2) {
			expect(items[index + 1]!.content).toBe(items[index]!.content.replace("a", "b"));
		}
	});

	it("keeps to the gateway's limits with hundreds of sessions at once", async () => {
		let [inFlight, most] = [0, 0];
		const counted: typeof lossy.fetch = async (url, init) => {
			most = Math.max(most, ++inFlight);
			return fetch(url, init).finally(() => inFlight--);
		};
		const store = createStore({ url: gateway.url, token: gateway.token, fetch: counted, retries: 0 });
		const sessions = Array.from({ length: 300 }, (_, index) => createSession(`many-${index}`, { store }));
		await Promise.all(sessions.map((session) => session.addItems([user("hi")])));
		const lengths = await Promise.all(sessions.map(async (session) => (await session.getItems()).length));
		expect(lengths).toEqual(Array(300).fill(1));
		expect(most).toBe(16);
	});
});

describe("popItem", () => {
	it("removes the newest item and returns it, then undefined", async () => {
		const { session } = newSession();
		await session.addItems(users(2));
		expect(await session.popItem()).toEqual(user("item 2"));
		expect(await session.getItems()).toEqual([user("item 1")]);
		expect(await session.popItem()).toEqual(user("item 1"));
		expect(await session.popItem()).toBeUndefined();
		expect(await newSession().session.popItem()).toBeUndefined();
	});

	it("gives 20 callers 20 items", async () => {
		const { session } = newSession();
		await session.addItems(users(20));
		const popped = await Promise.all(users(20).map(() => session.popItem()));
		expect(new Set(popped.map((item) => JSON.stringify(item))).size).toBe(20);
		expect(popped).not.toContain(undefined);
		expect(await session.popItem()).toBeUndefined();
	});

	it("removes one item and not two when its answer got lost", async () => {
		const { session } = newSession();
		await session.addItems(ITEMS);
		lossy.losing = 2;
		const popped = await session.popItem();
		expect(lossy.losing).toBe(0);
		expect(JSON.stringify(popped)).toBe(JSON.stringify(ITEMS.at(-1)));
		expect(await session.getItems()).toHaveLength(ITEMS.length - 1);
	});

	it("forgets the ids of pops that are over", async () => {
		const { conversationId, session } = newSession();
		await session.addItems(users(3));
		await session.popItem();
		await query(
			gateway,
			"UPDATE history_operations SET expires_at = now() - interval '1 second' WHERE conversation_id = $1",
			[conversationId],
		);
		await session.popItem();
		expect(await operationCount(conversationId)).toBe(1);
	});

	it("writes nothing where there is nothing to pop", async () => {
		const { conversationId, session } = newSession();
		await gateway.store.createConversation({ conversationId });
		const before = await rowVersions(gateway);
		expect(await session.popItem()).toBeUndefined();
		expect(await rowVersions(gateway)).toEqual(before);
		expect(await operationCount(conversationId)).toBe(0);
	});
});

describe("clearSession", () => {
	it("removes every item and keeps conversation, metadata and counter (MSG-11)", async () => {
		const { conversationId, session } = newSession();
		await gateway.store.createConversation({ conversationId, metadata: { title: "kept" } });
		await session.addItems(users(3));
		await session.clearSession();
		expect(await session.getItems()).toEqual([]);
		expect((await gateway.store.getConversation({ conversationId }))?.metadata).toEqual({ title: "kept" });
		await session.addItems([user("new")]);
		expect(seqs(await drainMessages(gateway.store, { conversationId }))).toEqual([4]);
	});

	it("creates no conversation", async () => {
		const { conversationId, session } = newSession();
		await session.clearSession();
		expect(await gateway.store.getConversation({ conversationId })).toBeNull();
	});

	it("spares what was added since, when it is repeated after a lost answer", async () => {
		const { conversationId, session } = newSession();
		await session.addItems(users(3));
		const late = createSession(conversationId, {
			store: createStore({
				url: gateway.url,
				token: gateway.token,
				fetch: async (url, init) => {
					const answer = await fetch(url, init);
					if ((await session.getItems()).length > 0) return answer;
					await session.addItems([user("late")]);
					throw new TypeError("fetch failed");
				},
			}),
		});
		await late.clearSession();
		expect(await session.getItems()).toEqual([user("late")]);
	});

	it("does what clearMessages does, for which its items are messages", async () => {
		const { conversationId, session } = newSession();
		await session.addItems(users(3));
		await gateway.store.clearMessages({ conversationId });
		expect(await session.getItems()).toEqual([]);
	});
});

async function operationCount(conversationId: string): Promise<number> {
	const rows = await query(gateway, "SELECT FROM history_operations WHERE conversation_id = $1", [conversationId]);
	return rows.length;
}
