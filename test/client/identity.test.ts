import { execFileSync } from "node:child_process";
import {
	chmodSync,
	lchownSync,
	mkdirSync,
	mkdtempSync,
	realpathSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createStore, type StoreOptions } from "../../client/store.ts";
import { data, scriptedFetch } from "./scripted-fetch.ts";

const URL_1 = "https://one.example/graphql";
const URL_2 = "https://two.example/graphql";
const isRoot = process.getuid?.() === 0;

let root: string;
let project: string;
const workingDirectory = process.cwd();

beforeEach(() => {
	root = realpathSync(mkdtempSync(join(tmpdir(), "agent-store-")));
	project = join(root, "project");
	mkdirSync(join(project, "src", "deep"), { recursive: true });
	process.chdir(project);
	vi.stubEnv("AGENT_STORE_URL", undefined);
	vi.stubEnv("AGENT_STORE_TOKEN", undefined);
	vi.stubEnv("AGENT_STORE_DATA", undefined);
	vi.stubEnv("XDG_CONFIG_HOME", join(root, "config"));
});
afterEach(() => {
	vi.unstubAllEnvs();
	process.chdir(workingDirectory);
	rmSync(root, { recursive: true });
});

/** Writes a link file as the gateway does. */
function writeLink(folder: string, link: unknown, modes: { file?: number; folder?: number } = {}): string {
	mkdirSync(folder, { recursive: true });
	const file = join(folder, "link.json");
	writeFileSync(file, typeof link === "string" ? link : JSON.stringify(link));
	chmodSync(file, modes.file ?? 0o600);
	chmodSync(folder, modes.folder ?? 0o700);
	return file;
}

function writeCredentials(credentials: unknown, mode = 0o600): string {
	const folder = join(root, "config", "iga-pages");
	mkdirSync(folder, { recursive: true, mode: 0o700 });
	const file = join(folder, "credentials.json");
	writeFileSync(file, JSON.stringify(credentials));
	chmodSync(file, mode);
	return file;
}

/** Where a call goes, and with which credential. */
async function destination(options: StoreOptions = {}) {
	const { fetch, sent } = scriptedFetch(data({ message: null }));
	await createStore({ fetch, ...options }).getMessage({ messageId: "m" });
	const [request] = sent;
	return { url: request?.url, authorization: new Headers(request?.init.headers).get("authorization") };
}

async function expectRefusal(code: string, message: RegExp, options: StoreOptions = {}) {
	await expect(destination(options)).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
}

describe("identity", () => {
	test("comes from the arguments first", async () => {
		vi.stubEnv("AGENT_STORE_URL", URL_2);
		vi.stubEnv("AGENT_STORE_TOKEN", "env");
		await expect(destination({ url: URL_1, token: "own" })).resolves.toEqual({
			url: URL_1,
			authorization: "Bearer own",
		});
	});

	test("a url alone sends no token from elsewhere", async () => {
		vi.stubEnv("AGENT_STORE_URL", URL_1);
		vi.stubEnv("AGENT_STORE_TOKEN", "env");
		writeLink(join(project, ".agent-store"), { url: URL_1, token: "link" });
		writeCredentials({ [URL_1]: { token: "stored" } });
		await expect(destination({ url: URL_1 })).resolves.toEqual({ url: URL_1, authorization: null });
	});

	test("comes from the environment before the link", async () => {
		vi.stubEnv("AGENT_STORE_URL", URL_1);
		vi.stubEnv("AGENT_STORE_TOKEN", "env");
		writeLink(join(project, ".agent-store"), { url: URL_2, token: "link" });
		await expect(destination()).resolves.toEqual({ url: URL_1, authorization: "Bearer env" });
	});

	test("half an environment is not filled up from the link", async () => {
		writeLink(join(project, ".agent-store"), { url: URL_2, token: "link" });
		vi.stubEnv("AGENT_STORE_URL", URL_1);
		await expectRefusal("Unauthorized", /AGENT_STORE_TOKEN is not set/);
		vi.stubEnv("AGENT_STORE_URL", "");
		vi.stubEnv("AGENT_STORE_TOKEN", "env");
		await expectRefusal("Unauthorized", /AGENT_STORE_URL is not set/);
	});

	test("empty variables count as unset", async () => {
		vi.stubEnv("AGENT_STORE_URL", "");
		vi.stubEnv("AGENT_STORE_TOKEN", "");
		writeLink(join(project, ".agent-store"), { url: URL_2, token: "link" });
		await expect(destination()).resolves.toEqual({ url: URL_2, authorization: "Bearer link" });
	});

	test("comes from the nearest link above the working directory", async () => {
		writeLink(join(root, ".agent-store"), { url: URL_1, token: "far" });
		writeLink(join(project, ".agent-store"), { url: URL_2, token: "near" });
		process.chdir(join(project, "src", "deep"));
		await expect(destination()).resolves.toEqual({ url: URL_2, authorization: "Bearer near" });
	});

	test.each(["relative", "absolute"])("AGENT_STORE_DATA moves the folder of the link: %s", async (kind) => {
		writeLink(join(project, ".agent-store"), { url: URL_1, token: "default" });
		writeLink(join(project, "data", "store"), { url: URL_2, token: "moved" });
		vi.stubEnv("AGENT_STORE_DATA", kind === "absolute" ? join(project, "data", "store") : "data/store");
		process.chdir(join(project, "src"));
		await expect(destination()).resolves.toEqual({ url: URL_2, authorization: "Bearer moved" });
	});

	test("nothing found says what to do", async () => {
		await expectRefusal("Unauthorized", /url and a token.*AGENT_STORE_URL and AGENT_STORE_TOKEN.*link the project/);
	});

	test("is found once, also by parallel first calls, and looked for again after a failure", async () => {
		const { fetch, sent } = scriptedFetch(data({ message: null }));
		const store = createStore({ fetch });
		const call = () => store.getMessage({ messageId: "m" });
		await expect(call()).rejects.toMatchObject({ code: "Unauthorized" });
		const file = writeLink(join(project, ".agent-store"), { url: URL_1, token: "first" });
		await Promise.all([call(), call()]);
		rmSync(file);
		await call();
		expect(sent.map(({ url }) => url)).toEqual([URL_1, URL_1, URL_1]);
	});

	test("a working directory that is gone is no crash", async () => {
		const gone = join(project, "gone");
		mkdirSync(gone);
		process.chdir(gone);
		rmSync(gone, { recursive: true });
		await expectRefusal("Unauthorized", /search for an identity failed/);
	});
});

