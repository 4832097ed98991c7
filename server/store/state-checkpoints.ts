import { checkId } from "../domain/ids.ts";
import type { JsonObject } from "../domain/json.ts";
import { checkPageSize, openCursor, type Page, sealCursor } from "../domain/pages.ts";
import { checkCheckpointSeq, checkKept, checkVersion, encodeState, type StateCheckpoint } from "../domain/states.ts";
import type { Statement } from "./database.ts";
import type { Scope } from "./scope.ts";
import { lockState } from "./states.ts";
import { isoTime } from "./times.ts";

interface CheckpointRow {
	key: string;
	seq: string;
	version: number;
	state: JsonObject;
	created_at: string;
}

const FIND: Statement = {
	name: "state_checkpoint_find",
	text: "SELECT seq FROM state_checkpoints WHERE project_id = $1 AND key = $2 AND operation_id = $3",
};

const APPEND: Statement = {
	name: "state_checkpoint_append",
	text: `WITH counted AS (
			UPDATE states SET last_seq = last_seq + 1 WHERE project_id = $1 AND key = $2 RETURNING last_seq
		)
		INSERT INTO state_checkpoints (project_id, key, operation_id, state, version, bytes, seq, created_at)
		SELECT $1, $2, $3, $4::text::json, $5, $6, last_seq, clock_timestamp() FROM counted
		RETURNING seq`,
};

/** Keeps a checkpoint under a key, behind those that are there; a retry has the same operation id. Returns its seq. */
export async function appendStateCheckpoint(
	{ db, identity, limits }: Scope,
	input: { key: string; operationId: string; state: JsonObject; version?: number | null | undefined },
): Promise<string> {
	const key = checkId("input.key", input.key, limits.idBytes);
	const operationId = checkId("input.operationId", input.operationId, limits.idBytes);
	const { text, bytes } = encodeState("input.state", input.state, limits);
	const version = checkVersion("input.version", input.version);
	return db.transaction(async (transaction) => {
		const operation = [identity.projectId, key, operationId];
		await lockState(transaction, identity.projectId, key);
		const [known] = await transaction.query<{ seq: string }>(FIND, operation);
		if (known !== undefined) return known.seq;
		const [row] = await transaction.query<{ seq: string }>(APPEND, [...operation, text, version, bytes]);
		return row!.seq;
	});
}

const SELECT: Statement = {
	name: "state_checkpoint_select",
	text: `SELECT key, seq, version, state, ${isoTime("created_at")} FROM state_checkpoints
		WHERE project_id = $1 AND key = $2 AND seq <= coalesce($3::bigint, 9223372036854775807)
		ORDER BY state_checkpoints.seq DESC LIMIT 1`,
};

/** A checkpoint of a key, the newest one without a seq; null where there is none. */
export async function getStateCheckpoint(
	{ db, identity, limits }: Scope,
	input: { key: string; seq?: string | null | undefined },
): Promise<StateCheckpoint | null> {
	const key = checkId("key", input.key, limits.idBytes);
	const seq = checkCheckpointSeq("seq", input.seq);
	const [row] = await db.read<CheckpointRow>(SELECT, [identity.projectId, key, seq]);
	return row === undefined || (seq !== null && row.seq !== seq) ? null : toCheckpoint(row);
}

// The running sum keeps a page within a number of bytes, except that it has at least one row (rule VAL-7).
const LIST: Statement = {
	name: "state_checkpoints_list",
	text: `SELECT key, seq, version, state, ${isoTime("created_at")}, fetched FROM (
			SELECT *, count(*) OVER () AS fetched, row_number() OVER newest AS position, sum(bytes) OVER newest AS bytes_so_far
			FROM (
				SELECT * FROM state_checkpoints
				WHERE project_id = $1 AND key = $2 AND seq < coalesce($3::bigint, 9223372036854775807)
				ORDER BY seq DESC LIMIT $4::int + 1
			) AS candidates
			WINDOW newest AS (ORDER BY seq DESC)
		) AS page
		WHERE position = 1 OR (position <= $4::int AND bytes_so_far <= $5::bigint)
		ORDER BY position`,
};

/** A page of the checkpoints of a key, the newest first. */
export async function listStateCheckpoints(
	{ db, identity, limits }: Scope,
	input: { key: string; first?: number | null | undefined; after?: string | null | undefined },
): Promise<Page<StateCheckpoint>> {
	const key = checkId("key", input.key, limits.idBytes);
	const first = checkPageSize("first", input.first, limits);
	const cursorScope = `state checkpoints\0${key}`;
	const [seq = null] = input.after == null ? [] : openCursor("after", identity.cursorKey, cursorScope, input.after);
	const values = [identity.projectId, key, seq, first, limits.pageBytes];
	const rows = await db.read<CheckpointRow & { fetched: string }>(LIST, values);
	return {
		items: rows.map(toCheckpoint),
		hasNext: Number(rows[0]?.fetched ?? 0) > rows.length,
		cursorOf: (item) => sealCursor(identity.cursorKey, cursorScope, [item.seq]),
	};
}

const PRUNE: Statement = {
	name: "state_checkpoints_prune",
	text: `WITH gone AS (
			DELETE FROM state_checkpoints WHERE project_id = $1 AND key = $2 AND seq <= (
				SELECT seq FROM state_checkpoints WHERE project_id = $1 AND key = $2 ORDER BY seq DESC OFFSET $3::int LIMIT 1
			)
			RETURNING seq
		)
		SELECT count(*)::int AS removed FROM gone`,
};

/** Deletes all checkpoints of a key but the newest ones. Returns their number. */
export async function pruneStateCheckpoints(
	{ db, identity, limits }: Scope,
	input: { key: string; keep: number },
): Promise<number> {
	const key = checkId("input.key", input.key, limits.idBytes);
	const keep = checkKept("input.keep", input.keep);
	const [row] = await db.write<{ removed: number }>(PRUNE, [identity.projectId, key, keep]);
	return row?.removed ?? 0;
}

function toCheckpoint(row: CheckpointRow): StateCheckpoint {
	return { key: row.key, seq: row.seq, version: row.version, state: row.state, createdAt: row.created_at };
}
