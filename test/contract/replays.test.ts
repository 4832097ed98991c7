import { isDeepStrictEqual } from "node:util";
import type { JsonValue, Message } from "@iga-pages/agent/store";
import { StoreError } from "@iga-pages/agent/store";
import fc from "fast-check";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { hintKey } from "../../server/store/hints.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { drainMessages } from "../support/pages.ts";
import { lockConversation, query, rowVersions } from "../support/sql.ts";

let gateway: TestGateway;

beforeAll(async () => {
	gateway = await startGateway();
});

afterAll(() => gateway.close());

/** The same JSON with the keys of every object the other way round. */
function reorder(value: JsonValue): JsonValue {
	if (Array.isArray(value)) return value.map(reorder);
	if (typeof value !== "object" || value === null) return value;
	return Object.fromEntries(
		Object.entries(value)
			.toReversed()
			.map(([key, entry]) => [key, reorder(entry)]),
	);
}

const tag = fc.option(fc.constantFrom("user", "assistant", ""), { nil: null });
const content = fc.record({
	role: tag,
	type: tag,
	payload: fc
		.jsonValue({ depthSize: "small", maxDepth: 3 })
		.map((value) => JSON.parse(JSON.stringify(value)) as JsonValue),
	metadata: fc
		.dictionary(fc.constantFrom("a", "b", "__proto__"), fc.integer(), { maxKeys: 2 })
		.map((value) => JSON.parse(JSON.stringify(value)) as Record<string, number>),
});
type Content = Pick<Message, "role" | "type" | "payload" | "metadata">;

