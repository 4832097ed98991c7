import { createSessionStore, type FoldSessionSummary, type SessionStore } from "@iga-pages/agent/store/claude";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startGateway, type TestGateway, type TestProject } from "../support/gateway.ts";
import { sendRaw } from "../support/raw.ts";

let gateway: TestGateway;
let other: TestProject;
let own: SessionStore;
let foreign: SessionStore;
let keys = 0;

const fold: FoldSessionSummary = (previous, { sessionId }, entries, { mtime = 0 } = {}) => ({
	sessionId,
	mtime,
	data: { count: Number(previous?.data["count"] ?? 0) + entries.length },
});

beforeAll(async () => {
	gateway = await startGateway();
	other = await gateway.createProject();
	own = createSessionStore({ store: gateway.store, foldSessionSummary: fold });
	foreign = createSessionStore({ store: other.store, foldSessionSummary: fold });
});
afterAll(() => gateway.close());

const ENTRIES = [{ type: "user", uuid: "a", text: "own" }, { type: "mode" }];

/** A session with a subagent and a stored summary, of the first project. */
async function ownSession() {
	const key = { projectKey: `-home-app-${++keys}`, sessionId: "s1" };
	const sub = { ...key, subpath: "subagents/agent-1" };
	await own.append(key, ENTRIES);
	await own.append(sub, ENTRIES);
	await own.listSessionSummaries(key.projectKey);
	return { key, sub };
}

describe("another project (ISO-2)", () => {
	it("sees an absent session in every read", async () => {
		const { key, sub } = await ownSession();
		expect(await foreign.load(key)).toBeNull();
		expect(await foreign.load(sub)).toBeNull();
		expect(await foreign.listSessions(key.projectKey)).toEqual([]);
		expect(await foreign.listSessionSummaries(key.projectKey)).toEqual([]);
		expect(await foreign.listSubkeys(key)).toEqual([]);
	});

	it("appends to a session of its own, with uuids of its own", async () => {
		const { key, sub } = await ownSession();
		const entries = [{ type: "user", uuid: "a", text: "foreign" }];
		await foreign.append(key, entries);
		await foreign.append(sub, entries);
		expect(await foreign.load(key)).toEqual(entries);
		expect(await own.load(key)).toEqual(ENTRIES);
		expect(await own.load(sub)).toEqual(ENTRIES);
	});

	it("deletes nothing that is not its own", async () => {
		const { key, sub } = await ownSession();
		await foreign.delete(sub);
		await foreign.delete(key);
		expect(await own.load(key)).toEqual(ENTRIES);
		expect(await own.listSubkeys(key)).toEqual([sub.subpath]);
		expect(await own.listSessionSummaries(key.projectKey)).toMatchObject([{ data: { count: 2 } }]);
	});

	it("cannot set a summary", async () => {
		const { key } = await ownSession();
		const [listed] = await own.listSessions(key.projectKey);
		const answer = await sendRaw(
			gateway,
			{
				query: `mutation ($input: SetTranscriptSummaryInput!) { setTranscriptSummary(input: $input) { stored } }`,
				variables: { input: { ...key, mtime: listed?.mtime, summary: "{}" } },
			},
			other.token,
		);
		expect(answer).toMatchObject({ status: 200, data: { setTranscriptSummary: { stored: false } } });
		expect(await own.listSessionSummaries(key.projectKey)).toMatchObject([{ data: { count: 2 } }]);
	});

	it("cannot use a cursor of any list", async () => {
		const { key, sub } = await ownSession();
		await own.append({ ...key, sessionId: "s2" }, ENTRIES);
		await own.append({ ...sub, subpath: "subagents/agent-2" }, ENTRIES);
		const session = `projectKey: ${JSON.stringify(key.projectKey)}, sessionId: "s1"`;
		const lists = [
			`transcripts(projectKey: ${JSON.stringify(key.projectKey)}, first: 1`,
			`transcriptSummaries(projectKey: ${JSON.stringify(key.projectKey)}, first: 1`,
			`transcriptEntries(${session}, first: 1`,
			`transcriptSubpaths(${session}, first: 1`,
		];
		for (const list of lists) {
			const page = `{ pageInfo { hasNextPage endCursor } }`;
			const first = await sendRaw(gateway, { query: `{ it: ${list}) ${page} }` });
			const { hasNextPage, endCursor } = (first.data!["it"] as { pageInfo: Record<string, unknown> }).pageInfo;
			expect(hasNextPage).toBe(true);
			const next = `{ it: ${list}, after: ${JSON.stringify(endCursor)}) ${page} }`;
			expect((await sendRaw(gateway, { query: next })).data?.["it"]).toMatchObject({
				pageInfo: { hasNextPage: false },
			});
			const refused = await sendRaw(gateway, { query: next }, other.token);
			expect(refused).toMatchObject({ status: 400, errors: [{ extensions: { code: "BadRequest" } }] });
		}
	});
});

