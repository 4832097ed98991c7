import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { createStore } from "@iga-pages/agent/store";
import { createSessionStore, type SessionStore } from "@iga-pages/agent/store/claude";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { temporaryFolder } from "../support/folder.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { rowVersions } from "../support/sql.ts";
import { allMessages, createWorkplace, entryIdOf, type Workplace } from "./commands.ts";
import { fileOf } from "./conversion.ts";

const sessionId = "0b8f6a52-7c7e-4c0e-9f3e-0d6f7a1b2c3d";
const projectKey = "-home-me-app";

let gateway: TestGateway;
let place: Workplace;
let sessionStore: SessionStore;

beforeAll(async () => {
	gateway = await startGateway();
});
beforeEach(async () => {
	place = await createWorkplace(gateway);
	sessionStore = createSessionStore({ store: createStore({ url: gateway.url, token: place.token }) });
});
afterAll(() => gateway.close());

const line = (type: string, uuid: string, parentUuid: string | null, more: object = {}) => ({
	...{ parentUuid, isSidechain: false, type, uuid, timestamp: "2026-01-01T00:00:00.000Z", sessionId },
	...more,
});
const message = (role: string, uuid: string) => ({ role, content: `${uuid} \0 \ud800` });
const said = (role: string, uuid: string, parentUuid: string | null, more: object = {}) =>
	line(role, uuid, parentUuid, { message: message(role, uuid), cwd: "/home/me/app", ...more });

/** A session with an answer that was asked for again, and what Claude Code writes beside. */
const MAIN = [
	{ type: "queue-operation", operation: "enqueue", sessionId },
	said("user", "u1", null),
	line("attachment", "x1", "u1"),
	said("assistant", "a1", "x1"),
	said("user", "u2", "a1", { isSidechain: true, parentUuid: null }),
	said("user", "u3", "a1"),
	said("assistant", "a3", "u3"),
	said("user", "u4", "a1", { timestamp: "2026-01-01T00:00:05.000Z" }),
	{ type: "custom-title", customTitle: "A title", sessionId },
	{ type: "last-prompt", sessionId },
];
const SUBAGENT = [said("user", "s1", null, { agentId: "7" }), said("assistant", "s2", "s1", { agentId: "7" })];

/** Lays files as Claude Code does, and returns the directory of the project. */
async function layFiles(files: Record<string, string>): Promise<string> {
	const directory = join(await temporaryFolder(), projectKey);
	for (const [path, text] of Object.entries(files)) {
		const file = join(directory, path);
		await mkdir(dirname(file), { recursive: true });
		await writeFile(file, text);
	}
	return directory;
}

const SESSION = {
	[`${sessionId}.jsonl`]: fileOf(MAIN),
	[`${sessionId}/subagents/agent-7.jsonl`]: fileOf(SUBAGENT),
};
const subpath = "subagents/agent-7";

