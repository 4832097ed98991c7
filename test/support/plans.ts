import pg from "pg";
import { DEFAULT_LIMITS } from "../../server/domain/limits.ts";
import type { Queries, Statement } from "../../server/store/database.ts";
import type { Scope } from "../../server/store/scope.ts";
import { checkToken } from "../../server/store/tokens.ts";
import type { TestGateway } from "./gateway.ts";

interface PlanNode {
	"Node Type": string;
	"Relation Name"?: string;
	"Actual Rows": number;
	"Actual Loops": number;
	"Rows Removed by Filter"?: number;
	Plans?: PlanNode[];
}

/** What one statement read. */
export interface Reading {
	name: string;
	/** Rows that were looked at, by table. */
	rows: Record<string, number>;
	/** Tables that were read from end to end. */
	scanned: string[];
}

/** What writes or sets something up is not run a second time, and tells nothing. */
const WRITES = /\b(INSERT INTO|DELETE FROM|(?<!FOR )UPDATE|SET (TRANSACTION|LOCAL))\b/;

/**
 * Does some work of the store and tells what each of its statements reads: with the plan that Postgres keeps for a named
 * statement, whatever the values.
 */
export async function readingsOf(gateway: TestGateway, work: (scope: Scope) => Promise<unknown>): Promise<Reading[]> {
	const identity = await checkToken(gateway.db, gateway.token);
	const ran: { statement: Statement; values: unknown[] }[] = [];
	const note = <Result>(statement: Statement, values: unknown[], result: Result) => {
		ran.push({ statement, values });
		return result;
	};
	const db: Queries = {
		prisma: gateway.db.prisma,
		together: (_group, _projectId, _call, doAlone) => doAlone(),
		read: async (statement, values) => note(statement, values, await gateway.db.read(statement, values)),
		write: async (statement, values) => note(statement, values, await gateway.db.write(statement, values)),
		transaction: (inner) =>
			gateway.db.transaction((transaction) =>
				inner({
					query: async (statement, values) => note(statement, values, await transaction.query(statement, values)),
				}),
			),
	};
	await work({ db, identity: identity!, limits: DEFAULT_LIMITS });
	const client = new pg.Client(gateway.databaseUrl);
	await client.connect();
	try {
		await client.query("SET plan_cache_mode = force_generic_plan");
		const readings: Reading[] = [];
		for (const { statement, values } of ran) {
			const isWrite = WRITES.test(statement.text);
			readings.push(
				isWrite ? { name: statement.name, rows: {}, scanned: [] } : await explain(client, statement, values),
			);
		}
		return readings;
	} finally {
		await client.end();
	}
}

async function explain(client: pg.Client, { name, text }: Statement, values: unknown[]): Promise<Reading> {
	await client.query(`DEALLOCATE ALL; PREPARE explained AS ${text}`);
	const explained = await client.query(
		`EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) EXECUTE explained${values.length === 0 ? "" : `(${values.map(literal).join()})`}`,
	);
	const reading: Reading = { name, rows: {}, scanned: [] };
	collect((explained.rows[0] as { "QUERY PLAN": { Plan: PlanNode }[] })["QUERY PLAN"][0]!.Plan, reading);
	return reading;
}

function collect(node: PlanNode, reading: Reading): void {
	const table = node["Relation Name"];
	if (table !== undefined) {
		const rows = (node["Actual Rows"] + (node["Rows Removed by Filter"] ?? 0)) * node["Actual Loops"];
		reading.rows[table] = Math.round((reading.rows[table] ?? 0) + rows);
		if (node["Node Type"] === "Seq Scan" && node["Actual Loops"] > 0) reading.scanned.push(table);
	}
	for (const child of node.Plans ?? []) collect(child, reading);
}

/** A value as SQL. */
export function literal(value: unknown): string {
	if (value === null || value === undefined) return "NULL";
	if (value instanceof Uint8Array) return `'\\x${Buffer.from(value).toString("hex")}'`;
	if (Array.isArray(value)) {
		const items = value.map((item) => (item === null ? "NULL" : JSON.stringify(String(item))));
		return pg.escapeLiteral(`{${items.join()}}`);
	}
	return pg.escapeLiteral(String(value));
}
