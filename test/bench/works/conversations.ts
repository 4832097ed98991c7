import { EVERYONE } from "../contenders/everyone.ts";
import { fillConversations } from "../rows.ts";
import { type Bench, type Result, sideBySide } from "./work.ts";

/** Lists the first 50 of 200,000 conversations. */
export async function conversations(bench: Bench): Promise<Result> {
	const contenders = await bench.contenders(EVERYONE);
	const amount = bench.scaled(200_000);
	for (const { projectId } of contenders) {
		await fillConversations(bench.world.sql, projectId, { name: "listed", conversations: amount, messages: 0 });
	}
	return sideBySide(bench, "50 of 200,000 conversations", {
		contenders,
		calls: 500,
		call: () => ({ kind: "conversations", limit: 50 }),
		most: {},
	});
}
