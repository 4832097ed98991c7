import { createStore } from "@iga-pages/agent/store";
import { createSessionStore, type SessionStore, type SessionStoreEntry } from "@iga-pages/agent/store/claude";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { failure } from "../support/errors.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { type LossyFetch, lossyFetch } from "../support/lost-answers.ts";
import { query } from "../support/sql.ts";

let gateway: TestGateway;
let lossy: LossyFetch;
let sessions: SessionStore;
let keys = 0;

beforeAll(async () => {
	lossy = lossyFetch();
	gateway = await startGateway({ store: { fetch: lossy.fetch } });
	sessions = createSessionStore({ store: gateway.store });
});
afterAll(() => gateway.close());

function newKey() {
	return { projectKey: `-home-app-${++keys}`, sessionId: "5f7e1a52-6c8f-4f3e-9c58-0d6f0a1f2b3c" };
}

function entry(uuid: string, extra: object = {}): SessionStoreEntry {
	return { type: "user", uuid, ...extra };
}

function many(count: number, prefix = "u"): SessionStoreEntry[] {
	return Array.from({ length: count }, (_, index) => entry(`${prefix}${index}`));
}

async function loadUuids(key: ReturnType<typeof newKey>): Promise<(string | undefined)[]> {
	return (await sessions.load(key))?.map(({ uuid }) => uuid) ?? [];
}

describe("what comes back", () => {
	it("is what JSON.stringify gives, whatever the entry holds", async () => {
		const key = newKey();
		const hostile: SessionStoreEntry[] = [
			entry("nul", { output: "a\u0000b" }),
			entry("lone surrogates", { text: "\ud800 \udc00x", "\ud83d": 1 }),
			entry("separators", { text: "\u2028\u2029\u007f\r\n\t汉😀" }),
			entry("proto", JSON.parse('{"__proto__":{"admin":true},"constructor":1}') as object),
			entry("numbers", { list: [1e21, 5e-324, -0, 2 ** 53, 0.1, Number.POSITIVE_INFINITY] }),
			entry("order", { 10: "ten", z: 1, a: 2, 9: "nine" }),
			entry("dropped", { gone: undefined, list: [undefined, Number.NaN], at: new Date(0) }),
			{ type: "" },
			entry("\u0000 in a uuid"),
			entry("\ud800 in a uuid"),
		];
		await sessions.append(key, hostile);
		const loaded = await sessions.load(key);
		expect(loaded?.map((it) => JSON.stringify(it))).toEqual(hostile.map((it) => JSON.stringify(it)));
		expect(Object.keys(loaded?.[3] ?? {})).toContain("__proto__");
		await sessions.append(
			key,
			structuredClone(hostile).filter(({ uuid }) => uuid !== undefined),
		);
		expect(await sessions.load(key)).toHaveLength(hostile.length);
	});

	it("may be nested far deeper than a message's payload", async () => {
		const key = newKey();
		const deep = JSON.parse(
			`{"type":"user","uuid":"deep","tree":${"[".repeat(2_000)}${"]".repeat(2_000)}}`,
		) as SessionStoreEntry;
		await sessions.append(key, [deep]);
		expect(JSON.stringify(await sessions.load(key))).toBe(JSON.stringify([deep]));
	});

	it("is what the entries were when append was called", async () => {
		const key = newKey();
		const entries = [entry("a", { text: "before" })];
		const appended = sessions.append(key, entries);
		entries[0]!["text"] = "after";
		entries.push(entry("b"));
		await appended;
		expect(await sessions.load(key)).toEqual([entry("a", { text: "before" })]);
	});

	it("is refused only where JSON has no text for it", async () => {
		const key = newKey();
		const loop = entry("loop");
		loop["self"] = loop;
		for (const bad of [loop, entry("big", { n: 1n }), undefined]) {
			const error = await failure(sessions.append(key, [entry("good"), bad as SessionStoreEntry]));
			expect(error).toMatchObject({ code: "BadRequest", message: "BadRequest: entries[1]: must be JSON" });
		}
		expect(await sessions.load(key)).toBeNull();
	});
});

