import { checkPageSize, openCursor, type Page, refusedCursor, sealCursor } from "../domain/pages.ts";
import {
	type CheckedTranscriptKey,
	checkTranscriptKey,
	type TranscriptEntry,
	type TranscriptKey,
} from "../domain/transcripts.ts";
import type { Statement } from "./database.ts";
import type { Scope } from "./scope.ts";

// Up to the last seq that the walk's first page saw; the running sum ends a page at a number of bytes, but never
// before its first row (rule VAL-7).
const LIST: Statement = {
	name: "transcript_entries_list",
	text: `SELECT t.incarnation, coalesce($6::bigint, t.last_seq) AS bound, page.*
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
		ORDER BY page.position`,
};

interface EntryRow {
	incarnation: string;
	bound: string;
	seq: string;
	entry: string;
	fetched: string;
}

type PageRow = EntryRow | (Pick<EntryRow, "incarnation" | "bound"> & { seq: null });

/** A page of the entries of a main transcript or subpath, in the order in which they were appended. */
export async function listTranscriptEntries(
	scope: Scope,
	input: TranscriptKey & { first?: number | null | undefined; after?: string | null | undefined },
): Promise<Page<TranscriptEntry>> {
	const { db, identity, limits } = scope;
	const key = checkTranscriptKey("", input, limits);
	const first = checkPageSize("first", input.first, { ...limits, pageLimit: limits.transcriptEntries });
	const start = input.after == null ? undefined : openStart(scope, key, input.after);
	const rows = await db.read<PageRow>(LIST, [
		identity.projectId,
		key.projectKey,
		key.sessionId,
		key.subpath,
		start?.seq ?? 0,
		start?.bound || null,
		first,
		limits.pageBytes,
	]);
	const [head] = rows;
	// The transcript was deleted, and perhaps begun anew, since the cursor was made.
	if (start !== undefined && head?.incarnation !== start.incarnation) throw refusedCursor("after");
	const found = rows.filter((row) => row.seq !== null);
	return {
		items: found.map(({ seq, entry }) => ({ seq, entry })),
		hasNext: Number(found[0]?.fetched ?? 0) > found.length,
		cursorOf: ({ seq }) => sealCursor(identity.cursorKey, cursorScope(key), [head!.incarnation, seq, head!.bound]),
	};
}

/** The cursor after which a walk, with a bound of its own, finds what a summary has not folded yet. */
export function unfoldedCursor(
	{ identity }: Scope,
	key: CheckedTranscriptKey,
	row: { incarnation: string; summary_seq: string | null },
): string {
	return sealCursor(identity.cursorKey, cursorScope(key), [row.incarnation, row.summary_seq ?? "0", ""]);
}

function openStart({ identity }: Scope, key: CheckedTranscriptKey, after: string) {
	const [incarnation = "", seq = "", bound = ""] = openCursor("after", identity.cursorKey, cursorScope(key), after);
	return { incarnation, seq, bound };
}

function cursorScope({ projectKey, sessionId, subpath }: CheckedTranscriptKey): string {
	return `transcript\0${JSON.stringify([projectKey, sessionId, subpath])}`;
}

// Steps from one subpath to the next by the index, however many entries each one holds.
const LIST_SUBPATHS: Statement = {
	name: "transcript_subpaths_list",
	text: `WITH RECURSIVE walk AS (
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
		SELECT subpath FROM walk WHERE position > 0 ORDER BY position`,
};

/** A page of the subpaths of a session that have entries, in the order of their bytes. */
export async function listTranscriptSubpaths(
	scope: Scope,
	input: {
		projectKey: string;
		sessionId: string;
		first?: number | null | undefined;
		after?: string | null | undefined;
	},
): Promise<Page<string>> {
	const { db, identity, limits } = scope;
	const { projectKey, sessionId } = checkTranscriptKey("", { ...input, subpath: null }, limits);
	const first = checkPageSize("first", input.first, limits);
	const list = `transcriptSubpaths\0${JSON.stringify([projectKey, sessionId])}`;
	const [after = ""] = input.after == null ? [] : openCursor("after", identity.cursorKey, list, input.after);
	const values = [identity.projectId, projectKey, sessionId, after, first];
	const rows = await db.read<{ subpath: string }>(LIST_SUBPATHS, values);
	return {
		items: rows.slice(0, first).map(({ subpath }) => subpath),
		hasNext: rows.length > first,
		cursorOf: (subpath) => sealCursor(identity.cursorKey, list, [subpath]),
	};
}
