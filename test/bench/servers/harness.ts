import type { Call } from "../call.ts";
import { runLoad } from "../load.ts";

type Act = () => Promise<unknown>;

/** What `driven` of the contenders tells such a program. */
export type Order = { prepare: Call[] } | { run: { concurrency: number } } | { ask: Call };

/** Makes this process one that is handed calls, and does them when it is told to: what it does is measured. */
export function obey(options: {
	/** Turns a call into what does it; not measured. */
	prepare(call: Call): Act | Promise<Act>;
	/** The messages or conversations of what a call came to. */
	read(result: unknown): unknown[];
}): void {
	const { prepare, read } = options;
	let acts: Act[] = [];
	const execute = async (order: Order): Promise<unknown> => {
		if ("prepare" in order) {
			acts = await Promise.all(order.prepare.map(prepare));
			return {};
		}
		if ("run" in order) return runLoad(acts, order.run.concurrency, (act) => act());
		return read(await (await prepare(order.ask))());
	};
	process.on("message", (order: Order | { ask: "usage" }) => {
		// That one is for the meter.
		if ("ask" in order && order.ask === "usage") return;
		execute(order as Order).then(
			(result) => process.send?.(result),
			(error: unknown) => {
				console.error(error);
				process.exit(1);
			},
		);
	});
	process.send?.({ port: 0 });
}
