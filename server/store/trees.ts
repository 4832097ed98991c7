import { badRequest } from "../domain/faults.ts";
import { checkId } from "../domain/ids.ts";
import type { Message } from "../domain/messages.ts";
import { checkPageSize, openCursor, type Page, refusedCursor, sealCursor } from "../domain/pages.ts";
import { type BranchLength, deepest, NO_STATS, type Stats, type TreeEntry } from "../domain/trees.ts";
import type { Statement } from "./database.ts";
import { type MessageRow, messageColumns, toMessage } from "./messages.ts";
import { allRows, inConversation, newestOnPath } from "./paths.ts";
import type { Scope } from "./scope.ts";
import { isoTime } from "./times.ts";

const ENTRIES = allRows({
	high: "coalesce($4::bigint, c.last_seq)",
	order: "asc",
	after: "$3::bigint",
	limit: "$5::int + 1",
});

const TREE: Statement = {
	name: "tree_list",
	text: `SELECT c.incarnation, coalesce($4::bigint, c.last_seq) AS bound, entry.message_id, entry.branch, entry.seq,
			entry.kind, entry.role, entry.type, entry.label, parent.message_id AS parent_message_id
		FROM conversations c
		LEFT JOIN LATERAL (${ENTRIES}) AS entry ON true
		LEFT JOIN LATERAL (${newestOnPath("entry.branch", "entry.seq - 1")}) AS parent ON true
		WHERE c.project_id = $1 AND c.conversation_id = $2
		ORDER BY entry.seq`,
};

type TreeRow = { incarnation: string; bound: string } & (
	| (Pick<MessageRow, "message_id" | "branch" | "seq" | "kind" | "role" | "type" | "label"> & {
			parent_message_id: string | null;
	  })
	| { message_id: null }
);

/** A page of the tree of a conversation, all branches by seq: parents stand before what follows them. */
export async function listTree(
	{ db, identity, limits }: Scope,
	input: { conversationId: string; first?: number | null | undefined; after?: string | null | undefined },
): Promise<Page<TreeEntry>> {
	const conversationId = checkId("conversationId", input.conversationId, limits.idBytes);
	const size = checkPageSize("first", input.first, limits);
	if (input.after === "") throw badRequest("after", "must not be empty (MSG-8)");
	const scope = `tree\0${conversationId}`;
	const [incarnation, seq = null, bound = null] =
		input.after == null ? [] : openCursor("after", identity.cursorKey, scope, input.after);
	const rows = await db.read<TreeRow>(TREE, [identity.projectId, conversationId, seq, bound, size]);
	const [head] = rows;
	if (incarnation !== undefined && head?.incarnation !== incarnation) throw refusedCursor("after");
	const found = rows.filter((row) => row.message_id !== null);
	return {
		items: found.slice(0, size).map(toEntry),
		hasNext: found.length > size,
		cursorOf: (entry) => sealCursor(identity.cursorKey, scope, [head!.incarnation, entry.seq, head!.bound]),
	};
}

function toEntry(row: Extract<TreeRow, { message_id: string }>): TreeEntry {
	return {
		messageId: row.message_id,
		parentMessageId: row.parent_message_id,
		branch: row.branch,
		seq: row.seq,
		kind: row.kind,
		role: row.role,
		type: row.type,
		label: row.label,
	};
}

// A message has children where its own branch goes on, and where another branch with messages left it. Again each step
// is a subquery with a LIMIT: as joins, Postgres would hash all messages.
const TREE_PARTS = `c AS MATERIALIZED (
		SELECT * FROM conversations WHERE project_id = $1 AND conversation_id = $2
	), tips AS (
		SELECT tip.* FROM c CROSS JOIN generate_series(0, c.last_branch) AS branch CROSS JOIN LATERAL (
			SELECT * FROM messages m WHERE ${inConversation("m")} AND m.branch = branch.branch ORDER BY m.seq DESC LIMIT 1
		) AS tip
	), left_at AS (
		SELECT place.branch, place.seq, count(*) AS branches
		FROM c CROSS JOIN LATERAL (SELECT * FROM branches b WHERE ${inConversation("b")} OFFSET 0) AS b
		CROSS JOIN LATERAL (${newestOnPath("b.parent_branch", "b.fork_seq")}) AS place
		WHERE (SELECT m.seq FROM messages m WHERE ${inConversation("m")} AND m.branch = b.branch LIMIT 1) IS NOT NULL
		GROUP BY place.branch, place.seq
	), leaves AS (
		SELECT * FROM tips WHERE seq NOT IN (SELECT seq FROM left_at)
	)`;

const LEAVES: Statement = {
	name: "tree_leaves",
	text: `WITH ${TREE_PARTS} SELECT ${messageColumns("leaves")} FROM leaves ORDER BY leaves.seq`,
};

