import { createSessions } from "@iga-pages/agent/sessions";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { appendMessage } from "../../server/store/appends.ts";
import { branchAt, listBranches } from "../../server/store/branches.ts";
import { listContext } from "../../server/store/contexts.ts";
import { listHistory } from "../../server/store/history-pages.ts";
import { listMessages } from "../../server/store/message-pages.ts";
import type { Scope } from "../../server/store/scope.ts";
import { Tails } from "../../server/store/tails.ts";
import { listBranchPoints, listLabels, listLeaves, listTree } from "../../server/store/trees.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { readingsOf } from "../support/plans.ts";
import { query } from "../support/sql.ts";

/** How large the trees are that the plans are made for. */
export interface TreeSize {
	branches: number;
	/** Messages of the longest path. */
	path: number;
	/** Messages that are on other branches. */
	beside: number;
}

const PAGE = 20;
/** A sort within one range of a path looks at some rows more than it returns. */
const PAGE_ROWS = 4 * PAGE;

/** Conversations without branches (`flat`), with all branches on one path (`wide`), and each on the one before (`deep`). */
async function growTrees(gateway: TestGateway, { branches, path, beside }: TreeSize): Promise<void> {
	const own = Math.floor(beside / branches);
	const step = Math.floor(path / branches);
	// In `deep`, each branch has its part of the path, then what lies beside it; in `wide`, branch 0 is the path.
	const deepSeq = `branch * ${step + own} + n`;
	const shapes = [
		{ id: "flat", last: 0, active: 0, rows: `SELECT 0 AS branch, n AS seq FROM generate_series(1, ${path}) AS n` },
		{
			id: "wide",
			last: branches - 1,
			active: branches - 1,
			rows: `SELECT 0 AS branch, n AS seq FROM generate_series(1, ${path}) AS n
				UNION ALL SELECT branch, ${path} + branch * ${own} + n
				FROM generate_series(1, ${branches - 1}) AS branch, generate_series(1, ${own}) AS n`,
			forks: `SELECT branch, 0 AS parent, ${path} - branch AS seq FROM generate_series(1, ${branches - 1}) AS branch`,
		},
		{
			id: "deep",
			last: branches - 1,
			active: branches - 1,
			rows: `SELECT branch, ${deepSeq} AS seq
				FROM generate_series(0, ${branches - 1}) AS branch, generate_series(1, ${step + own}) AS n
				WHERE branch < ${branches - 1} OR n <= ${step}`,
			forks: `SELECT branch, branch - 1 AS parent, (branch - 1) * ${step + own} + ${step} AS seq
				FROM generate_series(1, ${branches - 1}) AS branch`,
		},
	];
	for (const { id, last, active, rows, forks } of shapes) {
		await gateway.store.createConversation({ conversationId: id });
		const values = [gateway.projectId, id];
		await query(
			gateway,
			`INSERT INTO messages (project_id, message_id, conversation_id, branch, seq, role, payload, metadata, bytes, created_at, updated_at)
			SELECT $1, $2 || ' ' || seq, $2, branch, seq, 'user', '{"text":"some words of a turn"}', '{}', 32, now(), now() FROM (${rows}) AS rows`,
			values,
		);
		if (forks !== undefined) {
			await query(
				gateway,
				`INSERT INTO branches SELECT $1, $2, branch, parent, seq, now() FROM (${forks}) AS forks`,
				values,
			);
		}
		await query(
			gateway,
			`UPDATE conversations SET active_branch = ${active}, last_branch = ${last},
				last_seq = (SELECT max(seq) FROM messages WHERE project_id = $1 AND conversation_id = $2)
			WHERE project_id = $1 AND conversation_id = $2`,
			values,
		);
	}
	// Other conversations: tables of a few pages, or of one conversation, would rightly be read whole.
	await query(
		gateway,
		`INSERT INTO conversations (project_id, conversation_id, metadata, created_at, updated_at)
		SELECT $1, 'other ' || n, '{}', now(), now() FROM generate_series(1, 1000) AS n`,
		[gateway.projectId],
	);
	await query(
		gateway,
		`INSERT INTO branches SELECT $1, 'other ' || n, branch, 0, 0, now()
		FROM generate_series(1, 1000) AS n, generate_series(1, 20) AS branch`,
		[gateway.projectId],
	);
	await query(gateway, "ANALYZE");
}

