import { badRequest } from "../domain/faults.ts";
import { checkId } from "../domain/ids.ts";
import { checkPageSize, openCursor, type Page, sealCursor } from "../domain/pages.ts";
import {
	type CheckedTranscriptKey,
	checkSummary,
	checkTranscriptKey,
	draftEntries,
	type Transcript,
	type TranscriptKey,
	type TranscriptSummary,
} from "../domain/transcripts.ts";
import type { Statement, Transaction } from "./database.ts";
import type { Scope } from "./scope.ts";
import { unfoldedCursor } from "./transcript-pages.ts";

const KEY = "project_id = $1 AND project_key = $2 AND session_id = $3";

const LOCK: Statement = {
	name: "transcript_lock",
	text: `SELECT FROM transcripts WHERE ${KEY} FOR UPDATE`,
};

const CREATE: Statement = {
	name: "transcript_create",
	text: `INSERT INTO transcripts (project_id, project_key, session_id) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`,
};

// Runs under the lock of the transcript's row, so that seqs are taken in turn. What is stored already, by its uuid or
// its place in the batch, is left to the unique keys: no plan that Postgres may have made while the table was small
// can make that slow. The clock of the project key is taken last, by everybody in this order, and kept until the
// commit, so that the transcript used last has the greatest mtime.
const APPEND: Statement = {
	name: "transcript_append",
	text: `WITH fresh AS (
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
		WHERE ${KEY} AND EXISTS (SELECT FROM fresh)
		RETURNING (SELECT count(*)::int FROM fresh) AS appended`,
};

/**
 * Appends entries in their order, and begins the transcript where there is none. What is stored already, by its uuid
 * or by its place in the batch, is left out; so the same part of a batch may be sent again. Returns how many are new.
 */
export async function appendTranscript(
	{ db, identity, limits }: Scope,
	input: TranscriptKey & { batchId: string; start: number; entries: readonly string[] },
): Promise<number> {
	const key = checkTranscriptKey("input", input, limits);
	const batchId = checkId("input.batchId", input.batchId, limits.idBytes);
	if (input.start < 0) throw badRequest("input.start", "must not be negative");
	const drafts = draftEntries("input.entries", input.entries, input.start, limits);
	return db.transaction(async (transaction) => {
		await lockOrCreate(transaction, identity.projectId, key);
		const [row] = await transaction.query<{ appended: number }>(APPEND, [
			identity.projectId,
			key.projectKey,
			key.sessionId,
			key.subpath,
			batchId,
			drafts.map(({ uuid }) => uuid),
			drafts.map(({ index }) => index),
			drafts.map(({ entry }) => entry),
		]);
		return row?.appended ?? 0;
	});
}

/** Repeats itself only where a delete came in between. */
async function lockOrCreate(
	transaction: Transaction,
	projectId: string,
	{ projectKey, sessionId }: CheckedTranscriptKey,
): Promise<void> {
	const key = [projectId, projectKey, sessionId];
	while ((await transaction.query(LOCK, key)).length === 0) await transaction.query(CREATE, key);
}

const DELETE: Statement = {
	name: "transcript_delete",
	text: `DELETE FROM transcripts WHERE ${KEY}`,
};

const LOCK_CLOCK: Statement = {
	name: "transcript_clock_lock",
	text: "SELECT FROM transcript_clocks WHERE project_id = $1 AND project_key = $2 FOR UPDATE",
};

const DELETE_CLOCK: Statement = {
	name: "transcript_clock_delete",
	text: `DELETE FROM transcript_clocks c WHERE c.project_id = $1 AND c.project_key = $2
		AND (
			SELECT t.session_id FROM transcripts t WHERE t.project_id = $1 AND t.project_key = $2 LIMIT 1
		) IS NULL`,
};

const DELETE_SUBPATH: Statement = {
	name: "transcript_delete_subpath",
	text: `DELETE FROM transcript_entries WHERE ${KEY} AND subpath = $4`,
};

const DELETE_EMPTY: Statement = {
	name: "transcript_delete_empty",
	text: `DELETE FROM transcripts t WHERE t.project_id = $1 AND t.project_key = $2 AND t.session_id = $3 AND t.mtime IS NULL
		AND (
			SELECT e.seq FROM transcript_entries e
			WHERE e.project_id = $1 AND e.project_key = $2 AND e.session_id = $3 LIMIT 1
		) IS NULL`,
};

/** Deletes a session with all its subpaths, or one subpath alone; an unknown one is a success. Nothing of it stays. */
export async function deleteTranscript({ db, identity, limits }: Scope, input: TranscriptKey): Promise<void> {
	const { projectKey, sessionId, subpath } = checkTranscriptKey("input", input, limits);
	const key = [identity.projectId, projectKey, sessionId];
	await db.transaction(async (transaction) => {
		if (subpath === "") {
			await transaction.query(DELETE, key);
			await deleteIdleClock(transaction, identity.projectId, projectKey);
			return;
		}
		await transaction.query(LOCK, key);
		await transaction.query(DELETE_SUBPATH, [...key, subpath]);
		await transaction.query(DELETE_EMPTY, key);
	});
}

