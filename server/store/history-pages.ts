import { badRequest } from "../domain/faults.ts";
import { HISTORY_PAGE_MESSAGES, historyChanged } from "../domain/history.ts";
import { checkId } from "../domain/ids.ts";
import type { Message } from "../domain/messages.ts";
import { openCursor, sealCursor } from "../domain/pages.ts";
import type { Statement } from "./database.ts";
import { pageOf } from "./message-pages.ts";
import { type MessageRow, toMessage } from "./messages.ts";
import { ACTIVE_PATH, pathRows } from "./paths.ts";
import type { Scope } from "./scope.ts";

/** A page of a history: the newest messages that no earlier page of the walk held, the newest of them first. */
export interface HistoryPage {
	messages: Message[];
	/** Where the walk goes on; null when it is over. */
	nextCursor: string | null;
}

const NEWEST = pathRows({ ...ACTIVE_PATH, order: "desc", after: "$3::bigint", limit: "$4::int + 1" });

const LIST: Statement = {
	name: "history_list",
	text: `SELECT c.incarnation, c.active_branch, c.last_seq, page.*
		FROM conversations c LEFT JOIN LATERAL (${pageOf(NEWEST, "desc", "$4::int", "$5::bigint")}) AS page ON true
		WHERE c.project_id = $1 AND c.conversation_id = $2
		ORDER BY page.position`,
};

type ListRow = { incarnation: string; active_branch: number; last_seq: string } & (
	| (MessageRow & { fetched: string })
	| { message_id: null }
);

const READ = pathRows({ ...ACTIVE_PATH, high: "$6::bigint", order: "asc", after: "$5::bigint - 1" });

// Rows never come into a range that was read, they only go or get a later updated_at: so an equal count and an equal
// sum of times mean that nothing happened to them.
const SUM_UP: Statement = {
	name: "history_sum_up",
	text: `SELECT count(*) AS messages, coalesce(sum(floor(extract(epoch FROM m.updated_at) * 1000)), 0)::text AS times
		FROM conversations c CROSS JOIN LATERAL (${READ}) AS m
		WHERE c.project_id = $1 AND c.conversation_id = $2 AND c.incarnation = $3::uuid AND c.active_branch = $4`,
};

/** How far a walk has come, and the sums over what it has read. */
interface Walk {
	incarnation: string;
	branch: string;
	/** The last seq that existed when the walk began. */
	bound: string;
	/** The lowest seq that was read. */
	seq: string;
	messages: number;
	times: bigint;
}

/**
 * A page of a history, newest first. A walk over several pages is one snapshot: its last page is returned only if
 * nothing that the walk has read was changed or removed meanwhile, else the walk is a Conflict. `first` is the
 * number of messages that are still wanted, all when omitted.
 */
export async function listHistory(
	scope: Scope,
	input: { conversationId: string; first?: number | null | undefined; after?: string | null | undefined },
): Promise<HistoryPage> {
	const { db, identity, limits } = scope;
	const conversationId = checkId("conversationId", input.conversationId, limits.idBytes);
	const wanted = checkWanted(input.first);
	const before = openWalk(scope, conversationId, input.after);
	const rows = await db.read<ListRow>(LIST, [
		identity.projectId,
		conversationId,
		before?.seq ?? null,
		Math.min(wanted, HISTORY_PAGE_MESSAGES),
		limits.pageBytes,
	]);
	const [head] = rows;
	const found = rows.filter((row) => row.message_id !== null);
	const walk = head === undefined ? before : advance(before, head, found);
	const isOver = found.length === wanted || Number(found[0]?.fetched ?? 0) === found.length;
	if (isOver && before !== undefined) await checkUnchanged(scope, conversationId, walk!);
	return {
		messages: found.map(toMessage),
		nextCursor: isOver ? null : sealWalk(scope, conversationId, walk!),
	};
}

function checkWanted(first: number | null | undefined): number {
	if (first == null) return Number.POSITIVE_INFINITY;
	if (first < 1) throw badRequest("first", "must be an integer of at least 1");
	return first;
}

function advance(before: Walk | undefined, head: ListRow, found: readonly MessageRow[]): Walk {
	const branch = String(head.active_branch);
	if (before !== undefined && (before.incarnation !== head.incarnation || before.branch !== branch)) {
		throw historyChanged();
	}
	return {
		incarnation: head.incarnation,
		branch,
		bound: before?.bound ?? head.last_seq,
		seq: found.at(-1)?.seq ?? before?.seq ?? "0",
		messages: (before?.messages ?? 0) + found.length,
		times: found.reduce((sum, row) => sum + BigInt(Date.parse(row.updated_at)), before?.times ?? 0n),
	};
}

async function checkUnchanged({ db, identity }: Scope, conversationId: string, walk: Walk): Promise<void> {
	const { incarnation, branch, seq, bound } = walk;
	const values = [identity.projectId, conversationId, incarnation, branch, seq, bound];
	const [sums] = await db.read<{ messages: string; times: string }>(SUM_UP, values);
	if (Number(sums?.messages) !== walk.messages || sums?.times !== String(walk.times)) throw historyChanged();
}

function cursorScope(conversationId: string): string {
	return `history\0${conversationId}`;
}

function sealWalk({ identity }: Scope, conversationId: string, walk: Walk): string {
	const { incarnation, branch, bound, seq, messages, times } = walk;
	const position = [incarnation, branch, bound, seq, String(messages), String(times)];
	return sealCursor(identity.cursorKey, cursorScope(conversationId), position);
}

function openWalk({ identity }: Scope, conversationId: string, after: string | null | undefined): Walk | undefined {
	if (after == null) return undefined;
	const position = openCursor("after", identity.cursorKey, cursorScope(conversationId), after);
	const [incarnation = "", branch = "", bound = "", seq = "", messages = "", times = "0"] = position;
	return { incarnation, branch, bound, seq, messages: Number(messages), times: BigInt(times) };
}
