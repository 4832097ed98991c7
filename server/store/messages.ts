import type pg from "pg";
import { Fault } from "../domain/faults.ts";
import { checkId } from "../domain/ids.ts";
import { type JsonObject, type JsonValue, tooLarge } from "../domain/json.ts";
import {
	draftMessage,
	draftMessages,
	draftPatch,
	isReplay,
	type Message,
	type MessageDraft,
	type MessageInput,
} from "../domain/messages.ts";
import type { Statement, Transaction } from "./database.ts";
import { conflict, isTakenKey } from "./postgres-errors.ts";
import type { Scope } from "./scope.ts";
import { isoTime } from "./times.ts";

export interface MessageRow {
	message_id: string;
	conversation_id: string;
	seq: string;
	role: string | null;
	type: string | null;
	payload: JsonValue;
	metadata: JsonObject;
	created_at: string;
	updated_at: string;
}

/** The columns of a message, of the table or alias given. */
export function messageColumns(table: string): string {
	const plain = ["message_id", "conversation_id", "seq", "role", "type", "payload", "metadata"];
	const columns = plain.map((column) => `${table}.${column}`);
	return [...columns, isoTime("created_at", table), isoTime("updated_at", table)].join(", ");
}

// One statement: it probes first, so that a replay writes nothing; takes the seqs under the conversation's row lock;
// and creates the conversation where there is none. The clock stands in the selected row and not in DO UPDATE, which
// a distributed Postgres wants immutable; greatest() keeps time from running against seq after a wait for the lock.
// The rows are inserted in the order of their ids, so that overlapping batches cannot wait for each other.
const APPEND: Statement = {
	name: "messages_append",
	text: `WITH input AS (
			SELECT * FROM unnest($3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::int[])
				WITH ORDINALITY AS input (message_id, role, type, payload, metadata, bytes, ord)
		), old AS (
			SELECT FROM messages WHERE project_id = $1 AND message_id = ANY($3::text[]) AND $9
		), conversation AS (
			INSERT INTO conversations AS c (project_id, conversation_id, metadata, last_seq, leaf_seq, created_at, updated_at)
			SELECT $1, $2, '{}', cardinality($3::text[]), cardinality($3::text[]), now, now
			FROM (SELECT clock_timestamp() AS now) AS clock WHERE NOT EXISTS (SELECT FROM old)
			ON CONFLICT (project_id, conversation_id) DO UPDATE SET
				last_seq = c.last_seq + excluded.last_seq,
				leaf_seq = c.last_seq + excluded.last_seq,
				updated_at = greatest(c.updated_at, excluded.updated_at)
			RETURNING active_branch, last_seq - cardinality($3::text[]) AS seq_before, updated_at
		)
		INSERT INTO messages AS m (project_id, message_id, conversation_id, branch, seq, role, type, payload, metadata,
			bytes, created_at, updated_at)
		SELECT $1, input.message_id, $2, conversation.active_branch, conversation.seq_before + input.ord, input.role,
			input.type, input.payload::json, input.metadata::json, input.bytes, conversation.updated_at, conversation.updated_at
		FROM input, conversation ORDER BY input.message_id
		RETURNING ${messageColumns("m")}`,
};

const ATTEMPTS = 3;

/** Appends one message and creates its conversation where there is none (rules MSG-1…3). */
export async function appendMessage(scope: Scope, input: MessageInput & { conversationId: string }): Promise<Message> {
	const conversationId = checkId("input.conversationId", input.conversationId, scope.limits.idBytes);
	const [message] = await append(scope, conversationId, [draftMessage("input", input, scope.limits)]);
	return message!;
}

/** Appends 1 to 100 messages, all or none, in the order of the array (rule MSG-4). */
export async function appendMessages(
	scope: Scope,
	input: { conversationId: string; messages: readonly MessageInput[] },
): Promise<Message[]> {
	const conversationId = checkId("input.conversationId", input.conversationId, scope.limits.idBytes);
	return append(scope, conversationId, draftMessages("input.messages", input.messages, scope.limits));
}

