import pg from "pg";
import { loadStatements } from "./statements.ts";

/** A step of a plan. */
export interface PlanNode {
	"Node Type": string;
	"Relation Name"?: string;
	"Index Name"?: string;
	"Index Cond"?: string;
	"Recheck Cond"?: string;
	Filter?: string;
	"Actual Rows"?: number;
	"Actual Loops"?: number;
	"Rows Removed by Filter"?: number;
	"Rows Removed by Index Recheck"?: number;
	"Shared Hit Blocks"?: number;
	"Shared Read Blocks"?: number;
	Plans?: PlanNode[];
}

/** All steps of a plan. */
export function nodesOf(node: PlanNode): PlanNode[] {
	return [node, ...(node.Plans ?? []).flatMap(nodesOf)];
}

/** What asks the server itself, or prepares a transaction, and so reads no table of the gateway. */
const WITHOUT_TABLES = /^(SET|BEGIN)\b|\bpg_\w+\b|\b_prisma_migrations\b|current_setting/;

/** Functions that are in the database only once search is enabled. */
const OF_SEARCH = /\bsearch_(title_|message_)?terms\(/;

/** The statements of the store that read or write its tables. */
export async function tableStatements() {
	const statements = await loadStatements();
	return statements.filter(({ text }) => !WITHOUT_TABLES.test(text) && !OF_SEARCH.test(text));
}

/** Statements that go through what a project has of a table, and why they may. */
const PROJECT_WIDE = [
	{ names: /^project_delete_/, because: "they delete all of a project, in steps" },
	{
		names: /^retention_(count|delete)_operations$/,
		because: "they look for what has expired in all of a project, once",
	},
	{ names: /^browser_token_revoke$/, because: "few browser tokens are revoked, and they are forgotten within a day" },
	{ names: /^signing_key_newest$/, because: "a project has few keys" },
];

/** Whether a step reads all that a project has of a table, where it need not. */
export function isProjectWide(name: string, node: PlanNode): boolean {
	const entersByProject = /^\(project_id = [^ ]+\)$/.test(node["Index Cond"] ?? "");
	const isWholeKey = node["Relation Name"] === "projects";
	return entersByProject && !isWholeKey && !PROJECT_WIDE.some(({ names }) => names.test(name));
}

/** The plans of all these statements that Postgres would keep now, whatever the values; by name, as all their steps. */
export async function keptPlans(url: string): Promise<Map<string, PlanNode[]>> {
	const client = new pg.Client(url);
	await client.connect();
	try {
		await client.query("SET plan_cache_mode = force_generic_plan");
		const plans = new Map<string, PlanNode[]>();
		for (const { name, text } of await tableStatements()) {
			await client.query(`PREPARE statement AS ${text}`);
			const { rows: prepared } = await client.query<{ count: number }>(
				"SELECT coalesce(cardinality(parameter_types), 0) AS count FROM pg_prepared_statements WHERE name = 'statement'",
			);
			const values = Array(prepared[0]!.count).fill("NULL").join();
			const { rows } = await client.query<{ "QUERY PLAN": { Plan: PlanNode }[] }>(
				`EXPLAIN (FORMAT JSON) EXECUTE statement${values === "" ? "" : `(${values})`}`,
			);
			plans.set(name, nodesOf(rows[0]!["QUERY PLAN"][0]!.Plan));
			await client.query("DEALLOCATE statement");
		}
		return plans;
	} finally {
		await client.end();
	}
}

/** The steps that read a table or an index of one. */
export function scansOf(nodes: readonly PlanNode[]): PlanNode[] {
	return nodes.filter(
		(node) => node["Node Type"].includes("Scan") && (node["Relation Name"] ?? node["Index Name"]) !== undefined,
	);
}
