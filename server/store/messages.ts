import { badRequest, Fault } from "../domain/faults.ts";
import { checkId } from "../domain/ids.ts";
import { type JsonObject, type JsonValue, tooLarge } from "../domain/json.ts";
import { draftPatch, type Message, type MessageInput, type MessageKind } from "../domain/messages.ts";
import { type LockedConversation, lockConversation } from "./conversations.ts";
import type { Statement, Transaction } from "./database.ts";
import type { Scope } from "./scope.ts";
import { CLOCK, isoTime } from "./times.ts";
import type { Identity } from "./tokens.ts";

export interface MessageRow {
	message_id: string;
	conversation_id: string;
	seq: string;
	branch: number;
	kind: MessageKind;
	role: string | null;
	type: string | null;
	payload: JsonValue;
	metadata: JsonObject;
	label: string | null;
	source_message_id: string | null;
	created_at: string;
	updated_at: string;
}

const COLUMNS = [
	"message_id",
	"conversation_id",
	"seq",
	"branch",
	"kind",
	"role",
	"type",
	"payload",
	"metadata",
	"label",
	"source_message_id",
];

/** The columns of a message, of the table or alias given. */
export function messageColumns(table: string): string {
	const columns = COLUMNS.map((column) => `${table}.${column}`);
	return [...columns, isoTime("created_at", table), isoTime("updated_at", table)].join(", ");
}

/**
 * SQL that ends a query for messages `m` of a list of ids. Postgres expects ten of a list that it does not know; it would
 * find each shorter one cheaper and plan it anew, every time, if LIMIT did not keep the ten out of the costs.
 */
export function ofIds(ids: string): string {
	return `m.project_id = $1 AND m.message_id = ANY(${ids}::text[]) LIMIT cardinality(${ids}::text[])`;
}

/** Runs a statement alone or in a transaction. */
export type Run = Transaction["query"];

/** The messages of these ids, null where no row has it. */
export function inOrder(ids: readonly string[], rows: readonly MessageRow[]): (Message | null)[] {
	const found = new Map(rows.map((row) => [row.message_id, toMessage(row)]));
	return ids.map((id) => found.get(id) ?? null);
}

const SELECT: Statement = {
	name: "messages_select",
	text: `SELECT ${messageColumns("m")} FROM messages m WHERE ${ofIds("$2")}`,
};

/** The messages of these ids, null where there is none (rules MSG-6, ISO-2). */
export async function getMessages({ db, identity }: Scope, messageIds: readonly string[]): Promise<(Message | null)[]> {
	return select((statement, values) => db.read(statement, values), identity.projectId, messageIds);
}

export async function select(run: Run, projectId: string, messageIds: readonly string[]): Promise<(Message | null)[]> {
	return inOrder(messageIds, await run<MessageRow>(SELECT, [projectId, messageIds]));
}

// The conversation is locked before its message, by every writer: the other order deadlocks with clearMessages.
const LOCK_BY_MESSAGE: Statement = {
	name: "conversation_lock_by_message",
	replan: true,
	text: `SELECT c.conversation_id, m.kind FROM conversations c JOIN messages m USING (project_id, conversation_id)
		WHERE m.project_id = $1 AND m.message_id = $2 AND ($3::text[] IS NULL OR m.conversation_id = ANY($3))
		FOR UPDATE OF c`,
};

// A flag says that a field is given, since null is a value of role and type.
const UPDATE: Statement = {
	name: "message_update",
	replan: true,
	returnsWritten: true,
	text: `WITH touched AS (
			UPDATE conversations SET updated_at = greatest(updated_at, clock.now) FROM ${CLOCK}
			WHERE project_id = $1 AND conversation_id = $2 RETURNING updated_at
		), updated AS (
			UPDATE messages m SET
				role = CASE WHEN $4 THEN $5 ELSE m.role END,
				type = CASE WHEN $6 THEN $7 ELSE m.type END,
				payload = coalesce($8::text::json, m.payload),
				metadata = coalesce($9::text::json, m.metadata),
				bytes = octet_length(coalesce($8::text, m.payload::text)) + octet_length(coalesce($9::text, m.metadata::text)),
				updated_at = touched.updated_at
			FROM touched WHERE m.project_id = $1 AND m.conversation_id = $2 AND m.message_id = $3
			RETURNING m.*
		)
		SELECT ${messageColumns("updated")}, updated.bytes FROM updated`,
};

