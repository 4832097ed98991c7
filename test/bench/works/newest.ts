import { EVERYONE } from "../contenders/everyone.ts";
import { fillConversations } from "../rows.ts";
import { type Bench, type Result, sideBySide } from "./work.ts";

/** Lists the newest 20 messages of a conversation of 100,000. */
export async function newest(bench: Bench): Promise<Result> {
	const contenders = await bench.contenders(EVERYONE);
	const messages = bench.scaled(100_000);
	for (const { projectId } of contenders) {
		await fillConversations(bench.world.sql, projectId, { name: "newest", conversations: 1, messages });
	}
	return sideBySide(bench, "newest 20 of 100,000", {
		contenders,
		calls: 500,
		call: () => ({ kind: "messages", conversationId: "newest-1", order: "desc", limit: 20 }),
		most: {},
	});
}
