-- Rows as the gateway of the first migration wrote them, with values that later changes of types could lose.
-- The token is "ags_" and the base64url of the project's id and 32 bytes 01.
INSERT INTO projects (project_id, name, cursor_key) VALUES
	('00000000-0000-4000-8000-000000000001', 'upgraded', decode(repeat('02', 32), 'hex'));
INSERT INTO signing_keys (project_id, secret) VALUES
	('00000000-0000-4000-8000-000000000001', decode(repeat('03', 32), 'hex'));
INSERT INTO api_tokens (project_id, token_hash, name, role)
	SELECT '00000000-0000-4000-8000-000000000001',
		sha256(convert_to('ags_' || replace(replace(translate(encode(
			decode('00000000000040008000000000000001' || repeat('01', 32), 'hex'), 'base64'), E'\n', ''), '+', '-'), '/', '_'), 'UTF8')),
		'old', 'write';
INSERT INTO conversations (project_id, conversation_id, metadata, last_seq, last_branch, active_branch, created_at, updated_at) VALUES
	('00000000-0000-4000-8000-000000000001', 'plain', '{"title":"第一","b":1,"a":{"__proto__":[1e21]}}', 3, 0, 0,
		'2026-01-02T03:04:05.678Z', '2026-01-02T03:04:06.789Z'),
	('00000000-0000-4000-8000-000000000001', 'tree', '{}', 3, 1, 1, '2026-01-02T03:04:05Z', '2026-01-02T03:04:07Z');
INSERT INTO messages (project_id, message_id, conversation_id, branch, seq, role, type, payload, metadata, bytes, created_at, updated_at) VALUES
	('00000000-0000-4000-8000-000000000001', 'plain-1', 'plain', 0, 1, 'user', NULL, '{"text":"\u0000 \ud800","b":1,"a":2}',
		'{"\u0000":5e-324}', 52, '2026-01-02T03:04:05.678Z', '2026-01-02T03:04:05.678Z'),
	('00000000-0000-4000-8000-000000000001', 'plain-3', 'plain', 0, 3, NULL, 'tool', 'null', '{}', 6,
		'2026-01-02T03:04:06.789Z', '2026-01-02T03:04:06.789Z'),
	('00000000-0000-4000-8000-000000000001', 'tree-1', 'tree', 0, 1, 'user', NULL, '"root"', '{}', 8,
		'2026-01-02T03:04:05Z', '2026-01-02T03:04:05Z'),
	('00000000-0000-4000-8000-000000000001', 'tree-2', 'tree', 0, 2, 'assistant', NULL, '"left"', '{}', 8,
		'2026-01-02T03:04:06Z', '2026-01-02T03:04:06Z'),
	('00000000-0000-4000-8000-000000000001', 'tree-3', 'tree', 1, 3, 'assistant', NULL, '"right"', '{}', 9,
		'2026-01-02T03:04:07Z', '2026-01-02T03:04:07Z');
INSERT INTO branches (project_id, conversation_id, branch, parent_branch, fork_seq, created_at) VALUES
	('00000000-0000-4000-8000-000000000001', 'tree', 1, 0, 1, '2026-01-02T03:04:07Z');
