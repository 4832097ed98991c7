import {
	type AgentStore,
	createAgentStore,
	createSessions,
	type JsonObject,
	type JsonValue,
	type Sessions,
	type StatesOptions,
} from "@iga-pages/agent/sessions";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { failure } from "../support/errors.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { lossyFetch } from "../support/lost-answers.ts";
import { drainMessages } from "../support/pages.ts";

let gateway: TestGateway;
let agents: AgentStore;
let sessions: Sessions;

function agentsOf(options: StatesOptions = {}): AgentStore {
	const { url, token } = gateway;
	return createAgentStore({ url, token, ...options });
}

beforeAll(async () => {
	gateway = await startGateway();
	const { url, token } = gateway;
	agents = agentsOf();
	sessions = createSessions({ url, token });
});

afterAll(() => gateway.close());

const user = (content: string) => ({ role: "user", content });
const assistant = (content: string) => ({ role: "assistant", content, toolCalls: [{ id: "1", arguments: "{}" }] });
const TURN = [user("Plan A"), assistant("First plan"), user("And then?"), assistant("Second plan")];

function save(key: string, messages: JsonValue[], rest: JsonObject = {}) {
	return agents.save({ key, state: { ...rest, messages } });
}

async function payloads(conversationId: string): Promise<JsonValue[]> {
	return (await drainMessages(gateway.store, { conversationId })).map(({ payload }) => payload);
}

describe("an agent's state", () => {
	it("comes back as it was saved: its messages are those of the conversation", async () => {
		const rest = { status: "interrupted", turn: 2, usage: { totalTokens: 42 }, interruptReason: { data: null } };
		const saved = await agents.save({ key: "round", state: { ...rest, messages: TURN }, version: 3 });
		expect(saved).toEqual({ key: "round", revision: "1", updatedAt: expect.stringMatching(/Z$/) });
		expect(await agents.load({ key: "round" })).toEqual({ ...saved, version: 3, state: { ...rest, messages: TURN } });
		const stored = await drainMessages(gateway.store, { conversationId: "round" });
		expect(stored.map(({ role, payload }) => [role, payload])).toEqual(TURN.map((it) => [it.role, it]));
		expect(await gateway.store.getConversation({ conversationId: "round" })).toMatchObject({ metadata: {} });
	});

	it("may be saved without any message, as after a first turn that failed", async () => {
		await save("empty", [], { status: "error" });
		expect(await agents.load({ key: "empty" })).toMatchObject({ state: { status: "error", messages: [] } });
		await save("user only", [user("Hello")], { status: "error" });
		expect(await payloads("user only")).toEqual([user("Hello")]);
	});

	it("appends the new messages only, when it goes on where the path ends", async () => {
		await save("goes on", TURN.slice(0, 2), { turn: 1 });
		const before = await drainMessages(gateway.store, { conversationId: "goes on" });
		expect(await save("goes on", TURN, { turn: 2 })).toMatchObject({ revision: "2" });
		const after = await drainMessages(gateway.store, { conversationId: "goes on" });
		expect(after.slice(0, 2)).toEqual(before);
		expect(after.map(({ seq }) => seq)).toEqual(["1", "2", "3", "4"]);
		await save("goes on", TURN, { turn: 3 });
		expect(await drainMessages(gateway.store, { conversationId: "goes on" })).toEqual(after);
		expect(await agents.load({ key: "goes on" })).toMatchObject({ state: { turn: 3 }, revision: "3" });
	});

	it("goes on from messages that differ in the order of keys alone", async () => {
		await save("keys", [{ role: "user", content: { a: 1, b: 2.5 } }]);
		await save("keys", [{ content: { b: 2.5, a: 1 }, role: "user" }, user("next")]);
		expect(await payloads("keys")).toEqual([{ role: "user", content: { a: 1, b: 2.5 } }, user("next")]);
	});

	it("VAL-3: keeps messages that are any JSON, with roles that could be none", async () => {
		const messages: JsonValue[] = [
			null,
			[],
			"text",
			{ role: 7 },
			{ role: "x".repeat(300) },
			{ role: "\0" },
			{ "": {} },
		];
		await save("any", messages);
		await save("any", [...messages, 1]);
		expect((await agents.load({ key: "any" }))?.state.messages).toEqual([...messages, 1]);
		const stored = await drainMessages(gateway.store, { conversationId: "any" });
		expect(stored.map(({ role }) => role)).toEqual(Array.from({ length: 8 }, () => null));
	});

	it("of a conversation that no agent saved has its messages alone", async () => {
		await gateway.store.appendMessage({ conversationId: "foreign", role: "user", payload: user("Hello") });
		const snapshot = await agents.load({ key: "foreign" });
		expect(snapshot).toMatchObject({ key: "foreign", version: 0, revision: "0" });
		expect(snapshot?.state).toEqual({ messages: [user("Hello")] });
		await agents.save({ key: "foreign", state: { messages: [user("Hello"), user("there")] }, expectedRevision: "0" });
		expect(await payloads("foreign")).toEqual([user("Hello"), user("there")]);
	});

	it("is null, and not there, without a conversation", async () => {
		expect(await agents.load({ key: "unknown" })).toBeNull();
		expect(await agents.has({ key: "unknown" })).toBe(false);
	});

	it("goes with its conversation", async () => {
		for (const remove of [
			() => gateway.store.deleteConversation({ conversationId: "gone" }),
			() => agents.delete({ key: "gone" }),
		]) {
			await save("gone", TURN, { secret: 1 });
			expect(await agents.has({ key: "gone" })).toBe(true);
			await remove();
			expect(await agents.load({ key: "gone" })).toBeNull();
			await gateway.store.appendMessage({ conversationId: "gone", payload: "new" });
			expect(await agents.load({ key: "gone" })).toMatchObject({ revision: "0", state: { messages: ["new"] } });
			await gateway.store.deleteConversation({ conversationId: "gone" });
		}
	});

	it("MSG-11: keeps its rest when the messages are cleared, and goes on without them", async () => {
		await save("cleared", TURN, { turn: 2 });
		await gateway.store.clearMessages({ conversationId: "cleared" });
		expect(await agents.load({ key: "cleared" })).toMatchObject({ state: { turn: 2, messages: [] }, revision: "1" });
		await save("cleared", [user("Anew")], { turn: 3 });
		expect(await payloads("cleared")).toEqual([user("Anew")]);
	});

	it("is listed with all conversations, the latest updated first", async () => {
		const project = await gateway.createProject();
		const own = agentsOf({ token: project.token });
		await project.store.createConversation({ conversationId: "a" });
		for (const key of ["b", "c"]) await own.save({ key, state: { messages: [] }, version: 1 });
		const first = await own.list({ limit: 2 });
		expect(first.items.map(({ key, version, revision }) => [key, version, revision])).toEqual([
			["c", 1, "1"],
			["b", 1, "1"],
		]);
		const second = await own.list({ limit: 2, cursor: first.nextCursor });
		expect(second).toMatchObject({ items: [{ key: "a", version: 0, revision: "0" }], nextCursor: null });
		expect((await agents.list({ limit: 200 })).items.map(({ key }) => key)).not.toContain("a");
	});
});