describe("an entry with a uuid", () => {
	it("is stored once per transcript, the first time", async () => {
		const key = newKey();
		await sessions.append(key, [entry("1"), entry("2")]);
		await sessions.append(key, [entry("2", { late: true }), entry("3"), entry("3", { twice: true })]);
		expect(await sessions.load(key)).toEqual([entry("1"), entry("2"), entry("3")]);
	});

	it("is another one in a fork, a subpath or under another project key", async () => {
		const key = newKey();
		const turns = many(5);
		const places = [key, { ...key, sessionId: "fork" }, { ...key, subpath: "subagents/agent-1" }, newKey()];
		for (const place of places) await sessions.append(place, structuredClone(turns));
		for (const place of places) expect(await sessions.load(place)).toEqual(turns);
	});

	it("is not taken for another one with a similar uuid", async () => {
		const key = newKey();
		const uuids = ["A", "a", "a ", "ä", "a\u0308", "sha256:a", "x".repeat(300), `${"x".repeat(300)}y`];
		await sessions.append(
			key,
			uuids.map((uuid) => entry(uuid)),
		);
		expect(await loadUuids(key)).toEqual(uuids);
	});
});

describe("an entry without a uuid", () => {
	it("is stored as often as it is appended", async () => {
		const key = newKey();
		await sessions.append(key, [{ type: "mode" }, { type: "mode" }]);
		await sessions.append(key, [{ type: "mode" }]);
		await sessions.append(key, [{ type: "mode", uuid: "" }]);
		expect(await sessions.load(key)).toHaveLength(4);
	});

	it("is stored once where the same array is appended again, to the same key and unchanged", async () => {
		const key = newKey();
		const other = { ...key, sessionId: "other" };
		const entries: SessionStoreEntry[] = [{ type: "mode" }, { type: "last-prompt" }];
		for (const place of [key, key, other, { ...key, subpath: "subagents/agent-1" }])
			await sessions.append(place, entries);
		expect(await sessions.load(key)).toEqual(entries);
		expect(await sessions.load(other)).toEqual(entries);
		entries.push({ type: "cost-state" });
		await sessions.append(key, entries);
		expect(await sessions.load(key)).toHaveLength(2 + 3);
		entries.splice(0, 3, { type: "tools-used" });
		await sessions.append(key, entries);
		expect(await sessions.load(key)).toHaveLength(2 + 3 + 1);
	});
});

describe("a large append", () => {
	it("goes in slices of 500 entries", async () => {
		const key = newKey();
		const sent = lossy.sent;
		await sessions.append(key, many(501));
		expect(lossy.sent - sent).toBe(2);
		expect(await loadUuids(key)).toEqual(many(501).map(({ uuid }) => uuid));
	});

	it("goes in slices of 4 MiB", async () => {
		const key = newKey();
		const entries = many(12).map((it, index) => ({
			...it,
			text: String(index)
				.repeat(1024 * 1024)
				.slice(0, 1024 * 1024),
		}));
		const sent = lossy.sent;
		await sessions.append(key, entries);
		expect(lossy.sent - sent).toBe(4);
		expect(await sessions.load(key)).toEqual(entries);
	});

	it("takes one entry of 8 MB, escaped twice on its way", async () => {
		const key = newKey();
		const entries = [entry("a"), entry("large", { text: '"\\\n汉'.repeat(1_600_000) }), entry("b")];
		await sessions.append(key, entries);
		expect(await sessions.load(key)).toEqual(entries);
	});

	it("takes 70,000 entries and gives them back", async () => {
		const key = newKey();
		const entries = many(70_000).map((it, index) => (index % 7 === 0 ? { type: "mode", index } : it));
		await sessions.append(key, entries);
		expect(await sessions.load(key)).toEqual(entries);
		const [row] = await query<{ rows: number; last: string }>(
			gateway,
			"SELECT count(*)::int AS rows, max(seq) AS last FROM transcript_entries WHERE project_id = $1 AND project_key = $2",
			[gateway.projectId, key.projectKey],
		);
		expect(row).toEqual({ rows: 70_000, last: "70000" });
	}, 120_000);

	it("refuses an entry that fits no request, and stores what came before it", async () => {
		const key = newKey();
		const error = await failure(
			sessions.append(key, [entry("a"), entry("vast", { text: "x".repeat(65 * 1024 * 1024) })]),
		);
		expect(error).toMatchObject({ code: "PayloadTooLarge", status: 413 });
		expect(error.message).toMatch(/^PayloadTooLarge: .*64 MiB/);
		expect(await loadUuids(key)).toEqual(["a"]);
	});
});

