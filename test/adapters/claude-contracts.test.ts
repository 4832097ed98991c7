import { createSessionStore, type SessionStore, type SessionStoreEntry } from "@iga-pages/agent/store/claude";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { failure } from "../support/errors.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";

let gateway: TestGateway;
let sessions: SessionStore;
let keys = 0;

beforeAll(async () => {
	gateway = await startGateway();
	sessions = createSessionStore({ store: gateway.store });
});
afterAll(() => gateway.close());

/** A project key that no other test uses. */
function newProjectKey(): string {
	return `-home-app-${++keys}`;
}

function newKey() {
	return { projectKey: newProjectKey(), sessionId: "s1" };
}

function entry(uuid: string, extra: object = {}): SessionStoreEntry {
	return { type: "user", uuid, timestamp: "2026-11-30T18:00:00.000Z", ...extra };
}

/** The public contracts of a SessionStore, by the numbers of the framework's own suite. */
describe("a SessionStore", () => {
	it("loads what was appended, in order and with nested values (contract 1)", async () => {
		const key = newKey();
		const entries = [
			entry("a", {
				message: { role: "user", content: [{ type: "text", text: "hi" }], nested: { deep: [1, [2], null] } },
			}),
			{ type: "queue-operation", operation: "enqueue" },
			entry("b", { flag: false, count: 0, empty: "", nothing: null }),
		];
		await sessions.append(key, entries);
		expect(await sessions.load(key)).toEqual(entries);
	});

	it("loads null for what was never written (contract 2)", async () => {
		const key = newKey();
		expect(await sessions.load(key)).toBeNull();
		await sessions.append(key, [entry("a")]);
		expect(await sessions.load({ ...key, subpath: "subagents/agent-1" })).toBeNull();
		expect(await sessions.load({ ...key, sessionId: "s2" })).toBeNull();
	});

	it("keeps the order of calls (contract 3)", async () => {
		const key = newKey();
		await sessions.append(key, [entry("z"), entry("y")]);
		await sessions.append(key, [entry("x")]);
		await sessions.append(key, [entry("b"), entry("a")]);
		expect((await sessions.load(key))?.map(({ uuid }) => uuid)).toEqual(["z", "y", "x", "b", "a"]);
	});

	it("creates nothing for an empty append (contract 4)", async () => {
		const key = newKey();
		await sessions.append(key, []);
		expect(await sessions.load(key)).toBeNull();
		expect(await sessions.listSessions(key.projectKey)).toEqual([]);
		await sessions.append(key, [entry("a")]);
		await sessions.append(key, []);
		expect(await sessions.load(key)).toHaveLength(1);
	});

	it("keeps a subpath apart from the main transcript (contract 5)", async () => {
		const key = newKey();
		const sub = { ...key, subpath: "subagents/agent-1" };
		await sessions.append(key, [entry("a")]);
		await sessions.append(sub, [entry("a", { of: "agent" }), entry("b")]);
		expect(await sessions.load(key)).toEqual([entry("a")]);
		expect(await sessions.load(sub)).toEqual([entry("a", { of: "agent" }), entry("b")]);
	});

	it("keeps equal session ids of two project keys apart (contract 6)", async () => {
		const [one, other] = [newKey(), newKey()];
		await sessions.append(one, [entry("a", { of: "one" })]);
		await sessions.append(other, [entry("a", { of: "other" })]);
		expect(await sessions.load(one)).toEqual([entry("a", { of: "one" })]);
		expect(await sessions.load(other)).toEqual([entry("a", { of: "other" })]);
	});

	it("lists the sessions of a project key with times in milliseconds (contract 7)", async () => {
		const key = newKey();
		const before = Date.now() - 60_000;
		await sessions.append(key, [entry("a")]);
		await sessions.append({ ...key, sessionId: "s2" }, [entry("a")]);
		await sessions.append(newKey(), [entry("a")]);
		const listed = await sessions.listSessions(key.projectKey);
		expect(listed.map(({ sessionId }) => sessionId).sort()).toEqual(["s1", "s2"]);
		for (const { mtime } of listed) {
			expect(Number.isInteger(mtime)).toBe(true);
			expect(mtime).toBeGreaterThan(before);
		}
		expect(await sessions.listSessions(newProjectKey())).toEqual([]);
	});

	it("does not list a session that has subagents only (contract 8)", async () => {
		const key = newKey();
		await sessions.append({ ...key, subpath: "subagents/agent-1" }, [entry("a")]);
		expect(await sessions.listSessions(key.projectKey)).toEqual([]);
		expect(await sessions.listSubkeys(key)).toEqual(["subagents/agent-1"]);
		await sessions.append(key, [entry("a")]);
		expect(await sessions.listSessions(key.projectKey)).toHaveLength(1);
	});

	it("deletes a main transcript; an unknown one is fine (contract 9)", async () => {
		const key = newKey();
		await sessions.append(key, [entry("a")]);
		await sessions.delete(key);
		expect(await sessions.load(key)).toBeNull();
		expect(await sessions.listSessions(key.projectKey)).toEqual([]);
		await sessions.delete(key);
		await sessions.delete({ ...newKey(), subpath: "subagents/agent-1" });
	});

	it("deletes the subpaths with the main transcript and nothing else (contract 10)", async () => {
		const key = newKey();
		const neighbours = [{ ...key, sessionId: "s2" }, { ...newKey() }];
		for (const each of [key, ...neighbours]) {
			await sessions.append(each, [entry("a")]);
			await sessions.append({ ...each, subpath: "subagents/agent-1" }, [entry("a")]);
		}
		await sessions.delete(key);
		expect(await sessions.load({ ...key, subpath: "subagents/agent-1" })).toBeNull();
		expect(await sessions.listSubkeys(key)).toEqual([]);
		for (const each of neighbours) {
			expect(await sessions.load(each)).toHaveLength(1);
			expect(await sessions.listSubkeys(each)).toEqual(["subagents/agent-1"]);
		}
	});

	it("deletes one subpath alone (contract 11)", async () => {
		const key = newKey();
		const subs = ["subagents/agent-1", "subagents/agent-2"].map((subpath) => ({ ...key, subpath }));
		await sessions.append(key, [entry("a")]);
		for (const sub of subs) await sessions.append(sub, [entry("a")]);
		await sessions.delete(subs[0]!);
		expect(await sessions.load(subs[0]!)).toBeNull();
		expect(await sessions.load(subs[1]!)).toHaveLength(1);
		expect(await sessions.load(key)).toHaveLength(1);
	});

	it("lists the subpaths of one session, each once (contract 12)", async () => {
		const key = newKey();
		const subpaths = ["subagents/a/agent-b", "subagents/agent-1", "subagents/agent-2"];
		for (const subpath of [...subpaths, ...subpaths])
			await sessions.append({ ...key, subpath }, [entry("a"), entry("b")]);
		await sessions.append({ ...key, sessionId: "s2", subpath: "subagents/agent-9" }, [entry("a")]);
		expect((await sessions.listSubkeys(key)).sort()).toEqual(subpaths);
	});

	it("does not list the main transcript as a subpath (contract 13)", async () => {
		const key = newKey();
		await sessions.append(key, [entry("a")]);
		expect(await sessions.listSubkeys(key)).toEqual([]);
		expect(await sessions.listSubkeys(newKey())).toEqual([]);
	});
});

