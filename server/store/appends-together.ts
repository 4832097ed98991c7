import { areReplays, type Message, type MessageDraft } from "../domain/messages.ts";
import type { Statement } from "./database.ts";
import type { Group } from "./group-commit.ts";
import { type MessageRow, messageColumns, ofIds, toMessage } from "./messages.ts";
import { CLOCK } from "./times.ts";

/** One message for the end of a conversation. */
export interface SingleAppend {
	conversationId: string;
	draft: MessageDraft;
}

/** Bytes of a message at most that is appended together with others. */
export const LARGEST_TOGETHER = 16 * 1024;

/** What others have locked is waited for no longer than that; then each is appended alone, and waits for its own. */
const LOCK_MS = "100";

// Conversations that exist are locked in the order of their ids, so that two groups cannot wait for each other. Whatever
// is left out comes back without a row. Messages of one conversation get their seqs in the order in which they came.
const APPEND_TOGETHER: Statement = {
	name: "messages_append_together",
	returnsWritten: "is_new",
	conversation: "conversation_id",
	text: `WITH input AS (
			SELECT * FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::int[], $9::text[], $10::bigint[])
				WITH ORDINALITY AS input (conversation_id, message_id, role, type, payload, metadata, bytes, kind, first_kept_seq, ord)
		), old AS (
			SELECT ${messageColumns("m")}, false AS is_new FROM messages m WHERE ${ofIds("$3")}
		), patience AS MATERIALIZED (
			SELECT set_config('lock_timeout', $11, true) AS ms
		), locked AS (
			SELECT c.conversation_id FROM patience
			CROSS JOIN (SELECT DISTINCT conversation_id FROM input ORDER BY conversation_id) AS named
			CROSS JOIN LATERAL (
				SELECT conversation_id FROM conversations
				WHERE project_id = $1 AND conversation_id = named.conversation_id AND patience.ms <> ''
				OFFSET 0 FOR NO KEY UPDATE
			) AS c
		), wanted AS (
			SELECT input.*, row_number() OVER (PARTITION BY conversation_id ORDER BY ord) AS place
			FROM input JOIN locked USING (conversation_id)
			WHERE NOT EXISTS (SELECT FROM old WHERE old.message_id = input.message_id)
		), conversation AS (
			UPDATE conversations AS c SET last_seq = c.last_seq + counted.messages, updated_at = greatest(c.updated_at, now)
			FROM (SELECT conversation_id, count(*) AS messages FROM wanted GROUP BY conversation_id) AS counted, ${CLOCK}
			WHERE c.project_id = $1 AND c.conversation_id = ANY($2::text[]) AND c.conversation_id = counted.conversation_id
			RETURNING c.conversation_id, c.active_branch, c.last_seq - counted.messages AS seq_before, c.updated_at
		), new AS (
			INSERT INTO messages AS m (project_id, message_id, conversation_id, branch, seq, kind, role, type, payload,
				metadata, bytes, first_kept_seq, created_at, updated_at)
			SELECT $1, wanted.message_id, conversation_id, conversation.active_branch, conversation.seq_before + wanted.place,
				wanted.kind, wanted.role, wanted.type, wanted.payload::json, wanted.metadata::json, wanted.bytes,
				wanted.first_kept_seq, conversation.updated_at, conversation.updated_at
			FROM wanted JOIN conversation USING (conversation_id) ORDER BY wanted.message_id
			RETURNING ${messageColumns("m")}, true AS is_new
		)
		SELECT * FROM old UNION ALL SELECT * FROM new`,
};

/** What appends take of the drafts, as $3 to $10. */
export const APPENDED = ["messageId", "role", "type", "payload", "metadata", "bytes", "kind", "firstKeptSeq"] as const;

/** Appends of one project by one statement, each as good as alone: stored, or repeated (rules MSG-1…3), or left out. */
export const APPENDS: Group<SingleAppend, Message[]> = {
	run: async (db, projectId, appends) => {
		// Of one id that is appended twice, the first comes first, and the second repeats it or is a Conflict.
		const byId = new Map([...appends].reverse().map((append) => [append.draft.messageId, append]));
		const firsts = appends.filter((append) => byId.get(append.draft.messageId) === append);
		const conversationIds = firsts.map(({ conversationId }) => conversationId);
		const columns = APPENDED.map((key) => firsts.map(({ draft }) => draft[key]));
		const rows = await db.write<MessageRow & { is_new: boolean }>(APPEND_TOGETHER, [
			projectId,
			conversationIds,
			...columns,
			LOCK_MS,
		]);
		const found = new Map(rows.map((row) => [row.message_id, row]));
		return appends.map((append) => {
			const { draft, conversationId } = append;
			const row = byId.get(draft.messageId) === append ? found.get(draft.messageId) : undefined;
			if (row === undefined) return undefined;
			const message = toMessage(row);
			return row.is_new || areReplays([draft], conversationId, [message]) ? [message] : undefined;
		});
	},
};
