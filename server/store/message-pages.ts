import { hasBranch, unknownBranch } from "../domain/branches.ts";
import { badRequest, Fault } from "../domain/faults.ts";
import { checkId } from "../domain/ids.ts";
import type { Message } from "../domain/messages.ts";
import { checkPageSize, type Order, openCursor, type Page, refusedCursor, sealCursor } from "../domain/pages.ts";
import type { Statement } from "./database.ts";
import { type MessageRow, messageColumns, toMessage } from "./messages.ts";
import { allRows, flatRows, pathRows } from "./paths.ts";
import type { Scope } from "./scope.ts";

/** A page of one conversation that somebody asks for. */
export interface MessagePageInput {
	conversationId: string;
	first?: number | null | undefined;
	after?: string | null | undefined;
	order: Order;
	/** Whose path is read; the active branch's when omitted. */
	branch?: number | null | undefined;
	/** Reads the messages of all branches, by seq, in place of a path. */
	allBranches?: boolean | null | undefined;
}

/**
 * SQL of a page of the messages that a query finds: as many as fit into `size` and `bytes`, but at least one (rule
 * VAL-7). The query finds one more than `size`, if there is one.
 */
export function pageOf(rows: string, order: Order, size: string, bytes: string): string {
	return `SELECT ${messageColumns("candidate")}, candidate.position, candidate.fetched
		FROM (
			SELECT *, count(*) OVER () AS fetched, row_number() OVER walk AS position, sum(bytes) OVER walk AS bytes_so_far
			FROM (${rows}) AS read
			WINDOW walk AS (ORDER BY seq ${order})
		) AS candidate
		WHERE position = 1 OR (position <= ${size} AND bytes_so_far <= ${bytes})`;
}

/** Where a page comes from: a conversation without branches, the path of a branch, or all branches. */
type Source = "flat" | "path" | "all";

// Each conversation is read by its own index ranges, up to the last seq that the same snapshot shows; so a page costs
// what it returns.
function list(source: Source, order: Order): Statement {
	const range = { high: "coalesce(wanted.bound, c.last_seq)", order, after: "wanted.after", limit: "$6::int + 1" };
	const tip = "coalesce(wanted.branch, c.active_branch)";
	const rows = { flat: () => flatRows(range), path: () => pathRows({ tip, ...range }), all: () => allRows(range) };
	return {
		name: `messages_list_${source}_${order}`,
		text: `SELECT wanted.ord, c.incarnation, c.last_branch, coalesce(wanted.branch, c.active_branch) AS tip,
				coalesce(wanted.bound, c.last_seq) AS bound, page.*
			FROM unnest($2::text[], $3::bigint[], $4::bigint[], $5::int[])
				WITH ORDINALITY AS wanted (conversation_id, after, bound, branch, ord)
			CROSS JOIN LATERAL (
				SELECT * FROM conversations WHERE project_id = $1 AND conversation_id = wanted.conversation_id OFFSET 0
			) AS c
			LEFT JOIN LATERAL (${pageOf(rows[source](), order, "$6::int", "$7::bigint")}) AS page ON true
			ORDER BY wanted.ord, page.position`,
	};
}

const LIST = {
	flat: { asc: list("flat", "asc"), desc: list("flat", "desc") },
	path: { asc: list("path", "asc"), desc: list("path", "desc") },
	all: { asc: list("all", "asc"), desc: list("all", "desc") },
};

type PageRow = { ord: string; incarnation: string; last_branch: number; tip: number; bound: string } & (
	| (MessageRow & { fetched: string })
	| { message_id: null }
);

/** A page of the messages of a conversation (rules MSG-7…9, MSG-12). */
export async function listMessages(scope: Scope, input: MessagePageInput): Promise<Page<Message>> {
	const [page] = await listMessagesOfMany(scope, [input]);
	if (page instanceof Error) throw page;
	return page!;
}

/**
 * Pages of many conversations in one statement, for nested reads. All inputs share `first`, `order` and
 * `allBranches`; together they hold no more content than one page may. An input that is refused gets its fault in place of a page.
 */
