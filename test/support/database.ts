import { randomUUID } from "node:crypto";
import pg from "pg";
import { inject } from "vitest";
import { distribute } from "../../server/store/distribution.ts";
import { migrate } from "../../server/store/migrate.ts";

/** A database of its own for a test file. */
export interface TestDatabase {
	url: string;
	/** Ends what is still connected to it, and removes it. */
	drop(): Promise<void>;
}

interface DatabaseOptions {
	/** False leaves out the gateway's tables. */
	migrated?: boolean;
	/** Of a database without tables. */
	encoding?: string;
}

/** Creates a database with the gateway's tables and no rows. */
export async function createDatabase({ migrated = true, encoding }: DatabaseOptions = {}): Promise<TestDatabase> {
	const distributed = migrated && inject("distributed");
	const template = migrated && !distributed ? inject("templateName") : "template0";
	const name = `agent_store_${randomUUID().replaceAll("-", "")}`;
	await withAdmin(async (admin) => {
		// Postgres refuses two copies of one template at once.
		await admin.query("SELECT pg_advisory_lock(4711)");
		const encoded = encoding === undefined ? "" : `ENCODING '${encoding}' LC_COLLATE 'C' LC_CTYPE 'C'`;
		await admin.query(`CREATE DATABASE ${name} TEMPLATE ${template} ${encoded}`);
	});
	const url = Object.assign(new URL(inject("postgresUrl")), { pathname: `/${name}` }).href;
	if (distributed) await distributeNew(url);
	return {
		url,
		drop: () => withAdmin((admin) => admin.query(`DROP DATABASE ${name} WITH (FORCE)`)),
	};
}

/** The shards of a database are its own, so that a copy of a template would have none. */
async function distributeNew(url: string): Promise<void> {
	const client = new pg.Client(url);
	await client.connect();
	await client.query("CREATE EXTENSION citus");
	await client.end();
	await migrate(url);
	await distribute(url);
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
