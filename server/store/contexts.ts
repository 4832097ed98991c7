import { hasBranch, unknownBranch } from "../domain/branches.ts";
import {
	CONTEXT_PAGE_MESSAGES,
	type CompactionInput,
	draftBranchSummary,
	draftCompaction,
} from "../domain/contexts.ts";
import { badRequest } from "../domain/faults.ts";
import { checkId } from "../domain/ids.ts";
import { draftMessage, type Message, type MessageDraft, type MessageInput } from "../domain/messages.ts";
import { openCursor, refusedCursor, sealCursor } from "../domain/pages.ts";
import { append, appendLocked } from "./appends.ts";
import type { LockedConversation } from "./conversations.ts";
import type { Statement, Transaction } from "./database.ts";
import { pageOf } from "./message-pages.ts";
import { type MessageRow, messageColumns, toMessage } from "./messages.ts";
import { inConversation, newestOnPath, pathRows } from "./paths.ts";
import type { Scope } from "./scope.ts";

// On the path is what the path shows when it is read up to there.
const FIND_KEPT: Statement = {
	name: "context_find_kept",
	text: `SELECT kept.seq FROM conversations c
		JOIN messages kept ON kept.project_id = c.project_id AND kept.conversation_id = c.conversation_id
		CROSS JOIN LATERAL (${newestOnPath("c.active_branch", "kept.seq")}) AS shown
		WHERE c.project_id = $1 AND c.conversation_id = $2 AND kept.message_id = $3 AND shown.seq = kept.seq`,
};

/** Appends a compaction to the active path: its summary stands for what comes before the first message that it keeps. */
export async function compact(scope: Scope, input: CompactionInput & { conversationId: string }): Promise<Message> {
	const { limits } = scope;
	const conversationId = checkId("input.conversationId", input.conversationId, limits.idBytes);
	const draft = draftCompaction("input", input, limits);
	if (input.firstKeptMessageId == null) return appendOne(scope, conversationId, draft);
	const keptId = checkId("input.firstKeptMessageId", input.firstKeptMessageId, limits.idBytes);
	const [message] = await appendLocked(scope, conversationId, [draft], async ({ transaction, projectId }) => {
		const values = [projectId, conversationId, keptId];
		const [kept] = await transaction.query<{ seq: string }>(FIND_KEPT, values);
		if (kept === undefined) throw badRequest("input.firstKeptMessageId", "must be a message of the active path");
		return [{ ...draft, firstKeptSeq: kept.seq }];
	});
	return message!;
}

/** Appends what happened on another branch to the active path. */
export async function appendBranchSummary(
	scope: Scope,
	input: { conversationId: string; messageId: string; summary: string; fromBranch?: number | null | undefined },
): Promise<Message> {
	const conversationId = checkId("input.conversationId", input.conversationId, scope.limits.idBytes);
	const draft = draftBranchSummary("input", input, scope.limits);
	const { fromBranch } = input;
	if (fromBranch == null) return appendOne(scope, conversationId, draft);
	const decide = async ({ lastBranch }: LockedConversation) => {
		if (!hasBranch(lastBranch, fromBranch))
			throw badRequest("input.fromBranch", "must be a branch of the conversation");
		return [draft];
	};
	const [message] = await appendLocked(scope, conversationId, [draft], decide);
	return message!;
}

/** Appends what the application keeps on the path and no model sees. */
export async function appendCustom(scope: Scope, input: MessageInput & { conversationId: string }): Promise<Message> {
	const conversationId = checkId("input.conversationId", input.conversationId, scope.limits.idBytes);
	return appendOne(scope, conversationId, draftMessage("input", input, scope.limits, "custom"));
}

async function appendOne(scope: Scope, conversationId: string, draft: MessageDraft): Promise<Message> {
	const [message] = await append(scope, conversationId, [draft]);
	return message!;
}

/** A page of a context: the compaction, if there is one, on the first page; then what it keeps, in path order. */
export interface ContextPage {
	messages: Message[];
	/** Where the walk goes on; null when it is over. */
	nextCursor: string | null;
}

const START: Statement = {
	name: "context_start",
	text: `SELECT c.incarnation, c.tip, c.last_branch, c.bound, compaction.first_kept_seq, ${messageColumns("compaction")}
		FROM (
			SELECT *, coalesce($3::int, active_branch) AS tip, coalesce($4::bigint, last_seq) AS bound
			FROM conversations WHERE project_id = $1 AND conversation_id = $2
		) AS c
		LEFT JOIN LATERAL (${newestOnPath("c.tip", "c.bound", "m.kind = 'compaction'")}) AS newest ON true
		LEFT JOIN LATERAL (
			SELECT * FROM messages m
			WHERE ${inConversation("m")} AND m.branch = newest.branch AND m.seq = newest.seq LIMIT 1
		) AS compaction ON true`,
};

