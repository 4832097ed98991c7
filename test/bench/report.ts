import { cpus } from "node:os";
import type { Result, Target } from "./works/work.ts";

/** All that a run found, as it is written to results.json. */
export interface Report {
	date: string;
	node: string;
	machine: string;
	quick: boolean;
	results: Record<string, Pick<Result, "figures" | "targets">>;
}

export function createReport(quick: boolean, results: ReadonlyMap<string, Result>): Report {
	const processors = cpus();
	return {
		date: new Date().toISOString(),
		node: process.version,
		machine: `${processors.length} × ${processors[0]?.model ?? "unknown"}`,
		quick,
		results: Object.fromEntries([...results].map(([name, { figures, targets }]) => [name, { figures, targets }])),
	};
}

/** The ratios that were wanted, met or not. */
export function targetsTable(results: Iterable<Result>): string {
	return markdownTable(
		["target", "measured", "wanted", "met"],
		[...results].flatMap(({ targets }) =>
			targets.map((target) => [
				target.title,
				target.measured.toFixed(2),
				"most" in target.limit ? `≤ ${target.limit.most}` : `≥ ${target.limit.least}`,
				isMet(target) ? "yes" : "no",
			]),
		),
	);
}

function isMet({ measured, limit }: Target): boolean {
	return "most" in limit ? measured <= limit.most : measured >= limit.least;
}

export function markdownTable(head: string[], rows: string[][]): string {
	const widths = head.map((cell, column) => Math.max(3, cell.length, ...rows.map((row) => row[column]!.length)));
	const line = (cells: string[]) =>
		`| ${cells.map((cell, column) => pad(cell, column, widths[column]!)).join(" | ")} |`;
	const rule = widths.map((width, column) => (column === 0 ? "-".repeat(width) : `${"-".repeat(width - 1)}:`));
	return [line(head), line(rule), ...rows.map(line)].join("\n");
}

function pad(cell: string, column: number, width: number): string {
	return column === 0 ? cell.padEnd(width) : cell.padStart(width);
}
