import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createStore } from "@iga-pages/agent/store";
import { describe, expect, it, onTestFinished } from "vitest";
import { Database } from "../../server/store/database.ts";
import { createProject } from "../../server/store/projects.ts";
import { createToken } from "../../server/store/tokens.ts";
import { createDatabase } from "../support/database.ts";
import { temporaryFolder } from "../support/folder.ts";
import { runGateway, startGatewayProcess } from "../support/gateway-process.ts";

/** A database with a project "notes" that has a token. */
async function seededDatabase() {
	const env = await database();
	const db = new Database({ url: env.DATABASE_URL, poolSize: 1 });
	const { projectId } = await createProject(db, "notes");
	await createToken(db, { projectId, role: "write", name: "test" });
	await db.close();
	return env;
}

async function database(options?: { migrated: boolean }): Promise<{ DATABASE_URL: string }> {
	const { url, drop } = await createDatabase(options);
	onTestFinished(drop);
	return { DATABASE_URL: url };
}

describe("agent-gateway serve", () => {
	it("serves a database that was set up by the commands", async () => {
		const env = await database({ migrated: false });
		expect(await runGateway(["migrate"], env)).toMatchObject({ code: 0, stderr: "" });
		expect(await runGateway(["project", "create", "notes"], env)).toMatchObject({ code: 0, stderr: "" });
		const { stdout } = await runGateway(["token", "create", "--project", "notes"], env);
		const gateway = await startGatewayProcess("serve", env);
		onTestFinished(gateway.stop);
		const store = createStore({ url: gateway.url, token: stdout.trim() });
		await store.appendMessage({ conversationId: "c", payload: "kept" });
		expect((await store.listMessages({ conversationId: "c" })).items).toHaveLength(1);
		gateway.signal("SIGTERM");
		expect(await gateway.ended).toBe(0);
	});

	it("shows no explorer unless GRAPHIQL is on", async () => {
		const env = await seededDatabase();
		const page = async (settings: Record<string, string>) => {
			const gateway = await startGatewayProcess("serve", { ...env, ...settings });
			const answer = await fetch(gateway.url, { headers: { accept: "text/html" } });
			await gateway.stop();
			return answer.headers.get("content-type") ?? "";
		};
		expect(await page({})).not.toContain("text/html");
		expect(await page({ GRAPHIQL: "on" })).toContain("text/html");
	});

	it.each([
		["production", { NODE_ENV: "" }],
		["development", { NODE_ENV: "development" }],
	])("runs libraries for %s with %o", async (mode, settings) => {
		const agent = join(await temporaryFolder(), "agent.mjs");
		await writeFile(agent, "console.error('mode:', process.env.NODE_ENV); export const agent = () => {};\n");
		const { stderr } = await runGateway(["serve", "--agent", agent], { ...(await database()), ...settings });
		expect(stderr).toContain(`mode: ${mode}\n`);
	});

	it("refuses to start without DATABASE_URL", async () => {
		expect(await runGateway(["serve"])).toEqual({
			code: 1,
			stdout: "",
			stderr:
				'agent-gateway: "serve" needs DATABASE_URL, the address of a Postgres ≥ 14: set it, or try the gateway without one by "agent-gateway dev".\n',
		});
	});

	it("refuses a database that lacks migrations, naming them and the command", async () => {
		const { code, stderr } = await runGateway(["serve"], await database({ migrated: false }));
		expect(stderr).toMatch(
			/^agent-gateway: The database lacks the migrations \d+_init.*: run "agent-gateway migrate" first\.\n$/,
		);
		expect(code).toBe(1);
	});

	it("ISO-3: refuses a database without any token", async () => {
		const { code, stderr } = await runGateway(["serve"], await database());
		expect(stderr).toMatch(
			/^agent-gateway: There is no token, .+ "agent-gateway token create --project <name>" first\.\n$/,
		);
		expect(code).toBe(1);
	});

	it("says in one line that the database cannot be reached, without its password", async () => {
		const env = { DATABASE_URL: "postgres://someone:hush@127.0.0.1:1/notes" };
		const { code, stderr } = await runGateway(["serve"], env);
		expect(stderr).toBe(
			"agent-gateway: Cannot use the database notes on 127.0.0.1 (connect ECONNREFUSED 127.0.0.1:1): check DATABASE_URL and that Postgres runs.\n",
		);
		expect(code).toBe(1);
	});
});

describe("project create and token create", () => {
	it("makes a token that may only read", async () => {
		const env = await seededDatabase();
		const { stdout } = await runGateway(["token", "create", "--project", "notes", "--role", "read"], env);
		const gateway = await startGatewayProcess("serve", env);
		onTestFinished(gateway.stop);
		const store = createStore({ url: gateway.url, token: stdout.trim() });
		expect(await store.listConversations()).toEqual({ items: [], nextCursor: null });
		await expect(store.createConversation()).rejects.toMatchObject({ code: "Forbidden", status: 403 });
	});

	it("refuse a project that exists, and one that does not", async () => {
		const env = await seededDatabase();
		expect(await runGateway(["project", "create", "notes"], env)).toEqual({
			code: 1,
			stdout: "",
			stderr: 'agent-gateway: Project "notes" exists already\n',
		});
		expect(await runGateway(["token", "create", "--project", "other"], env)).toMatchObject({
			code: 1,
			stdout: "",
			stderr: expect.stringMatching(/^agent-gateway: There is no project "other": .+\n$/),
		});
	});

	it("use the embedded Postgres where DATABASE_URL is unset", async () => {
		const env = { AGENT_STORE_DATA: await temporaryFolder() };
		expect((await runGateway(["project", "create", "notes"], env)).stdout).toMatch(/^[0-9a-f-]{36}\n$/);
		expect(await runGateway(["token", "create", "--project", "notes"], env)).toMatchObject({ code: 0, stderr: "" });
		expect((await runGateway(["migrate"], env)).stdout).toBe("The database is up to date.\n");
	});
});
