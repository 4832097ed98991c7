import type { Statement, Transaction } from "./database.ts";

/**
 * What stands in the column `encoding` of a value in pieces. Its bytes are as the serialiser wrote them, and a gateway
 * that knows nothing of pieces refuses to read it rather than give its end for all of it.
 */
export const IN_PIECES = "pieces";

/** SQL of the encoding of a value: of a row of checkpoint_blobs. */
export function encodingOf(row: string): string {
	return `CASE WHEN ${row}.pieces IS NULL THEN ${row}.encoding ELSE 'identity' END`;
}

/** SQL of its bytes. */
export function dataOf(row: string): string {
	return `CASE WHEN ${row}.pieces IS NULL THEN ${row}.data ELSE (
			SELECT string_agg(piece.data, '' ORDER BY named.place)
			FROM unnest(${row}.pieces) WITH ORDINALITY AS named (name, place)
			CROSS JOIN LATERAL (
				SELECT p.data FROM checkpoint_pieces p
				WHERE p.project_id = ${row}.project_id AND p.thread_id = ${row}.thread_id AND p.name = named.name OFFSET 0
			) AS piece
		) || ${row}.data END`;
}

/** SQL of its size, which is known without reading the pieces. */
export function bytesOf(row: string): string {
	return `coalesce(${row}.bytes, octet_length(${row}.data))`;
}

const UNUSED = `p.project_id = $1 AND p.thread_id = $2 AND NOT EXISTS (
		SELECT FROM checkpoint_blobs b CROSS JOIN LATERAL unnest(b.pieces) AS used (name)
		WHERE b.project_id = $1 AND b.thread_id = $2 AND used.name = p.name
	)`;

/** Rows that one statement deletes at most, so that no statement timeout ends it. */
const DELETED_AT_ONCE = 5_000;

const LOCK_UNUSED: Statement = {
	name: "checkpoint_pieces_lock_unused",
	text: `SELECT p.name FROM checkpoint_pieces p WHERE ${UNUSED} ORDER BY p.name LIMIT $3 FOR UPDATE`,
};

const DELETE_UNUSED: Statement = {
	name: "checkpoint_pieces_delete_unused",
	text: `DELETE FROM checkpoint_pieces p WHERE ${UNUSED} AND p.name = ANY($3::text[])`,
};

/**
 * Removes the pieces of a thread that no value has any more, in the transaction that removed values. A piece that is sent
 * is locked by its sender, and a piece that is borrowed is held by the value it is borrowed from, which is locked, too.
 * So once the lock is here, every value that could have such a piece is either seen, or waits and finds it gone.
 */
export async function removeUnusedPieces({ query }: Transaction, projectId: string, threadId: string): Promise<void> {
	for (;;) {
		const unused = await query<{ name: string }>(LOCK_UNUSED, [projectId, threadId, DELETED_AT_ONCE]);
		if (unused.length === 0) return;
		// A statement of its own: it sees the values that came while the lock was waited for.
		await query(DELETE_UNUSED, [projectId, threadId, unused.map(({ name }) => name)]);
	}
}
