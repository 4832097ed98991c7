import type { Contender, Start } from "../contenders/contender.ts";
import type { Row, Size } from "../rounds.ts";
import type { World } from "../world.ts";

/** A ratio that was wanted, and the one that was measured. */
export interface Target {
	/** What is compared with what, and by which measure. */
	title: string;
	ratio: number;
	/** The most that it may be, or the least. */
	limit: { most: number } | { least: number };
}

/** What a work found out. */
export interface Result {
	title: string;
	rows: Row[];
	targets: Target[];
}

/** What a work runs in. */
export interface Bench {
	world: World;
	/** True for a small run, which shows that everything works and measures nothing. */
	quick: boolean;
	/** The contenders of a work, started when they are first wanted, but those that the command line left out. */
	contenders(starts: readonly ((start: Start) => Promise<Contender>)[]): Promise<Contender[]>;
	/** The size of a measurement, small in a quick run. */
	size(calls: number): Size;
}

/** One thing that is measured. */
export type Work = (bench: Bench) => Promise<Result>;

/** The CPU of one row as a multiple of another's; the targets name rows by how their name begins. */
export function cpuRatio(rows: readonly Row[], of: string, against: string): number | undefined {
	const find = (name: string) => rows.find((row) => row.name.startsWith(name))?.cpu;
	const [a, b] = [find(of), find(against)];
	return a === undefined || b === undefined ? undefined : a / b;
}

/** The targets of the gateway's CPU against others' on the same work; those who did not take part are left out. */
export function cpuTargets(title: string, rows: readonly Row[], limits: Record<string, number>): Target[] {
	return Object.entries(limits).flatMap(([against, most]) => {
		const ratio = cpuRatio(rows, "gateway", against);
		return ratio === undefined ? [] : [{ title: `${title} ÷ ${against}, CPU`, ratio, limit: { most } }];
	});
}
