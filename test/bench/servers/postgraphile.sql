-- What PostGraphile appends with; everything else it finds in the gateway's tables by itself.
CREATE SCHEMA peers;
CREATE FUNCTION peers.append_message(
	project_id uuid, conversation_id text, message_id text, role text, type text, payload json, metadata json
) RETURNS messages LANGUAGE sql VOLATILE AS $$
	WITH conversation AS (
		INSERT INTO conversations AS c (project_id, conversation_id, metadata, last_seq, created_at, updated_at)
		VALUES ($1, $2, '{}', 1, clock_timestamp(), clock_timestamp())
		ON CONFLICT (project_id, conversation_id) DO UPDATE SET
			last_seq = c.last_seq + 1, updated_at = greatest(c.updated_at, excluded.updated_at)
		RETURNING active_branch, last_seq, updated_at
	)
	INSERT INTO messages (project_id, message_id, conversation_id, branch, seq, role, type, payload, metadata, bytes,
		created_at, updated_at)
	SELECT $1, $3, $2, active_branch, last_seq, $4, $5, $6, $7, octet_length($6::text) + octet_length($7::text),
		updated_at, updated_at
	FROM conversation RETURNING *
$$;
