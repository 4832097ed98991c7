import { createSessions, type Sessions } from "@iga-pages/agent/sessions";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { failure } from "../support/errors.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { lossyFetch } from "../support/lost-answers.ts";
import { drainMessages, seqs } from "../support/pages.ts";
import { ageRows, query, rowVersions } from "../support/sql.ts";

let gateway: TestGateway;
let sessions: Sessions;
let conversations = 0;

beforeAll(async () => {
	gateway = await startGateway();
	sessions = createSessions({ url: gateway.url, token: gateway.token });
});

afterAll(() => gateway.close());

async function converse(...texts: string[]) {
	const conversationId = `forking-${++conversations}`;
	await gateway.store.createConversation({ conversationId, metadata: { title: "name", tag: [1] } });
	const messages = texts.map((text) => ({ messageId: `${conversationId} ${text}`, role: "user", payload: { text } }));
	const stored = messages.length === 0 ? [] : await gateway.store.appendMessages({ conversationId, messages });
	return { conversationId, stored };
}

describe("fork", () => {
	it("copies the path to the active leaf: seq from 1, times kept, new ids, parent recorded", async () => {
		const { conversationId, stored } = await converse("u1", "a1", "u2");
		await sessions.branch({ conversationId, messageId: stored[0]!.messageId });
		await gateway.store.appendMessage({ conversationId, payload: { text: "a2" }, metadata: { n: 1 } });
		await sessions.setConfig({ conversationId, config: { model: "m", thinking: { effort: "low" } } });
		await sessions.setLabel({ messageId: stored[0]!.messageId, label: "start" });
		await ageRows(gateway);
		const source = await drainMessages(gateway.store, { conversationId });
		const before = await rowVersions(gateway);
		const fork = await sessions.fork({ conversationId });
		expect(fork).toMatchObject({
			metadata: { title: "name", tag: [1] },
			parentConversationId: conversationId,
			parentMessageId: source[1]!.messageId,
		});
		const { conversationId: forkId } = fork;
		expect(await sessions.getConfig({ conversationId: forkId })).toEqual({ model: "m", thinking: { effort: "low" } });
		const copies = await drainMessages(gateway.store, { conversationId: forkId });
		expect(copies).toEqual(
			source.map((message, index) => ({
				...message,
				conversationId: forkId,
				messageId: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab]/),
				seq: String(index + 1),
				branch: 0,
				sourceMessageId: message.messageId,
			})),
		);
		const after = new Map((await rowVersions(gateway)).map((row) => [row.id, row]));
		for (const row of before) expect(after.get(row.id)).toEqual(row);
		const next = await gateway.store.appendMessage({ conversationId: forkId, payload: 1 });
		expect(next.seq).toBe("3");
		expect(next.createdAt >= copies[1]!.createdAt).toBe(true);
		expect(await gateway.store.getConversation({ conversationId: forkId })).not.toHaveProperty("parentMessageId");
	});

	it("takes the given message with it, on whatever branch it is", async () => {
		const { conversationId, stored } = await converse("u1", "a1", "u2");
		await sessions.branch({ conversationId, messageId: null });
		const fork = await sessions.fork({
			conversationId,
			messageId: stored[1]!.messageId,
			newConversationId: "fork of a1",
		});
		expect(fork).toMatchObject({ conversationId: "fork of a1", parentMessageId: stored[1]!.messageId });
		const copies = await drainMessages(gateway.store, { conversationId: "fork of a1" });
		expect(copies.map(({ payload }) => payload)).toEqual([{ text: "u1" }, { text: "a1" }]);
		const first = await sessions.fork({ conversationId, messageId: stored[0]!.messageId });
		expect(seqs(await drainMessages(gateway.store, { conversationId: first.conversationId }))).toEqual([1]);
	});

	it("of an empty conversation, or an empty path, is empty", async () => {
		const { conversationId } = await converse();
		const fork = await sessions.fork({ conversationId });
		expect(fork).toMatchObject({ metadata: { title: "name" }, parentMessageId: null });
		const [first] = await gateway.store.appendMessages({ conversationId, messages: [{ payload: 1 }, { payload: 2 }] });
		await sessions.branch({ conversationId, messageId: null });
		const { conversationId: emptyId } = await sessions.fork({ conversationId });
		expect(await drainMessages(gateway.store, { conversationId: emptyId })).toEqual([]);
		const { conversationId: forkId } = await sessions.fork({ conversationId, messageId: first!.messageId });
		expect(await drainMessages(gateway.store, { conversationId: forkId })).toHaveLength(1);
	});

	it("carries compactions, which keep what they kept, also where that is gone", async () => {
		const { conversationId, stored } = await converse("u1", "a1", "u2", "a2");
		const details = JSON.parse('{"nul":"\\u0000","__proto__":{"x":1}}');
		await sessions.compact({ conversationId, summary: "s\0", firstKeptMessageId: stored[1]!.messageId, details });
		await gateway.store.appendMessage({ conversationId, payload: { text: "u3" } });
		await gateway.store.deleteMessage({ messageId: stored[1]!.messageId });
		const { conversationId: forkId } = await sessions.fork({ conversationId });
		const [compaction, ...kept] = await sessions.getContext({ conversationId: forkId });
		expect(kept.map(({ payload }) => payload)).toEqual([{ text: "u2" }, { text: "a2" }, { text: "u3" }]);
		expect(JSON.stringify(compaction!.payload)).toBe(
			JSON.stringify({ summary: "s\0", firstKeptMessageId: kept[0]!.messageId, details }),
		);
		const [row] = await query<{ right: boolean }>(
			gateway,
			"SELECT bytes = octet_length(payload::text) + octet_length(metadata::text) AS right FROM messages WHERE message_id = $1",
			[compaction!.messageId],
		);
		expect(row?.right).toBe(true);
		const again = await sessions.fork({ conversationId: forkId });
		expect(await sessions.getContext({ conversationId: again.conversationId })).toHaveLength(4);
	});

	it("carries compactions from a path whose seqs have gaps", async () => {
		const { conversationId, stored } = await converse("u1", "a1", "u2");
		await sessions.branch({ conversationId, messageId: stored[0]!.messageId });
		const kept = await gateway.store.appendMessage({ conversationId, payload: "kept" });
		await gateway.store.appendMessage({ conversationId, payload: "too" });
		await sessions.compact({ conversationId, summary: "s", firstKeptMessageId: kept.messageId });
		const { conversationId: forkId } = await sessions.fork({ conversationId });
		const [, ...shown] = await sessions.getContext({ conversationId: forkId });
		expect(shown.map(({ payload }) => payload)).toEqual(["kept", "too"]);
	});

	it("ERR-4: forks once when answers get lost, and when the call is repeated", async () => {
		const { conversationId, stored } = await converse("u1", "a1");
		const lossy = lossyFetch();
		lossy.losing = 2;
		const retrying = createSessions({ url: gateway.url, token: gateway.token, fetch: lossy.fetch });
		const fork = await retrying.fork({ conversationId });
		expect(lossy.sent).toBe(3);
		const forks = await query(gateway, "SELECT FROM conversations WHERE parent_conversation_id = $1", [conversationId]);
		expect(forks).toHaveLength(1);
		const { conversationId: newConversationId } = fork;
		const repeats = Array.from({ length: 10 }, () => sessions.fork({ conversationId, newConversationId: "at once" }));
		expect(new Set((await Promise.all(repeats)).map((each) => JSON.stringify(each))).size).toBe(1);
		await gateway.store.appendMessage({ conversationId, payload: { text: "u2" } });
		expect(await sessions.fork({ conversationId, newConversationId })).toEqual(fork);
		const [first] = stored;
		expect(
			await failure(sessions.fork({ conversationId, newConversationId, messageId: first!.messageId })),
		).toMatchObject({ code: "Conflict", error: { code: "23505" } });
	});

	it("refuses taken ids and unknown sources, and leaves nothing behind", async () => {
		const { conversationId, stored } = await converse("u1");
		const other = await converse("x1");
		const before = await rowVersions(gateway);
		expect(await failure(sessions.fork({ conversationId, newConversationId: other.conversationId }))).toMatchObject({
			code: "Conflict",
			status: 409,
			error: { code: "23505" },
		});
		expect(await failure(sessions.fork({ conversationId, newConversationId: conversationId }))).toMatchObject({
			code: "Conflict",
		});
		for (const input of [
			{ conversationId: "nobody" },
			{ conversationId, messageId: "nobody" },
			{ conversationId, messageId: other.stored[0]!.messageId },
			{ conversationId: other.conversationId, messageId: stored[0]!.messageId },
		]) {
			expect(await failure(sessions.fork({ ...input, newConversationId: "left behind" }))).toMatchObject({
				code: "NotFound",
			});
		}
		expect(await rowVersions(gateway)).toEqual(before);
	});

	it("outlives its source", async () => {
		const { conversationId } = await converse("u1", "a1");
		const fork = await sessions.fork({ conversationId });
		await gateway.store.deleteConversation({ conversationId });
		const copies = await drainMessages(gateway.store, { conversationId: fork.conversationId });
		expect(copies.map(({ payload }) => payload)).toEqual([{ text: "u1" }, { text: "a1" }]);
	});
});
