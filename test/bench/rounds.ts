import type { Call } from "./call.ts";
import type { Contender } from "./contenders/contender.ts";
import type { Load } from "./load.ts";

/** What was measured of one contender. */
export interface Row {
	name: string;
	/** CPU of the server's process for one request, in microseconds: the median of the rounds, and the range of their middle half. */
	cpu: number;
	cpuRange: [number, number];
	/** Requests a second. */
	throughput: number;
	/** In milliseconds. */
	p50: number;
	p99: number;
}

/** How much is measured. */
export interface Size {
	rounds: number;
	/** Calls of one round. */
	calls: number;
	concurrency: number;
}

/** The contenders in turn, round after round, after one round each to warm up; contenders that cannot do the calls are left out. */
export async function alternate(
	contenders: readonly Contender[],
	{ rounds, calls, concurrency }: Size,
	makeCall: (contender: Contender, index: number) => Call,
): Promise<Row[]> {
	const measured = new Map<Contender, { cpu: number; load: Load }[]>(contenders.map((contender) => [contender, []]));
	for (let round = 0; round <= rounds; round++) {
		for (const [contender, samples] of measured) {
			// A warm-up takes as many calls as half of the rounds, for the compiler to have seen them.
			const count = round === 0 ? Math.ceil((calls * rounds) / 2) : calls;
			const run = await contender.prepare(
				Array.from({ length: count }, (_, index) => makeCall(contender, index)),
				concurrency,
			);
			if (run === undefined) {
				measured.delete(contender);
				continue;
			}
			const before = await contender.process.usage();
			const load = await run();
			const after = await contender.process.usage();
			if (round > 0) samples.push({ cpu: (after.cpu - before.cpu) / calls, load });
		}
	}
	return [...measured].map(([{ name }, samples]) => {
		const cpu = samples.map((sample) => sample.cpu);
		const latencies = samples.flatMap(({ load }) => load.latencies);
		return {
			name,
			cpu: quantile(cpu, 0.5),
			cpuRange: [quantile(cpu, 0.25), quantile(cpu, 0.75)],
			throughput: quantile(
				samples.map(({ load }) => calls / load.seconds),
				0.5,
			),
			p50: quantile(latencies, 0.5),
			p99: quantile(latencies, 0.99),
		};
	});
}

/** The value below which a part of the numbers lies. */
export function quantile(numbers: readonly number[], part: number): number {
	const sorted = [...numbers].sort((a, b) => a - b);
	const place = (sorted.length - 1) * part;
	const low = sorted[Math.floor(place)]!;
	const high = sorted[Math.ceil(place)]!;
	return low + (high - low) * (place - Math.floor(place));
}
