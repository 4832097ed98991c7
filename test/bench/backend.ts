import { readFile } from "node:fs/promises";
import pg from "pg";
import type { Statement } from "../../server/store/database.ts";
import { literal } from "../support/plans.ts";

/** What a statement costs Postgres. */
export interface Cost {
	/** Microseconds of its process for one execution. */
	cpu: number;
	/** Pages that one execution looks at. */
	buffers: number;
}

/** A connection whose process in Postgres is watched. */
export class Backend {
	readonly #client: pg.Client;
	readonly #pid: number;

	private constructor(client: pg.Client, pid: number) {
		this.#client = client;
		this.#pid = pid;
	}

	static async connect(databaseUrl: string): Promise<Backend> {
		const client = new pg.Client(databaseUrl);
		await client.connect();
		// As the gateway's connections do.
		await client.query("SET plan_cache_mode = force_generic_plan");
		const { rows } = await client.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
		return new Backend(client, rows[0]!.pid);
	}

	/** CPU of one execution, in microseconds: the mean of many, by the plan that Postgres keeps for the statement. */
	async cpu({ name, text }: Statement, values: readonly unknown[][]): Promise<number> {
		const before = await this.#nanoseconds();
		for (const row of values) await this.#client.query({ name, text, values: row });
		return ((await this.#nanoseconds()) - before) / 1_000 / values.length;
	}

	/** Pages that one execution looks at, which is rolled back. */
	async buffers({ text }: Statement, values: unknown[]): Promise<number> {
		await this.#client.query(`PREPARE explained AS ${text}`);
		await this.#client.query("BEGIN");
		const explained = await this.#client.query<{ "QUERY PLAN": { Plan: Record<string, number> }[] }>(
			`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) EXECUTE explained(${values.map(literal).join()})`,
		);
		await this.#client.query("ROLLBACK; DEALLOCATE explained");
		const { Plan: plan } = explained.rows[0]!["QUERY PLAN"][0]!;
		return plan["Shared Hit Blocks"]! + plan["Shared Read Blocks"]!;
	}

	async end(): Promise<void> {
		await this.#client.end();
	}

	/** Linux tells how long a process has been on a processor. */
	async #nanoseconds(): Promise<number> {
		return Number((await readFile(`/proc/${this.#pid}/schedstat`, "utf8")).split(" ")[0]);
	}
}
