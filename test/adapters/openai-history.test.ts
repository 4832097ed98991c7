import { createStore } from "@iga-pages/agent/store";
import { createSession, type HistoryTransaction, type StoreSession } from "@iga-pages/agent/store/openai";
import {
	type AgentInputItem,
	isSessionHistoryRewriteAwareSession,
	isSessionHistoryTransactionAwareSession,
	type SessionHistoryRewriteAwareSession,
	type SessionHistoryTransactionAwareSession,
} from "@openai/agents";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { failure } from "../support/errors.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { type LossyFetch, lossyFetch } from "../support/lost-answers.ts";
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
	const conversationId = `history-${++conversations}`;
	return { conversationId, session: createSession(conversationId, { store: gateway.store }) };
}

/** A session that does something after each of its first answers. */
function interrupted(conversationId: string, interruptions: (() => Promise<unknown>)[]): StoreSession {
	const store = createStore({
		url: gateway.url,
		token: gateway.token,
		fetch: async (url, init) => {
			const answer = await fetch(url, init);
			await interruptions.shift()?.();
			return answer;
		},
	});
	return createSession(conversationId, { store });
}

function user(content: string): AgentInputItem {
	return { type: "message", role: "user", content };
}

function call(callId: string, args = "{}"): Extract<AgentInputItem, { type: "function_call" }> {
	return { type: "function_call", callId, name: "f", status: "completed", arguments: args };
}

function append(...items: AgentInputItem[]): HistoryTransaction {
	return { type: "append_items", items };
}

const A = user("a");
const B = user("b");
const C = user("c");

it("has the capabilities that the framework looks for", () => {
	const { session } = newSession();
	const typed: SessionHistoryTransactionAwareSession & SessionHistoryRewriteAwareSession = session;
	expect(isSessionHistoryTransactionAwareSession(typed)).toBe(true);
	expect(isSessionHistoryRewriteAwareSession(typed)).toBe(true);
});