async function append(scope: Scope, conversationId: string, drafts: readonly MessageDraft[]): Promise<Message[]> {
	const ids = drafts.map((draft) => draft.messageId);
	let taken: pg.DatabaseError | undefined;
	for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
		try {
			// Only the first attempt probes. A later one runs into the key itself, for Postgres's own error to report.
			const run: Run = (statement, values) => scope.db.write(statement, values);
			const inserted = await insertMessages(run, scope.identity.projectId, conversationId, drafts, attempt === 1);
			if (inserted.length > 0) return inOrder(ids, inserted);
		} catch (error) {
			if (!isTakenKey(error, "messages")) throw error;
			taken = error;
		}
		const stored = await getMessages(scope, ids);
		if (drafts.every((draft, index) => stored[index] && isReplay(draft, conversationId, stored[index]))) {
			return stored as Message[];
		}
		// None is left: they were deleted meanwhile, so the ids are free and this is a first append after all.
		if (taken !== undefined && stored.some((message) => message !== null)) throw conflict(taken);
	}
	throw new Fault("ServiceUnavailable", "The messages were deleted as often as they were appended", { retryAfter: 1 });
}

/** Runs a statement alone or in a transaction. */
type Run = Transaction["query"];

/**
 * Inserts the messages at the end of the conversation, which it creates where there is none. With `probe`, and any of
 * the ids taken, it inserts nothing; without, it fails on the key.
 */
export async function insertMessages(
	run: Run,
	projectId: string,
	conversationId: string,
	drafts: readonly MessageDraft[],
	probe: boolean,
): Promise<Message[]> {
	const column = <Key extends keyof MessageDraft>(key: Key) => drafts.map((draft) => draft[key]);
	const rows = await run<MessageRow>(APPEND, [
		projectId,
		conversationId,
		column("messageId"),
		column("role"),
		column("type"),
		column("payload"),
		column("metadata"),
		column("bytes"),
		probe,
	]);
	return rows.map(toMessage);
}

function inOrder(ids: readonly string[], messages: readonly Message[]): Message[] {
	const byId = new Map(messages.map((message) => [message.messageId, message]));
	return ids.map((id) => byId.get(id)!);
}

const SELECT: Statement = {
	name: "messages_select",
	text: `SELECT ${messageColumns("m")} FROM messages m WHERE m.project_id = $1 AND m.message_id = ANY($2::text[])`,
};

/** The messages of these ids, null where there is none (rules MSG-6, ISO-2). */
export async function getMessages({ db, identity }: Scope, messageIds: readonly string[]): Promise<(Message | null)[]> {
	const rows = await db.read<MessageRow>(SELECT, [identity.projectId, messageIds]);
	const found = new Map(rows.map((row) => [row.message_id, toMessage(row)]));
	return messageIds.map((id) => found.get(id) ?? null);
}

// The conversation is locked before its message, by every writer: the other order deadlocks with clearMessages.
const LOCK_BY_MESSAGE: Statement = {
	name: "conversation_lock_by_message",
	text: `SELECT c.conversation_id FROM conversations c JOIN messages m USING (project_id, conversation_id)
		WHERE m.project_id = $1 AND m.message_id = $2 FOR UPDATE OF c`,
};

// A flag says that a field is given, since null is a value of role and type.
const UPDATE: Statement = {
	name: "message_update",
	text: `WITH touched AS (
			UPDATE conversations SET updated_at = greatest(updated_at, clock_timestamp())
			WHERE project_id = $1 AND conversation_id = $2 RETURNING updated_at
		)
		UPDATE messages m SET
			role = CASE WHEN $4 THEN $5 ELSE m.role END,
			type = CASE WHEN $6 THEN $7 ELSE m.type END,
			payload = coalesce($8::text::json, m.payload),
			metadata = coalesce($9::text::json, m.metadata),
			bytes = octet_length(coalesce($8::text, m.payload::text)) + octet_length(coalesce($9::text, m.metadata::text)),
			updated_at = touched.updated_at
		FROM touched WHERE m.project_id = $1 AND m.conversation_id = $2 AND m.message_id = $3
		RETURNING ${messageColumns("m")}, m.bytes`,
};

