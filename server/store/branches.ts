import { type Branch, checkLastSeq, checkSeq, hasBranch, unknownBranch } from "../domain/branches.ts";
import { unknownConversation } from "../domain/conversations.ts";
import { checkId } from "../domain/ids.ts";
import { type LockedConversation, lockConversation } from "./conversations.ts";
import type { Statement } from "./database.ts";
import { unknownMessage } from "./messages.ts";
import { ACTIVE_PATH, inConversation, newestOnPath } from "./paths.ts";
import type { Scope } from "./scope.ts";
import { CLOCK, isoTime } from "./times.ts";

interface BranchRow {
	ord: string;
	branch: number;
	parent_branch: number | null;
	fork_seq: string;
	leaf_message_id: string | null;
	active: boolean;
	created_at: string;
}

const LIST: Statement = {
	name: "branches_list",
	text: `SELECT wanted.ord, branch.branch, branch.parent_branch, branch.fork_seq, leaf.message_id AS leaf_message_id,
			branch.branch = c.active_branch AS active, ${isoTime("created_at", "branch")}
		FROM unnest($2::text[]) WITH ORDINALITY AS wanted (conversation_id, ord)
		CROSS JOIN LATERAL (
			SELECT * FROM conversations WHERE project_id = $1 AND conversation_id = wanted.conversation_id OFFSET 0
		) AS c
		CROSS JOIN LATERAL (
			SELECT 0 AS branch, NULL::int AS parent_branch, 0::bigint AS fork_seq, c.created_at
			UNION ALL
			SELECT b.branch, b.parent_branch, b.fork_seq, b.created_at FROM branches b WHERE ${inConversation("b")}
		) AS branch
		LEFT JOIN LATERAL (${newestOnPath("branch.branch", "c.last_seq")}) AS leaf ON true
		WHERE $3::int IS NULL OR branch.branch = $3
		ORDER BY wanted.ord, branch.branch`,
};

/** The branches of each of these conversations, by number; none for an unknown one. */
export async function listBranches(
	{ db, identity }: Scope,
	conversationIds: readonly string[],
): Promise<(readonly Branch[])[]> {
	const rows = await db.read<BranchRow>(LIST, [identity.projectId, conversationIds, null]);
	const branches: Branch[][] = conversationIds.map(() => []);
	for (const row of rows) branches[Number(row.ord) - 1]!.push(toBranch(row));
	return branches;
}

const PLACE: Statement = {
	name: "branch_place",
	text: `SELECT m.branch, m.seq FROM messages m
		WHERE m.project_id = $1 AND m.conversation_id = $2 AND m.message_id = $3`,
};

/** A place in the tree: behind a message of a branch. */
interface Place {
	branch: number;
	seq: string;
}

const BEFORE_ALL: Place = { branch: 0, seq: "0" };

/**
 * Moves the active leaf to a message, or before the first one, so that the next append continues there. Nothing is
 * deleted. A branch that ends at the place already is taken; only where there is none a new one begins.
 */
export async function branchAt(
	{ db, identity, limits }: Scope,
	input: { conversationId: string; messageId: string | null; expectedLastSeq?: string | null | undefined },
): Promise<Branch> {
	const conversationId = checkId("input.conversationId", input.conversationId, limits.idBytes);
	const messageId = input.messageId === null ? null : checkId("input.messageId", input.messageId, limits.idBytes);
	const expected = checkSeq("input.expectedLastSeq", input.expectedLastSeq);
	return db.transaction(async (transaction) => {
		const locked = await lockConversation(transaction, identity.projectId, conversationId);
		if (locked === undefined) throw unknownConversation(conversationId);
		checkLastSeq("input.expectedLastSeq", expected, locked.lastSeq);
		let place: Place | undefined = BEFORE_ALL;
		if (messageId !== null) {
			[place] = await transaction.query<Place>(PLACE, [identity.projectId, conversationId, messageId]);
			if (place === undefined) throw unknownMessage(messageId);
		}
		await moveTo(locked, place);
		return activeBranch(locked);
	});
}

/** Makes a branch the active one. */
export async function switchBranch(
	{ db, identity, limits }: Scope,
	input: { conversationId: string; branch: number },
): Promise<Branch> {
	const conversationId = checkId("input.conversationId", input.conversationId, limits.idBytes);
	return db.transaction(async (transaction) => {
		const locked = await lockConversation(transaction, identity.projectId, conversationId);
		if (locked === undefined) throw unknownConversation(conversationId);
		if (!hasBranch(locked.lastBranch, input.branch)) throw unknownBranch(conversationId, input.branch);
		await activate(locked, input.branch);
		return activeBranch(locked);
	});
}

/** The seq of the first message of branch `branch` behind the place. */
const nextOf = (branch: string) =>
	`(SELECT m.seq FROM messages m WHERE ${inConversation("m")} AND m.branch = ${branch} AND m.seq > $4::bigint
		ORDER BY m.seq LIMIT 1)`;

// The branches that pass through the place: its own, and those that left one of them at it, or at a message behind it that
// is gone since, so before the next. What has no message behind the place ends there. The active branch comes first: a
// leaf that is at the place stays there.
const FIND_ENDING: Statement = {
	name: "branch_find_ending",
	text: `SELECT at_place.branch FROM conversations c CROSS JOIN LATERAL (
			WITH RECURSIVE passing (branch, next) AS (
				SELECT $3::int, ${nextOf("$3")}
				UNION ALL
				SELECT b.branch, ${nextOf("b.branch")} FROM passing CROSS JOIN LATERAL (
					SELECT b.branch FROM branches b WHERE ${inConversation("b")} AND b.parent_branch = passing.branch
						AND b.fork_seq >= $4 AND b.fork_seq < coalesce(passing.next, 9223372036854775807) OFFSET 0
				) AS b
			)
			SELECT passing.branch FROM passing WHERE passing.next IS NULL
		) AS at_place
		WHERE c.project_id = $1 AND c.conversation_id = $2
		ORDER BY at_place.branch <> c.active_branch, at_place.branch LIMIT 1`,
};

