import { writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { createReport, markdownTable, targetsTable } from "./report.ts";
import { append } from "./works/append.ts";
import { appendMany } from "./works/append-many.ts";
import { conversations } from "./works/conversations.ts";
import { growth } from "./works/growth.ts";
import { list } from "./works/list.ts";
import { memory } from "./works/memory.ts";
import { newest } from "./works/newest.ts";
import { processes } from "./works/processes.ts";
import { react } from "./works/react.ts";
import { replay } from "./works/replay.ts";
import { sdk } from "./works/sdk.ts";
import type { Bench, Result, Work } from "./works/work.ts";
import { writers } from "./works/writers.ts";
import { createWorld } from "./world.ts";

const WORKS: Record<string, Work> = {
	append,
	list,
	"append-many": appendMany,
	replay,
	newest,
	conversations,
	react,
	sdk,
	writers,
	processes,
	growth,
	memory,
};

const { values, positionals } = parseArgs({
	allowPositionals: true,
	options: {
		/** A hundredth of everything. */
		quick: { type: "boolean", default: false },
		/** Watches memory for ten minutes; otherwise that is left out. */
		soak: { type: "boolean", default: false },
		/** Contenders, by a part of the name of their file. */
		only: { type: "string", multiple: true },
	},
});
const { quick, soak, only } = values;
const unknown = positionals.filter((name) => WORKS[name] === undefined);
if (unknown.length > 0) {
	console.error(`There is no work ${unknown.join(", ")}; there are ${Object.keys(WORKS).join(", ")}.`);
	process.exit(2);
}

// The database and the servers end with this process.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130));

const world = await createWorld();
const bench: Bench = {
	world,
	quick,
	soakMinutes: quick ? 0.05 : 10,
	course: quick ? { rounds: 2, concurrency: 4 } : { rounds: 7, concurrency: 16 },
	scaled: (amount) => (quick ? Math.ceil(amount / 100) : amount),
	contenders: async (starts) => {
		const contenders = [];
		for (const start of starts) {
			const isWanted =
				only === undefined || only.some((name) => start.name.toLowerCase().endsWith(name.replace("-", "")));
			if (isWanted) contenders.push(await world.enlist(start));
		}
		return contenders;
	},
};
const results = new Map<string, Result>();
try {
	for (const [name, work] of Object.entries(WORKS)) {
		const isWanted = positionals.length > 0 ? positionals.includes(name) : work !== memory || soak;
		if (!isWanted) continue;
		const result = await work(bench);
		results.set(name, result);
		console.log(`\n${markdownTable(result.head, result.table)}`);
	}
} finally {
	await world.close();
}
const found = [...results.values()];
if (found.some(({ targets }) => targets.length > 0)) console.log(`\n${targetsTable(found)}`);
const report = JSON.stringify(createReport(quick, results), null, "\t");
await writeFile(new URL(quick ? "./results-quick.json" : "./results.json", import.meta.url), `${report}\n`);
