import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const TSC = join(ROOT, "node_modules/typescript/bin/tsc");
const run = promisify(execFile);

/** What a user's shell has: nothing of this test run. */
const ENV = { PATH: process.env["PATH"], HOME: process.env["HOME"] };

const TYPE_ONLY = `
import { type Conversation, createStore, type JsonValue, type Message, type Page, store, StoreError } from "@iga-pages/agent/store";

const page: Page<Message> = await store.listMessages({ conversationId: "c" });
const payload: JsonValue | undefined = page.items[0]?.payload;
const conversation: Conversation | null = await createStore().getConversation({ conversationId: "c" });
// @ts-expect-error: a payload is JSON
await store.appendMessage({ conversationId: "c", payload: () => {} });
// @ts-expect-error: an unknown argument
await store.getMessage({ messageId: "m", nope: 1 });
export { conversation, payload, StoreError };
`;

describe("the packed packages, installed in an empty folder", () => {
	let folder: string;

	beforeAll(async () => {
		folder = await mkdtemp(join(tmpdir(), "agent-store-user-"));
		// The build is that of the working tree; `prepare` would make it again for each package.
		await run("npm", ["run", "build"], { cwd: ROOT });
		const pack = async (workspace: string[]) => {
			const args = ["pack", "--ignore-scripts", "--json", "--pack-destination", folder, ...workspace];
			const { stdout } = await run("npm", args, { cwd: ROOT });
			const packed = Object.values(JSON.parse(stdout) as Record<string, { filename: string }>);
			return join(folder, packed[0]!.filename);
		};
		const tarballs = [await pack([]), await pack(["--workspace", "client"])];
		await writeFile(join(folder, "package.json"), JSON.stringify({ name: "user", private: true, type: "module" }));
		await run("npm", ["install", "--prefer-offline", "--no-audit", "--no-fund", ...tarballs], {
			cwd: folder,
			env: ENV,
		});
	}, 300_000);

	afterAll(() => rm(folder, { recursive: true, force: true }));

	describe("with a gateway", () => {
		let gateway: ChildProcess;

		beforeAll(async () => {
			gateway = spawn(process.execPath, ["node_modules/.bin/agent-gateway", "dev"], {
				cwd: folder,
				env: { ...ENV, PORT: "0" },
				stdio: ["ignore", "pipe", "inherit"],
			});
			let output = "";
			gateway.stdout!.on("data", (chunk) => {
				output += chunk;
			});
			await vi.waitFor(() => expect(output).toContain("is ready"), { timeout: 60_000 });
		});

		afterAll(async () => {
			const ended = once(gateway, "close");
			gateway.kill("SIGINT");
			expect(await ended).toEqual([0, null]);
		});

		it("run the quick start from ES modules and from require()", async () => {
			const quickStart = await readFile(join(ROOT, "client/examples/quick-start.ts"), "utf8");
			await writeFile(
				join(folder, "quick-start.mjs"),
				`${quickStart}\nconsole.log(JSON.stringify(await createExample()));\n`,
			);
			const { stdout } = await run(process.execPath, ["quick-start.mjs"], { cwd: folder, env: ENV });
			expect(JSON.parse(stdout)).toMatchObject({ messages: [{ seq: "1", role: "user", payload: { text: "你好" } }] });
			await writeFile(
				join(folder, "required.cjs"),
				`const { store } = require("@iga-pages/agent/store");
				store.listConversations().then((page) => console.log(page.items.length));`,
			);
			const required = await run(process.execPath, ["required.cjs"], { cwd: folder, env: ENV });
			expect(required.stdout.trim()).toBe("1");
		});

		it("log in, link a directory, tell who an application is there, and log out", async () => {
			const { url, token } = JSON.parse(await readFile(join(folder, ".agent-store/link.json"), "utf8"));
			const app = join(folder, "app");
			await mkdir(app);
			const env = { ...ENV, XDG_CONFIG_HOME: join(folder, "config") };
			const agent = async (...args: string[]) => {
				const running = run("npx", ["--offline", "@iga-pages/agent", ...args], { cwd: app, env });
				running.child.stdin!.end(`${token}\n`);
				return (await running).stdout;
			};
			expect(await agent("login", url)).toContain(`Logged in to the project development at ${url}.`);
			const credentials = join(folder, "config/iga-pages/credentials.json");
			expect((await stat(credentials)).mode & 0o777).toBe(0o600);
			expect(await agent("link")).toBe(`${app} is linked to the project development at ${url}.\n`);
			expect(JSON.parse(await readFile(join(app, ".agent-store/link.json"), "utf8"))).toEqual({ url });
			expect(await agent("whoami")).toBe(`address  ${url}\nproject  development\nrole     admin\n`);
			expect(await agent("logout")).toContain(`Logged out of ${url}.`);
			await expect(agent("whoami")).rejects.toMatchObject({
				code: 1,
				stderr: expect.stringContaining(`agent: ${credentials} holds no token for the gateway of`),
			});
		});
	});

	it.each([
		["node16", "node16"],
		["nodenext", "nodenext"],
		["esnext", "bundler"],
	])(
		"compile a user's program under module %s, moduleResolution %s, without skipLibCheck",
		async (module, resolution) => {
			await writeFile(join(folder, "program.ts"), TYPE_ONLY);
			const options = ["--noEmit", "--strict", "--target", "es2022", "--lib", "es2022,dom,dom.iterable"];
			const args = [TSC, ...options, "--module", module, "--moduleResolution", resolution, "program.ts"];
			const { stdout } = await run(process.execPath, args, { cwd: folder }).catch((error: { stdout: string }) => error);
			expect(stdout).toBe("");
		},
	);

	it("load no agent framework with the store", async () => {
		const script = `await import("@iga-pages/agent/store"); console.log("loaded");`;
		const { stdout } = await run(process.execPath, ["--input-type=module", "-e", script], { cwd: folder, env: ENV });
		expect(stdout.trim()).toBe("loaded");
	});
});
