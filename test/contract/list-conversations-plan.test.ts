import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DEFAULT_LIMITS } from "../../server/domain/limits.ts";
import { listConversations } from "../../server/store/conversations.ts";
import type { Database } from "../../server/store/database.ts";
import { checkToken } from "../../server/store/tokens.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { query } from "../support/sql.ts";

let gateway: TestGateway;

const ROWS = 5_000;
const INDEX = "conversations_project_id_updated_at_conversation_id_idx";

beforeAll(async () => {
	gateway = await startGateway();
	const others = await Promise.all([gateway.createProject(), gateway.createProject()]);
	await query(
		gateway,
		`INSERT INTO conversations (project_id, conversation_id, metadata, created_at, updated_at)
		SELECT project_id, 'c' || n, '{}', now(), now() - (n % 50) * interval '1 minute'
		FROM unnest($1::uuid[]) AS project_id, generate_series(1, ${ROWS}) AS n`,
		[[gateway.projectId, ...others.map(({ projectId }) => projectId)]],
	);
	await query(gateway, "ANALYZE conversations");
});

afterAll(() => gateway.close());

interface Plan {
	"Node Type": string;
	"Index Name"?: string;
	"Index Cond"?: string;
	"Actual Rows": number;
	"Rows Removed by Filter"?: number;
	Plans?: Plan[];
}

const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];

/** The plan that Postgres ran for a page, with the very statement of the gateway. */
async function explainPage(mode: string, after: string | null, first: number) {
	const plans: Plan[] = [];
	const recorder = {
		read: async (statement: { text: string }, values: unknown[]) => {
			await gateway.db.transaction(async (transaction) => {
				await transaction.query({ name: "", text: `SET LOCAL plan_cache_mode = ${mode}` }, []);
				const rows = await transaction.query<{ "QUERY PLAN": { Plan: Plan }[] }>(
					{ name: "", text: `EXPLAIN (ANALYZE, FORMAT JSON) ${statement.text}` },
					values,
				);
				plans.push(rows[0]!["QUERY PLAN"][0]!.Plan);
			});
			return gateway.db.read({ name: "", text: statement.text }, values);
		},
	} as unknown as Database;
	const identity = await checkToken(gateway.db, gateway.token);
	const page = await listConversations({ db: recorder, identity: identity!, limits: DEFAULT_LIMITS }, { first, after });
	return { page, nodes: nodesOf(plans[0]!) };
}

describe("the plan of listConversations", () => {
	it.each(["force_custom_plan", "force_generic_plan"])(
		"CONV-3: reads each page from the index, and no more rows than it needs, with %s",
		async (mode) => {
			let after: string | null = null;
			for (let number = 0; number < 4; number++) {
				const { page, nodes }: Awaited<ReturnType<typeof explainPage>> = await explainPage(mode, after, 200);
				const scans = nodes.filter(
					(node) => node["Node Type"].includes("Scan") && node["Node Type"] !== "Subquery Scan",
				);
				expect(scans).toMatchObject([{ "Node Type": "Index Scan", "Index Name": INDEX }]);
				expect(scans[0]!["Index Cond"]).toMatch(/project_id.*updated_at/);
				expect(scans[0]!["Actual Rows"]).toBeLessThanOrEqual(201);
				expect(scans[0]!["Rows Removed by Filter"] ?? 0).toBe(0);
				// At most the rows of the page itself are put in order.
				for (const sort of nodes.filter((node) => node["Node Type"].includes("Sort"))) {
					expect(sort["Actual Rows"]).toBeLessThanOrEqual(201);
				}
				expect(page.items).toHaveLength(200);
				after = page.cursorOf(page.items.at(-1)!);
			}
		},
	);
});