/** Replaces the given fields of a message; its seq, place and createdAt stay (rule MSG-10). */
export async function updateMessage(
	{ db, identity, limits }: Scope,
	input: { messageId: string } & Partial<Omit<MessageInput, "messageId">>,
): Promise<Message> {
	const messageId = checkId("input.messageId", input.messageId, limits.idBytes);
	const { role, type, payload, metadata } = draftPatch("input", input, limits);
	return db.transaction(async (transaction) => {
		const place = await lockConversationOf(transaction, identity, messageId);
		if (place !== undefined && place.kind !== "message") {
			throw badRequest("input.messageId", `is of kind ${place.kind}, which is never updated`);
		}
		const [row] = await transaction.query<MessageRow & { bytes: number }>(UPDATE, [
			identity.projectId,
			place?.conversationId,
			messageId,
			role !== undefined,
			role,
			type !== undefined,
			type,
			payload?.text,
			metadata?.text,
		]);
		// Thrown inside the transaction, so that the conversation's updatedAt stays too.
		if (row === undefined) throw unknownMessage(messageId);
		if (row.bytes > limits.messageBytes) throw tooLarge("input: payload and metadata together", limits.messageBytes);
		return toMessage(row);
	});
}

// What an interrupted run left goes, too: it holds what the message said.
const DELETE: Statement = {
	name: "message_delete",
	replan: true,
	text: `WITH gone AS (
			DELETE FROM messages WHERE project_id = $1 AND conversation_id = $2 AND message_id = $3 RETURNING message_id
		)
		UPDATE conversations SET updated_at = greatest(updated_at, clock.now),
			run_interrupt = NULL, run_status = nullif(run_status, 'interrupted')
		FROM ${CLOCK} WHERE project_id = $1 AND conversation_id = $2 AND EXISTS (SELECT FROM gone)`,
};

/** Deletes a message and frees its id; an unknown one is a success (rule MSG-11). */
export async function deleteMessage({ db, identity, limits }: Scope, input: { messageId: string }): Promise<void> {
	const messageId = checkId("input.messageId", input.messageId, limits.idBytes);
	await db.transaction(async (transaction) => {
		const place = await lockConversationOf(transaction, identity, messageId);
		if (place !== undefined) await transaction.query(DELETE, [identity.projectId, place.conversationId, messageId]);
	});
}

// What an interrupted run left goes, too: it holds what the messages said.
const CLEAR: Statement = {
	name: "messages_clear",
	text: `WITH gone AS (
			DELETE FROM messages WHERE project_id = $1 AND conversation_id = $2 RETURNING message_id
		), cut AS (
			DELETE FROM branches WHERE project_id = $1 AND conversation_id = $2 RETURNING branch
		), forgotten AS (
			DELETE FROM history_operations WHERE project_id = $1 AND conversation_id = $2
		)
		UPDATE conversations SET active_branch = 0, last_branch = 0, updated_at = greatest(updated_at, clock.now),
			run_interrupt = NULL, run_status = nullif(run_status, 'interrupted')
		FROM ${CLOCK} WHERE project_id = $1 AND conversation_id = $2 AND (EXISTS (SELECT FROM gone) OR EXISTS (SELECT FROM cut))`,
};

/** Deletes the messages of all branches, and the branches; the rest stays, the counter included (rules MSG-11, MSG-12). */
export async function clearMessages({ db, identity, limits }: Scope, input: { conversationId: string }): Promise<void> {
	const conversationId = checkId("input.conversationId", input.conversationId, limits.idBytes);
	await db.transaction(async (transaction) => {
		const locked = await lockConversation(transaction, identity.projectId, conversationId);
		if (locked !== undefined) await clearLocked(locked);
	});
}

/** Clears a locked conversation; operation ids of its history are forgotten too. */
export async function clearLocked({ transaction, projectId, conversationId }: LockedConversation): Promise<void> {
	await transaction.query(CLEAR, [projectId, conversationId]);
}

/** Locks the conversation of a message; undefined where there is no such message. The kind never changes. */
export async function lockConversationOf(
	transaction: Transaction,
	{ projectId, conversationIds }: Identity,
	messageId: string,
): Promise<{ conversationId: string; kind: MessageKind } | undefined> {
	const values = [projectId, messageId, conversationIds];
	const [row] = await transaction.query<{ conversation_id: string; kind: MessageKind }>(LOCK_BY_MESSAGE, values);
	return row && { conversationId: row.conversation_id, kind: row.kind };
}

export function unknownMessage(messageId: string): Fault {
	return new Fault("NotFound", `Message ${JSON.stringify(messageId)} does not exist`);
}

/** The message of a row. */
export function toMessage(row: MessageRow): Message {
	return {
		messageId: row.message_id,
		conversationId: row.conversation_id,
		seq: row.seq,
		branch: row.branch,
		kind: row.kind,
		role: row.role,
		type: row.type,
		payload: row.payload,
		metadata: row.metadata,
		label: row.label,
		sourceMessageId: row.source_message_id,
		createdAt: row.created_at,
		updatedAt: row.updated_at,
	};
}
