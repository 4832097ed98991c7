import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

it("benchmarks everything in a small run", () => {
	// It installs what it measures against when that is missing.
	execFileSync("npm", ["run", "bench", "--", "--quick"], { cwd: ROOT, stdio: "inherit", timeout: 1_800_000 });
	const report = JSON.parse(readFileSync(`${ROOT}/test/bench/results-quick.json`, "utf8")) as {
		results: Record<string, { figures: { name: string; cpu: number[] }[] }>;
	};
	const works = ["append", "list", "append-many", "replay", "newest", "conversations", "react", "sdk", "writers"];
	expect(Object.keys(report.results)).toEqual([...works, "processes", "growth"]);
	const { figures } = report.results["append"]!;
	const names = figures.map(({ name }) => name);
	expect(names).toEqual([
		"limit: bare pg client",
		"by hand: Fastify + pg",
		"gateway",
		"Mercurius + pg",
		"PostGraphile 5",
	]);
	for (const { cpu } of figures) expect(Math.min(...cpu)).toBeGreaterThan(0);
}, 1_800_000);
