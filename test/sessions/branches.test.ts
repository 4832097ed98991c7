import { createSessions, type Sessions } from "@iga-pages/agent/sessions";
import { createSession } from "@iga-pages/agent/store/openai";
import type { AgentInputItem } from "@openai/agents";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { failure } from "../support/errors.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { drainMessages } from "../support/pages.ts";
import { sendRaw } from "../support/raw.ts";
import { rowVersions } from "../support/sql.ts";

let gateway: TestGateway;
let sessions: Sessions;
let conversations = 0;

beforeAll(async () => {
	gateway = await startGateway();
	sessions = createSessions({ url: gateway.url, token: gateway.token });
});

afterAll(() => gateway.close());

/** A conversation whose messages are called as their texts. */
async function converse(...texts: string[]): Promise<string> {
	const conversationId = `branching-${++conversations}`;
	await gateway.store.createConversation({ conversationId });
	for (const text of texts) await say(conversationId, text);
	return conversationId;
}

const idOf = (conversationId: string, text: string) => `${conversationId} ${text}`;

function say(conversationId: string, text: string) {
	return gateway.store.appendMessage({ conversationId, messageId: idOf(conversationId, text), payload: text });
}

function branchAt(conversationId: string, text: string | null) {
	return sessions.branch({ conversationId, messageId: text === null ? null : idOf(conversationId, text) });
}

async function path(conversationId: string, branch?: number): Promise<unknown[]> {
	const { items } = await sessions.listPath({ conversationId, branch: branch ?? null, limit: 200 });
	return items.map(({ payload }) => payload);
}

async function listed(conversationId: string): Promise<unknown[]> {
	return (await drainMessages(gateway.store, { conversationId })).map(({ payload }) => payload);
}

