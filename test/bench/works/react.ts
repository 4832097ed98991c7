import type pg from "pg";
import { startGateway } from "../contenders/gateway.ts";
import { median, ratio } from "../rounds.ts";
import { type ServerProcess, startServerProcess } from "../server-process.ts";
import type { Bench, Result } from "./work.ts";

const TURNS = 20;
/** Of a question, a call of a tool, what the tool found, and an answer. */
const MESSAGES = 4 * TURNS;

interface Agent {
	name: string;
	process: ServerProcess;
	/** Its tables. */
	schema?: string;
	milliseconds: number[];
	bytes: number;
}

/** 20 turns of a ReAct agent of LangGraph on one thread, its checkpoints kept in three ways. */
export async function react(bench: Bench): Promise<Result> {
	const { world, course } = bench;
	const gateway = await world.enlist(startGateway);
	const start = await world.createStart("react");
	const url = `http://127.0.0.1:${gateway.process.port}/graphql`;
	const agent = async (name: string, args: string[], schema?: string): Promise<Agent> => {
		const process = await startServerProcess("./servers/react.ts", args);
		return { name, process, milliseconds: [], bytes: 0, ...(schema === undefined ? {} : { schema }) };
	};
	const agents = [
		await agent("memory saver", ["memory"]),
		await agent("official Postgres saver, directly", ["official", start.databaseUrl], "saver"),
		await agent("gateway, over HTTP", ["gateway", url, start.token], "public"),
	];
	// The first round warms up.
	for (let round = 0; round <= course.rounds; round++) {
		for (const { process, milliseconds } of agents) {
			const done = (await process.request({ turns: TURNS })) as { milliseconds: number; messages: number };
			if (done.messages !== MESSAGES) throw new Error(`The agent has ${done.messages} messages`);
			if (round > 0) milliseconds.push(done.milliseconds);
		}
	}
	for (const agent of agents) {
		if (agent.schema !== undefined) agent.bytes = (await storedBytes(world.sql, agent.schema)) / (course.rounds + 1);
		await agent.process.stop();
	}
	const [, official, ours] = agents as [Agent, Agent, Agent];
	return {
		head: ["20 turns of ReAct", "ms", "KB stored"],
		table: agents.map(({ name, milliseconds, bytes }) => [
			name,
			median(milliseconds).toFixed(0),
			bytes === 0 ? "" : (bytes / 1024).toFixed(0),
		]),
		figures: agents.map(({ name, milliseconds, bytes }) => ({ name, milliseconds, bytes })),
		targets: [
			{
				title: "20 turns of ReAct ÷ official Postgres saver, wall",
				measured: ratio(ours.milliseconds, official.milliseconds),
				limit: { most: 1 },
			},
			{
				title: "20 turns of ReAct ÷ official Postgres saver, bytes",
				measured: ours.bytes / official.bytes,
				limit: { most: 0.5 },
			},
		],
	};
}

/** What the checkpoints take on disk, their indexes included. */
async function storedBytes(sql: pg.Client, schema: string): Promise<number> {
	const { rows } = await sql.query<{ bytes: string }>(
		`SELECT sum(pg_total_relation_size(c.oid)) AS bytes FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
		WHERE n.nspname = $1 AND c.relname IN ('checkpoints', 'checkpoint_blobs', 'checkpoint_pieces', 'checkpoint_writes')`,
		[schema],
	);
	return Number(rows[0]!.bytes);
}
