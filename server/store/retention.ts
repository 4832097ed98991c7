import { checkKeep } from "../domain/checkpoint-pruning.ts";
import { addErasures, type Erasure, NOTHING_ERASED } from "../domain/erasures.ts";
import type { RetentionPolicy } from "../domain/retention.ts";
import { pruneCheckpointThread } from "./checkpoint-pruning.ts";
import type { Statement } from "./database.ts";
import { countErasure, eraseLocked } from "./erasures.ts";
import type { ProjectScope } from "./scope.ts";
import { isoTime } from "./times.ts";

/** Conversations and states that one statement looks for, and rows that one deletes at most. */
const FOUND_AT_ONCE = 200;
const DELETED_AT_ONCE = 5_000;

/**
 * Removes what a policy does not keep, in small steps that are each a transaction of their own: appends wait for none
 * but that of their own conversation, and it may be broken off and run again. Returns what was removed.
 *
 * @param onStep Told how much each step removed.
 */
export async function pruneProject(
	scope: ProjectScope,
	policy: RetentionPolicy,
	onStep: (rows: number) => void = () => {},
): Promise<Erasure> {
	let pruned: Erasure = NOTHING_ERASED;
	for await (const step of steps(scope, policy)) {
		pruned = addErasures(pruned, step);
		onStep(Object.values(step).reduce((sum, rows) => sum + rows, 0));
	}
	return pruned;
}

type Step = Readonly<Partial<Erasure>>;

async function* steps(scope: ProjectScope, policy: RetentionPolicy): AsyncGenerator<Step> {
	const { olderThanMs, keepCheckpoints, dryRun } = policy;
	const gone = new Set<string>();
	if (olderThanMs !== null) {
		const [clock] = await scope.db.read<{ cutoff: string }>(CUTOFF, [olderThanMs]);
		yield* pruneConversations(scope, clock!.cutoff, dryRun, gone);
		yield* pruneOthers(scope, clock!.cutoff, dryRun, gone);
	}
	if (keepCheckpoints !== null) {
		const keep = checkKeep("keep-checkpoints", keepCheckpoints);
		yield* pruneThreads(scope, keep, dryRun, gone);
		yield* pruneStates(scope, keep, dryRun, gone);
	}
	yield* pruneOperations(scope, dryRun, gone);
}

const CUTOFF: Statement = {
	name: "retention_cutoff",
	text: `SELECT ${isoTime("cutoff")} FROM (
		SELECT clock_timestamp() - $1::float8 * interval '1 millisecond' AS cutoff
	) AS clock`,
};

const FIND_OLD: Statement = {
	name: "retention_find_old",
	replan: true,
	text: `SELECT conversation_id, ${isoTime("updated_at")} FROM conversations
		WHERE project_id = $1 AND updated_at < $2::timestamptz AND (updated_at, conversation_id) > ($3::timestamptz, $4)
		ORDER BY conversations.updated_at, conversation_id LIMIT $5`,
};

// One that somebody else has locked is being touched.
const LOCK_OLD: Statement = {
	name: "retention_lock_old",
	text: `SELECT FROM conversations WHERE project_id = $1 AND conversation_id = $2 AND updated_at < $3::timestamptz
			AND (run_expires_at IS NULL OR run_expires_at < clock_timestamp())
		FOR UPDATE SKIP LOCKED`,
};

// The same without the lock, for counting.
const IS_OLD: Statement = {
	...LOCK_OLD,
	name: "retention_is_old",
	text: LOCK_OLD.text.replace("FOR UPDATE SKIP LOCKED", ""),
};

const IS_USED: Statement = {
	name: "retention_is_used",
	replan: true,
	text: `SELECT 1 WHERE EXISTS (
			SELECT FROM states WHERE project_id = $1 AND key = $2 AND coalesce(updated_at, created_at) >= $3::timestamptz
		) OR EXISTS (
			SELECT FROM state_checkpoints WHERE project_id = $1 AND key = $2 AND created_at >= $3::timestamptz
		) OR EXISTS (
			SELECT FROM checkpoints WHERE project_id = $1 AND thread_id = $2 AND created_at >= $3::timestamptz
		) OR EXISTS (
			SELECT FROM transcripts WHERE project_id = $1 AND session_id = $2 AND (
				created_at >= $3::timestamptz OR mtime >= extract(epoch FROM $3::timestamptz) * 1000
			)
		)`,
};

