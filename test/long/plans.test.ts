import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Conversation } from "../../server/domain/conversations.ts";
import type { Page } from "../../server/domain/pages.ts";
import { listConversations } from "../../server/store/conversations.ts";
import type { Scope } from "../../server/store/scope.ts";
import { testPlans } from "../sessions/plan-suite.ts";
import { EVERY_WORK } from "../support/every-work.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { grow } from "../support/growth.ts";
import { type Measured, measure } from "../support/measure.ts";
import { query } from "../support/sql.ts";
import { isProjectWide, keptPlans, tableStatements } from "../support/statement-plans.ts";

/** What a statement may cost: a page is 20 rows, and one of checkpoints comes in five parts. */
const MOST = { rows: 110, pages: 400 };

/** Statements whose costs follow from what they are for. */
const EXEMPT = [
	{ names: /^context_list$/, because: "its page is 1,000 messages" },
	{ names: /^checkpoint_history/, because: "it counts the thread's checkpoints once, to end in a ring of parents" },
	{
		names: /^checkpoints_list_by_thread_id$/,
		because: "it sorts the checkpoints of a thread, those of all its namespaces",
	},
];

/** Statements that no work of a user runs, and why their plans are enough. */
const UNMEASURED = [
	{ names: /^project_delete_/, because: "they delete 5,000 rows at a time" },
	{
		names: /^(archive|erasure|retention)_|^checkpoint_prune|^conversation_archive_/,
		because: "an operator's, in steps",
	},
	{ names: /^search_/, because: "search is not enabled" },
	{ names: /^history_sum_up$/, because: "it reads once more what a walk has read" },
	{ names: /^run_drop_interrupt$/, because: "it changes a row by its key" },
	{ names: /^token_note_use$/, because: "it changes a row by its key" },
];

/** Statements for which reading a table from end to end is right, since nearly all of it is what they are after. */
const WHOLE = /^(project_delete|retention)_/;

const isOneOf = (name: string, list: readonly { names: RegExp }[]) => list.some(({ names }) => names.test(name));

let small: TestGateway;
let large: TestGateway;
let before: Map<string, Measured>;
let after: Map<string, Measured>;

beforeAll(async () => {
	small = await startGateway();
	await grow(small, 1_000);
	large = await startGateway();
	await grow(large, 1_000_000);
	before = await costs(small);
	after = await costs(large);
}, 1_800_000);

afterAll(async () => {
	await small.close();
	await large.close();
});

/** The costs of all statements, each at its most expensive, by name. */
async function costs(gateway: TestGateway): Promise<Map<string, Measured>> {
	const most = new Map<string, Measured>();
	for (const work of Object.values(EVERY_WORK)) {
		for (const one of await measure(gateway, (scope) => work(scope, gateway.token))) {
			const known = most.get(one.name);
			if (known === undefined || one.rows > known.rows) most.set(one.name, one);
		}
	}
	return most;
}