describe("messages that diverge", () => {
	it.each<[string, JsonValue[], RegExp]>([
		[
			"in the middle",
			[TURN[0]!, user("Other"), ...TURN.slice(2)],
			/messages\[1\]: differs from message ".+" with seq 2/,
		],
		["at the end", [...TURN.slice(0, 3), assistant("Other")], /messages\[3\]: differs from message ".+" with seq 4/],
		["from the beginning", [user("Other")], /messages\[0\]: differs from message ".+" with seq 1/],
		["by being fewer", TURN.slice(0, 3), /messages: ends before message ".+" with seq 4/],
		["by being none", [], /messages: ends before message ".+" with seq 1/],
	])("are a Conflict that names the point, and nothing is written: %s", async (name, messages, point) => {
		const key = `diverging ${name}`;
		await save(key, TURN, { turn: 2 });
		const [before, state] = [await drainMessages(gateway.store, { conversationId: key }), await agents.load({ key })];
		const error = await failure(save(key, messages, { turn: 3 }));
		expect(error).toMatchObject({ code: "Conflict", status: 409, message: expect.stringMatching(point) });
		expect(error.message).not.toContain("plan");
		expect(await drainMessages(gateway.store, { conversationId: key })).toEqual(before);
		expect(await agents.load({ key })).toEqual(state);
	});

	it("go on after the caller branched; the other branch, labels and the name stay", async () => {
		const conversationId = "branching";
		await save(conversationId, TURN);
		await gateway.store.updateConversation({ conversationId, metadata: { title: "Plans" } });
		const [, first, , last] = await drainMessages(gateway.store, { conversationId });
		await sessions.setLabel({ messageId: last!.messageId, label: "best" });
		const other = [...TURN.slice(0, 2), user("Try a different plan")];
		expect((await failure(save(conversationId, other))).code).toBe("Conflict");
		await sessions.branch({ conversationId, messageId: first!.messageId });
		await save(conversationId, other);
		expect((await agents.load({ key: conversationId }))?.state.messages).toEqual(other);
		await sessions.switchBranch({ conversationId, branch: 0 });
		expect((await agents.load({ key: conversationId }))?.state.messages).toEqual(TURN);
		expect(await sessions.listLabels({ conversationId })).toMatchObject([{ messageId: last!.messageId }]);
		expect(await gateway.store.getConversation({ conversationId })).toMatchObject({ metadata: { title: "Plans" } });
	});

	it("go on after the caller compacted; what it left out stays stored", async () => {
		const conversationId = "compacting";
		await save(conversationId, TURN);
		const [, , kept] = await drainMessages(gateway.store, { conversationId });
		const firstKeptMessageId = kept!.messageId;
		await sessions.compact({ conversationId, summary: "They plan.", firstKeptMessageId });
		const summary = { role: "system", type: "compaction_summary", content: "They plan." };
		const context = [summary, ...TURN.slice(2)];
		expect((await agents.load({ key: conversationId }))?.state.messages).toEqual(context);
		expect((await failure(save(conversationId, [...TURN, user("next")]))).code).toBe("Conflict");
		await save(conversationId, [...context, user("next")]);
		await sessions.appendBranchSummary({ conversationId, summary: "Plan A was too dear." });
		await sessions.appendCustom({ conversationId, payload: "never in a context" });
		const told = { role: "system", type: "branch_summary", content: "Plan A was too dear." };
		await save(conversationId, [...context, user("next"), told, assistant("end")]);
		expect((await agents.load({ key: conversationId }))?.state.messages).toEqual([
			...context,
			user("next"),
			told,
			assistant("end"),
		]);
		const { messageCount, compactionCount } = await sessions.getStats({ conversationId });
		expect([messageCount, compactionCount]).toEqual([6, 1]);
	});

	it("are the messages of a fork's own", async () => {
		await save("source", TURN);
		const [, first] = await drainMessages(gateway.store, { conversationId: "source" });
		const { conversationId: key } = await sessions.fork({ conversationId: "source", messageId: first!.messageId });
		expect((await agents.load({ key }))?.state).toEqual({ messages: TURN.slice(0, 2) });
		await save(key, [...TURN.slice(0, 2), user("Elsewhere")]);
		expect(await payloads("source")).toEqual(TURN);
	});
});

