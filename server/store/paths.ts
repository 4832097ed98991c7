import type { Order } from "../domain/pages.ts";

// A message belongs to a branch, and a branch says where it left its parent. So a path is a few ranges: the branch's
// own messages, then those of its parent up to fork_seq, and so on to branch 0; seq grows along all of it. Statements
// that use these fragments have the project in $1 and the conversation's row in `c`. Every step is a LATERAL with a
// LIMIT: a plain join would read all branches, or all messages, of the conversation.

/** The key of `table`'s rows in conversation `c`. */
export function inConversation(table: string): string {
	return `${table}.project_id = $1 AND ${table}.conversation_id = c.conversation_id`;
}

/** The parent of branch `branch`, as a row (parent_branch, fork_seq). */
function parentOf(branch: string): string {
	return `LATERAL (
			SELECT b.parent_branch, b.fork_seq FROM branches b WHERE ${inConversation("b")} AND b.branch = ${branch} LIMIT 1
		) AS parent`;
}

interface Rows {
	/** SQL of the last seq that counts. */
	high: string;
	order: Order;
	/** SQL of the seq behind which the rows start, null for the beginning. */
	after?: string;
	/** A further condition on message `m`. */
	where?: string;
	/** SQL of the number of rows at most. */
	limit?: string;
}

/** A query for the messages of one range, in order. `branches` is the condition on their branch. */
function rangeRows(branches: string, { high, order, after, where, limit }: Rows): string {
	const start = order === "asc" ? `m.seq > coalesce(${after}, 0)` : `m.seq < coalesce(${after}, 9223372036854775807)`;
	const conditions = [inConversation("m"), branches, `m.seq <= ${high}`];
	if (after !== undefined) conditions.push(start);
	if (where !== undefined) conditions.push(where);
	return `SELECT * FROM messages m WHERE ${conditions.join(" AND ")}
		ORDER BY m.seq ${order} ${limit === undefined ? "" : `LIMIT ${limit}`}`;
}

/**
 * A query for the messages of the path of branch `tip`, in order. It reads as many ranges as it takes to fill the
 * limit: they are sorted before the join, so that its rows need sorting within one range only.
 */
export function pathRows({ tip, ...rows }: Rows & { tip: string }): string {
	const { high, order, limit } = rows;
	return `WITH RECURSIVE ranges (branch, high) AS (
			SELECT ${tip}, ${high}
			UNION ALL
			SELECT parent.parent_branch, least(parent.fork_seq, ranges.high)
			FROM ranges CROSS JOIN ${parentOf("ranges.branch")} WHERE ranges.branch > 0
		)
		SELECT m.* FROM (SELECT * FROM ranges ORDER BY high ${order} OFFSET 0) AS range
		CROSS JOIN LATERAL (${rangeRows("m.branch = range.branch", { ...rows, high: "range.high" })}) AS m
		ORDER BY range.high ${order}, m.seq ${order} ${limit === undefined ? "" : `LIMIT ${limit}`}`;
}

/** A query for the messages of a conversation that never branched, in order; no rows where it has branches. */
export function flatRows(rows: Rows): string {
	return rangeRows("c.last_branch = 0 AND m.branch = 0", rows);
}

/** A query for the messages of all branches, in order: those of branch 0, and those of the others by an index of theirs. */
export function allRows(rows: Rows & { limit: string }): string {
	return `SELECT m.* FROM (
			(${rangeRows("m.branch = 0", rows)}) UNION ALL (${rangeRows("m.branch > 0", rows)})
		) AS m
		ORDER BY m.seq ${rows.order} LIMIT ${rows.limit}`;
}

/**
 * A query for the newest message of a path with seq up to `high`, as a row (branch, seq, message_id); no row where
 * there is none. It climbs from the tip and stops where it finds one.
 */
export function newestOnPath(tip: string, high: string, where = "true"): string {
	const newest = (branch: string, last: string) =>
		`(SELECT m.seq FROM messages m WHERE ${inConversation("m")} AND m.branch = ${branch} AND m.seq <= ${last}
			AND ${where} ORDER BY m.seq DESC LIMIT 1)`;
	return `WITH RECURSIVE up (branch, high, seq) AS (
			SELECT ${tip}, ${high}, ${newest(tip, high)}
			UNION ALL
			SELECT parent.parent_branch, least(parent.fork_seq, up.high),
				${newest("parent.parent_branch", "least(parent.fork_seq, up.high)")}
			FROM up CROSS JOIN ${parentOf("up.branch")} WHERE up.branch > 0 AND up.seq IS NULL
		)
		SELECT up.branch, up.seq, m.message_id FROM up CROSS JOIN LATERAL (
			SELECT m.message_id FROM messages m WHERE ${inConversation("m")} AND m.branch = up.branch AND m.seq = up.seq LIMIT 1
		) AS m`;
}

/** What an agent works with: the messages of the active path, without what session operations wrote. */
export const ACTIVE_PATH = { tip: "c.active_branch", high: "c.last_seq", where: "m.kind = 'message'" };