// Nothing is locked for a checkpoint, nor for a state or transcript that is not there yet: what is written after the
// look at all that an id has is not seen, and so stays. What changes meanwhile fails this, and it is tried again.
const SNAPSHOT: Statement = {
	name: "retention_snapshot",
	text: "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ",
};

/** Removes all that is stored under an id, where a condition returns a row and nothing of it is younger; else null. */
function pruneId(
	{ db, identity: { projectId } }: ProjectScope,
	{ id, cutoff, condition, dryRun }: { id: string; cutoff: string; condition: Statement; dryRun: boolean },
): Promise<Step | null> {
	return db.transaction(async (transaction) => {
		const key = [projectId, id, cutoff];
		await transaction.query(SNAPSHOT, []);
		if ((await transaction.query(condition, key)).length === 0) return null;
		if ((await transaction.query(IS_USED, key)).length > 0) return null;
		return (dryRun ? countErasure : eraseLocked)(transaction, projectId, id);
	});
}

/** Removes what is stored under the ids of old conversations. */
async function* pruneConversations(
	scope: ProjectScope,
	cutoff: string,
	dryRun: boolean,
	gone: Set<string>,
): AsyncGenerator<Step> {
	const condition = dryRun ? IS_OLD : LOCK_OLD;
	for (let after = ["-infinity", ""]; ; ) {
		const values = [scope.identity.projectId, cutoff, ...after, FOUND_AT_ONCE];
		const found = await scope.db.read<{ conversation_id: string; updated_at: string }>(FIND_OLD, values);
		if (found.length === 0) return;
		for (const { conversation_id: id } of found) {
			const step = await pruneId(scope, { id, cutoff, condition, dryRun });
			if (step === null) continue;
			if (dryRun) gone.add(id);
			yield step;
		}
		after = [found.at(-1)!.updated_at, found.at(-1)!.conversation_id];
	}
}

const NEXT_ID: Statement = {
	name: "retention_next_id",
	replan: true,
	text: `SELECT least(
			(SELECT key FROM states WHERE project_id = $1 AND key > $2 ORDER BY key LIMIT 1),
			(SELECT thread_id FROM checkpoints WHERE project_id = $1 AND thread_id > $2 ORDER BY thread_id LIMIT 1),
			(SELECT session_id FROM transcripts WHERE project_id = $1 AND session_id > $2 ORDER BY session_id LIMIT 1)
		) AS id`,
};

const HAS_NO_CONVERSATION: Statement = {
	name: "retention_has_no_conversation",
	text: `SELECT 1 WHERE $3::text IS NOT NULL
		AND NOT EXISTS (SELECT FROM conversations WHERE project_id = $1 AND conversation_id = $2)`,
};

/** Removes old states, threads and transcripts whose ids are no conversation's. */
async function* pruneOthers(
	scope: ProjectScope,
	cutoff: string,
	dryRun: boolean,
	gone: Set<string>,
): AsyncGenerator<Step> {
	for (let id = ""; ; ) {
		const [next] = await scope.db.read<{ id: string | null }>(NEXT_ID, [scope.identity.projectId, id]);
		if (next!.id === null) return;
		id = next!.id;
		const step = await pruneId(scope, { id, cutoff, condition: HAS_NO_CONVERSATION, dryRun });
		if (step === null) continue;
		if (dryRun) gone.add(id);
		yield step;
	}
}

const NEXT_THREAD: Statement = {
	name: "retention_next_thread",
	replan: true,
	text: `SELECT thread_id FROM checkpoints WHERE project_id = $1 AND thread_id > $2 ORDER BY thread_id LIMIT 1`,
};

