import { type ChannelHistory, checkNamespace, type Encoding, type NamespaceInput } from "../domain/checkpoints.ts";
import { checkId } from "../domain/ids.ts";
import { dataOf, encodingOf } from "./checkpoint-pieces.ts";
import type { Statement } from "./database.ts";
import type { Scope } from "./scope.ts";

// Each step is a subquery of its own: as joins, Postgres may read all that the thread has.
const STEP = `SELECT * FROM checkpoints c WHERE c.project_id = $1 AND c.thread_id = $2 AND c.checkpoint_ns = $3
	AND c.checkpoint_id = walk.checkpoint_id OFFSET 0`;

// The walk climbs from parent to parent with the channels that are still open, and closes each at the nearest ancestor
// that stored a value for it; writes kept with that ancestor come after its value and count. Parents that form a ring
// end at the number of checkpoints there are.
function history(name: string, target: string): Statement {
	return {
		name,
		text: `WITH RECURSIVE target AS (
			SELECT parent_checkpoint_id FROM checkpoints
			WHERE project_id = $1 AND thread_id = $2 AND checkpoint_ns = $3 ${target}
		), walk (depth, checkpoint_id, open) AS (
			SELECT 1, parent_checkpoint_id, $4::text[] FROM target
			UNION ALL
			SELECT walk.depth + 1, c.parent_checkpoint_id, rest.open
			FROM walk CROSS JOIN LATERAL (${STEP}) AS c
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
			FROM walk CROSS JOIN LATERAL (
				SELECT * FROM checkpoint_writes w WHERE w.project_id = $1 AND w.thread_id = $2 AND w.checkpoint_ns = $3
					AND w.checkpoint_id = walk.checkpoint_id OFFSET 0
			) AS w
			WHERE w.channel = ANY(walk.open)
			UNION ALL
			SELECT walk.depth, v.channel, NULL, NULL, NULL, b.type, ${encodingOf("b")}, ${dataOf("b")}
			FROM walk CROSS JOIN LATERAL (${STEP}) AS c
			CROSS JOIN LATERAL unnest(c.channels, c.versions) AS v (channel, version)
			CROSS JOIN LATERAL (
				SELECT * FROM checkpoint_blobs b WHERE b.project_id = $1 AND b.thread_id = $2 AND b.checkpoint_ns = $3
					AND b.channel = v.channel AND b.version = v.version OFFSET 0
			) AS b
			WHERE v.channel = ANY(walk.open) AND b.data IS NOT NULL
		)
		SELECT channel, task_id, type, encoding, data FROM found
		ORDER BY depth DESC, task_path COLLATE "C", task_id COLLATE "C", idx`,
	};
}

const HISTORY = history("checkpoint_history", "AND checkpoint_id = $5");
const LATEST_HISTORY = history("checkpoint_history_latest", "ORDER BY checkpoint_id DESC LIMIT 1");

interface HistoryRow {
	channel: string;
	/** Null in the row of a stored value. */
	task_id: string | null;
	type: string;
	encoding: Encoding;
	data: Buffer;
}

/**
 * What each channel gathered on the way to a checkpoint, the latest of the namespace when no id is given. The writes of
 * that checkpoint itself do not count: they are for the next one.
 */
export async function getChannelHistories(
	{ db, identity, limits }: Scope,
	input: NamespaceInput & { checkpointId?: string | null | undefined; channels: readonly string[] },
): Promise<ChannelHistory[]> {
	const key = [identity.projectId, ...checkNamespace("", input, limits)];
	const channels = input.channels.map((name, index) => checkId(`channels[${index}]`, name, limits.pathBytes));
	const id = input.checkpointId;
	const rows = await (id == null
		? db.read<HistoryRow>(LATEST_HISTORY, [...key, channels])
		: db.read<HistoryRow>(HISTORY, [...key, channels, checkId("checkpointId", id, limits.idBytes)]));
	const histories = new Map<string, ChannelHistory>();
	for (const channel of channels) histories.set(channel, { channel, writes: [], seed: null });
	for (const { channel, task_id: taskId, type, encoding, data } of rows) {
		const history = histories.get(channel)!;
		const value = { type, encoding, data };
		if (taskId === null) history.seed = value;
		else history.writes.push({ taskId, channel, value });
	}
	return [...histories.values()];
}