/** Replaces the given fields of a message; its seq, place and createdAt stay (rule MSG-10). */
export async function updateMessage(
	{ db, identity, limits }: Scope,
	input: { messageId: string } & Partial<Omit<MessageInput, "messageId">>,
): Promise<Message> {
	const messageId = checkId("input.messageId", input.messageId, limits.idBytes);
	const { role, type, payload, metadata } = draftPatch("input", input, limits);
	return db.transaction(async (transaction) => {
		const conversationId = await lockConversationOf(transaction, identity.projectId, messageId);
		const [row] = await transaction.query<MessageRow & { bytes: number }>(UPDATE, [
			identity.projectId,
			conversationId,
			messageId,
			role !== undefined,
			role,
			type !== undefined,
			type,
			payload?.text,
			metadata?.text,
		]);
		// Thrown inside the transaction, so that the conversation's updatedAt stays too.
		if (row === undefined) throw new Fault("NotFound", `Message ${JSON.stringify(messageId)} does not exist`);
		if (row.bytes > limits.messageBytes) throw tooLarge("input: payload and metadata together", limits.messageBytes);
		return toMessage(row);
	});
}

const DELETE: Statement = {
	name: "message_delete",
	text: `WITH gone AS (
			DELETE FROM messages WHERE project_id = $1 AND conversation_id = $2 AND message_id = $3 RETURNING message_id
		)
		UPDATE conversations SET updated_at = greatest(updated_at, clock_timestamp())
		WHERE project_id = $1 AND conversation_id = $2 AND EXISTS (SELECT FROM gone)`,
};

/** Deletes a message and frees its id; an unknown one is a success (rule MSG-11). */
export async function deleteMessage({ db, identity, limits }: Scope, input: { messageId: string }): Promise<void> {
	const messageId = checkId("input.messageId", input.messageId, limits.idBytes);
	await db.transaction(async (transaction) => {
		const conversationId = await lockConversationOf(transaction, identity.projectId, messageId);
		if (conversationId !== null) await transaction.query(DELETE, [identity.projectId, conversationId, messageId]);
	});
}

const LOCK: Statement = {
	name: "messages_lock_conversation",
	text: "SELECT FROM conversations WHERE project_id = $1 AND conversation_id = $2 FOR UPDATE",
};

const CLEAR: Statement = {
	name: "messages_clear",
	text: `WITH gone AS (
			DELETE FROM messages WHERE project_id = $1 AND conversation_id = $2 RETURNING message_id
		), forgotten AS (
			DELETE FROM history_operations WHERE project_id = $1 AND conversation_id = $2
		)
		UPDATE conversations SET leaf_seq = 0, updated_at = greatest(updated_at, clock_timestamp())
		WHERE project_id = $1 AND conversation_id = $2 AND EXISTS (SELECT FROM gone)`,
};

/** Deletes all messages of a conversation and keeps the rest of it, its counter included (rule MSG-11). */
export async function clearMessages({ db, identity, limits }: Scope, input: { conversationId: string }): Promise<void> {
	const conversationId = checkId("input.conversationId", input.conversationId, limits.idBytes);
	await db.transaction(async (transaction) => {
		const [found] = await transaction.query(LOCK, [identity.projectId, conversationId]);
		if (found !== undefined) await clearLocked(transaction, identity.projectId, conversationId);
	});
}

/** Clears a conversation whose row the transaction has locked; operation ids of its history are forgotten too. */
export async function clearLocked(transaction: Transaction, projectId: string, conversationId: string): Promise<void> {
	await transaction.query(CLEAR, [projectId, conversationId]);
}

async function lockConversationOf(
	transaction: Transaction,
	projectId: string,
	messageId: string,
): Promise<string | null> {
	const [row] = await transaction.query<{ conversation_id: string }>(LOCK_BY_MESSAGE, [projectId, messageId]);
	return row?.conversation_id ?? null;
}

/** The message of a row. */
export function toMessage(row: MessageRow): Message {
	return {
		messageId: row.message_id,
		conversationId: row.conversation_id,
		seq: row.seq,
		role: row.role,
		type: row.type,
		payload: row.payload,
		metadata: row.metadata,
		createdAt: row.created_at,
		updatedAt: row.updated_at,
	};
}
