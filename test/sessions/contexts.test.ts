import { createSessions, type Sessions } from "@iga-pages/agent/sessions";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { failure } from "../support/errors.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { rowVersions } from "../support/sql.ts";

let gateway: TestGateway;
let sessions: Sessions;
let conversations = 0;

beforeAll(async () => {
	gateway = await startGateway();
	sessions = createSessions({ url: gateway.url, token: gateway.token });
});

afterAll(() => gateway.close());

async function converse(...texts: string[]): Promise<string> {
	const conversationId = `context-${++conversations}`;
	const messages = texts.map((text) => ({ messageId: `${conversationId} ${text}`, payload: text }));
	if (messages.length > 0) await gateway.store.appendMessages({ conversationId, messages });
	return conversationId;
}

async function context(conversationId: string, branch?: number): Promise<unknown[]> {
	const messages = await sessions.getContext({ conversationId, branch: branch ?? null });
	return messages.map(({ kind, payload }) => (kind === "message" ? payload : { kind, payload }));
}

const summary = (text: string, rest: object = {}) => ({ kind: "compaction", payload: { summary: text, ...rest } });

describe("getContext", () => {
	it("is the path where nothing was compacted, and empty for an unknown conversation", async () => {
		const conversationId = await converse("u1", "a1");
		expect(await context(conversationId)).toEqual(["u1", "a1"]);
		expect(await context("nobody")).toEqual([]);
	});

	it("begins with the last compaction on the path, then shows what it keeps, the first kept message included", async () => {
		const conversationId = await converse("u1", "a1", "u2");
		const firstKeptMessageId = `${conversationId} u2`;
		await sessions.compact({ conversationId, summary: "first" });
		expect(await context(conversationId)).toEqual([summary("first"), "u1", "a1", "u2"]);
		const stored = await sessions.compact({ conversationId, summary: "second", firstKeptMessageId, details: [null] });
		expect(stored).toMatchObject({ kind: "compaction", seq: "5", role: null, type: null, metadata: {} });
		await gateway.store.appendMessage({ conversationId, payload: "a2" });
		const second = summary("second", { firstKeptMessageId, details: [null] });
		expect(await context(conversationId)).toEqual([second, "u2", "a2"]);
		const page = await gateway.store.listMessages({ conversationId });
		expect(page.items.map(({ kind }) => kind)).toEqual([
			"message",
			"message",
			"message",
			"compaction",
			"compaction",
			"message",
		]);
	});

	it("of a branch that left before the compaction shows everything", async () => {
		const conversationId = await converse("u1", "a1");
		await sessions.compact({ conversationId, summary: "s", firstKeptMessageId: `${conversationId} a1` });
		await sessions.branch({ conversationId, messageId: `${conversationId} a1` });
		await gateway.store.appendMessage({ conversationId, payload: "u2" });
		expect(await context(conversationId)).toEqual(["u1", "a1", "u2"]);
		expect(await context(conversationId, 0)).toEqual([
			summary("s", { firstKeptMessageId: `${conversationId} a1` }),
			"a1",
		]);
	});

	it("goes on with the next message on the path where the first kept one was deleted", async () => {
		const conversationId = await converse("u1", "a1", "u2", "a2");
		await sessions.compact({ conversationId, summary: "s", firstKeptMessageId: `${conversationId} a1` });
		await gateway.store.deleteMessage({ messageId: `${conversationId} a1` });
		expect((await context(conversationId)).slice(1)).toEqual(["u2", "a2"]);
		for (const text of ["u2", "a2"]) await gateway.store.deleteMessage({ messageId: `${conversationId} ${text}` });
		expect((await context(conversationId)).slice(1)).toEqual([]);
	});

	it("shows branch summaries and never what is custom, and never interprets type and payload", async () => {
		const conversationId = await converse("u1");
		await gateway.store.appendMessage({ conversationId, type: "compaction", payload: { summary: "not one" } });
		await sessions.appendBranchSummary({ conversationId, summary: "there", fromBranch: 0 });
		const custom = await sessions.appendCustom({ conversationId, payload: null, type: "bookmark" });
		expect(custom).toMatchObject({ kind: "custom", type: "bookmark", payload: null });
		expect(await context(conversationId)).toEqual([
			"u1",
			{ summary: "not one" },
			{ kind: "branch_summary", payload: { summary: "there", fromBranch: 0 } },
		]);
	});

	it("reads a context of several pages whole", async () => {
		const conversationId = await converse();
		for (let round = 0; round < 21; round++) {
			const messages = Array.from({ length: 100 }, (_, index) => ({ payload: round * 100 + index }));
			await gateway.store.appendMessages({ conversationId, messages });
		}
		await sessions.compact({ conversationId, summary: "s" });
		const messages = await sessions.getContext({ conversationId });
		expect(messages.map(({ payload }) => payload)).toEqual([
			{ summary: "s" },
			...Array.from({ length: 2_100 }, (_, index) => index),
		]);
	});
});

