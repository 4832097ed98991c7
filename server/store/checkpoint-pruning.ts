import { type CheckpointOutline, checkKeep, selectPrunable } from "../domain/checkpoint-pruning.ts";
import { checkThread } from "../domain/checkpoints.ts";
import type { Statement } from "./database.ts";
import type { Scope } from "./scope.ts";

const OUTLINE: Statement = {
	name: "checkpoint_outline",
	text: `SELECT c.checkpoint_ns, c.checkpoint_id, c.parent_checkpoint_id, c.format,
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
		ORDER BY c.checkpoint_ns, c.checkpoint_id DESC`,
};

interface OutlineRow {
	checkpoint_ns: string;
	checkpoint_id: string;
	parent_checkpoint_id: string | null;
	format: number;
	stored: string[];
	empty: string[];
	written: string[];
}

// Of the writes only those of the deleted checkpoints go: others may have arrived before their checkpoint.
const PRUNE: Statement = {
	name: "checkpoint_prune",
	text: `WITH gone AS (
			DELETE FROM checkpoints c USING unnest($3::text[], $4::text[]) AS old (checkpoint_ns, checkpoint_id)
			WHERE c.project_id = $1 AND c.thread_id = $2
				AND c.checkpoint_ns = old.checkpoint_ns AND c.checkpoint_id = old.checkpoint_id
			RETURNING c.checkpoint_id
		), writes AS (
			DELETE FROM checkpoint_writes w USING unnest($3::text[], $4::text[]) AS old (checkpoint_ns, checkpoint_id)
			WHERE w.project_id = $1 AND w.thread_id = $2
				AND w.checkpoint_ns = old.checkpoint_ns AND w.checkpoint_id = old.checkpoint_id
		)
		SELECT count(*)::int AS removed FROM gone`,
};

// A statement of its own, after the other: it sees the checkpoints that are left, and those that came meanwhile.
const PRUNE_BLOBS: Statement = {
	name: "checkpoint_prune_blobs",
	text: `DELETE FROM checkpoint_blobs b
		WHERE b.project_id = $1 AND b.thread_id = $2 AND NOT EXISTS (
			SELECT FROM checkpoints c CROSS JOIN LATERAL unnest(c.channels, c.versions) AS v (channel, version)
			WHERE c.project_id = $1 AND c.thread_id = $2
				AND c.checkpoint_ns = b.checkpoint_ns AND v.channel = b.channel AND v.version = b.version
		)`,
};

/**
 * Deletes the checkpoints of a thread but the newest `keep` of each namespace and those that these still need, and all
 * that only the deleted ones held. Returns the number of deleted checkpoints.
 */
export async function pruneCheckpointThread(
	{ db, identity, limits }: Scope,
	input: { threadId: string; keep: number },
): Promise<number> {
	const thread = [identity.projectId, checkThread("input.", input.threadId, limits)];
	const keep = checkKeep("input.keep", input.keep);
	return db.transaction(async (transaction) => {
		const outlines = await transaction.query<OutlineRow>(OUTLINE, thread);
		const prunable = selectPrunable(outlines.map(toOutline), keep);
		const namespaces = prunable.map(({ checkpointNs }) => checkpointNs);
		const ids = prunable.map(({ checkpointId }) => checkpointId);
		const [result] = await transaction.query<{ removed: number }>(PRUNE, [...thread, namespaces, ids]);
		await transaction.query(PRUNE_BLOBS, thread);
		return result?.removed ?? 0;
	});
}

function toOutline(row: OutlineRow): CheckpointOutline {
	return {
		checkpointNs: row.checkpoint_ns,
		checkpointId: row.checkpoint_id,
		parentCheckpointId: row.parent_checkpoint_id,
		format: row.format,
		stored: row.stored,
		empty: row.empty,
		written: row.written,
	};
}