describe("the raw operations", () => {
	const append = `mutation ($input: AppendTranscriptInput!) { appendTranscript(input: $input) { appended } }`;

	it("count what is new", async () => {
		const key = { projectKey: `raw-${++keys}`, sessionId: "s1" };
		const send = (start: number, entries: string[], batchId = "b") =>
			sendRaw(gateway, { query: append, variables: { input: { ...key, batchId, start, entries } } });
		const appended = async (answer: ReturnType<typeof send>) => (await answer).data?.["appendTranscript"];
		expect(await appended(send(0, ["{}", '{"uuid":"a"}', '{"uuid":"a"}']))).toEqual({ appended: 2 });
		expect(await appended(send(0, ["{}", '{"uuid":"a"}']))).toEqual({ appended: 0 });
		expect(await appended(send(1, ["{}", "{}"]))).toEqual({ appended: 1 });
		expect(await appended(send(0, ["{}"], "c"))).toEqual({ appended: 1 });
		expect(await own.load(key)).toEqual([{}, { uuid: "a" }, {}, {}]);
	});

	it("refuse what is not JSON text, naming the entry", async () => {
		const key = { projectKey: `raw-${++keys}`, sessionId: "s1" };
		for (const bad of ["", "{", "undefined", '{"a":"\u0000"}', '"\ud800"']) {
			const input = { ...key, batchId: "b", start: 0, entries: ["{}", bad] };
			const answer = await sendRaw(gateway, { query: append, variables: { input } });
			expect(answer.errors[0]).toMatchObject({
				message: expect.stringContaining("input.entries[1]"),
				extensions: { code: "BadRequest" },
			});
		}
		expect(await own.load(key)).toBeNull();
	});

	it("refuse an append that is empty, too long, or starts before its batch", async () => {
		const key = { projectKey: `raw-${++keys}`, sessionId: "s1" };
		for (const [field, part] of [
			["input.entries", { entries: [] }],
			["input.entries", { entries: Array.from({ length: 1_001 }, () => "{}") }],
			["input.start", { start: -1 }],
			["input.batchId", { batchId: "" }],
		] as const) {
			const input = { ...key, batchId: "b", start: 0, entries: ["{}"], ...part };
			const answer = await sendRaw(gateway, { query: append, variables: { input } });
			expect(answer).toMatchObject({ status: 400, errors: [{ message: expect.stringContaining(field) }] });
		}
		expect(await own.load(key)).toBeNull();
	});

	it("store a summary only for the mtime that it was made for", async () => {
		const { key } = await ownSession();
		const [listed] = await own.listSessions(key.projectKey);
		const set = (mtime: number, summary: string) =>
			sendRaw(gateway, {
				query: `mutation ($input: SetTranscriptSummaryInput!) { setTranscriptSummary(input: $input) { stored } }`,
				variables: { input: { ...key, mtime, summary } },
			});
		expect((await set(listed!.mtime - 1, "{}")).data).toEqual({ setTranscriptSummary: { stored: false } });
		expect((await set(listed!.mtime, '{"count":9}')).data).toEqual({ setTranscriptSummary: { stored: true } });
		expect(await own.listSessionSummaries(key.projectKey)).toMatchObject([{ data: { count: 9 } }]);
		for (const summary of ["[]", "null", "{", `{"x":"${"y".repeat(1024 * 1024)}"}`]) {
			expect((await set(listed!.mtime, summary)).errors[0]?.message).toContain("input.summary");
		}
	});
});