/** Holds the statements on trees to what they may read, counted in rows: times differ from machine to machine. */
export function testPlans(size: TreeSize): void {
	describe(`trees of ${size.branches} branches, a path of ${size.path} messages and ${size.beside} beside it`, () => {
		let gateway: TestGateway;

		beforeAll(async () => {
			gateway = await startGateway();
			await growTrees(gateway, size);
		}, 300_000);

		afterAll(() => gateway.close());

		/** Rows that the statements of some work read, none of them by reading a whole table. */
		async function rowsOf(work: (scope: Scope) => Promise<unknown>, statements = 1) {
			const readings = await readingsOf(gateway, work);
			expect(readings).toHaveLength(statements);
			expect(readings.flatMap(({ scanned }) => scanned)).toEqual([]);
			const sum = (table: string) => readings.reduce((rows, reading) => rows + (reading.rows[table] ?? 0), 0);
			return { messages: sum("messages"), branches: sum("branches") };
		}

		it.each(["asc", "desc"] as const)("read a page without branches by its own rows alone, %s", async (order) => {
			const rows = await rowsOf((scope) => listMessages(scope, { conversationId: "flat", order, first: PAGE }));
			expect(rows.messages).toBeLessThanOrEqual(PAGE + 1);
			expect(rows.branches).toBe(0);
		});

		it.each([
			["wide", "asc", 1],
			["wide", "desc", 1],
			["deep", "asc", size.branches],
			["deep", "desc", size.branches],
		] as const)(
			"read a page of the %s path by a few rows, %s, and each branch on it once",
			async (id, order, depth) => {
				const read = (after: string | null) => (scope: Scope) =>
					listMessages(scope, { conversationId: id, order, first: PAGE, after });
				const first = await rowsOf(read(null), 2);
				expect(first.messages).toBeLessThanOrEqual(PAGE_ROWS);
				expect(first.branches).toBeLessThanOrEqual(depth);
				const { nextCursor } = await gateway.store.listMessages({ conversationId: id, order, limit: PAGE });
				const next = await rowsOf(read(nextCursor), 2);
				expect(next.messages).toBeLessThanOrEqual(PAGE_ROWS);
			},
		);

		it.each(["flat", "wide", "deep"])(
			"tell a live tail of the %s tree what is new by those rows, or by none",
			async (id) => {
				const look = (last: number) => async (scope: Scope) => {
					const tails = new Tails({ listenUrl: undefined, limits: scope.limits, onError: () => {} });
					const tail = tails.open(scope, { conversationId: id, last }, async () => {});
					for (let taken = 0; taken <= last; taken++) await tail.next();
					await tail.return?.();
				};
				expect(await rowsOf(look(0))).toEqual({ messages: 0, branches: 0 });
				expect(await rowsOf(look(PAGE), 2)).toEqual({ messages: PAGE, branches: 0 });
			},
		);

		it("append by one statement, with branches too", async () => {
			for (const conversationId of ["flat", "wide", "deep"]) {
				const readings = await readingsOf(gateway, (scope) =>
					appendMessage(scope, { conversationId, messageId: `${conversationId} new`, payload: 1 }),
				);
				expect(readings.map(({ name }) => name)).toEqual(["messages_append"]);
				await gateway.store.deleteMessage({ messageId: `${conversationId} new` });
			}
		});

		it.each(["wide", "deep"])("find the compaction of the %s path, and read what it keeps", async (conversationId) => {
			const sessions = createSessions({ url: gateway.url, token: gateway.token });
			const newest = await gateway.store.listMessages({ conversationId, order: "desc", limit: PAGE });
			const firstKeptMessageId = newest.items.at(-1)!.messageId;
			const { messageId } = await sessions.compact({ conversationId, summary: "s", firstKeptMessageId });
			const readings = await readingsOf(gateway, (scope) => listContext(scope, { conversationId }));
			expect(readings.map(({ name }) => name)).toEqual(["context_start", "context_list"]);
			expect(readings.flatMap(({ scanned }) => scanned)).toEqual([]);
			expect(readings[0]!.rows["messages"]).toBeLessThanOrEqual(3);
			expect(readings[1]!.rows["messages"]).toBeLessThanOrEqual(PAGE_ROWS);
			await gateway.store.deleteMessage({ messageId });
		});

		it("read the newest items of an agent's history by a few rows", async () => {
			const rows = await rowsOf((scope) => listHistory(scope, { conversationId: "deep", first: PAGE }));
			expect(rows.messages).toBeLessThanOrEqual(PAGE_ROWS);
		});

		it.each(["wide", "deep"])("branch at a message early in the %s tree by a few rows", async (conversationId) => {
			const readings = await readingsOf(gateway, (scope) =>
				branchAt(scope, { conversationId, messageId: `${conversationId} 1` }),
			);
			const read = readings.filter(({ name }) => name.startsWith("branch_"));
			expect(read.map(({ name }) => name)).toEqual([
				"branch_place",
				"branch_find_ending",
				"branch_insert",
				"branch_activate",
			]);
			expect(read[1]!.rows["messages"]).toBeLessThanOrEqual(10);
			expect(read[1]!.rows["branches"] ?? 0).toBeLessThanOrEqual(10);
			expect(read.flatMap(({ scanned }) => scanned)).toEqual([]);
		});

		it("read all messages by seq, and the tree, by the rows of a page", async () => {
			for (const conversationId of ["wide", "deep"]) {
				const input = { conversationId, first: PAGE, allBranches: true };
				for (const order of ["asc", "desc"] as const) {
					const all = await rowsOf((scope) => listMessages(scope, { ...input, order }));
					expect(all.messages).toBeLessThanOrEqual(2 * (PAGE + 1));
				}
				const tree = await rowsOf((scope) => listTree(scope, { conversationId, first: PAGE }));
				expect(tree.messages).toBeLessThanOrEqual(4 * (PAGE + 1));
			}
		});

		it("read all branches, leaves and branch points by rows in proportion to the branches", async () => {
			for (const conversationId of ["wide", "deep"]) {
				const branches = await rowsOf((scope) => listBranches(scope, [conversationId]));
				expect(branches.messages).toBeLessThanOrEqual(3 * size.branches);
				const leaves = await rowsOf((scope) => listLeaves(scope, { conversationId }));
				expect(leaves.messages).toBeLessThanOrEqual(6 * size.branches);
				const points = await rowsOf((scope) => listBranchPoints(scope, { conversationId }));
				expect(points.messages).toBeLessThanOrEqual(6 * size.branches);
			}
		});

		it("find labels by their own index", async () => {
			const sessions = createSessions({ url: gateway.url, token: gateway.token });
			await sessions.setLabel({ messageId: "wide 7", label: "here" });
			const rows = await rowsOf((scope) => listLabels(scope, { conversationId: "wide" }));
			expect(rows.messages).toBe(1);
		});

		it("count what they hold", async () => {
			const sessions = createSessions({ url: gateway.url, token: gateway.token });
			const { branches, path, beside } = size;
			expect(await sessions.getStats({ conversationId: "wide" })).toMatchObject({
				messageCount: path + (branches - 1) * Math.floor(beside / branches),
				leafCount: branches,
				maxDepth: path - 1 + Math.max(Math.floor(beside / branches) - 1, 0),
			});
		});
	});
}
