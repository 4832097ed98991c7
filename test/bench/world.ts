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
	/** Names the project and its token for one more contender. */
	createStart(name: string): Promise<Start>;
	/** Starts a contender once, however many works want it. */
	enlist(start: (start: Start) => Promise<Contender>): Promise<Contender>;
	close(): Promise<void>;
}

export async function createWorld(): Promise<World> {
	const folder = await mkdtemp(join(tmpdir(), "agent-store-bench-"));
	const postgres = await startEmbeddedPostgres({ folder, maxConnections: 200 });
	await migrate(postgres.url);
	const db = new Database({ url: postgres.url, poolSize: 1 });
	const sql = new pg.Client(postgres.url);
	await sql.connect();
	const statements = await gatewayStatements();
	const enlisted = new Map<unknown, Promise<Contender>>();
	const createStart = async (name: string): Promise<Start> => {
		const { projectId } = await createProject(db, name);
		const token = await createToken(db, { projectId, role: "write", name: "benchmark" });
		return { databaseUrl: postgres.url, projectId, token, statements };
	};
	return {
		databaseUrl: postgres.url,
		sql,
		createStart,
		enlist: async (start) => {
			const known = enlisted.get(start) ?? createStart(start.name).then(start);
			enlisted.set(start, known);
			return known;
		},
		close: async () => {
			for (const contender of enlisted.values()) await (await contender).stop();
			await sql.end();
			await db.close();
			await postgres.stop();
			await rm(folder, { recursive: true, force: true });
		},
	};
}
