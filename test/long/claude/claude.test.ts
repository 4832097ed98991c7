import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { createStore } from "@iga-pages/agent/store";
import { createSessionStore, type SessionStore } from "@iga-pages/agent/store/claude";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { startGateway, type TestGateway } from "../../support/gateway.ts";
import { type FakeAnthropic, startFakeAnthropic } from "./fake-anthropic.ts";
import { type ClaudeSdk, importSdk, VERSIONS } from "./sdk.ts";
import { Turns } from "./turns.ts";

const PROJECT_NAME = "tenant_42";

describe.each(VERSIONS)("Claude Agent SDK $version", ({ name, namesProjects }) => {
	let gateway: TestGateway;
	let anthropic: FakeAnthropic;
	let sdk: ClaudeSdk;
	let turns: Turns;
	let sessionStore: SessionStore;
	/** Where the turns run. Versions that ignore the project's name find a session again only from the same folder. */
	let cwd: string;
	let otherCwd: string;

	beforeAll(async () => {
		sdk = await importSdk(name);
		gateway = await startGateway();
	}, 900_000);
	afterAll(() => gateway.close());

	beforeEach(async () => {
		anthropic = await startFakeAnthropic();
		const { store } = await gateway.createProject();
		sessionStore = createSessionStore({ store, foldSessionSummary: sdk.foldSessionSummary });
		turns = new Turns(sdk, anthropic, PROJECT_NAME);
		cwd = turns.newDirectory();
		otherCwd = namesProjects ? turns.newDirectory() : cwd;
		// The session helpers take no environment: they look into this process's own.
		if (!namesProjects) return;
		process.env["CLAUDE_CONFIG_DIR"] = turns.newDirectory();
		process.env["CLAUDE_CODE_PROJECT_DIR_NAME"] = PROJECT_NAME;
	});
	afterEach(async () => {
		delete process.env["CLAUDE_CONFIG_DIR"];
		delete process.env["CLAUDE_CODE_PROJECT_DIR_NAME"];
		await anthropic.close();
		turns.remove();
	});

	it("resumes a session elsewhere, after everything local is gone", async () => {
		const first = await turns.run("first", { sessionStore, cwd });
		expect(first).toMatchObject({ text: "answer 1", failed: undefined, mirrorErrors: [] });
		const resume = first.sessionId;
		const second = await turns.run("second", { sessionStore, cwd: otherCwd, resume });
		expect(second).toMatchObject({ sessionId: resume, mirrorErrors: [] });
		expect(second.asked).toEqual([["first", "answer 1", "second"]]);
		const third = await turns.run("third", { sessionStore, cwd: otherCwd, resume });
		expect(third.asked).toEqual([["first", "answer 1", "second", "answer 2", "third"]]);
		const control = await turns.run("control", { cwd: otherCwd, resume });
		expect(control.failed).toContain("No conversation found");
	});

	it("forks a session, whose entries keep their uuids, and leaves it as it was", async () => {
		const first = await turns.run("first", { sessionStore, cwd });
		const fork = await turns.run("forked", { sessionStore, cwd, resume: first.sessionId, forkSession: true });
		expect(fork.sessionId).not.toBe(first.sessionId);
		expect(fork.asked).toEqual([["first", "answer 1", "forked"]]);
		const again = await turns.run("again", { sessionStore, cwd, resume: fork.sessionId });
		expect(again.asked).toEqual([["first", "answer 1", "forked", "answer 2", "again"]]);
		const original = await turns.run("original", { sessionStore, cwd, resume: first.sessionId });
		expect(original.asked).toEqual([["first", "answer 1", "original"]]);
	});

	it("continues the session that was used last", async () => {
		const first = await turns.run("first", { sessionStore, cwd });
		await turns.run("another", { sessionStore, cwd });
		await turns.run("second", { sessionStore, cwd, resume: first.sessionId });
		const continued = await turns.run("third", { sessionStore, cwd: otherCwd, continue: true });
		expect(continued.sessionId).toBe(first.sessionId);
		expect(continued.asked).toEqual([["first", "answer 1", "second", "answer 3", "third"]]);
	});

	it("keeps a turn whose tool output holds a NUL byte", async () => {
		anthropic.toolCalls.push({ names: ["Bash"], input: { command: "printf 'a\\0b'", description: "prints" } });
		const options = { sessionStore, cwd, tools: ["Bash"], allowedTools: ["Bash"] };
		const first = await turns.run("print", options);
		expect(first).toMatchObject({ text: "answer 2", mirrorErrors: [] });
		const [projectKey] = await projectKeys(gateway);
		const entries = await sessionStore.load({ projectKey: projectKey!, sessionId: first.sessionId! });
		expect(JSON.stringify(entries)).toContain("a\\u0000b");
		const second = await turns.run("second", { sessionStore, cwd, resume: first.sessionId });
		expect(second.asked[0]?.slice(-2)).toEqual(["answer 2", "second"]);
		expect(JSON.stringify(anthropic.requests.at(-1))).toContain("tool_result");
	});

	it("keeps the transcript of a subagent under the session", async () => {
		const input = { description: "look", prompt: "look around", subagent_type: "general-purpose" };
		anthropic.toolCalls.push({ names: ["Agent", "Task"], input });
		const options = { sessionStore, cwd, tools: ["Agent", "Task"], allowedTools: ["Agent", "Task"] };
		const first = await turns.run("delegate", options);
		expect(first).toMatchObject({ failed: undefined, mirrorErrors: [] });
		const [projectKey] = await projectKeys(gateway);
		const key = { projectKey: projectKey!, sessionId: first.sessionId! };
		const subpaths = await sessionStore.listSubkeys(key);
		expect(subpaths).toEqual([expect.stringMatching(/^subagents\/agent-/)]);
		expect(JSON.stringify(await sessionStore.load({ ...key, subpath: subpaths[0]! }))).toContain("look around");
		const second = await turns.run("second", { sessionStore, cwd, resume: first.sessionId });
		expect(second).toMatchObject({ failed: undefined, mirrorErrors: [] });
		expect(second.asked[0]?.at(-1)).toBe("second");
		const helper = { dir: cwd, sessionStore };
		expect(await sdk.listSessions(helper)).toHaveLength(1);
		await sdk.deleteSession(first.sessionId!, helper);
		expect(await sessionStore.listSubkeys(key)).toEqual([]);
	});

	it("serves the session helpers", async () => {
		const first = await turns.run("first", { sessionStore, cwd });
		const other = await turns.run("other", { sessionStore, cwd });
		const helper = { dir: cwd, sessionStore };
		await sdk.renameSession(first.sessionId!, "A title", helper);
		for (let round = 0; round < 2; round++) {
			const listed = await sdk.listSessions(helper);
			expect(listed.map(({ sessionId }) => sessionId)).toEqual([first.sessionId, other.sessionId]);
			expect(listed[0]?.summary).toBe("A title");
			expect(listed[1]?.summary).toBe("other");
		}
		expect(await sdk.getSessionMessages(first.sessionId!, helper)).toHaveLength(2);
		const fork = await sdk.forkSession(first.sessionId!, helper);
		expect(await sdk.getSessionMessages(fork.sessionId, helper)).toHaveLength(2);
		const resumed = await turns.run("second", { sessionStore, cwd, resume: fork.sessionId });
		expect(resumed.asked[0]?.slice(-3)).toEqual(["first", "answer 1", "second"]);
		await sdk.deleteSession(first.sessionId!, helper);
		expect((await sdk.listSessions(helper)).map(({ sessionId }) => sessionId)).toEqual([
			fork.sessionId,
			other.sessionId,
		]);
	});

	it("resumes a session whose host was killed in the middle of a turn", async () => {
		const { token, store } = await gateway.createProject();
		sessionStore = createSessionStore({ store });
		const first = await turns.run("first", { sessionStore, cwd });
		const asked = new Promise<void>((resolve) => {
			anthropic.before = () => {
				resolve();
				return new Promise(() => {});
			};
		});
		const env = turns.environment(turns.newDirectory());
		const options = { settingSources: [], tools: [], env, cwd, resume: first.sessionId };
		const host = startHost({ sdk: name, url: gateway.url, token, prompt: "killed", options }, turns.folder);
		await Promise.race([asked, once(host, "exit").then(() => Promise.reject(new Error("the host ended by itself")))]);
		// The host leads a process group, so that its CLI dies with it, as both would with their machine.
		process.kill(-host.pid!, "SIGKILL");
		await once(host, "exit");
		anthropic.before = () => {};
		const resumed = await turns.run("second", { sessionStore, cwd: otherCwd, resume: first.sessionId });
		expect(resumed).toMatchObject({ sessionId: first.sessionId, failed: undefined, mirrorErrors: [] });
		expect(resumed.asked[0]?.slice(0, 2)).toEqual(["first", "answer 1"]);
		expect(resumed.asked[0]?.at(-1)).toBe("second");
	});

	it("gives up a turn that is aborted, and resumes after it", async () => {
		const first = await turns.run("first", { sessionStore, cwd });
		const abortController = new AbortController();
		anthropic.before = () => {
			abortController.abort();
			return new Promise(() => {});
		};
		await turns.run("aborted", { sessionStore, cwd, resume: first.sessionId, abortController });
		anthropic.before = () => {};
		const resumed = await turns.run("second", { sessionStore, cwd: otherCwd, resume: first.sessionId });
		expect(resumed).toMatchObject({ sessionId: first.sessionId, failed: undefined, mirrorErrors: [] });
		expect(resumed.asked[0]?.slice(0, 2)).toEqual(["first", "answer 1"]);
		expect(resumed.asked[0]?.at(-1)).toBe("second");
	});

	it("compacts a session, and resumes from the summary", async () => {
		const first = await turns.run("first", { sessionStore, cwd });
		const compacted = await turns.run("/compact", { sessionStore, cwd, resume: first.sessionId });
		expect(compacted).toMatchObject({ failed: undefined, mirrorErrors: [] });
		const resumed = await turns.run("second", { sessionStore, cwd: otherCwd, resume: first.sessionId });
		expect(resumed.asked[0]?.join("\n")).toContain("answer 2");
		expect(resumed.asked[0]).not.toContain("first");
		const [projectKey] = await projectKeys(gateway);
		const entries = await sessionStore.load({ projectKey: projectKey!, sessionId: first.sessionId! });
		expect(JSON.stringify(entries)).toContain("compact_boundary");
		expect(JSON.stringify(entries)).toContain('"first"');
	});

	it("finishes a turn that the store cannot keep, and tells why", async () => {
		const wrong = createSessionStore({ store: createStore({ url: gateway.url, token: "wrong" }) });
		const turn = await turns.run("first", { sessionStore: wrong, cwd });
		expect(turn).toMatchObject({ text: "answer 1", failed: undefined });
		expect(turn.mirrorErrors[0]).toMatch(/^Unauthorized: /);
	});

	it("reaches nothing but loopback", async () => {
		await turns.run("first", { sessionStore, cwd });
		// The oldest version asks its proxy once, whatever it is told; the answer is a refusal.
		expect(anthropic.refused.filter((it) => it !== "CONNECT api.anthropic.com:443")).toEqual([]);
	});
});

