import { randomUUID } from "node:crypto";
import type pg from "pg";
import type { Draft } from "./call.ts";

const PAYLOAD_BYTES = 300;

/** A message of 300 bytes. */
export const PAYLOAD = { text: "x".repeat(PAYLOAD_BYTES - JSON.stringify({ text: "" }).length) };

/** A message that nobody has appended yet. */
export function newDraft(): Draft {
	return { messageId: randomUUID(), role: "user", payload: PAYLOAD };
}

/** Fills a project with conversations of as many messages each, by SQL; returns the ids. */
export async function fillConversations(
	sql: pg.Client,
	projectId: string,
	{ name, conversations, messages }: { name: string; conversations: number; messages: number },
): Promise<string[]> {
	await sql.query(
		`INSERT INTO conversations (project_id, conversation_id, metadata, last_seq, created_at, updated_at)
		SELECT $1, $2 || '-' || number, '{"title":"a conversation"}', $4, now, now
		FROM generate_series(1, $3) AS number,
			LATERAL (SELECT timestamptz '2026-01-01' + number * interval '1 second' AS now) AS clock`,
		[projectId, name, conversations, messages],
	);
	await sql.query(
		`INSERT INTO messages (project_id, message_id, conversation_id, seq, role, payload, metadata, bytes, created_at, updated_at)
		SELECT $1, $2 || '-' || number || '-' || seq, $2 || '-' || number, seq, 'user', $5::text::json, '{}', $6, now(), now()
		FROM generate_series(1, $3) AS number, generate_series(1, $4) AS seq`,
		[projectId, name, conversations, messages, JSON.stringify(PAYLOAD), PAYLOAD_BYTES + 2],
	);
	await sql.query("VACUUM ANALYZE conversations, messages");
	return Array.from({ length: conversations }, (_, index) => `${name}-${index + 1}`);
}
