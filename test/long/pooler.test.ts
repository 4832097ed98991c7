import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createStore, type Store } from "@iga-pages/agent/store";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { type GatewayProcess, runGateway, startGatewayProcess } from "../support/gateway-process.ts";
import { Ledger } from "../support/ledger.ts";
import { drainMessages, seqs } from "../support/pages.ts";

const PGBOUNCER = "/usr/sbin/pgbouncer";

if (!existsSync(PGBOUNCER)) console.warn(`SKIPPED: pgbouncer in transaction mode, since ${PGBOUNCER} is missing`);

/** A pgbouncer in transaction mode before a Postgres, with fewer connections to it than gateways open. */
class Pooler {
	readonly #folder: string;
	readonly #target: URL;
	readonly #port: number;
	#child: ChildProcess | undefined;

	private constructor(folder: string, target: URL, port: number) {
		this.#folder = folder;
		this.#target = target;
		this.#port = port;
	}

	static async create(databaseUrl: string): Promise<Pooler> {
		const folder = await mkdtemp(join(tmpdir(), "agent-store-pooler-"));
		// It refuses to run as root, and nobody has to read its files.
		await chmod(folder, 0o755);
		const probe = createServer().listen(0, "127.0.0.1");
		await once(probe, "listening");
		const { port } = probe.address() as { port: number };
		probe.close();
		return new Pooler(folder, new URL(databaseUrl), port);
	}

	get url(): string {
		return Object.assign(new URL(this.#target), { hostname: "127.0.0.1", port: String(this.#port) }).href;
	}

	async start(): Promise<void> {
		const { hostname, port, username, password, pathname } = this.#target;
		const secret = password === "" ? "" : ` password=${decodeURIComponent(password)}`;
		const lines = [
			"[databases]",
			`${pathname.slice(1)} = host=${hostname} port=${port || 5432} user=${decodeURIComponent(username)}${secret}`,
			"[pgbouncer]",
			"listen_addr = 127.0.0.1",
			`listen_port = ${this.#port}`,
			"unix_socket_dir =",
			"auth_type = any",
			"pool_mode = transaction",
			"default_pool_size = 3",
		];
		const file = join(this.#folder, "pgbouncer.ini");
		await writeFile(file, `${lines.join("\n")}\n`);
		const asNobody = process.getuid?.() === 0 ? ["-u", "nobody"] : [];
		this.#child = spawn(PGBOUNCER, ["-q", ...asNobody, file], { stdio: "ignore" });
		await vi.waitFor(async () => {
			const client = new pg.Client(this.url);
			await client.connect();
			await client.end();
		});
	}

	async stop(): Promise<void> {
		if (this.#child === undefined || this.#child.exitCode !== null) return;
		const ended = once(this.#child, "exit");
		this.#child.kill("SIGKILL");
		await ended;
	}

	async remove(): Promise<void> {
		await this.stop();
		await rm(this.#folder, { recursive: true });
	}
}

describe.skipIf(!existsSync(PGBOUNCER))("pgbouncer in transaction mode", () => {
	let beside: TestGateway;
	let pooler: Pooler;
	let gateways: GatewayProcess[];
	let stores: Store[];
	let env: Record<string, string>;

	beforeAll(async () => {
		beside = await startGateway();
		pooler = await Pooler.create(beside.databaseUrl);
		await pooler.start();
		env = { DATABASE_URL: pooler.url, DATABASE_POOLER: "transaction", DATABASE_DIRECT_URL: beside.databaseUrl };
		gateways = await Promise.all([1, 2].map(() => startGatewayProcess("serve", env)));
		stores = gateways.map(({ url }) => createStore({ url, token: beside.token, retries: 20 }));
	});

	afterAll(async () => {
		for (const gateway of gateways ?? []) await gateway.stop();
		await pooler?.remove();
		await beside?.close();
	});

	it("MSG-5: takes 50 first appends at once, at two gateways", async () => {
		const conversationId = "parallel";
		const messages = await Promise.all(
			Array.from({ length: 50 }, (_, payload) => stores[payload % 2]!.appendMessage({ conversationId, payload })),
		);
		expect(seqs(messages).sort((a, b) => a - b)).toEqual(Array.from({ length: 50 }, (_, index) => index + 1));
	});

	it("MSG-10 CONV-4 MSG-11: runs transactions of several statements whole, whichever connection each gets", async () => {
		const conversationId = "changed";
		const appended = await stores[0]!.appendMessages({
			conversationId,
			messages: Array.from({ length: 20 }, (_, payload) => ({ payload })),
		});
		await Promise.all(
			appended.flatMap(({ messageId }, index) => [
				stores[index % 2]!.updateMessage({ messageId, payload: { changed: index } }),
				stores[(index + 1) % 2]!.updateConversation({ conversationId, metadata: { [`k${index}`]: index } }),
			]),
		);
		const stored = await drainMessages(stores[1]!, { conversationId });
		expect(stored.map(({ payload }) => payload)).toEqual(appended.map((_, changed) => ({ changed })));
		expect(Object.keys((await stores[0]!.getConversation({ conversationId }))!.metadata)).toHaveLength(20);
		await stores[0]!.clearMessages({ conversationId });
		expect(await drainMessages(stores[1]!, { conversationId })).toEqual([]);
		await stores[1]!.deleteConversation({ conversationId });
	});

	it("ERR-4 ERR-6: loses no turn and doubles none when the pooler is killed and started again in their middle", async () => {
		const ledger = new Ledger();
		let restarted: Promise<void> | undefined;
		const restart = async () => {
			await pooler.stop();
			await pooler.start();
		};
		await Promise.all(
			Array.from({ length: 8 }, async (_, writer) => {
				for (let turn = 0; turn < 25; turn++) {
					expect(await ledger.append(stores[writer % 2]!, `pooled-${writer % 3}`, (turn % 2) + 1)).toBe("resolved");
					if (ledger.outcomes.resolved >= 80) restarted ??= restart();
				}
			}),
		);
		await restarted;
		const walks = [0, 1, 2].map((it) => drainMessages(stores[0]!, { conversationId: `pooled-${it}`, limit: 200 }));
		ledger.verify((await Promise.all(walks)).flat());
	});

	it("is what the doctor finds: timeouts to set on the role, and the setting that is missing", async () => {
		const found = await runGateway(["doctor"], env);
		expect(found).toMatchObject({ code: 0, stderr: "" });
		expect(found.stdout).toMatch(/^warn {2}timeouts .+ALTER ROLE/m);
		expect(found.stdout).toMatch(/^ok {4}direct url .+the same database/m);
		const { code, stdout } = await runGateway(["doctor"], { DATABASE_URL: pooler.url });
		expect(stdout).toMatch(/^fail {2}database .+set DATABASE_POOLER=transaction/m);
		expect(code).toBe(1);
	});
});
