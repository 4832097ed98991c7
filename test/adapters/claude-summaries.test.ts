import { createStore } from "@iga-pages/agent/store";
import {
	createSessionStore,
	type FoldSessionSummary,
	type SessionStore,
	type SessionStoreEntry,
} from "@iga-pages/agent/store/claude";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createToken } from "../../server/store/tokens.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { type LossyFetch, lossyFetch } from "../support/lost-answers.ts";

let gateway: TestGateway;
let lossy: LossyFetch;
let sessions: SessionStore;
let folded: string[];
let keys = 0;

beforeAll(async () => {
	lossy = lossyFetch();
	gateway = await startGateway({ store: { fetch: lossy.fetch } });
	sessions = createSessionStore({ store: gateway.store, foldSessionSummary: fold });
	folded = [];
});
afterAll(() => gateway.close());

/** Folds as the framework does: some fields are set once, others by the last entry that has them. */
const fold: FoldSessionSummary = (previous, { sessionId }, entries, { mtime = 0 } = {}) => {
	const data: Record<string, unknown> = structuredClone(previous?.data ?? {});
	for (const entry of entries) {
		if (entry.uuid !== undefined) folded.push(entry.uuid);
		data["first"] ??= entry.uuid;
		data["last"] = entry.uuid;
		data["uuids"] = [...((data["uuids"] ?? []) as unknown[]), entry.uuid];
		if (entry["title"] !== undefined) data["title"] = entry["title"];
	}
	return { sessionId, mtime, data };
};

function newKey() {
	return { projectKey: `-home-app-${++keys}`, sessionId: "s1" };
}

function entry(uuid: string, extra: object = {}): SessionStoreEntry {
	return { type: "user", uuid, ...extra };
}