describe("replays of appends", () => {
	it("MSG-3: do not wait for the conversation's lock, since they write nothing", async () => {
		const { store } = gateway;
		const messages = [1, 2].map((payload) => ({ messageId: `unlocked-${payload}`, payload }));
		const stored = await store.appendMessages({ conversationId: "unlocked", messages });
		const lock = await lockConversation(gateway, "unlocked");
		try {
			expect(await store.appendMessages({ conversationId: "unlocked", messages })).toEqual(stored);
			expect(await store.appendMessage({ conversationId: "unlocked", ...messages[0]! })).toEqual(stored[0]);
		} finally {
			await lock.release();
		}
	});

	it("MSG-3: are announced to nobody who follows the conversation", async () => {
		const { store, projectId } = gateway;
		const listener = new pg.Client(gateway.databaseUrl);
		await listener.connect();
		onTestFinished(() => listener.end());
		const told: string[] = [];
		listener.on("notification", ({ payload = "" }) => told.push(...payload.split(" ")));
		await listener.query("LISTEN agent_store_messages");
		const isTold = (id: string) => vi.waitFor(() => expect(told).toContain(hintKey(projectId, id)), 10_000);
		const message = { conversationId: "followed", messageId: "followed-1", payload: 1 };
		await store.appendMessage(message);
		await isTold("followed");
		told.length = 0;
		await store.appendMessage(message);
		// Hints keep their order, so that one of the replay would come no later than this one.
		await store.appendMessage({ conversationId: "followed later", payload: 1 });
		await isTold("followed later");
		expect(told).not.toContain(hintKey(projectId, "followed"));
	});

	it("MSG-3: leave no dead row behind: the next message stands directly after the one that was repeated", async () => {
		const { store } = gateway;
		const place = async (messageId: string) => {
			const [row] = await query<{ block: number; line: number }>(
				gateway,
				`SELECT (ctid::text::point)[0]::int AS block, (ctid::text::point)[1]::int AS line
				FROM messages WHERE message_id = $1`,
				[messageId],
			);
			return row!;
		};
		const repeated = { conversationId: "tidy", messageId: "tidy-1", payload: 1 };
		await store.appendMessage(repeated);
		const { block, line } = await place("tidy-1");
		for (let time = 0; time < 10; time++) await store.appendMessage(repeated);
		await store.appendMessage({ conversationId: "tidy", messageId: "tidy-2", payload: 2 });
		expect(await place("tidy-2")).toEqual({ block, line: line + 1 });
	});

	it("MSG-3 MSG-4: every batch of old, changed and new ids does what a model of the rules says", async () => {
		const { store } = gateway;
		const pool = ["m0", "m1", "m2", "m3", "m4", "m5"];
		const step = fc.oneof(
			{
				weight: 4,
				arbitrary: fc.record({
					kind: fc.constant("append" as const),
					conversation: fc.constantFrom("a", "b"),
					batch: fc.uniqueArray(
						fc.record({ id: fc.constantFrom(...pool), content, repeat: fc.constantFrom("exact", "reordered", "new") }),
						{ minLength: 1, maxLength: 4, selector: ({ id }) => id },
					),
				}),
			},
			{ weight: 1, arbitrary: fc.record({ kind: fc.constant("delete" as const), id: fc.constantFrom(...pool) }) },
			{
				weight: 1,
				arbitrary: fc.record({ kind: fc.constant("update" as const), id: fc.constantFrom(...pool), content }),
			},
			{
				weight: 1,
				arbitrary: fc.record({ kind: fc.constant("clear" as const), conversation: fc.constantFrom("a", "b") }),
			},
		);
		let run = 0;
		await fc.assert(
			fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
				run++;
				const idOf = (name: string) => `${run}-${name}`;
				const model = new Map<string, Message>();
				const counters = new Map<string, number>();
				for (const action of steps) {
					if (action.kind === "delete") {
						await store.deleteMessage({ messageId: idOf(action.id) });
						model.delete(idOf(action.id));
					} else if (action.kind === "clear") {
						await store.clearMessages({ conversationId: idOf(action.conversation) });
						for (const [id, message] of model) {
							if (message.conversationId === idOf(action.conversation)) model.delete(id);
						}
					} else if (action.kind === "update") {
						if (!model.has(idOf(action.id))) continue;
						model.set(idOf(action.id), await store.updateMessage({ messageId: idOf(action.id), ...action.content }));
					} else {
						const conversationId = idOf(action.conversation);
						const messages = action.batch.map(({ id, content, repeat }) => {
							const stored = model.get(idOf(id));
							const source: Content =
								stored === undefined || repeat === "new"
									? content
									: {
											role: stored.role,
											type: stored.type,
											payload: stored.payload,
											metadata: stored.metadata,
										};
							const payload = repeat === "reordered" ? reorder(source.payload) : source.payload;
							return { messageId: idOf(id), ...source, payload };
						});
						const known = messages.map(({ messageId }) => model.get(messageId));
						const isReplay = messages.every((message, index) => {
							const stored = known[index];
							return (
								stored?.conversationId === conversationId &&
								isDeepStrictEqual(
									[stored.role, stored.type, stored.payload, stored.metadata],
									[message.role, message.type, message.payload, message.metadata],
								)
							);
						});
						const isNew = known.every((message) => message === undefined);
						const before = await rowVersions(gateway);
						const outcome = await store.appendMessages({ conversationId, messages }).catch((error: unknown) => error);
						if (isNew) {
							const count = counters.get(conversationId) ?? 0;
							expect(outcome).toMatchObject(
								messages.map((message, index) => ({ ...message, seq: String(count + index + 1) })),
							);
							counters.set(conversationId, count + messages.length);
							for (const message of outcome as Message[]) model.set(message.messageId, message);
							continue;
						}
						if (isReplay) expect(outcome).toEqual(known);
						else {
							expect(outcome).toBeInstanceOf(StoreError);
							expect(outcome).toMatchObject({ code: "Conflict", error: { code: "23505" } });
						}
						expect(await rowVersions(gateway)).toEqual(before);
					}
				}
				for (const name of ["a", "b"]) {
					const conversationId = idOf(name);
					const expected = [...model.values()]
						.filter((message) => message.conversationId === conversationId)
						.sort((left, right) => Number(left.seq) - Number(right.seq));
					expect(await drainMessages(store, { conversationId })).toEqual(expected);
				}
			}),
			{ numRuns: 40 },
		);
	});
});