describe("the keys of a SessionStore", () => {
	it("may hold any characters, in project keys from 1 to 300 characters", async () => {
		const projectKeys = ["x", `-${"a".repeat(298)}-`, "汉".repeat(100), `p${++keys}/../%2e"'\\ 😀\n$1`];
		for (const projectKey of projectKeys) {
			const key = { projectKey, sessionId: "S/../s" };
			const sub = { ...key, subpath: "subagents/a/agent-😀" };
			await sessions.append(key, [entry("a", { projectKey })]);
			await sessions.append(sub, [entry("a")]);
			expect(await sessions.load(key)).toEqual([entry("a", { projectKey })]);
			expect(await sessions.listSessions(projectKey)).toMatchObject([{ sessionId: "S/../s" }]);
			expect(await sessions.listSubkeys(key)).toEqual([sub.subpath]);
		}
	});

	it("are not joined: no two of them collide", async () => {
		const project = newProjectKey();
		const places = [
			{ projectKey: project, sessionId: "a/b", subpath: "c" },
			{ projectKey: project, sessionId: "a", subpath: "b/c" },
			{ projectKey: `${project}/a`, sessionId: "b", subpath: "c" },
			{ projectKey: `${project}/a/b`, sessionId: "c" },
		];
		for (const [index, key] of places.entries()) await sessions.append(key, [entry("same", { index })]);
		for (const [index, key] of places.entries()) expect(await sessions.load(key)).toEqual([entry("same", { index })]);
	});

	it("take as many bytes as the contract says, even with a uuid of any length", async () => {
		const key = { projectKey: "p".repeat(512), sessionId: "汉".repeat(170), subpath: "s".repeat(1_024) };
		const entries = ["u".repeat(256), "u".repeat(257), "u".repeat(100_000)].map((uuid) => entry(uuid));
		await sessions.append(key, entries);
		await sessions.append(key, structuredClone(entries));
		expect(await sessions.load(key)).toEqual(entries);
		for (const [field, long] of Object.entries({
			projectKey: { ...key, projectKey: "p".repeat(513) },
			sessionId: { ...key, sessionId: "汉".repeat(171) },
			subpath: { ...key, subpath: "s".repeat(1_025) },
		})) {
			const error = await failure(sessions.append(long, [entry("a")]));
			expect(error).toMatchObject({ code: "BadRequest", message: expect.stringContaining(field) });
		}
	});

	it("must not be empty", async () => {
		const key = newKey();
		for (const empty of [
			{ ...key, projectKey: "" },
			{ ...key, sessionId: "" },
			{ ...key, subpath: "" },
		]) {
			expect((await failure(sessions.append(empty, [entry("a")]))).code).toBe("BadRequest");
			expect((await failure(sessions.load(empty))).code).toBe("BadRequest");
			expect((await failure(sessions.delete(empty))).code).toBe("BadRequest");
		}
		expect(await sessions.load(key)).toBeNull();
	});
});