export async function listMessagesOfMany(
	scope: Scope,
	inputs: readonly MessagePageInput[],
): Promise<(Page<Message> | Fault)[]> {
	const { db, identity, limits } = scope;
	const { first, order, allBranches } = inputs[0]!;
	const size = checkPageSize("first", first, limits);
	const starts = inputs.map((input) => faultOr(() => openStart(scope, input)));
	if (starts.every((start) => start instanceof Fault)) return starts;
	const cursors = starts.map((start) => (start instanceof Fault ? undefined : start));
	const rowsOf: PageRow[][] = inputs.map(() => []);
	const read = async (source: Source, indexes: number[]) => {
		if (indexes.length === 0) return;
		const rows = await db.read<PageRow>(LIST[source][order], [
			identity.projectId,
			indexes.map((index) => inputs[index]!.conversationId),
			indexes.map((index) => cursors[index]?.seq ?? null),
			indexes.map((index) => cursors[index]?.bound ?? null),
			indexes.map((index) => cursors[index]?.branch ?? inputs[index]!.branch ?? null),
			size,
			Math.ceil(limits.pageBytes / inputs.length),
		]);
		for (const index of indexes) rowsOf[index] = [];
		for (const row of rows) rowsOf[indexes[Number(row.ord) - 1]!]!.push(row);
	};
	const wanted = inputs.map((_, index) => index).filter((index) => !(starts[index] instanceof Fault));
	// Most conversations have no branches: they are read as fast as if there were none, the others once more.
	await read(allBranches ? "all" : "flat", wanted);
	if (!allBranches) {
		const isBranched = (index: number) => (rowsOf[index]![0]?.last_branch ?? 0) > 0;
		await read("path", wanted.filter(isBranched));
	}
	return inputs.map((input, index) => {
		const start = starts[index];
		return start instanceof Fault ? start : faultOr(() => toPage(scope, input, start, rowsOf[index]!));
	});
}

function faultOr<T>(work: () => T): T | Fault {
	try {
		return work();
	} catch (error) {
		if (error instanceof Fault) return error;
		throw error;
	}
}

/** Where a page starts. A walk stays on the branch on which it began, even when another one becomes active. */
interface Start {
	incarnation: string;
	branch: string;
	seq: string;
	bound: string;
}

function cursorScope({ conversationId, order, branch, allBranches }: MessagePageInput): string {
	return `messages\0${order}\0${allBranches ? "all" : (branch ?? "active")}\0${conversationId}`;
}

function openStart({ identity, limits }: Scope, input: MessagePageInput): Start | undefined {
	const { conversationId, after, branch, allBranches } = input;
	checkId("conversationId", conversationId, limits.idBytes);
	if (allBranches && branch != null) throw badRequest("branch", "must be omitted with allBranches");
	if (after == null) return undefined;
	if (after === "") throw badRequest("after", "must not be empty (MSG-8)");
	const position = openCursor("after", identity.cursorKey, cursorScope(input), after);
	const [incarnation = "", walked = "", seq = "", bound = ""] = position;
	return { incarnation, branch: walked, seq, bound };
}

function toPage(scope: Scope, input: MessagePageInput, start: Start | undefined, rows: PageRow[]): Page<Message> {
	const [head] = rows;
	// The conversation was deleted, and perhaps created anew, since the cursor was made (rule CONV-5).
	if (start !== undefined && head?.incarnation !== start.incarnation) throw refusedCursor("after");
	// Clearing removes branches, too; a walk that began before sees nothing of what follows.
	if (start === undefined && head !== undefined && !hasBranch(head.last_branch, head.tip)) {
		throw unknownBranch(input.conversationId, head.tip);
	}
	const found = rows.filter((row) => row.message_id !== null);
	return {
		items: found.map(toMessage),
		hasNext: Number(found[0]?.fetched ?? 0) > found.length,
		cursorOf: ({ seq }) => {
			const { incarnation, tip, bound } = head!;
			const position = [incarnation, String(tip), seq, bound];
			return sealCursor(scope.identity.cursorKey, cursorScope(input), position);
		},
	};
}
