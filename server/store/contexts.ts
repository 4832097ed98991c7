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
import type { LockedConversation } from "./conversations.ts";
import type { Statement } from "./database.ts";
import { pageOf } from "./message-pages.ts";
import { append, appendLocked, type MessageRow, messageColumns, toMessage } from "./messages.ts";
import { newestOnPath, pathRows } from "./paths.ts";
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
	text: `SELECT c.incarnation, c.tip, c.last_branch, c.last_seq AS bound, compaction.first_kept_seq,
			${messageColumns("compaction")}
		FROM (
			SELECT *, coalesce($3::int, active_branch) AS tip FROM conversations WHERE project_id = $1 AND conversation_id = $2
		) AS c
		LEFT JOIN LATERAL (${newestOnPath("c.tip", "c.last_seq", "m.kind = 'compaction'")}) AS newest ON true
		LEFT JOIN messages compaction ON compaction.project_id = $1 AND compaction.message_id = newest.message_id`,
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
interface Walk {
	incarnation: string;
	branch: string;
	bound: string;
	/** The seq behind which the next page starts, null for the beginning of the path. */
	after: string | null;
}

/**
 * A page of what a model should see of a path. Of several compactions the last one counts. What it keeps begins at a
 * seq, so that where the first kept message was deleted, the next one on the path takes its place.
 */
export async function listContext(
	scope: Scope,
	input: { conversationId: string; branch?: number | null | undefined; after?: string | null | undefined },
): Promise<ContextPage> {
	const { db, identity, limits } = scope;
	const conversationId = checkId("conversationId", input.conversationId, limits.idBytes);
	const cursorScope = `context\0${input.branch ?? "active"}\0${conversationId}`;
	let walk: Walk;
	let compaction: Message | undefined;
	if (input.after == null) {
		const values = [identity.projectId, conversationId, input.branch ?? null];
		const [head] = await db.read<StartRow>(START, values);
		if (head === undefined) return { messages: [], nextCursor: null };
		if (!hasBranch(head.last_branch, head.tip)) throw unknownBranch(conversationId, head.tip);
		const keptSeq = head.message_id === null ? null : head.first_kept_seq;
		const { incarnation, tip, bound } = head;
		walk = { incarnation, branch: String(tip), bound, after: keptSeq === null ? null : String(BigInt(keptSeq) - 1n) };
		if (head.message_id !== null) compaction = toMessage(head);
	} else {
		if (input.after === "") throw badRequest("after", "must not be empty (MSG-8)");
		const position = openCursor("after", identity.cursorKey, cursorScope, input.after);
		const [incarnation = "", branch = "", bound = "", after = null] = position;
		walk = { incarnation, branch, bound, after };
	}
	const { incarnation, branch, bound, after } = walk;
	const values = [identity.projectId, conversationId, incarnation, branch, bound, after];
	const rows = await db.read<ListRow>(LIST, [...values, CONTEXT_PAGE_MESSAGES, limits.pageBytes]);
	if (rows.length === 0) throw refusedCursor("after");
	const found = rows.filter((row) => row.message_id !== null);
	const messages = found.map(toMessage);
	const isOver = Number(found[0]?.fetched ?? 0) === found.length;
	const end = isOver ? null : [incarnation, branch, bound, messages.at(-1)!.seq];
	return {
		messages: compaction === undefined ? messages : [compaction, ...messages],
		nextCursor: end && sealCursor(identity.cursorKey, cursorScope, end),
	};
}
