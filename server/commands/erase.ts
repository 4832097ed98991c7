import { readConfig } from "../config.ts";
import { DEFAULT_LIMITS } from "../domain/limits.ts";
import { eraseConversation } from "../store/erasures.ts";
import { withDatabase } from "./database.ts";
import { requireProject } from "./projects.ts";
import { printErasure } from "./prune.ts";

/** Removes all that is stored under a conversation's id, and prints what that was. */
export async function runErase({
	project,
	conversationId,
}: {
	project: string;
	conversationId: string;
}): Promise<void> {
	const { erased, forks } = await withDatabase(readConfig(), async (db) => {
		const { projectId } = await requireProject(db, project);
		return eraseConversation({ db, identity: { projectId }, limits: DEFAULT_LIMITS }, { conversationId });
	});
	printErasure(erased);
	for (const fork of forks) process.stdout.write(`A copy stays: its fork ${JSON.stringify(fork)}.\n`);
}