describe("summaries", () => {
	it("are the fold of the main transcript, as fresh as the list (contract 14)", async () => {
		const key = newKey();
		await sessions.append(key, [entry("a", { title: "nul \u0000, lone \ud83c" }), entry("b")]);
		await sessions.append({ ...key, subpath: "subagents/agent-1" }, [entry("of an agent", { title: "wrong" })]);
		await sessions.append({ ...key, sessionId: "s2" }, [entry("c")]);
		const [listed, summaries] = [
			await sessions.listSessions(key.projectKey),
			await sessions.listSessionSummaries(key.projectKey),
		];
		const mtimes = Object.fromEntries(listed.map(({ sessionId, mtime }) => [sessionId, mtime]));
		expect(summaries.sort((a, b) => a.sessionId.localeCompare(b.sessionId))).toEqual([
			{
				sessionId: "s1",
				mtime: mtimes["s1"],
				data: { first: "a", last: "b", uuids: ["a", "b"], title: "nul \u0000, lone \ud83c" },
			},
			{ sessionId: "s2", mtime: mtimes["s2"], data: { first: "c", last: "c", uuids: ["c"] } },
		]);
		await sessions.delete(key);
		expect(await sessions.listSessionSummaries(key.projectKey)).toMatchObject([{ sessionId: "s2" }]);
		expect(await sessions.listSessionSummaries(newKey().projectKey)).toEqual([]);
	});

	it("fold each entry once, however often they are listed", async () => {
		const key = newKey();
		folded = [];
		await sessions.append(key, [entry("a")]);
		for (const uuid of ["b", "c", "d"]) {
			await sessions.listSessionSummaries(key.projectKey);
			await sessions.listSessionSummaries(key.projectKey);
			await sessions.append(key, [entry(uuid)]);
			await sessions.append({ ...key, subpath: "subagents/agent-1" }, [entry(uuid)]);
		}
		const [summary] = await sessions.listSessionSummaries(key.projectKey);
		expect(summary?.data).toEqual({ first: "a", last: "d", uuids: ["a", "b", "c", "d"] });
		expect(folded).toEqual(["a", "b", "c", "d"]);
	});

	it("are read without a transcript when nothing was appended since", async () => {
		const key = newKey();
		for (const sessionId of ["s1", "s2", "s3"]) await sessions.append({ ...key, sessionId }, [entry("a")]);
		await sessions.listSessionSummaries(key.projectKey);
		const sent = lossy.sent;
		await sessions.listSessionSummaries(key.projectKey);
		expect(lossy.sent - sent).toBe(1);
	});

	it("lose no fold of two processes that append and list at once", async () => {
		const key = newKey();
		const other = createSessionStore({
			store: createStore({ url: gateway.url, token: gateway.token }),
			foldSessionSummary: fold,
		});
		await Promise.all(
			[sessions, other].map(async (process, index) => {
				for (let turn = 0; turn < 25; turn++) {
					await process.append(key, [entry(`${index}-${turn}`)]);
					const [summary] = await process.listSessionSummaries(key.projectKey);
					expect(summary?.data["uuids"]).toContain(`${index}-${turn}`);
				}
			}),
		);
		const [summary] = await sessions.listSessionSummaries(key.projectKey);
		const uuids = (await sessions.load(key))?.map(({ uuid }) => uuid);
		expect(uuids).toHaveLength(50);
		expect(summary?.data["uuids"]).toEqual(uuids);
	});

	it("know nothing of a transcript that was deleted and begun anew", async () => {
		const key = newKey();
		await sessions.append(key, [entry("a"), entry("b")]);
		await sessions.listSessionSummaries(key.projectKey);
		await sessions.delete(key);
		await sessions.append(key, [entry("c")]);
		const [summary] = await sessions.listSessionSummaries(key.projectKey);
		expect(summary?.data).toEqual({ first: "c", last: "c", uuids: ["c"] });
	});

	it("are not stored when the transcript grew while it was folded", async () => {
		const key = newKey();
		await sessions.append(key, [entry("a")]);
		let listing = 0;
		const store = createStore({
			url: gateway.url,
			token: gateway.token,
			fetch: async (url, init) => {
				// The third request of a listing stores the summary.
				if (++listing === 3) await sessions.append(key, [entry("b")]);
				return fetch(url, init);
			},
		});
		const [stale] = await createSessionStore({ store, foldSessionSummary: fold }).listSessionSummaries(key.projectKey);
		const [listed] = await sessions.listSessions(key.projectKey);
		expect(stale?.mtime).toBeLessThan(listed?.mtime ?? 0);
		const [fresh] = await sessions.listSessionSummaries(key.projectKey);
		expect(fresh).toMatchObject({ mtime: listed?.mtime, data: { uuids: ["a", "b"] } });
	});

	it("leave out a session whose fold fails, and list the others", async () => {
		const { projectKey } = newKey();
		await sessions.append({ projectKey, sessionId: "good" }, [entry("a")]);
		await sessions.append({ projectKey, sessionId: "bad" }, [entry("a")]);
		const picky = createSessionStore({
			store: gateway.store,
			foldSessionSummary: (previous, key, entries, options) => {
				if (key.sessionId === "bad") throw new Error("no summary for this one");
				return fold(previous, key, entries, options);
			},
		});
		expect(await picky.listSessionSummaries(projectKey)).toMatchObject([{ sessionId: "good" }]);
	});

	it("are made, though not stored, for a credential that may only read", async () => {
		const { projectId, store } = await gateway.createProject();
		const key = newKey();
		await createSessionStore({ store }).append(key, [entry("a")]);
		const token = await createToken(gateway.db, { projectId, role: "read", name: "reader" });
		const reader = createSessionStore({
			store: createStore({ url: gateway.url, token }),
			foldSessionSummary: fold,
		});
		for (let round = 0; round < 2; round++) {
			expect(await reader.listSessionSummaries(key.projectKey)).toMatchObject([{ data: { uuids: ["a"] } }]);
		}
	});

	it("fold a transcript of many pages in order", async () => {
		const key = newKey();
		const uuids = Array.from({ length: 2_100 }, (_, index) => `u${index}`);
		await sessions.append(
			key,
			uuids.map((uuid) => entry(uuid)),
		);
		const [summary] = await sessions.listSessionSummaries(key.projectKey);
		expect(summary?.data["uuids"]).toEqual(uuids);
	});
});

describe("without the framework's fold function", () => {
	it("appends work, and only summaries that others stored are listed", async () => {
		const key = newKey();
		const old = createSessionStore({ store: gateway.store });
		await old.append(key, [entry("a")]);
		expect(await old.listSessionSummaries(key.projectKey)).toEqual([]);
		await sessions.listSessionSummaries(key.projectKey);
		await old.append(key, [entry("b")]);
		const [stored] = await old.listSessionSummaries(key.projectKey);
		expect(stored?.data["uuids"]).toEqual(["a"]);
		expect(stored?.mtime).toBeLessThan((await old.listSessions(key.projectKey))[0]?.mtime ?? 0);
		const [fresh] = await sessions.listSessionSummaries(key.projectKey);
		expect(fresh?.data["uuids"]).toEqual(["a", "b"]);
	});
});
