-- Up to the migration 20261130000000_init; made by print-statements.ts

-- agent_state_find
SELECT c.conversation_id AS key, c.agent_version AS version, c.agent_revision AS revision,
	to_char(c.updated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS updated_at, c.agent_operation_id AS operation_id
FROM conversations c WHERE c.project_id = $1 AND c.conversation_id = $2;

-- agent_state_save
UPDATE conversations AS c SET agent_state = $3::text::json, agent_version = $4, agent_operation_id = $5,
	agent_revision = agent_revision + 1, updated_at = greatest(updated_at, clock_timestamp())
WHERE c.project_id = $1 AND c.conversation_id = $2 RETURNING c.conversation_id AS key, c.agent_version AS version, c.agent_revision AS revision,
	to_char(c.updated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS updated_at;

-- agent_state_select
SELECT c.agent_state AS state, c.conversation_id AS key, c.agent_version AS version, c.agent_revision AS revision,
	to_char(c.updated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS updated_at, c.active_branch AS branch, c.last_seq AS bound
FROM conversations c WHERE c.project_id = $1 AND c.conversation_id = $2;

-- agent_states_list
SELECT c.conversation_id AS key, c.agent_version AS version, c.agent_revision AS revision,
	to_char(c.updated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS updated_at FROM conversations c
WHERE c.project_id = $1
	AND (c.updated_at, c.conversation_id) < (coalesce($2::timestamptz, 'infinity'), coalesce($3, ''))
ORDER BY c.updated_at DESC, c.conversation_id DESC LIMIT $4::int + 1;

-- branch_activate
UPDATE conversations SET active_branch = $3, last_branch = greatest(last_branch, $3),
	updated_at = greatest(updated_at, clock_timestamp())
WHERE project_id = $1 AND conversation_id = $2;

-- branch_find_ending
SELECT ending.branch FROM conversations c CROSS JOIN LATERAL (
	SELECT 1 AS choice, c.active_branch AS branch WHERE $4::bigint = coalesce(
		(SELECT leaf.seq FROM (WITH RECURSIVE up (branch, high, seq) AS (
	SELECT c.active_branch, c.last_seq, (SELECT m.seq FROM messages m WHERE m.project_id = $1 AND m.conversation_id = c.conversation_id AND m.branch = c.active_branch AND m.seq <= c.last_seq
	AND true ORDER BY m.seq DESC LIMIT 1)
	UNION ALL
	SELECT parent.parent_branch, least(parent.fork_seq, up.high),
		(SELECT m.seq FROM messages m WHERE m.project_id = $1 AND m.conversation_id = c.conversation_id AND m.branch = parent.parent_branch AND m.seq <= least(parent.fork_seq, up.high)
	AND true ORDER BY m.seq DESC LIMIT 1)
	FROM up CROSS JOIN LATERAL (
	SELECT b.parent_branch, b.fork_seq FROM branches b WHERE b.project_id = $1 AND b.conversation_id = c.conversation_id AND b.branch = up.branch LIMIT 1
) AS parent WHERE up.branch > 0 AND up.seq IS NULL
)
SELECT up.branch, up.seq, m.message_id FROM up
JOIN messages m ON m.project_id = $1 AND m.conversation_id = c.conversation_id AND m.branch = up.branch AND m.seq = up.seq) AS leaf), 0)
	UNION ALL
	SELECT 2, $3::int WHERE $4::bigint = coalesce(
		(SELECT m.seq FROM messages m WHERE m.project_id = $1 AND m.conversation_id = c.conversation_id AND m.branch = $3 ORDER BY m.seq DESC LIMIT 1), 0)
	UNION ALL
	SELECT 3, b.branch FROM branches b
	WHERE b.project_id = $1 AND b.conversation_id = c.conversation_id AND b.parent_branch = $3 AND b.fork_seq = $4
		AND (SELECT m.seq FROM messages m WHERE m.project_id = $1 AND m.conversation_id = c.conversation_id AND m.branch = b.branch LIMIT 1) IS NULL
) AS ending
WHERE c.project_id = $1 AND c.conversation_id = $2 ORDER BY ending.choice, ending.branch LIMIT 1;

-- branch_find_shared
SELECT before.branch, before.seq, EXISTS (
		SELECT FROM branches b WHERE b.project_id = $1 AND b.conversation_id = c.conversation_id AND b.parent_branch = c.active_branch
	) AS has_children
FROM conversations c
JOIN LATERAL (WITH RECURSIVE up (branch, high, seq) AS (
	SELECT c.active_branch, c.last_seq, (SELECT m.seq FROM messages m WHERE m.project_id = $1 AND m.conversation_id = c.conversation_id AND m.branch = c.active_branch AND m.seq <= c.last_seq
	AND m.kind = 'message' ORDER BY m.seq DESC LIMIT 1)
	UNION ALL
	SELECT parent.parent_branch, least(parent.fork_seq, up.high),
		(SELECT m.seq FROM messages m WHERE m.project_id = $1 AND m.conversation_id = c.conversation_id AND m.branch = parent.parent_branch AND m.seq <= least(parent.fork_seq, up.high)
	AND m.kind = 'message' ORDER BY m.seq DESC LIMIT 1)
	FROM up CROSS JOIN LATERAL (
	SELECT b.parent_branch, b.fork_seq FROM branches b WHERE b.project_id = $1 AND b.conversation_id = c.conversation_id AND b.branch = up.branch LIMIT 1
) AS parent WHERE up.branch > 0 AND up.seq IS NULL
)
SELECT up.branch, up.seq, m.message_id FROM up
JOIN messages m ON m.project_id = $1 AND m.conversation_id = c.conversation_id AND m.branch = up.branch AND m.seq = up.seq) AS newest
	ON newest.seq >= $3::bigint
LEFT JOIN LATERAL (WITH RECURSIVE up (branch, high, seq) AS (
	SELECT c.active_branch, $3::bigint - 1, (SELECT m.seq FROM messages m WHERE m.project_id = $1 AND m.conversation_id = c.conversation_id AND m.branch = c.active_branch AND m.seq <= $3::bigint - 1
	AND true ORDER BY m.seq DESC LIMIT 1)
	UNION ALL
	SELECT parent.parent_branch, least(parent.fork_seq, up.high),
		(SELECT m.seq FROM messages m WHERE m.project_id = $1 AND m.conversation_id = c.conversation_id AND m.branch = parent.parent_branch AND m.seq <= least(parent.fork_seq, up.high)
	AND true ORDER BY m.seq DESC LIMIT 1)
	FROM up CROSS JOIN LATERAL (
	SELECT b.parent_branch, b.fork_seq FROM branches b WHERE b.project_id = $1 AND b.conversation_id = c.conversation_id AND b.branch = up.branch LIMIT 1
) AS parent WHERE up.branch > 0 AND up.seq IS NULL
)
SELECT up.branch, up.seq, m.message_id FROM up
JOIN messages m ON m.project_id = $1 AND m.conversation_id = c.conversation_id AND m.branch = up.branch AND m.seq = up.seq) AS before ON true
WHERE c.project_id = $1 AND c.conversation_id = $2;

-- branch_insert
INSERT INTO branches (project_id, conversation_id, branch, parent_branch, fork_seq, created_at)
VALUES ($1, $2, $3, $4, $5, clock_timestamp());

-- branch_move
WITH moved AS (
	UPDATE branches SET parent_branch = $4, fork_seq = $5
	WHERE project_id = $1 AND conversation_id = $2 AND branch = $3
)
UPDATE conversations SET updated_at = greatest(updated_at, clock_timestamp())
WHERE project_id = $1 AND conversation_id = $2;

-- branch_place
SELECT m.branch, m.seq FROM messages m
WHERE m.project_id = $1 AND m.conversation_id = $2 AND m.message_id = $3;

-- branch_remove_own
WITH gone AS (
	DELETE FROM messages m WHERE m.project_id = $1 AND m.conversation_id = $2 AND m.branch = $3
		AND m.kind = 'message' AND m.seq >= $4::bigint AND m.seq > (
			SELECT coalesce(max(fork_seq), 0) FROM branches
			WHERE project_id = $1 AND conversation_id = $2 AND parent_branch = $3
		) RETURNING m.message_id
)
UPDATE conversations SET updated_at = greatest(updated_at, clock_timestamp())
WHERE project_id = $1 AND conversation_id = $2 AND EXISTS (SELECT FROM gone);

-- branches_list
SELECT wanted.ord, branch.branch, branch.parent_branch, branch.fork_seq, leaf.message_id AS leaf_message_id,
	branch.branch = c.active_branch AS active, to_char(branch.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS created_at
FROM unnest($2::text[]) WITH ORDINALITY AS wanted (conversation_id, ord)
JOIN conversations c ON c.project_id = $1 AND c.conversation_id = wanted.conversation_id
CROSS JOIN LATERAL (
	SELECT 0 AS branch, NULL::int AS parent_branch, 0::bigint AS fork_seq, c.created_at
	UNION ALL
	SELECT b.branch, b.parent_branch, b.fork_seq, b.created_at FROM branches b WHERE b.project_id = $1 AND b.conversation_id = c.conversation_id
) AS branch
LEFT JOIN LATERAL (WITH RECURSIVE up (branch, high, seq) AS (
	SELECT branch.branch, c.last_seq, (SELECT m.seq FROM messages m WHERE m.project_id = $1 AND m.conversation_id = c.conversation_id AND m.branch = branch.branch AND m.seq <= c.last_seq
	AND true ORDER BY m.seq DESC LIMIT 1)
	UNION ALL
	SELECT parent.parent_branch, least(parent.fork_seq, up.high),
		(SELECT m.seq FROM messages m WHERE m.project_id = $1 AND m.conversation_id = c.conversation_id AND m.branch = parent.parent_branch AND m.seq <= least(parent.fork_seq, up.high)
	AND true ORDER BY m.seq DESC LIMIT 1)
	FROM up CROSS JOIN LATERAL (
	SELECT b.parent_branch, b.fork_seq FROM branches b WHERE b.project_id = $1 AND b.conversation_id = c.conversation_id AND b.branch = up.branch LIMIT 1
) AS parent WHERE up.branch > 0 AND up.seq IS NULL
)
SELECT up.branch, up.seq, m.message_id FROM up
JOIN messages m ON m.project_id = $1 AND m.conversation_id = c.conversation_id AND m.branch = up.branch AND m.seq = up.seq) AS leaf ON true
WHERE $3::int IS NULL OR branch.branch = $3
ORDER BY wanted.ord, branch.branch;

-- browser_token_check
SELECT k.secret, p.name, to_char(p.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS created_at, p.cursor_key,
	floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now
FROM signing_keys k JOIN projects p ON p.project_id = k.project_id
WHERE k.project_id = $1 AND k.key_id = $2
	AND NOT EXISTS (SELECT FROM revoked_browser_tokens r WHERE r.project_id = $1 AND r.token_id = $3)
	AND EXISTS (SELECT FROM api_tokens t WHERE t.project_id = $1 AND t.token_id = $4
		AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > now()));

-- browser_token_revoke
WITH forgotten AS (
	DELETE FROM revoked_browser_tokens WHERE project_id = $1 AND expires_at < now()
)
INSERT INTO revoked_browser_tokens (project_id, token_id, expires_at)
VALUES ($1, $2, now() + make_interval(secs => $3)) ON CONFLICT DO NOTHING;

-- checkpoint_delete_thread
WITH writes AS (
	DELETE FROM checkpoint_writes WHERE project_id = $1 AND thread_id = $2
), blobs AS (
	DELETE FROM checkpoint_blobs WHERE project_id = $1 AND thread_id = $2
)
DELETE FROM checkpoints WHERE project_id = $1 AND thread_id = $2;

-- checkpoint_get
WITH page AS (SELECT *, 1::bigint AS position, 1::bigint AS fetched FROM checkpoints
WHERE project_id = $1 AND thread_id = $2 AND checkpoint_ns = $3 AND checkpoint_id = $4), parts AS (SELECT page.position, 'checkpoint' AS part, NULL::text AS channel, NULL::text AS task_path, NULL::text AS task_id, NULL::int AS idx, page.type, page.encoding, page.data FROM page UNION ALL SELECT page.position, 'metadata', NULL::text AS channel, NULL::text AS task_path, NULL::text AS task_id, NULL::int AS idx, page.metadata_type, page.metadata_encoding, page.metadata FROM page UNION ALL SELECT page.position, 'value', v.channel, NULL, NULL, NULL, b.type, b.encoding, b.data
FROM page CROSS JOIN LATERAL unnest(page.channels, page.versions) AS v (channel, version)
JOIN checkpoint_blobs b ON b.project_id = page.project_id AND b.thread_id = page.thread_id
	AND b.checkpoint_ns = page.checkpoint_ns AND b.channel = v.channel AND b.version = v.version
WHERE b.data IS NOT NULL UNION ALL SELECT page.position, 'write', w.channel, w.task_path, w.task_id, w.idx, w.type, w.encoding, w.data
FROM page JOIN checkpoint_writes w ON w.project_id = page.project_id AND w.thread_id = page.thread_id
	AND w.checkpoint_ns = page.checkpoint_ns AND w.checkpoint_id = page.checkpoint_id UNION ALL SELECT page.position, 'send', w.channel, w.task_path, w.task_id, w.idx, w.type, w.encoding, w.data
FROM page JOIN checkpoint_writes w ON w.project_id = page.project_id AND w.thread_id = page.thread_id
	AND w.checkpoint_ns = page.checkpoint_ns AND w.checkpoint_id = page.parent_checkpoint_id
WHERE page.format < 4 AND w.channel = '__pregel_tasks')
SELECT parts.position, parts.part, parts.channel, parts.task_id, parts.type, parts.encoding, parts.data,
	page.thread_id, page.checkpoint_ns, page.checkpoint_id, page.parent_checkpoint_id, page.metadata_json,
	page.fetched, to_char(page.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS created_at
FROM parts LEFT JOIN page ON page.position = parts.position AND parts.part = 'checkpoint'
ORDER BY parts.position, parts.part, parts.task_path COLLATE "C", parts.task_id COLLATE "C", parts.idx;

-- checkpoint_get_latest
WITH page AS (SELECT *, 1::bigint AS position, 1::bigint AS fetched FROM checkpoints
WHERE project_id = $1 AND thread_id = $2 AND checkpoint_ns = $3 ORDER BY checkpoint_id DESC LIMIT 1), parts AS (SELECT page.position, 'checkpoint' AS part, NULL::text AS channel, NULL::text AS task_path, NULL::text AS task_id, NULL::int AS idx, page.type, page.encoding, page.data FROM page UNION ALL SELECT page.position, 'metadata', NULL::text AS channel, NULL::text AS task_path, NULL::text AS task_id, NULL::int AS idx, page.metadata_type, page.metadata_encoding, page.metadata FROM page UNION ALL SELECT page.position, 'value', v.channel, NULL, NULL, NULL, b.type, b.encoding, b.data
FROM page CROSS JOIN LATERAL unnest(page.channels, page.versions) AS v (channel, version)
JOIN checkpoint_blobs b ON b.project_id = page.project_id AND b.thread_id = page.thread_id
	AND b.checkpoint_ns = page.checkpoint_ns AND b.channel = v.channel AND b.version = v.version
WHERE b.data IS NOT NULL UNION ALL SELECT page.position, 'write', w.channel, w.task_path, w.task_id, w.idx, w.type, w.encoding, w.data
FROM page JOIN checkpoint_writes w ON w.project_id = page.project_id AND w.thread_id = page.thread_id
	AND w.checkpoint_ns = page.checkpoint_ns AND w.checkpoint_id = page.checkpoint_id UNION ALL SELECT page.position, 'send', w.channel, w.task_path, w.task_id, w.idx, w.type, w.encoding, w.data
FROM page JOIN checkpoint_writes w ON w.project_id = page.project_id AND w.thread_id = page.thread_id
	AND w.checkpoint_ns = page.checkpoint_ns AND w.checkpoint_id = page.parent_checkpoint_id
WHERE page.format < 4 AND w.channel = '__pregel_tasks')
SELECT parts.position, parts.part, parts.channel, parts.task_id, parts.type, parts.encoding, parts.data,
	page.thread_id, page.checkpoint_ns, page.checkpoint_id, page.parent_checkpoint_id, page.metadata_json,
	page.fetched, to_char(page.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS created_at
FROM parts LEFT JOIN page ON page.position = parts.position AND parts.part = 'checkpoint'
ORDER BY parts.position, parts.part, parts.task_path COLLATE "C", parts.task_id COLLATE "C", parts.idx;

-- checkpoint_history
WITH RECURSIVE target AS (
	SELECT parent_checkpoint_id FROM checkpoints
	WHERE project_id = $1 AND thread_id = $2 AND checkpoint_ns = $3 AND checkpoint_id = $5
), walk (depth, checkpoint_id, open) AS (
	SELECT 1, parent_checkpoint_id, $4::text[] FROM target
	UNION ALL
	SELECT walk.depth + 1, c.parent_checkpoint_id, rest.open
	FROM walk
	JOIN checkpoints c ON c.project_id = $1 AND c.thread_id = $2 AND c.checkpoint_ns = $3
		AND c.checkpoint_id = walk.checkpoint_id
	CROSS JOIN LATERAL (
		SELECT coalesce(array_agg(channel.name), '{}') AS open FROM unnest(walk.open) AS channel (name)
		WHERE NOT EXISTS (
			SELECT FROM unnest(c.channels, c.versions) AS v (channel, version)
			JOIN checkpoint_blobs b ON b.project_id = $1 AND b.thread_id = $2 AND b.checkpoint_ns = $3
				AND b.channel = v.channel AND b.version = v.version
			WHERE v.channel = channel.name AND b.data IS NOT NULL
		)
	) AS rest
	WHERE cardinality(rest.open) > 0 AND walk.depth <= (
		SELECT count(*) FROM checkpoints WHERE project_id = $1 AND thread_id = $2 AND checkpoint_ns = $3
	)
), found AS (
	SELECT walk.depth, w.channel, w.task_path, w.task_id, w.idx, w.type, w.encoding, w.data
	FROM walk JOIN checkpoint_writes w ON w.project_id = $1 AND w.thread_id = $2 AND w.checkpoint_ns = $3
		AND w.checkpoint_id = walk.checkpoint_id AND w.channel = ANY(walk.open)
	UNION ALL
	SELECT walk.depth, v.channel, NULL, NULL, NULL, b.type, b.encoding, b.data
	FROM walk
	JOIN checkpoints c ON c.project_id = $1 AND c.thread_id = $2 AND c.checkpoint_ns = $3
		AND c.checkpoint_id = walk.checkpoint_id
	CROSS JOIN LATERAL unnest(c.channels, c.versions) AS v (channel, version)
	JOIN checkpoint_blobs b ON b.project_id = $1 AND b.thread_id = $2 AND b.checkpoint_ns = $3
		AND b.channel = v.channel AND b.version = v.version
	WHERE v.channel = ANY(walk.open) AND b.data IS NOT NULL
)
SELECT channel, task_id, type, encoding, data FROM found
ORDER BY depth DESC, task_path COLLATE "C", task_id COLLATE "C", idx;

-- checkpoint_history_latest
WITH RECURSIVE target AS (
	SELECT parent_checkpoint_id FROM checkpoints
	WHERE project_id = $1 AND thread_id = $2 AND checkpoint_ns = $3 ORDER BY checkpoint_id DESC LIMIT 1
), walk (depth, checkpoint_id, open) AS (
	SELECT 1, parent_checkpoint_id, $4::text[] FROM target
	UNION ALL
	SELECT walk.depth + 1, c.parent_checkpoint_id, rest.open
	FROM walk
	JOIN checkpoints c ON c.project_id = $1 AND c.thread_id = $2 AND c.checkpoint_ns = $3
		AND c.checkpoint_id = walk.checkpoint_id
	CROSS JOIN LATERAL (
		SELECT coalesce(array_agg(channel.name), '{}') AS open FROM unnest(walk.open) AS channel (name)
		WHERE NOT EXISTS (
			SELECT FROM unnest(c.channels, c.versions) AS v (channel, version)
			JOIN checkpoint_blobs b ON b.project_id = $1 AND b.thread_id = $2 AND b.checkpoint_ns = $3
				AND b.channel = v.channel AND b.version = v.version
			WHERE v.channel = channel.name AND b.data IS NOT NULL
		)
	) AS rest
	WHERE cardinality(rest.open) > 0 AND walk.depth <= (
		SELECT count(*) FROM checkpoints WHERE project_id = $1 AND thread_id = $2 AND checkpoint_ns = $3
	)
), found AS (
	SELECT walk.depth, w.channel, w.task_path, w.task_id, w.idx, w.type, w.encoding, w.data
	FROM walk JOIN checkpoint_writes w ON w.project_id = $1 AND w.thread_id = $2 AND w.checkpoint_ns = $3
		AND w.checkpoint_id = walk.checkpoint_id AND w.channel = ANY(walk.open)
	UNION ALL
	SELECT walk.depth, v.channel, NULL, NULL, NULL, b.type, b.encoding, b.data
	FROM walk
	JOIN checkpoints c ON c.project_id = $1 AND c.thread_id = $2 AND c.checkpoint_ns = $3
		AND c.checkpoint_id = walk.checkpoint_id
	CROSS JOIN LATERAL unnest(c.channels, c.versions) AS v (channel, version)
	JOIN checkpoint_blobs b ON b.project_id = $1 AND b.thread_id = $2 AND b.checkpoint_ns = $3
		AND b.channel = v.channel AND b.version = v.version
	WHERE v.channel = ANY(walk.open) AND b.data IS NOT NULL
)
SELECT channel, task_id, type, encoding, data FROM found
ORDER BY depth DESC, task_path COLLATE "C", task_id COLLATE "C", idx;

-- checkpoint_outline
SELECT c.checkpoint_ns, c.checkpoint_id, c.parent_checkpoint_id, c.format,
	coalesce(versioned.stored, '{}') AS stored, coalesce(versioned.empty, '{}') AS empty,
	ARRAY(
		SELECT DISTINCT w.channel FROM checkpoint_writes w
		WHERE w.project_id = $1 AND w.thread_id = $2 AND w.checkpoint_ns = c.checkpoint_ns
			AND w.checkpoint_id = c.checkpoint_id
	) AS written
FROM checkpoints c
CROSS JOIN LATERAL (
	SELECT array_agg(v.channel) FILTER (WHERE b.data IS NOT NULL) AS stored,
		array_agg(v.channel) FILTER (WHERE b.data IS NULL) AS empty
	FROM unnest(c.channels, c.versions) AS v (channel, version)
	LEFT JOIN checkpoint_blobs b ON b.project_id = $1 AND b.thread_id = $2
		AND b.checkpoint_ns = c.checkpoint_ns AND b.channel = v.channel AND b.version = v.version
) AS versioned
WHERE c.project_id = $1 AND c.thread_id = $2
ORDER BY c.checkpoint_ns, c.checkpoint_id DESC;

-- checkpoint_prune
WITH gone AS (
	DELETE FROM checkpoints c USING unnest($3::text[], $4::text[]) AS old (checkpoint_ns, checkpoint_id)
	WHERE c.project_id = $1 AND c.thread_id = $2
		AND c.checkpoint_ns = old.checkpoint_ns AND c.checkpoint_id = old.checkpoint_id
	RETURNING c.checkpoint_id
), writes AS (
	DELETE FROM checkpoint_writes w USING unnest($3::text[], $4::text[]) AS old (checkpoint_ns, checkpoint_id)
	WHERE w.project_id = $1 AND w.thread_id = $2
		AND w.checkpoint_ns = old.checkpoint_ns AND w.checkpoint_id = old.checkpoint_id
)
SELECT count(*)::int AS removed FROM gone;

-- checkpoint_prune_blobs
DELETE FROM checkpoint_blobs b
WHERE b.project_id = $1 AND b.thread_id = $2 AND NOT EXISTS (
	SELECT FROM checkpoints c CROSS JOIN LATERAL unnest(c.channels, c.versions) AS v (channel, version)
	WHERE c.project_id = $1 AND c.thread_id = $2
		AND c.checkpoint_ns = b.checkpoint_ns AND v.channel = b.channel AND v.version = b.version
);

-- checkpoint_put
WITH kept AS (
	INSERT INTO checkpoint_blobs (project_id, thread_id, checkpoint_ns, channel, version, type, encoding, data)
	SELECT $1, $2, $3, value.channel, value.version, value.type, value.encoding, decode(value.data, 'base64')
	FROM unnest($17::text[], $18::text[], $19::text[], $20::text[], $21::text[])
		AS value (channel, version, type, encoding, data)
	ORDER BY value.channel, value.version
	ON CONFLICT DO NOTHING
)
INSERT INTO checkpoints (project_id, thread_id, checkpoint_ns, checkpoint_id, parent_checkpoint_id, format,
	type, encoding, data, metadata_type, metadata_encoding, metadata, metadata_json, metadata_terms,
	channels, versions)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, decode($9, 'base64'), $10, $11, decode($12, 'base64'), $13::text::json,
	$14::text[], $15::text[], $16::text[])
ON CONFLICT (project_id, thread_id, checkpoint_ns, checkpoint_id) DO UPDATE SET
	parent_checkpoint_id = excluded.parent_checkpoint_id, format = excluded.format,
	type = excluded.type, encoding = excluded.encoding, data = excluded.data,
	metadata_type = excluded.metadata_type, metadata_encoding = excluded.metadata_encoding,
	metadata = excluded.metadata, metadata_json = excluded.metadata_json,
	metadata_terms = excluded.metadata_terms, channels = excluded.channels, versions = excluded.versions;

-- checkpoint_put_writes
INSERT INTO checkpoint_writes AS w (project_id, thread_id, checkpoint_ns, checkpoint_id, task_id, task_path, idx,
	channel, type, encoding, data)
SELECT $1, $2, $3, $4, $5, $6, write.idx, write.channel, write.type, write.encoding, decode(write.data, 'base64')
FROM unnest($7::int[], $8::text[], $9::text[], $10::text[], $11::text[])
	AS write (idx, channel, type, encoding, data)
ORDER BY write.idx
ON CONFLICT (project_id, thread_id, checkpoint_ns, checkpoint_id, task_id, idx) DO UPDATE SET
	task_path = excluded.task_path, channel = excluded.channel,
	type = excluded.type, encoding = excluded.encoding, data = excluded.data
WHERE w.idx < 0;

-- checkpoints_list
WITH page AS (SELECT * FROM (
	SELECT *, count(*) OVER () AS fetched, row_number() OVER newest AS position,
		sum(bytes) OVER newest AS bytes_so_far
	FROM (
		SELECT c.*, octet_length(c.data) + octet_length(c.metadata) + coalesce(held.bytes, 0)
			+ coalesce(written.bytes, 0) AS bytes
		FROM (
			SELECT * FROM checkpoints
			WHERE project_id = $1
				AND checkpoint_id < coalesce($2, repeat(U&'\+10FFFF', 65)) AND metadata_terms @> $3::text[]
				AND (checkpoint_id, thread_id, checkpoint_ns)
					< (coalesce($4, repeat(U&'\+10FFFF', 65)), coalesce($5, ''), coalesce($6, ''))
			ORDER BY checkpoint_id DESC, thread_id DESC, checkpoint_ns DESC LIMIT $7::int + 1
		) AS c
		CROSS JOIN LATERAL (
			SELECT sum(octet_length(b.data)) AS bytes FROM unnest(c.channels, c.versions) AS v (channel, version)
			JOIN checkpoint_blobs b ON b.project_id = c.project_id AND b.thread_id = c.thread_id
				AND b.checkpoint_ns = c.checkpoint_ns AND b.channel = v.channel AND b.version = v.version
		) AS held
		CROSS JOIN LATERAL (
			SELECT sum(octet_length(w.data)) AS bytes FROM checkpoint_writes w
			WHERE w.project_id = c.project_id AND w.thread_id = c.thread_id
				AND w.checkpoint_ns = c.checkpoint_ns AND w.checkpoint_id = c.checkpoint_id
		) AS written
	) AS candidates
	WINDOW newest AS (ORDER BY checkpoint_id DESC, thread_id DESC, checkpoint_ns DESC)
) AS walk
WHERE position = 1 OR (position <= $7::int AND bytes_so_far <= $8::bigint)), parts AS (SELECT page.position, 'checkpoint' AS part, NULL::text AS channel, NULL::text AS task_path, NULL::text AS task_id, NULL::int AS idx, page.type, page.encoding, page.data FROM page UNION ALL SELECT page.position, 'metadata', NULL::text AS channel, NULL::text AS task_path, NULL::text AS task_id, NULL::int AS idx, page.metadata_type, page.metadata_encoding, page.metadata FROM page UNION ALL SELECT page.position, 'value', v.channel, NULL, NULL, NULL, b.type, b.encoding, b.data
FROM page CROSS JOIN LATERAL unnest(page.channels, page.versions) AS v (channel, version)
JOIN checkpoint_blobs b ON b.project_id = page.project_id AND b.thread_id = page.thread_id
	AND b.checkpoint_ns = page.checkpoint_ns AND b.channel = v.channel AND b.version = v.version
WHERE b.data IS NOT NULL UNION ALL SELECT page.position, 'write', w.channel, w.task_path, w.task_id, w.idx, w.type, w.encoding, w.data
FROM page JOIN checkpoint_writes w ON w.project_id = page.project_id AND w.thread_id = page.thread_id
	AND w.checkpoint_ns = page.checkpoint_ns AND w.checkpoint_id = page.checkpoint_id UNION ALL SELECT page.position, 'send', w.channel, w.task_path, w.task_id, w.idx, w.type, w.encoding, w.data
FROM page JOIN checkpoint_writes w ON w.project_id = page.project_id AND w.thread_id = page.thread_id
	AND w.checkpoint_ns = page.checkpoint_ns AND w.checkpoint_id = page.parent_checkpoint_id
WHERE page.format < 4 AND w.channel = '__pregel_tasks')
SELECT parts.position, parts.part, parts.channel, parts.task_id, parts.type, parts.encoding, parts.data,
	page.thread_id, page.checkpoint_ns, page.checkpoint_id, page.parent_checkpoint_id, page.metadata_json,
	page.fetched, to_char(page.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS created_at
FROM parts LEFT JOIN page ON page.position = parts.position AND parts.part = 'checkpoint'
ORDER BY parts.position, parts.part, parts.task_path COLLATE "C", parts.task_id COLLATE "C", parts.idx;

-- checkpoints_list_by_checkpoint_id
WITH page AS (SELECT * FROM (
	SELECT *, count(*) OVER () AS fetched, row_number() OVER newest AS position,
		sum(bytes) OVER newest AS bytes_so_far
	FROM (
		SELECT c.*, octet_length(c.data) + octet_length(c.metadata) + coalesce(held.bytes, 0)
			+ coalesce(written.bytes, 0) AS bytes
		FROM (
			SELECT * FROM checkpoints
			WHERE project_id = $1 AND checkpoint_id = $9
				AND checkpoint_id < coalesce($2, repeat(U&'\+10FFFF', 65)) AND metadata_terms @> $3::text[]
				AND (checkpoint_id, thread_id, checkpoint_ns)
					< (coalesce($4, repeat(U&'\+10FFFF', 65)), coalesce($5, ''), coalesce($6, ''))
			ORDER BY checkpoint_id DESC, thread_id DESC, checkpoint_ns DESC LIMIT $7::int + 1
		) AS c
		CROSS JOIN LATERAL (
			SELECT sum(octet_length(b.data)) AS bytes FROM unnest(c.channels, c.versions) AS v (channel, version)
			JOIN checkpoint_blobs b ON b.project_id = c.project_id AND b.thread_id = c.thread_id
				AND b.checkpoint_ns = c.checkpoint_ns AND b.channel = v.channel AND b.version = v.version
		) AS held
		CROSS JOIN LATERAL (
			SELECT sum(octet_length(w.data)) AS bytes FROM checkpoint_writes w
			WHERE w.project_id = c.project_id AND w.thread_id = c.thread_id
				AND w.checkpoint_ns = c.checkpoint_ns AND w.checkpoint_id = c.checkpoint_id
		) AS written
	) AS candidates
	WINDOW newest AS (ORDER BY checkpoint_id DESC, thread_id DESC, checkpoint_ns DESC)
) AS walk
WHERE position = 1 OR (position <= $7::int AND bytes_so_far <= $8::bigint)), parts AS (SELECT page.position, 'checkpoint' AS part, NULL::text AS channel, NULL::text AS task_path, NULL::text AS task_id, NULL::int AS idx, page.type, page.encoding, page.data FROM page UNION ALL SELECT page.position, 'metadata', NULL::text AS channel, NULL::text AS task_path, NULL::text AS task_id, NULL::int AS idx, page.metadata_type, page.metadata_encoding, page.metadata FROM page UNION ALL SELECT page.position, 'value', v.channel, NULL, NULL, NULL, b.type, b.encoding, b.data
FROM page CROSS JOIN LATERAL unnest(page.channels, page.versions) AS v (channel, version)
JOIN checkpoint_blobs b ON b.project_id = page.project_id AND b.thread_id = page.thread_id
	AND b.checkpoint_ns = page.checkpoint_ns AND b.channel = v.channel AND b.version = v.version
WHERE b.data IS NOT NULL UNION ALL SELECT page.position, 'write', w.channel, w.task_path, w.task_id, w.idx, w.type, w.encoding, w.data
FROM page JOIN checkpoint_writes w ON w.project_id = page.project_id AND w.thread_id = page.thread_id
	AND w.checkpoint_ns = page.checkpoint_ns AND w.checkpoint_id = page.checkpoint_id UNION ALL SELECT page.position, 'send', w.channel, w.task_path, w.task_id, w.idx, w.type, w.encoding, w.data
FROM page JOIN checkpoint_writes w ON w.project_id = page.project_id AND w.thread_id = page.thread_id
	AND w.checkpoint_ns = page.checkpoint_ns AND w.checkpoint_id = page.parent_checkpoint_id
WHERE page.format < 4 AND w.channel = '__pregel_tasks')
SELECT parts.position, parts.part, parts.channel, parts.task_id, parts.type, parts.encoding, parts.data,
	page.thread_id, page.checkpoint_ns, page.checkpoint_id, page.parent_checkpoint_id, page.metadata_json,
	page.fetched, to_char(page.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS created_at
FROM parts LEFT JOIN page ON page.position = parts.position AND parts.part = 'checkpoint'
ORDER BY parts.position, parts.part, parts.task_path COLLATE "C", parts.task_id COLLATE "C", parts.idx;

-- checkpoints_list_by_checkpoint_ns
WITH page AS (SELECT * FROM (
	SELECT *, count(*) OVER () AS fetched, row_number() OVER newest AS position,
		sum(bytes) OVER newest AS bytes_so_far
	FROM (
		SELECT c.*, octet_length(c.data) + octet_length(c.metadata) + coalesce(held.bytes, 0)
			+ coalesce(written.bytes, 0) AS bytes
		FROM (
			SELECT * FROM checkpoints
			WHERE project_id = $1 AND checkpoint_ns = $9
				AND checkpoint_id < coalesce($2, repeat(U&'\+10FFFF', 65)) AND metadata_terms @> $3::text[]
				AND (checkpoint_id, thread_id, checkpoint_ns)
					< (coalesce($4, repeat(U&'\+10FFFF', 65)), coalesce($5, ''), coalesce($6, ''))
			ORDER BY checkpoint_id DESC, thread_id DESC, checkpoint_ns DESC LIMIT $7::int + 1
		) AS c
		CROSS JOIN LATERAL (
			SELECT sum(octet_length(b.data)) AS bytes FROM unnest(c.channels, c.versions) AS v (channel, version)
			JOIN checkpoint_blobs b ON b.project_id = c.project_id AND b.thread_id = c.thread_id
				AND b.checkpoint_ns = c.checkpoint_ns AND b.channel = v.channel AND b.version = v.version
		) AS held
		CROSS JOIN LATERAL (
			SELECT sum(octet_length(w.data)) AS bytes FROM checkpoint_writes w
			WHERE w.project_id = c.project_id AND w.thread_id = c.thread_id
				AND w.checkpoint_ns = c.checkpoint_ns AND w.checkpoint_id = c.checkpoint_id
		) AS written
	) AS candidates
	WINDOW newest AS (ORDER BY checkpoint_id DESC, thread_id DESC, checkpoint_ns DESC)
) AS walk
WHERE position = 1 OR (position <= $7::int AND bytes_so_far <= $8::bigint)), parts AS (SELECT page.position, 'checkpoint' AS part, NULL::text AS channel, NULL::text AS task_path, NULL::text AS task_id, NULL::int AS idx, page.type, page.encoding, page.data FROM page UNION ALL SELECT page.position, 'metadata', NULL::text AS channel, NULL::text AS task_path, NULL::text AS task_id, NULL::int AS idx, page.metadata_type, page.metadata_encoding, page.metadata FROM page UNION ALL SELECT page.position, 'value', v.channel, NULL, NULL, NULL, b.type, b.encoding, b.data
FROM page CROSS JOIN LATERAL unnest(page.channels, page.versions) AS v (channel, version)
JOIN checkpoint_blobs b ON b.project_id = page.project_id AND b.thread_id = page.thread_id
	AND b.checkpoint_ns = page.checkpoint_ns AND b.channel = v.channel AND b.version = v.version
WHERE b.data IS NOT NULL UNION ALL SELECT page.position, 'write', w.channel, w.task_path, w.task_id, w.idx, w.type, w.encoding, w.data
FROM page JOIN checkpoint_writes w ON w.project_id = page.project_id AND w.thread_id = page.thread_id
	AND w.checkpoint_ns = page.checkpoint_ns AND w.checkpoint_id = page.checkpoint_id UNION ALL SELECT page.position, 'send', w.channel, w.task_path, w.task_id, w.idx, w.type, w.encoding, w.data
FROM page JOIN checkpoint_writes w ON w.project_id = page.project_id AND w.thread_id = page.thread_id
	AND w.checkpoint_ns = page.checkpoint_ns AND w.checkpoint_id = page.parent_checkpoint_id
WHERE page.format < 4 AND w.channel = '__pregel_tasks')
SELECT parts.position, parts.part, parts.channel, parts.task_id, parts.type, parts.encoding, parts.data,
	page.thread_id, page.checkpoint_ns, page.checkpoint_id, page.parent_checkpoint_id, page.metadata_json,
	page.fetched, to_char(page.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS created_at
FROM parts LEFT JOIN page ON page.position = parts.position AND parts.part = 'checkpoint'
ORDER BY parts.position, parts.part, parts.task_path COLLATE "C", parts.task_id COLLATE "C", parts.idx;

-- checkpoints_list_by_checkpoint_ns_by_checkpoint_id
WITH page AS (SELECT * FROM (
	SELECT *, count(*) OVER () AS fetched, row_number() OVER newest AS position,
		sum(bytes) OVER newest AS bytes_so_far
	FROM (
		SELECT c.*, octet_length(c.data) + octet_length(c.metadata) + coalesce(held.bytes, 0)
			+ coalesce(written.bytes, 0) AS bytes
		FROM (
			SELECT * FROM checkpoints
			WHERE project_id = $1 AND checkpoint_ns = $9 AND checkpoint_id = $10
				AND checkpoint_id < coalesce($2, repeat(U&'\+10FFFF', 65)) AND metadata_terms @> $3::text[]
				AND (checkpoint_id, thread_id, checkpoint_ns)
					< (coalesce($4, repeat(U&'\+10FFFF', 65)), coalesce($5, ''), coalesce($6, ''))
			ORDER BY checkpoint_id DESC, thread_id DESC, checkpoint_ns DESC LIMIT $7::int + 1
		) AS c
		CROSS JOIN LATERAL (
			SELECT sum(octet_length(b.data)) AS bytes FROM unnest(c.channels, c.versions) AS v (channel, version)
			JOIN checkpoint_blobs b ON b.project_id = c.project_id AND b.thread_id = c.thread_id
				AND b.checkpoint_ns = c.checkpoint_ns AND b.channel = v.channel AND b.version = v.version
		) AS held
		CROSS JOIN LATERAL (
			SELECT sum(octet_length(w.data)) AS bytes FROM checkpoint_writes w
			WHERE w.project_id = c.project_id AND w.thread_id = c.thread_id
				AND w.checkpoint_ns = c.checkpoint_ns AND w.checkpoint_id = c.checkpoint_id
		) AS written
	) AS candidates
	WINDOW newest AS (ORDER BY checkpoint_id DESC, thread_id DESC, checkpoint_ns DESC)
) AS walk
WHERE position = 1 OR (position <= $7::int AND bytes_so_far <= $8::bigint)), parts AS (SELECT page.position, 'checkpoint' AS part, NULL::text AS channel, NULL::text AS task_path, NULL::text AS task_id, NULL::int AS idx, page.type, page.encoding, page.data FROM page UNION ALL SELECT page.position, 'metadata', NULL::text AS channel, NULL::text AS task_path, NULL::text AS task_id, NULL::int AS idx, page.metadata_type, page.metadata_encoding, page.metadata FROM page UNION ALL SELECT page.position, 'value', v.channel, NULL, NULL, NULL, b.type, b.encoding, b.data
FROM page CROSS JOIN LATERAL unnest(page.channels, page.versions) AS v (channel, version)
JOIN checkpoint_blobs b ON b.project_id = page.project_id AND b.thread_id = page.thread_id
	AND b.checkpoint_ns = page.checkpoint_ns AND b.channel = v.channel AND b.version = v.version
WHERE b.data IS NOT NULL UNION ALL SELECT page.position, 'write', w.channel, w.task_path, w.task_id, w.idx, w.type, w.encoding, w.data
FROM page JOIN checkpoint_writes w ON w.project_id = page.project_id AND w.thread_id = page.thread_id
	AND w.checkpoint_ns = page.checkpoint_ns AND w.checkpoint_id = page.checkpoint_id UNION ALL SELECT page.position, 'send', w.channel, w.task_path, w.task_id, w.idx, w.type, w.encoding, w.data
FROM page JOIN checkpoint_writes w ON w.project_id = page.project_id AND w.thread_id = page.thread_id
	AND w.checkpoint_ns = page.checkpoint_ns AND w.checkpoint_id = page.parent_checkpoint_id
WHERE page.format < 4 AND w.channel = '__pregel_tasks')
SELECT parts.position, parts.part, parts.channel, parts.task_id, parts.type, parts.encoding, parts.data,
	page.thread_id, page.checkpoint_ns, page.checkpoint_id, page.parent_checkpoint_id, page.metadata_json,
	page.fetched, to_char(page.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS created_at
FROM parts LEFT JOIN page ON page.position = parts.position AND parts.part = 'checkpoint'
ORDER BY parts.position, parts.part, parts.task_path COLLATE "C", parts.task_id COLLATE "C", parts.idx;

-- checkpoints_list_by_thread_id
WITH page AS (SELECT * FROM (
	SELECT *, count(*) OVER () AS fetched, row_number() OVER newest AS position,
		sum(bytes) OVER newest AS bytes_so_far
	FROM (
		SELECT c.*, octet_length(c.data) + octet_length(c.metadata) + coalesce(held.bytes, 0)
			+ coalesce(written.bytes, 0) AS bytes
		FROM (
			SELECT * FROM checkpoints
			WHERE project_id = $1 AND thread_id = $9
				AND checkpoint_id < coalesce($2, repeat(U&'\+10FFFF', 65)) AND metadata_terms @> $3::text[]
				AND (checkpoint_id, thread_id, checkpoint_ns)
					< (coalesce($4, repeat(U&'\+10FFFF', 65)), coalesce($5, ''), coalesce($6, ''))
			ORDER BY checkpoint_id DESC, thread_id DESC, checkpoint_ns DESC LIMIT $7::int + 1
		) AS c
		CROSS JOIN LATERAL (
			SELECT sum(octet_length(b.data)) AS bytes FROM unnest(c.channels, c.versions) AS v (channel, version)
			JOIN checkpoint_blobs b ON b.project_id = c.project_id AND b.thread_id = c.thread_id
				AND b.checkpoint_ns = c.checkpoint_ns AND b.channel = v.channel AND b.version = v.version
		) AS held
		CROSS JOIN LATERAL (
			SELECT sum(octet_length(w.data)) AS bytes FROM checkpoint_writes w
			WHERE w.project_id = c.project_id AND w.thread_id = c.thread_id
				AND w.checkpoint_ns = c.checkpoint_ns AND w.checkpoint_id = c.checkpoint_id
		) AS written
	) AS candidates
	WINDOW newest AS (ORDER BY checkpoint_id DESC, thread_id DESC, checkpoint_ns DESC)
) AS walk
WHERE position = 1 OR (position <= $7::int AND bytes_so_far <= $8::bigint)), parts AS (SELECT page.position, 'checkpoint' AS part, NULL::text AS channel, NULL::text AS task_path, NULL::text AS task_id, NULL::int AS idx, page.type, page.encoding, page.data FROM page UNION ALL SELECT page.position, 'metadata', NULL::text AS channel, NULL::text AS task_path, NULL::text AS task_id, NULL::int AS idx, page.metadata_type, page.metadata_encoding, page.metadata FROM page UNION ALL SELECT page.position, 'value', v.channel, NULL, NULL, NULL, b.type, b.encoding, b.data
FROM page CROSS JOIN LATERAL unnest(page.channels, page.versions) AS v (channel, version)
JOIN checkpoint_blobs b ON b.project_id = page.project_id AND b.thread_id = page.thread_id
	AND b.checkpoint_ns = page.checkpoint_ns AND b.channel = v.channel AND b.version = v.version
WHERE b.data IS NOT NULL UNION ALL SELECT page.position, 'write', w.channel, w.task_path, w.task_id, w.idx, w.type, w.encoding, w.data
FROM page JOIN checkpoint_writes w ON w.project_id = page.project_id AND w.thread_id = page.thread_id
	AND w.checkpoint_ns = page.checkpoint_ns AND w.checkpoint_id = page.checkpoint_id UNION ALL SELECT page.position, 'send', w.channel, w.task_path, w.task_id, w.idx, w.type, w.encoding, w.data
FROM page JOIN checkpoint_writes w ON w.project_id = page.project_id AND w.thread_id = page.thread_id
	AND w.checkpoint_ns = page.checkpoint_ns AND w.checkpoint_id = page.parent_checkpoint_id
WHERE page.format < 4 AND w.channel = '__pregel_tasks')
SELECT parts.position, parts.part, parts.channel, parts.task_id, parts.type, parts.encoding, parts.data,
	page.thread_id, page.checkpoint_ns, page.checkpoint_id, page.parent_checkpoint_id, page.metadata_json,
	page.fetched, to_char(page.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS created_at
FROM parts LEFT JOIN page ON page.position = parts.position AND parts.part = 'checkpoint'
ORDER BY parts.position, parts.part, parts.task_path COLLATE "C", parts.task_id COLLATE "C", parts.idx;

-- checkpoints_list_by_thread_id_by_checkpoint_id
WITH page AS (SELECT * FROM (
	SELECT *, count(*) OVER () AS fetched, row_number() OVER newest AS position,
		sum(bytes) OVER newest AS bytes_so_far
	FROM (
		SELECT c.*, octet_length(c.data) + octet_length(c.metadata) + coalesce(held.bytes, 0)
			+ coalesce(written.bytes, 0) AS bytes
		FROM (
			SELECT * FROM checkpoints
			WHERE project_id = $1 AND thread_id = $9 AND checkpoint_id = $10
				AND checkpoint_id < coalesce($2, repeat(U&'\+10FFFF', 65)) AND metadata_terms @> $3::text[]
				AND (checkpoint_id, thread_id, checkpoint_ns)
					< (coalesce($4, repeat(U&'\+10FFFF', 65)), coalesce($5, ''), coalesce($6, ''))
			ORDER BY checkpoint_id DESC, thread_id DESC, checkpoint_ns DESC LIMIT $7::int + 1
		) AS c
		CROSS JOIN LATERAL (
			SELECT sum(octet_length(b.data)) AS bytes FROM unnest(c.channels, c.versions) AS v (channel, version)
			JOIN checkpoint_blobs b ON b.project_id = c.project_id AND b.thread_id = c.thread_id
				AND b.checkpoint_ns = c.checkpoint_ns AND b.channel = v.channel AND b.version = v.version
		) AS held
		CROSS JOIN LATERAL (
			SELECT sum(octet_length(w.data)) AS bytes FROM checkpoint_writes w
			WHERE w.project_id = c.project_id AND w.thread_id = c.thread_id
				AND w.checkpoint_ns = c.checkpoint_ns AND w.checkpoint_id = c.checkpoint_id
		) AS written
	) AS candidates
	WINDOW newest AS (ORDER BY checkpoint_id DESC, thread_id DESC, checkpoint_ns DESC)
) AS walk
WHERE position = 1 OR (position <= $7::int AND bytes_so_far <= $8::bigint)), parts AS (SELECT page.position, 'checkpoint' AS part, NULL::text AS channel, NULL::text AS task_path, NULL::text AS task_id, NULL::int AS idx, page.type, page.encoding, page.data FROM page UNION ALL SELECT page.position, 'metadata', NULL::text AS channel, NULL::text AS task_path, NULL::text AS task_id, NULL::int AS idx, page.metadata_type, page.metadata_encoding, page.metadata FROM page UNION ALL SELECT page.position, 'value', v.channel, NULL, NULL, NULL, b.type, b.encoding, b.data
FROM page CROSS JOIN LATERAL unnest(page.channels, page.versions) AS v (channel, version)
JOIN checkpoint_blobs b ON b.project_id = page.project_id AND b.thread_id = page.thread_id
	AND b.checkpoint_ns = page.checkpoint_ns AND b.channel = v.channel AND b.version = v.version
WHERE b.data IS NOT NULL UNION ALL SELECT page.position, 'write', w.channel, w.task_path, w.task_id, w.idx, w.type, w.encoding, w.data
FROM page JOIN checkpoint_writes w ON w.project_id = page.project_id AND w.thread_id = page.thread_id
	AND w.checkpoint_ns = page.checkpoint_ns AND w.checkpoint_id = page.checkpoint_id UNION ALL SELECT page.position, 'send', w.channel, w.task_path, w.task_id, w.idx, w.type, w.encoding, w.data
FROM page JOIN checkpoint_writes w ON w.project_id = page.project_id AND w.thread_id = page.thread_id
	AND w.checkpoint_ns = page.checkpoint_ns AND w.checkpoint_id = page.parent_checkpoint_id
WHERE page.format < 4 AND w.channel = '__pregel_tasks')
SELECT parts.position, parts.part, parts.channel, parts.task_id, parts.type, parts.encoding, parts.data,
	page.thread_id, page.checkpoint_ns, page.checkpoint_id, page.parent_checkpoint_id, page.metadata_json,
	page.fetched, to_char(page.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS created_at
FROM parts LEFT JOIN page ON page.position = parts.position AND parts.part = 'checkpoint'
ORDER BY parts.position, parts.part, parts.task_path COLLATE "C", parts.task_id COLLATE "C", parts.idx;

-- checkpoints_list_by_thread_id_by_checkpoint_ns
WITH page AS (SELECT * FROM (
	SELECT *, count(*) OVER () AS fetched, row_number() OVER newest AS position,
		sum(bytes) OVER newest AS bytes_so_far
	FROM (
		SELECT c.*, octet_length(c.data) + octet_length(c.metadata) + coalesce(held.bytes, 0)
			+ coalesce(written.bytes, 0) AS bytes
		FROM (
			SELECT * FROM checkpoints
			WHERE project_id = $1 AND thread_id = $9 AND checkpoint_ns = $10
				AND checkpoint_id < coalesce($2, repeat(U&'\+10FFFF', 65)) AND metadata_terms @> $3::text[]
				AND (checkpoint_id, thread_id, checkpoint_ns)
					< (coalesce($4, repeat(U&'\+10FFFF', 65)), coalesce($5, ''), coalesce($6, ''))
			ORDER BY checkpoint_id DESC, thread_id DESC, checkpoint_ns DESC LIMIT $7::int + 1
		) AS c
		CROSS JOIN LATERAL (
			SELECT sum(octet_length(b.data)) AS bytes FROM unnest(c.channels, c.versions) AS v (channel, version)
			JOIN checkpoint_blobs b ON b.project_id = c.project_id AND b.thread_id = c.thread_id
				AND b.checkpoint_ns = c.checkpoint_ns AND b.channel = v.channel AND b.version = v.version
		) AS held
		CROSS JOIN LATERAL (
			SELECT sum(octet_length(w.data)) AS bytes FROM checkpoint_writes w
			WHERE w.project_id = c.project_id AND w.thread_id = c.thread_id
				AND w.checkpoint_ns = c.checkpoint_ns AND w.checkpoint_id = c.checkpoint_id
		) AS written
	) AS candidates
	WINDOW newest AS (ORDER BY checkpoint_id DESC, thread_id DESC, checkpoint_ns DESC)
) AS walk
WHERE position = 1 OR (position <= $7::int AND bytes_so_far <= $8::bigint)), parts AS (SELECT page.position, 'checkpoint' AS part, NULL::text AS channel, NULL::text AS task_path, NULL::text AS task_id, NULL::int AS idx, page.type, page.encoding, page.data FROM page UNION ALL SELECT page.position, 'metadata', NULL::text AS channel, NULL::text AS task_path, NULL::text AS task_id, NULL::int AS idx, page.metadata_type, page.metadata_encoding, page.metadata FROM page UNION ALL SELECT page.position, 'value', v.channel, NULL, NULL, NULL, b.type, b.encoding, b.data
FROM page CROSS JOIN LATERAL unnest(page.channels, page.versions) AS v (channel, version)
JOIN checkpoint_blobs b ON b.project_id = page.project_id AND b.thread_id = page.thread_id
	AND b.checkpoint_ns = page.checkpoint_ns AND b.channel = v.channel AND b.version = v.version
WHERE b.data IS NOT NULL UNION ALL SELECT page.position, 'write', w.channel, w.task_path, w.task_id, w.idx, w.type, w.encoding, w.data
FROM page JOIN checkpoint_writes w ON w.project_id = page.project_id AND w.thread_id = page.thread_id
	AND w.checkpoint_ns = page.checkpoint_ns AND w.checkpoint_id = page.checkpoint_id UNION ALL SELECT page.position, 'send', w.channel, w.task_path, w.task_id, w.idx, w.type, w.encoding, w.data
FROM page JOIN checkpoint_writes w ON w.project_id = page.project_id AND w.thread_id = page.thread_id
	AND w.checkpoint_ns = page.checkpoint_ns AND w.checkpoint_id = page.parent_checkpoint_id
WHERE page.format < 4 AND w.channel = '__pregel_tasks')
SELECT parts.position, parts.part, parts.channel, parts.task_id, parts.type, parts.encoding, parts.data,
	page.thread_id, page.checkpoint_ns, page.checkpoint_id, page.parent_checkpoint_id, page.metadata_json,
	page.fetched, to_char(page.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS created_at
FROM parts LEFT JOIN page ON page.position = parts.position AND parts.part = 'checkpoint'
ORDER BY parts.position, parts.part, parts.task_path COLLATE "C", parts.task_id COLLATE "C", parts.idx;

-- checkpoints_list_by_thread_id_by_checkpoint_ns_by_checkpoint_id
WITH page AS (SELECT * FROM (
	SELECT *, count(*) OVER () AS fetched, row_number() OVER newest AS position,
		sum(bytes) OVER newest AS bytes_so_far
	FROM (
		SELECT c.*, octet_length(c.data) + octet_length(c.metadata) + coalesce(held.bytes, 0)
			+ coalesce(written.bytes, 0) AS bytes
		FROM (
			SELECT * FROM checkpoints
			WHERE project_id = $1 AND thread_id = $9 AND checkpoint_ns = $10 AND checkpoint_id = $11
				AND checkpoint_id < coalesce($2, repeat(U&'\+10FFFF', 65)) AND metadata_terms @> $3::text[]
				AND (checkpoint_id, thread_id, checkpoint_ns)
					< (coalesce($4, repeat(U&'\+10FFFF', 65)), coalesce($5, ''), coalesce($6, ''))
			ORDER BY checkpoint_id DESC, thread_id DESC, checkpoint_ns DESC LIMIT $7::int + 1
		) AS c
		CROSS JOIN LATERAL (
			SELECT sum(octet_length(b.data)) AS bytes FROM unnest(c.channels, c.versions) AS v (channel, version)
			JOIN checkpoint_blobs b ON b.project_id = c.project_id AND b.thread_id = c.thread_id
				AND b.checkpoint_ns = c.checkpoint_ns AND b.channel = v.channel AND b.version = v.version
		) AS held
		CROSS JOIN LATERAL (
			SELECT sum(octet_length(w.data)) AS bytes FROM checkpoint_writes w
			WHERE w.project_id = c.project_id AND w.thread_id = c.thread_id
				AND w.checkpoint_ns = c.checkpoint_ns AND w.checkpoint_id = c.checkpoint_id
		) AS written
	) AS candidates
	WINDOW newest AS (ORDER BY checkpoint_id DESC, thread_id DESC, checkpoint_ns DESC)
) AS walk
WHERE position = 1 OR (position <= $7::int AND bytes_so_far <= $8::bigint)), parts AS (SELECT page.position, 'checkpoint' AS part, NULL::text AS channel, NULL::text AS task_path, NULL::text AS task_id, NULL::int AS idx, page.type, page.encoding, page.data FROM page UNION ALL SELECT page.position, 'metadata', NULL::text AS channel, NULL::text AS task_path, NULL::text AS task_id, NULL::int AS idx, page.metadata_type, page.metadata_encoding, page.metadata FROM page UNION ALL SELECT page.position, 'value', v.channel, NULL, NULL, NULL, b.type, b.encoding, b.data
FROM page CROSS JOIN LATERAL unnest(page.channels, page.versions) AS v (channel, version)
JOIN checkpoint_blobs b ON b.project_id = page.project_id AND b.thread_id = page.thread_id
	AND b.checkpoint_ns = page.checkpoint_ns AND b.channel = v.channel AND b.version = v.version
WHERE b.data IS NOT NULL UNION ALL SELECT page.position, 'write', w.channel, w.task_path, w.task_id, w.idx, w.type, w.encoding, w.data
FROM page JOIN checkpoint_writes w ON w.project_id = page.project_id AND w.thread_id = page.thread_id
	AND w.checkpoint_ns = page.checkpoint_ns AND w.checkpoint_id = page.checkpoint_id UNION ALL SELECT page.position, 'send', w.channel, w.task_path, w.task_id, w.idx, w.type, w.encoding, w.data
FROM page JOIN checkpoint_writes w ON w.project_id = page.project_id AND w.thread_id = page.thread_id
	AND w.checkpoint_ns = page.checkpoint_ns AND w.checkpoint_id = page.parent_checkpoint_id
WHERE page.format < 4 AND w.channel = '__pregel_tasks')
SELECT parts.position, parts.part, parts.channel, parts.task_id, parts.type, parts.encoding, parts.data,
	page.thread_id, page.checkpoint_ns, page.checkpoint_id, page.parent_checkpoint_id, page.metadata_json,
	page.fetched, to_char(page.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS created_at
FROM parts LEFT JOIN page ON page.position = parts.position AND parts.part = 'checkpoint'
ORDER BY parts.position, parts.part, parts.task_path COLLATE "C", parts.task_id COLLATE "C", parts.idx;

-- config_lock
SELECT config FROM conversations WHERE project_id = $1 AND conversation_id = $2 FOR UPDATE;

-- config_select
SELECT config FROM conversations WHERE project_id = $1 AND conversation_id = $2;

-- config_set
UPDATE conversations SET config = $3::text::json, updated_at = greatest(updated_at, clock_timestamp())
WHERE project_id = $1 AND conversation_id = $2 RETURNING config;

-- context_find_kept
SELECT kept.seq FROM conversations c
JOIN messages kept ON kept.project_id = c.project_id AND kept.conversation_id = c.conversation_id
CROSS JOIN LATERAL (WITH RECURSIVE up (branch, high, seq) AS (
	SELECT c.active_branch, kept.seq, (SELECT m.seq FROM messages m WHERE m.project_id = $1 AND m.conversation_id = c.conversation_id AND m.branch = c.active_branch AND m.seq <= kept.seq
	AND true ORDER BY m.seq DESC LIMIT 1)
	UNION ALL
	SELECT parent.parent_branch, least(parent.fork_seq, up.high),
		(SELECT m.seq FROM messages m WHERE m.project_id = $1 AND m.conversation_id = c.conversation_id AND m.branch = parent.parent_branch AND m.seq <= least(parent.fork_seq, up.high)
	AND true ORDER BY m.seq DESC LIMIT 1)
	FROM up CROSS JOIN LATERAL (
	SELECT b.parent_branch, b.fork_seq FROM branches b WHERE b.project_id = $1 AND b.conversation_id = c.conversation_id AND b.branch = up.branch LIMIT 1
) AS parent WHERE up.branch > 0 AND up.seq IS NULL
)
SELECT up.branch, up.seq, m.message_id FROM up
JOIN messages m ON m.project_id = $1 AND m.conversation_id = c.conversation_id AND m.branch = up.branch AND m.seq = up.seq) AS shown
WHERE c.project_id = $1 AND c.conversation_id = $2 AND kept.message_id = $3 AND shown.seq = kept.seq;

-- context_list
SELECT page.* FROM conversations c
LEFT JOIN LATERAL (SELECT candidate.message_id, candidate.conversation_id, candidate.seq, candidate.branch, candidate.kind, candidate.role, candidate.type, candidate.payload, candidate.metadata, candidate.label, candidate.source_message_id, to_char(candidate.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS created_at, to_char(candidate.updated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS updated_at, candidate.position, candidate.fetched
FROM (
	SELECT *, count(*) OVER () AS fetched, row_number() OVER walk AS position, sum(bytes) OVER walk AS bytes_so_far
	FROM (WITH RECURSIVE ranges (branch, high) AS (
	SELECT $4::int, $5::bigint
	UNION ALL
	SELECT parent.parent_branch, least(parent.fork_seq, ranges.high)
	FROM ranges CROSS JOIN LATERAL (
	SELECT b.parent_branch, b.fork_seq FROM branches b WHERE b.project_id = $1 AND b.conversation_id = c.conversation_id AND b.branch = ranges.branch LIMIT 1
) AS parent WHERE ranges.branch > 0
)
SELECT m.* FROM (SELECT * FROM ranges ORDER BY high asc OFFSET 0) AS range
CROSS JOIN LATERAL (SELECT * FROM messages m WHERE m.project_id = $1 AND m.conversation_id = c.conversation_id AND m.branch = range.branch AND m.seq <= range.high AND m.seq > coalesce($6::bigint, 0) AND m.kind IN ('message', 'branch_summary')
ORDER BY m.seq asc LIMIT $7::int + 1) AS m
ORDER BY range.high asc, m.seq asc LIMIT $7::int + 1) AS read
	WINDOW walk AS (ORDER BY seq asc)
) AS candidate
WHERE position = 1 OR (position <= $7::int AND bytes_so_far <= $8::bigint)) AS page ON true
WHERE c.project_id = $1 AND c.conversation_id = $2 AND c.incarnation = $3::uuid
ORDER BY page.position;

-- context_start
SELECT c.incarnation, c.tip, c.last_branch, c.bound, compaction.first_kept_seq, compaction.message_id, compaction.conversation_id, compaction.seq, compaction.branch, compaction.kind, compaction.role, compaction.type, compaction.payload, compaction.metadata, compaction.label, compaction.source_message_id, to_char(compaction.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS created_at, to_char(compaction.updated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS updated_at
FROM (
	SELECT *, coalesce($3::int, active_branch) AS tip, coalesce($4::bigint, last_seq) AS bound
	FROM conversations WHERE project_id = $1 AND conversation_id = $2
) AS c
LEFT JOIN LATERAL (WITH RECURSIVE up (branch, high, seq) AS (
	SELECT c.tip, c.bound, (SELECT m.seq FROM messages m WHERE m.project_id = $1 AND m.conversation_id = c.conversation_id AND m.branch = c.tip AND m.seq <= c.bound
	AND m.kind = 'compaction' ORDER BY m.seq DESC LIMIT 1)
	UNION ALL
	SELECT parent.parent_branch, least(parent.fork_seq, up.high),
		(SELECT m.seq FROM messages m WHERE m.project_id = $1 AND m.conversation_id = c.conversation_id AND m.branch = parent.parent_branch AND m.seq <= least(parent.fork_seq, up.high)
	AND m.kind = 'compaction' ORDER BY m.seq DESC LIMIT 1)
	FROM up CROSS JOIN LATERAL (
	SELECT b.parent_branch, b.fork_seq FROM branches b WHERE b.project_id = $1 AND b.conversation_id = c.conversation_id AND b.branch = up.branch LIMIT 1
) AS parent WHERE up.branch > 0 AND up.seq IS NULL
)
SELECT up.branch, up.seq, m.message_id FROM up
JOIN messages m ON m.project_id = $1 AND m.conversation_id = c.conversation_id AND m.branch = up.branch AND m.seq = up.seq) AS newest ON true
LEFT JOIN messages compaction ON compaction.project_id = $1 AND compaction.message_id = newest.message_id;

-- conversation_create_locked
INSERT INTO conversations AS c (project_id, conversation_id, metadata, created_at, updated_at)
SELECT $1, $2, '{}', now, now FROM (SELECT clock_timestamp() AS now) AS clock
ON CONFLICT (project_id, conversation_id) DO UPDATE SET last_seq = c.last_seq
RETURNING active_branch, last_branch, last_seq;

-- conversation_delete
DELETE FROM conversations WHERE project_id = $1 AND conversation_id = $2;

-- conversation_insert
INSERT INTO conversations (project_id, conversation_id, metadata, created_at, updated_at)
SELECT $1, $2, $3::json, now, now FROM (SELECT clock_timestamp() AS now) AS clock
RETURNING conversation_id, metadata, parent_conversation_id, parent_message_id,
	to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS created_at, to_char(updated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS updated_at;

-- conversation_lock
SELECT active_branch, last_branch, last_seq FROM conversations
WHERE project_id = $1 AND conversation_id = $2 FOR UPDATE;

-- conversation_lock_by_message
SELECT c.conversation_id, m.kind FROM conversations c JOIN messages m USING (project_id, conversation_id)
WHERE m.project_id = $1 AND m.message_id = $2 AND ($3::text[] IS NULL OR m.conversation_id = ANY($3))
FOR UPDATE OF c;

-- conversation_lock_whole
SELECT conversation_id, metadata, parent_conversation_id, parent_message_id,
	to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS created_at, to_char(updated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS updated_at FROM conversations WHERE project_id = $1 AND conversation_id = $2 FOR UPDATE;

-- conversation_set_metadata
UPDATE conversations SET metadata = $3::json, updated_at = greatest(updated_at, clock_timestamp())
WHERE project_id = $1 AND conversation_id = $2 RETURNING conversation_id, metadata, parent_conversation_id, parent_message_id,
	to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS created_at, to_char(updated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS updated_at;

-- conversations_list
SELECT conversation_id, metadata, parent_conversation_id, parent_message_id,
	to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS created_at, to_char(updated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS updated_at, fetched FROM (
	SELECT *, count(*) OVER () AS fetched, row_number() OVER newest AS position,
		sum(octet_length(metadata::text)) OVER newest AS bytes_so_far
	FROM (
		SELECT conversation_id, metadata, parent_conversation_id, parent_message_id, created_at, updated_at
		FROM conversations
		WHERE project_id = $1
			AND (updated_at, conversation_id) < (coalesce($2::timestamptz, 'infinity'), coalesce($3, '')) 
		ORDER BY updated_at DESC, conversation_id DESC LIMIT $4::int + 1
	) AS candidates
	WINDOW newest AS (ORDER BY updated_at DESC, conversation_id DESC)
) AS page
WHERE position = 1 OR (position <= $4::int AND bytes_so_far <= $5::bigint)
ORDER BY position;

-- conversations_list_limited
SELECT conversation_id, metadata, parent_conversation_id, parent_message_id,
	to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS created_at, to_char(updated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS updated_at, fetched FROM (
	SELECT *, count(*) OVER () AS fetched, row_number() OVER newest AS position,
		sum(octet_length(metadata::text)) OVER newest AS bytes_so_far
	FROM (
		SELECT conversation_id, metadata, parent_conversation_id, parent_message_id, created_at, updated_at
		FROM conversations
		WHERE project_id = $1
			AND (updated_at, conversation_id) < (coalesce($2::timestamptz, 'infinity'), coalesce($3, '')) AND conversation_id = ANY($6::text[])
		ORDER BY updated_at DESC, conversation_id DESC LIMIT $4::int + 1
	) AS candidates
	WINDOW newest AS (ORDER BY updated_at DESC, conversation_id DESC)
) AS page
WHERE position = 1 OR (position <= $4::int AND bytes_so_far <= $5::bigint)
ORDER BY position;

-- conversations_select
SELECT conversation_id, metadata, parent_conversation_id, parent_message_id,
	to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS created_at, to_char(updated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS updated_at FROM conversations WHERE project_id = $1 AND conversation_id = ANY($2::text[]);

-- fork_copy
WITH path AS MATERIALIZED (
	SELECT m.*, row_number() OVER (ORDER BY m.seq) AS new_seq FROM conversations c
	CROSS JOIN LATERAL (WITH RECURSIVE ranges (branch, high) AS (
	SELECT $4::int, $5::bigint
	UNION ALL
	SELECT parent.parent_branch, least(parent.fork_seq, ranges.high)
	FROM ranges CROSS JOIN LATERAL (
	SELECT b.parent_branch, b.fork_seq FROM branches b WHERE b.project_id = $1 AND b.conversation_id = c.conversation_id AND b.branch = ranges.branch LIMIT 1
) AS parent WHERE ranges.branch > 0
)
SELECT m.* FROM (SELECT * FROM ranges ORDER BY high asc OFFSET 0) AS range
CROSS JOIN LATERAL (SELECT * FROM messages m WHERE m.project_id = $1 AND m.conversation_id = c.conversation_id AND m.branch = range.branch AND m.seq <= range.high
ORDER BY m.seq asc ) AS m
ORDER BY range.high asc, m.seq asc ) AS m
	WHERE c.project_id = $1 AND c.conversation_id = $2
), copied AS (
	INSERT INTO messages (project_id, message_id, conversation_id, branch, seq, kind, role, type, payload, metadata,
		bytes, label, source_message_id, first_kept_seq, created_at, updated_at)
	SELECT project_id, encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid()) PLACING substring(
	int8send(floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint) FROM 3) FROM 1 FOR 6), 52, 1), 53, 1), 'hex')::uuid::text, $3, 0, new_seq, kind, role, type, payload, metadata, bytes, label, message_id,
		CASE WHEN first_kept_seq IS NOT NULL THEN (
			SELECT min(kept.new_seq) FROM path kept WHERE kept.seq >= path.first_kept_seq
		) END, created_at, updated_at
	FROM path
	RETURNING seq
)
UPDATE conversations SET last_seq = (SELECT count(*) FROM copied) WHERE project_id = $1 AND conversation_id = $3;

-- fork_find_end
SELECT place.branch, place.seq, place.message_id FROM conversations c CROSS JOIN LATERAL (
	SELECT m.branch, m.seq, m.message_id FROM messages m
	WHERE m.project_id = $1 AND m.conversation_id = $2 AND m.message_id = $3
	UNION ALL
	SELECT leaf.* FROM (WITH RECURSIVE up (branch, high, seq) AS (
	SELECT c.active_branch, c.last_seq, (SELECT m.seq FROM messages m WHERE m.project_id = $1 AND m.conversation_id = c.conversation_id AND m.branch = c.active_branch AND m.seq <= c.last_seq
	AND true ORDER BY m.seq DESC LIMIT 1)
	UNION ALL
	SELECT parent.parent_branch, least(parent.fork_seq, up.high),
		(SELECT m.seq FROM messages m WHERE m.project_id = $1 AND m.conversation_id = c.conversation_id AND m.branch = parent.parent_branch AND m.seq <= least(parent.fork_seq, up.high)
	AND true ORDER BY m.seq DESC LIMIT 1)
	FROM up CROSS JOIN LATERAL (
	SELECT b.parent_branch, b.fork_seq FROM branches b WHERE b.project_id = $1 AND b.conversation_id = c.conversation_id AND b.branch = up.branch LIMIT 1
) AS parent WHERE up.branch > 0 AND up.seq IS NULL
)
SELECT up.branch, up.seq, m.message_id FROM up
JOIN messages m ON m.project_id = $1 AND m.conversation_id = c.conversation_id AND m.branch = up.branch AND m.seq = up.seq) AS leaf WHERE $3::text IS NULL
) AS place
WHERE c.project_id = $1 AND c.conversation_id = $2;

-- fork_insert
INSERT INTO conversations AS fork (project_id, conversation_id, metadata, config, parent_conversation_id,
	parent_message_id, created_at, updated_at)
SELECT project_id, $3, metadata, config, conversation_id, $4, now, now
FROM conversations, (SELECT clock_timestamp() AS now) AS clock
WHERE project_id = $1 AND conversation_id = $2
RETURNING conversation_id, metadata, parent_conversation_id, parent_message_id,
	to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS created_at, to_char(updated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS updated_at;

-- fork_select_compactions
SELECT compaction.message_id, compaction.payload, kept.message_id AS kept_id
FROM messages compaction JOIN messages kept ON kept.project_id = compaction.project_id
	AND kept.conversation_id = compaction.conversation_id AND kept.branch = compaction.branch
	AND kept.seq = compaction.first_kept_seq
WHERE compaction.project_id = $1 AND compaction.conversation_id = $2 AND compaction.kind = 'compaction';

-- fork_set_payloads
UPDATE messages m SET payload = input.payload::json,
	bytes = octet_length(input.payload) + octet_length(m.metadata::text)
FROM unnest($2::text[], $3::text[]) AS input (message_id, payload)
WHERE m.project_id = $1 AND m.message_id = input.message_id;

-- history_insert_operation
WITH expired AS (
	DELETE FROM history_operations WHERE project_id = $1 AND conversation_id = $2 AND expires_at < now()
)
INSERT INTO history_operations (project_id, conversation_id, operation_id, digest, result, expires_at)
VALUES ($1, $2, $3, $4, $5::text::json, CASE WHEN $6 THEN NULL ELSE now() + interval '1 hour' END);

-- history_list
SELECT c.incarnation, c.active_branch, c.last_seq, page.*
FROM conversations c LEFT JOIN LATERAL (SELECT candidate.message_id, candidate.conversation_id, candidate.seq, candidate.branch, candidate.kind, candidate.role, candidate.type, candidate.payload, candidate.metadata, candidate.label, candidate.source_message_id, to_char(candidate.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS created_at, to_char(candidate.updated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS updated_at, candidate.position, candidate.fetched
FROM (
	SELECT *, count(*) OVER () AS fetched, row_number() OVER walk AS position, sum(bytes) OVER walk AS bytes_so_far
	FROM (WITH RECURSIVE ranges (branch, high) AS (
	SELECT c.active_branch, c.last_seq
	UNION ALL
	SELECT parent.parent_branch, least(parent.fork_seq, ranges.high)
	FROM ranges CROSS JOIN LATERAL (
	SELECT b.parent_branch, b.fork_seq FROM branches b WHERE b.project_id = $1 AND b.conversation_id = c.conversation_id AND b.branch = ranges.branch LIMIT 1
) AS parent WHERE ranges.branch > 0
)
SELECT m.* FROM (SELECT * FROM ranges ORDER BY high desc OFFSET 0) AS range
CROSS JOIN LATERAL (SELECT * FROM messages m WHERE m.project_id = $1 AND m.conversation_id = c.conversation_id AND m.branch = range.branch AND m.seq <= range.high AND m.seq < coalesce($3::bigint, 9223372036854775807) AND m.kind = 'message'
ORDER BY m.seq desc LIMIT $4::int + 1) AS m
ORDER BY range.high desc, m.seq desc LIMIT $4::int + 1) AS read
	WINDOW walk AS (ORDER BY seq desc)
) AS candidate
WHERE position = 1 OR (position <= $4::int AND bytes_so_far <= $5::bigint)) AS page ON true
WHERE c.project_id = $1 AND c.conversation_id = $2
ORDER BY page.position;

-- history_newest
SELECT newest.message_id, newest.conversation_id, newest.seq, newest.branch, newest.kind, newest.role, newest.type, newest.payload, newest.metadata, newest.label, newest.source_message_id, to_char(newest.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS created_at, to_char(newest.updated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS updated_at FROM conversations c CROSS JOIN LATERAL (
	SELECT *, sum(bytes) OVER (ORDER BY seq DESC) - bytes AS bytes_before
	FROM (WITH RECURSIVE ranges (branch, high) AS (
	SELECT c.active_branch, c.last_seq
	UNION ALL
	SELECT parent.parent_branch, least(parent.fork_seq, ranges.high)
	FROM ranges CROSS JOIN LATERAL (
	SELECT b.parent_branch, b.fork_seq FROM branches b WHERE b.project_id = $1 AND b.conversation_id = c.conversation_id AND b.branch = ranges.branch LIMIT 1
) AS parent WHERE ranges.branch > 0
)
SELECT m.* FROM (SELECT * FROM ranges ORDER BY high desc OFFSET 0) AS range
CROSS JOIN LATERAL (SELECT * FROM messages m WHERE m.project_id = $1 AND m.conversation_id = c.conversation_id AND m.branch = range.branch AND m.seq <= range.high AND m.kind = 'message'
ORDER BY m.seq desc LIMIT $3::int) AS m
ORDER BY range.high desc, m.seq desc LIMIT $3::int) AS read
) AS newest
WHERE c.project_id = $1 AND c.conversation_id = $2 AND bytes_before <= $4::bigint ORDER BY newest.seq DESC;

-- history_remove
DELETE FROM messages WHERE project_id = $1 AND conversation_id = $2 AND message_id = ANY($3::text[]);

-- history_select_calls
SELECT message_id, payload FROM conversations c CROSS JOIN LATERAL (WITH RECURSIVE ranges (branch, high) AS (
	SELECT c.active_branch, c.last_seq
	UNION ALL
	SELECT parent.parent_branch, least(parent.fork_seq, ranges.high)
	FROM ranges CROSS JOIN LATERAL (
	SELECT b.parent_branch, b.fork_seq FROM branches b WHERE b.project_id = $1 AND b.conversation_id = c.conversation_id AND b.branch = ranges.branch LIMIT 1
) AS parent WHERE ranges.branch > 0
)
SELECT m.* FROM (SELECT * FROM ranges ORDER BY high asc OFFSET 0) AS range
CROSS JOIN LATERAL (SELECT * FROM messages m WHERE m.project_id = $1 AND m.conversation_id = c.conversation_id AND m.branch = range.branch AND m.seq <= range.high AND m.kind = 'message' AND EXISTS (
	SELECT FROM unnest($3::text[]) AS part WHERE position(part IN m.payload::text) > 0
)
ORDER BY m.seq asc ) AS m
ORDER BY range.high asc, m.seq asc ) AS m
WHERE c.project_id = $1 AND c.conversation_id = $2 ORDER BY seq;

-- history_select_operation
SELECT digest, result FROM history_operations
WHERE project_id = $1 AND conversation_id = $2 AND operation_id = $3;

-- history_set_payloads
WITH touched AS (
	UPDATE conversations SET updated_at = greatest(updated_at + interval '1 millisecond', clock_timestamp())
	WHERE project_id = $1 AND conversation_id = $2 RETURNING updated_at
)
UPDATE messages m SET payload = input.payload::json, updated_at = touched.updated_at,
	bytes = octet_length(input.payload) + octet_length(m.metadata::text)
FROM touched, unnest($3::text[], $4::text[]) AS input (message_id, payload)
WHERE m.project_id = $1 AND m.conversation_id = $2 AND m.message_id = input.message_id;

-- history_sum_up
SELECT count(*) AS messages, coalesce(sum(floor(extract(epoch FROM m.updated_at) * 1000)), 0)::text AS times
FROM conversations c CROSS JOIN LATERAL (WITH RECURSIVE ranges (branch, high) AS (
	SELECT c.active_branch, $6::bigint
	UNION ALL
	SELECT parent.parent_branch, least(parent.fork_seq, ranges.high)
	FROM ranges CROSS JOIN LATERAL (
	SELECT b.parent_branch, b.fork_seq FROM branches b WHERE b.project_id = $1 AND b.conversation_id = c.conversation_id AND b.branch = ranges.branch LIMIT 1
) AS parent WHERE ranges.branch > 0
)
SELECT m.* FROM (SELECT * FROM ranges ORDER BY high asc OFFSET 0) AS range
CROSS JOIN LATERAL (SELECT * FROM messages m WHERE m.project_id = $1 AND m.conversation_id = c.conversation_id AND m.branch = range.branch AND m.seq <= range.high AND m.seq > coalesce($5::bigint - 1, 0) AND m.kind = 'message'
ORDER BY m.seq asc ) AS m
ORDER BY range.high asc, m.seq asc ) AS m
WHERE c.project_id = $1 AND c.conversation_id = $2 AND c.incarnation = $3::uuid AND c.active_branch = $4;

-- label_set
WITH touched AS (
	UPDATE conversations SET updated_at = greatest(updated_at, clock_timestamp())
	WHERE project_id = $1 AND conversation_id = $2 RETURNING updated_at
)
UPDATE messages m SET label = $4, updated_at = touched.updated_at
FROM touched WHERE m.project_id = $1 AND m.conversation_id = $2 AND m.message_id = $3
RETURNING m.message_id, m.conversation_id, m.seq, m.branch, m.kind, m.role, m.type, m.payload, m.metadata, m.label, m.source_message_id, to_char(m.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS created_at, to_char(m.updated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS updated_at;

-- message_delete
WITH gone AS (
	DELETE FROM messages WHERE project_id = $1 AND conversation_id = $2 AND message_id = $3 RETURNING message_id
)
UPDATE conversations SET updated_at = greatest(updated_at, clock_timestamp())
WHERE project_id = $1 AND conversation_id = $2 AND EXISTS (SELECT FROM gone);

-- message_update
WITH touched AS (
	UPDATE conversations SET updated_at = greatest(updated_at, clock_timestamp())
	WHERE project_id = $1 AND conversation_id = $2 RETURNING updated_at
)
UPDATE messages m SET
	role = CASE WHEN $4 THEN $5 ELSE m.role END,
	type = CASE WHEN $6 THEN $7 ELSE m.type END,
	payload = coalesce($8::text::json, m.payload),
	metadata = coalesce($9::text::json, m.metadata),
	bytes = octet_length(coalesce($8::text, m.payload::text)) + octet_length(coalesce($9::text, m.metadata::text)),
	updated_at = touched.updated_at
FROM touched WHERE m.project_id = $1 AND m.conversation_id = $2 AND m.message_id = $3
RETURNING m.message_id, m.conversation_id, m.seq, m.branch, m.kind, m.role, m.type, m.payload, m.metadata, m.label, m.source_message_id, to_char(m.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS created_at, to_char(m.updated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS updated_at, m.bytes;

-- messages_append
WITH input AS (
	SELECT * FROM unnest($3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::int[], $9::text[], $10::bigint[])
		WITH ORDINALITY AS input (message_id, role, type, payload, metadata, bytes, kind, first_kept_seq, ord)
), old AS (
	SELECT FROM messages WHERE project_id = $1 AND message_id = ANY($3::text[]) AND $11
), conversation AS (
	INSERT INTO conversations AS c (project_id, conversation_id, metadata, last_seq, created_at, updated_at)
	SELECT $1, $2, '{}', cardinality($3::text[]), now, now
	FROM (SELECT clock_timestamp() AS now) AS clock WHERE NOT EXISTS (SELECT FROM old)
	ON CONFLICT (project_id, conversation_id) DO UPDATE SET
		last_seq = c.last_seq + excluded.last_seq,
		updated_at = greatest(c.updated_at, excluded.updated_at)
	RETURNING active_branch, last_seq - cardinality($3::text[]) AS seq_before, updated_at
)
INSERT INTO messages AS m (project_id, message_id, conversation_id, branch, seq, kind, role, type, payload,
	metadata, bytes, first_kept_seq, created_at, updated_at)
SELECT $1, input.message_id, $2, conversation.active_branch, conversation.seq_before + input.ord, input.kind,
	input.role, input.type, input.payload::json, input.metadata::json, input.bytes, input.first_kept_seq,
	conversation.updated_at, conversation.updated_at
FROM input, conversation ORDER BY input.message_id
RETURNING m.message_id, m.conversation_id, m.seq, m.branch, m.kind, m.role, m.type, m.payload, m.metadata, m.label, m.source_message_id, to_char(m.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS created_at, to_char(m.updated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS updated_at;

-- messages_clear
WITH gone AS (
	DELETE FROM messages WHERE project_id = $1 AND conversation_id = $2 RETURNING message_id
), cut AS (
	DELETE FROM branches WHERE project_id = $1 AND conversation_id = $2 RETURNING branch
), forgotten AS (
	DELETE FROM history_operations WHERE project_id = $1 AND conversation_id = $2
)
UPDATE conversations SET active_branch = 0, last_branch = 0, updated_at = greatest(updated_at, clock_timestamp())
WHERE project_id = $1 AND conversation_id = $2 AND (EXISTS (SELECT FROM gone) OR EXISTS (SELECT FROM cut));

-- messages_list_all_asc
SELECT wanted.ord, c.incarnation, c.last_branch, coalesce(wanted.branch, c.active_branch) AS tip,
		coalesce(wanted.bound, c.last_seq) AS bound, page.*
	FROM unnest($2::text[], $3::bigint[], $4::bigint[], $5::int[])
		WITH ORDINALITY AS wanted (conversation_id, after, bound, branch, ord)
	CROSS JOIN LATERAL (
		SELECT * FROM conversations WHERE project_id = $1 AND conversation_id = wanted.conversation_id OFFSET 0
	) AS c
	LEFT JOIN LATERAL (SELECT candidate.message_id, candidate.conversation_id, candidate.seq, candidate.branch, candidate.kind, candidate.role, candidate.type, candidate.payload, candidate.metadata, candidate.label, candidate.source_message_id, to_char(candidate.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS created_at, to_char(candidate.updated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS updated_at, candidate.position, candidate.fetched
FROM (
	SELECT *, count(*) OVER () AS fetched, row_number() OVER walk AS position, sum(bytes) OVER walk AS bytes_so_far
	FROM (SELECT m.* FROM (
	(SELECT * FROM messages m WHERE m.project_id = $1 AND m.conversation_id = c.conversation_id AND m.branch = 0 AND m.seq <= coalesce(wanted.bound, c.last_seq) AND m.seq > coalesce(wanted.after, 0)
ORDER BY m.seq asc LIMIT $6::int + 1) UNION ALL (SELECT * FROM messages m WHERE m.project_id = $1 AND m.conversation_id = c.conversation_id AND m.branch > 0 AND m.seq <= coalesce(wanted.bound, c.last_seq) AND m.seq > coalesce(wanted.after, 0)
ORDER BY m.seq asc LIMIT $6::int + 1)
) AS m
ORDER BY m.seq asc LIMIT $6::int + 1) AS read
	WINDOW walk AS (ORDER BY seq asc)
) AS candidate
WHERE position = 1 OR (position <= $6::int AND bytes_so_far <= $7::bigint)) AS page ON true
	ORDER BY wanted.ord, page.position;

-- messages_list_all_desc
SELECT wanted.ord, c.incarnation, c.last_branch, coalesce(wanted.branch, c.active_branch) AS tip,
		coalesce(wanted.bound, c.last_seq) AS bound, page.*
	FROM unnest($2::text[], $3::bigint[], $4::bigint[], $5::int[])
		WITH ORDINALITY AS wanted (conversation_id, after, bound, branch, ord)
	CROSS JOIN LATERAL (
		SELECT * FROM conversations WHERE project_id = $1 AND conversation_id = wanted.conversation_id OFFSET 0
	) AS c
	LEFT JOIN LATERAL (SELECT candidate.message_id, candidate.conversation_id, candidate.seq, candidate.branch, candidate.kind, candidate.role, candidate.type, candidate.payload, candidate.metadata, candidate.label, candidate.source_message_id, to_char(candidate.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS created_at, to_char(candidate.updated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS updated_at, candidate.position, candidate.fetched
FROM (
	SELECT *, count(*) OVER () AS fetched, row_number() OVER walk AS position, sum(bytes) OVER walk AS bytes_so_far
	FROM (SELECT m.* FROM (
	(SELECT * FROM messages m WHERE m.project_id = $1 AND m.conversation_id = c.conversation_id AND m.branch = 0 AND m.seq <= coalesce(wanted.bound, c.last_seq) AND m.seq < coalesce(wanted.after, 9223372036854775807)
ORDER BY m.seq desc LIMIT $6::int + 1) UNION ALL (SELECT * FROM messages m WHERE m.project_id = $1 AND m.conversation_id = c.conversation_id AND m.branch > 0 AND m.seq <= coalesce(wanted.bound, c.last_seq) AND m.seq < coalesce(wanted.after, 9223372036854775807)
ORDER BY m.seq desc LIMIT $6::int + 1)
) AS m
ORDER BY m.seq desc LIMIT $6::int + 1) AS read
	WINDOW walk AS (ORDER BY seq desc)
) AS candidate
WHERE position = 1 OR (position <= $6::int AND bytes_so_far <= $7::bigint)) AS page ON true
	ORDER BY wanted.ord, page.position;

-- messages_list_flat_asc
SELECT wanted.ord, c.incarnation, c.last_branch, coalesce(wanted.branch, c.active_branch) AS tip,
		coalesce(wanted.bound, c.last_seq) AS bound, page.*
	FROM unnest($2::text[], $3::bigint[], $4::bigint[], $5::int[])
		WITH ORDINALITY AS wanted (conversation_id, after, bound, branch, ord)
	CROSS JOIN LATERAL (
		SELECT * FROM conversations WHERE project_id = $1 AND conversation_id = wanted.conversation_id OFFSET 0
	) AS c
	LEFT JOIN LATERAL (SELECT candidate.message_id, candidate.conversation_id, candidate.seq, candidate.branch, candidate.kind, candidate.role, candidate.type, candidate.payload, candidate.metadata, candidate.label, candidate.source_message_id, to_char(candidate.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS created_at, to_char(candidate.updated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS updated_at, candidate.position, candidate.fetched
FROM (
	SELECT *, count(*) OVER () AS fetched, row_number() OVER walk AS position, sum(bytes) OVER walk AS bytes_so_far
	FROM (SELECT * FROM messages m WHERE m.project_id = $1 AND m.conversation_id = c.conversation_id AND c.last_branch = 0 AND m.branch = 0 AND m.seq <= coalesce(wanted.bound, c.last_seq) AND m.seq > coalesce(wanted.after, 0)
ORDER BY m.seq asc LIMIT $6::int + 1) AS read
	WINDOW walk AS (ORDER BY seq asc)
) AS candidate
WHERE position = 1 OR (position <= $6::int AND bytes_so_far <= $7::bigint)) AS page ON true
	ORDER BY wanted.ord, page.position;

-- messages_list_flat_desc
SELECT wanted.ord, c.incarnation, c.last_branch, coalesce(wanted.branch, c.active_branch) AS tip,
		coalesce(wanted.bound, c.last_seq) AS bound, page.*
	FROM unnest($2::text[], $3::bigint[], $4::bigint[], $5::int[])
		WITH ORDINALITY AS wanted (conversation_id, after, bound, branch, ord)
	CROSS JOIN LATERAL (
		SELECT * FROM conversations WHERE project_id = $1 AND conversation_id = wanted.conversation_id OFFSET 0
	) AS c
	LEFT JOIN LATERAL (SELECT candidate.message_id, candidate.conversation_id, candidate.seq, candidate.branch, candidate.kind, candidate.role, candidate.type, candidate.payload, candidate.metadata, candidate.label, candidate.source_message_id, to_char(candidate.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS created_at, to_char(candidate.updated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS updated_at, candidate.position, candidate.fetched
FROM (
	SELECT *, count(*) OVER () AS fetched, row_number() OVER walk AS position, sum(bytes) OVER walk AS bytes_so_far
	FROM (SELECT * FROM messages m WHERE m.project_id = $1 AND m.conversation_id = c.conversation_id AND c.last_branch = 0 AND m.branch = 0 AND m.seq <= coalesce(wanted.bound, c.last_seq) AND m.seq < coalesce(wanted.after, 9223372036854775807)
ORDER BY m.seq desc LIMIT $6::int + 1) AS read
	WINDOW walk AS (ORDER BY seq desc)
) AS candidate
WHERE position = 1 OR (position <= $6::int AND bytes_so_far <= $7::bigint)) AS page ON true
	ORDER BY wanted.ord, page.position;

-- messages_list_path_asc
SELECT wanted.ord, c.incarnation, c.last_branch, coalesce(wanted.branch, c.active_branch) AS tip,
		coalesce(wanted.bound, c.last_seq) AS bound, page.*
	FROM unnest($2::text[], $3::bigint[], $4::bigint[], $5::int[])
		WITH ORDINALITY AS wanted (conversation_id, after, bound, branch, ord)
	CROSS JOIN LATERAL (
		SELECT * FROM conversations WHERE project_id = $1 AND conversation_id = wanted.conversation_id OFFSET 0
	) AS c
	LEFT JOIN LATERAL (SELECT candidate.message_id, candidate.conversation_id, candidate.seq, candidate.branch, candidate.kind, candidate.role, candidate.type, candidate.payload, candidate.metadata, candidate.label, candidate.source_message_id, to_char(candidate.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS created_at, to_char(candidate.updated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS updated_at, candidate.position, candidate.fetched
FROM (
	SELECT *, count(*) OVER () AS fetched, row_number() OVER walk AS position, sum(bytes) OVER walk AS bytes_so_far
	FROM (WITH RECURSIVE ranges (branch, high) AS (
	SELECT coalesce(wanted.branch, c.active_branch), coalesce(wanted.bound, c.last_seq)
	UNION ALL
	SELECT parent.parent_branch, least(parent.fork_seq, ranges.high)
	FROM ranges CROSS JOIN LATERAL (
	SELECT b.parent_branch, b.fork_seq FROM branches b WHERE b.project_id = $1 AND b.conversation_id = c.conversation_id AND b.branch = ranges.branch LIMIT 1
) AS parent WHERE ranges.branch > 0
)
SELECT m.* FROM (SELECT * FROM ranges ORDER BY high asc OFFSET 0) AS range
CROSS JOIN LATERAL (SELECT * FROM messages m WHERE m.project_id = $1 AND m.conversation_id = c.conversation_id AND m.branch = range.branch AND m.seq <= range.high AND m.seq > coalesce(wanted.after, 0)
ORDER BY m.seq asc LIMIT $6::int + 1) AS m
ORDER BY range.high asc, m.seq asc LIMIT $6::int + 1) AS read
	WINDOW walk AS (ORDER BY seq asc)
) AS candidate
WHERE position = 1 OR (position <= $6::int AND bytes_so_far <= $7::bigint)) AS page ON true
	ORDER BY wanted.ord, page.position;

-- messages_list_path_desc
SELECT wanted.ord, c.incarnation, c.last_branch, coalesce(wanted.branch, c.active_branch) AS tip,
		coalesce(wanted.bound, c.last_seq) AS bound, page.*
	FROM unnest($2::text[], $3::bigint[], $4::bigint[], $5::int[])
		WITH ORDINALITY AS wanted (conversation_id, after, bound, branch, ord)
	CROSS JOIN LATERAL (
		SELECT * FROM conversations WHERE project_id = $1 AND conversation_id = wanted.conversation_id OFFSET 0
	) AS c
	LEFT JOIN LATERAL (SELECT candidate.message_id, candidate.conversation_id, candidate.seq, candidate.branch, candidate.kind, candidate.role, candidate.type, candidate.payload, candidate.metadata, candidate.label, candidate.source_message_id, to_char(candidate.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS created_at, to_char(candidate.updated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS updated_at, candidate.position, candidate.fetched
FROM (
	SELECT *, count(*) OVER () AS fetched, row_number() OVER walk AS position, sum(bytes) OVER walk AS bytes_so_far
	FROM (WITH RECURSIVE ranges (branch, high) AS (
	SELECT coalesce(wanted.branch, c.active_branch), coalesce(wanted.bound, c.last_seq)
	UNION ALL
	SELECT parent.parent_branch, least(parent.fork_seq, ranges.high)
	FROM ranges CROSS JOIN LATERAL (
	SELECT b.parent_branch, b.fork_seq FROM branches b WHERE b.project_id = $1 AND b.conversation_id = c.conversation_id AND b.branch = ranges.branch LIMIT 1
) AS parent WHERE ranges.branch > 0
)
SELECT m.* FROM (SELECT * FROM ranges ORDER BY high desc OFFSET 0) AS range
CROSS JOIN LATERAL (SELECT * FROM messages m WHERE m.project_id = $1 AND m.conversation_id = c.conversation_id AND m.branch = range.branch AND m.seq <= range.high AND m.seq < coalesce(wanted.after, 9223372036854775807)
ORDER BY m.seq desc LIMIT $6::int + 1) AS m
ORDER BY range.high desc, m.seq desc LIMIT $6::int + 1) AS read
	WINDOW walk AS (ORDER BY seq desc)
) AS candidate
WHERE position = 1 OR (position <= $6::int AND bytes_so_far <= $7::bigint)) AS page ON true
	ORDER BY wanted.ord, page.position;

-- messages_select
SELECT m.message_id, m.conversation_id, m.seq, m.branch, m.kind, m.role, m.type, m.payload, m.metadata, m.label, m.source_message_id, to_char(m.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS created_at, to_char(m.updated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS updated_at FROM messages m WHERE m.project_id = $1 AND m.message_id = ANY($2::text[]);

-- migrations_recorded
SELECT migration_name AS name, finished_at IS NOT NULL AS finished
FROM _prisma_migrations WHERE rolled_back_at IS NULL ORDER BY started_at;

-- migrations_table
SELECT to_regclass('_prisma_migrations') IS NOT NULL AS found;

-- prisma_1
INSERT INTO "public"."projects" ("project_id","name","cursor_key","created_at") VALUES ($1,$2,$3,$4) RETURNING "public"."projects"."project_id";

-- prisma_10
SELECT "public"."api_tokens"."project_id", "public"."api_tokens"."token_hash", "public"."api_tokens"."token_id", "public"."api_tokens"."name", "public"."api_tokens"."role", "public"."api_tokens"."created_at", "public"."api_tokens"."expires_at", "public"."api_tokens"."last_used_at", "public"."api_tokens"."revoked_at" FROM "public"."api_tokens" WHERE "public"."api_tokens"."project_id" = $1 ORDER BY "public"."api_tokens"."created_at" ASC, "public"."api_tokens"."token_id" ASC OFFSET $2;

-- prisma_11
SELECT "public"."api_tokens"."project_id", "public"."api_tokens"."token_hash" FROM "public"."api_tokens" WHERE "public"."api_tokens"."token_id" = $1 LIMIT $2 OFFSET $3;

-- prisma_12
UPDATE "public"."api_tokens" SET "revoked_at" = $1 WHERE ("public"."api_tokens"."project_id" = $2 AND "public"."api_tokens"."token_id" = $3 AND "public"."api_tokens"."revoked_at" IS NULL);

-- prisma_13
UPDATE "public"."signing_keys" SET "retired_at" = $1 WHERE ("public"."signing_keys"."project_id" = $2 AND "public"."signing_keys"."retired_at" IS NULL);

-- prisma_14
DELETE FROM "public"."signing_keys" WHERE ("public"."signing_keys"."project_id" = $1 AND "public"."signing_keys"."retired_at" <= $2);

-- prisma_15
INSERT INTO "public"."signing_keys" ("project_id","secret","created_at") VALUES ($1,$2,$3) RETURNING "public"."signing_keys"."project_id", "public"."signing_keys"."key_id", "public"."signing_keys"."secret", "public"."signing_keys"."created_at", "public"."signing_keys"."retired_at";

-- prisma_16
DELETE FROM "public"."api_tokens" WHERE "public"."api_tokens"."project_id" = $1;

-- prisma_17
DELETE FROM "public"."projects" WHERE "public"."projects"."project_id" = $1;

-- prisma_2
INSERT INTO "public"."signing_keys" ("project_id","secret","created_at") VALUES ($1,$2,$3) RETURNING "public"."signing_keys"."project_id", "public"."signing_keys"."key_id";

-- prisma_3
SELECT "public"."projects"."project_id", "public"."projects"."name", "public"."projects"."created_at" FROM "public"."projects" WHERE "public"."projects"."project_id" = $1 LIMIT $2 OFFSET $3;

-- prisma_4
SELECT "public"."projects"."project_id", "public"."projects"."name", "public"."projects"."created_at" FROM "public"."projects" WHERE ("public"."projects"."name" = $1 AND 1=1) LIMIT $2 OFFSET $3;

-- prisma_5
SELECT "public"."projects"."project_id", "public"."projects"."name", "public"."projects"."created_at" FROM "public"."projects" WHERE 1=1 ORDER BY "public"."projects"."name" ASC OFFSET $1;

-- prisma_6
INSERT INTO "public"."api_tokens" ("project_id","token_hash","name","role","created_at","expires_at") VALUES ($1,$2,$3,$4,$5,$6) RETURNING "public"."api_tokens"."project_id", "public"."api_tokens"."token_hash", "public"."api_tokens"."token_id", "public"."api_tokens"."name", "public"."api_tokens"."role", "public"."api_tokens"."created_at", "public"."api_tokens"."expires_at", "public"."api_tokens"."revoked_at", "public"."api_tokens"."last_used_at";

-- prisma_7
SELECT "public"."api_tokens"."project_id", "public"."api_tokens"."token_hash" FROM "public"."api_tokens" WHERE 1=1 LIMIT $1 OFFSET $2;

-- prisma_8
SELECT COUNT(*) AS "_count$_all" FROM (SELECT "public"."api_tokens"."project_id", "public"."api_tokens"."token_hash" FROM "public"."api_tokens" WHERE ("public"."api_tokens"."revoked_at" IS NULL AND ("public"."api_tokens"."expires_at" IS NULL OR "public"."api_tokens"."expires_at" > $1)) OFFSET $2) AS "sub";

-- prisma_9
SELECT COUNT(*) AS "_count$_all" FROM (SELECT "public"."api_tokens"."project_id", "public"."api_tokens"."token_hash" FROM "public"."api_tokens" WHERE ("public"."api_tokens"."revoked_at" IS NULL AND "public"."api_tokens"."expires_at" > $1 AND "public"."api_tokens"."expires_at" <= $2) OFFSET $3) AS "sub";

-- project_delete_checkpoint_blobs
WITH gone AS (
		DELETE FROM checkpoint_blobs WHERE project_id = $1
			AND ctid = ANY(ARRAY(SELECT ctid FROM checkpoint_blobs WHERE project_id = $1 LIMIT $2)) RETURNING 1
	)
	SELECT count(*)::int AS deleted FROM gone;

-- project_delete_checkpoint_writes
WITH gone AS (
		DELETE FROM checkpoint_writes WHERE project_id = $1
			AND ctid = ANY(ARRAY(SELECT ctid FROM checkpoint_writes WHERE project_id = $1 LIMIT $2)) RETURNING 1
	)
	SELECT count(*)::int AS deleted FROM gone;

-- project_delete_checkpoints
WITH gone AS (
		DELETE FROM checkpoints WHERE project_id = $1
			AND ctid = ANY(ARRAY(SELECT ctid FROM checkpoints WHERE project_id = $1 LIMIT $2)) RETURNING 1
	)
	SELECT count(*)::int AS deleted FROM gone;

-- project_delete_conversations
WITH gone AS (
		DELETE FROM conversations WHERE project_id = $1
			AND ctid = ANY(ARRAY(SELECT ctid FROM conversations WHERE project_id = $1 LIMIT $2)) RETURNING 1
	)
	SELECT count(*)::int AS deleted FROM gone;

-- project_delete_messages
WITH gone AS (
		DELETE FROM messages WHERE project_id = $1
			AND ctid = ANY(ARRAY(SELECT ctid FROM messages WHERE project_id = $1 LIMIT $2)) RETURNING 1
	)
	SELECT count(*)::int AS deleted FROM gone;

-- project_delete_state_checkpoints
WITH gone AS (
		DELETE FROM state_checkpoints WHERE project_id = $1
			AND ctid = ANY(ARRAY(SELECT ctid FROM state_checkpoints WHERE project_id = $1 LIMIT $2)) RETURNING 1
	)
	SELECT count(*)::int AS deleted FROM gone;

-- project_delete_states
WITH gone AS (
		DELETE FROM states WHERE project_id = $1
			AND ctid = ANY(ARRAY(SELECT ctid FROM states WHERE project_id = $1 LIMIT $2)) RETURNING 1
	)
	SELECT count(*)::int AS deleted FROM gone;

-- project_delete_transcript_entries
WITH gone AS (
		DELETE FROM transcript_entries WHERE project_id = $1
			AND ctid = ANY(ARRAY(SELECT ctid FROM transcript_entries WHERE project_id = $1 LIMIT $2)) RETURNING 1
	)
	SELECT count(*)::int AS deleted FROM gone;

-- project_delete_transcripts
WITH gone AS (
		DELETE FROM transcripts WHERE project_id = $1
			AND ctid = ANY(ARRAY(SELECT ctid FROM transcripts WHERE project_id = $1 LIMIT $2)) RETURNING 1
	)
	SELECT count(*)::int AS deleted FROM gone;

-- run_finish
UPDATE conversations SET run_id = NULL, run_expires_at = NULL, run_status = $3, run_error = $4,
	run_interrupt = $5::text::json
WHERE project_id = $1 AND conversation_id = $2;

-- run_read
SELECT incarnation, config, run_id IS NOT NULL AND run_expires_at > clock_timestamp() AS is_held,
	CASE WHEN run_id IS NULL AND run_status = 'interrupted' THEN run_interrupt END AS interrupt
FROM conversations WHERE project_id = $1 AND conversation_id = $2;

-- run_read_holder
SELECT run_id = $3::uuid AND run_expires_at > clock_timestamp() AS is_mine
FROM conversations WHERE project_id = $1 AND conversation_id = $2;

-- run_renew
UPDATE conversations SET run_expires_at = clock_timestamp() + $4::float8 * interval '1 millisecond'
WHERE project_id = $1 AND conversation_id = $2 AND run_id = $3::uuid AND run_expires_at > clock_timestamp()
RETURNING run_id;

-- run_take
UPDATE conversations SET run_id = $3::uuid, run_status = NULL, run_error = NULL, run_interrupt = NULL,
	run_expires_at = clock_timestamp() + $4::float8 * interval '1 millisecond'
WHERE project_id = $1 AND conversation_id = $2 RETURNING last_seq;

-- server_encoding
SELECT current_setting('server_encoding') AS encoding;

-- server_facts
SELECT current_setting('server_version') AS version,
	current_setting('server_version_num')::int AS "versionNumber",
	current_database()::text AS database, current_user::text AS role, pg_postmaster_start_time()::text AS "startedAt",
	current_setting('server_encoding') AS encoding,
	pg_is_in_recovery() OR current_setting('transaction_read_only')::bool AS "readOnly",
	current_setting('fsync')::bool AND current_setting('full_page_writes')::bool
		AND current_setting('synchronous_commit') <> 'off' AS durable,
	current_setting('statement_timeout') <> '0' AND current_setting('lock_timeout') <> '0' AS bounded,
	current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int AS connections,
	(SELECT count(*)::int FROM pg_stat_activity WHERE backend_type = 'client backend') AS "usedConnections",
	extract(epoch FROM clock_timestamp())::float8 * 1000 AS now;

-- signing_key_newest
SELECT key_id, secret, floor(extract(epoch FROM clock_timestamp()))::int AS now FROM signing_keys
WHERE project_id = $1 AND retired_at IS NULL ORDER BY created_at DESC LIMIT 1;

-- state_checkpoint_append
WITH counted AS (
	UPDATE states SET last_seq = last_seq + 1 WHERE project_id = $1 AND key = $2 RETURNING last_seq
)
INSERT INTO state_checkpoints (project_id, key, operation_id, state, version, bytes, seq, created_at)
SELECT $1, $2, $3, $4::text::json, $5, $6, last_seq, clock_timestamp() FROM counted
RETURNING seq;

-- state_checkpoint_find
SELECT seq FROM state_checkpoints WHERE project_id = $1 AND key = $2 AND operation_id = $3;

-- state_checkpoint_select
SELECT key, seq, version, state, to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS created_at FROM state_checkpoints
WHERE project_id = $1 AND key = $2 AND seq <= coalesce($3::bigint, 9223372036854775807)
ORDER BY state_checkpoints.seq DESC LIMIT 1;

-- state_checkpoints_list
SELECT key, seq, version, state, to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS created_at, fetched FROM (
	SELECT *, count(*) OVER () AS fetched, row_number() OVER newest AS position, sum(bytes) OVER newest AS bytes_so_far
	FROM (
		SELECT * FROM state_checkpoints
		WHERE project_id = $1 AND key = $2 AND seq < coalesce($3::bigint, 9223372036854775807)
		ORDER BY seq DESC LIMIT $4::int + 1
	) AS candidates
	WINDOW newest AS (ORDER BY seq DESC)
) AS page
WHERE position = 1 OR (position <= $4::int AND bytes_so_far <= $5::bigint)
ORDER BY position;

-- state_checkpoints_prune
WITH gone AS (
	DELETE FROM state_checkpoints WHERE project_id = $1 AND key = $2 AND seq <= (
		SELECT seq FROM state_checkpoints WHERE project_id = $1 AND key = $2 ORDER BY seq DESC OFFSET $3::int LIMIT 1
	)
	RETURNING seq
)
SELECT count(*)::int AS removed FROM gone;

-- state_create
INSERT INTO states (project_id, key, created_at) VALUES ($1, $2, clock_timestamp()) ON CONFLICT DO NOTHING;

-- state_delete
DELETE FROM states WHERE project_id = $1 AND key = $2;

-- state_lock
SELECT revision, operation_id, to_char(updated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS updated_at FROM states WHERE project_id = $1 AND key = $2 FOR UPDATE;

-- state_save
UPDATE states SET state = $3::text::json, version = $4, operation_id = $5, revision = revision + 1,
	updated_at = greatest(updated_at, clock_timestamp())
WHERE project_id = $1 AND key = $2 RETURNING key, version, revision, to_char(updated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS updated_at;

-- state_select
SELECT state, key, version, revision, to_char(updated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS updated_at FROM states WHERE project_id = $1 AND key = $2 AND state IS NOT NULL;

-- states_list
SELECT key, version, revision, to_char(updated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS updated_at FROM states
WHERE project_id = $1 AND (states.updated_at, key) < (coalesce($2::timestamptz, 'infinity'), coalesce($3, ''))
ORDER BY states.updated_at DESC, key DESC LIMIT $4::int + 1;

-- tail_read
SELECT c.incarnation, c.last_seq, page.* FROM conversations c
LEFT JOIN LATERAL (SELECT candidate.message_id, candidate.conversation_id, candidate.seq, candidate.branch, candidate.kind, candidate.role, candidate.type, candidate.payload, candidate.metadata, candidate.label, candidate.source_message_id, to_char(candidate.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS created_at, to_char(candidate.updated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS updated_at, candidate.position, candidate.fetched
FROM (
	SELECT *, count(*) OVER () AS fetched, row_number() OVER walk AS position, sum(bytes) OVER walk AS bytes_so_far
	FROM (SELECT m.* FROM (
	(SELECT * FROM messages m WHERE m.project_id = $1 AND m.conversation_id = c.conversation_id AND m.branch = 0 AND m.seq <= c.last_seq AND m.seq > coalesce($3::bigint, 0)
ORDER BY m.seq asc LIMIT $4::int + 1) UNION ALL (SELECT * FROM messages m WHERE m.project_id = $1 AND m.conversation_id = c.conversation_id AND m.branch > 0 AND m.seq <= c.last_seq AND m.seq > coalesce($3::bigint, 0)
ORDER BY m.seq asc LIMIT $4::int + 1)
) AS m
ORDER BY m.seq asc LIMIT $4::int + 1) AS read
	WINDOW walk AS (ORDER BY seq asc)
) AS candidate
WHERE position = 1 OR (position <= $4::int AND bytes_so_far <= $5::bigint)) AS page ON true
WHERE c.project_id = $1 AND c.conversation_id = $2
ORDER BY page.position;

-- thread_select
SELECT conversation_id, metadata, parent_conversation_id, parent_message_id,
	to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS created_at, to_char(updated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS updated_at, config, CASE WHEN run_id IS NULL THEN coalesce(run_status, 'idle')
	WHEN run_expires_at > clock_timestamp() THEN 'running' ELSE 'error' END AS status, run_error, run_interrupt
FROM conversations WHERE project_id = $1 AND conversation_id = $2;

-- token_check
SELECT t.token_id, t.role, to_char(t.expires_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS expires_at,
	extract(epoch FROM t.expires_at - now())::float8 * 1000 AS valid_ms, p.name, to_char(p.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS created_at, p.cursor_key,
	t.last_used_at IS NULL OR t.last_used_at < now() - interval '1 minute' AS unnoted
FROM api_tokens t JOIN projects p ON p.project_id = t.project_id
WHERE t.project_id = $1 AND t.token_hash = $2
	AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > now());

-- token_note_use
UPDATE api_tokens SET last_used_at = now() WHERE project_id = $1 AND token_hash = $2;

-- transcript_append
WITH fresh AS (
	INSERT INTO transcript_entries (project_id, project_key, session_id, subpath, seq, uuid, batch_id, batch_index, entry)
	SELECT $1, $2, $3, $4, t.last_seq + input.ord, input.uuid, $5, input.batch_index, input.entry
	FROM transcripts t, unnest($6::text[], $7::int[], $8::text[])
		WITH ORDINALITY AS input (uuid, batch_index, entry, ord)
	WHERE t.project_id = $1 AND t.project_key = $2 AND t.session_id = $3
	ORDER BY input.ord
	ON CONFLICT DO NOTHING
	RETURNING seq
), clock AS (
	INSERT INTO transcript_clocks AS c (project_id, project_key, last_mtime)
	SELECT $1, $2, now
	FROM (SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now) AS clock
	WHERE $4 = '' AND EXISTS (SELECT FROM fresh)
	ON CONFLICT (project_id, project_key) DO UPDATE SET last_mtime = greatest(c.last_mtime + 1, excluded.last_mtime)
	RETURNING last_mtime
)
UPDATE transcripts SET
	last_seq = (SELECT max(seq) FROM fresh),
	mtime = coalesce((SELECT last_mtime FROM clock), mtime)
WHERE project_id = $1 AND project_key = $2 AND session_id = $3 AND EXISTS (SELECT FROM fresh)
RETURNING (SELECT count(*)::int FROM fresh) AS appended;

-- transcript_clock_delete
DELETE FROM transcript_clocks c WHERE c.project_id = $1 AND c.project_key = $2
AND NOT EXISTS (SELECT FROM transcripts t WHERE t.project_id = $1 AND t.project_key = $2);

-- transcript_clock_lock
SELECT FROM transcript_clocks WHERE project_id = $1 AND project_key = $2 FOR UPDATE;

-- transcript_create
INSERT INTO transcripts (project_id, project_key, session_id) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING;

-- transcript_delete
DELETE FROM transcripts WHERE project_id = $1 AND project_key = $2 AND session_id = $3;

-- transcript_delete_empty
DELETE FROM transcripts t WHERE t.project_id = $1 AND t.project_key = $2 AND t.session_id = $3 AND t.mtime IS NULL
AND NOT EXISTS (
	SELECT FROM transcript_entries e
	WHERE e.project_id = $1 AND e.project_key = $2 AND e.session_id = $3
);

-- transcript_delete_subpath
DELETE FROM transcript_entries WHERE project_id = $1 AND project_key = $2 AND session_id = $3 AND subpath = $4;

-- transcript_entries_list
SELECT t.incarnation, coalesce($6::bigint, t.last_seq) AS bound, page.*
FROM transcripts t
LEFT JOIN LATERAL (
	SELECT seq, entry, position, fetched
	FROM (
		SELECT *, count(*) OVER () AS fetched, row_number() OVER walk AS position,
			sum(octet_length(entry)) OVER walk AS bytes_so_far
		FROM (
			SELECT e.seq, e.entry FROM transcript_entries e
			WHERE e.project_id = $1 AND e.project_key = $2 AND e.session_id = $3 AND e.subpath = $4
				AND e.seq > $5::bigint AND e.seq <= coalesce($6::bigint, t.last_seq)
			ORDER BY e.seq LIMIT $7::int + 1
		) AS read
		WINDOW walk AS (ORDER BY seq)
	) AS candidate
	WHERE position = 1 OR (position <= $7::int AND bytes_so_far <= $8::bigint)
) AS page ON true
WHERE t.project_id = $1 AND t.project_key = $2 AND t.session_id = $3
ORDER BY page.position;

-- transcript_lock
SELECT FROM transcripts WHERE project_id = $1 AND project_key = $2 AND session_id = $3 FOR UPDATE;

-- transcript_set_summary
UPDATE transcripts SET summary = $5, summary_mtime = mtime, summary_seq = last_seq
WHERE project_id = $1 AND project_key = $2 AND session_id = $3 AND mtime = $4::bigint RETURNING session_id;

-- transcript_subpaths_list
WITH RECURSIVE walk AS (
	SELECT $4::text COLLATE "C" AS subpath, 0 AS position
	UNION ALL
	SELECT next.subpath, walk.position + 1
	FROM walk CROSS JOIN LATERAL (
		SELECT e.subpath FROM transcript_entries e
		WHERE e.project_id = $1 AND e.project_key = $2 AND e.session_id = $3 AND e.subpath > walk.subpath
		ORDER BY e.subpath LIMIT 1
	) AS next
	WHERE walk.position <= $5::int
)
SELECT subpath FROM walk WHERE position > 0 ORDER BY position;

-- transcript_summaries_list
SELECT session_id, mtime, incarnation, summary, summary_mtime, summary_seq, fetched FROM (
	SELECT *, count(*) OVER () AS fetched, row_number() OVER walk AS position,
		sum(coalesce(octet_length(summary), 0)) OVER walk AS bytes_so_far
	FROM (
		SELECT * FROM transcripts
		WHERE project_id = $1 AND project_key = $2 AND session_id > $3 AND mtime IS NOT NULL
		ORDER BY session_id LIMIT $4::int + 1
	) AS candidates
	WINDOW walk AS (ORDER BY session_id)
) AS page
WHERE position = 1 OR (position <= $4::int AND bytes_so_far <= $5::bigint)
ORDER BY position;

-- transcripts_list
SELECT session_id, mtime FROM transcripts
WHERE project_id = $1 AND project_key = $2 AND session_id > $3 AND mtime IS NOT NULL
ORDER BY session_id LIMIT $4::int + 1;

-- tree_branch_points
WITH c AS MATERIALIZED (
SELECT * FROM conversations WHERE project_id = $1 AND conversation_id = $2
	), tips AS (
SELECT tip.* FROM c CROSS JOIN generate_series(0, c.last_branch) AS branch CROSS JOIN LATERAL (
	SELECT * FROM messages m WHERE m.project_id = $1 AND m.conversation_id = c.conversation_id AND m.branch = branch.branch ORDER BY m.seq DESC LIMIT 1
) AS tip
	), left_at AS (
SELECT place.branch, place.seq, count(*) AS branches
FROM c CROSS JOIN LATERAL (SELECT * FROM branches b WHERE b.project_id = $1 AND b.conversation_id = c.conversation_id OFFSET 0) AS b
CROSS JOIN LATERAL (WITH RECURSIVE up (branch, high, seq) AS (
	SELECT b.parent_branch, b.fork_seq, (SELECT m.seq FROM messages m WHERE m.project_id = $1 AND m.conversation_id = c.conversation_id AND m.branch = b.parent_branch AND m.seq <= b.fork_seq
	AND true ORDER BY m.seq DESC LIMIT 1)
	UNION ALL
	SELECT parent.parent_branch, least(parent.fork_seq, up.high),
		(SELECT m.seq FROM messages m WHERE m.project_id = $1 AND m.conversation_id = c.conversation_id AND m.branch = parent.parent_branch AND m.seq <= least(parent.fork_seq, up.high)
	AND true ORDER BY m.seq DESC LIMIT 1)
	FROM up CROSS JOIN LATERAL (
	SELECT b.parent_branch, b.fork_seq FROM branches b WHERE b.project_id = $1 AND b.conversation_id = c.conversation_id AND b.branch = up.branch LIMIT 1
) AS parent WHERE up.branch > 0 AND up.seq IS NULL
)
SELECT up.branch, up.seq, m.message_id FROM up
JOIN messages m ON m.project_id = $1 AND m.conversation_id = c.conversation_id AND m.branch = up.branch AND m.seq = up.seq) AS place
WHERE (SELECT m.seq FROM messages m WHERE m.project_id = $1 AND m.conversation_id = c.conversation_id AND m.branch = b.branch LIMIT 1) IS NOT NULL
GROUP BY place.branch, place.seq
	), leaves AS (
SELECT * FROM tips WHERE seq NOT IN (SELECT seq FROM left_at)
	)
SELECT m.message_id, m.conversation_id, m.seq, m.branch, m.kind, m.role, m.type, m.payload, m.metadata, m.label, m.source_message_id, to_char(m.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS created_at, to_char(m.updated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS updated_at
FROM c CROSS JOIN left_at CROSS JOIN LATERAL (
	SELECT * FROM messages m WHERE m.project_id = $1 AND m.conversation_id = c.conversation_id AND m.branch = left_at.branch AND m.seq = left_at.seq LIMIT 1
) AS m
WHERE left_at.branches > 1 OR left_at.seq NOT IN (SELECT seq FROM tips)
ORDER BY m.seq;

-- tree_labels
SELECT m.message_id, m.conversation_id, m.seq, m.branch, m.kind, m.role, m.type, m.payload, m.metadata, m.label, m.source_message_id, to_char(m.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS created_at, to_char(m.updated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS updated_at FROM messages m
WHERE m.project_id = $1 AND m.conversation_id = $2 AND m.label IS NOT NULL ORDER BY m.seq;

-- tree_leaves
WITH c AS MATERIALIZED (
SELECT * FROM conversations WHERE project_id = $1 AND conversation_id = $2
	), tips AS (
SELECT tip.* FROM c CROSS JOIN generate_series(0, c.last_branch) AS branch CROSS JOIN LATERAL (
	SELECT * FROM messages m WHERE m.project_id = $1 AND m.conversation_id = c.conversation_id AND m.branch = branch.branch ORDER BY m.seq DESC LIMIT 1
) AS tip
	), left_at AS (
SELECT place.branch, place.seq, count(*) AS branches
FROM c CROSS JOIN LATERAL (SELECT * FROM branches b WHERE b.project_id = $1 AND b.conversation_id = c.conversation_id OFFSET 0) AS b
CROSS JOIN LATERAL (WITH RECURSIVE up (branch, high, seq) AS (
	SELECT b.parent_branch, b.fork_seq, (SELECT m.seq FROM messages m WHERE m.project_id = $1 AND m.conversation_id = c.conversation_id AND m.branch = b.parent_branch AND m.seq <= b.fork_seq
	AND true ORDER BY m.seq DESC LIMIT 1)
	UNION ALL
	SELECT parent.parent_branch, least(parent.fork_seq, up.high),
		(SELECT m.seq FROM messages m WHERE m.project_id = $1 AND m.conversation_id = c.conversation_id AND m.branch = parent.parent_branch AND m.seq <= least(parent.fork_seq, up.high)
	AND true ORDER BY m.seq DESC LIMIT 1)
	FROM up CROSS JOIN LATERAL (
	SELECT b.parent_branch, b.fork_seq FROM branches b WHERE b.project_id = $1 AND b.conversation_id = c.conversation_id AND b.branch = up.branch LIMIT 1
) AS parent WHERE up.branch > 0 AND up.seq IS NULL
)
SELECT up.branch, up.seq, m.message_id FROM up
JOIN messages m ON m.project_id = $1 AND m.conversation_id = c.conversation_id AND m.branch = up.branch AND m.seq = up.seq) AS place
WHERE (SELECT m.seq FROM messages m WHERE m.project_id = $1 AND m.conversation_id = c.conversation_id AND m.branch = b.branch LIMIT 1) IS NOT NULL
GROUP BY place.branch, place.seq
	), leaves AS (
SELECT * FROM tips WHERE seq NOT IN (SELECT seq FROM left_at)
	) SELECT leaves.message_id, leaves.conversation_id, leaves.seq, leaves.branch, leaves.kind, leaves.role, leaves.type, leaves.payload, leaves.metadata, leaves.label, leaves.source_message_id, to_char(leaves.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS created_at, to_char(leaves.updated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS updated_at FROM leaves ORDER BY leaves.seq;

-- tree_list
SELECT c.incarnation, coalesce($4::bigint, c.last_seq) AS bound, entry.message_id, entry.branch, entry.seq,
	entry.kind, entry.role, entry.type, entry.label, parent.message_id AS parent_message_id
FROM conversations c
LEFT JOIN LATERAL (SELECT m.* FROM (
	(SELECT * FROM messages m WHERE m.project_id = $1 AND m.conversation_id = c.conversation_id AND m.branch = 0 AND m.seq <= coalesce($4::bigint, c.last_seq) AND m.seq > coalesce($3::bigint, 0)
ORDER BY m.seq asc LIMIT $5::int + 1) UNION ALL (SELECT * FROM messages m WHERE m.project_id = $1 AND m.conversation_id = c.conversation_id AND m.branch > 0 AND m.seq <= coalesce($4::bigint, c.last_seq) AND m.seq > coalesce($3::bigint, 0)
ORDER BY m.seq asc LIMIT $5::int + 1)
) AS m
ORDER BY m.seq asc LIMIT $5::int + 1) AS entry ON true
LEFT JOIN LATERAL (WITH RECURSIVE up (branch, high, seq) AS (
	SELECT entry.branch, entry.seq - 1, (SELECT m.seq FROM messages m WHERE m.project_id = $1 AND m.conversation_id = c.conversation_id AND m.branch = entry.branch AND m.seq <= entry.seq - 1
	AND true ORDER BY m.seq DESC LIMIT 1)
	UNION ALL
	SELECT parent.parent_branch, least(parent.fork_seq, up.high),
		(SELECT m.seq FROM messages m WHERE m.project_id = $1 AND m.conversation_id = c.conversation_id AND m.branch = parent.parent_branch AND m.seq <= least(parent.fork_seq, up.high)
	AND true ORDER BY m.seq DESC LIMIT 1)
	FROM up CROSS JOIN LATERAL (
	SELECT b.parent_branch, b.fork_seq FROM branches b WHERE b.project_id = $1 AND b.conversation_id = c.conversation_id AND b.branch = up.branch LIMIT 1
) AS parent WHERE up.branch > 0 AND up.seq IS NULL
)
SELECT up.branch, up.seq, m.message_id FROM up
JOIN messages m ON m.project_id = $1 AND m.conversation_id = c.conversation_id AND m.branch = up.branch AND m.seq = up.seq) AS parent ON true
WHERE c.project_id = $1 AND c.conversation_id = $2
ORDER BY entry.seq;

-- tree_stats
WITH c AS MATERIALIZED (
SELECT * FROM conversations WHERE project_id = $1 AND conversation_id = $2
	), tips AS (
SELECT tip.* FROM c CROSS JOIN generate_series(0, c.last_branch) AS branch CROSS JOIN LATERAL (
	SELECT * FROM messages m WHERE m.project_id = $1 AND m.conversation_id = c.conversation_id AND m.branch = branch.branch ORDER BY m.seq DESC LIMIT 1
) AS tip
	), left_at AS (
SELECT place.branch, place.seq, count(*) AS branches
FROM c CROSS JOIN LATERAL (SELECT * FROM branches b WHERE b.project_id = $1 AND b.conversation_id = c.conversation_id OFFSET 0) AS b
CROSS JOIN LATERAL (WITH RECURSIVE up (branch, high, seq) AS (
	SELECT b.parent_branch, b.fork_seq, (SELECT m.seq FROM messages m WHERE m.project_id = $1 AND m.conversation_id = c.conversation_id AND m.branch = b.parent_branch AND m.seq <= b.fork_seq
	AND true ORDER BY m.seq DESC LIMIT 1)
	UNION ALL
	SELECT parent.parent_branch, least(parent.fork_seq, up.high),
		(SELECT m.seq FROM messages m WHERE m.project_id = $1 AND m.conversation_id = c.conversation_id AND m.branch = parent.parent_branch AND m.seq <= least(parent.fork_seq, up.high)
	AND true ORDER BY m.seq DESC LIMIT 1)
	FROM up CROSS JOIN LATERAL (
	SELECT b.parent_branch, b.fork_seq FROM branches b WHERE b.project_id = $1 AND b.conversation_id = c.conversation_id AND b.branch = up.branch LIMIT 1
) AS parent WHERE up.branch > 0 AND up.seq IS NULL
)
SELECT up.branch, up.seq, m.message_id FROM up
JOIN messages m ON m.project_id = $1 AND m.conversation_id = c.conversation_id AND m.branch = up.branch AND m.seq = up.seq) AS place
WHERE (SELECT m.seq FROM messages m WHERE m.project_id = $1 AND m.conversation_id = c.conversation_id AND m.branch = b.branch LIMIT 1) IS NOT NULL
GROUP BY place.branch, place.seq
	), leaves AS (
SELECT * FROM tips WHERE seq NOT IN (SELECT seq FROM left_at)
	), totals AS (
	SELECT count(*) FILTER (WHERE kind = 'message') AS message_count,
		count(*) FILTER (WHERE kind = 'compaction') AS compaction_count,
		min(created_at) FILTER (WHERE kind = 'message') AS first_message_at,
		max(created_at) FILTER (WHERE kind = 'message') AS last_message_at
	FROM messages WHERE project_id = $1 AND conversation_id = $2
), events AS (
	SELECT branch, seq, NULL::int AS leaving FROM messages WHERE project_id = $1 AND conversation_id = $2
	UNION ALL
	SELECT parent_branch, fork_seq, branch FROM branches WHERE project_id = $1 AND conversation_id = $2
), counted AS (
	SELECT branch, leaving, count(*) FILTER (WHERE leaving IS NULL) OVER (
		PARTITION BY branch ORDER BY seq, leaving NULLS FIRST ROWS UNBOUNDED PRECEDING
	) AS so_far
	FROM events
), lengths AS (
	SELECT branch, max(so_far) AS own FROM counted GROUP BY branch
)
SELECT branch.branch, left_from.branch AS parent_branch, coalesce(lengths.own, 0)::int AS own,
	coalesce(left_from.so_far, 0)::int AS shared, totals.message_count::int, totals.compaction_count::int,
	to_char(totals.first_message_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS first_message_at, to_char(totals.last_message_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS last_message_at,
	(SELECT count(*) FROM leaves)::int AS leaf_count
FROM c CROSS JOIN totals CROSS JOIN generate_series(0, c.last_branch) AS branch
LEFT JOIN lengths ON lengths.branch = branch.branch
LEFT JOIN counted AS left_from ON left_from.leaving = branch.branch;

-- prisma_1
INSERT INTO "public"."projects" ("project_id","name","cursor_key","created_at") VALUES ($1,$2,$3,$4) RETURNING "public"."projects"."project_id";

-- prisma_2
INSERT INTO "public"."signing_keys" ("project_id","secret","created_at") VALUES ($1,$2,$3) RETURNING "public"."signing_keys"."project_id", "public"."signing_keys"."key_id";

-- prisma_3
SELECT "public"."projects"."project_id", "public"."projects"."name", "public"."projects"."created_at" FROM "public"."projects" WHERE "public"."projects"."project_id" = $1 LIMIT $2 OFFSET $3;

-- prisma_4
SELECT "public"."projects"."project_id", "public"."projects"."name", "public"."projects"."created_at" FROM "public"."projects" WHERE ("public"."projects"."name" = $1 AND 1=1) LIMIT $2 OFFSET $3;

-- prisma_5
SELECT "public"."projects"."project_id", "public"."projects"."name", "public"."projects"."created_at" FROM "public"."projects" WHERE 1=1 ORDER BY "public"."projects"."name" ASC OFFSET $1;

-- prisma_6
INSERT INTO "public"."api_tokens" ("project_id","token_hash","name","role","created_at","expires_at") VALUES ($1,$2,$3,$4,$5,$6) RETURNING "public"."api_tokens"."project_id", "public"."api_tokens"."token_hash", "public"."api_tokens"."token_id", "public"."api_tokens"."name", "public"."api_tokens"."role", "public"."api_tokens"."created_at", "public"."api_tokens"."expires_at", "public"."api_tokens"."revoked_at", "public"."api_tokens"."last_used_at";

-- prisma_7
SELECT "public"."api_tokens"."project_id", "public"."api_tokens"."token_hash" FROM "public"."api_tokens" WHERE 1=1 LIMIT $1 OFFSET $2;

-- prisma_8
SELECT COUNT(*) AS "_count$_all" FROM (SELECT "public"."api_tokens"."project_id", "public"."api_tokens"."token_hash" FROM "public"."api_tokens" WHERE ("public"."api_tokens"."revoked_at" IS NULL AND ("public"."api_tokens"."expires_at" IS NULL OR "public"."api_tokens"."expires_at" > $1)) OFFSET $2) AS "sub";

-- prisma_9
SELECT COUNT(*) AS "_count$_all" FROM (SELECT "public"."api_tokens"."project_id", "public"."api_tokens"."token_hash" FROM "public"."api_tokens" WHERE ("public"."api_tokens"."revoked_at" IS NULL AND "public"."api_tokens"."expires_at" > $1 AND "public"."api_tokens"."expires_at" <= $2) OFFSET $3) AS "sub";

-- prisma_10
SELECT "public"."api_tokens"."project_id", "public"."api_tokens"."token_hash", "public"."api_tokens"."token_id", "public"."api_tokens"."name", "public"."api_tokens"."role", "public"."api_tokens"."created_at", "public"."api_tokens"."expires_at", "public"."api_tokens"."last_used_at", "public"."api_tokens"."revoked_at" FROM "public"."api_tokens" WHERE "public"."api_tokens"."project_id" = $1 ORDER BY "public"."api_tokens"."created_at" ASC, "public"."api_tokens"."token_id" ASC OFFSET $2;

-- prisma_11
SELECT "public"."api_tokens"."project_id", "public"."api_tokens"."token_hash" FROM "public"."api_tokens" WHERE "public"."api_tokens"."token_id" = $1 LIMIT $2 OFFSET $3;

-- prisma_12
UPDATE "public"."api_tokens" SET "revoked_at" = $1 WHERE ("public"."api_tokens"."project_id" = $2 AND "public"."api_tokens"."token_id" = $3 AND "public"."api_tokens"."revoked_at" IS NULL);

-- prisma_13
UPDATE "public"."signing_keys" SET "retired_at" = $1 WHERE ("public"."signing_keys"."project_id" = $2 AND "public"."signing_keys"."retired_at" IS NULL);

-- prisma_14
DELETE FROM "public"."signing_keys" WHERE ("public"."signing_keys"."project_id" = $1 AND "public"."signing_keys"."retired_at" <= $2);

-- prisma_15
INSERT INTO "public"."signing_keys" ("project_id","secret","created_at") VALUES ($1,$2,$3) RETURNING "public"."signing_keys"."project_id", "public"."signing_keys"."key_id", "public"."signing_keys"."secret", "public"."signing_keys"."created_at", "public"."signing_keys"."retired_at";

-- prisma_16
DELETE FROM "public"."api_tokens" WHERE "public"."api_tokens"."project_id" = $1;

-- prisma_17
DELETE FROM "public"."projects" WHERE "public"."projects"."project_id" = $1;