describe("branch", () => {
	it("MSG-12: moves the leaf, keeps the move and deletes nothing", async () => {
		const conversationId = await converse("u1", "a1", "u2");
		expect(await branchAt(conversationId, "u1")).toEqual({
			branch: 1,
			parentBranch: 0,
			forkSeq: "1",
			leafMessageId: idOf(conversationId, "u1"),
			active: true,
			createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
		});
		expect(await listed(conversationId)).toEqual(["u1"]);
		const other = await startGateway({ databaseUrl: gateway.databaseUrl });
		const elsewhere = createSessions({ url: other.url, token: gateway.token });
		expect((await elsewhere.listPath({ conversationId })).items.map(({ payload }) => payload)).toEqual(["u1"]);
		await other.close();
		await say(conversationId, "a2");
		expect(await listed(conversationId)).toEqual(["u1", "a2"]);
		expect(await path(conversationId, 0)).toEqual(["u1", "a1", "u2"]);
		expect(await gateway.store.getMessage({ messageId: idOf(conversationId, "a2") })).toMatchObject({
			seq: "4",
			branch: 1,
			kind: "message",
			label: null,
			sourceMessageId: null,
		});
	});

	it("branches of branches show what they share and what is their own", async () => {
		const conversationId = await converse("u1", "a1");
		await branchAt(conversationId, "u1");
		await say(conversationId, "a2");
		await branchAt(conversationId, "a1");
		await say(conversationId, "u2");
		await branchAt(conversationId, "a2");
		await say(conversationId, "u3");
		const branches = await sessions.listBranches({ conversationId });
		expect(branches.map(({ branch, active }) => [branch, active])).toEqual([
			[0, false],
			[1, true],
		]);
		expect(await path(conversationId, 0)).toEqual(["u1", "a1", "u2"]);
		expect(await path(conversationId, 1)).toEqual(["u1", "a2", "u3"]);
		await branchAt(conversationId, "a2");
		await say(conversationId, "u4");
		await branchAt(conversationId, "a2");
		await say(conversationId, "u5");
		expect(await path(conversationId, 2)).toEqual(["u1", "a2", "u4"]);
		expect(await path(conversationId, 3)).toEqual(["u1", "a2", "u5"]);
	});

	it("before the first message begins a path of its own", async () => {
		const conversationId = await converse("u1", "a1");
		expect(await branchAt(conversationId, null)).toMatchObject({ branch: 1, forkSeq: "0", leafMessageId: null });
		expect(await listed(conversationId)).toEqual([]);
		await say(conversationId, "v1");
		expect(await listed(conversationId)).toEqual(["v1"]);
		expect(await path(conversationId, 0)).toEqual(["u1", "a1"]);
	});

	it("at the leaf, at the end of a branch and in an empty conversation begins nothing", async () => {
		const conversationId = await converse();
		expect(await branchAt(conversationId, null)).toMatchObject({ branch: 0, leafMessageId: null });
		await say(conversationId, "u1");
		const before = await rowVersions(gateway);
		expect(await branchAt(conversationId, "u1")).toMatchObject({ branch: 0 });
		expect(await rowVersions(gateway)).toEqual(before);
		await say(conversationId, "a1");
		expect(await branchAt(conversationId, "u1")).toMatchObject({ branch: 1 });
		expect(await branchAt(conversationId, "u1")).toMatchObject({ branch: 1 });
		expect(await branchAt(conversationId, "a1")).toMatchObject({ branch: 0 });
		expect(await branchAt(conversationId, "u1")).toMatchObject({ branch: 1 });
		expect(await sessions.listBranches({ conversationId })).toHaveLength(2);
	});

	it("takes the branch that ends there because what it left its parent at is deleted", async () => {
		const conversationId = await converse("u1", "a1", "u2");
		await branchAt(conversationId, "a1");
		await gateway.store.deleteMessage({ messageId: idOf(conversationId, "a1") });
		await sessions.switchBranch({ conversationId, branch: 0 });
		expect(await branchAt(conversationId, "u1")).toMatchObject({
			branch: 1,
			leafMessageId: idOf(conversationId, "u1"),
		});
		await gateway.store.deleteMessage({ messageId: idOf(conversationId, "u1") });
		await sessions.switchBranch({ conversationId, branch: 0 });
		expect(await branchAt(conversationId, null)).toMatchObject({ branch: 1, leafMessageId: null });
		expect(await sessions.listBranches({ conversationId })).toHaveLength(2);
	});

	it("takes such a branch of a branch that goes on from there itself", async () => {
		const conversationId = await converse("u1", "a1");
		await branchAt(conversationId, "u1");
		await say(conversationId, "a2");
		await say(conversationId, "u2");
		await branchAt(conversationId, "a2");
		await gateway.store.deleteMessage({ messageId: idOf(conversationId, "a2") });
		await sessions.switchBranch({ conversationId, branch: 0 });
		expect(await branchAt(conversationId, "u1")).toMatchObject({
			branch: 2,
			leafMessageId: idOf(conversationId, "u1"),
		});
		expect(await path(conversationId, 1)).toEqual(["u1", "u2"]);
	});

	it("takes none that shows another message between", async () => {
		const conversationId = await converse("u1", "a1", "u2", "a2");
		await branchAt(conversationId, "u2");
		await gateway.store.deleteMessage({ messageId: idOf(conversationId, "u2") });
		await sessions.switchBranch({ conversationId, branch: 0 });
		expect(await branchAt(conversationId, "u1")).toMatchObject({
			branch: 2,
			leafMessageId: idOf(conversationId, "u1"),
		});
		expect(await path(conversationId, 1)).toEqual(["u1", "a1"]);
	});

	it("refuses messages that are unknown or of another conversation, and leaves the leaf", async () => {
		const conversationId = await converse("u1", "a1");
		const other = await converse("x1");
		for (const messageId of ["nobody", idOf(other, "x1")]) {
			expect(await failure(sessions.branch({ conversationId, messageId }))).toMatchObject({
				code: "NotFound",
				status: 404,
				message: expect.stringContaining(messageId),
			});
		}
		expect(await failure(sessions.branch({ conversationId: "nobody", messageId: null }))).toMatchObject({
			code: "NotFound",
		});
		expect(await failure(sessions.branch({ conversationId } as never))).toMatchObject({ code: "BadRequest" });
		const raw = `mutation { branch(input: { conversationId: ${JSON.stringify(conversationId)} }) { branch { branch } } }`;
		expect((await sendRaw(gateway, { query: raw })).errors[0]?.message).toMatch(/messageId: is required/);
		expect(await listed(conversationId)).toEqual(["u1", "a1"]);
	});

	it("ISO-2: does not see the messages of another project", async () => {
		const conversationId = await converse("u1", "a1");
		const { token } = await gateway.createProject();
		const stranger = createSessions({ url: gateway.url, token });
		const messageId = idOf(conversationId, "u1");
		const refused = [
			stranger.branch({ conversationId, messageId }),
			stranger.switchBranch({ conversationId, branch: 0 }),
			stranger.fork({ conversationId }),
			stranger.setLabel({ messageId, label: "mine" }),
			stranger.getConfig({ conversationId }),
		];
		for (const error of await Promise.all(refused.map(failure))) expect(error.code).toBe("NotFound");
		expect(await stranger.getContext({ conversationId })).toEqual([]);
		expect(await stranger.listBranches({ conversationId })).toEqual([]);
		expect(await stranger.getStats({ conversationId })).toMatchObject({ messageCount: 0, branchCount: 0 });
	});

	it("by two at once leaves both branches whole", async () => {
		const conversationId = await converse("u1", "a1");
		const texts = Array.from({ length: 20 }, (_, index) => `p${index}`);
		await Promise.all([
			...texts.map((text) => say(conversationId, text)),
			...texts.map((_, index) => branchAt(conversationId, index % 2 === 0 ? "u1" : "a1")),
		]);
		const tree = await sessions.getTree({ conversationId, limit: 200 });
		expect(tree.items.map(({ seq }) => Number(seq))).toEqual(Array.from({ length: 22 }, (_, index) => index + 1));
		const branches = await sessions.listBranches({ conversationId });
		const paths = await Promise.all(branches.map(({ branch }) => path(conversationId, branch)));
		expect(new Set(paths.flat()).size).toBe(22);
		for (const shown of paths) expect(shown[0]).toBe("u1");
	});

	it("reports the branch of each conversation in one nested read", async () => {
		const first = await converse("u1", "a1");
		await branchAt(first, "u1");
		const query = `{ conversations(first: 2) { nodes { conversationId branches { branch active leafMessageId } } } }`;
		const { data } = await sendRaw(gateway, { query });
		expect(data).toMatchObject({
			conversations: {
				nodes: [
					{
						conversationId: first,
						branches: [
							{ branch: 0, active: false, leafMessageId: idOf(first, "a1") },
							{ branch: 1, active: true, leafMessageId: idOf(first, "u1") },
						],
					},
					{},
				],
			},
		});
	});
});

