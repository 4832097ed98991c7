import { readConfig } from "../config.ts";
import { checkKeep } from "../domain/checkpoint-pruning.ts";
import { addErasures, type Erasure, NOTHING_ERASED } from "../domain/erasures.ts";
import { DEFAULT_LIMITS } from "../domain/limits.ts";
import { parseAge, type RetentionPolicy } from "../domain/retention.ts";
import { listProjects } from "../store/projects.ts";
import { pruneProject } from "../store/retention.ts";
import { withDatabase } from "./database.ts";
import { showProgress } from "./progress.ts";
import { requireProject } from "./projects.ts";
import { printTable } from "./table.ts";

/** Removes what is to be kept no longer, of one project or of all, and prints what that was. */
export async function runPrune(options: {
	project: string | undefined;
	age: string | undefined;
	keep: string | undefined;
	dryRun: boolean;
}): Promise<void> {
	const { project, age, keep, dryRun } = options;
	const policy: RetentionPolicy = {
		olderThanMs: age === undefined ? null : parseAge("--older-than", age),
		keepCheckpoints: keep === undefined ? null : checkKeep("--keep-checkpoints", Number(keep)),
		dryRun,
	};
	const pruned = await withDatabase(readConfig(), async (db) => {
		const projects = project === undefined ? await listProjects(db) : [await requireProject(db, project)];
		const progress = showProgress(process.stderr, { what: policy.dryRun ? "rows counted" : "rows removed" });
		let sum: Erasure = NOTHING_ERASED;
		try {
			for (const { projectId } of projects) {
				const scope = { db, identity: { projectId }, limits: DEFAULT_LIMITS };
				sum = addErasures(sum, await pruneProject(scope, policy, progress.advance));
			}
		} finally {
			progress.end();
		}
		return sum;
	});
	printErasure(pruned);
	if (policy.dryRun) process.stdout.write("Nothing was removed: this was a dry run.\n");
}

/** Prints what was removed, by kind. */
export function printErasure(erased: Erasure): void {
	printTable(
		["KIND", "REMOVED"],
		Object.entries(erased).map(([kind, count]) => [kind, String(count)]),
	);
}
