import { randomUUID } from "node:crypto";
import { Backend, type Cost } from "../backend.ts";
import type { Call } from "../call.ts";
import { median, ratio } from "../rounds.ts";
import { fillConversations, newDraft } from "../rows.ts";
import { type ProgramOptions, toQuery } from "../servers/queries.ts";
import type { Statements } from "../statements.ts";
import type { Bench, Result, Target } from "./work.ts";

const SMALL = 1_000;
const LARGE = 1_000_000;
const EXECUTIONS = 50;
const PAGE = 50;
/** Rounds for each round of other works: these are short, and their appends must not make the small ones large. */
const ROUNDS = 4;

/** A statement and the values that it runs with. */
interface Probe {
	name: string;
	statement: keyof Statements;
	values(): unknown[];
}

/** What is asked of one project, and the connection for it. */
interface Group {
	backend: Backend;
	probes: Probe[];
}

/** The CPU of each round, and the pages. */
interface Measured extends Pick<Cost, "buffers"> {
	cpu: number[];
}

/**
 * What the gateway's statements cost Postgres when a conversation, and the list of conversations, is a thousand times
 * as long: beside one that is still short, and against a database that holds nothing else. All three take turns.
 */
export async function growth(bench: Bench): Promise<Result> {
	const { world } = bench;
	const large = bench.quick ? SMALL * 10 : LARGE;
	const alone = await world.createStart("alone", await world.createDatabase("growth_alone"));
	const beside = await world.createStart("beside", await world.createDatabase("growth"));
	const big = { ...beside, projectId: randomUUID() };
	const fill = async ({ databaseUrl, projectId }: ProgramOptions, amount: number) => {
		const sql = await world.connect(databaseUrl);
		await fillConversations(sql, projectId, { name: "long", conversations: 1, messages: amount });
		await fillConversations(sql, projectId, { name: "listed", conversations: amount, messages: 0 });
		await sql.end();
	};
	await fill(alone, SMALL);
	await fill(beside, SMALL);
	const sql = await world.connect(beside.databaseUrl);
	await sql.query("INSERT INTO projects (project_id, name, cursor_key) VALUES ($1, 'large', '')", [big.projectId]);
	await fill(big, large);
	const { rows } = await sql.query<{ updated_at: string; conversation_id: string }>(
		`SELECT updated_at::text, conversation_id FROM conversations WHERE project_id = $1
		ORDER BY updated_at DESC, conversation_id DESC OFFSET $2 LIMIT 1`,
		[big.projectId, Math.min(large / 2, 999 * PAGE) - 1],
	);
	await sql.end();
	const deep = [big.projectId, rows[0]!.updated_at, rows[0]!.conversation_id, PAGE, 16 * 1024 * 1024];
	const further: Probe[] = [
		{ name: "getMessage of any", statement: "message", values: () => oneOf(big, large) },
		{ name: "page 1,000 of conversations", statement: "conversations", values: () => deep },
	];
	const groups: Group[] = [
		{ backend: await Backend.connect(alone.databaseUrl), probes: probes(alone, SMALL) },
		{ backend: await Backend.connect(beside.databaseUrl), probes: probes(beside, SMALL) },
		{ backend: await Backend.connect(big.databaseUrl), probes: [...probes(big, large), ...further] },
	];
	const found = await measure(bench, beside.statements, groups);
	for (const { backend } of groups) await backend.end();
	return compare(found[0]!, found[1]!, found[2]!);
}

/** What is asked of every project. */
function probes(options: ProgramOptions, messages: number): Probe[] {
	const values = (call: Call) => toQuery(options, call).values ?? [];
	const conversationId = "long-1";
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
		// Of as many neighbours in every conversation, so that those of each are as near to the processor.
		{ name: "getMessage", statement: "message", values: () => oneOf(options, SMALL, messages - SMALL) },
		{
			name: "page 1 of conversations",
			statement: "conversations",
			values: () => values({ kind: "conversations", limit: PAGE }),
		},
	];
}

/** Asks for one of some messages, which follow as many others. */
function oneOf(options: ProgramOptions, some: number, after = 0): unknown[] {
	const seq = after + Math.ceil(Math.random() * some);
	return toQuery(options, { kind: "message", messageId: `long-1-${seq}` }).values ?? [];
}

/** The costs of each group's probes by name, measured in turn. */
async function measure(bench: Bench, statements: Statements, groups: Group[]): Promise<Map<string, Measured>[]> {
	const found = groups.map(
		({ probes }) => new Map(probes.map(({ name }): [string, Measured] => [name, { cpu: [], buffers: 0 }])),
	);
	// The first rounds warm up: the first executions are planned anew each time.
	for (let round = -ROUNDS; round < bench.course.rounds * ROUNDS; round++) {
		const order = [...groups.entries()];
		// Whoever comes after another one finds the processor as that one left it.
		if (round % 2 === 0) order.reverse();
		for (const [group, { backend, probes }] of order) {
			for (const { name, statement, values } of probes) {
				const executions = Array.from({ length: bench.scaled(EXECUTIONS) }, values);
				const cpu = await backend.cpu(statements[statement], executions);
				if (round >= 0) found[group]!.get(name)!.cpu.push(cpu);
			}
		}
	}
	for (const [group, { backend, probes }] of groups.entries()) {
		for (const { name, statement, values } of probes) {
			const readings: number[] = [];
			for (let reading = 0; reading < 5; reading++) {
				readings.push(await backend.buffers(statements[statement], values()));
			}
			found[group]!.get(name)!.buffers = median(readings);
		}
	}
	return found;
}

/** What has no counterpart in a short conversation or list, and what it is compared with there. */
const COUNTERPARTS: Record<string, string> = {
	"getMessage of any": "getMessage",
	"page 1,000 of conversations": "page 1 of conversations",
};

function compare(alone: Map<string, Measured>, beside: Map<string, Measured>, large: Map<string, Measured>): Result {
	const table: string[][] = [];
	const targets: Target[] = [];
	for (const [name, cost] of large) {
		const small = [alone, beside].map((costs) => costs.get(COUNTERPARTS[name] ?? name)!);
		const costs = [...small, cost];
		table.push([
			name,
			...costs.map(({ cpu }) => median(cpu).toFixed(0)),
			...costs.map(({ buffers }) => buffers.toFixed(0)),
		]);
		for (const [index, place] of ["in an empty database", "beside it"].entries()) {
			const title = `${name} at 1,000,000 ÷ at 1,000 ${place}`;
			const { cpu, buffers } = small[index]!;
			targets.push(
				{ title: `${title}, CPU of Postgres`, measured: ratio(cost.cpu, cpu), limit: { most: 1.2 } },
				{ title: `${title}, buffers`, measured: cost.buffers / buffers, limit: { most: 1.2 } },
			);
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