describe("switchBranch", () => {
	it("makes any branch the active one and refuses unknown ones", async () => {
		const conversationId = await converse("u1", "a1");
		await branchAt(conversationId, "u1");
		await say(conversationId, "a2");
		expect(await sessions.switchBranch({ conversationId, branch: 0 })).toMatchObject({ branch: 0, active: true });
		expect(await listed(conversationId)).toEqual(["u1", "a1"]);
		await say(conversationId, "u2");
		expect(await path(conversationId, 0)).toEqual(["u1", "a1", "u2"]);
		expect(await path(conversationId, 1)).toEqual(["u1", "a2"]);
		const refused = [
			sessions.switchBranch({ conversationId, branch: 2 }),
			sessions.switchBranch({ conversationId: "nobody", branch: 0 }),
			sessions.listPath({ conversationId, branch: 2 }),
			sessions.getContext({ conversationId, branch: 2 }),
		];
		for (const error of await Promise.all(refused.map(failure))) {
			expect(error).toMatchObject({ code: "NotFound", status: 404 });
		}
		for (const branch of [-1, 0.5, "0", 2 ** 31]) {
			expect(await failure(sessions.switchBranch({ conversationId, branch: branch as number }))).toMatchObject({
				code: "BadRequest",
				message: expect.stringMatching(/^branch: /),
			});
		}
	});
});