describe("agents that save at the same time", () => {
	it("lose nothing: of two turns that go on from one state the second is a Conflict", async () => {
		for (let round = 0; round < 10; round++) {
			const key = `race ${round}`;
			await save(key, TURN);
			const turns = Array.from({ length: 4 }, (_, by) => [...TURN, user(`${by}`), assistant(`${by}`)]);
			const outcomes = await Promise.allSettled(turns.map((messages) => save(key, messages)));
			const winners = turns.filter((_, index) => outcomes[index]?.status === "fulfilled");
			expect(winners).toHaveLength(1);
			expect(await payloads(key)).toEqual(winners[0]);
		}
	});

	it("create a conversation once, and lose nothing then either", async () => {
		for (let round = 0; round < 10; round++) {
			const key = `first ${round}`;
			const outcomes = await Promise.allSettled([0, 1, 2, 3].map((by) => save(key, [user(`${by}`)])));
			expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
			expect(await payloads(key)).toHaveLength(1);
		}
	});

	it("see by expectedRevision when the rest was saved meanwhile", async () => {
		const { revision } = await save("rest", TURN, { turn: 1 });
		await save("rest", TURN, { turn: 2 });
		const late = { key: "rest", state: { turn: 1, messages: TURN }, expectedRevision: revision };
		const error = await failure(agents.save(late));
		expect(error).toMatchObject({ code: "Conflict", message: expect.stringContaining("is 2, not 1") });
		expect(await agents.load({ key: "rest" })).toMatchObject({ state: { turn: 2 } });
	});

	it("ERR-4: save once when the answer gets lost, under whatever precondition", async () => {
		const lossy = lossyFetch();
		lossy.losing = 2;
		const unlucky = agentsOf({ fetch: lossy.fetch });
		const saved = await unlucky.save({ key: "lost", state: { messages: TURN }, expectedRevision: "0" });
		expect(lossy.sent).toBe(3);
		expect(saved.revision).toBe("1");
		expect(await payloads("lost")).toEqual(TURN);
	});
});

