import { createStore, type Message } from "@iga-pages/agent/store";
import { createGateway } from "@iga-pages/agent-gateway";
import { pino } from "pino";
import { describe, expect, it, onTestFinished } from "vitest";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "../../server/embedded/embedded-postgres.ts";
import { readPidFile } from "../../server/embedded/server-process.ts";
import { Database } from "../../server/store/database.ts";
import { migrate } from "../../server/store/migrate.ts";
import { createProject } from "../../server/store/projects.ts";
import { createToken } from "../../server/store/tokens.ts";
import { createDatabase } from "../support/database.ts";
import { temporaryFolder } from "../support/folder.ts";
import { type GatewayProcess, startGatewayProcess } from "../support/gateway-process.ts";
import { Ledger } from "../support/ledger.ts";
import { drainMessages } from "../support/pages.ts";
import { Wire } from "../support/wire.ts";

const CONVERSATIONS = ["a", "b", "c"];

/** A Postgres of its own that writes to the disk, behind a wire, so that it can come back elsewhere. */
async function startDatabase(folder: string) {
	let postgres: EmbeddedPostgres = await startEmbeddedPostgres({ folder });
	const wire = new Wire(postgres.url);
	await wire.open();
	return {
		wire,
		/** Ends Postgres in order, or as a crash does: without writing its tables, which come back from its log. */
		async end(how: "in order" | "crash") {
			if (how === "crash") {
				const server = await readPidFile(`${folder}/postgres/data`);
				process.kill(server!.pid, "SIGQUIT");
			}
			await postgres.stop();
			await wire.cut();
		},
		async restart() {
			postgres = await startEmbeddedPostgres({ folder });
			wire.target = new URL(postgres.url);
			await wire.open();
		},
		async close() {
			await wire.cut();
			await postgres.stop();
		},
	};
}

describe("a Postgres that is restarted in the middle of 200 appends", () => {
	let database: Awaited<ReturnType<typeof startDatabase>>;
	let gateway: GatewayProcess;
	let token: string;

	async function start() {
		database = await startDatabase(await temporaryFolder());
		onTestFinished(() => database.close());
		await migrate(database.wire.databaseUrl);
		const db = new Database({ url: database.wire.databaseUrl, poolSize: 1 });
		const { projectId } = await createProject(db, "notes");
		token = await createToken(db, { projectId, role: "write", name: "test" });
		await db.close();
		gateway = await startGatewayProcess("serve", { DATABASE_URL: database.wire.databaseUrl });
		onTestFinished(() => gateway.stop());
	}

	it("ERR-4 ERR-6: has every turn that was acknowledged, none twice, and none that was refused; the gateway lives", async () => {
		await start();
		const store = createStore({ url: gateway.url, token, retries: 1 });
		const ledger = new Ledger();
		let restarts = 0;
		const restart = async (how: "in order" | "crash") => {
			await database.end(how);
			expect((await fetch(new URL("/health/live", gateway.url))).status).toBe(200);
			expect((await fetch(new URL("/health/ready", gateway.url))).status).toBe(503);
			await database.restart();
			restarts += 1;
		};
		const restarting: Promise<void>[] = [];
		await Promise.all(
			Array.from({ length: 8 }, async (_, writer) => {
				while (ledger.outcomes.resolved < 200) {
					await ledger.append(store, CONVERSATIONS[writer % 3]!, (writer % 2) * 2 + 1);
					// One restart after 60 acknowledged calls, another after 120.
					const due = Math.min(2, Math.floor(ledger.outcomes.resolved / 60));
					if (restarting.length === restarts && restarts < due) {
						restarting.push(restart(restarts === 0 ? "in order" : "crash"));
					}
				}
			}),
		);
		await Promise.all(restarting);
		expect(restarts).toBe(2);
		const stored: Message[] = [];
		for (const conversationId of CONVERSATIONS) {
			const messages = await drainMessages(store, { conversationId, limit: 200 });
			expect(messages.map(({ seq }) => Number(seq))).toEqual(messages.map((_, index) => index + 1));
			stored.push(...messages);
		}
		ledger.verify(stored);
		expect(ledger.outcomes.refused + ledger.outcomes.unknown).toBeGreaterThan(0);
	});
});

describe("a Postgres that is not there when the gateway starts", () => {
	it("ERR-4 ERR-6: is ServiceUnavailable until it is there, and an append that waited for it is written once", async () => {
		const { url, drop } = await createDatabase();
		onTestFinished(drop);
		const db = new Database({ url, poolSize: 1 });
		const { projectId } = await createProject(db, "notes");
		const token = await createToken(db, { projectId, role: "write", name: "test" });
		await db.close();
		const wire = new Wire(url);
		await wire.open();
		await wire.cut();
		const gateway = createGateway({ databaseUrl: wire.databaseUrl, logger: pino({ level: "silent" }) });
		onTestFinished(async () => {
			await gateway.close();
			await wire.cut();
		});
		const store = (retries: number) =>
			createStore({ url: "http://localhost/graphql", token, retries, fetch: gateway.fetch });
		await expect(gateway.ready()).rejects.toMatchObject({ code: "ServiceUnavailable" });
		const waiting = store(20).appendMessage({ conversationId: "c", payload: "waited" });
		await expect(store(0).listConversations()).rejects.toMatchObject({ code: "ServiceUnavailable", status: 503 });
		await wire.open();
		await waiting;
		expect(await drainMessages(store(0), { conversationId: "c" })).toMatchObject([{ payload: "waited", seq: "1" }]);
	});
});
