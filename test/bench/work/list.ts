import { startByHand } from "../contenders/by-hand.ts";
import { startGateway } from "../contenders/gateway.ts";
import { startLimit } from "../contenders/limit.ts";
import { startPostgraphile } from "../contenders/postgraphile.ts";
import { alternate } from "../rounds.ts";
import { fillConversations } from "../rows.ts";
import { type Bench, cpuTargets, type Result } from "./work.ts";

const CONVERSATIONS = 200;

/** Lists the first 50 messages of conversations of 100. */
export async function list(bench: Bench): Promise<Result> {
	const contenders = await bench.contenders([startLimit, startByHand, startGateway, startPostgraphile]);
	for (const { projectId } of contenders) {
		await fillConversations(bench.world.sql, projectId, { name: "list", conversations: CONVERSATIONS, messages: 100 });
	}
	const rows = await alternate(contenders, bench.size(1_000), (_, index) => ({
		kind: "messages",
		conversationId: `list-${(index % CONVERSATIONS) + 1}`,
		order: "asc",
		limit: 50,
	}));
	return { title: "list 50", rows, targets: cpuTargets("list 50", rows, { "by hand": 1.7, PostGraphile: 0.85 }) };
}