describe("the example", () => {
	it("runs two turns of one session", async () => {
		const anthropic = await startFakeAnthropic();
		const gateway = await startGateway();
		const turns = new Turns(await importSdk(VERSIONS[0].name), anthropic, PROJECT_NAME);
		vi.stubEnv("AGENT_STORE_URL", gateway.url);
		vi.stubEnv("AGENT_STORE_TOKEN", gateway.token);
		try {
			const { claudeExample } = await import("../../../client/examples/claude.ts");
			const { sessionId, answers } = await claudeExample(turns.environment(turns.newDirectory()));
			expect(answers).toEqual(["answer 1", "answer 2"]);
			const sessionStore = createSessionStore({ store: gateway.store });
			expect(await sessionStore.listSessions(PROJECT_NAME)).toMatchObject([{ sessionId }]);
			// The fold function is that of the installed SDK, which the adapter imports by itself.
			const [summary] = await sessionStore.listSessionSummaries(PROJECT_NAME);
			expect(JSON.stringify(summary?.data)).toContain("What is the capital of Norway?");
		} finally {
			vi.unstubAllEnvs();
			turns.remove();
			await gateway.close();
			await anthropic.close();
		}
	}, 900_000);
});

function startHost(orders: object, folder: string): ChildProcess {
	const file = fileURLToPath(new URL("./host.ts", import.meta.url));
	return spawn(process.execPath, ["--import", "tsx", file, JSON.stringify(orders)], {
		cwd: fileURLToPath(new URL("../../../", import.meta.url)),
		// What the SDK leaves behind when it is killed lies where the test cleans up.
		env: { ...process.env, TMPDIR: folder },
		stdio: ["ignore", "inherit", "inherit"],
		detached: true,
	});
}

/** The project keys that the SDK made; those of versions without a name for them come from the folder. */
async function projectKeys({ db }: TestGateway): Promise<string[]> {
	const text = "SELECT project_key FROM transcripts ORDER BY created_at DESC";
	const rows = await db.read<{ project_key: string }>({ name: "", text }, []);
	return rows.map(({ project_key }) => project_key);
}
