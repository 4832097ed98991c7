import { createHash } from "node:crypto";
import { once } from "node:events";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createBrowserToken } from "../support/browser-tokens.ts";
import { everythingOf, fill, fillAll } from "../support/everything.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { runGateway, spawnGateway } from "../support/gateway-process.ts";
import { sendRaw } from "../support/raw.ts";
import { query } from "../support/sql.ts";
import { hasTerminal, runOnTerminal } from "../support/terminal.ts";
import { openTransaction } from "../support/transaction.ts";

const ID = /[0-9a-f]{8}-[0-9a-f-]{27}/;

async function start() {
	const gateway = await startGateway();
	onTestFinished(gateway.close);
	const run = (args: string[], input?: string) => runGateway(args, { DATABASE_URL: gateway.databaseUrl }, input);
	return { gateway, run };
}

/** Asks a gateway that remembers no token. */
async function statusOf(gateway: TestGateway, token: string): Promise<number> {
	const fresh = await startGateway({ databaseUrl: gateway.databaseUrl });
	onTestFinished(fresh.close);
	return (await sendRaw(fresh, { query: "{ viewer { role } }" }, token)).status;
}

describe("project list and delete", () => {
	it("list the projects by name", async () => {
		const { run } = await start();
		for (const name of ["shop", "notes"]) await run(["project", "create", name]);
		const { stdout } = await run(["project", "list"]);
		expect(stdout.split("\n")[0]).toMatch(/^NAME +ID +CREATED$/);
		expect(stdout).toMatch(/^notes +[0-9a-f-]{36} +\d{4}-.+Z\nproject-.+\nshop /m);
	});

	it("delete one when its name is given again, on standard input or as an option", async () => {
		const { gateway, run } = await start();
		const { token, store } = await gateway.createProject();
		const [project] = await query<{ name: string }>(gateway, "SELECT name FROM projects ORDER BY created_at DESC");
		const args = ["project", "delete", project!.name];
		await store.appendMessage({ conversationId: "c", payload: 1 });
		const refusal = { code: 1, stdout: "", stderr: expect.stringContaining("Nothing was deleted: the name given") };
		expect(await run(args)).toEqual(refusal);
		expect(await run(args, "notes\n")).toEqual(refusal);
		expect(await run([...args, "--yes-delete", project!.name.toUpperCase()])).toEqual(refusal);
		expect((await store.listConversations()).items).toHaveLength(1);
		expect(await run(args, `${project!.name}\n`)).toEqual({
			code: 0,
			stdout: `The project "${project!.name}" is deleted.\n`,
			stderr: "",
		});
		expect(await statusOf(gateway, token)).toBe(401);
		expect(await run([...args, "--yes-delete", project!.name])).toMatchObject({
			code: 1,
			stderr: expect.stringContaining(`There is no project "${project!.name}"`),
		});
	});

	it("ISO-1: leave nothing of a project in any table, and all of the others", async () => {
		const { gateway, run } = await start();
		const other = await gateway.createProject({ role: "admin" });
		await fillAll(gateway, other);
		await fill(gateway, "kept");
		const kept = await everythingOf(gateway, gateway.projectId);
		const [project] = await query<{ name: string }>(gateway, "SELECT name FROM projects WHERE project_id = $1", [
			other.projectId,
		]);
		const { code } = await run(["project", "delete", project!.name, "--yes-delete", project!.name]);
		expect(code).toBe(0);
		const left = (await everythingOf(gateway, other.projectId)) as [table: string, rows: unknown[]][];
		expect(left.filter(([, rows]) => rows.length > 0)).toEqual([]);
		expect(await query(gateway, "SELECT FROM api_tokens WHERE project_id = $1", [other.projectId])).toEqual([]);
		expect(await everythingOf(gateway, gateway.projectId)).toEqual(kept);
	});

	it("take no name that a table could not show", async () => {
		const { gateway, run } = await start();
		const refusal = {
			code: 1,
			stdout: "",
			stderr: "agent-gateway: name: must be 1 to 256 UTF-8 bytes on one line, and not blank\n",
		};
		expect(await run(["project", "create", "two\nlines"])).toEqual(refusal);
		expect(await run(["project", "create", "é".repeat(129)])).toEqual(refusal);
		const [project] = await query<{ name: string }>(gateway, "SELECT name FROM projects");
		expect(await run(["token", "create", "--project", project!.name, "--name", ""])).toEqual(refusal);
	});

	it.skipIf(!hasTerminal)("ask for the name on a terminal", async () => {
		const { gateway, run } = await start();
		await run(["project", "create", "shop"]);
		const command = [process.execPath, "--import", "tsx", "server/main.ts", "project", "delete", "shop"];
		const env = { ...process.env, DATABASE_URL: gateway.databaseUrl };
		const question = "Type its name: ";
		expect(await runOnTerminal(command, { env }, [[question, "no"]])).toMatchObject({ code: 1 });
		const { code, shown } = await runOnTerminal(command, { env }, [[question, "shop"]]);
		const counted = `0 rows deleted\u001b[K\r\nThe project "shop" is deleted.\r\n`;
		expect({ code, shown }).toEqual({ code: 0, shown: expect.stringContaining(counted) });
	});

	it("delete more rows than one statement takes", async () => {
		const { gateway, run } = await start();
		await run(["project", "create", "large"]);
		await query(
			gateway,
			`INSERT INTO conversations (project_id, conversation_id, metadata, created_at, updated_at)
			SELECT project_id, n::text, '{}', now(), now() FROM projects, generate_series(1, 12000) AS n WHERE name = 'large'`,
		);
		expect(await run(["project", "delete", "large"], "large")).toMatchObject({ code: 0, stderr: "" });
		expect(await query(gateway, "SELECT FROM conversations")).toEqual([]);
	});

	it("tell how far they are while they last", async () => {
		const { gateway, run } = await start();
		await run(["project", "create", "busy"]);
		const [project] = await query<{ project_id: string }>(
			gateway,
			"SELECT project_id FROM projects WHERE name = 'busy'",
		);
		const insert = `INSERT INTO conversations (project_id, conversation_id, metadata, created_at, updated_at)
			VALUES ($1, 'c', '{}', now(), now())`;
		await query(gateway, insert, [project!.project_id]);
		const lock = await openTransaction(gateway, "SELECT FROM conversations FOR UPDATE");
		const args = ["project", "delete", "busy", "--yes-delete", "busy"];
		const { child, output } = spawnGateway(args, { DATABASE_URL: gateway.databaseUrl });
		const ended = once(child, "close");
		await vi.waitFor(() => expect(output.stderr).toBe("0 rows deleted\n"), { timeout: 20_000 });
		await lock.end("ROLLBACK");
		expect(await ended).toEqual([0, null]);
		expect(output.stderr).toBe("0 rows deleted\n1 rows deleted\n");
	});
});