const BRANCH_POINTS: Statement = {
	name: "tree_branch_points",
	text: `WITH ${TREE_PARTS}
		SELECT ${messageColumns("m")}
		FROM c CROSS JOIN left_at CROSS JOIN LATERAL (
			SELECT * FROM messages m WHERE ${inConversation("m")} AND m.branch = left_at.branch AND m.seq = left_at.seq LIMIT 1
		) AS m
		WHERE left_at.branches > 1 OR left_at.seq NOT IN (SELECT seq FROM tips)
		ORDER BY m.seq`,
};

const LABELS: Statement = {
	name: "tree_labels",
	text: `SELECT ${messageColumns("m")} FROM messages m
		WHERE m.project_id = $1 AND m.conversation_id = $2 AND m.label IS NOT NULL ORDER BY m.seq`,
};

/** The messages that none follows, by seq. */
export function listLeaves(scope: Scope, input: { conversationId: string }): Promise<Message[]> {
	return listMessages(scope, LEAVES, input);
}

/** The messages that more than one follows, by seq. */
export function listBranchPoints(scope: Scope, input: { conversationId: string }): Promise<Message[]> {
	return listMessages(scope, BRANCH_POINTS, input);
}

/** The messages with a label, of all branches, by seq. */
export function listLabels(scope: Scope, input: { conversationId: string }): Promise<Message[]> {
	return listMessages(scope, LABELS, input);
}

async function listMessages(
	{ db, identity, limits }: Scope,
	statement: Statement,
	input: { conversationId: string },
): Promise<Message[]> {
	const conversationId = checkId("conversationId", input.conversationId, limits.idBytes);
	return (await db.read<MessageRow>(statement, [identity.projectId, conversationId])).map(toMessage);
}

// Messages and the places where branches leave are counted together, in one walk through each branch.
const STATS: Statement = {
	name: "tree_stats",
	text: `WITH ${TREE_PARTS}, totals AS (
			SELECT count(*) FILTER (WHERE kind = 'message') AS message_count,
				count(*) FILTER (WHERE kind = 'compaction') AS compaction_count,
				min(created_at) FILTER (WHERE kind = 'message') AS first_message_at,
				max(created_at) FILTER (WHERE kind = 'message') AS last_message_at
			FROM messages WHERE project_id = $1 AND conversation_id = $2
		), events AS (
			SELECT branch, seq, NULL::int AS leaving FROM messages WHERE project_id = $1 AND conversation_id = $2
			UNION ALL
			SELECT parent_branch, fork_seq, branch FROM branches WHERE project_id = $1 AND conversation_id = $2
		), counted AS (
			SELECT branch, leaving, count(*) FILTER (WHERE leaving IS NULL) OVER (
				PARTITION BY branch ORDER BY seq, leaving NULLS FIRST ROWS UNBOUNDED PRECEDING
			) AS so_far
			FROM events
		), lengths AS (
			SELECT branch, max(so_far) AS own FROM counted GROUP BY branch
		)
		SELECT branch.branch, left_from.branch AS parent_branch, coalesce(lengths.own, 0)::int AS own,
			coalesce(left_from.so_far, 0)::int AS shared, totals.message_count::int, totals.compaction_count::int,
			${isoTime("first_message_at", "totals")}, ${isoTime("last_message_at", "totals")},
			(SELECT count(*) FROM leaves)::int AS leaf_count
		FROM c CROSS JOIN totals CROSS JOIN generate_series(0, c.last_branch) AS branch
		LEFT JOIN lengths ON lengths.branch = branch.branch
		LEFT JOIN counted AS left_from ON left_from.leaving = branch.branch`,
};

interface StatsRow {
	branch: number;
	parent_branch: number | null;
	own: number;
	shared: number;
	message_count: number;
	compaction_count: number;
	first_message_at: string | null;
	last_message_at: string | null;
	leaf_count: number;
}

/** Numbers about all branches of a conversation; zeros for an unknown one. */
export async function getStats({ db, identity, limits }: Scope, input: { conversationId: string }): Promise<Stats> {
	const conversationId = checkId("conversationId", input.conversationId, limits.idBytes);
	const rows = await db.read<StatsRow>(STATS, [identity.projectId, conversationId]);
	const [totals] = rows;
	if (totals === undefined) return NO_STATS;
	const branches = rows.map((row): BranchLength => {
		const { branch, parent_branch, own, shared } = row;
		return { branch, parentBranch: parent_branch, own, shared };
	});
	return {
		messageCount: totals.message_count,
		branchCount: rows.length,
		leafCount: totals.leaf_count,
		maxDepth: deepest(branches),
		compactionCount: totals.compaction_count,
		firstMessageAt: totals.first_message_at,
		lastMessageAt: totals.last_message_at,
	};
}
