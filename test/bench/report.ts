import { cpus } from "node:os";
import type { Row } from "./rounds.ts";
import type { Result, Target } from "./work/work.ts";

/** All that a run found, as it is written to results.json. */
export interface Report {
	date: string;
	node: string;
	machine: string;
	quick: boolean;
	results: Result[];
}

export function createReport(quick: boolean, results: Result[]): Report {
	const processors = cpus();
	return {
		date: new Date().toISOString(),
		node: process.version,
		machine: `${processors.length} × ${processors[0]?.model ?? "unknown"}`,
		quick,
		results,
	};
}

/** A work's measurements as a table of Markdown. */
export function rowsTable({ title, rows }: Result): string {
	const gateway = rows.find(({ name }) => name.startsWith("gateway"));
	return table(
		[title, "CPU µs", "middle half", "requests/s", "p50 ms", "p99 ms", "gateway ÷ it"],
		rows.map((row) => [row.name, ...numbers(row), gateway === undefined ? "" : (gateway.cpu / row.cpu).toFixed(2)]),
	);
}

function numbers({ cpu, cpuRange, throughput, p50, p99 }: Row): string[] {
	const range = cpuRange.map((value) => value.toFixed(0)).join("–");
	return [cpu.toFixed(0), range, throughput.toFixed(0), p50.toFixed(1), p99.toFixed(1)];
}

/** The ratios that were wanted, met or not. */
export function targetsTable(results: readonly Result[]): string {
	return table(
		["target", "measured", "wanted", "met"],
		results.flatMap(({ targets }) =>
			targets.map((target) => [
				target.title,
				target.ratio.toFixed(2),
				"most" in target.limit ? `≤ ${target.limit.most}` : `≥ ${target.limit.least}`,
				isMet(target) ? "yes" : "no",
			]),
		),
	);
}

function isMet({ ratio, limit }: Target): boolean {
	return "most" in limit ? ratio <= limit.most : ratio >= limit.least;
}

function table(head: string[], rows: string[][]): string {
	const widths = head.map((cell, column) => Math.max(cell.length, ...rows.map((row) => row[column]!.length)));
	const line = (cells: string[]) =>
		`| ${cells.map((cell, column) => (column === 0 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!))).join(" | ")} |`;
	const rule = widths.map((width, column) => (column === 0 ? "-".repeat(width) : `${"-".repeat(width - 1)}:`));
	return [line(head), line(rule), ...rows.map(line)].join("\n");
}
