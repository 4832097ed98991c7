import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { startEmbeddedPostgres } from "../../server/embedded/embedded-postgres.ts";
import { Database } from "../../server/store/database.ts";
import { migrate } from "../../server/store/migrate.ts";
import { createProject } from "../../server/store/projects.ts";
import { createToken } from "../../server/store/tokens.ts";
import type { Contender, Start } from "./contenders/contender.ts";
import { gatewayStatements } from "./statements.ts";

/** A Postgres of its own with the gateway's tables, and the contenders on it, each in its own project. */
export interface World {
	databaseUrl: string;
	/** Beside the contenders, to fill tables and to look at them. */
	sql: pg.Client;
	/** One more client; of another database where one is named. */
	connect(databaseUrl?: string): Promise<pg.Client>;
	/** One more database with the gateway's tables; returns its address. */
	createDatabase(name: string): Promise<string>;
	/** Makes a project and a token for one more contender. */
	createStart(name: string, databaseUrl?: string): Promise<Start>;
	/** Starts a contender once, however many works want it. */
	enlist(start: (start: Start) => Promise<Contender>): Promise<Contender>;
	close(): Promise<void>;
}

export async function createWorld(): Promise<World> {
	const folder = await mkdtemp(join(tmpdir(), "agent-store-bench-"));
	const postgres = await startEmbeddedPostgres({ folder, maxConnections: 200 });
	await migrate(postgres.url);
	const connect = async (databaseUrl = postgres.url) => {
		const client = new pg.Client(databaseUrl);
		await client.connect();
		return client;
	};
	const sql = await connect();
	const statements = await gatewayStatements();
	const enlisted = new Map<unknown, Promise<Contender>>();
	const createStart = async (name: string, databaseUrl = postgres.url): Promise<Start> => {
		const db = new Database({ url: databaseUrl, poolSize: 1 });
		const { projectId } = await createProject(db, name);
		const token = await createToken(db, { projectId, role: "write", name: "benchmark" });
		await db.close();
		return { databaseUrl, projectId, token, statements };
	};
	return {
		databaseUrl: postgres.url,
		sql,
		connect,
		createDatabase: async (name) => {
			await sql.query(`CREATE DATABASE ${name}`);
			const url = Object.assign(new URL(postgres.url), { pathname: `/${name}` }).href;
			await migrate(url);
			return url;
		},
		createStart,
		enlist: async (start) => {
			const known = enlisted.get(start) ?? createStart(start.name).then(start);
			enlisted.set(start, known);
			return known;
		},
		close: async () => {
			for (const contender of enlisted.values()) await (await contender).stop();
			await sql.end();
			await postgres.stop();
			await rm(folder, { recursive: true, force: true });
		},
	};
}
