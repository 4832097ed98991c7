import { type Conversation, unknownConversation } from "../domain/conversations.ts";
import { checkId } from "../domain/ids.ts";
import type { JsonObject } from "../domain/json.ts";
import {
	CONVERSATION_COLUMNS,
	type ConversationRow,
	getConversations,
	lockConversation,
	toConversation,
} from "./conversations.ts";
import type { Statement, Transaction } from "./database.ts";
import { unknownMessage } from "./messages.ts";
import { newestOnPath, pathRows } from "./paths.ts";
import { conflict, isTakenKey } from "./postgres-errors.ts";
import type { Scope } from "./scope.ts";
import { CLOCK } from "./times.ts";

/** What a fork is taken of: the path to a message, or to the active leaf. */
interface ForkInput {
	conversationId: string;
	messageId?: string | null | undefined;
	newConversationId: string;
}

/**
 * Copies a path, up to a message and with it, into a new conversation. An id under which the same fork exists already
 * is a retry, and the fork is returned as it is now.
 */
export async function fork(scope: Scope, input: ForkInput): Promise<Conversation> {
	const { limits } = scope;
	const checked: ForkInput = {
		conversationId: checkId("input.conversationId", input.conversationId, limits.idBytes),
		messageId: input.messageId == null ? null : checkId("input.messageId", input.messageId, limits.idBytes),
		newConversationId: checkId("input.newConversationId", input.newConversationId, limits.idBytes),
	};
	const earlier = await findFork(scope, checked);
	if (earlier !== undefined) return earlier;
	try {
		return await scope.db.transaction((transaction) => copy(transaction, scope.identity.projectId, checked));
	} catch (error) {
		if (!isTakenKey(error, "conversations")) throw error;
		const raced = await findFork(scope, checked);
		if (raced === undefined) throw conflict(error);
		return raced;
	}
}

async function findFork(scope: Scope, input: ForkInput): Promise<Conversation | undefined> {
	const [found] = await getConversations(scope, [input.newConversationId]);
	const isSame =
		found?.parentConversationId === input.conversationId &&
		(input.messageId == null || found.parentMessageId === input.messageId);
	return isSame ? found : undefined;
}

const FIND_END: Statement = {
	name: "fork_find_end",
	text: `SELECT place.branch, place.seq, place.message_id FROM conversations c CROSS JOIN LATERAL (
			SELECT m.branch, m.seq, m.message_id FROM messages m
			WHERE m.project_id = $1 AND m.conversation_id = $2 AND m.message_id = $3
			UNION ALL
			SELECT leaf.* FROM (${newestOnPath("c.active_branch", "c.last_seq")}) AS leaf WHERE $3::text IS NULL
		) AS place
		WHERE c.project_id = $1 AND c.conversation_id = $2`,
};

const INSERT: Statement = {
	name: "fork_insert",
	text: `INSERT INTO conversations AS fork (project_id, conversation_id, metadata, config, parent_conversation_id,
			parent_message_id, created_at, updated_at)
		SELECT project_id, $3, metadata, config, conversation_id, $4, now, now
		FROM conversations, ${CLOCK}
		WHERE project_id = $1 AND conversation_id = $2
		RETURNING ${CONVERSATION_COLUMNS}`,
};

// A UUIDv7, as the SDK makes them, so that the ids of the copies are neighbours: the milliseconds in front, then a
// random UUID, whose version 4 becomes a 7.
const NEW_ID = `encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid()) PLACING substring(
	int8send(floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint) FROM 3) FROM 1 FOR 6), 52, 1), 53, 1), 'hex')::uuid::text`;

const COPY: Statement = {
	name: "fork_copy",
	conversation: 2,
	text: `WITH path AS MATERIALIZED (
			SELECT m.*, row_number() OVER (ORDER BY m.seq) AS new_seq FROM conversations c
			CROSS JOIN LATERAL (${pathRows({ tip: "$4::int", high: "$5::bigint", order: "asc" })}) AS m
			WHERE c.project_id = $1 AND c.conversation_id = $2
		), copied AS (
			INSERT INTO messages (project_id, message_id, conversation_id, branch, seq, kind, role, type, payload, metadata,
				bytes, label, source_message_id, first_kept_seq, created_at, updated_at)
			SELECT project_id, ${NEW_ID}, $3, 0, new_seq, kind, role, type, payload, metadata, bytes, label, message_id,
				CASE WHEN first_kept_seq IS NOT NULL THEN (
					SELECT min(kept.new_seq) FROM path kept WHERE kept.seq >= path.first_kept_seq
				) END, created_at, updated_at
			FROM path
			RETURNING seq
		)
		UPDATE conversations SET last_seq = (SELECT count(*) FROM copied) WHERE project_id = $1 AND conversation_id = $3`,
};

const SELECT_COMPACTIONS: Statement = {
	name: "fork_select_compactions",
	text: `SELECT compaction.message_id, compaction.payload, kept.message_id AS kept_id
		FROM messages compaction JOIN messages kept ON kept.project_id = compaction.project_id
			AND kept.conversation_id = compaction.conversation_id AND kept.branch = compaction.branch
			AND kept.seq = compaction.first_kept_seq
		WHERE compaction.project_id = $1 AND compaction.conversation_id = $2 AND compaction.kind = 'compaction'`,
};

const SET_PAYLOADS: Statement = {
	name: "fork_set_payloads",
	replan: true,
	text: `UPDATE messages m SET payload = input.payload::json,
			bytes = octet_length(input.payload) + octet_length(m.metadata::text)
		FROM unnest($2::text[], $3::text[]) AS input (message_id, payload)
		WHERE m.project_id = $1 AND m.message_id = input.message_id`,
};

async function copy(transaction: Transaction, projectId: string, input: ForkInput): Promise<Conversation> {
	const { conversationId, newConversationId, messageId = null } = input;
	const locked = await lockConversation(transaction, projectId, conversationId);
	if (locked === undefined) throw unknownConversation(conversationId);
	const [end] = await transaction.query<{ branch: number; seq: string; message_id: string }>(FIND_END, [
		projectId,
		conversationId,
		messageId,
	]);
	if (end === undefined && messageId !== null) throw unknownMessage(messageId);
	const values = [projectId, conversationId, newConversationId];
	const [row] = await transaction.query<ConversationRow>(INSERT, [...values, end?.message_id ?? null]);
	if (end !== undefined) {
		await transaction.query(COPY, [...values, end.branch, end.seq]);
		await renameKept(transaction, projectId, newConversationId);
	}
	return toConversation(row!);
}

/** Makes the copies of compactions name the copies of what they keep. */
async function renameKept(transaction: Transaction, projectId: string, conversationId: string): Promise<void> {
	const rows = await transaction.query<{ message_id: string; payload: JsonObject; kept_id: string }>(
		SELECT_COMPACTIONS,
		[projectId, conversationId],
	);
	if (rows.length === 0) return;
	// Here and not in SQL, which cannot look into JSON that holds U+0000.
	const payloads = rows.map(({ payload, kept_id }) => JSON.stringify({ ...payload, firstKeptMessageId: kept_id }));
	await transaction.query(SET_PAYLOADS, [projectId, rows.map((row) => row.message_id), payloads]);
}
