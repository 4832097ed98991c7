import { startGateway } from "../contenders/gateway.ts";
import { alternate, type Lane, ratio } from "../rounds.ts";
import { newDraft } from "../rows.ts";
import { checkSeqs } from "../seqs.ts";
import { type Bench, type Result, rowsResult } from "./work.ts";

const WRITERS = 64;

/** 64 writers on one conversation, and 64 on as many; a refused append would end the benchmark. */
export async function writers(bench: Bench): Promise<Result> {
	const gateway = await bench.world.enlist(startGateway);
	const lane = (conversations: number): Lane => ({
		name: `64 writers on ${conversations === 1 ? "one conversation" : `${conversations} conversations`}`,
		contender: gateway,
		calls: bench.scaled(1_000),
		call: (index) => ({
			kind: "append",
			conversationId: `writers-${conversations}-${index % conversations}`,
			messages: [newDraft()],
		}),
	});
	const rows = await alternate([lane(1), lane(WRITERS)], { ...bench.course, concurrency: WRITERS });
	await checkSeqs(bench.world.sql, gateway.projectId);
	const measured = ratio(rows[0]!.throughput, rows[1]!.throughput);
	const title = "64 writers on one conversation ÷ on 64, throughput, no errors";
	return rowsResult("64 writers", rows, [{ title, measured, limit: { least: 0.5 } }]);
}
