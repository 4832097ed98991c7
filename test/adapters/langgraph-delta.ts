import { DeltaValue, START, StateGraph, StateSchema } from "@langchain/langgraph";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { z } from "zod";

/** A graph with a delta channel: its checkpoints hold what was added, and all of it only now and then. */
export function deltaGraph(checkpointer: BaseCheckpointSaver, snapshotFrequency: number) {
	const log = new DeltaValue(
		z.array(z.string()).default(() => []),
		{ reducer: (state: string[], writes: string[][]) => state.concat(...writes), snapshotFrequency },
	);
	return new StateGraph(new StateSchema({ log, other: z.string().default("") }))
		.addNode("answer", async (state) => ({ log: [`out ${state.log.length >> 1}`], other: `${state.log.length}` }))
		.addEdge(START, "answer")
		.compile({ checkpointer });
}
