import type { Load } from "../load.ts";
import { startServerProcess } from "../server-process.ts";
import type { Contender, Start } from "./contender.ts";

/** A bare pg client in a process of its own, with the gateway's SQL. */
export async function startLimit({ databaseUrl, projectId, statements }: Start): Promise<Contender> {
	const options = JSON.stringify({ databaseUrl, projectId, statements });
	const process = await startServerProcess("./servers/limit.ts", [options]);
	return {
		name: "limit: bare pg client",
		projectId,
		process,
		prepare: async (calls, concurrency) => {
			await process.request({ calls });
			return async () => (await process.request({ run: { concurrency } })) as Load;
		},
		ask: async (call) => {
			const rows = (await process.request({ one: call })) as Record<string, unknown>[];
			return rows.map((row) =>
				Object.fromEntries(Object.entries(row).map(([name, value]) => [camelCase(name), value])),
			);
		},
		stop: process.stop,
	};
}

function camelCase(column: string): string {
	return column.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}