describe("walks through branches", () => {
	it("MSG-8 MSG-12: stay on the branch on which they began", async () => {
		const conversationId = await converse("u1", "a1", "u2", "a2");
		const first = await gateway.store.listMessages({ conversationId, limit: 2 });
		await branchAt(conversationId, "u1");
		await say(conversationId, "x");
		const second = await gateway.store.listMessages({ conversationId, limit: 2, cursor: first.nextCursor });
		expect(second.items.map(({ payload }) => payload)).toEqual(["u2", "a2"]);
		expect(second.nextCursor).toBeNull();
	});

	it("MSG-8: refuse the cursor of another branch", async () => {
		const conversationId = await converse("u1", "a1");
		await branchAt(conversationId, "u1");
		await say(conversationId, "a2");
		const { nextCursor: cursor } = await sessions.listPath({ conversationId, branch: 0, limit: 1 });
		expect(cursor).not.toBeNull();
		expect(await failure(sessions.listPath({ conversationId, branch: 1, limit: 1, cursor }))).toMatchObject({
			code: "BadRequest",
		});
		expect(await failure(gateway.store.listMessages({ conversationId, cursor }))).toMatchObject({ code: "BadRequest" });
		const rest = await sessions.listPath({ conversationId, branch: 0, limit: 1, cursor });
		expect(rest.items.map(({ payload }) => payload)).toEqual(["a1"]);
	});

	it("MSG-12: show all branches by seq where GraphQL asks for them", async () => {
		const conversationId = await converse("u1", "a1");
		await branchAt(conversationId, "u1");
		await say(conversationId, "a2");
		const read = async (args: string) => {
			const query = `query ($id: String!) { messages(conversationId: $id ${args}) { nodes { payload branch } pageInfo { hasNextPage endCursor } } }`;
			const { data, errors } = await sendRaw(gateway, { query, variables: { id: conversationId } });
			type Read = { nodes: { payload: string; branch: number }[]; pageInfo: { endCursor: string } } | null;
			return { messages: (data?.["messages"] ?? null) as Read, errors };
		};
		const all = await read("allBranches: true first: 2");
		expect(all.messages?.nodes.map(({ payload, branch }) => [payload, branch])).toEqual([
			["u1", 0],
			["a1", 0],
		]);
		const rest = await read(`allBranches: true first: 2 after: "${all.messages?.pageInfo.endCursor}"`);
		expect(rest.messages?.nodes.map(({ payload, branch }) => [payload, branch])).toEqual([["a2", 1]]);
		const newest = await read("allBranches: true order: DESC");
		expect(newest.messages?.nodes.map(({ payload }) => payload)).toEqual(["a2", "a1", "u1"]);
		expect((await read("branch: 0")).messages?.nodes.map(({ payload }) => payload)).toEqual(["u1", "a1"]);
		expect((await read("branch: 0 allBranches: true")).errors[0]?.message).toMatch(/^branch: /);
		expect((await read(`branch: 1 after: "${all.messages?.pageInfo.endCursor}"`)).errors[0]?.extensions.code).toBe(
			"BadRequest",
		);
	});
});

describe("clearMessages", () => {
	it("MSG-12: removes messages and branches of all branches, and keeps metadata, config, createdAt and counter", async () => {
		const conversationId = await converse("u1", "a1");
		await gateway.store.updateConversation({ conversationId, metadata: { title: "kept" } });
		await sessions.setConfig({ conversationId, config: { model: "kept" } });
		const before = await gateway.store.getConversation({ conversationId });
		await sessions.setLabel({ messageId: idOf(conversationId, "a1"), label: "gone" });
		await branchAt(conversationId, "u1");
		await sessions.compact({ conversationId, summary: "gone" });
		const walk = await sessions.listPath({ conversationId, branch: 1, limit: 1 });
		await gateway.store.clearMessages({ conversationId });
		expect(await sessions.getTree({ conversationId })).toEqual({ items: [], nextCursor: null });
		expect(await sessions.listLabels({ conversationId })).toEqual([]);
		expect(await sessions.getContext({ conversationId })).toEqual([]);
		expect(await sessions.listBranches({ conversationId })).toMatchObject([{ branch: 0, active: true }]);
		expect(await sessions.getConfig({ conversationId })).toEqual({ model: "kept" });
		expect(await gateway.store.getConversation({ conversationId })).toMatchObject({
			metadata: { title: "kept" },
			createdAt: before?.createdAt,
		});
		expect(await say(conversationId, "next")).toMatchObject({ seq: "4", branch: 0 });
		expect((await sessions.listPath({ conversationId, branch: 1, cursor: walk.nextCursor })).items).toEqual([]);
	});
});

