import pg from "pg";
import type { TestGateway } from "./gateway.ts";

/** A transaction of another session that has done its work and not yet ended: what it changed is locked. */
export interface OpenTransaction {
	end(how: "COMMIT" | "ROLLBACK"): Promise<void>;
}

/** Runs a statement in a transaction of a connection of its own and leaves the transaction open. */
export async function openTransaction(
	{ databaseUrl }: TestGateway,
	text: string,
	values: unknown[] = [],
): Promise<OpenTransaction> {
	const client = new pg.Client(databaseUrl);
	await client.connect();
	await client.query("BEGIN");
	await client.query(text, values);
	return {
		end: async (how) => {
			await client.query(how);
			await client.end();
		},
	};
}