describe("token list and revoke", () => {
	it("show ids, roles and times but no token, of which there is only a hash, and end the one that is named", async () => {
		const { gateway, run } = await start();
		await run(["project", "create", "shop"]);
		const create = async (...args: string[]) =>
			(await run(["token", "create", "--project", "shop", ...args])).stdout.trim();
		const first = await create("--name", "backend");
		const second = await create("--name", "report", "--role", "read", "--expires", "90d");
		expect(await statusOf(gateway, first)).toBe(200);
		const { stdout } = await run(["token", "list", "--project", "shop"]);
		const [head, backend = "", report = ""] = stdout.split("\n");
		expect(head).toMatch(/^ID +NAME +ROLE +CREATED +EXPIRES +LAST USED +REVOKED$/);
		expect(backend).toMatch(/^[0-9a-f-]{36} {2}backend {2}write {2}\S+Z {2}- +\S+Z {2}-$/);
		expect(report).toMatch(/^[0-9a-f-]{36} {2}report {3}read {3}\S+Z {2}\S+Z {2}- +-$/);
		for (const token of [first, second]) expect(stdout).not.toContain(token.slice(-20));
		const stored = await query<{ row: string }>(gateway, "SELECT t::text AS row FROM api_tokens t");
		for (const token of [first, second]) {
			const sha256 = createHash("sha256").update(token).digest("hex");
			expect(stored.filter(({ row }) => row.includes(sha256))).toHaveLength(1);
			expect(stored.filter(({ row }) => row.includes(token.slice(-20)))).toEqual([]);
		}
		const expiry = Date.parse(report.split(/ +/)[4]!) - Date.parse(report.split(/ +/)[3]!);
		expect(Math.round(expiry / 86_400_000)).toBe(90);
		const id = ID.exec(backend)![0];
		expect(await run(["token", "revoke", id])).toMatchObject({ code: 0, stderr: "" });
		expect(await statusOf(gateway, first)).toBe(401);
		expect(await statusOf(gateway, second)).toBe(200);
		expect((await run(["token", "revoke", id])).code).toBe(0);
		expect((await run(["token", "list", "--project", "shop"])).stdout).toMatch(/backend .+Z {2}\S+Z$/m);
	});

	it.each(["nobody", "00000000-0000-4000-8000-000000000000"])("know no token %s", async (id) => {
		const { run } = await start();
		expect(await run(["token", "revoke", id])).toEqual({
			code: 1,
			stdout: "",
			stderr: `agent-gateway: There is no token with the id "${id}": "agent-gateway token list --project <name>" shows the ids.\n`,
		});
	});

	it("make a token that ends at a time", async () => {
		const { gateway, run } = await start();
		await run(["project", "create", "shop"]);
		const ends = new Date(Date.now() + 60_000).toISOString();
		const args = ["token", "create", "--project", "shop", "--expires"];
		const token = (await run([...args, ends])).stdout.trim();
		const answer = await sendRaw(gateway, { query: "{ viewer { expiresAt } }" }, token);
		expect(answer.data).toEqual({ viewer: { expiresAt: ends } });
		for (const expires of ["yesterday", "2020-01-01", "0d", "90"]) {
			expect(await run([...args, expires])).toMatchObject({
				code: 2,
				stderr: expect.stringMatching(/^agent-gateway: --expires must be a time to come like 90d, .+ not ".+"\./),
			});
		}
	});
});

describe("key rotate", () => {
	it("keeps the browser tokens that are about, and with --now ends them", async () => {
		const { gateway, run } = await start();
		const [project] = await query<{ name: string }>(gateway, "SELECT name FROM projects");
		const token = await createBrowserToken(gateway, { conversationIds: ["c"] });
		const args = ["key", "rotate", "--project", project!.name];
		expect(await run(args)).toMatchObject({ code: 0, stderr: "" });
		expect(await statusOf(gateway, token)).toBe(200);
		expect(await run([...args, "--now"])).toMatchObject({ code: 0, stderr: "" });
		expect(await statusOf(gateway, token)).toBe(401);
	});
});
