import { EVERYONE } from "../contenders/everyone.ts";
import { fillConversations, newDraft } from "../rows.ts";
import { type Bench, type Result, sideBySide } from "./work.ts";

const CONVERSATIONS = 200;

/** Appends one message of 300 bytes, to 200 conversations in turn. */
export async function append(bench: Bench): Promise<Result> {
	const contenders = await bench.contenders(EVERYONE);
	for (const { projectId } of contenders) {
		await fillConversations(bench.world.sql, projectId, { name: "append", conversations: CONVERSATIONS, messages: 1 });
	}
	return sideBySide(bench, "append one", {
		contenders,
		calls: 1_000,
		call: (index) => ({
			kind: "append",
			conversationId: `append-${(index % CONVERSATIONS) + 1}`,
			messages: [newDraft()],
		}),
		most: { "by hand": 1.6, PostGraphile: 0.6 },
	});
}
