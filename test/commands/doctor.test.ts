import { join } from "node:path";
import pg from "pg";
import { describe, expect, it, onTestFinished } from "vitest";
import { Database } from "../../server/store/database.ts";
import { createProject } from "../../server/store/projects.ts";
import { createToken } from "../../server/store/tokens.ts";
import { createDatabase } from "../support/database.ts";
import { temporaryFolder } from "../support/folder.ts";
import { runGateway, startGatewayProcess } from "../support/gateway-process.ts";

async function database(options?: { migrated: boolean }): Promise<{ DATABASE_URL: string }> {
	const { url, drop } = await createDatabase(options);
	onTestFinished(drop);
	return { DATABASE_URL: url };
}

/** Gives a database a project with a token. */
async function seed({ DATABASE_URL }: { DATABASE_URL: string }, expiresAt?: Date): Promise<void> {
	const db = new Database({ url: DATABASE_URL, poolSize: 1 });
	const { projectId } = await createProject(db, "notes");
	await createToken(db, { projectId, role: "write", name: "test", ...(expiresAt ? { expiresAt } : {}) });
	await db.close();
}

async function sql({ DATABASE_URL }: { DATABASE_URL: string }, text: string): Promise<void> {
	const client = new pg.Client(DATABASE_URL);
	await client.connect();
	await client.query(text);
	await client.end();
}

/** The doctor's lines as [verdict, subject, finding]. */
async function diagnose(env: Record<string, string>) {
	const { code, stdout, stderr } = await runGateway(["doctor"], env);
	const lines = stdout.trimEnd().split("\n");
	const findings = lines.map((line) => /^(\w+) +(.+?) {2,}(.+)$/.exec(line)!.slice(1));
	const of = (verdict: string) => findings.filter(([found]) => found === verdict).map(([, ...finding]) => finding);
	return { code, stderr, ok: of("ok").map(([subject]) => subject), warn: of("warn"), fail: of("fail") };
}

const text = (part: string) => expect.stringContaining(part);

