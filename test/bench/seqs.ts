import type pg from "pg";

/** @throws Error when the messages of a conversation are not numbered 1, 2, 3 … as its counter says. */
export async function checkSeqs(sql: pg.Client, projectId: string): Promise<void> {
	const { rows } = await sql.query<{ conversation_id: string }>(
		`SELECT c.conversation_id FROM conversations c JOIN messages m USING (project_id, conversation_id)
		WHERE c.project_id = $1 GROUP BY c.conversation_id, c.last_seq
		HAVING count(*) <> c.last_seq OR min(m.seq) <> 1 OR max(m.seq) <> c.last_seq`,
		[projectId],
	);
	if (rows.length > 0) throw new Error(`Seqs are missing in ${rows.map((row) => row.conversation_id).join(", ")}`);
}
