import { startByHand } from "../contenders/by-hand.ts";
import { startGateway } from "../contenders/gateway.ts";
import { startLimit } from "../contenders/limit.ts";
import { startPostgraphile } from "../contenders/postgraphile.ts";
import { alternate } from "../rounds.ts";
import { fillConversations, newDraft } from "../rows.ts";
import { type Bench, cpuTargets, type Result } from "./work.ts";

const CONVERSATIONS = 200;

/** Appends one message of 300 bytes, to 200 conversations in turn. */
export async function append(bench: Bench): Promise<Result> {
	const contenders = await bench.contenders([startLimit, startByHand, startGateway, startPostgraphile]);
	for (const { projectId } of contenders) {
		await fillConversations(bench.world.sql, projectId, { name: "append", conversations: CONVERSATIONS, messages: 1 });
	}
	const rows = await alternate(contenders, bench.size(2_000), (_, index) => ({
		kind: "append",
		conversationId: `append-${(index % CONVERSATIONS) + 1}`,
		messages: [newDraft()],
	}));
	return { title: "append one", rows, targets: cpuTargets("append one", rows, { "by hand": 1.6, PostGraphile: 0.6 }) };
}
