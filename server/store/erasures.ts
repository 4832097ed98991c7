import { addErasures, type ErasedKind, type Erasure, NOTHING_ERASED } from "../domain/erasures.ts";
import { checkId } from "../domain/ids.ts";
import { removeUnusedPieces } from "./checkpoint-pieces.ts";
import { lockConversation } from "./conversations.ts";
import type { Statement, Transaction } from "./database.ts";
import type { ProjectScope } from "./scope.ts";
import { deleteIdleClock } from "./transcripts.ts";

/** Rows that one statement deletes at most, so that no statement timeout ends it. */
const DELETED_AT_ONCE = 5_000;

// $1 is the project, $2 the id, $3 the project keys of its transcripts. What refers to other rows goes before them.
const OF_TRANSCRIPT = "project_key = ANY($3::text[]) AND session_id = $2";
const CONDITIONS: readonly (readonly [kind: ErasedKind, table: string, condition: string])[] = [
	["messages", "messages", "conversation_id = $2"],
	["branches", "branches", "conversation_id = $2"],
	["historyOperations", "history_operations", "conversation_id = $2"],
	["stateCheckpoints", "state_checkpoints", "key = $2"],
	["states", "states", "key = $2"],
	["checkpointWrites", "checkpoint_writes", "thread_id = $2"],
	["channelValues", "checkpoint_blobs", "thread_id = $2"],
	["checkpoints", "checkpoints", "thread_id = $2"],
	["transcriptEntries", "transcript_entries", OF_TRANSCRIPT],
	["transcripts", "transcripts", OF_TRANSCRIPT],
	["conversations", "conversations", "conversation_id = $2"],
];

const KINDS = CONDITIONS.map(([kind, table, condition]) => {
	// A third value is always sent; where nothing uses it, its type has to be said.
	const where = `project_id = $1 AND ${condition} AND $3::text[] IS NOT NULL`;
	const remove: Statement = {
		name: `erasure_delete_${table}`,
		...(kind === "conversations" ? { conversation: 1 as const } : {}),
		text: `DELETE FROM ${table} WHERE ${where}
			AND ctid = ANY(ARRAY(SELECT ctid FROM ${table} WHERE ${where} LIMIT $4)) RETURNING true AS gone`,
	};
	const count: Statement = {
		name: `erasure_count_${table}`,
		text: `SELECT count(*)::int AS count FROM ${table} WHERE ${where}`,
	};
	return { kind, remove, count };
});

// A checkpoint and its values come by one statement, and nothing is locked for it. So what is left of a thread goes by
// one statement, too: of what comes meanwhile it sees all or nothing.
const DELETE_THREAD: Statement = {
	name: "erasure_delete_thread",
	text: `WITH writes AS (
			DELETE FROM checkpoint_writes WHERE project_id = $1 AND thread_id = $2 RETURNING 1
		), blobs AS (
			DELETE FROM checkpoint_blobs WHERE project_id = $1 AND thread_id = $2 RETURNING 1
		), gone AS (
			DELETE FROM checkpoints WHERE project_id = $1 AND thread_id = $2 RETURNING 1
		)
		SELECT (SELECT count(*) FROM writes)::int AS "checkpointWrites", (SELECT count(*) FROM blobs)::int AS "channelValues",
			(SELECT count(*) FROM gone)::int AS checkpoints`,
};

const LOCK_STATE: Statement = {
	name: "erasure_lock_state",
	text: "SELECT FROM states WHERE project_id = $1 AND key = $2 FOR UPDATE",
};

const LOCK_TRANSCRIPTS: Statement = {
	name: "erasure_lock_transcripts",
	text: `SELECT project_key FROM transcripts WHERE project_id = $1 AND session_id = $2
		ORDER BY project_key FOR UPDATE`,
};

const FIND_TRANSCRIPTS: Statement = {
	name: "erasure_find_transcripts",
	text: "SELECT project_key FROM transcripts WHERE project_id = $1 AND session_id = $2",
};

const FORKS: Statement = {
	name: "erasure_forks",
	replan: true,
	text: `SELECT conversation_id FROM conversations WHERE project_id = $1 AND parent_conversation_id = $2
		ORDER BY conversation_id LIMIT $3`,
};

/** Forks that a result names at most. */
const FORKS_NAMED = 1_000;

/** What was erased, and the conversations that were forked from it: copies of their own, which stay. */
export interface ErasedConversation {
	erased: Erasure;
	forks: string[];
}

/**
 * Removes all that is stored under an id, in one transaction: the conversation with everything in it, the state with its
 * checkpoints under that key, the LangGraph thread, and the transcripts of that session under every project key. An
 * unknown id is a success. What is written at the same time comes before, and goes too, or after, and begins anew.
 */
export async function eraseConversation(
	{ db, identity, limits }: ProjectScope,
	input: { conversationId: string },
): Promise<ErasedConversation> {
	const conversationId = checkId("input.conversationId", input.conversationId, limits.idBytes);
	const { projectId } = identity;
	return db.transaction(async (transaction) => {
		await lockConversation(transaction, projectId, conversationId);
		const erased = await eraseLocked(transaction, projectId, conversationId);
		const forks = await transaction.query<{ conversation_id: string }>(FORKS, [projectId, conversationId, FORKS_NAMED]);
		return { erased, forks: forks.map((row) => row.conversation_id) };
	});
}

/** Locks what else is stored under the id of a locked conversation; returns the project keys of its transcripts. */
async function lockBelongings({ query }: Transaction, projectId: string, id: string): Promise<string[]> {
	await query(LOCK_STATE, [projectId, id]);
	const transcripts = await query<{ project_key: string }>(LOCK_TRANSCRIPTS, [projectId, id]);
	return transcripts.map((row) => row.project_key);
}

/** Removes all that is stored under an id whose conversation is locked, if there is one. */
export async function eraseLocked(transaction: Transaction, projectId: string, id: string): Promise<Erasure> {
	const projectKeys = await lockBelongings(transaction, projectId, id);
	let erased: Erasure = NOTHING_ERASED;
	for (const { kind, remove } of KINDS) {
		for (let removed = DELETED_AT_ONCE; removed === DELETED_AT_ONCE; ) {
			removed = (await transaction.query(remove, [projectId, id, projectKeys, DELETED_AT_ONCE])).length;
			erased = addErasures(erased, { [kind]: removed });
		}
	}
	const [thread] = await transaction.query<Partial<Erasure>>(DELETE_THREAD, [projectId, id]);
	erased = addErasures(erased, thread!);
	await removeUnusedPieces(transaction, projectId, id);
	for (const projectKey of projectKeys) await deleteIdleClock(transaction, projectId, projectKey);
	return erased;
}

/** Counts what erasing an id would remove. */
export async function countErasure({ query }: Transaction, projectId: string, id: string): Promise<Erasure> {
	const transcripts = await query<{ project_key: string }>(FIND_TRANSCRIPTS, [projectId, id]);
	const projectKeys = transcripts.map((row) => row.project_key);
	let counted: Erasure = NOTHING_ERASED;
	for (const { kind, count } of KINDS) {
		const [row] = await query<{ count: number }>(count, [projectId, id, projectKeys]);
		counted = addErasures(counted, { [kind]: row!.count });
	}
	return counted;
}
