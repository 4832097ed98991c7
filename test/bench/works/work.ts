import type { Call } from "../call.ts";
import type { Contender, Start } from "../contenders/contender.ts";
import { alternate, type Course, type Lane, median, quantile, type Row, ratio } from "../rounds.ts";
import type { World } from "../world.ts";

/** A ratio that was wanted, and the one that was measured. */
export interface Target {
	/** What is compared with what, and by which measure. */
	title: string;
	measured: number;
	/** The most that it may be, or the least. */
	limit: { most: number } | { least: number };
}

/** What a work found out: a table for people, the figures behind it, and what they say about the targets. */
export interface Result {
	head: string[];
	table: string[][];
	figures: unknown;
	targets: Target[];
}

/** What a work runs in. */
export interface Bench {
	world: World;
	/** Small runs show that everything works, and measure nothing. */
	quick: boolean;
	/** Minutes of the load under which memory is watched. */
	soakMinutes: number;
	course: Course;
	/** A number of calls or rows, or a hundredth of it in a quick run. */
	scaled(amount: number): number;
	/** The contenders of a work, started when they are first wanted, but those that the command line left out. */
	contenders(starts: readonly StartContender[]): Promise<Contender[]>;
}

export type StartContender = (start: Start) => Promise<Contender>;

/** One thing that is measured. */
export type Work = (bench: Bench) => Promise<Result>;

/** Lets contenders do the same calls in turn, after all of them have answered the same to the first one. */
export async function sideBySide(
	bench: Bench,
	title: string,
	options: { contenders: Contender[]; calls: number; call(index: number): Call; most: Record<string, number> },
): Promise<Result> {
	const { contenders, calls, call, most } = options;
	await checkAgreement(contenders, call(0));
	const lanes = contenders.map(
		(contender): Lane => ({
			name: contender.name,
			contender,
			calls: bench.scaled(calls),
			call,
		}),
	);
	const rows = await alternate(lanes, bench.course);
	const gateway = rows.find(({ name }) => name === "gateway");
	const targets = rows.flatMap((row) => {
		const found = Object.entries(most).find(([name]) => row.name.startsWith(name));
		if (found === undefined || gateway === undefined) return [];
		return [{ title: `${title} ÷ ${row.name}, CPU`, measured: ratio(gateway.cpu, row.cpu), limit: { most: found[1] } }];
	});
	return rowsResult(title, rows, targets);
}

/** Whoever answers something else does other work. */
async function checkAgreement(contenders: readonly Contender[], call: Call): Promise<void> {
	let agreed: string | undefined;
	for (const contender of contenders) {
		const items = await contender.ask(call);
		const content = JSON.stringify(items.map(({ seq, role, payload, metadata }) => ({ seq, role, payload, metadata })));
		if (items.length === 0 || content !== (agreed ?? content)) {
			throw new Error(
				`${contender.name} answers otherwise: ${content.slice(0, 500)} instead of ${agreed?.slice(0, 500)}`,
			);
		}
		agreed = content;
	}
}

/** A result of lanes. */
export function rowsResult(title: string, rows: Row[], targets: Target[]): Result {
	const gateway = rows.find(({ name }) => name === "gateway");
	return {
		head: [title, "CPU µs", "middle half", "requests/s", "p50 ms", "p99 ms", "gateway ÷ it"],
		table: rows.map(({ name, cpu, throughput, p50, p99 }) => [
			name,
			median(cpu).toFixed(0),
			`${quantile(cpu, 0.25).toFixed(0)}–${quantile(cpu, 0.75).toFixed(0)}`,
			median(throughput).toFixed(0),
			p50.toFixed(1),
			p99.toFixed(1),
			gateway === undefined ? "" : ratio(gateway.cpu, cpu).toFixed(2),
		]),
		figures: rows,
		targets,
	};
}
