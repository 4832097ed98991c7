import pg from "pg";
import type { TestGateway } from "./gateway.ts";

/** Rows of the tables besides conversations and messages, for each that these have. */
const OTHERS = 20;

/**
 * Fills a gateway's project: a conversation "long" of so many messages, so many others, "c 1" being the newest, with a
 * message each, and fewer rows of everything else. In "branched", a few hundred branches leave a long path.
 */
export async function grow(gateway: TestGateway, rows: number): Promise<void> {
	const project = `${pg.escapeLiteral(gateway.projectId)}::uuid`;
	const few = Math.ceil(rows / OTHERS);
	const branches = Math.min(few, 300);
	const message =
		"(project_id, message_id, conversation_id, branch, seq, role, payload, metadata, bytes, created_at, updated_at)";
	const content = `'user', '{"text":"Some words of a turn, as short as most of them are."}'::json, '{}'::json, 64, now(), now()`;
	const conversation =
		"(project_id, conversation_id, metadata, last_seq, last_branch, active_branch, created_at, updated_at)";
	const client = new pg.Client(gateway.databaseUrl);
	await client.connect();
	client.on("error", () => {});
	// What is inserted here fits together; checking each row's foreign keys would take most of the time.
	await client.query("SET session_replication_role = replica");
	for (const text of [
		`INSERT INTO conversations ${conversation}
		SELECT ${project}, 'c ' || n, '{"title":"One of many"}'::json, 1, 0, 0, now(), now() - n * interval '1 second' FROM generate_series(1, ${rows}) AS n
		UNION ALL SELECT ${project}, 'long', '{}'::json, ${rows}, 0, 0, now(), now() - interval '1 year'
		UNION ALL SELECT ${project}, 'branched', '{}'::json, ${3 * few}, ${branches}, ${branches}, now(), now() - interval '1 year'`,
		`INSERT INTO messages ${message} SELECT ${project}, 'long ' || n, 'long', 0, n, ${content} FROM generate_series(1, ${rows}) AS n`,
		`INSERT INTO messages ${message} SELECT ${project}, 'm ' || n, 'c ' || n, 0, 1, ${content} FROM generate_series(1, ${rows}) AS n`,
		`INSERT INTO messages ${message} SELECT ${project}, 'branched ' || n, 'branched', greatest(0, least(${branches}, n - 2 * ${few})), n, ${content}
		FROM generate_series(1, ${3 * few}) AS n`,
		`INSERT INTO branches SELECT ${project}, 'branched', n, 0, ${few} + n, now() FROM generate_series(1, ${branches}) AS n`,
		`INSERT INTO branches SELECT ${project}, 'c ' || n, 1, 0, 0, now() FROM generate_series(${rows - few}, ${rows}) AS n`,
		`INSERT INTO projects SELECT gen_random_uuid(), 'other ' || n, '' FROM generate_series(1, 1000) AS n`,
		`INSERT INTO api_tokens (project_id, token_hash, name, role) SELECT project_id, sha256(n::text::bytea), 'token', 'read' FROM projects, generate_series(1, 20) AS n WHERE name LIKE 'other %'`,
		`INSERT INTO signing_keys (project_id, secret) SELECT project_id, '' FROM projects WHERE name LIKE 'other %'`,
		`INSERT INTO revoked_browser_tokens SELECT project_id, gen_random_uuid(), now() FROM projects WHERE name LIKE 'other %'`,
		`INSERT INTO transcript_clocks SELECT project_id, 'key', 1 FROM projects WHERE name LIKE 'other %'`,
		`INSERT INTO transcripts (project_id, project_key, session_id) SELECT project_id, 'key', 's 1' FROM projects WHERE name LIKE 'other %'`,
		`INSERT INTO history_operations (project_id, conversation_id, operation_id, digest) SELECT ${project}, 'long', n, '' FROM generate_series(1, ${few}) AS n`,
		`INSERT INTO history_operations (project_id, conversation_id, operation_id, digest) SELECT ${project}, 'c ' || n, n, '' FROM generate_series(${rows - 4 * few}, ${rows}) AS n`,
		`INSERT INTO states (project_id, key, state, revision, last_seq, created_at, updated_at)
		SELECT ${project}, 's ' || n, '{}', 1, ${few}, now(), now() - n * interval '1 second' FROM generate_series(1, ${few}) AS n`,
		`INSERT INTO state_checkpoints (project_id, key, seq, state, version, bytes, operation_id, created_at)
		SELECT ${project}, 's 1', n, '{}', 0, 2, n, now() FROM generate_series(1, ${few}) AS n`,
		`INSERT INTO state_checkpoints (project_id, key, seq, state, version, bytes, operation_id, created_at)
		SELECT ${project}, 's ' || n, copy, '{}', 0, 2, copy, now() FROM generate_series(2, ${few}) AS n, generate_series(1, 4) AS copy`,
		`INSERT INTO checkpoints (project_id, thread_id, checkpoint_ns, checkpoint_id, format, type, encoding, data,
			metadata_type, metadata_encoding, metadata, metadata_json, metadata_terms, channels, versions)
		SELECT ${project}, CASE WHEN n % 2 = 0 THEN 'long' ELSE 't ' || n END, '', to_char(n, 'FM0000000'), 4, 'json', 'identity', '{}', 'json',
			'identity', '{}', '{}', '{}', '{messages}', ARRAY[n::text] FROM generate_series(1, ${few}) AS n`,
		`INSERT INTO checkpoint_blobs SELECT ${project}, thread_id, '', 'messages', versions[1], 'json', 'identity', '[]' FROM checkpoints WHERE project_id = ${project}`,
		`INSERT INTO checkpoint_pieces SELECT ${project}, 't ' || n, copy, '' FROM generate_series(1, ${few}) AS n, generate_series(1, 4) AS copy`,
		`INSERT INTO checkpoint_writes SELECT ${project}, thread_id, '', checkpoint_id, 'task', 0, '', 'messages', 'json', 'identity', '1'
		FROM checkpoints WHERE project_id = ${project}`,
		`INSERT INTO transcripts (project_id, project_key, session_id, last_seq, mtime)
		SELECT ${project}, 'key', 's ' || n, ${few}, n FROM generate_series(1, ${few}) AS n`,
		`INSERT INTO transcript_entries SELECT ${project}, 'key', 's 1', '', n, n, 'batch', n, '{}' FROM generate_series(1, ${few}) AS n`,
		`INSERT INTO transcript_entries SELECT ${project}, 'key', 's 2', 'part ' || n, n, n, 'batch', n, '{}' FROM generate_series(1, ${few}) AS n`,
		`INSERT INTO transcript_entries SELECT ${project}, 'key', 's ' || n, '', copy, copy, 'batch', copy, '{}'
		FROM generate_series(3, ${few}) AS n, generate_series(1, 4) AS copy`,
	]) {
		await client.query(text);
	}
	await client.query("VACUUM ANALYZE");
	await client.end();
}
