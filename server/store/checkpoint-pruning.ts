import { type CheckpointOutline, checkKeep, selectPrunable } from "../domain/checkpoint-pruning.ts";
import { checkThread } from "../domain/checkpoints.ts";
import { removeUnusedPieces } from "./checkpoint-pieces.ts";
import type { Statement } from "./database.ts";
import type { ProjectScope } from "./scope.ts";

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

const PRUNABLE = "unnest($3::text[], $4::text[]) AS old (checkpoint_ns, checkpoint_id)";

/** Of the checkpoints or their writes, those of the prunable ones: other writes may have arrived before their checkpoint. */
function ofPrunable(table: string): string {
	return `${table} AS t WHERE t.project_id = $1 AND t.thread_id = $2
		AND (t.checkpoint_ns, t.checkpoint_id) IN (SELECT * FROM ${PRUNABLE})`;
}

const UNNEEDED_VALUES = `checkpoint_blobs b WHERE b.project_id = $1 AND b.thread_id = $2 AND NOT EXISTS (
		SELECT FROM checkpoints c CROSS JOIN LATERAL unnest(c.channels, c.versions) AS v (channel, version)
		WHERE c.project_id = $1 AND c.thread_id = $2
			AND c.checkpoint_ns = b.checkpoint_ns AND v.channel = b.channel AND v.version = b.version
			AND NOT EXISTS (
				SELECT FROM ${PRUNABLE} WHERE old.checkpoint_ns = c.checkpoint_ns AND old.checkpoint_id = c.checkpoint_id
			)
	)`;

const PRUNE: Statement = {
	name: "checkpoint_prune",
	text: `WITH gone AS (
			DELETE FROM ${ofPrunable("checkpoints")} RETURNING 1
		), writes AS (
			DELETE FROM ${ofPrunable("checkpoint_writes")} RETURNING 1
		)
		SELECT (SELECT count(*) FROM gone)::int AS checkpoints, (SELECT count(*) FROM writes)::int AS "checkpointWrites"`,
};

// A statement of its own, after the other: it sees the checkpoints that are left, and those that came meanwhile.
const PRUNE_VALUES: Statement = {
	name: "checkpoint_prune_values",
	text: `WITH gone AS (DELETE FROM ${UNNEEDED_VALUES} RETURNING 1)
		SELECT count(*)::int AS "channelValues" FROM gone`,
};

const COUNT: Statement = {
	name: "checkpoint_prune_count",
	text: `SELECT (SELECT count(*) FROM ${ofPrunable("checkpoints")})::int AS checkpoints,
			(SELECT count(*) FROM ${ofPrunable("checkpoint_writes")})::int AS "checkpointWrites",
			(SELECT count(*) FROM ${UNNEEDED_VALUES})::int AS "channelValues"`,
};

/** How much was pruned. */
export interface PrunedThread {
	checkpoints: number;
	checkpointWrites: number;
	channelValues: number;
}

/** Checkpoints that one statement deletes at most, so that no statement timeout ends it. */
const DELETED_AT_ONCE = 1_000;

/**
 * Deletes the checkpoints of a thread but the newest `keep` of each namespace and those that these still need, and all
 * that only the deleted ones held. With `dryRun` it only counts them.
 */
export async function pruneCheckpointThread(
	{ db, identity, limits }: ProjectScope,
	input: { threadId: string; keep: number; dryRun?: boolean },
): Promise<PrunedThread> {
	const thread = [identity.projectId, checkThread("input.", input.threadId, limits)];
	const keep = checkKeep("input.keep", input.keep);
	return db.transaction(async (transaction) => {
		const { query } = transaction;
		const outlines = await query<OutlineRow>(OUTLINE, thread);
		const prunable = selectPrunable(outlines.map(toOutline), keep);
		if (input.dryRun) {
			const [counted] = await query<PrunedThread & Row>(COUNT, [...thread, ...columnsOf(prunable)]);
			return counted!;
		}
		const pruned: PrunedThread = { checkpoints: 0, checkpointWrites: 0, channelValues: 0 };
		for (let start = 0; start < prunable.length; start += DELETED_AT_ONCE) {
			const values = [...thread, ...columnsOf(prunable.slice(start, start + DELETED_AT_ONCE))];
			const [gone] = await query<PrunedThread & Row>(PRUNE, values);
			pruned.checkpoints += gone!.checkpoints;
			pruned.checkpointWrites += gone!.checkpointWrites;
		}
		const [gone] = await query<PrunedThread & Row>(PRUNE_VALUES, [...thread, [], []]);
		await removeUnusedPieces(transaction, identity.projectId, thread[1]!);
		return { ...pruned, channelValues: gone!.channelValues };
	});
}

type Row = Record<string, unknown>;

function columnsOf(prunable: readonly CheckpointOutline[]): [string[], string[]] {
	return [prunable.map(({ checkpointNs }) => checkpointNs), prunable.map(({ checkpointId }) => checkpointId)];
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