describe("a link without a token", () => {
	beforeEach(() => {
		writeLink(join(project, ".agent-store"), { url: URL_1 });
	});

	test("takes the credentials of its url", async () => {
		writeCredentials({ [URL_2]: { token: "other" }, [URL_1]: { token: "stored" } });
		await expect(destination()).resolves.toEqual({ url: URL_1, authorization: "Bearer stored" });
	});

	test("takes them from ~/.config where XDG_CONFIG_HOME is unset or relative", async () => {
		for (const value of [undefined, "", "config"]) {
			vi.stubEnv("XDG_CONFIG_HOME", value);
			vi.stubEnv("HOME", root);
			await expectRefusal("Unauthorized", new RegExp(`${root}/.config/iga-pages/credentials.json does not exist`));
		}
	});

	test("is refused where the credentials lack its url", async () => {
		for (const credentials of [{}, { [URL_2]: { token: "other" } }, { [URL_1]: {} }, { [URL_1]: null }]) {
			writeCredentials(credentials);
			await expectRefusal("Unauthorized", /holds no token for the gateway.*login/);
		}
	});

	test.each([0o640, 0o604, 0o620])("does not take credentials that others may read or write: %o", async (mode) => {
		writeCredentials({ [URL_1]: { token: "stored" } }, mode);
		await expectRefusal("Unauthorized", /others may read or write it/);
	});

	test("does not take broken credentials", async () => {
		writeCredentials(["stored"]);
		await expectRefusal("BadRequest", /credentials\.json: must be a JSON object/);
	});
});

describe("a link that somebody else may have written", () => {
	const link = { url: URL_2, token: "planted" };

	test.each([
		["its file is writable by the group", { file: 0o620 }],
		["its file is writable by all", { file: 0o602 }],
		["its folder is writable by the group", { folder: 0o770 }],
		["its folder is writable by all", { folder: 0o1777 }],
	])("is ignored: %s", async (_, modes) => {
		const file = writeLink(join(project, ".agent-store"), link, modes);
		await expectRefusal(
			"Unauthorized",
			new RegExp(`${join(project, ".agent-store")}.*was ignored, for others may write it`),
		);
		writeLink(join(root, ".agent-store"), { url: URL_1, token: "own" });
		await expect(destination()).resolves.toEqual({ url: URL_1, authorization: "Bearer own" });
		expect(file).toContain(project);
	});

	test.skipIf(!isRoot).each(["file", "folder", "symbolic link"])(
		"is ignored: its %s belongs to another user",
		async (what) => {
			const folder = join(project, ".agent-store");
			const file = writeLink(what === "symbolic link" ? join(root, "elsewhere") : folder, link);
			if (what === "symbolic link") symlinkSync(join(root, "elsewhere"), folder);
			lchownSync(what === "file" ? file : folder, 12345, 12345);
			await expectRefusal("Unauthorized", /was ignored, for it belongs to another user/);
		},
	);

	test.each(["mkdir", "mkfifo"])("is ignored, without waiting: made by %s", async (command) => {
		mkdirSync(join(project, ".agent-store"), { mode: 0o700 });
		execFileSync(command, [join(project, ".agent-store", "link.json")]);
		await expectRefusal("Unauthorized", /was ignored, for it is not a file/);
	});

	test("a file in place of its folder is no error", async () => {
		writeFileSync(join(project, ".agent-store"), "");
		await expectRefusal("Unauthorized", /^No identity was found: /);
	});
});

