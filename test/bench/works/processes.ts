import type { Contender } from "../contenders/contender.ts";
import { startGateway } from "../contenders/gateway.ts";
import { alternate, type Lane, ratio } from "../rounds.ts";
import { newDraft } from "../rows.ts";
import { checkSeqs } from "../seqs.ts";
import { type Bench, type Result, rowsResult } from "./work.ts";

const CONVERSATIONS = 200;

/** One gateway, and two on the same database that share the calls, whatever their conversation. */
export async function processes(bench: Bench): Promise<Result> {
	const { world } = bench;
	const start = await world.createStart("processes");
	const pair = [await startGateway(start), await startGateway(start)] as const;
	const lane = (name: string, contender: Contender): Lane => ({
		name,
		contender,
		calls: bench.scaled(1_000),
		call: () => ({
			kind: "append",
			conversationId: `shared-${Math.floor(Math.random() * CONVERSATIONS)}`,
			messages: [newDraft()],
		}),
	});
	const rows = await alternate([lane("one gateway", pair[0]), lane("two gateways", together(pair))], bench.course);
	await checkSeqs(world.sql, start.projectId);
	for (const gateway of pair) await gateway.stop();
	const [one, two] = rows;
	return rowsResult("appends by 1 and 2 processes", rows, [
		{ title: "2 gateways ÷ 1, CPU of both for one append", measured: ratio(two!.cpu, one!.cpu), limit: { most: 1.2 } },
		{ title: "2 gateways ÷ 1, throughput", measured: ratio(two!.throughput, one!.throughput), limit: { least: 1 } },
	]);
}

/** Both as one: every other call goes to each, and their CPU adds up. */
function together([first, second]: readonly [Contender, Contender]): Contender {
	return {
		...first,
		process: {
			...first.process,
			usage: async () => {
				const [a, b] = [await first.process.usage(), await second.process.usage()];
				return { cpu: a.cpu + b.cpu, rss: a.rss + b.rss };
			},
		},
		prepare: async (calls, concurrency) => {
			const half = (part: number) => calls.filter((_, index) => index % 2 === part);
			const runs = [await first.prepare(half(0), concurrency / 2), await second.prepare(half(1), concurrency / 2)];
			return async () => {
				const loads = await Promise.all(runs.map((run) => run()));
				return {
					seconds: Math.max(...loads.map(({ seconds }) => seconds)),
					latencies: loads.flatMap(({ latencies }) => latencies),
				};
			};
		},
	};
}