describe("applyHistoryTransaction", () => {
	it("appends once for one operation id, and creates the conversation", async () => {
		const { session } = newSession();
		for (let round = 0; round < 3; round++) {
			await session.applyHistoryTransaction({ operationId: "op", transaction: append(A, B) });
		}
		expect(await session.getItems()).toEqual([A, B]);
	});

	it("writes nothing when it is repeated", async () => {
		const { session } = newSession();
		await session.applyHistoryTransaction({ operationId: "op", transaction: append(A) });
		const before = await rowVersions(gateway);
		await session.applyHistoryTransaction({ operationId: "op", transaction: append(A) });
		expect(await rowVersions(gateway)).toEqual(before);
	});

	it("takes an equal transaction with another order of keys for the same", async () => {
		const { session } = newSession();
		await session.applyHistoryTransaction({ operationId: "op", transaction: append(A) });
		const turned = { content: "a", role: "user", type: "message" } as AgentInputItem;
		await session.applyHistoryTransaction({ operationId: "op", transaction: append(turned) });
		expect(await session.getItems()).toEqual([A]);
	});

	it.each<[string, HistoryTransaction]>([
		["other items", append(B)],
		["more items", append(A, A)],
		["no items", append()],
		["another type", { type: "replace_suffix", expectedSuffix: [], replacement: [A] }],
	])("refuses a known operation id with %s, and changes nothing", async (_, transaction) => {
		const { session } = newSession();
		await session.applyHistoryTransaction({ operationId: "op", transaction: append(A) });
		const error = await failure(session.applyHistoryTransaction({ operationId: "op", transaction }));
		expect(error).toMatchObject({ code: "Conflict", status: 409 });
		expect(error.message).toMatch(/operationId/);
		expect(await session.getItems()).toEqual([A]);
	});

	it("remembers the operation id of an empty append", async () => {
		const { session } = newSession();
		await session.applyHistoryTransaction({ operationId: "op", transaction: append() });
		expect((await failure(session.applyHistoryTransaction({ operationId: "op", transaction: append(A) }))).code).toBe(
			"Conflict",
		);
		expect(await session.getItems()).toEqual([]);
	});

	it("replaces the expected suffix, in any order of keys", async () => {
		const { session } = newSession();
		await session.addItems([A, B, C]);
		const expectedSuffix = [{ content: "b", role: "user", type: "message" } as AgentInputItem, C];
		const transaction: HistoryTransaction = { type: "replace_suffix", expectedSuffix, replacement: [user("d")] };
		await session.applyHistoryTransaction({ operationId: "op", transaction });
		await session.applyHistoryTransaction({ operationId: "op", transaction });
		expect(await session.getItems()).toEqual([A, user("d")]);
	});

	it("replaces the whole history, and by nothing", async () => {
		const { session } = newSession();
		await session.addItems([A, B]);
		const transaction: HistoryTransaction = { type: "replace_suffix", expectedSuffix: [A, B], replacement: [] };
		await session.applyHistoryTransaction({ operationId: "op", transaction });
		expect(await session.getItems()).toEqual([]);
	});

	it.each([
		["in another order", [B, A]],
		["of other items", [A, C]],
		["that is longer than the history", [C, A, B]],
		["with a further field", [A, { ...B, id: "1" } as AgentInputItem]],
	])("refuses a suffix %s, and does not remember the operation id", async (_, expectedSuffix) => {
		const { session } = newSession();
		await session.addItems([A, B]);
		const transaction: HistoryTransaction = { type: "replace_suffix", expectedSuffix, replacement: [C] };
		const error = await failure(session.applyHistoryTransaction({ operationId: "op", transaction }));
		expect(error).toMatchObject({ code: "Conflict", status: 409 });
		expect(error.message).toMatch(/expectedSuffix/);
		expect(await session.getItems()).toEqual([A, B]);
		await session.applyHistoryTransaction({ operationId: "op", transaction: append(C) });
		expect(await session.getItems()).toEqual([A, B, C]);
	});

	it("leaves no conversation behind when the suffix of an unknown one is refused (MSG-1)", async () => {
		const { conversationId, session } = newSession();
		const transaction: HistoryTransaction = { type: "replace_suffix", expectedSuffix: [A], replacement: [B] };
		await failure(session.applyHistoryTransaction({ operationId: "op", transaction }));
		expect(await gateway.store.getConversation({ conversationId })).toBeNull();
	});

	it("applies one of many that expect the same suffix", async () => {
		const { session } = newSession();
		await session.addItems([A, B]);
		const outcomes = await Promise.allSettled(
			Array.from({ length: 10 }, (_, index) =>
				session.applyHistoryTransaction({
					operationId: `op-${index}`,
					transaction: { type: "replace_suffix", expectedSuffix: [B], replacement: [user(`winner ${index}`)] },
				}),
			),
		);
		expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
		expect(await session.getItems()).toHaveLength(2);
	});

	it("applies one operation once when many ask for it at the same time", async () => {
		const { session } = newSession();
		const ask = () => session.applyHistoryTransaction({ operationId: "op", transaction: append(A, B) });
		await Promise.all(Array.from({ length: 10 }, ask));
		expect(await session.getItems()).toEqual([A, B]);
	});

	it("applies once when its answer got lost", async () => {
		const { session } = newSession();
		await session.addItems([A]);
		lossy.losing = 2;
		const transaction: HistoryTransaction = { type: "replace_suffix", expectedSuffix: [A], replacement: [A, A] };
		await session.applyHistoryTransaction({ operationId: "op", transaction });
		expect(lossy.losing).toBe(0);
		expect(await session.getItems()).toEqual([A, A]);
	});

	it.each<[string, (session: StoreSession, conversationId: string) => Promise<void>]>([
		["clearSession", (session) => session.clearSession()],
		["clearMessages", (_, conversationId) => gateway.store.clearMessages({ conversationId })],
		["deleteConversation", (_, conversationId) => gateway.store.deleteConversation({ conversationId })],
	])("forgets operation ids with %s", async (_, forget) => {
		const { conversationId, session } = newSession();
		await session.applyHistoryTransaction({ operationId: "op", transaction: append(A) });
		await forget(session, conversationId);
		await session.applyHistoryTransaction({ operationId: "op", transaction: append(B) });
		expect(await session.getItems()).toEqual([B]);
	});

	it("keeps the operation ids of conversations and projects apart", async () => {
		const [first, second] = [newSession(), newSession()];
		const other = await gateway.createProject();
		const foreign = createSession(first.conversationId, { store: other.store });
		await first.session.applyHistoryTransaction({ operationId: "op", transaction: append(A) });
		await second.session.applyHistoryTransaction({ operationId: "op", transaction: append(B) });
		await foreign.applyHistoryTransaction({ operationId: "op", transaction: append(C) });
		expect(await first.session.getItems()).toEqual([A]);
		expect(await second.session.getItems()).toEqual([B]);
		expect(await foreign.getItems()).toEqual([C]);
	});

	it.each([
		[{ operationId: "", transaction: append(A) }, /^operationId/],
		[{ operationId: "o", transaction: { type: "prepend_items", items: [] } }, /^transaction\.type/],
		[{ operationId: "o", transaction: { type: "append_items", items: [A], extra: 1 } }, /extra/],
		[{ operationId: "o", transaction: append({ type: "message", content: () => 1 } as never) }, /items\[0\]\.content/],
		[{ operationId: "o", transaction: null }, /^transaction/],
	])("refuses arguments like %j", async (args, message) => {
		const { session } = newSession();
		const error = await failure(session.applyHistoryTransaction(args as never));
		expect(error.code).toBe("BadRequest");
		expect(error.message).toMatch(message);
	});
});