describe("the OpenAI session", () => {
	const item = (content: string): AgentInputItem => ({ type: "message", role: "user", content });

	it("MSG-12: reads the active path, and takes nothing from branches that share it", async () => {
		const conversationId = `branching-${++conversations}`;
		const session = createSession(conversationId, { store: gateway.store });
		await session.addItems([item("u1"), item("a1"), item("u2")]);
		const [, second, third] = await drainMessages(gateway.store, { conversationId });
		await sessions.branch({ conversationId, messageId: second!.messageId });
		await session.addItems([item("v2")]);
		expect(await session.getItems()).toEqual([item("u1"), item("a1"), item("v2")]);
		expect(await session.popItem()).toEqual(item("v2"));
		expect(await session.popItem()).toEqual(item("a1"));
		expect(await session.getItems()).toEqual([item("u1")]);
		await session.addItems([item("w")]);
		expect((await sessions.listPath({ conversationId, branch: 0 })).items.map(({ messageId }) => messageId)).toContain(
			third!.messageId,
		);
		await sessions.switchBranch({ conversationId, branch: 0 });
		expect(await session.getItems()).toEqual([item("u1"), item("a1"), item("u2")]);
		await session.applyHistoryTransaction({
			operationId: "replace",
			transaction: {
				type: "replace_suffix",
				expectedSuffix: [item("u1"), item("a1"), item("u2")],
				replacement: [item("r")],
			},
		});
		expect(await session.getItems()).toEqual([item("r")]);
		await sessions.switchBranch({ conversationId, branch: 1 });
		expect(await session.getItems()).toEqual([item("u1"), item("w")]);
	});

	it("MSG-12: pops from a branch on which another one hangs, and that one keeps its path", async () => {
		const conversationId = `branching-${++conversations}`;
		const session = createSession(conversationId, { store: gateway.store });
		await session.addItems([item("u1"), item("a1")]);
		const [first] = await drainMessages(gateway.store, { conversationId });
		await sessions.branch({ conversationId, messageId: first!.messageId });
		await session.addItems([item("x")]);
		const shared = (await drainMessages(gateway.store, { conversationId })).at(-1)!.messageId;
		await session.addItems([item("y")]);
		await sessions.branch({ conversationId, messageId: shared });
		await session.addItems([item("z")]);
		await sessions.switchBranch({ conversationId, branch: 1 });
		expect(await session.popItem()).toEqual(item("y"));
		expect(await session.popItem()).toEqual(item("x"));
		expect(await session.getItems()).toEqual([item("u1")]);
		expect(await session.popItem()).toEqual(item("u1"));
		expect(await session.getItems()).toEqual([]);
		await sessions.switchBranch({ conversationId, branch: 2 });
		expect(await session.getItems()).toEqual([item("u1"), item("x"), item("z")]);
		await sessions.switchBranch({ conversationId, branch: 0 });
		expect(await session.getItems()).toEqual([item("u1"), item("a1")]);
	});

	it("MSG-12: reads a long branched path in several pages as one snapshot", async () => {
		const conversationId = `branching-${++conversations}`;
		const session = createSession(conversationId, { store: gateway.store });
		const items = Array.from({ length: 2_300 }, (_, index) => item(String(index)));
		await session.addItems(items.slice(0, 1_500));
		const { items: newest } = await gateway.store.listMessages({ conversationId, order: "desc", limit: 11 });
		await sessions.branch({ conversationId, messageId: newest.at(-1)!.messageId });
		await session.addItems(items.slice(1_490));
		expect(await session.getItems()).toEqual(items);
		expect(await session.getItems(2_200)).toEqual(items.slice(-2_200));
	});
});