describe("what session operations append", () => {
	it("refuses a first kept message that is unknown, of another conversation or on another branch", async () => {
		const conversationId = await converse("u1", "a1");
		const other = await converse("x1");
		await sessions.branch({ conversationId, messageId: `${conversationId} u1` });
		const before = await rowVersions(gateway);
		for (const firstKeptMessageId of ["nobody", `${other} x1`, `${conversationId} a1`]) {
			expect(await failure(sessions.compact({ conversationId, summary: "s", firstKeptMessageId }))).toMatchObject({
				code: "BadRequest",
				message: expect.stringMatching(/firstKeptMessageId: must be a message of the active path/),
			});
		}
		expect(await failure(sessions.appendBranchSummary({ conversationId, summary: "s", fromBranch: 7 }))).toMatchObject({
			code: "BadRequest",
			message: expect.stringMatching(/fromBranch/),
		});
		expect(await failure(sessions.compact({ conversationId, summary: 1 as never }))).toMatchObject({
			code: "BadRequest",
			message: expect.stringMatching(/^summary: /),
		});
		expect(await rowVersions(gateway)).toEqual(before);
	});

	it("MSG-3: returns the stored message on a repetition, and is a Conflict with another content or kind", async () => {
		const conversationId = await converse("u1");
		const compaction = { conversationId, messageId: "c1", summary: "s", firstKeptMessageId: `${conversationId} u1` };
		const stored = await sessions.compact(compaction);
		const branchSummary = { conversationId, messageId: "b1", summary: "s", fromBranch: 0 };
		const summarised = await sessions.appendBranchSummary(branchSummary);
		const custom = { conversationId, messageId: "x1", payload: { summary: "s" } };
		const kept = await sessions.appendCustom(custom);
		await gateway.store.deleteMessage({ messageId: `${conversationId} u1` });
		const before = await rowVersions(gateway);
		expect(await sessions.compact(compaction)).toEqual(stored);
		expect(await sessions.appendBranchSummary(branchSummary)).toEqual(summarised);
		expect(await sessions.appendCustom(custom)).toEqual(kept);
		const refused = [
			sessions.compact({ conversationId, messageId: "c1", summary: "other" }),
			sessions.appendCustom({ conversationId, messageId: "b1", payload: { summary: "s", fromBranch: 0 } }),
			gateway.store.appendMessage(custom),
		];
		for (const error of await Promise.all(refused.map(failure))) {
			expect(error).toMatchObject({ code: "Conflict", error: { code: "23505" } });
		}
		expect(await rowVersions(gateway)).toEqual(before);
	});

	it("is written by its own operation only, and can be deleted", async () => {
		const conversationId = await converse("u1");
		const { messageId } = await sessions.compact({ conversationId, summary: "s" });
		expect(await failure(gateway.store.updateMessage({ messageId, payload: "mine" }))).toMatchObject({
			code: "BadRequest",
			message: expect.stringMatching(/compaction/),
		});
		await gateway.store.deleteMessage({ messageId });
		expect(await context(conversationId)).toEqual(["u1"]);
	});

	it("VAL-6: takes details as deep as they can be read", async () => {
		const conversationId = await converse("u1");
		const nested = (levels: number) => JSON.parse(`${"[".repeat(levels)}${"]".repeat(levels)}`) as [];
		await sessions.compact({ conversationId, summary: "s", details: nested(199) });
		expect(await failure(sessions.compact({ conversationId, summary: "s", details: nested(200) }))).toMatchObject({
			code: "BadRequest",
			message: expect.stringMatching(/details/),
		});
	});
});
