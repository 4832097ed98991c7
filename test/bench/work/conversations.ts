import { startByHand } from "../contenders/by-hand.ts";
import { startGateway } from "../contenders/gateway.ts";
import { startLimit } from "../contenders/limit.ts";
import { startMercurius } from "../contenders/mercurius.ts";
import { startPostgraphile } from "../contenders/postgraphile.ts";
import { fillConversations } from "../rows.ts";
import { type Bench, type Result, sideBySide } from "./work.ts";

/** Lists the first 50 of 200,000 conversations. */
export async function conversations(bench: Bench): Promise<Result> {
	const starts = [startLimit, startByHand, startGateway, startMercurius, startPostgraphile];
	const contenders = await bench.contenders(starts);
	const amount = bench.scaled(200_000);
	for (const { projectId } of contenders) {
		await fillConversations(bench.world.sql, projectId, { name: "listed", conversations: amount, messages: 0 });
	}
	return sideBySide(bench, "50 of 200,000 conversations", {
		contenders,
		calls: 1_000,
		call: () => ({ kind: "conversations", limit: 50 }),
		most: {},
	});
}