describe("applyHistoryMutations", () => {
	it("replaces a function call in its place, and drops its copies", async () => {
		const { session } = newSession();
		const nul = user('\u0000 of a call: "callId":"1"');
		await session.addItems([nul, call("1"), call("2"), call("1", "copy"), B]);
		const replacement = call("1", '{"new":true}');
		await session.applyHistoryMutations({ mutations: [{ type: "replace_function_call", callId: "1", replacement }] });
		expect(await session.getItems()).toEqual([nul, replacement, call("2"), B]);
	});

	it("applies mutations in order, so that a later one finds what an earlier one wrote", async () => {
		const { session } = newSession();
		await session.addItems([call("1"), call("2")]);
		await session.applyHistoryMutations({
			mutations: [
				{ type: "replace_function_call", callId: "1", replacement: call("2", "first") },
				{ type: "replace_function_call", callId: "2", replacement: call("3", "second") },
				{ type: "replace_function_call", callId: "none", replacement: call("4") },
			],
		});
		expect(await session.getItems()).toEqual([call("3", "second")]);
	});

	it("changes nothing where there is nothing to replace", async () => {
		const { conversationId, session } = newSession();
		await session.applyHistoryMutations({ mutations: [] });
		const mutations = [{ type: "replace_function_call" as const, callId: "1", replacement: call("1") }];
		await session.applyHistoryMutations({ mutations });
		expect(await gateway.store.getConversation({ conversationId })).toBeNull();
		await session.addItems([user("1")]);
		const before = await rowVersions(gateway);
		await session.applyHistoryMutations({ mutations });
		expect(await rowVersions(gateway)).toEqual(before);
	});

	it("keeps what others replaced since, when it is repeated after a lost answer", async () => {
		const { conversationId, session } = newSession();
		await session.addItems([call("1")]);
		const mutate = (target: StoreSession, args: string) =>
			target.applyHistoryMutations({
				mutations: [{ type: "replace_function_call", callId: "1", replacement: call("1", args) }],
			});
		let sent = 0;
		const late = interrupted(conversationId, [
			async () => {
				sent++;
				await mutate(session, "theirs");
				throw new TypeError("fetch failed");
			},
			async () => sent++,
		]);
		await mutate(late, "ours");
		expect(sent).toBe(2);
		expect(await session.getItems()).toEqual([call("1", "theirs")]);
	});

	it.each([
		[{ type: "remove", callId: "1", replacement: call("1") }, /mutations\[0\]\.type/],
		[{ type: "replace_function_call", callId: "", replacement: call("1") }, /mutations\[0\]\.callId/],
		[{ type: "replace_function_call", callId: "1", replacement: A }, /mutations\[0\]\.replacement/],
	])("refuses the mutation %j", async (mutation, message) => {
		const { session } = newSession();
		const error = await failure(session.applyHistoryMutations({ mutations: [mutation] } as never));
		expect(error.code).toBe("BadRequest");
		expect(error.message).toMatch(message);
	});
});

