import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile, rm, stat, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { StartError } from "../../server/domain/start-error.ts";
import { chooseAccount } from "../../server/embedded/account.ts";
import { findBinaries } from "../../server/embedded/binaries.ts";
import {
	type EmbeddedPostgres,
	type EmbeddedPostgresOptions,
	startEmbeddedPostgres,
	useEmbeddedPostgres,
} from "../../server/embedded/embedded-postgres.ts";
import { isAlive } from "../../server/embedded/processes.ts";
import { temporaryFolder } from "../support/folder.ts";

let folder: string;
let running: EmbeddedPostgres[];

beforeEach(async () => {
	folder = await temporaryFolder();
	running = [];
});

// Before the folder is removed: afterEach runs ahead of onTestFinished.
afterEach(async () => {
	for (const postgres of running) await postgres.stop();
});

async function start(options: Partial<EmbeddedPostgresOptions> = {}): Promise<EmbeddedPostgres> {
	const postgres = await startEmbeddedPostgres({ folder, durable: false, ...options });
	running.push(postgres);
	return postgres;
}

async function query(url: string, text: string): Promise<pg.QueryResult> {
	const client = new pg.Client(url);
	client.on("error", () => {});
	await client.connect();
	return client.query(text).finally(() => client.end());
}

const inData = (name: string) => join(folder, "postgres", "data", name);

async function postgresPid(): Promise<number> {
	return Number((await readFile(inData("postmaster.pid"), "utf8")).split("\n")[0]);
}

async function gone(pid: number): Promise<void> {
	await vi.waitFor(() => expect(isAlive(pid)).toBe(false), { timeout: 20_000 });
}

/** A process that has nothing to do with Postgres. */
async function stranger(): Promise<ChildProcess & { pid: number }> {
	const child = spawn(process.execPath, ["-e", "process.stdin.resume()"], { stdio: ["pipe", "ignore", "ignore"] });
	onTestFinished(() => void child.kill());
	await once(child, "spawn");
	return child as ChildProcess & { pid: number };
}

describe("the embedded Postgres", () => {
	it("keeps its data over a restart", async () => {
		const first = await start();
		await query(first.url, "CREATE TABLE kept AS SELECT 1 AS value");
		await first.stop();
		const second = await start();
		expect((await query(second.url, "SELECT value FROM kept")).rows).toEqual([{ value: 1 }]);
	});

	it("is gone when stop resolves, also when stopped twice", async () => {
		const { stop } = await start();
		const pid = await postgresPid();
		await Promise.all([stop(), stop()]);
		expect(isAlive(pid)).toBe(false);
		await stop();
	});

	it("ERR-6: makes commits durable unless a test gives that up", async () => {
		const { url } = await start({ durable: true });
		const { rows } = await query(
			url,
			"SELECT name, setting FROM pg_settings WHERE name IN ('fsync', 'full_page_writes', 'synchronous_commit')",
		);
		expect(rows.map((row) => row.setting)).toEqual(["on", "on", "on"]);
	});

	it("keeps folder and password from other users", async () => {
		const { url } = await start();
		const mode = async (...path: string[]) => (await stat(join(folder, ...path))).mode & 0o777;
		expect(await mode()).toBe(0o700);
		expect(await mode("postgres")).toBe(0o700);
		expect(await mode("postgres", "password")).toBe(0o600);
		expect(await readFile(join(folder, ".gitignore"), "utf8")).toBe("*\n");
		const withoutPassword = Object.assign(new URL(url), { password: "wrong" }).href;
		await expect(query(withoutPassword, "SELECT 1")).rejects.toThrow("password authentication failed");
	});

	it("leaves a folder with other files as it is", async () => {
		await writeFile(join(folder, "mine"), "");
		await start();
		await expect(stat(join(folder, ".gitignore"))).rejects.toThrow("ENOENT");
	});

	it("orders text bytewise and stores UTF-8", async () => {
		const { url } = await start();
		const { rows } = await query(url, "SHOW server_encoding");
		expect(rows).toEqual([{ server_encoding: "UTF8" }]);
		const sorted = await query(
			url,
			"SELECT array_agg(x ORDER BY x) AS list FROM unnest(ARRAY['a', 'B', 'é', 'z']) AS x",
		);
		expect(sorted.rows).toEqual([{ list: ["B", "a", "z", "é"] }]);
	});

	it("tells when Postgres ends by itself", async () => {
		const onExit = vi.fn();
		await start({ onExit });
		process.kill(await postgresPid(), "SIGINT");
		await vi.waitFor(() =>
			expect(onExit).toHaveBeenCalledWith(expect.stringMatching(/ended \(0\); its log is .*\.log/)),
		);
	});
});

describe("a folder in use", () => {
	it("refuses a second gateway, naming the first", async () => {
		const { url } = await start();
		await expect(start()).rejects.toThrow(new RegExp(`^Another gateway \\(pid ${process.pid}\\) uses the data folder`));
		expect((await query(url, "SELECT 1 AS one")).rows).toEqual([{ one: 1 }]);
	});

	it("lets a short command join, and leaves Postgres running after it", async () => {
		const { url } = await start();
		const joined = await useEmbeddedPostgres({ folder });
		expect(joined.url).toBe(url);
		await joined.stop();
		expect((await query(url, "SELECT 1 AS one")).rows).toEqual([{ one: 1 }]);
	});

	it("lets exactly one of several starters in", async () => {
		const results = await Promise.allSettled([start(), start(), start()]);
		expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
	});
});

