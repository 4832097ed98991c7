import { randomUUID } from "node:crypto";
import { Backend, type Cost } from "../backend.ts";
import type { Call } from "../call.ts";
import { median } from "../rounds.ts";
import { fillConversations, newDraft } from "../rows.ts";
import { type ProgramOptions, toQuery } from "../servers/queries.ts";
import type { Statements } from "../statements.ts";
import type { Bench, Result, Target } from "./work.ts";

const SMALL = 1_000;
const LARGE = 1_000_000;
const EXECUTIONS = 200;
const PAGE = 50;

/** A statement and where it runs. */
interface Probe {
	name: string;
	statement: keyof Statements;
	values(): unknown[];
}

/**
 * What the gateway's statements cost Postgres when a conversation, and the list of conversations, is a thousand times
 * as long: beside one that is still short, and against a database that holds nothing else.
 */
export async function growth(bench: Bench): Promise<Result> {
	const { world } = bench;
	const large = bench.quick ? SMALL * 10 : LARGE;
	const start = await world.createStart("growth", await world.createDatabase("growth"));
	const sql = await world.connect(start.databaseUrl);
	const small = { ...start, projectId: start.projectId };
	const fill = async (projectId: string, amount: number) => {
		await fillConversations(sql, projectId, { name: "long", conversations: 1, messages: amount });
		await fillConversations(sql, projectId, { name: "listed", conversations: amount, messages: 0 });
	};
	await fill(small.projectId, SMALL);
	const alone = await costs(bench, start.databaseUrl, start.statements, [probes(small, SMALL, [])]);
	const big = { ...start, projectId: randomUUID() };
	await sql.query("INSERT INTO projects (project_id, name, cursor_key) VALUES ($1, 'large', '')", [big.projectId]);
	await fill(big.projectId, large);
	const { rows } = await sql.query<{ updated_at: string; conversation_id: string }>(
		`SELECT updated_at::text, conversation_id FROM conversations WHERE project_id = $1
		ORDER BY updated_at DESC, conversation_id DESC OFFSET $2 LIMIT 1`,
		[big.projectId, Math.min(large / 2, 999 * PAGE) - 1],
	);
	const deep = [big.projectId, rows[0]!.updated_at, rows[0]!.conversation_id, PAGE, 16 * 1024 * 1024];
	const together = await costs(bench, start.databaseUrl, start.statements, [
		probes(small, SMALL, []),
		probes(big, large, [{ name: "page 1,000 of conversations", statement: "conversations", values: () => deep }]),
	]);
	await sql.end();
	return compare(alone[0]!, together[0]!, together[1]!);
}

/** What is asked of one project. */
function probes(options: ProgramOptions, messages: number, further: Probe[]): Probe[] {
	const values = (call: Call) => toQuery(options, call).values ?? [];
	const conversationId = "long-1";
	const middle = (): Call => ({ kind: "message", messageId: `long-1-${Math.ceil(Math.random() * messages)}` });
	return [
		{
			name: "append",
			statement: "append",
			values: () => values({ kind: "append", conversationId, messages: [newDraft()] }),
		},
		{
			name: "newest 20",
			statement: "desc",
			values: () => values({ kind: "messages", conversationId, order: "desc", limit: 20 }),
		},
		{ name: "getMessage", statement: "message", values: () => values(middle()) },
		{
			name: "page 1 of conversations",
			statement: "conversations",
			values: () => values({ kind: "conversations", limit: PAGE }),
		},
		...further,
	];
}

/** The costs of each group of probes by name, measured in turn. */
async function costs(
	bench: Bench,
	databaseUrl: string,
	statements: Statements,
	groups: Probe[][],
): Promise<Map<string, Cost>[]> {
	const backend = await Backend.connect(databaseUrl);
	const found = groups.map((probes) => new Map(probes.map(({ name }) => [name, { cpu: [] as number[], buffers: 0 }])));
	// The first round warms up: the first executions are planned anew each time.
	for (let round = 0; round <= bench.course.rounds; round++) {
		for (const [group, probes] of groups.entries()) {
			for (const { name, statement, values } of probes) {
				const executions = Array.from({ length: bench.scaled(EXECUTIONS) }, values);
				const cpu = await backend.cpu(statements[statement], executions);
				if (round > 0) found[group]!.get(name)!.cpu.push(cpu);
			}
		}
	}
	for (const [group, probes] of groups.entries()) {
		for (const { name, statement, values } of probes) {
			const readings: number[] = [];
			for (let reading = 0; reading < 5; reading++) {
				readings.push(await backend.buffers(statements[statement], values()));
			}
			found[group]!.get(name)!.buffers = median(readings);
		}
	}
	await backend.end();
	return found.map((group) => {
		return new Map([...group].map(([name, { cpu, buffers }]) => [name, { cpu: median(cpu), buffers }]));
	});
}

function compare(alone: Map<string, Cost>, beside: Map<string, Cost>, large: Map<string, Cost>): Result {
	const table: string[][] = [];
	const targets: Target[] = [];
	for (const [name, cost] of large) {
		// A page in the middle has the first page to compare with.
		const at = (costs: Map<string, Cost>) => costs.get(name) ?? costs.get("page 1 of conversations")!;
		const small = [at(alone), at(beside)] as const;
		const costs = [...small, cost];
		table.push([name, ...costs.map(({ cpu }) => cpu.toFixed(0)), ...costs.map(({ buffers }) => buffers.toFixed(0))]);
		for (const [index, place] of ["in an empty database", "beside it"].entries()) {
			for (const measure of ["cpu", "buffers"] as const) {
				const title = `${name} at 1,000,000 ÷ at 1,000 ${place}, ${measure === "cpu" ? "CPU of Postgres" : "buffers"}`;
				targets.push({ title, measured: cost[measure] / small[index]![measure], limit: { most: 1.2 } });
			}
		}
	}
	const sizes = ["1,000 alone", "1,000 beside", "1,000,000"];
	return {
		head: ["growth", ...sizes.map((size) => `${size}, CPU µs`), ...sizes.map((size) => `${size}, buffers`)],
		table,
		figures: { alone: [...alone], beside: [...beside], large: [...large] },
		targets,
	};
}
