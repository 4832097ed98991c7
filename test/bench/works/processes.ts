import type { Contender } from "../contenders/contender.ts";
import { startGateway } from "../contenders/gateway.ts";
import { alternate, type Lane, ratio } from "../rounds.ts";
import { newDraft } from "../rows.ts";
import { checkSeqs } from "../seqs.ts";
import { type Bench, type Result, rowsResult } from "./work.ts";

const CONVERSATIONS = 200;

/**
 * One gateway, and two on the same database that share the calls, whatever their conversation. Two that share nothing
 * but the machine and Postgres tell what of the difference comes from the common database.
 */
export async function processes(bench: Bench): Promise<Result> {
	const { world } = bench;
	const start = await world.createStart("processes");
	const elsewhere = await world.createStart("elsewhere", await world.createDatabase("elsewhere"));
	const gateway = await startGateway(start);
	const peer = await startGateway(start);
	const stranger = await startGateway(elsewhere);
	// Each process gets as many calls, for the warm-up as in a round.
	const lane = (name: string, contender: Contender, gateways: number): Lane => ({
		name,
		contender,
		calls: bench.scaled(1_000) * gateways,
		call: () => ({
			kind: "append",
			conversationId: `shared-${Math.floor(Math.random() * CONVERSATIONS)}`,
			messages: [newDraft()],
		}),
	});
	const lanes = [
		lane("one gateway", gateway, 1),
		lane("two gateways", together(gateway, peer), 2),
		lane("two gateways, a database for each", together(gateway, stranger), 2),
	];
	const rows = await alternate(lanes, bench.course);
	await checkSeqs(world.sql, start.projectId);
	for (const contender of [gateway, peer, stranger]) await contender.stop();
	const [one, two, apart] = rows;
	return rowsResult("appends by 1 and 2 processes", rows, [
		{ title: "2 gateways ÷ 1, CPU of both for one append", measured: ratio(two!.cpu, one!.cpu), limit: { most: 1.2 } },
		{ title: "2 gateways ÷ 1, throughput", measured: ratio(two!.throughput, one!.throughput), limit: { least: 1 } },
		{
			title: "2 gateways on one database ÷ on two, CPU of both for one append",
			measured: ratio(two!.cpu, apart!.cpu),
			limit: { most: 1.2 },
		},
		{
			title: "2 gateways on one database ÷ on two, throughput",
			measured: ratio(two!.throughput, apart!.throughput),
			limit: { least: 0.9 },
		},
	]);
}

/** Both as one: every other call goes to each, and their CPU adds up. */
function together(first: Contender, second: Contender): Contender {
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
