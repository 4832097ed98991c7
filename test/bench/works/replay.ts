import type pg from "pg";
import type { Call } from "../call.ts";
import { startByHand } from "../contenders/by-hand.ts";
import type { Contender } from "../contenders/contender.ts";
import { startGateway } from "../contenders/gateway.ts";
import { startMercurius } from "../contenders/mercurius.ts";
import { alternate, type Lane, ratio } from "../rounds.ts";
import { fillConversations, newDraft, PAYLOAD } from "../rows.ts";
import { type Bench, type Result, rowsResult } from "./work.ts";

const CONVERSATIONS = 200;
const WAL_ROUNDS = 5;

/** Appends messages that are stored already; beside it, the gateway appends new ones. */
export async function replay(bench: Bench): Promise<Result> {
	const { sql } = bench.world;
	const contenders = await bench.contenders([startByHand, startGateway, startMercurius]);
	for (const { projectId } of contenders) {
		await fillConversations(sql, projectId, { name: "replay", conversations: CONVERSATIONS, messages: 10 });
	}
	const call = (index: number): Call => {
		const conversationId = `replay-${(index % CONVERSATIONS) + 1}`;
		const messageId = `${conversationId}-${(index % 10) + 1}`;
		return { kind: "append", conversationId, messages: [{ messageId, role: "user", payload: PAYLOAD }] };
	};
	const calls = bench.scaled(1_000);
	const lanes = contenders.map((contender): Lane => ({ name: contender.name, contender, calls, call }));
	const gateway = contenders.find(({ name }) => name === "gateway");
	if (gateway === undefined) return rowsResult("replay", await alternate(lanes, bench.course), []);
	lanes.push({
		name: "gateway, a new message",
		contender: gateway,
		calls,
		call: (index) => ({
			kind: "append",
			conversationId: `replay-${(index % CONVERSATIONS) + 1}`,
			messages: [newDraft()],
		}),
	});
	const rows = await alternate(lanes, bench.course);
	const wal = await walBytes(
		sql,
		gateway,
		Array.from({ length: bench.scaled(500) }, (_, index) => call(index)),
	);
	const cpu = rows.find(({ name }) => name === "gateway")!.cpu;
	return rowsResult("replay of an existing id", rows, [
		{ title: "replay ÷ append one, CPU", measured: ratio(cpu, rows.at(-1)!.cpu), limit: { most: 1 } },
		{ title: "replay, bytes of WAL", measured: wal, limit: { most: 0 } },
	]);
}

/** What the calls add to the log of the database: the least of some rounds, for the database writes on its own, too. */
async function walBytes(sql: pg.Client, contender: Contender, calls: Call[]): Promise<number> {
	// What vacuum and the last appends left to be written is written before.
	await sql.query("CHECKPOINT");
	const written: number[] = [];
	for (let round = 0; round < WAL_ROUNDS; round++) {
		const run = await contender.prepare(calls, 8);
		const before = await walPosition(sql);
		await run();
		written.push((await walPosition(sql)) - before);
	}
	return Math.min(...written);
}

async function walPosition(sql: pg.Client): Promise<number> {
	const { rows } = await sql.query<{ position: string }>(
		"SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0') AS position",
	);
	return Number(rows[0]!.position);
}
