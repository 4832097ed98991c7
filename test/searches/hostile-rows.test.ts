import type { JsonValue } from "@iga-pages/agent/store";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { everythingOf } from "../support/everything.ts";
import type { TestGateway } from "../support/gateway.ts";
import { HOSTILE_JSON, jsonObject, jsonValue } from "../support/hostile-json.ts";
import { find, sessionsOf, startSearchGateway } from "../support/searches.ts";
import { query } from "../support/sql.ts";

let gateway: TestGateway;

beforeAll(async () => {
	gateway = await startSearchGateway();
});

afterAll(() => gateway.close());

async function project() {
	const { projectId, token, store } = await gateway.createProject();
	return { projectId, store, search: (search: string) => find(sessionsOf(gateway, token), search) };
}

/** A value inside so many arrays. */
function nested(value: JsonValue, levels: number): JsonValue {
	return Array.from({ length: levels }).reduce<JsonValue>((inner) => [inner], value);
}

describe("a hostile row", () => {
	it.each(Object.entries(HOSTILE_JSON))("is stored exactly and found by its other text: %s", async (_, value) => {
		const { store, search } = await project();
		const payload = { text: "needle", content: value, other: value };
		const message = await store.appendMessage({ conversationId: "c", payload });
		expect(message.payload).toEqual(payload);
		await store.createConversation({ conversationId: "titled", metadata: { title: "headline", value } });
		expect(await search("needle")).toEqual(["c"]);
		expect(await search("headline")).toEqual(["titled"]);
	});

	it.each<[string, string, string]>([
		["U+0000 between words", "one\0two", "one two"],
		["half a surrogate pair between words", "one\ud83ctwo", "one two"],
		["a backslash before what looks like an escape", "one\\u0000two", "one u0000two"],
		["two backslashes before U+0000", "one\\\\\0two", "one two"],
		["a quote after a backslash", 'one\\"\\two\0', "one two"],
		["the characters of half a pair", "one \\ud83c two", "one ud83c two"],
	])("is searched on both sides: %s", async (_, text, search) => {
		const found = await project();
		await found.store.appendMessage({ conversationId: "c", payload: { text } });
		await found.store.createConversation({ conversationId: "d", metadata: { name: text } });
		for (const word of search.split(" ")) expect([word, await found.search(word)]).toEqual([word, ["d", "c"]]);
	});

	it("is taken although nothing of it can be searched, whoever wrote it", async () => {
		const { projectId, store, search } = await project();
		await store.createConversation({ conversationId: "c" });
		// Numbers that the gateway refuses, and Postgres's json keeps as text.
		const written = await query(
			gateway,
			`WITH titled AS (
				UPDATE conversations SET metadata = '{"title":"needle","n":1e500000}', last_seq = 1 WHERE project_id = $1
			)
			INSERT INTO messages (project_id, message_id, conversation_id, seq, payload, metadata, bytes, created_at, updated_at)
			VALUES ($1, 'm', 'c', 1, '{"text":"needle","n":1e500000}', '{}', 32, now(), now()) RETURNING message_id`,
			[projectId],
		);
		expect(written).toEqual([{ message_id: "m" }]);
		expect(await search("needle")).toEqual([]);
		await store.appendMessage({ conversationId: "c", payload: "needle" });
		expect(await search("needle")).toEqual(["c"]);
	});

	it("is taken and found whatever JSON it holds", async () => {
		const { store, search } = await project();
		let count = 0;
		await fc.assert(
			fc.asyncProperty(jsonValue, jsonObject, async (content, metadata) => {
				const conversationId = `c${++count}`;
				await store.createConversation({ conversationId, metadata: { ...metadata, title: `title${count}` } });
				await store.appendMessage({
					conversationId,
					payload: [content, { content: [content, `word${count}`] }],
					metadata,
				});
				expect(await search(`title${count} word${count}`)).toEqual([conversationId]);
			}),
			{ numRuns: 60 },
		);
	});

	it("is taken when it is as large and as deep as may be, and found by the text that is near its beginning", async () => {
		const { store, search } = await project();
		const image = { type: "image", data: "A".repeat(15 * 1024 * 1024) };
		await store.appendMessage({
			conversationId: "image",
			payload: { content: [image, { type: "text", text: "early" }] },
		});
		await store.appendMessage({ conversationId: "long", payload: `first ${"x ".repeat(8 * 1024 * 1024 - 100)}last` });
		await store.appendMessage({ conversationId: "word", payload: `${"y".repeat(1024 * 1024)} unbroken` });
		await store.appendMessage({ conversationId: "zh", payload: "汉字".repeat(1_000_000) });
		await store.appendMessage({ conversationId: "deep", payload: nested("bottom", 200) });
		await store.appendMessage({ conversationId: "shallow", payload: nested({ text: "reachable" }, 7) });
		expect(await search("early")).toEqual(["image"]);
		expect(await search("first")).toEqual(["long"]);
		expect(await search("last")).toEqual([]);
		expect(await search("字汉")).toEqual(["zh"]);
		expect(await search("bottom")).toEqual([]);
		expect(await search("reachable")).toEqual(["shallow"]);
	});
});

describe("a hostile search", () => {
	it.each([
		"'; DROP TABLE messages; --",
		"needle' OR '1'='1",
		"100% nee_le",
		"needle:* & !x | (y)",
		"\\ \\' $1 $$ {needle}",
		'{"needle",NULL}',
		"needle\u202e\u200b\ufeff",
		"<b>needle</b>",
		"__proto__ constructor",
	])("is words and nothing else: %s", async (text) => {
		const { projectId, store, search } = await project();
		await store.appendMessage({ conversationId: "same", payload: text });
		await store.appendMessage({ conversationId: "other", payload: "needle" });
		await store.appendMessage({ conversationId: "plain", payload: "nothing of it" });
		const before = await everythingOf(gateway, projectId);
		const found = await search(text);
		expect(found).toContain("same");
		expect(found).not.toContain("plain");
		expect(await everythingOf(gateway, projectId)).toEqual(before);
	});
});
