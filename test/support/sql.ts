import pg from "pg";
import { expect, vi } from "vitest";
import type { TestGateway } from "./gateway.ts";

/** Runs SQL beside the gateway. */
export function query<Row extends pg.QueryResultRow>(
	gateway: TestGateway,
	text: string,
	values: unknown[] = [],
): Promise<Row[]> {
	// An empty name means none, so that any text may be run.
	return gateway.db.read<Row>({ name: "", text }, values);
}

/** A row as Postgres identifies it: the transaction that wrote it and its place, both new at every write. */
export interface RowVersion {
	id: string;
	xmin: string;
	ctid: string;
}

/** The versions of all conversations and messages of a project: equal before and after means that nothing was written. */
export async function rowVersions(gateway: TestGateway, projectId = gateway.projectId): Promise<RowVersion[]> {
	return query<RowVersion & pg.QueryResultRow>(
		gateway,
		`SELECT 'c:' || conversation_id AS id, xmin::text, ctid::text FROM conversations WHERE project_id = $1
		UNION ALL SELECT 'm:' || message_id, xmin::text, ctid::text FROM messages WHERE project_id = $1
		ORDER BY id`,
		[projectId],
	);
}

/** Sets the times of all conversations and messages back, so that a later write cannot fall into the same millisecond. */
export async function ageRows(gateway: TestGateway): Promise<void> {
	for (const table of ["conversations", "messages"]) {
		await query(
			gateway,
			`UPDATE ${table} SET created_at = created_at - interval '1 hour', updated_at = updated_at - interval '1 hour'
			WHERE project_id = $1`,
			[gateway.projectId],
		);
	}
}

/** A lock that another session holds on a conversation. */
export interface HeldLock {
	release(): Promise<void>;
}

/** Locks a conversation's row from a connection of its own. */
export async function lockConversation(
	{ databaseUrl, projectId }: TestGateway,
	conversationId: string,
): Promise<HeldLock> {
	const client = new pg.Client(databaseUrl);
	await client.connect();
	await client.query("BEGIN");
	const { rowCount } = await client.query(
		"SELECT FROM conversations WHERE project_id = $1 AND conversation_id = $2 FOR UPDATE",
		[projectId, conversationId],
	);
	expect(rowCount).toBe(1);
	return {
		release: async () => {
			await client.query("ROLLBACK");
			await client.end();
		},
	};
}

/** Resolves once as many sessions of the gateway wait for a lock. */
export async function waitForLockWaiters(gateway: TestGateway, count: number): Promise<void> {
	await vi.waitFor(
		async () => {
			const [row] = await query<{ waiting: number }>(
				gateway,
				`SELECT count(*)::int AS waiting FROM pg_stat_activity
				WHERE datname = current_database() AND application_name = 'agent-gateway' AND wait_event_type = 'Lock'`,
			);
			expect(row?.waiting).toBe(count);
		},
		{ timeout: 20_000, interval: 10 },
	);
}
