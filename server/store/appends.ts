import type pg from "pg";
import { checkLastSeq, checkSeq } from "../domain/branches.ts";
import { Fault } from "../domain/faults.ts";
import { checkId } from "../domain/ids.ts";
import {
	areReplays,
	draftMessage,
	draftMessages,
	type Message,
	type MessageDraft,
	type MessageInput,
} from "../domain/messages.ts";
import { APPENDED, APPENDS, LARGEST_TOGETHER } from "./appends-together.ts";
import { type LockedConversation, lockConversation } from "./conversations.ts";
import type { Statement, Transaction } from "./database.ts";
import { getMessages, inOrder, type MessageRow, messageColumns, ofIds, type Run, select } from "./messages.ts";
import { conflict, isTakenKey } from "./postgres-errors.ts";
import type { Scope } from "./scope.ts";
import { CLOCK } from "./times.ts";

// One statement: it probes first, so that a replay writes nothing and is answered with what is stored; takes the seqs
// under the conversation's row lock; and creates the conversation where there is none. The clock stands in the selected
// row and not in DO UPDATE, which a distributed Postgres wants immutable; greatest() keeps time from running against seq
// after a wait for the lock. The rows are inserted in the order of their ids, so that overlapping batches cannot wait
// for each other.
const APPEND: Statement = {
	name: "messages_append",
	returnsWritten: "is_new",
	conversation: 1,
	text: `WITH input AS (
			SELECT * FROM unnest($3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::int[], $9::text[], $10::bigint[])
				WITH ORDINALITY AS input (message_id, role, type, payload, metadata, bytes, kind, first_kept_seq, ord)
		), old AS (
			SELECT ${messageColumns("m")}, false AS is_new FROM messages m
			WHERE $11 AND ${ofIds("$3")}
		), conversation AS (
			INSERT INTO conversations AS c (project_id, conversation_id, metadata, last_seq, created_at, updated_at)
			SELECT $1, $2, '{}', cardinality($3::text[]), now, now
			FROM ${CLOCK} WHERE NOT EXISTS (SELECT FROM old)
			ON CONFLICT (project_id, conversation_id) DO UPDATE SET
				last_seq = c.last_seq + excluded.last_seq,
				updated_at = greatest(c.updated_at, excluded.updated_at)
			RETURNING active_branch, last_seq - cardinality($3::text[]) AS seq_before, updated_at
		), new AS (
			INSERT INTO messages AS m (project_id, message_id, conversation_id, branch, seq, kind, role, type, payload,
				metadata, bytes, first_kept_seq, created_at, updated_at)
			SELECT $1, input.message_id, $2, conversation.active_branch, conversation.seq_before + input.ord, input.kind,
				input.role, input.type, input.payload::json, input.metadata::json, input.bytes, input.first_kept_seq,
				conversation.updated_at, conversation.updated_at
			FROM input, conversation ORDER BY input.message_id
			RETURNING ${messageColumns("m")}, true AS is_new
		)
		SELECT * FROM old UNION ALL SELECT * FROM new`,
};

type AppendRow = MessageRow & { is_new: boolean };

const ATTEMPTS = 3;

/** What appends may demand of the conversation: that its last seq is this one, else they are a Conflict. */
interface Precondition {
	expectedLastSeq?: string | null | undefined;
}

/** Appends one message and creates its conversation where there is none (rules MSG-1…3). */
export async function appendMessage(
	scope: Scope,
	input: MessageInput & Precondition & { conversationId: string },
): Promise<Message> {
	const draft = draftMessage("input", input, scope.limits);
	const [message] = await appendChecked(scope, input, [draft]);
	return message!;
}

/** Appends 1 to 100 messages, all or none, in the order of the array (rule MSG-4). */
export async function appendMessages(
	scope: Scope,
	input: Precondition & { conversationId: string; messages: readonly MessageInput[] },
): Promise<Message[]> {
	return appendChecked(scope, input, draftMessages("input.messages", input.messages, scope.limits));
}

async function appendChecked(
	scope: Scope,
	input: Precondition & { conversationId: string },
	drafts: readonly MessageDraft[],
): Promise<Message[]> {
	const conversationId = checkId("input.conversationId", input.conversationId, scope.limits.idBytes);
	const expected = checkSeq("input.expectedLastSeq", input.expectedLastSeq);
	if (expected === null) return append(scope, conversationId, drafts);
	return appendLocked(scope, conversationId, drafts, async ({ lastSeq }) => {
		checkLastSeq("input.expectedLastSeq", expected, lastSeq);
		return drafts;
	});
}

