import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createSessions } from "@iga-pages/agent/sessions";
import { createStore } from "@iga-pages/agent/store";
import pg from "pg";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { withSchemaEngine } from "../../server/store/schema-engine.ts";
import { failure } from "../support/errors.ts";
import { temporaryFolder } from "../support/folder.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { runGateway, spawnGateway, startGatewayProcess } from "../support/gateway-process.ts";
import { find, sessionsOf } from "../support/searches.ts";
import { query } from "../support/sql.ts";

const PRISMA_SCHEMA = new URL("../../prisma/schema.prisma", import.meta.url);

const ENABLED = /^Search is enabled \(\d+\.\d MiB\)\.\n$/;
const DISABLED = 'Search is not enabled: "agent-gateway search enable" makes its indexes.\n';
const UNFINISHED = /^Search is not enabled: its indexes are being made, were left half done, .+\.\n$/;

async function start() {
	const gateway = await startGateway();
	onTestFinished(gateway.close);
	await gateway.store.appendMessage({ conversationId: "c", payload: "needle" });
	const env = { DATABASE_URL: gateway.databaseUrl };
	const run = (command: string) => runGateway(["search", command], env);
	const search = () => find(sessionsOf(gateway, gateway.token), "needle");
	return { gateway, env, run, search };
}

/** Everything in the schema that is not a table's row. */
async function catalogOf(gateway: TestGateway): Promise<unknown[]> {
	return query(
		gateway,
		`SELECT indexrelid::regclass::text AS name, pg_get_indexdef(indexrelid) AS definition FROM pg_index
			WHERE indrelid::regclass::text !~ '^pg_'
		UNION ALL SELECT proname::text, prosrc FROM pg_proc WHERE pronamespace = current_schema()::regnamespace
		UNION ALL SELECT extname::text, extversion FROM pg_extension ORDER BY 1`,
	);
}

/** A transaction that an index, which is made beside it, has to wait for. */
async function openTransaction(gateway: TestGateway): Promise<() => Promise<void>> {
	const client = new pg.Client(gateway.databaseUrl);
	await client.connect();
	await client.query("BEGIN; UPDATE messages SET label = label");
	return async () => {
		await client.query("ROLLBACK");
		await client.end();
	};
}

const BUILDING = "SELECT FROM pg_stat_progress_create_index WHERE datname = current_database()";

