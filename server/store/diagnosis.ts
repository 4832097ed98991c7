import type { Database, Statement } from "./database.ts";

/** What a server says of itself and of the connection that asks. */
export interface ServerFacts {
	version: string;
	/** As 180004 for 18.4. */
	versionNumber: number;
	database: string;
	role: string;
	/** The same for all connections to one running server. */
	startedAt: string;
	encoding: string;
	/** A standby, or a role or database that may only read. */
	readOnly: boolean;
	/** Whether what was committed survives a crash of the server. */
	durable: boolean;
	/** Whether statements, and waits for locks, end at some time. */
	bounded: boolean;
	/** Connections that ordinary roles may have, and that are open. */
	connections: number;
	usedConnections: number;
	/** Milliseconds by which the server's clock is ahead of this machine's. */
	clockAheadMs: number;
}

interface FactsRow extends Omit<ServerFacts, "clockAheadMs"> {
	now: number;
}

const FACTS: Statement = {
	name: "server_facts",
	text: `SELECT current_setting('server_version') AS version,
			current_setting('server_version_num')::int AS "versionNumber",
			current_database()::text AS database, current_user::text AS role, pg_postmaster_start_time()::text AS "startedAt",
			current_setting('server_encoding') AS encoding,
			pg_is_in_recovery() OR current_setting('transaction_read_only')::bool AS "readOnly",
			current_setting('fsync')::bool AND current_setting('full_page_writes')::bool
				AND current_setting('synchronous_commit') <> 'off' AS durable,
			current_setting('statement_timeout') <> '0' AND current_setting('lock_timeout') <> '0' AS bounded,
			current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int AS connections,
			(SELECT count(*)::int FROM pg_stat_activity WHERE backend_type = 'client backend') AS "usedConnections",
			extract(epoch FROM clock_timestamp())::float8 * 1000 AS now`,
};

/** Asks a server for everything that may keep a gateway from working on it. */
export async function inspectServer(db: Database): Promise<ServerFacts> {
	// The first statement opens the connection, which would count as the clock's difference.
	await db.ping();
	const before = Date.now();
	const [row] = await db.read<FactsRow>(FACTS, []);
	const { now, ...facts } = row!;
	return { ...facts, clockAheadMs: Math.round(now - (before + Date.now()) / 2) };
}

/** The tokens that let somebody in, and how many of them end within a week. */
export async function countTokens({ prisma }: Database): Promise<{ valid: number; ending: number }> {
	const now = new Date();
	const week = new Date(now.getTime() + 7 * 24 * 3_600_000);
	const valid = { revokedAt: null, OR: [{ expiresAt: null }, { expiresAt: { gt: now } }] };
	return {
		valid: await prisma.apiToken.count({ where: valid }),
		ending: await prisma.apiToken.count({ where: { revokedAt: null, expiresAt: { gt: now, lte: week } } }),
	};
}
