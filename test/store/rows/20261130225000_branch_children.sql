-- A row of what the new index finds: a branch without messages, that left another one at a message that is gone.
INSERT INTO branches (project_id, conversation_id, branch, parent_branch, fork_seq, created_at) VALUES
	('00000000-0000-4000-8000-000000000001', 'tree', 2, 1, 4, '2026-01-02T03:04:08Z');
UPDATE conversations SET last_seq = 4, last_branch = 2 WHERE project_id = '00000000-0000-4000-8000-000000000001' AND conversation_id = 'tree';