describe("replaceHistoryWithCompaction", () => {
	const compaction = { type: "compaction", encrypted_content: "short" } as AgentInputItem;

	it("puts the given items in the place of all others", async () => {
		const { session } = newSession();
		await session.addItems([A, B]);
		await session.replaceHistoryWithCompaction([compaction, B]);
		expect(await session.getItems()).toEqual([compaction, B]);
		await session.addItems([C]);
		expect(await session.getItems()).toEqual([compaction, B, C]);
	});

	it("creates the conversation, but not for nothing", async () => {
		const { conversationId, session } = newSession();
		await session.replaceHistoryWithCompaction([]);
		expect(await gateway.store.getConversation({ conversationId })).toBeNull();
		await session.replaceHistoryWithCompaction([compaction]);
		expect(await session.getItems()).toEqual([compaction]);
	});

	it("spares what was added since, when it is repeated after a lost answer", async () => {
		const { conversationId, session } = newSession();
		await session.addItems([A]);
		const late = interrupted(conversationId, [
			async () => {
				await session.addItems([C]);
				throw new TypeError("fetch failed");
			},
		]);
		await late.replaceHistoryWithCompaction([compaction]);
		expect(await session.getItems()).toEqual([compaction, C]);
	});

	it("keeps operation ids of transactions", async () => {
		const { session } = newSession();
		await session.applyHistoryTransaction({ operationId: "op", transaction: append(A) });
		await session.replaceHistoryWithCompaction([compaction]);
		await session.applyHistoryTransaction({ operationId: "op", transaction: append(A) });
		expect(await session.getItems()).toEqual([compaction]);
	});

	it("keeps everything when one item is refused", async () => {
		const { session } = newSession();
		await session.addItems([A]);
		await failure(session.replaceHistoryWithCompaction([compaction, { type: "x", big: 1n } as never]));
		expect(await session.getItems()).toEqual([A]);
	});
});

describe("a reader of several pages", () => {
	const long = (prefix: string) => Array.from({ length: 2_500 }, (_, index) => user(`${prefix} ${index}`));

	it("sees no half of a compaction", async () => {
		const { conversationId, session } = newSession();
		await session.addItems(long("old"));
		const fresh = long("new");
		const reader = interrupted(conversationId, [() => session.replaceHistoryWithCompaction(fresh)]);
		expect(await reader.getItems()).toEqual(fresh);
	});

	it("sees nothing that was added since its first page", async () => {
		const { conversationId, session } = newSession();
		const items = long("old");
		await session.addItems(items);
		const reader = interrupted(conversationId, [() => session.addItems([A])]);
		expect(await reader.getItems()).toEqual(items);
	});

	it.each<[string, (session: StoreSession, conversationId: string) => Promise<unknown>, number]>([
		["a pop", (session) => session.popItem(), 2_499],
		["a clear", (session) => session.clearSession(), 0],
		["a delete", (_, conversationId) => gateway.store.deleteConversation({ conversationId }), 0],
	])("sees the state after %s in the middle", async (_, interrupt, count) => {
		const { conversationId, session } = newSession();
		await session.addItems(long("old"));
		const reader = interrupted(conversationId, [() => interrupt(session, conversationId)]);
		expect(await reader.getItems()).toHaveLength(count);
	});

	it("sees all or nothing of a set of mutations", async () => {
		const { conversationId, session } = newSession();
		await session.addItems([call("oldest"), ...long("old"), call("newest")]);
		const mutations = ["oldest", "newest"].map((callId) => ({
			type: "replace_function_call" as const,
			callId,
			replacement: call(callId, "replaced"),
		}));
		const reader = interrupted(conversationId, [() => session.applyHistoryMutations({ mutations })]);
		const items = await reader.getItems();
		expect(items.at(0)).toEqual(call("oldest", "replaced"));
		expect(items.at(-1)).toEqual(call("newest", "replaced"));
	});

	it("gives up with a Conflict when others never stop changing what it reads", async () => {
		const { conversationId, session } = newSession();
		await session.addItems(long("old"));
		let pops = 0;
		const forever = Array.from({ length: 100 }, () => () => {
			pops++;
			return session.popItem();
		});
		expect((await failure(interrupted(conversationId, forever).getItems())).code).toBe("Conflict");
		expect(pops).toBe(20);
	});

	it("reads custom entries and summaries of sessions over", async () => {
		const { conversationId, session } = newSession();
		await session.addItems([A, B, C]);
		await query(gateway, "UPDATE messages SET kind = 'custom' WHERE conversation_id = $1 AND seq = 3", [
			conversationId,
		]);
		expect(await session.getItems()).toEqual([A, B]);
		expect(await session.popItem()).toEqual(B);
		expect(await session.getItems()).toEqual([A]);
	});
});
