import { createSessions } from "@iga-pages/agent/sessions";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ArchiveRecord } from "../../client/session-types.ts";
import { createBrowserToken } from "../support/browser-tokens.ts";
import { startGateway, type TestGateway, type TestProject } from "../support/gateway.ts";
import { HOSTILE_JSON } from "../support/hostile-json.ts";
import { sendRaw } from "../support/raw.ts";
import { archiveOf, conversationRecord, recordsOf as recordsOfText } from "./places.ts";

let gateway: TestGateway;
let source: ReturnType<typeof createSessions>;
let project: TestProject;
let target: ReturnType<typeof createSessions>;

beforeAll(async () => {
	gateway = await startGateway({ limits: { pageBytes: 100_000 } });
	project = await gateway.createProject();
	source = createSessions({ url: gateway.url, token: gateway.token });
	target = createSessions({ url: gateway.url, token: project.token });
});
afterAll(() => gateway.close());

async function fill(conversationId: string): Promise<void> {
	const { store } = gateway;
	await store.createConversation({ conversationId, metadata: { ...HOSTILE_JSON } });
	for (let batch = 0; batch < 3; batch++) {
		const messages = Array.from({ length: 100 }, (_, n) => ({
			messageId: `${conversationId} ${batch * 100 + n + 1}`,
			payload: { ...HOSTILE_JSON, text: "x".repeat(1_000) },
		}));
		await store.appendMessages({ conversationId, messages });
	}
	await source.branch({ conversationId, messageId: `${conversationId} 5` });
	await store.appendMessage({ conversationId, messageId: `${conversationId} side`, payload: deep(200) });
}

function deep(levels: number): object {
	let value: object = [];
	for (let level = 1; level < levels; level++) value = [value];
	return value;
}

async function recordsOf(records: AsyncIterable<ArchiveRecord>): Promise<ArchiveRecord[]> {
	const all: ArchiveRecord[] = [];
	for await (const record of records) all.push(record);
	return all;
}

describe("sessions.exportConversation and importConversation", () => {
	it("carry a conversation of many pages to another project, whole", async () => {
		await fill("whole");
		const records = await recordsOf(source.exportConversation({ conversationId: "whole" }));
		const kinds = records.map(({ record }) => record);
		expect(kinds).toEqual(["archive", "conversation", "branch", ...Array(301).fill("message"), "end"]);
		expect(records.at(-1)).toEqual({ record: "end", records: 303 });
		const { imported } = await target.importConversation(source.exportConversation({ conversationId: "whole" }));
		expect(imported).toBe(true);
		expect(await recordsOf(target.exportConversation({ conversationId: "whole" }))).toEqual([
			expect.objectContaining({ record: "archive" }),
			...records.slice(1),
		]);
		expect(await target.importConversation(records.slice(1))).toEqual({ imported: false });
	});

	it("are bounded at the first page: what is appended during the walk is not in it", async () => {
		await fill("walked");
		const walk = source.exportConversation({ conversationId: "walked" });
		const records = [(await walk.next()).value as ArchiveRecord];
		await gateway.store.appendMessage({ conversationId: "walked", payload: "later" });
		records.push(...(await recordsOf(walk)));
		expect(records.filter(({ record }) => record === "message")).toHaveLength(301);
		expect(await target.importConversation(records)).toEqual({ imported: true });
	});

	it("say what is wrong: unknown, other content, taken ids, another conversation", async () => {
		const unknown = source.exportConversation({ conversationId: "unknown" }).next();
		await expect(unknown).rejects.toMatchObject({ code: "NotFound" });
		expect(() => source.exportConversation({ conversationId: "" })).toThrow("conversationId: must be a non-empty");
		await gateway.store.appendMessage({ conversationId: "one", messageId: "one", payload: 1 });
		const records = await recordsOf(source.exportConversation({ conversationId: "one" }));
		await target.importConversation(records);
		await project.store.appendMessage({ conversationId: "one", payload: 2 });
		await expect(target.importConversation(records)).rejects.toMatchObject({
			code: "Conflict",
			message: "input.lines[1]: is there already, with other content; it was left as it is",
		});
		const renamed = records.map((record) =>
			record.record === "conversation" ? { ...record, conversationId: "two" } : record,
		);
		await expect(target.importConversation(renamed)).rejects.toMatchObject({
			code: "Conflict",
			message: "input.lines[2]: message: a message with its messageId is there already",
		});
		expect(await project.store.getConversation({ conversationId: "two" })).toBeNull();
		const twice = [...records, ...records];
		await expect(target.importConversation(twice)).rejects.toMatchObject({ code: "BadRequest" });
		await expect(target.importConversation([])).rejects.toMatchObject({ code: "BadRequest" });
	});

	it("refuse cursors of another conversation, and of one that was deleted meanwhile (MSG-8)", async () => {
		const ask = (conversationId: string, after: string) =>
			sendRaw(gateway, {
				query:
					"query ($id: String!, $after: String) { conversationArchive(conversationId: $id, first: 1, after: $after) { pageInfo { endCursor } } }",
				variables: { id: conversationId, after },
			});
		await gateway.store.appendMessage({ conversationId: "gone", payload: 1 });
		const first = await ask("gone", null as never);
		const { endCursor } = (first.data as { conversationArchive: { pageInfo: { endCursor: string } } })
			.conversationArchive.pageInfo;
		expect((await ask("one", endCursor)).status).toBe(400);
		expect((await ask("gone", endCursor)).status).toBe(200);
		await gateway.store.deleteConversation({ conversationId: "gone" });
		await gateway.store.appendMessage({ conversationId: "gone", payload: 1 });
		expect((await ask("gone", endCursor)).status).toBe(400);
	});

	it("reach the conversations of a limited token only; erase is closed to it", async () => {
		const token = await createBrowserToken(gateway, { conversationIds: ["one"] });
		const limited = createSessions({ url: gateway.url, token });
		expect(await recordsOf(limited.exportConversation({ conversationId: "one" }))).toHaveLength(4);
		await expect(limited.exportConversation({ conversationId: "whole" }).next()).rejects.toMatchObject({
			code: "NotFound",
		});
		const whole = await recordsOf(source.exportConversation({ conversationId: "whole" }));
		await expect(limited.importConversation(whole)).rejects.toMatchObject({ code: "Forbidden" });
		await expect(limited.erase({ conversationId: "one" })).rejects.toMatchObject({ code: "Forbidden" });
	});

	it("neither show a limited token what an interrupted run goes on with, nor take it from one", async () => {
		const interrupt = { shown: { reason: "tool_approval", data: null }, state: { call: "anything" }, branch: 0 };
		const run = { status: "interrupted", interrupt };
		const forged = recordsOfText(archiveOf([conversationRecord("waiting", { run })])) as object[] as ArchiveRecord[];
		const token = await createBrowserToken(gateway, { conversationIds: ["waiting"] });
		const limited = createSessions({ url: gateway.url, token });
		await expect(limited.importConversation(forged)).rejects.toMatchObject({ code: "Forbidden" });
		expect(await gateway.store.getConversation({ conversationId: "waiting" })).toBeNull();
		await source.importConversation(forged);
		await expect(limited.exportConversation({ conversationId: "waiting" }).next()).rejects.toMatchObject({
			code: "Forbidden",
		});
		expect(await recordsOf(source.exportConversation({ conversationId: "waiting" }))).toHaveLength(3);
	});
});