async function* pruneThreads(
	scope: ProjectScope,
	keep: number,
	dryRun: boolean,
	gone: ReadonlySet<string>,
): AsyncGenerator<Step> {
	for (let threadId = ""; ; ) {
		const [next] = await scope.db.read<{ thread_id: string }>(NEXT_THREAD, [scope.identity.projectId, threadId]);
		if (next === undefined) return;
		threadId = next.thread_id;
		if (!gone.has(threadId)) yield await pruneCheckpointThread(scope, { threadId, keep, dryRun });
	}
}

const FIND_STATES: Statement = {
	name: "retention_find_states",
	replan: true,
	text: `SELECT key FROM states WHERE project_id = $1 AND key > $2 ORDER BY key LIMIT $3`,
};

const OLD_CHECKPOINTS = `SELECT seq FROM state_checkpoints WHERE project_id = $1 AND key = $2
	ORDER BY seq DESC OFFSET $3`;

const COUNT_STATE_CHECKPOINTS: Statement = {
	name: "retention_count_state_checkpoints",
	text: `SELECT count(*)::int AS count FROM (${OLD_CHECKPOINTS}) AS old`,
};

const DELETE_STATE_CHECKPOINTS: Statement = {
	name: "retention_delete_state_checkpoints",
	text: `DELETE FROM state_checkpoints WHERE project_id = $1 AND key = $2
		AND seq = ANY(ARRAY(${OLD_CHECKPOINTS} LIMIT $4)) RETURNING true AS gone`,
};

async function* pruneStates(
	{ db, identity }: ProjectScope,
	keep: number,
	dryRun: boolean,
	gone: ReadonlySet<string>,
): AsyncGenerator<Step> {
	const { projectId } = identity;
	for (let after = ""; ; ) {
		const found = await db.read<{ key: string }>(FIND_STATES, [projectId, after, FOUND_AT_ONCE]);
		if (found.length === 0) return;
		for (const { key } of found) {
			const which = [projectId, key, keep];
			if (gone.has(key)) continue;
			if (dryRun) {
				const [row] = await db.read<{ count: number }>(COUNT_STATE_CHECKPOINTS, which);
				yield { stateCheckpoints: row!.count };
				continue;
			}
			yield* deleteInBatches("stateCheckpoints", () => db.write(DELETE_STATE_CHECKPOINTS, [...which, DELETED_AT_ONCE]));
		}
		after = found.at(-1)!.key;
	}
}

const EXPIRED = "project_id = $1 AND expires_at < now() AND NOT conversation_id = ANY($2::text[])";

const COUNT_OPERATIONS: Statement = {
	name: "retention_count_operations",
	text: `SELECT count(*)::int AS count FROM history_operations WHERE ${EXPIRED}`,
};

const DELETE_OPERATIONS: Statement = {
	name: "retention_delete_operations",
	text: `DELETE FROM history_operations WHERE ${EXPIRED}
		AND ctid = ANY(ARRAY(SELECT ctid FROM history_operations WHERE ${EXPIRED} LIMIT $3)) RETURNING true AS gone`,
};

/** Forgets the ids of requests that cannot be retried any more, which otherwise stay until the next such request. */
async function* pruneOperations(
	{ db, identity }: ProjectScope,
	dryRun: boolean,
	gone: ReadonlySet<string>,
): AsyncGenerator<Step> {
	const values = [identity.projectId, [...gone]];
	if (dryRun) {
		const [row] = await db.read<{ count: number }>(COUNT_OPERATIONS, values);
		yield { historyOperations: row!.count };
		return;
	}
	yield* deleteInBatches("historyOperations", () => db.write(DELETE_OPERATIONS, [...values, DELETED_AT_ONCE]));
}

async function* deleteInBatches(kind: keyof Erasure, remove: () => Promise<unknown[]>): AsyncGenerator<Step> {
	for (let removed = DELETED_AT_ONCE; removed === DELETED_AT_ONCE; ) {
		removed = (await remove()).length;
		yield { [kind]: removed };
	}
}