describe("the times of a SessionStore", () => {
	it("grow with every append to a main transcript, and with nothing else", async () => {
		const key = newKey();
		const mtime = async () => (await sessions.listSessions(key.projectKey))[0]?.mtime ?? 0;
		let last = 0;
		for (let turn = 0; turn < 20; turn++) {
			await sessions.append(key, [entry(`turn-${turn}`)]);
			const now = await mtime();
			expect(now).toBeGreaterThan(last);
			last = now;
		}
		await sessions.append({ ...key, subpath: "subagents/agent-1" }, [entry("a")]);
		await sessions.append(key, [entry("turn-3")]);
		await sessions.append(key, []);
		await sessions.load(key);
		expect(await mtime()).toBe(last);
	});

	it("make the session used last the only greatest one, also among parallel appends", async () => {
		const projectKey = newProjectKey();
		const ids = Array.from({ length: 40 }, (_, index) => `s${index}`);
		await Promise.all(ids.map((sessionId) => sessions.append({ projectKey, sessionId }, [entry("a")])));
		for (const sessionId of ["s7", "s31", "s7"]) {
			await sessions.append({ projectKey, sessionId }, [{ type: "mode" }]);
			const listed = await sessions.listSessions(projectKey);
			expect(new Set(listed.map(({ mtime }) => mtime)).size).toBe(ids.length);
			expect(listed.sort((a, b) => b.mtime - a.mtime)[0]?.sessionId).toBe(sessionId);
		}
	});

	it("list more sessions than a page holds, each once", async () => {
		const projectKey = newProjectKey();
		const ids = Array.from({ length: 230 }, (_, index) => `s${index}`);
		await Promise.all(ids.map((sessionId) => sessions.append({ projectKey, sessionId }, [entry("a")])));
		const listed = await sessions.listSessions(projectKey);
		expect(listed.map(({ sessionId }) => sessionId).sort()).toEqual(ids.sort());
		const subpaths = ids.map((id) => `subagents/agent-${id}`);
		const key = { projectKey, sessionId: "s1" };
		await Promise.all(subpaths.map((subpath) => sessions.append({ ...key, subpath }, [entry("a")])));
		expect((await sessions.listSubkeys(key)).sort()).toEqual(subpaths.sort());
	});
});