describe("a long history", () => {
	it("is loaded whole, over several pages, and continued", async () => {
		const messages = Array.from({ length: 4_500 }, (_, index) => user(`message ${index}`));
		await save("long", messages);
		expect((await agents.load({ key: "long" }))?.state.messages).toEqual(messages);
		await save("long", [...messages, user("one more")]);
		expect((await agents.load({ key: "long" }))?.state.messages).toHaveLength(4_501);
	});
});

describe("a load over several pages", () => {
	it("shows the state as it was when it began, whatever is saved meanwhile", async () => {
		const messages = Array.from({ length: 2_100 }, (_, index) => user(`message ${index}`));
		await save("meanwhile", messages, { turn: 1 });
		let requests = 0;
		const slow = agentsOf({
			fetch: async (url, init) => {
				if (++requests === 2) await save("meanwhile", [...messages, user("late")], { turn: 2 });
				return fetch(url, init);
			},
		});
		expect(await slow.load({ key: "meanwhile" })).toMatchObject({ revision: "1", state: { turn: 1, messages } });
		expect(requests).toBe(2);
		expect((await agents.load({ key: "meanwhile" }))?.state.messages).toHaveLength(2_101);
	});

	it("is null when the conversation is deleted meanwhile", async () => {
		await save(
			"vanishes",
			Array.from({ length: 2_100 }, () => null),
		);
		let requests = 0;
		const slow = agentsOf({
			fetch: async (url, init) => {
				if (++requests === 2) await agents.delete({ key: "vanishes" });
				return fetch(url, init);
			},
		});
		expect(await slow.load({ key: "vanishes" })).toBeNull();
	});
});

describe("versions of an agent's state", () => {
	const migrators = { 0: ({ step, ...rest }: JsonObject) => ({ ...rest, turn: step ?? 0 }) };

	it("are migrated without the messages, which the conversation keeps as they are", async () => {
		await save("old", TURN, { step: 5 });
		const program = agentsOf({
			version: 1,
			migrators: { 0: (state) => ({ ...migrators[0](state), saw: Object.keys(state) }) },
		});
		const snapshot = await program.load({ key: "old" });
		expect(snapshot).toMatchObject({ version: 1, state: { turn: 5, saw: ["step"], messages: TURN } });
		await program.save({ key: "old", state: { ...snapshot!.state, messages: [...TURN, user("next")] } });
		expect(await agents.load({ key: "old" })).toMatchObject({ version: 1, revision: "2" });
	});

	it("are refused when newer; a conversation without a state has none to refuse", async () => {
		await agents.save({ key: "new", state: { messages: [] }, version: 2 });
		const program = agentsOf({ version: 1, migrators });
		expect((await failure(program.load({ key: "new" }))).code).toBe("Conflict");
		await gateway.store.createConversation({ conversationId: "none" });
		expect(await program.load({ key: "none" })).toMatchObject({ version: 1, state: { messages: [] } });
	});
});

describe("what the agent store refuses", () => {
	it.each<[string, unknown, RegExp]>([
		["no state", undefined, /^state: /],
		["an array", [], /^state: /],
		["no messages", { status: "idle" }, /^state\.messages: /],
		["a message that is no JSON", { messages: [1, undefined] }, /^state\.messages\[1\]: /],
		["a hole", { messages: new Array(1) }, /^state\.messages\[0\]: /],
		["a rest that is no JSON", { messages: [], at: 1n }, /^state\.at: .*VAL-5/],
	])("%s", async (_, state, message) => {
		const error = await failure(agents.save({ key: "refused", state: state as JsonObject }));
		expect(error).toMatchObject({ code: "BadRequest", message: expect.stringMatching(message) });
		expect(await agents.has({ key: "refused" })).toBe(false);
	});

	it("VAL-7: a message over 16 MiB, by the SDK and by the gateway", async () => {
		const messages = [user("x"), user("x".repeat(16 * 1024 * 1024))];
		const error = await failure(save("refused", messages));
		expect(error).toMatchObject({ code: "PayloadTooLarge", message: expect.stringMatching(/^state\.messages\[1\]: /) });
		const document = "mutation ($input: SaveAgentStateInput!) { saveAgentState(input: $input) { revision } }";
		const input = { conversationId: "refused", messages, state: {} };
		const answer = await gateway.post({ query: document, variables: { input } });
		expect(answer.status).toBe(413);
		expect(await agents.has({ key: "refused" })).toBe(false);
	});
});