describe("with 1,000,000 conversations, and 1,000,000 messages in one more and spread over them", () => {
	it("every statement has a plan that reads no table whole, and enters indexes by more than the project", async () => {
		const plans = [...(await keptPlans(large.databaseUrl))];
		const whole = plans.filter(([, nodes]) => nodes.some((node) => node["Node Type"] === "Seq Scan"));
		expect(whole.map(([name]) => name).filter((name) => !WHOLE.test(name))).toEqual([]);
		const wide = plans.filter(([name, nodes]) => nodes.some((node) => isProjectWide(name, node)));
		expect(wide.map(([name]) => name)).toEqual([]);
	});

	it("every statement reads what it returns and little besides, or has a reason", async () => {
		const left = (await tableStatements()).map(({ name }) => name).filter((name) => !after.has(name));
		expect(left.filter((name) => !isOneOf(name, UNMEASURED))).toEqual([]);
		const all = [...after.values()].filter(({ name }) => !isOneOf(name, EXEMPT));
		expect(all.filter(({ rows, pages }) => rows > MOST.rows || pages > MOST.pages)).toEqual([]);
		expect(all.flatMap(({ scanned }) => scanned)).toEqual([]);
	});

	it("every statement costs what it costs at 1,000, and the levels that its indexes have grown by", () => {
		const grown = [...after.values()].filter(({ name, pages }) => {
			const first = before.get(name);
			// A descent into an index of a million entries passes two pages more than into one of a thousand.
			const descents = (first?.rows ?? 0) + 10;
			return !isOneOf(name, EXEMPT) && pages > 1.2 * (first?.pages ?? 0) + 2 * descents;
		});
		expect(grown).toEqual([]);
	});

	it.each([
		// It looks for the id and for the conversation, and makes four entries.
		["messages_append", 6],
		["messages_list_flat_desc", 2],
		["messages_select", 2],
	])(
		"%s costs what it costs at 1,000, and at most two pages more for each of its %i ways into an index",
		(name, ways) => {
			expect(after.get(name)!.rows).toBe(before.get(name)!.rows);
			expect(after.get(name)!.pages).toBeLessThanOrEqual(before.get(name)!.pages + 2 * ways);
		},
	);

	it("CONV-3: the first page of conversations and the 1,000th cost what the first one costs at 1,000", async () => {
		const first = 20;
		const read = async (gateway: TestGateway, after: string | null) => {
			const pages: Page<Conversation>[] = [];
			const list = async (scope: Scope) => pages.push(await listConversations(scope, { first, after }));
			const [cost] = await measure(gateway, list);
			return { cost: cost!, page: pages[0]! };
		};
		const [last] = await query<{ id: string; time: string }>(
			large,
			`SELECT conversation_id AS id, to_json(updated_at AT TIME ZONE 'UTC')#>>'{}' || 'Z' AS time FROM conversations
			WHERE project_id = $1 ORDER BY updated_at DESC, conversation_id DESC OFFSET ${999 * first - 1} LIMIT 1`,
			[large.projectId],
		);
		const base = await read(small, null);
		const newest = await read(large, null);
		const item = { ...newest.page.items[0]!, conversationId: last!.id, updatedAt: last!.time };
		const far = await read(large, newest.page.cursorOf(item));
		expect(base.cost.rows).toBe(first + 1);
		for (const { cost } of [newest, far]) {
			expect(cost).toMatchObject({ rows: first + 1, scanned: [] });
			expect(cost.pages).toBeLessThanOrEqual(1.2 * base.cost.pages + 2);
		}
	});
});

describe("an hour of updates of ten conversations", () => {
	/** Updates of a minute, each of its own transaction for all ten. */
	const MINUTE = 800;

	async function pagesOfFirstPage(): Promise<number> {
		const [cost] = await measure(large, (scope) => listConversations(scope, { first: 50 }));
		return cost!.pages;
	}

	async function update(rounds: number): Promise<void> {
		await query(
			large,
			`DO $$ BEGIN FOR round IN 1..${rounds} LOOP
				UPDATE conversations SET updated_at = clock_timestamp()
				WHERE project_id = '${large.projectId}' AND conversation_id IN (SELECT 'c ' || n FROM generate_series(31, 40) AS n);
				COMMIT;
			END LOOP; END $$`,
		);
	}

	it("leaves the first page of conversations as fast as it was, by the settings of the table", async () => {
		await update(1);
		await query(large, "VACUUM conversations");
		const fresh = await pagesOfFirstPage();
		for (let minute = 0; minute < 60; minute++) {
			await update(MINUTE);
			// As autovacuum does it, which looks once a minute.
			await query(large, "VACUUM conversations");
		}
		expect(await pagesOfFirstPage()).toBeLessThanOrEqual(1.2 * fresh + 2);
		await query(large, "ALTER TABLE conversations RESET (vacuum_index_cleanup)");
		await update(MINUTE);
		await query(large, "VACUUM conversations");
		expect(await pagesOfFirstPage()).toBeGreaterThan(20 * fresh);
	}, 900_000);
});

testPlans({ branches: 1_000, path: 10_000, beside: 200_000 });