type StartRow = { incarnation: string; tip: number; last_branch: number; bound: string } & (
	| (MessageRow & { first_kept_seq: string | null })
	| { message_id: null }
);

const KEPT = pathRows({
	tip: "$4::int",
	high: "$5::bigint",
	order: "asc",
	after: "$6::bigint",
	where: "m.kind IN ('message', 'branch_summary')",
	limit: "$7::int + 1",
});

const LIST: Statement = {
	name: "context_list",
	text: `SELECT page.* FROM conversations c
		LEFT JOIN LATERAL (${pageOf(KEPT, "asc", "$7::int", "$8::bigint")}) AS page ON true
		WHERE c.project_id = $1 AND c.conversation_id = $2 AND c.incarnation = $3::uuid
		ORDER BY page.position`,
};

type ListRow = (MessageRow & { fetched: string }) | { message_id: null };

/** How far a walk has come. It stays on its branch, and sees nothing that is appended after its first page. */
export interface Walk {
	incarnation: string;
	branch: string;
	bound: string;
	/** The seq behind which the next page starts, null for the beginning of the path. */
	after: string | null;
}

/** Where the walk of a context begins, and the compaction in front of what it walks. */
interface Start {
	walk: Walk;
	compaction: Message[];
}

/**
 * Finds where a context begins; undefined where there is no such conversation. Of several compactions the last one
 * counts. What it keeps begins at a seq, so that where the first kept message was deleted, the next one on the path
 * takes its place. With a `bound`, nothing behind that seq counts.
 */
export async function startContext(
	run: Transaction["query"],
	projectId: string,
	conversationId: string,
	{ branch, bound = null }: { branch: number | null; bound?: string | null },
): Promise<Start | undefined> {
	const [head] = await run<StartRow>(START, [projectId, conversationId, branch, bound]);
	if (head === undefined) return undefined;
	if (!hasBranch(head.last_branch, head.tip)) throw unknownBranch(conversationId, head.tip);
	const keptSeq = head.message_id === null ? null : head.first_kept_seq;
	const after = keptSeq === null ? null : String(BigInt(keptSeq) - 1n);
	return {
		walk: { incarnation: head.incarnation, branch: String(head.tip), bound: head.bound, after },
		compaction: head.message_id === null ? [] : [toMessage(head)],
	};
}

/** Reads on in the walk of a context, but not behind so many messages or bytes. */
export async function readContext(
	run: Transaction["query"],
	projectId: string,
	conversationId: string,
	{ incarnation, branch, bound, after }: Walk,
	most: { messages: number; bytes: number },
): Promise<{ messages: Message[]; next: Walk | null }> {
	const values = [projectId, conversationId, incarnation, branch, bound, after, most.messages, most.bytes];
	const rows = await run<ListRow>(LIST, values);
	if (rows.length === 0) throw refusedCursor("after");
	const found = rows.filter((row) => row.message_id !== null);
	const messages = found.map(toMessage);
	const isOver = Number(found[0]?.fetched ?? 0) === found.length;
	return { messages, next: isOver ? null : { incarnation, branch, bound, after: messages.at(-1)!.seq } };
}

/** The cursor of a walk, and the walk of a cursor; `what` is walked: cursors of one list are refused by the others. */
export function sealWalk({ identity }: Scope, what: string, { incarnation, branch, bound, after }: Walk): string {
	return sealCursor(identity.cursorKey, what, [incarnation, branch, bound, after ?? ""]);
}

export function openWalk({ identity }: Scope, what: string, cursor: string): Walk {
	if (cursor === "") throw badRequest("after", "must not be empty (MSG-8)");
	const [incarnation = "", branch = "", bound = "", after = ""] = openCursor("after", identity.cursorKey, what, cursor);
	return { incarnation, branch, bound, after };
}

/** A page of what a model should see of a path. */
export async function listContext(
	scope: Scope,
	input: { conversationId: string; branch?: number | null | undefined; after?: string | null | undefined },
): Promise<ContextPage> {
	const { identity, limits } = scope;
	const { projectId } = identity;
	const conversationId = checkId("conversationId", input.conversationId, limits.idBytes);
	const what = `context\0${input.branch ?? "active"}\0${conversationId}`;
	const run: Transaction["query"] = (statement, values) => scope.db.read(statement, values);
	const start =
		input.after == null
			? await startContext(run, projectId, conversationId, { branch: input.branch ?? null })
			: { walk: openWalk(scope, what, input.after), compaction: [] };
	if (start === undefined) return { messages: [], nextCursor: null };
	const most = { messages: CONTEXT_PAGE_MESSAGES, bytes: limits.pageBytes };
	const { messages, next } = await readContext(run, projectId, conversationId, start.walk, most);
	return {
		messages: [...start.compaction, ...messages],
		nextCursor: next && sealWalk(scope, what, next),
	};
}