describe("a link that says nothing good", () => {
	test.each(["", "{", "[]", '"x"', "null"])("is refused and names its file: %s", async (text) => {
		writeLink(join(project, ".agent-store"), text);
		// Falling back to a link further up would send the conversations to another project.
		writeLink(join(root, ".agent-store"), { url: URL_1, token: "far" });
		await expectRefusal("BadRequest", /project\/\.agent-store\/link\.json: must be a JSON object/);
	});

	test("is refused without repeating what it holds", async () => {
		for (const [bad, message] of [
			[{ token: "s3cret" }, /^url in .*link\.json: must be/],
			[{ url: "s3cret" }, /^url in .*link\.json: must be/],
			[{ url: URL_1, token: "s3cret\n" }, /^token in .*link\.json: must be/],
			[{ url: URL_1, token: 7 }, /^token in .*link\.json: must be/],
			[{ url: "http://s3cret.example/graphql", token: "x" }, /^url in .*link\.json: must be https/],
		] as const) {
			writeLink(join(project, ".agent-store"), bad);
			await expectRefusal("BadRequest", message);
			await expectRefusal("BadRequest", /^(?!.*s3cret)/);
		}
	});
});

describe("options", () => {
	test.each([
		["ftp://gateway.example/", /^url: must be the absolute/],
		["/graphql", /^url: must be the absolute/],
		["", /^url: must be the absolute/],
		[7, /^url: must be the absolute/],
		["https://user:s3cret@gateway.example/", /^url: must not contain/],
		["http://gateway.example/", /^url: must be https.*allowInsecureHttp/],
		["http://10.0.0.1/", /^url: must be https/],
		["http://localhost.example/", /^url: must be https/],
		["http://127.0.0.1.example/", /^url: must be https/],
		["http://[::2]/", /^url: must be https/],
	])("refuse the url %s", (url, message) => {
		expect(() => createStore({ url: url as string })).toThrow(message);
		expect(() => createStore({ url: url as string })).toThrow(/^(?!.*s3cret)/);
	});

	test.each([
		"http://localhost:4000/",
		"http://127.0.0.1/",
		"http://127.9.9.9/",
		"http://[::1]:4000/",
		"http://2130706433/",
	])("take plain http to this machine: %s", async (url) => {
		await expect(destination({ url, token: "t" })).resolves.toMatchObject({ authorization: "Bearer t" });
	});

	test("allowInsecureHttp permits plain http to other machines, from every source", async () => {
		const url = "http://gateway.example/graphql";
		await expect(destination({ url, allowInsecureHttp: true })).resolves.toMatchObject({ url });
		vi.stubEnv("AGENT_STORE_URL", url);
		vi.stubEnv("AGENT_STORE_TOKEN", "env");
		await expectRefusal("BadRequest", /^AGENT_STORE_URL: must be https/);
		await expect(destination({ allowInsecureHttp: true })).resolves.toMatchObject({ url });
	});

	test.each([
		[{ foo: 1, tokn: "t" }, /unknown argument foo, tokn/],
		[{ token: "t" }, /^token: must be given together with the url/],
		[{ url: URL_1, token: "a b" }, /^token: must be/],
		[{ url: URL_1, token: "" }, /^token: must be/],
		[{ fetch: "x" }, /^fetch: /],
		[{ timeoutMs: 0 }, /^timeoutMs: /],
		[{ timeoutMs: "1" }, /^timeoutMs: /],
		[{ retries: -1 }, /^retries: /],
		[{ retries: 1.5 }, /^retries: /],
		[{ headers: { a: 1 } }, /^headers: /],
		[{ headers: { "a b": "x" } }, /^headers: /],
		[{ headers: { a: "x\ny" } }, /^headers: /],
		[{ headers: "a: b" }, /^headers: /],
		[{ allowInsecureHttp: "yes" }, /^allowInsecureHttp: /],
		["x", /^createStore: /],
	])("VAL-8: refuse %j", (options, message) => {
		expect(() => createStore(options as StoreOptions)).toThrow(message);
		expect(() => createStore(options as StoreOptions)).toThrow(expect.objectContaining({ code: "BadRequest" }));
	});
});
