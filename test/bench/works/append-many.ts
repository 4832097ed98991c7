import { startByHand } from "../contenders/by-hand.ts";
import { startGateway } from "../contenders/gateway.ts";
import { startLimit } from "../contenders/limit.ts";
import { startMercurius } from "../contenders/mercurius.ts";
import { alternate, type Lane, ratio } from "../rounds.ts";
import { fillConversations, newDraft } from "../rows.ts";
import { type Bench, type Result, rowsResult } from "./work.ts";

const BATCH = 100;
const CONVERSATIONS = 200;

/** Appends 100 messages at once; beside it, the gateway appends one at a time. */
export async function appendMany(bench: Bench): Promise<Result> {
	const contenders = await bench.contenders([startLimit, startByHand, startGateway, startMercurius]);
	for (const { projectId } of contenders) {
		await fillConversations(bench.world.sql, projectId, { name: "batch", conversations: CONVERSATIONS, messages: 1 });
	}
	const call = (index: number, size: number) => ({
		kind: "append" as const,
		conversationId: `batch-${(index % CONVERSATIONS) + 1}`,
		messages: Array.from({ length: size }, newDraft),
	});
	const lanes = contenders.map(
		(contender): Lane => ({
			name: contender.name,
			contender,
			calls: bench.scaled(50),
			call: (index) => call(index, BATCH),
		}),
	);
	const gateway = lanes.find(({ name }) => name === "gateway");
	if (gateway !== undefined) {
		const single = {
			name: "gateway, one message",
			calls: bench.scaled(1_000),
			call: (index: number) => call(index, 1),
		};
		lanes.push({ ...gateway, ...single });
	}
	const rows = await alternate(lanes, bench.course);
	const many = rows.find(({ name }) => name === "gateway")?.cpu ?? [];
	const single = rows.at(-1)!.cpu;
	const measured = ratio(many, single) / BATCH;
	const target = { title: "append 100 ÷ append one, CPU per message", measured, limit: { most: 0.1 } };
	return rowsResult("append 100", rows, gateway === undefined ? [] : [target]);
}
