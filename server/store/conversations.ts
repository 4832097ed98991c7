import { type Conversation, mergeMetadata, unknownConversation } from "../domain/conversations.ts";
import { checkId } from "../domain/ids.ts";
import { checkObject, encodeJson, type JsonObject, type JsonText } from "../domain/json.ts";
import type { Limits } from "../domain/limits.ts";
import { checkPageSize, openCursor, type Page, sealCursor } from "../domain/pages.ts";
import type { Queries, Statement, Transaction } from "./database.ts";
import { conflict, isTakenKey } from "./postgres-errors.ts";
import type { Scope } from "./scope.ts";
import { CLOCK, isoTime } from "./times.ts";

export interface ConversationRow {
	conversation_id: string;
	metadata: JsonObject;
	parent_conversation_id: string | null;
	parent_message_id: string | null;
	created_at: string;
	updated_at: string;
}

/** The columns of a conversation. */
export const CONVERSATION_COLUMNS = `conversation_id, metadata, parent_conversation_id, parent_message_id,
	${isoTime("created_at")}, ${isoTime("updated_at")}`;

const INSERT: Statement = {
	name: "conversation_insert",
	text: `INSERT INTO conversations (project_id, conversation_id, metadata, created_at, updated_at)
		SELECT $1, $2, $3::json, now, now FROM ${CLOCK}
		RETURNING ${CONVERSATION_COLUMNS}`,
};

/** Creates a conversation; an id that exists is a Conflict and its row stays as it is (rule CONV-1). */
export async function createConversation(
	{ db, identity, limits }: Scope,
	input: { conversationId: string; metadata?: JsonObject | null | undefined },
): Promise<Conversation> {
	const conversationId = checkId("input.conversationId", input.conversationId, limits.idBytes);
	const metadata = encodeMetadata(checkObject("input.metadata", input.metadata), limits);
	try {
		const rows = await db.write<ConversationRow>(INSERT, [identity.projectId, conversationId, metadata.text]);
		return toConversation(rows[0]!);
	} catch (error) {
		throw isTakenKey(error, "conversations") ? conflict(error) : error;
	}
}

const SELECT: Statement = {
	name: "conversations_select",
	text: `SELECT ${CONVERSATION_COLUMNS} FROM conversations WHERE project_id = $1 AND conversation_id = ANY($2::text[])`,
};

/** The conversations of these ids, null where there is none (rules CONV-2, ISO-2). */
export async function getConversations(
	{ db, identity }: Scope,
	conversationIds: readonly string[],
): Promise<(Conversation | null)[]> {
	const rows = await db.read<ConversationRow>(SELECT, [identity.projectId, conversationIds]);
	const found = new Map(rows.map((row) => [row.conversation_id, toConversation(row)]));
	return conversationIds.map((id) => found.get(id) ?? null);
}

// The running sum keeps a page within a number of bytes, except that it has at least one row (rule VAL-7).
function list(name: string, condition: string): Statement {
	const text = `SELECT ${CONVERSATION_COLUMNS}, fetched FROM (
			SELECT *, count(*) OVER () AS fetched, row_number() OVER newest AS position,
				sum(octet_length(metadata::text)) OVER newest AS bytes_so_far
			FROM (
				SELECT conversation_id, metadata, parent_conversation_id, parent_message_id, created_at, updated_at
				FROM conversations
				WHERE project_id = $1
					AND (updated_at, conversation_id) < (coalesce($2::timestamptz, 'infinity'), coalesce($3, '')) ${condition}
				ORDER BY updated_at DESC, conversation_id DESC LIMIT $4::int + 1
			) AS candidates
			WINDOW newest AS (ORDER BY updated_at DESC, conversation_id DESC)
		) AS page
		WHERE position = 1 OR (position <= $4::int AND bytes_so_far <= $5::bigint)
		ORDER BY position`;
	return { name, text };
}

const LIST = list("conversations_list", "");
/** For a credential that reaches a few conversations only, and for those that a search found. */
const LIST_LIMITED = list("conversations_list_limited", "AND conversation_id = ANY($6::text[])");

const LIST_SCOPE = "conversations";

interface ConversationPageInput {
	first?: number | null | undefined;
	after?: string | null | undefined;
}

/** A page of the project's conversations, the latest updated first (rule CONV-3). */
export async function listConversations(scope: Scope, input: ConversationPageInput): Promise<Page<Conversation>> {
	return pageOfConversations(scope, input, LIST_SCOPE, scope.identity.conversationIds);
}

/** A page of some of the project's conversations, or of all. `list` tells its cursors from those of other lists. */
export async function pageOfConversations(
	{ db, identity, limits }: Omit<Scope, "db"> & { db: Pick<Queries, "read"> },
	input: ConversationPageInput,
	list: string,
	conversationIds: readonly string[] | null,
): Promise<Page<Conversation>> {
	const first = checkPageSize("first", input.first, limits);
	const [updatedAt = null, conversationId = null] =
		input.after == null ? [] : openCursor("after", identity.cursorKey, list, input.after);
	const values = [identity.projectId, updatedAt, conversationId, first, limits.pageBytes];
	const rows = await (conversationIds === null
		? db.read<ConversationRow & { fetched: string }>(LIST, values)
		: db.read<ConversationRow & { fetched: string }>(LIST_LIMITED, [...values, conversationIds]));
	return {
		items: rows.map(toConversation),
		hasNext: Number(rows[0]?.fetched ?? 0) > rows.length,
		cursorOf: (item) => sealCursor(identity.cursorKey, list, [item.updatedAt, item.conversationId]),
	};
}

