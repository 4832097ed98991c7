-- Rows of what the new indexes find: a fork, and a transcript.
INSERT INTO conversations (project_id, conversation_id, metadata, parent_conversation_id, parent_message_id, created_at, updated_at) VALUES
	('00000000-0000-4000-8000-000000000001', 'fork', '{}', 'plain', 'plain-1', '2026-01-02T03:04:08Z', '2026-01-02T03:04:08Z');
INSERT INTO transcripts (project_id, project_key, session_id, last_seq, mtime) VALUES
	('00000000-0000-4000-8000-000000000001', '-home-app', 'plain', 1, 1767323048000);
INSERT INTO transcript_entries (project_id, project_key, session_id, subpath, seq, uuid, batch_id, batch_index, entry) VALUES
	('00000000-0000-4000-8000-000000000001', '-home-app', 'plain', '', 1, 'u1', 'b1', 0, '{"type":"user","uuid":"u1"}');