describe("an append whose answer gets lost", () => {
	it("is repeated without a duplicate, in the middle of its slices", async () => {
		const key = newKey();
		const entries = many(1_600).map((it, index) => (index % 2 === 0 ? { type: "mode", index } : it));
		let requests = 0;
		const store = createStore({
			url: gateway.url,
			token: gateway.token,
			fetch: async (url, init) => {
				const answer = await fetch(url, init);
				if (++requests % 2 === 0) return answer;
				await answer.text();
				throw new TypeError("fetch failed", { cause: new Error("the answer got lost") });
			},
		});
		await createSessionStore({ store }).append(key, entries);
		expect(requests).toBe(8);
		expect(await sessions.load(key)).toEqual(entries);
	});

	it("is completed by a second call with the same array, after the first one gave up half-way", async () => {
		const key = newKey();
		const entries: SessionStoreEntry[] = Array.from({ length: 1_200 }, (_, index) => ({ type: "mode", index }));
		let refusing = true;
		let requests = 0;
		const store = createStore({
			url: gateway.url,
			token: gateway.token,
			fetch: async (url, init) => {
				const answer = await fetch(url, init);
				// The second slice is stored, but what the adapter hears is a refusal that it must not repeat.
				if (++requests !== 2 || !refusing) return answer;
				return Response.json(
					{ errors: [{ message: "no", extensions: { code: "Forbidden", status: 403 } }] },
					{ status: 403 },
				);
			},
		});
		const broken = createSessionStore({ store });
		expect((await failure(broken.append(key, entries))).code).toBe("Forbidden");
		expect(await sessions.load(key)).toEqual(entries.slice(0, 1_000));
		refusing = false;
		await broken.append(key, entries);
		expect(await sessions.load(key)).toEqual(entries);
	});

	it("writes nothing when all of it is there already", async () => {
		const key = newKey();
		const versions = () =>
			query(
				gateway,
				`SELECT seq, xmin::text, ctid::text FROM transcript_entries WHERE project_id = $1 AND project_key = $2
				UNION ALL SELECT 0, mtime::text, ctid::text FROM transcripts WHERE project_id = $1 AND project_key = $2`,
				[gateway.projectId, key.projectKey],
			);
		await sessions.append(key, many(3));
		const before = await versions();
		await sessions.append(key, many(3));
		expect(await versions()).toEqual(before);
	});
});