/**
 * Deletes the clock of a project key whose last transcript was deleted. That is looked for under the clock's lock, which
 * every append ends with.
 */
export async function deleteIdleClock(transaction: Transaction, projectId: string, projectKey: string): Promise<void> {
	await transaction.query(LOCK_CLOCK, [projectId, projectKey]);
	await transaction.query(DELETE_CLOCK, [projectId, projectKey]);
}

const LIST: Statement = {
	name: "transcripts_list",
	text: `SELECT session_id, mtime FROM transcripts
		WHERE project_id = $1 AND project_key = $2 AND session_id > $3 AND mtime IS NOT NULL
		ORDER BY session_id LIMIT $4::int + 1`,
};

interface TranscriptListInput {
	projectKey: string;
	first?: number | null | undefined;
	after?: string | null | undefined;
}

interface TranscriptRow {
	session_id: string;
	mtime: string;
}

/** A page of the sessions under a project key whose main transcript has entries, by id, since ids do not move. */
export async function listTranscripts(scope: Scope, input: TranscriptListInput): Promise<Page<Transcript>> {
	const { db, identity, limits } = scope;
	const projectKey = checkId("projectKey", input.projectKey, limits.keyBytes);
	const first = checkPageSize("first", input.first, limits);
	const after = openSessionCursor(scope, projectKey, input.after);
	const rows = await db.read<TranscriptRow>(LIST, [identity.projectId, projectKey, after, first]);
	return {
		items: rows.slice(0, first).map(toTranscript),
		hasNext: rows.length > first,
		cursorOf: sessionCursor(scope, projectKey),
	};
}

// The running sum ends a page at a number of bytes, but never before its first row (rule VAL-7).
const LIST_SUMMARIES: Statement = {
	name: "transcript_summaries_list",
	text: `SELECT session_id, mtime, incarnation, summary, summary_mtime, summary_seq, fetched FROM (
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
		ORDER BY position`,
};

interface SummaryRow extends TranscriptRow {
	incarnation: string;
	summary: string | null;
	summary_mtime: string | null;
	summary_seq: string | null;
	fetched: string;
}

/** The same page with the stored summaries, which may be behind their transcripts. */
export async function listTranscriptSummaries(
	scope: Scope,
	input: TranscriptListInput,
): Promise<Page<TranscriptSummary>> {
	const { db, identity, limits } = scope;
	const projectKey = checkId("projectKey", input.projectKey, limits.keyBytes);
	const first = checkPageSize("first", input.first, limits);
	const after = openSessionCursor(scope, projectKey, input.after);
	const values = [identity.projectId, projectKey, after, first, limits.pageBytes];
	const rows = await db.read<SummaryRow>(LIST_SUMMARIES, values);
	return {
		items: rows.map((row) => ({
			...toTranscript(row),
			summary: row.summary,
			summaryMtime: row.summary_mtime === null ? null : Number(row.summary_mtime),
			unfoldedAfter: unfoldedCursor(scope, { projectKey, sessionId: row.session_id, subpath: "" }, row),
		})),
		hasNext: Number(rows[0]?.fetched ?? 0) > rows.length,
		cursorOf: sessionCursor(scope, projectKey),
	};
}

// Decides on the row that it locks alone: where mtime is unchanged, so is the main transcript, and last_seq bounds it.
const SET_SUMMARY: Statement = {
	name: "transcript_set_summary",
	text: `UPDATE transcripts SET summary = $5, summary_mtime = mtime, summary_seq = last_seq
		WHERE ${KEY} AND mtime = $4::bigint RETURNING session_id`,
};

/** Stores the summary of a main transcript, if nothing was appended to it since it had this mtime. Returns whether. */
export async function setTranscriptSummary(
	{ db, identity, limits }: Scope,
	input: { projectKey: string; sessionId: string; mtime: number; summary: string },
): Promise<boolean> {
	const { projectKey, sessionId } = checkTranscriptKey("input", input, limits);
	if (!Number.isSafeInteger(input.mtime)) throw badRequest("input.mtime", "must be an integer of milliseconds");
	const summary = checkSummary("input.summary", input.summary, limits);
	const values = [identity.projectId, projectKey, sessionId, input.mtime, summary];
	return (await db.write(SET_SUMMARY, values)).length > 0;
}

function toTranscript(row: TranscriptRow): Transcript {
	return { sessionId: row.session_id, mtime: Number(row.mtime) };
}

function sessionCursor({ identity }: Scope, projectKey: string): (item: Transcript) => string {
	return ({ sessionId }) => sealCursor(identity.cursorKey, `transcripts\0${projectKey}`, [sessionId]);
}

/** The id to start after; before every id when a walk begins. */
function openSessionCursor({ identity }: Scope, projectKey: string, after: string | null | undefined): string {
	if (after == null) return "";
	const [sessionId = ""] = openCursor("after", identity.cursorKey, `transcripts\0${projectKey}`, after);
	return sessionId;
}
