import { badRequest, Fault } from "../domain/faults.ts";
import { checkId } from "../domain/ids.ts";
import type { Message } from "../domain/messages.ts";
import { checkPageSize, type Order, openCursor, type Page, refusedCursor, sealCursor } from "../domain/pages.ts";
import type { Statement } from "./database.ts";
import { type MessageRow, messageColumns, toMessage } from "./messages.ts";
import type { Scope } from "./scope.ts";

/** A page of one conversation that somebody asks for. */
export interface MessagePageInput {
	conversationId: string;
	first?: number | null | undefined;
	after?: string | null | undefined;
	order: Order;
}

/** The branch of a conversation that never branched. */
const BRANCH = 0;

// Each conversation is read by its own index range, up to the last seq that the same snapshot shows; so a page costs
// what it returns. The running sum keeps it within a number of bytes, except that it has at least one row (rule VAL-7).
function list(order: Order): Statement {
	const [direction, start] =
		order === "asc"
			? ["ASC", "> coalesce(wanted.after, 0)"]
			: ["DESC", "< coalesce(wanted.after, 9223372036854775807)"];
	return {
		name: `messages_list_${order}`,
		text: `SELECT wanted.ord, c.incarnation, coalesce(wanted.bound, c.last_seq) AS bound, page.*
			FROM unnest($2::text[], $3::bigint[], $4::bigint[])
				WITH ORDINALITY AS wanted (conversation_id, after, bound, ord)
			JOIN conversations c ON c.project_id = $1 AND c.conversation_id = wanted.conversation_id
			LEFT JOIN LATERAL (
				SELECT ${messageColumns("candidate")}, candidate.position, candidate.fetched
				FROM (
					SELECT *, count(*) OVER () AS fetched, row_number() OVER walk AS position,
						sum(bytes) OVER walk AS bytes_so_far
					FROM (
						SELECT * FROM messages m
						WHERE m.project_id = $1 AND m.conversation_id = c.conversation_id AND m.branch = ${BRANCH}
							AND m.seq ${start}
							AND m.seq <= coalesce(wanted.bound, c.last_seq)
						ORDER BY m.seq ${direction} LIMIT $5::int + 1
					) AS read
					WINDOW walk AS (ORDER BY seq ${direction})
				) AS candidate
				WHERE position = 1 OR (position <= $5::int AND bytes_so_far <= $6::bigint)
			) AS page ON true
			ORDER BY wanted.ord, page.position`,
	};
}

const LIST = { asc: list("asc"), desc: list("desc") };

type PageRow = { ord: string; incarnation: string; bound: string } & (
	| (MessageRow & { fetched: string })
	| { message_id: null }
);

/** A page of the messages of a conversation (rules MSG-7…9). */
export async function listMessages(scope: Scope, input: MessagePageInput): Promise<Page<Message>> {
	const [page] = await listMessagesOfMany(scope, [input]);
	if (page instanceof Error) throw page;
	return page!;
}

/**
 * Pages of many conversations in one statement, for nested reads. All inputs share `first` and `order`;
 * together they hold no more content than one page may. An input that is refused gets its fault in place of a page.
 */
export async function listMessagesOfMany(
	scope: Scope,
	inputs: readonly MessagePageInput[],
): Promise<(Page<Message> | Fault)[]> {
	const { db, identity, limits } = scope;
	const { first, order } = inputs[0]!;
	const size = checkPageSize("first", first, limits);
	const starts = inputs.map((input) => faultOr(() => openStart(scope, input)));
	if (starts.every((start) => start instanceof Fault)) return starts;
	const cursors = starts.map((start) => (start instanceof Fault ? undefined : start));
	const rows = await db.read<PageRow>(LIST[order], [
		identity.projectId,
		// No conversation has the empty id.
		inputs.map(({ conversationId }, index) => (starts[index] instanceof Fault ? "" : conversationId)),
		cursors.map((cursor) => cursor?.seq ?? null),
		cursors.map((cursor) => cursor?.bound ?? null),
		size,
		Math.ceil(limits.pageBytes / inputs.length),
	]);
	const rowsOf: PageRow[][] = inputs.map(() => []);
	for (const row of rows) rowsOf[Number(row.ord) - 1]!.push(row);
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

interface Start {
	incarnation: string;
	seq: string;
	bound: string;
}

function cursorScope(conversationId: string, order: Order): string {
	return `messages\0${order}\0${BRANCH}\0${conversationId}`;
}

function openStart({ identity, limits }: Scope, { conversationId, order, after }: MessagePageInput): Start | undefined {
	checkId("conversationId", conversationId, limits.idBytes);
	if (after == null) return undefined;
	if (after === "") throw badRequest("after", "must not be empty (MSG-8)");
	const position = openCursor("after", identity.cursorKey, cursorScope(conversationId, order), after);
	const [incarnation = "", seq = "", bound = ""] = position;
	return { incarnation, seq, bound };
}

function toPage(scope: Scope, input: MessagePageInput, start: Start | undefined, rows: PageRow[]): Page<Message> {
	const [head] = rows;
	// The conversation was deleted, and perhaps created anew, since the cursor was made (rule CONV-5).
	if (start !== undefined && head?.incarnation !== start.incarnation) throw refusedCursor("after");
	const found = rows.filter((row) => row.message_id !== null);
	return {
		items: found.map(toMessage),
		hasNext: Number(found[0]?.fetched ?? 0) > found.length,
		cursorOf: ({ seq }) =>
			sealCursor(scope.identity.cursorKey, cursorScope(input.conversationId, input.order), [
				head!.incarnation,
				seq,
				head!.bound,
			]),
	};
}