describe("parallel appends", () => {
	it("to one session keep the order of their calls and leave no gap", async () => {
		const key = newKey();
		await Promise.all(many(600).map((it) => sessions.append(key, [it])));
		expect(await loadUuids(key)).toEqual(many(600).map(({ uuid }) => uuid));
		const rows = await query<{ seq: string }>(
			gateway,
			"SELECT seq FROM transcript_entries WHERE project_id = $1 AND project_key = $2 ORDER BY seq",
			[gateway.projectId, key.projectKey],
		);
		expect(rows.map(({ seq }) => Number(seq))).toEqual(Array.from({ length: 600 }, (_, index) => index + 1));
	});

	it("to 300 sessions all succeed against the gateway's default limits", async () => {
		const { projectKey } = newKey();
		await Promise.all(many(300).map((it, index) => sessions.append({ projectKey, sessionId: `s${index}` }, [it])));
		expect(await sessions.listSessions(projectKey)).toHaveLength(300);
	});

	it("of several processes keep the order of each", async () => {
		const key = newKey();
		const processes = ["a", "b", "c"].map((name) => ({
			name,
			sessions: createSessionStore({ store: createStore({ url: gateway.url, token: gateway.token }) }),
		}));
		await Promise.all(
			processes.map(async (process) => {
				for (let turn = 0; turn < 40; turn++) {
					await process.sessions.append(key, [entry(`${process.name}${turn}`), entry(`shared${turn}`)]);
				}
			}),
		);
		const uuids = await loadUuids(key);
		expect(uuids).toHaveLength(4 * 40);
		for (const name of ["a", "b", "c", "shared"]) {
			const own = uuids.filter((uuid) => uuid?.replace(/\d+/, "") === name);
			expect(own).toEqual(Array.from({ length: 40 }, (_, turn) => `${name}${turn}`));
		}
	});

	it("let a load read a prefix", async () => {
		const key = newKey();
		const uuids = many(4_000).map(({ uuid }) => uuid);
		const appended = sessions.append(key, many(4_000));
		const loads: (string | undefined)[][] = [];
		const reader = createSessionStore({ store: createStore({ url: gateway.url, token: gateway.token }) });
		for (let done = false; !done; ) {
			const loaded = (await reader.load(key)) ?? [];
			loads.push(loaded.map(({ uuid }) => uuid));
			done = loaded.length === uuids.length;
		}
		await appended;
		for (const loaded of loads) expect(loaded).toEqual(uuids.slice(0, loaded.length));
		expect(loads.some(({ length }) => length > 0 && length < uuids.length)).toBe(true);
	});
});

describe("an append after a delete", () => {
	it("begins the transcript anew: uuids, batches and the summary are forgotten", async () => {
		const key = newKey();
		const entries: SessionStoreEntry[] = [entry("a"), { type: "mode" }];
		await sessions.append(key, entries);
		await sessions.append({ ...key, subpath: "subagents/agent-1" }, [entry("a")]);
		await sessions.delete(key);
		await sessions.append(key, entries);
		expect(await sessions.load(key)).toEqual(entries);
		expect(await sessions.listSubkeys(key)).toEqual([]);
	});

	it("waits for it in the order of the calls", async () => {
		const key = newKey();
		const calls = [
			sessions.append(key, [entry("a")]),
			sessions.delete(key),
			sessions.append(key, [entry("b")]),
			sessions.append({ ...key, subpath: "subagents/agent-1" }, [entry("c")]),
		];
		await Promise.all(calls);
		expect(await sessions.load(key)).toEqual([entry("b")]);
		expect(await sessions.listSubkeys(key)).toEqual(["subagents/agent-1"]);
	});

	it("leaves no orphan, however the two meet", async () => {
		const { projectKey } = newKey();
		const other = createSessionStore({ store: createStore({ url: gateway.url, token: gateway.token }) });
		for (let round = 0; round < 20; round++) {
			const key = { projectKey, sessionId: `s${round}` };
			await sessions.append(key, [entry("a")]);
			await Promise.all([sessions.append(key, [entry("b")]), other.delete(key), other.append(key, [entry("c")])]);
			await sessions.delete(key);
		}
		for (const table of ["transcripts", "transcript_entries", "transcript_clocks"]) {
			const sql = `SELECT FROM ${table} WHERE project_id = $1 AND project_key = $2`;
			expect(await query(gateway, sql, [gateway.projectId, projectKey])).toEqual([]);
		}
	});

	it("leaves nothing of a session that had subagents only", async () => {
		const key = newKey();
		const sub = { ...key, subpath: "subagents/agent-1" };
		await sessions.append(sub, [entry("a")]);
		await sessions.delete(sub);
		const sql = "SELECT FROM transcripts WHERE project_id = $1 AND project_key = $2";
		expect(await query(gateway, sql, [gateway.projectId, key.projectKey])).toEqual([]);
	});
});
