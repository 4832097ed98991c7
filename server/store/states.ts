import { checkId } from "../domain/ids.ts";
import type { JsonObject } from "../domain/json.ts";
import { checkPageSize, openCursor, type Page, sealCursor } from "../domain/pages.ts";
import {
	checkRevision,
	checkVersion,
	encodeState,
	parseRevision,
	type State,
	type StateEntry,
} from "../domain/states.ts";
import type { Statement, Transaction } from "./database.ts";
import type { Scope } from "./scope.ts";
import { CLOCK, isoTime } from "./times.ts";

interface StateRow {
	key: string;
	state: JsonObject;
	version: number;
	revision: string;
	updated_at: string;
}

const ENTRY_COLUMNS = `key, version, revision, ${isoTime("updated_at")}`;

const SELECT: Statement = {
	name: "state_select",
	text: `SELECT state, ${ENTRY_COLUMNS} FROM states WHERE project_id = $1 AND key = $2 AND state IS NOT NULL`,
};

/** The state of a key, null where none is saved. */
export async function getState({ db, identity, limits }: Scope, input: { key: string }): Promise<State | null> {
	const key = checkId("key", input.key, limits.idBytes);
	const [row] = await db.read<StateRow>(SELECT, [identity.projectId, key]);
	return row === undefined ? null : toState(row);
}

// A key without a state has no updated_at, and the comparison leaves it out.
const LIST: Statement = {
	name: "states_list",
	text: `SELECT ${ENTRY_COLUMNS} FROM states
		WHERE project_id = $1 AND (states.updated_at, key) < (coalesce($2::timestamptz, 'infinity'), coalesce($3, ''))
		ORDER BY states.updated_at DESC, key DESC LIMIT $4::int + 1`,
};

const LIST_SCOPE = "states";

/** A page of the keys with a state, the latest saved first. */
export async function listStates(
	{ db, identity, limits }: Scope,
	input: { first?: number | null | undefined; after?: string | null | undefined },
): Promise<Page<StateEntry>> {
	const first = checkPageSize("first", input.first, limits);
	const [updatedAt = null, key = null] =
		input.after == null ? [] : openCursor("after", identity.cursorKey, LIST_SCOPE, input.after);
	const rows = await db.read<Omit<StateRow, "state">>(LIST, [identity.projectId, updatedAt, key, first]);
	return {
		items: rows.slice(0, first).map(toEntry),
		hasNext: rows.length > first,
		cursorOf: (item) => sealCursor(identity.cursorKey, LIST_SCOPE, [item.updatedAt, item.key]),
	};
}

const LOCK: Statement = {
	name: "state_lock",
	text: `SELECT revision, operation_id, ${isoTime("updated_at")} FROM states WHERE project_id = $1 AND key = $2 FOR UPDATE`,
};

const CREATE: Statement = {
	name: "state_create",
	text: `INSERT INTO states (project_id, key, created_at) VALUES ($1, $2, clock_timestamp()) ON CONFLICT DO NOTHING`,
};

interface LockedState {
	revision: string;
	operation_id: string | null;
	updated_at: string;
}

/** Locks a key, which every writer does before it decides; one that is not there is made. */
export async function lockState(transaction: Transaction, projectId: string, key: string): Promise<LockedState> {
	for (;;) {
		const [row] = await transaction.query<LockedState>(LOCK, [projectId, key]);
		if (row !== undefined) return row;
		await transaction.query(CREATE, [projectId, key]);
	}
}

const SAVE: Statement = {
	name: "state_save",
	returnsWritten: true,
	text: `WITH saved AS (
			UPDATE states SET state = $3::text::json, version = $4, operation_id = $5, revision = revision + 1,
				updated_at = greatest(updated_at, clock.now)
			FROM ${CLOCK} WHERE project_id = $1 AND key = $2 RETURNING states.*
		)
		SELECT ${ENTRY_COLUMNS} FROM saved`,
};

interface SaveStateInput {
	key: string;
	state: JsonObject;
	version?: number | null | undefined;
	expectedRevision?: string | null | undefined;
	/** The same in a retry, so that nothing is saved twice. */
	operationId: string;
}

/** Saves the state of a key in the place of the one before. */
export async function saveState(
	{ db, identity, limits }: Scope,
	input: SaveStateInput,
): Promise<Omit<StateEntry, "version">> {
	const key = checkId("input.key", input.key, limits.idBytes);
	const operationId = checkId("input.operationId", input.operationId, limits.idBytes);
	const expected = parseRevision("input.expectedRevision", input.expectedRevision);
	const version = checkVersion("input.version", input.version);
	const { text } = encodeState("input.state", input.state, limits);
	return db.transaction(async (transaction) => {
		const { revision, operation_id, updated_at } = await lockState(transaction, identity.projectId, key);
		if (operation_id === operationId) return { key, revision, updatedAt: updated_at };
		checkRevision("input.expectedRevision", expected, BigInt(revision));
		const values = [identity.projectId, key, text, version, operationId];
		const [row] = await transaction.query<StateRow>(SAVE, values);
		return toEntry(row!);
	});
}

const DELETE: Statement = {
	name: "state_delete",
	text: "DELETE FROM states WHERE project_id = $1 AND key = $2",
};

/** Deletes a key with its state and its checkpoints; an unknown one is a success. */
export async function deleteState({ db, identity, limits }: Scope, input: { key: string }): Promise<void> {
	await db.write(DELETE, [identity.projectId, checkId("input.key", input.key, limits.idBytes)]);
}

function toEntry(row: Omit<StateRow, "state">): StateEntry {
	return { key: row.key, version: row.version, revision: row.revision, updatedAt: row.updated_at };
}

function toState(row: StateRow): State {
	return { ...toEntry(row), state: row.state };
}