describe("agent-gateway search", () => {
	it("enables and disables search of running gateways, and leaves nothing behind", async () => {
		const { gateway, run, search } = await start();
		const before = await catalogOf(gateway);
		expect(await run("status")).toEqual({ code: 0, stdout: DISABLED, stderr: "" });
		expect(await run("enable")).toEqual({
			code: 0,
			stdout: expect.stringMatching(ENABLED),
			stderr: expect.any(String),
		});
		expect(await search()).toEqual(["c"]);
		const enabled = await catalogOf(gateway);
		const again = await run("enable");
		expect(again.stdout).toMatch(/^Nothing had to be done\.\nSearch is enabled/);
		expect(await catalogOf(gateway)).toEqual(enabled);
		expect((await run("status")).stdout).toMatch(ENABLED);
		for (const _ of [1, 2]) expect(await run("disable")).toEqual({ code: 0, stdout: DISABLED, stderr: "" });
		expect((await failure(search())).message).toMatch(/^search: is not enabled/);
		expect(await catalogOf(gateway)).toEqual(before);
	});

	it("needs no extension and changes nothing that migrations look at", async () => {
		const { gateway, env, run } = await start();
		await run("enable");
		const extensions = await query(gateway, "SELECT extname::text FROM pg_extension");
		expect(extensions).toEqual([{ extname: "plpgsql" }]);
		const files = [{ path: "schema.prisma", content: await readFile(PRISMA_SCHEMA, "utf8") }];
		const difference = await withSchemaEngine(gateway.databaseUrl, (engine) =>
			engine.diff({
				from: { tag: "schemaDatasource", files, configDir: "." },
				to: { tag: "schemaDatamodel", files },
				script: true,
				exitCode: true,
				filters: { externalTables: [], externalEnums: [] },
			}),
		);
		expect(difference).toEqual({ exitCode: 0, stdout: "-- This is an empty migration.\n" });
		expect(await runGateway(["migrate"], env)).toMatchObject({ code: 0, stdout: "The database is up to date.\n" });
	});

	it("makes anew what a killed run left, while appends go on", async () => {
		const { gateway, env, run, search } = await start();
		const release = await openTransaction(gateway);
		const { child } = spawnGateway(["search", "enable"], env);
		await vi.waitFor(async () => expect(await query(gateway, BUILDING)).toHaveLength(1), { timeout: 30_000 });
		expect(await run("enable")).toMatchObject({
			code: 1,
			stderr: "agent-gateway: Search is being enabled or disabled by another process: wait for it.\n",
		});
		await gateway.store.appendMessage({ conversationId: "c", payload: "meanwhile" });
		expect((await failure(search())).message).toMatch(/^search: is not enabled/);
		process.kill(child.pid!, "SIGKILL");
		// Postgres notices within a second, and the index is left invalid.
		await vi.waitFor(async () => expect(await query(gateway, BUILDING)).toHaveLength(0), { timeout: 30_000 });
		await release();
		expect((await run("status")).stdout).toMatch(UNFINISHED);
		expect((await failure(search())).message).toMatch(/^search: is not enabled/);
		expect((await run("enable")).stdout).toMatch(ENABLED);
		expect(await search()).toEqual(["c"]);
		expect(await find(sessionsOf(gateway, gateway.token), "meanwhile")).toEqual(["c"]);
	});

	it("takes the index of another release for none, and makes it anew", async () => {
		const { gateway, run, search } = await start();
		await run("enable");
		await query(gateway, "COMMENT ON INDEX messages_search_idx IS 'search of yesterday'");
		expect((await run("status")).stdout).toMatch(UNFINISHED);
		expect((await failure(search())).message).toMatch(/^search: is not enabled/);
		expect((await run("enable")).stdout).toMatch(ENABLED);
		expect(await search()).toEqual(["c"]);
	});

	it("says what to do where the role may not change the tables, and the rest works", async () => {
		const { gateway } = await start();
		const role = `reader_${process.pid}`;
		await query(gateway, `CREATE ROLE ${role} LOGIN PASSWORD 'reader'`);
		await query(gateway, `GRANT SELECT ON ALL TABLES IN SCHEMA public TO ${role}`);
		const url = Object.assign(new URL(gateway.databaseUrl), { username: role, password: "reader" }).href;
		const { code, stdout, stderr } = await runGateway(["search", "enable"], { DATABASE_URL: url });
		expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
		expect(stderr).toMatch(
			/^agent-gateway: The role .+ may not change the tables \(.+\): set DATABASE_DIRECT_URL .+\n$/,
		);
		expect((await gateway.store.listConversations()).items).toHaveLength(1);
		await query(gateway, `DROP OWNED BY ${role}`);
		await query(gateway, `DROP ROLE ${role}`);
	});

	it("works on the embedded Postgres of a gateway that runs for development", async () => {
		const env = { AGENT_STORE_DATA: join(await temporaryFolder(), ".agent-store") };
		const gateway = await startGatewayProcess("dev", env);
		onTestFinished(gateway.stop);
		const link = JSON.parse(await readFile(join(env.AGENT_STORE_DATA, "link.json"), "utf8")) as { token: string };
		await createStore({ url: gateway.url, token: link.token }).appendMessage({
			conversationId: "c",
			payload: "needle",
		});
		const sessions = createSessions({ url: gateway.url, token: link.token });
		expect((await failure(find(sessions, "needle"))).message).toMatch(/^search: is not enabled/);
		expect((await runGateway(["search", "enable"], env)).stdout).toMatch(ENABLED);
		expect(await find(sessions, "needle")).toEqual(["c"]);
	});

	it.each([["search"], ["search rebuild"], ["search enable now"]])("knows no %s", async (command) => {
		expect(await runGateway(command.split(" "))).toMatchObject({ code: 2, stdout: "" });
	});
});

describe("a message that is appended while its index is maintained", () => {
	it("is found at once, after a vacuum, and after the statistics are renewed", async () => {
		const { gateway, run, search } = await start();
		await run("enable");
		for (const statement of ["VACUUM", "ANALYZE", "VACUUM FULL"]) {
			await gateway.store.appendMessage({ conversationId: statement, payload: "needle" });
			expect(await search()).toContain(statement);
			await query(gateway, `${statement} messages`);
			expect(await search()).toContain(statement);
		}
	});
});