describe("what a killed gateway leaves behind", () => {
	const lock = () => join(folder, "postgres", "gateway.lock");

	it("takes over the lock of a process that is gone", async () => {
		const { stop } = await start();
		await stop();
		const child = await stranger();
		child.kill();
		await once(child, "exit");
		await writeFile(lock(), JSON.stringify({ pid: child.pid, started: "1" }));
		await start();
	});

	it("takes over a lock whose process id belongs to another program now", async () => {
		const { stop } = await start();
		await stop();
		await writeFile(lock(), JSON.stringify({ pid: (await stranger()).pid, started: "1" }));
		await start();
	});

	it("takes over a lock that cannot be read", async () => {
		const { stop } = await start();
		await stop();
		await writeFile(lock(), "");
		await start();
	});

	it("stops a Postgres that was left running and keeps what it committed", async () => {
		const { url } = await start();
		await query(url, "CREATE TABLE kept AS SELECT 1 AS value");
		const pid = await postgresPid();
		await rm(lock());
		const second = await start();
		expect(isAlive(pid)).toBe(false);
		expect((await query(second.url, "SELECT value FROM kept")).rows).toEqual([{ value: 1 }]);
	});

	it("recovers after a Postgres that was killed", async () => {
		const { url } = await start({ durable: true });
		await query(url, "CREATE TABLE kept AS SELECT 1 AS value");
		const pid = await postgresPid();
		process.kill(pid, "SIGKILL");
		await gone(pid);
		await rm(lock());
		const second = await start({ durable: true });
		expect((await query(second.url, "SELECT value FROM kept")).rows).toEqual([{ value: 1 }]);
	});

	it("survives a postmaster.pid whose process id belongs to another program now", async () => {
		const first = await start();
		await query(first.url, "CREATE TABLE kept AS SELECT 1 AS value");
		const pidFile = await readFile(inData("postmaster.pid"), "utf8");
		await first.stop();
		const { pid } = await stranger();
		await writeFile(inData("postmaster.pid"), pidFile.replace(/^\d+/, String(pid)));
		const second = await start();
		expect(isAlive(pid)).toBe(true);
		expect((await query(second.url, "SELECT value FROM kept")).rows).toEqual([{ value: 1 }]);
	});

	it("begins again where the first start was interrupted", async () => {
		const { stop } = await start();
		await stop();
		await rm(inData(""), { recursive: true });
		await writeFile(join(folder, "postgres", "data.new"), "half");
		await start();
	});
});

describe("a start that cannot succeed", () => {
	const startError = (pattern: RegExp) =>
		expect.objectContaining({ name: "StartError", message: expect.stringMatching(pattern) });

	async function damage(change: () => Promise<void>): Promise<unknown> {
		const { stop } = await start();
		await stop();
		await change();
		return start().catch((error) => error);
	}

	it.each([
		["PG_VERSION missing", () => rm(inData("PG_VERSION")), /is damaged \(PG_VERSION is missing\): restore it/],
		[
			"another major version",
			() => writeFile(inData("PG_VERSION"), "17\n"),
			/made by Postgres 17, and this is Postgres 18/,
		],
		[
			"garbage in pg_control",
			() => writeFile(inData("global/pg_control"), "x".repeat(8192)),
			/does not start \(.+\): if the data/,
		],
		["an empty pg_control", () => truncate(inData("global/pg_control")), /does not start \(.+\): if the data/],
		["pg_control missing", () => rm(inData("global/pg_control")), /does not start \(.+pg_control.+\): if the data/],
		["a broken configuration", () => writeFile(inData("postgresql.conf"), "nonsense = = 1\n"), /does not start \(.+\)/],
	])("says in one line: %s", async (_name, change, pattern) => {
		const error = await damage(change);
		expect(error).toEqual(startError(pattern));
		expect((error as Error).message).not.toContain("\n");
	});

	it("says in one line that the data folder is a file", async () => {
		folder = join(folder, "file");
		await writeFile(folder, "");
		await expect(start()).rejects.toEqual(
			startError(/^Cannot write to the data folder .+: make it writable or set AGENT_STORE_DATA/),
		);
	});

	it("says in one line that this platform has no binary", async () => {
		const { arch } = process;
		onTestFinished(() => void Object.defineProperty(process, "arch", { value: arch }));
		Object.defineProperty(process, "arch", { value: "riscv64" });
		await expect(start()).rejects.toEqual(
			startError(/^There is no embedded Postgres for \w+-riscv64 .+ set DATABASE_URL to a Postgres of your own\.$/),
		);
	});

	it.runIf(process.getuid?.() === 0)("says in one line that root finds no way to give up its rights", async () => {
		const binaries = await findBinaries(join(folder, "lib"));
		const home = join(folder, "closed", "data", "postgres");
		await mkdir(home, { recursive: true, mode: 0o700 });
		const withoutUnshare = { ...binaries, env: { ...binaries.env, PATH: folder } };
		await expect(chooseAccount(home, withoutUnshare)).rejects.toThrow(
			/^Postgres refuses to run as root, and no other user can reach .+ set DATABASE_URL/,
		);
	});

	it("leaves the folder free after a failure", async () => {
		expect(await damage(() => writeFile(inData("PG_VERSION"), "17\n"))).toBeInstanceOf(StartError);
		await writeFile(inData("PG_VERSION"), "18\n");
		await start();
	});
});
