-- A value large enough to be compressed, in a row of a table whose settings changed.
INSERT INTO conversations (project_id, conversation_id, metadata, last_seq, created_at, updated_at) VALUES
	('00000000-0000-4000-8000-000000000001', 'large', '{}', 1, '2026-01-02T03:04:05Z', '2026-01-02T03:04:05Z');
INSERT INTO messages (project_id, message_id, conversation_id, branch, seq, payload, metadata, bytes, created_at, updated_at)
	SELECT '00000000-0000-4000-8000-000000000001', 'large-1', 'large', 0, 1, payload::json, '{}', octet_length(payload) + 2,
		'2026-01-02T03:04:05Z', '2026-01-02T03:04:05Z'
	FROM (SELECT '"' || repeat('a text ', 5000) || '"' AS payload) AS value;