const LOCK_WHOLE: Statement = {
	name: "conversation_lock_whole",
	text: `SELECT ${CONVERSATION_COLUMNS} FROM conversations WHERE project_id = $1 AND conversation_id = $2 FOR UPDATE`,
};

const SET_METADATA: Statement = {
	name: "conversation_set_metadata",
	returnsWritten: true,
	text: `WITH updated AS (
			UPDATE conversations SET metadata = $3::json, updated_at = greatest(updated_at, clock.now)
			FROM ${CLOCK} WHERE project_id = $1 AND conversation_id = $2 RETURNING conversations.*
		)
		SELECT ${CONVERSATION_COLUMNS} FROM updated`,
};

/** Merges a patch into the metadata under the row's lock; `{}` only checks that the conversation exists (rule CONV-4). */
export async function updateConversation(
	scope: Scope,
	input: { conversationId: string; metadata: JsonObject },
): Promise<Conversation> {
	const { db, identity, limits } = scope;
	const conversationId = checkId("input.conversationId", input.conversationId, limits.idBytes);
	const patch = checkObject("input.metadata", input.metadata);
	// What the patch adds must fit; the nulls, which remove keys, do not count.
	encodeMetadata(mergeMetadata({}, patch), limits);
	if (Object.keys(patch).length === 0) {
		const [conversation] = await getConversations(scope, [conversationId]);
		if (conversation == null) throw unknownConversation(conversationId);
		return conversation;
	}
	return db.transaction(async (transaction) => {
		const [stored] = await transaction.query<ConversationRow>(LOCK_WHOLE, [identity.projectId, conversationId]);
		if (stored === undefined) throw unknownConversation(conversationId);
		// Merged here and not in SQL, which cannot look into JSON that holds U+0000.
		const merged = encodeMetadata(mergeMetadata(stored.metadata, patch), limits);
		const values = [identity.projectId, conversationId, merged.text];
		const [row] = await transaction.query<ConversationRow>(SET_METADATA, values);
		return toConversation(row!);
	});
}

const DELETE: Statement = {
	name: "conversation_delete",
	conversation: 1,
	text: "DELETE FROM conversations WHERE project_id = $1 AND conversation_id = $2",
};

/** Deletes a conversation with everything in it; an unknown one is a success (rule CONV-5). */
export async function deleteConversation(
	{ db, identity, limits }: Scope,
	input: { conversationId: string },
): Promise<void> {
	const conversationId = checkId("input.conversationId", input.conversationId, limits.idBytes);
	await db.write(DELETE, [identity.projectId, conversationId]);
}

function encodeMetadata(metadata: JsonObject, limits: Limits): JsonText {
	return encodeJson("input.metadata", metadata, { depth: limits.jsonDepth, bytes: limits.metadataBytes });
}

/** The conversation that a transaction works on: its row is locked, so nobody else changes what is in it. */
export interface LockedConversation {
	transaction: Transaction;
	projectId: string;
	conversationId: string;
	activeBranch: number;
	lastBranch: number;
	lastSeq: bigint;
}

interface LockRow {
	active_branch: number;
	last_branch: number;
	last_seq: string;
}

const LOCK: Statement = {
	name: "conversation_lock",
	text: `SELECT active_branch, last_branch, last_seq FROM conversations
		WHERE project_id = $1 AND conversation_id = $2 FOR UPDATE`,
};

const CREATE_LOCKED: Statement = {
	name: "conversation_create_locked",
	text: `INSERT INTO conversations AS c (project_id, conversation_id, metadata, created_at, updated_at)
		SELECT $1, $2, '{}', now, now FROM ${CLOCK}
		ON CONFLICT (project_id, conversation_id) DO UPDATE SET last_seq = c.last_seq
		RETURNING active_branch, last_branch, last_seq`,
};

/** Locks a conversation, which every writer does before it decides; with `create`, one that is not there is made. */
export async function lockConversation(
	transaction: Transaction,
	projectId: string,
	conversationId: string,
	{ create = false } = {},
): Promise<LockedConversation | undefined> {
	const key = [projectId, conversationId];
	let [row] = await transaction.query<LockRow>(LOCK, key);
	if (row === undefined && create) [row] = await transaction.query<LockRow>(CREATE_LOCKED, key);
	if (row === undefined) return undefined;
	const { active_branch, last_branch, last_seq } = row;
	return {
		transaction,
		projectId,
		conversationId,
		activeBranch: active_branch,
		lastBranch: last_branch,
		lastSeq: BigInt(last_seq),
	};
}

/** The conversation of a row. */
export function toConversation(row: ConversationRow): Conversation {
	return {
		conversationId: row.conversation_id,
		metadata: row.metadata,
		parentConversationId: row.parent_conversation_id,
		parentMessageId: row.parent_message_id,
		createdAt: row.created_at,
		updatedAt: row.updated_at,
	};
}
