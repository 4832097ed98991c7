import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createBrowserToken } from "../support/browser-tokens.ts";
import { failure } from "../support/errors.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { sendRaw } from "../support/raw.ts";
import { find, sessionsOf, startSearchGateway } from "../support/searches.ts";
import { query } from "../support/sql.ts";

let gateway: TestGateway;

beforeAll(async () => {
	gateway = await startSearchGateway();
});

afterAll(() => gateway.close());

async function project() {
	const { projectId, token, store } = await gateway.createProject();
	const sessions = sessionsOf(gateway, token);
	return { projectId, token, store, sessions, search: (search: string) => find(sessions, search) };
}

describe("searchConversations", () => {
	it("finds by words of messages and titles, in any case, each word anywhere in the conversation", async () => {
		const { store, search } = await project();
		await store.createConversation({ conversationId: "trip", metadata: { title: "Travel plans", tags: ["Lisbon"] } });
		const messages = [{ payload: { text: "Book the HOTEL, please" } }, { payload: { text: "Which café is near?" } }];
		await store.appendMessages({ conversationId: "trip", messages });
		await store.createConversation({ conversationId: "bill", metadata: { name: "Hotel invoice" } });
		expect(await search("hotel")).toEqual(["bill", "trip"]);
		expect(await search("TRAVEL hotel  CAFÉ")).toEqual(["trip"]);
		expect(await search("invoice travel")).toEqual([]);
		expect(await search("hot")).toEqual([]);
		expect(await search("lisbon")).toEqual([]);
		expect(await search("ÜBER")).toEqual([]);
		await store.appendMessage({ conversationId: "bill", payload: "über ΑΘΗΝΑ Москва" });
		for (const word of ["Über", "αθηνα", "МОСКВА"]) expect(await search(word)).toEqual(["bill"]);
	});

	it("finds Chinese, Japanese, Korean and Thai by any part of a sentence, and pictures", async () => {
		const { store, search } = await project();
		const texts = {
			zh: "我的第一段对话，关于会话存储。",
			ja: "東京タワーへ行きたい",
			ko: "서울에서 만나요",
			th: "สวัสดีครับ",
			mixed: "API网关v2很快🎉好",
		};
		for (const [conversationId, text] of Object.entries(texts)) {
			await store.appendMessage({ conversationId, payload: { text } });
		}
		for (const word of ["会话", "对话", "我", "第一段对话", "我的 存储"]) expect(await search(word)).toEqual(["zh"]);
		for (const word of ["会存", "对话关", "猫"]) expect(await search(word)).toEqual([]);
		for (const word of ["東京", "タワー", "行きたい"]) expect(await search(word)).toEqual(["ja"]);
		expect(await search("서울")).toEqual(["ko"]);
		expect(await search("สวัสดี")).toEqual(["th"]);
		for (const word of ["api", "网关", "v2", "🎉", "api网关"]) expect(await search(word)).toEqual(["mixed"]);
	});

	it("finds paths, identifiers and addresses by their parts and as a whole", async () => {
		const { store, search } = await project();
		const text = "see src/store/search_index.ts:42 and https://example.com/Docs?q=1#top, <b>bold</b>, it's C++";
		await store.appendMessage({ conversationId: "code", payload: { text } });
		for (const word of [
			"search_index",
			"src/store/search_index.ts:42",
			"store",
			"42",
			"docs",
			"example.com",
			"bold",
			"c++",
		])
			expect([word, await search(word)]).toEqual([word, ["code"]]);
		expect(await search("store/index")).toEqual(["code"]);
	});

	it.each<[string, unknown]>([
		["a string", "needle"],
		["text", { text: "needle" }],
		["an array of strings", ["hay", "needle"]],
		["content", { role: "user", content: "needle" }],
		["OpenAI input", { type: "message", role: "user", content: [{ type: "input_text", text: "needle" }] }],
		["OpenAI output", { type: "function_call_result", output: { type: "text", text: "needle" } }],
		["OpenAI reasoning", { type: "reasoning", content: [], summary: [{ type: "summary_text", text: "needle" }] }],
		["LangChain", { lc: 1, type: "constructor", id: ["HumanMessage"], kwargs: { content: "needle" } }],
		["LangChain blocks", { lc: 1, kwargs: { content: [{ type: "text", text: "needle" }] } }],
		["stored LangChain", { type: "human", data: { content: "needle" } }],
		["Claude", { type: "user", message: { role: "user", content: [{ type: "text", text: "needle" }] } }],
		["a Claude tool", { message: { content: [{ type: "tool_result", content: [{ type: "text", text: "needle" }] }] } }],
		["pi", { role: "toolResult", content: [{ type: "text", text: "needle" }], details: {} }],
		["parts", { role: "user", parts: [{ type: "text", text: "needle" }] }],
	])("takes as text: %s", async (_, payload) => {
		const { store, search } = await project();
		await store.appendMessage({ conversationId: "c", payload: payload as string });
		expect(await search("needle")).toEqual(["c"]);
	});

	it.each<[string, unknown]>([
		["tool arguments as text", { type: "function_call", name: "find", arguments: '{"q":"needle"}' }],
		["tool arguments", { content: [{ type: "tool_use", name: "x", input: { text: "needle" } }] }],
		["pi's tool arguments", { content: [{ type: "toolCall", arguments: { content: "needle" } }] }],
		["images", { content: [{ type: "image", data: "needle", source: { type: "base64", data: "needle" } }] }],
		["addresses of images", { content: [{ type: "image_url", image_url: { url: "needle" } }] }],
		["other members and keys", { needle: 1, note: "needle", id: "needle" }],
		["numbers", { text: 1 }],
	])("does not take as text: %s", async (_, payload) => {
		const { store, search } = await project();
		await store.appendMessage({
			conversationId: "c",
			payload: payload as string,
			role: "needle",
			metadata: { text: "needle" },
		});
		expect(await search("needle")).toEqual([]);
	});

	it("looks into all branches, summaries and compactions, and not into custom messages", async () => {
		const { store, sessions, search } = await project();
		const common = { conversationId: "tree" };
		const root = await store.appendMessage({ ...common, payload: "root" });
		await store.appendMessage({ ...common, payload: "left" });
		await sessions.branch({ ...common, messageId: root.messageId });
		await store.appendMessage({ ...common, payload: "right" });
		await sessions.appendBranchSummary({ ...common, summary: "abandoned", fromBranch: 0 });
		await sessions.compact({ ...common, summary: "shortened" });
		await sessions.appendCustom({ ...common, payload: "bookmark" });
		for (const word of ["root", "left", "right", "abandoned", "shortened"])
			expect(await search(word)).toEqual(["tree"]);
		expect(await search("bookmark")).toEqual([]);
		expect(await search("left right")).toEqual(["tree"]);
	});

	it("forgets at once what is updated, deleted or cleared", async () => {
		const { store, search } = await project();
		const common = { conversationId: "c" };
		await store.createConversation({ ...common, metadata: { title: "secret" } });
		for (const messageId of ["1", "2", "3"])
			await store.appendMessage({ ...common, messageId, payload: `word${messageId}` });
		await store.updateMessage({ messageId: "1", payload: "other" });
		expect(await search("word1")).toEqual([]);
		expect(await search("other")).toEqual(["c"]);
		await store.deleteMessage({ messageId: "2" });
		expect(await search("word2")).toEqual([]);
		await store.clearMessages(common);
		expect(await search("word3")).toEqual([]);
		expect(await search("secret")).toEqual(["c"]);
		await store.updateConversation({ ...common, metadata: { title: null } });
		expect(await search("secret")).toEqual([]);
		await store.appendMessage({ ...common, payload: "again" });
		await store.deleteConversation(common);
		expect(await search("again")).toEqual([]);
	});

	it("ISO-2: finds nothing of another project, and with a browser token only its conversations", async () => {
		const { store, search } = await project();
		const other = await project();
		await other.store.appendMessage({ conversationId: "theirs", payload: "shared words" });
		expect(await search("shared")).toEqual([]);
		for (const conversationId of ["mine", "hidden"]) {
			await gateway.store.createConversation({ conversationId, metadata: { title: "shared" } });
			await gateway.store.appendMessage({ conversationId, payload: "words" });
		}
		const token = await createBrowserToken(gateway, { conversationIds: ["mine", "absent"], role: "READ" });
		const limited = sessionsOf(gateway, token);
		for (const word of ["shared", "words", "shared words"]) expect(await find(limited, word)).toEqual(["mine"]);
		expect(await find(sessionsOf(gateway, gateway.token), "shared words")).toEqual(["hidden", "mine"]);
		await store.appendMessage({ conversationId: "theirs", payload: "mine" });
		expect(await other.search("mine")).toEqual([]);
	});

	it("CONV-3: lists the latest updated first, page by page, with cursors of that search alone", async () => {
		const { projectId, store, sessions } = await project();
		const ids = Array.from({ length: 23 }, (_, index) => `c${String(index).padStart(2, "0")}`);
		for (const conversationId of ids) await store.appendMessage({ conversationId, payload: "apple pear" });
		await query(
			gateway,
			"UPDATE conversations SET updated_at = date_trunc('hour', now()) + (substr(conversation_id, 2)::int % 3) * interval '1 second' WHERE project_id = $1",
			[projectId],
		);
		const order = [...ids].sort((a, b) => (Number(b.slice(1)) % 3) - (Number(a.slice(1)) % 3) || (a < b ? 1 : -1));
		for (const limit of [1, 7, 23, 50]) expect(await find(sessions, "pear", limit)).toEqual(order);
		const page = await sessions.searchConversations({ search: "pear", limit: 23 });
		expect(page.nextCursor).toBeNull();
		expect(page.items[0]).toEqual(await store.getConversation({ conversationId: order[0]! }));
		const { nextCursor: cursor } = await sessions.searchConversations({ search: "pear", limit: 5 });
		expect((await failure(sessions.searchConversations({ search: "apple", cursor }))).message).toMatch(
			/^after: .*MSG-8/,
		);
		expect((await failure(store.listConversations({ cursor }))).code).toBe("BadRequest");
		const { nextCursor: ofList } = await store.listConversations({ limit: 5 });
		expect((await failure(sessions.searchConversations({ search: "pear", cursor: ofList }))).code).toBe("BadRequest");
	});

	it.each<[string, string | number | null, RegExp]>([
		["empty", "", /^search: must be a non-empty string/],
		["null", null, /^search: must be a non-empty string/],
		["a number", 5, /^search: must be a non-empty string/],
		["too long", "汉".repeat(86), /^search: must be at most 256 UTF-8 bytes/],
		["with U+0000", "a\0b", /^search: must not contain U\+0000/],
		["with a lone surrogate", "a\ud800", /^search: must not contain a lone surrogate/],
	])("refuses a search that is %s", async (_, search, message) => {
		const error = await failure(sessionsOf(gateway, gateway.token).searchConversations({ search: search as string }));
		expect(error).toMatchObject({ code: "BadRequest", message: expect.stringMatching(message) });
		if (search === null) return;
		const document = "query ($search: String) { conversations(search: $search) { nodes { conversationId } } }";
		const answer = await sendRaw(gateway, { query: document, variables: { search } });
		expect(answer).toMatchObject({ status: 400, errors: [{ extensions: { code: "BadRequest" } }] });
	});

	it.each([" \t ", "--- !!", "%", "\u3000。"])("refuses a search for nothing: %j", async (search) => {
		const error = await failure(sessionsOf(gateway, gateway.token).searchConversations({ search }));
		expect(error).toMatchObject({ code: "BadRequest", message: expect.stringMatching(/^search: must hold something/) });
	});

	it("takes 256 bytes, and as many words as fit", async () => {
		const { store, search } = await project();
		const words = Array.from({ length: 64 }, (_, index) => index.toString(36).padStart(3, "w")).join(" ");
		await store.appendMessage({ conversationId: "c", payload: words });
		expect(await search(words)).toEqual(["c"]);
		expect(await search("汉".repeat(85))).toEqual([]);
	});

	it("names the command where it is not enabled, and lists as ever", async () => {
		const plain = await startGateway();
		await plain.store.appendMessage({ conversationId: "c", payload: "word" });
		const error = await failure(sessionsOf(plain, plain.token).searchConversations({ search: "word" }));
		expect((await plain.store.listConversations()).items).toHaveLength(1);
		await plain.close();
		expect(error).toMatchObject({ code: "BadRequest", status: 400 });
		expect(error.message).toMatch(/^search: is not enabled .*"agent-gateway search enable"/);
	});
});
