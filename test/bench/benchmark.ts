import { writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { createReport, rowsTable, targetsTable } from "./report.ts";
import { append } from "./work/append.ts";
import { list } from "./work/list.ts";
import type { Bench, Result, Work } from "./work/work.ts";
import { createWorld } from "./world.ts";

const WORKS: Record<string, Work> = { append, list };

const ROUNDS = 7;
const CONCURRENCY = 16;

const { values, positionals } = parseArgs({
	allowPositionals: true,
	options: { quick: { type: "boolean", default: false }, only: { type: "string", multiple: true } },
});
const { quick, only } = values;
const unknown = positionals.filter((name) => WORKS[name] === undefined);
if (unknown.length > 0) {
	console.error(`There is no work ${unknown.join(", ")}; there are ${Object.keys(WORKS).join(", ")}.`);
	process.exit(2);
}

// Ends the database and the servers, which end with this process.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130));

const world = await createWorld();
const bench: Bench = {
	world,
	quick,
	contenders: async (starts) => {
		const contenders = [];
		for (const start of starts) {
			const isWanted = only === undefined || only.some((name) => start.name.toLowerCase().includes(name));
			if (isWanted) contenders.push(await world.enlist(start));
		}
		return contenders;
	},
	size: (calls) =>
		quick ? { rounds: 2, calls: 32, concurrency: 4 } : { rounds: ROUNDS, calls, concurrency: CONCURRENCY },
};
const results: Result[] = [];
try {
	for (const [name, work] of Object.entries(WORKS)) {
		if (positionals.length > 0 && !positionals.includes(name)) continue;
		const result = await work(bench);
		results.push(result);
		console.log(`\n${rowsTable(result)}`);
	}
} finally {
	await world.close();
}
console.log(`\n${targetsTable(results)}`);
await writeFile(
	new URL("./results.json", import.meta.url),
	`${JSON.stringify(createReport(quick, results), null, "\t")}\n`,
);
