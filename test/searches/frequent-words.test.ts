import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { searchConversations } from "../../server/store/searches.ts";
import type { TestGateway } from "../support/gateway.ts";
import { readingsOf } from "../support/plans.ts";
import { find, sessionsOf, startSearchGateway } from "../support/searches.ts";
import { query } from "../support/sql.ts";

let gateway: TestGateway;

/** More than are looked up one by one. */
const CONVERSATIONS = 6_000;

/** The words of conversation n, the latest updated last. */
const WORDS: Record<string, (n: number) => boolean> = {
	common: () => true,
	even: (n) => n % 2 === 0,
	odd: (n) => n % 2 === 1,
	old: (n) => n < 2_500,
	rare: (n) => n % 1_000 === 0,
	titled: (n) => n % 2 === 0,
};

beforeAll(async () => {
	gateway = await startSearchGateway();
	const others = await gateway.createProject();
	for (const { projectId } of [gateway, others]) {
		await query(
			gateway,
			`INSERT INTO conversations (project_id, conversation_id, metadata, last_seq, created_at, updated_at)
			SELECT $1, 'c' || n, CASE WHEN n % 2 = 0 THEN '{"title":"titled"}' ELSE '{}' END::json, 1, now(),
				'2026-01-01'::timestamptz + n * interval '1 second'
			FROM generate_series(0, ${CONVERSATIONS - 1}) AS n`,
			[projectId],
		);
		await query(
			gateway,
			`INSERT INTO messages (project_id, message_id, conversation_id, seq, payload, metadata, bytes, created_at, updated_at)
			SELECT $1, 'm' || n, 'c' || n, 1, to_json(concat_ws(' ', 'common', CASE n % 2 WHEN 0 THEN 'even' ELSE 'odd' END,
				CASE WHEN n < 2500 THEN 'old' END, CASE WHEN n % 1000 = 0 THEN 'rare' END)), '{}', 20, now(), now()
			FROM generate_series(0, ${CONVERSATIONS - 1}) AS n`,
			[projectId],
		);
	}
	await query(gateway, "ANALYZE conversations, messages");
});

afterAll(() => gateway.close());

function expected(search: string): string[] {
	const numbers = Array.from({ length: CONVERSATIONS }, (_, index) => CONVERSATIONS - 1 - index);
	return numbers.filter((n) => search.split(" ").every((word) => WORDS[word]!(n))).map((n) => `c${n}`);
}

describe("frequent words", () => {
	it.each([
		"common",
		"even",
		"old",
		"common even titled",
		"old odd",
		"even odd",
		"titled old",
		"common rare",
		"rare old",
	])("CONV-3: a walk finds each conversation once and in order: %s", async (search) => {
		expect(await find(sessionsOf(gateway, gateway.token), search, 200)).toEqual(expected(search));
	});

	it.each([
		["common", 3_000],
		["common even", 5_500],
		["rare", 100],
		["rare common", 2_500],
	])("are looked for in the newest conversations only: %s", async (search, most) => {
		const readings = await readingsOf(gateway, (scope) => searchConversations(scope, { search, first: 20 }));
		const read = readings.map(({ rows }) => (rows["messages"] ?? 0) + (rows["conversations"] ?? 0));
		const scanned = readings.flatMap((reading) => reading.scanned);
		expect(scanned.filter((table) => !table.startsWith("pg_"))).toEqual([]);
		expect(read.reduce((sum, rows) => sum + rows)).toBeLessThan(most);
	});
});
