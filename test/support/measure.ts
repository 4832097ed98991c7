import { DEFAULT_LIMITS } from "../../server/domain/limits.ts";
import type { Queries, Statement, Transaction } from "../../server/store/database.ts";
import type { Scope } from "../../server/store/scope.ts";
import { checkToken } from "../../server/store/tokens.ts";
import type { TestGateway } from "./gateway.ts";
import { literal } from "./plans.ts";
import { nodesOf, type PlanNode, tableStatements } from "./statement-plans.ts";

/** What one statement cost when it ran. */
export interface Measured {
	name: string;
	/** Rows of tables that it looked at. */
	rows: number;
	/** Pages of tables and indexes, those that were written included. */
	pages: number;
	/** Tables that were read from end to end. */
	scanned: string[];
}

/**
 * Does some work of the store and tells what each of its statements on tables costs, with the plan that Postgres makes
 * for the gateway's connections. Each is explained where it stands in its transaction, undone, and then run.
 */
export async function measure(gateway: TestGateway, work: (scope: Scope) => Promise<unknown>): Promise<Measured[]> {
	const identity = await checkToken(gateway.db, gateway.token);
	const names = new Set((await tableStatements()).map(({ name }) => name));
	const measured: Measured[] = [];
	const explainAndRun = async (transaction: Transaction, statement: Statement, values: unknown[]) => {
		if (names.has(statement.name)) measured.push(await explain(transaction, statement, values));
		return transaction.query<never>(statement, values);
	};
	const alone: Queries["read"] = (statement, values) =>
		gateway.db.transaction((transaction) => explainAndRun(transaction, statement, values));
	const db: Queries = {
		prisma: gateway.db.prisma,
		together: (_group, _projectId, _call, doAlone) => doAlone(),
		read: alone,
		write: alone,
		transaction: (inner) =>
			gateway.db.transaction((transaction) =>
				inner({ query: (statement, values) => explainAndRun(transaction, statement, values) }),
			),
	};
	await work({ db, identity: identity!, limits: DEFAULT_LIMITS });
	return measured;
}

async function explain(transaction: Transaction, statement: Statement, values: unknown[]): Promise<Measured> {
	const run = <Row extends object>(text: string) => transaction.query<Row>({ name: "", text }, []);
	await run("SAVEPOINT explained");
	await run(`PREPARE explained AS ${statement.text}`);
	const given = values.length === 0 ? "" : `(${values.map(literal).join()})`;
	const explaining = run<{ "QUERY PLAN": { Plan: PlanNode }[] }>(
		`EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) EXECUTE explained${given}`,
	);
	// Whatever comes of it, the connection goes back as it was.
	await explaining.catch(() => {});
	await run("ROLLBACK TO explained");
	await run("DEALLOCATE explained");
	const [row] = await explaining;
	const top = row!["QUERY PLAN"][0]!.Plan;
	const nodes = nodesOf(top).filter(
		(node) => node["Relation Name"] !== undefined && node["Node Type"] !== "ModifyTable",
	);
	return {
		name: statement.name,
		rows: nodes.reduce((sum, node) => sum + rowsOf(node), 0),
		pages: (top["Shared Hit Blocks"] ?? 0) + (top["Shared Read Blocks"] ?? 0),
		scanned: nodes
			.filter((node) => node["Node Type"] === "Seq Scan" && (node["Actual Loops"] ?? 0) > 0)
			.map((node) => node["Relation Name"]!),
	};
}

function rowsOf(node: PlanNode): number {
	const removed = (node["Rows Removed by Filter"] ?? 0) + (node["Rows Removed by Index Recheck"] ?? 0);
	return Math.round(((node["Actual Rows"] ?? 0) + removed) * (node["Actual Loops"] ?? 0));
}
