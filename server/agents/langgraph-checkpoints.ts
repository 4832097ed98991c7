import type { MemorySaver } from "@langchain/langgraph";
import type { CheckpointTuple } from "@langchain/langgraph-checkpoint";

/** What an interrupted run has left in its checkpointer, as text: the newest checkpoint of the graph and each subgraph. */
export async function dumpCheckpoints(saver: MemorySaver, threadId: string): Promise<string> {
	const kept = new Map<string, CheckpointTuple[]>();
	for await (const tuple of saver.list({ configurable: { thread_id: threadId } })) {
		const namespace = String(tuple.config.configurable?.["checkpoint_ns"]);
		const newer = kept.get(namespace) ?? [];
		// Delta channels are rebuilt from the older ones.
		if (newer.length === 0 || hasDeltas(newer[0]!)) kept.set(namespace, [...newer, tuple]);
	}
	const [, bytes] = await saver.serde.dumpsTyped([...kept.values()].flat());
	return new TextDecoder().decode(bytes);
}

/** Puts back what `dumpCheckpoints` has written. */
export async function loadCheckpoints(saver: MemorySaver, text: string): Promise<void> {
	const tuples = (await saver.serde.loadsTyped("json", text)) as CheckpointTuple[];
	for (const { config, parentConfig, checkpoint, metadata, pendingWrites = [] } of tuples) {
		const parent = parentConfig ?? { configurable: { ...config.configurable, checkpoint_id: undefined } };
		await saver.put(parent, checkpoint, metadata!);
		for (const task of new Set(pendingWrites.map(([id]) => id))) {
			// All of a task at once, since they are told apart by their order.
			const writes = pendingWrites.filter(([id]) => id === task);
			await saver.putWrites(
				config,
				writes.map(([, channel, value]) => [channel, value]),
				task,
			);
		}
	}
}

function hasDeltas({ metadata }: CheckpointTuple): boolean {
	return metadata !== undefined && "counters_since_delta_snapshot" in metadata;
}