/** Appends what the callers have drafted by one statement, which may append single messages of other callers, too. */
export async function append(
	scope: Scope,
	conversationId: string,
	drafts: readonly MessageDraft[],
): Promise<Message[]> {
	const { db, identity } = scope;
	const [draft, ...others] = drafts;
	if (draft === undefined || others.length > 0 || draft.bytes > LARGEST_TOGETHER) {
		return appendAlone(scope, conversationId, drafts);
	}
	return db.together(APPENDS, identity.projectId, { conversationId, draft }, () =>
		appendAlone(scope, conversationId, drafts),
	);
}

async function appendAlone(scope: Scope, conversationId: string, drafts: readonly MessageDraft[]): Promise<Message[]> {
	const ids = drafts.map((draft) => draft.messageId);
	const run: Run = (statement, values) => scope.db.write(statement, values);
	let taken: pg.DatabaseError | undefined;
	for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
		let stored: (Message | null)[];
		try {
			// Only the first attempt probes. A later one runs into the key itself, for Postgres's own error to report.
			const rows = await insertMessages(run, scope.identity.projectId, conversationId, drafts, attempt === 1);
			stored = inOrder(ids, rows);
			if (rows[0]?.is_new) return stored as Message[];
		} catch (error) {
			if (!isTakenKey(error, "messages")) throw error;
			taken = error;
			stored = await getMessages(scope, ids);
		}
		if (areReplays(drafts, conversationId, stored)) return stored;
		// None is left: they were deleted meanwhile, so the ids are free and this is a first append after all.
		if (taken !== undefined && stored.some((message) => message !== null)) throw conflict(taken);
	}
	throw new Fault("ServiceUnavailable", "The messages were deleted as often as they were appended", { retryAfter: 1 });
}

/**
 * Appends under the conversation's lock: `decide` sees the locked conversation and gives the drafts their last form, or
 * throws. Messages that are stored already are returned before it is asked (rule ERR-4).
 */
export async function appendLocked(
	scope: Scope,
	conversationId: string,
	drafts: readonly MessageDraft[],
	decide: (locked: LockedConversation) => Promise<readonly MessageDraft[]>,
): Promise<Message[]> {
	const { db, identity } = scope;
	const ids = drafts.map((draft) => draft.messageId);
	const findReplay = async (run: Run) => {
		const stored = await select(run, identity.projectId, ids);
		return areReplays(drafts, conversationId, stored) ? stored : undefined;
	};
	// Once without the lock, so that a replay need not wait for it, and once under it, for the attempt that was faster.
	const known = await findReplay((statement, values) => db.read(statement, values));
	if (known !== undefined) return known;
	return db.transaction(async (transaction) => {
		const { projectId } = identity;
		const locked = await lockConversation(transaction, projectId, conversationId, { create: true });
		const stored = await findReplay(transaction.query);
		if (stored !== undefined) return stored;
		const decided = await decide(locked!);
		return insertNew(transaction, projectId, conversationId, decided);
	});
}

/** Inserts messages whose ids are new; one that is taken is a Conflict. Returns them in the order of the drafts. */
export async function insertNew(
	transaction: Transaction,
	projectId: string,
	conversationId: string,
	drafts: readonly MessageDraft[],
): Promise<Message[]> {
	const ids = drafts.map((draft) => draft.messageId);
	try {
		const rows = await insertMessages(transaction.query, projectId, conversationId, drafts, false);
		return inOrder(ids, rows) as Message[];
	} catch (error) {
		throw isTakenKey(error, "messages") ? conflict(error) : error;
	}
}

/**
 * Inserts the messages at the end of the conversation, which it creates where there is none. With `probe`, and any of
 * the ids taken, it inserts nothing and returns the rows that have them; without, it fails on the key.
 */
async function insertMessages(
	run: Run,
	projectId: string,
	conversationId: string,
	drafts: readonly MessageDraft[],
	probe: boolean,
): Promise<AppendRow[]> {
	const columns = APPENDED.map((key) => drafts.map((draft) => draft[key]));
	return run<AppendRow>(APPEND, [projectId, conversationId, ...columns, probe]);
}
