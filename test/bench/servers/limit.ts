import pg from "pg";
import type { Call } from "../call.ts";
import { runLoad } from "../load.ts";
import { POOL_SIZE, readOptions, toQuery } from "./queries.ts";

/** The limit: the same SQL from a bare client, nothing before it. It is handed the calls, and runs them when told. */
const options = readOptions();
const pool = new pg.Pool({ connectionString: options.databaseUrl, max: POOL_SIZE });
let calls: Call[] = [];

async function receive(message: { calls?: Call[]; run?: { concurrency: number }; one?: Call }): Promise<void> {
	if (message.calls !== undefined) {
		calls = message.calls;
		process.send?.({});
	} else if (message.run !== undefined) {
		const load = await runLoad(calls, message.run.concurrency, (call) => pool.query(toQuery(options, call)));
		process.send?.(load);
	} else if (message.one !== undefined) {
		process.send?.((await pool.query(toQuery(options, message.one))).rows);
	}
}

process.on("message", (message: Parameters<typeof receive>[0]) => void receive(message));
process.send?.({ port: 0 });