describe("a transcript of Claude Code", () => {
	it("is loaded as it stands in its files, those of subagents too, and is imported once", async () => {
		const directory = await layFiles(SESSION);
		const file = join(directory, `${sessionId}.jsonl`);
		expect(await place.import(file)).toEqual({ stdout: "1 imported, 0 already there, 0 refused\n", stderr: "" });
		const key = { projectKey, sessionId };
		expect(await sessionStore.load(key)).toEqual(MAIN);
		expect(await sessionStore.listSubkeys(key)).toEqual([subpath]);
		expect(await sessionStore.load({ ...key, subpath })).toEqual(SUBAGENT);
		expect(await sessionStore.listSessions(projectKey)).toEqual([
			{ sessionId, mtime: Date.parse("2026-01-01T00:00:05.000Z") },
		]);
		expect((await place.import(file)).stdout).toBe("0 imported, 1 already there, 0 refused\n");
		expect(await place.run(["export", "--conversation", sessionId, "--format", "claude"])).toEqual({
			code: 0,
			stdout: await readFile(file, "utf8"),
			stderr: "Left out transcripts of subagents (1): --output writes them beside the file.\n",
		});
	});

	it("is exported to files as they were, those of subagents beside the main one", async () => {
		const nested = "subagents/workflows/agent-8";
		const files = { ...SESSION, [`${sessionId}/${nested}.jsonl`]: fileOf(SUBAGENT.slice(1)) };
		await place.import(await layFiles(files));
		const directory = join(await temporaryFolder(), projectKey);
		await mkdir(directory);
		const output = join(directory, `${sessionId}.jsonl`);
		const args = ["export", "--conversation", sessionId, "--format", "claude", "--output"];
		expect(await place.run([...args, output])).toEqual({ code: 0, stdout: "", stderr: "" });
		const written = (await readdir(directory, { recursive: true })).filter((name) => name.endsWith(".jsonl"));
		expect(written.sort()).toEqual(Object.keys(files).sort());
		for (const [path, text] of Object.entries(files)) {
			expect(await readFile(join(directory, path), "utf8")).toBe(text);
			expect((await stat(join(directory, path))).mode & 0o777).toBe(0o600);
		}
		expect((await place.import(directory)).stdout).toBe("0 imported, 1 already there, 0 refused\n");
		const refused = await place.run([...args, join(directory, "elsewhere")]);
		expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("let --output end with .jsonl") });
		expect((await readdir(directory)).sort()).toEqual([sessionId, `${sessionId}.jsonl`]);
	});

	it.each(["../evil", "subagents/../../../evil", "/evil", "a//b", ".", "a\\b", "c:evil"])(
		"is exported to no file outside of its folder: %s",
		async (subpath) => {
			await sessionStore.append({ projectKey, sessionId }, [MAIN[1]] as never);
			await sessionStore.append({ projectKey, sessionId, subpath }, [MAIN[1]] as never);
			const folder = join(await temporaryFolder(), "deep", "in");
			await mkdir(folder, { recursive: true });
			const output = join(folder, "out.jsonl");
			const args = ["export", "--conversation", sessionId, "--format", "claude", "--output", output];
			const { code, stderr } = await place.run(args);
			expect([code, stderr]).toEqual([1, expect.stringContaining("No file can be named like the transcript")]);
			expect(await readdir(join(folder, "../.."), { recursive: true })).toEqual(["deep", join("deep", "in")]);
		},
	);

	it("can be gone on with by the framework", async () => {
		const directory = await layFiles(SESSION);
		await place.import(directory, ["--project-key", "another"]);
		const key = { projectKey: "another", sessionId };
		const next = said("assistant", "a4", "u4");
		await sessionStore.append(key, [MAIN[1]!, next] as never);
		expect(await sessionStore.load(key)).toEqual([...MAIN, next]);
		const [{ mtime } = { mtime: 0 }] = await sessionStore.listSessions("another");
		expect(mtime).toBeGreaterThan(Date.parse("2026-01-01T00:00:05.000Z"));
	});

	it("becomes a conversation besides if asked to, with a branch for each answer", async () => {
		const directory = await layFiles(SESSION);
		const { stdout, stderr } = await place.import(join(directory, `${sessionId}.jsonl`), ["--as-conversation"]);
		expect([stdout, stderr]).toEqual(["2 imported, 0 already there, 0 refused\n", ""]);
		expect(await sessionStore.load({ projectKey, sessionId })).toEqual(MAIN);
		const messages = await allMessages(place, sessionId);
		expect(messages.map((message) => [entryIdOf(message), message.role, message.branch])).toEqual([
			["u1", "user", 0],
			["a1", "assistant", 0],
			["u3", "user", 0],
			["a3", "assistant", 0],
			["u4", "user", 1],
		]);
		expect(messages[0]).toMatchObject({ payload: message("user", "u1"), metadata: { entry: { cwd: "/home/me/app" } } });
		const context = await place.sessions.getContext({ conversationId: sessionId });
		expect(context.map(entryIdOf)).toEqual(["u1", "a1", "u4"]);
		expect((await place.store.getConversation({ conversationId: sessionId }))?.metadata["title"]).toBe("A title");
		const before = await rowVersions(gateway, place.projectId);
		const again = await place.import(directory, ["--as-conversation"]);
		expect(again.stdout).toBe("0 imported, 2 already there, 0 refused\n");
		expect(await rowVersions(gateway, place.projectId)).toEqual(before);
	});

	it("is imported with all others of a directory, of which a bad one is refused alone", async () => {
		const other = "11111111-7c7e-4c0e-9f3e-0d6f7a1b2c3d";
		const bad = "22222222-7c7e-4c0e-9f3e-0d6f7a1b2c3d";
		const of = (id: string) => fileOf([{ ...said("user", "u", null), sessionId: id }]);
		const files = { ...SESSION, [`${other}.jsonl`]: of(other), [`${bad}.jsonl`]: `${of(bad)}{\n${of(bad)}` };
		const directory = await layFiles(files);
		const { code, stdout, stderr } = await place.run(["import", directory]);
		expect([code, stdout]).toEqual([1, "2 imported, 0 already there, 1 refused\n"]);
		expect(stderr).toContain(`line 2: ${bad}.jsonl: must be JSON\n`);
		expect((await sessionStore.listSessions(projectKey)).map((session) => session.sessionId).sort()).toEqual(
			[sessionId, other].sort(),
		);
	});

	it("is told of what is left out: a line that was cut, and one that stands there twice", async () => {
		const text = `${fileOf([MAIN[1]!, MAIN[1]!, MAIN[2]!])}{"type":"assis`;
		const directory = await layFiles({ [`${sessionId}.jsonl`]: text });
		const { stderr } = await place.import(join(directory, `${sessionId}.jsonl`));
		expect(stderr).toBe(
			"line 2: repeats the uuid u1; it is left out\nline 4: is cut off; everything before it is imported\n",
		);
		expect(await sessionStore.load({ projectKey, sessionId })).toEqual([MAIN[1], MAIN[2]]);
	});

	it("needs a project key where no directory tells it, and where the session is under several", async () => {
		const text = fileOf(MAIN);
		const missing = await place.run(["import", "-"], text);
		expect(missing).toMatchObject({ code: 2, stderr: expect.stringContaining("need --project-key") });
		for (const key of ["one", "two"]) {
			const { code, stdout } = await place.run(["import", "-", "--project-key", key], text);
			expect([code, stdout]).toEqual([0, "1 imported, 0 already there, 0 refused\n"]);
		}
		const args = ["export", "--conversation", sessionId, "--format", "claude"];
		const several = await place.run(args);
		expect(several).toMatchObject({ code: 1, stderr: expect.stringContaining('under "one" and "two"') });
		const { code, stdout } = await place.run([...args, "--project-key", "two"]);
		expect([code, stdout]).toEqual([0, text]);
	});
});