async function moveTo(locked: LockedConversation, place: Place): Promise<void> {
	const { transaction, projectId, conversationId } = locked;
	const values = [projectId, conversationId, place.branch, place.seq];
	const [ending] = await transaction.query<{ branch: number }>(FIND_ENDING, values);
	if (ending === undefined) await begin(locked, place);
	else await activate(locked, ending.branch);
}

const INSERT: Statement = {
	name: "branch_insert",
	text: `INSERT INTO branches (project_id, conversation_id, branch, parent_branch, fork_seq, created_at)
		VALUES ($1, $2, $3, $4, $5, clock_timestamp())`,
};

/** Begins a new branch at a place and makes it the active one. */
async function begin(locked: LockedConversation, place: Place): Promise<void> {
	const { transaction, projectId, conversationId, lastBranch } = locked;
	const branch = lastBranch + 1;
	await transaction.query(INSERT, [projectId, conversationId, branch, place.branch, place.seq]);
	await activate(locked, branch);
}

const ACTIVATE: Statement = {
	name: "branch_activate",
	text: `UPDATE conversations SET active_branch = $3, last_branch = greatest(last_branch, $3),
			updated_at = greatest(updated_at, clock.now)
		FROM ${CLOCK} WHERE project_id = $1 AND conversation_id = $2`,
};

async function activate(locked: LockedConversation, branch: number): Promise<void> {
	const { transaction, projectId, conversationId } = locked;
	if (branch !== locked.activeBranch) await transaction.query(ACTIVATE, [projectId, conversationId, branch]);
	locked.activeBranch = branch;
	locked.lastBranch = Math.max(locked.lastBranch, branch);
}

async function activeBranch({ transaction, projectId, conversationId, activeBranch }: LockedConversation) {
	const [row] = await transaction.query<BranchRow>(LIST, [projectId, [conversationId], activeBranch]);
	return toBranch(row!);
}

const REMOVE_OWN: Statement = {
	name: "branch_remove_own",
	text: `WITH gone AS (
			DELETE FROM messages m WHERE m.project_id = $1 AND m.conversation_id = $2 AND m.branch = $3
				AND m.kind = 'message' AND m.seq >= $4::bigint AND m.seq > (
					SELECT coalesce(max(fork_seq), 0) FROM branches
					WHERE project_id = $1 AND conversation_id = $2 AND parent_branch = $3
				) RETURNING m.message_id
		)
		UPDATE conversations SET updated_at = greatest(updated_at, clock.now) FROM ${CLOCK}
		WHERE project_id = $1 AND conversation_id = $2 AND EXISTS (SELECT FROM gone)`,
};

const FIND_SHARED: Statement = {
	name: "branch_find_shared",
	text: `SELECT before.branch, before.seq, (
				SELECT b.branch FROM branches b WHERE ${inConversation("b")} AND b.parent_branch = c.active_branch LIMIT 1
			) IS NOT NULL AS has_children
		FROM conversations c
		JOIN LATERAL (${newestOnPath("c.active_branch", "c.last_seq", ACTIVE_PATH.where)}) AS newest
			ON newest.seq >= $3::bigint
		LEFT JOIN LATERAL (${newestOnPath("c.active_branch", "$3::bigint - 1")}) AS before ON true
		WHERE c.project_id = $1 AND c.conversation_id = $2`,
};

const MOVE: Statement = {
	name: "branch_move",
	text: `WITH moved AS (
			UPDATE branches SET parent_branch = $4, fork_seq = $5
			WHERE project_id = $1 AND conversation_id = $2 AND branch = $3
		)
		UPDATE conversations SET updated_at = greatest(updated_at, clock.now) FROM ${CLOCK}
		WHERE project_id = $1 AND conversation_id = $2`,
};

/**
 * Takes the messages from a seq on off the active path. Those of the active branch alone are deleted; those that other
 * branches share stay where they are, and the active path leaves theirs before them: its branch moves back, or, where
 * branches hang on it that must not move with it, a new one begins.
 */
export async function takeOff(locked: LockedConversation, from: string): Promise<void> {
	const { transaction, projectId, conversationId, activeBranch: active, lastBranch } = locked;
	await transaction.query(REMOVE_OWN, [projectId, conversationId, active, from]);
	if (lastBranch === 0) return;
	const values = [projectId, conversationId, from];
	const [shared] = await transaction.query<Partial<Place> & { has_children: boolean }>(FIND_SHARED, values);
	if (shared === undefined) return;
	const place: Place = { branch: shared.branch ?? BEFORE_ALL.branch, seq: shared.seq ?? BEFORE_ALL.seq };
	if (active === 0 || shared.has_children) await begin(locked, place);
	else await transaction.query(MOVE, [projectId, conversationId, active, place.branch, place.seq]);
}

function toBranch(row: BranchRow): Branch {
	return {
		branch: row.branch,
		parentBranch: row.parent_branch,
		forkSeq: row.fork_seq,
		leafMessageId: row.leaf_message_id,
		active: row.active,
		createdAt: row.created_at,
	};
}