describe("agent-gateway doctor", () => {
	it("finds nothing to mend where there is nothing", async () => {
		const env = await database();
		await seed(env);
		const { warn, ...found } = await diagnose({
			...env,
			DATABASE_DIRECT_URL: `${env.DATABASE_URL}?`,
			DATABASE_POOL_SIZE: "1",
		});
		const ok = ["node", "configuration", "database", "pool", "direct url", "clock", "schema", "search", "tokens"];
		expect(found).toEqual({ code: 0, stderr: "", ok, fail: [] });
		// The tests' own Postgres gives up durability for speed.
		expect(warn.filter(([subject]) => subject !== "durability")).toEqual([]);
	});

	it("says what fails and what to do: tables that are behind, nobody to let in, an address that leads elsewhere", async () => {
		const behind = await diagnose(await database({ migrated: false }));
		expect(behind).toMatchObject({ code: 1, fail: [["schema", text('run "agent-gateway migrate"')]] });
		expect(behind.stderr).toBe("agent-gateway: One check failed.\n");
		const env = await database();
		const other = await database();
		expect(await diagnose({ ...env, DATABASE_DIRECT_URL: other.DATABASE_URL })).toMatchObject({
			code: 1,
			fail: [
				["direct url", text("another database than DATABASE_URL")],
				["tokens", text('"agent-gateway token create')],
			],
			stderr: "agent-gateway: 2 checks failed.\n",
		});
	});

	it("says what to know: tokens that end soon, a pool that is too large, missing timeouts, writes that a crash loses", async () => {
		const env = await database();
		await seed(env, new Date(Date.now() + 24 * 3_600_000));
		await sql(env, "ALTER ROLE CURRENT_USER IN DATABASE ".concat(nameOf(env), " SET synchronous_commit = off"));
		expect(await diagnose({ ...env, DATABASE_POOL_SIZE: "1000" })).toMatchObject({
			code: 0,
			warn: [
				["durability", text("synchronous_commit")],
				["pool", text("lower DATABASE_POOL_SIZE")],
				["tokens", text("end within a week")],
			],
			fail: [],
		});
		const pooled = await diagnose({ ...env, DATABASE_POOLER: "transaction" });
		expect(pooled.warn).toContainEqual(["timeouts", text("SET statement_timeout = '25s'")]);
	});

	it("says whether search is on, whether its indexes are complete, and how large they and their tables are", async () => {
		const env = await database();
		await seed(env);
		const search = async () => {
			const { stdout } = await runGateway(["doctor"], env);
			return /^(\w+) +search +(\w+).+\((\d+\.\d) MiB of indexes, (\d+\.\d) MiB of tables\)$/m.exec(stdout)?.slice(1);
		};
		expect(await search()).toEqual(["ok", "off", "0.0", "0.0"]);
		await sql(
			env,
			`INSERT INTO conversations (project_id, conversation_id, metadata, created_at, updated_at)
				SELECT project_id, n, json_build_object('title', 'Number ' || n), now(), now() FROM projects, generate_series(1, 2000) AS n`,
		);
		await runGateway(["search", "enable"], env);
		const [verdict, state, indexes, tables] = (await search())!;
		expect([verdict, state, Number(indexes) > 0, Number(tables) > 0]).toEqual(["ok", "on", true, true]);
		await sql(env, "DROP INDEX messages_search_idx");
		expect(await search()).toEqual(["warn", "off", expect.anything(), tables]);
	});

	it("refuses a database that may only be read, and one that cannot hold every text", async () => {
		const env = await database();
		await seed(env);
		await sql(env, `ALTER DATABASE ${nameOf(env)} SET default_transaction_read_only = on`);
		expect((await diagnose(env)).fail).toEqual([["writing", text("use the primary")]]);
		const name = `${nameOf(env)}_ascii`;
		const admin = { DATABASE_URL: Object.assign(new URL(env.DATABASE_URL), { pathname: "/postgres" }).href };
		await sql(admin, `CREATE DATABASE ${name} ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0`);
		onTestFinished(() => sql(admin, `DROP DATABASE ${name} WITH (FORCE)`));
		const ascii = { DATABASE_URL: Object.assign(new URL(env.DATABASE_URL), { pathname: `/${name}` }).href };
		expect((await diagnose(ascii)).fail).toContainEqual(["encoding", text("ENCODING 'UTF8'")]);
	});

	it("reads the configuration, and tells no password", async () => {
		expect(await diagnose({ PORT: "high" })).toMatchObject({
			code: 1,
			fail: [["configuration", text("PORT must be")]],
		});
		const env = { DATABASE_URL: "postgres://someone:hush@127.0.0.1:1/notes" };
		const { code, stdout, stderr } = await runGateway(["doctor"], env);
		expect(code).toBe(1);
		expect(stdout).toMatch(/^fail {2}database .+ECONNREFUSED.+check DATABASE_URL/m);
		expect(stdout + stderr).not.toContain("hush");
	});

	it("makes no database where there is none, and looks at the embedded one where there is, running or not", async () => {
		const env = { AGENT_STORE_DATA: join(await temporaryFolder(), ".agent-store") };
		expect(await diagnose(env)).toMatchObject({ code: 1, fail: [["database", text("set DATABASE_URL")]] });
		expect(await diagnose(env)).toMatchObject({ code: 1 });
		const gateway = await startGatewayProcess("dev", env);
		expect(await diagnose(env)).toMatchObject({ code: 0, warn: [], fail: [] });
		await gateway.stop();
		expect(await diagnose(env)).toMatchObject({ code: 0, warn: [], fail: [] });
	});
});

function nameOf({ DATABASE_URL }: { DATABASE_URL: string }): string {
	return new URL(DATABASE_URL).pathname.slice(1);
}
