import { randomUUID } from "node:crypto";
import pg from "pg";
import { inject } from "vitest";

/** A database of its own for a test file, migrated and empty. */
export interface TestDatabase {
	url: string;
	/** Ends what is still connected to it, and removes it. */
	drop(): Promise<void>;
}

export async function createDatabase(): Promise<TestDatabase> {
	const name = `agent_store_${randomUUID().replaceAll("-", "")}`;
	await withAdmin(async (admin) => {
		// Postgres refuses two copies of one template at once.
		await admin.query("SELECT pg_advisory_lock(4711)");
		await admin.query(`CREATE DATABASE ${name} TEMPLATE ${inject("templateName")}`);
	});
	return {
		url: Object.assign(new URL(inject("postgresUrl")), { pathname: `/${name}` }).href,
		drop: () => withAdmin((admin) => admin.query(`DROP DATABASE ${name} WITH (FORCE)`)),
	};
}

async function withAdmin(work: (admin: pg.Client) => Promise<unknown>): Promise<void> {
	const admin = new pg.Client(inject("postgresUrl"));
	await admin.connect();
	try {
		await work(admin);
	} finally {
		await admin.end();
	}
}
