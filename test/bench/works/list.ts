import { EVERYONE } from "../contenders/everyone.ts";
import { fillConversations } from "../rows.ts";
import { type Bench, type Result, sideBySide } from "./work.ts";

const CONVERSATIONS = 200;

/** Lists the first 50 messages of conversations of 100. */
export async function list(bench: Bench): Promise<Result> {
	const contenders = await bench.contenders(EVERYONE);
	for (const { projectId } of contenders) {
		await fillConversations(bench.world.sql, projectId, { name: "list", conversations: CONVERSATIONS, messages: 100 });
	}
	return sideBySide(bench, "list 50", {
		contenders,
		calls: 500,
		call: (index) => ({
			kind: "messages",
			conversationId: `list-${(index % CONVERSATIONS) + 1}`,
			order: "asc",
			limit: 50,
		}),
		most: { "by hand": 1.7, PostGraphile: 0.85 },
	});
}
