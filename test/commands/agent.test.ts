import { execFile } from "node:child_process";
import { chmod, mkdir, readFile, realpath, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { temporaryFolder } from "../support/folder.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { hasTerminal, runOnTerminal } from "../support/terminal.ts";

const NODE = [process.execPath, "--import", import.meta.resolve("tsx")];
const MAIN = fileURLToPath(new URL("../../client/commands/main.ts", import.meta.url));
const STORE = new URL("../../client/store.ts", import.meta.url).href;

let gateway: TestGateway;

beforeAll(async () => {
	gateway = await startGateway();
});

afterAll(() => gateway.close());

interface Machine {
	/** Runs the command in the application's directory. */
	agent(args: string[], input?: string): Promise<{ code: number; stdout: string; stderr: string }>;
	/** Runs a program there. */
	program(text: string): Promise<string>;
	env: Record<string, string | undefined>;
	application: string;
	credentials: string;
}

/** A user's home and the directory of an application, both empty. */
async function machine(): Promise<Machine> {
	const root = await realpath(await temporaryFolder());
	const application = join(root, "application");
	await mkdir(application);
	const env = { PATH: process.env["PATH"], HOME: root, XDG_CONFIG_HOME: join(root, "config") };
	const run = async (args: string[], input = "") => {
		const [file, ...before] = NODE;
		const child = promisify(execFile)(file!, [...before, ...args], { cwd: application, env });
		child.child.stdin?.end(input);
		return child.then(
			({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
			({ code, stdout, stderr }) => ({ code, stdout, stderr }) as { code: number; stdout: string; stderr: string },
		);
	};
	return {
		agent: (args, input) => run([MAIN, ...args], input),
		program: async (text) => {
			const file = join(application, "program.mts");
			await writeFile(file, `import { store } from ${JSON.stringify(STORE)};\n${text}`);
			const { stdout, stderr } = await run([file]);
			return stdout + stderr;
		},
		env,
		application,
		credentials: join(root, "config", "iga-pages", "credentials.json"),
	};
}

async function modeOf(file: string): Promise<string> {
	return ((await stat(file)).mode & 0o777).toString(8);
}

describe("npx @iga-pages/agent", () => {
	it("logs in and links a directory, so that a program in it finds its project without any address or key", async () => {
		const { agent, program, application, credentials } = await machine();
		expect(await agent(["login", gateway.url], `${gateway.token}\n`)).toEqual({
			code: 0,
			stdout: expect.stringMatching(/^Logged in to the project project-\S+ at http.+ The token is in .+\.\n/),
			stderr: "",
		});
		expect(JSON.parse(await readFile(credentials, "utf8"))).toEqual({ [gateway.url]: { token: gateway.token } });
		expect([await modeOf(credentials), await modeOf(join(credentials, ".."))]).toEqual(["600", "700"]);
		expect(await agent(["link"])).toMatchObject({ code: 0, stderr: "" });
		const folder = join(application, ".agent-store");
		expect(JSON.parse(await readFile(join(folder, "link.json"), "utf8"))).toEqual({ url: gateway.url });
		expect(await readFile(join(folder, ".gitignore"), "utf8")).toBe("*\n");
		expect(await modeOf(join(folder, "link.json"))).toBe("600");
		const text = `console.log((await store.appendMessage({ conversationId: "linked", payload: 1 })).seq);`;
		expect(await program(text)).toBe("1\n");
		expect((await agent(["whoami"])).stdout).toMatch(
			/^address {2}http:\/\/127\.0\.0\.1:\d+\/graphql\nproject {2}project-\S+\nrole {5}write\n$/,
		);
		expect((await agent(["logout"])).stdout).toMatch(/^Logged out of http/);
		expect(JSON.parse(await readFile(credentials, "utf8"))).toEqual({});
		expect((await agent(["whoami"])).stderr).toMatch(/^agent: .+holds no token for the gateway of .+link\.json: .+\n$/);
		expect((await agent(["logout", gateway.url])).stdout).toMatch(/^Nobody is logged in to http/);
	});

	it("stores nothing that the gateway refuses", async () => {
		const { agent, credentials } = await machine();
		expect(await agent(["login", gateway.url], "ags_wrong\n")).toEqual({
			code: 1,
			stdout: "",
			stderr: "agent: The token is unknown, expired or revoked\n",
		});
		expect(await agent(["login", gateway.url])).toMatchObject({ code: 1, stderr: /^agent: No token was given/ });
		await expect(stat(credentials)).rejects.toMatchObject({ code: "ENOENT" });
	});

	it("keeps the tokens of several gateways, and asks which one is meant", async () => {
		const { agent, credentials } = await machine();
		const alias = gateway.url.replace("127.0.0.1", "localhost");
		for (const url of [gateway.url, alias]) await agent(["login", url], gateway.token);
		expect(await agent(["link"])).toEqual({
			code: 1,
			stdout: "",
			stderr: `agent: Say which gateway is meant: ${gateway.url}, ${alias}.\n`,
		});
		expect(await agent(["link", alias])).toMatchObject({ code: 0 });
		expect(await agent(["logout", alias])).toMatchObject({ code: 0 });
		expect(Object.keys(JSON.parse(await readFile(credentials, "utf8")))).toEqual([gateway.url]);
		expect(await agent(["link", alias])).toMatchObject({ code: 1, stderr: /^agent: Nobody is logged in to / });
	});

	it.each([
		[["login"], '"login" needs the address of the gateway; the token is read from standard input.'],
		[["link"], 'Nobody is logged in: run "login" first.'],
		[["login", "gateway.example"], "address: must be the absolute http(s) URL of a GraphQL endpoint"],
		[["login", "http://gateway.example/graphql"], /^address: must be https: /],
		[["fly"], 'There is no command "fly"; see --help.'],
		[["login", "a", "b"], "Too many arguments; see --help."],
		[["whoami", "--as", "x"], "Unknown option '--as'; see --help."],
	])("refuses in one line: %j", async (args, message) => {
		const { agent } = await machine();
		const { code, stdout, stderr } = await agent(args, "token\n");
		expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
		const text = stderr.replace(/^agent: (.*)\n$/, "$1");
		if (typeof message === "string") expect(text).toBe(message);
		else expect(text).toMatch(message);
	});

	it("does not read credentials that others may read", async () => {
		const { agent, credentials } = await machine();
		await agent(["login", gateway.url], gateway.token);
		await chmod(credentials, 0o644);
		const { code, stderr } = await agent(["link"]);
		expect({ code, stderr }).toEqual({
			code: 1,
			stderr: expect.stringMatching(/credentials\.json was ignored, for others may read or write it/),
		});
	});

	it.skipIf(!hasTerminal)("shows no token that is typed on a terminal", async () => {
		const { env, application, credentials } = await machine();
		const { code, shown } = await runOnTerminal([...NODE, MAIN, "login"], { cwd: application, env }, [
			["Address of the gateway", gateway.url],
			["Token (not shown): ", gateway.token],
		]);
		expect(code).toBe(0);
		expect(shown).toContain(gateway.url);
		expect(shown).toContain("Logged in to the project");
		expect(shown).not.toContain(gateway.token.slice(0, 12));
		expect(JSON.parse(await readFile(credentials, "utf8"))).toEqual({ [gateway.url]: { token: gateway.token } });
	});

	it("prints its commands and version", async () => {
		const { agent } = await machine();
		expect((await agent([])).stdout).toMatch(/^Usage: npx @iga-pages\/agent <command>/);
		expect((await agent(["--version"])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
	});
});
