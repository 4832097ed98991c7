import type { Load } from "../load.ts";
import { startServerProcess } from "../server-process.ts";
import type { Order } from "../servers/harness.ts";
import type { Contender } from "./contender.ts";

/** A contender that is no server: a program that is handed the calls, and does them when it is told to. */
export async function startDriven(
	name: string,
	projectId: string,
	program: string,
	args: string[],
): Promise<Contender> {
	const process = await startServerProcess(program, args);
	const tell = (order: Order) => process.request(order);
	return {
		name,
		projectId,
		process,
		prepare: async (calls, concurrency) => {
			await tell({ prepare: [...calls] });
			return async () => (await tell({ run: { concurrency } })) as Load;
		},
		ask: async (call) => (await tell({ ask: call })) as Record<string, unknown>[],
		stop: process.stop,
	};
}
