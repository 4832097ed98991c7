/** Rows as lines of aligned columns under a head; nothing stands in for what is missing. */
export function printTable(head: readonly string[], rows: readonly (readonly (string | null)[])[]): void {
	const lines = [head, ...rows.map((row) => row.map((cell) => cell ?? "-"))];
	const widths = head.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)));
	for (const line of lines) {
		const cells = line.map((cell, column) => cell.padEnd(widths[column]!));
		process.stdout.write(`${cells.join("  ").trimEnd()}\n`);
	}
}
