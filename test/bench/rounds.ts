import type { Call } from "./call.ts";
import type { Contender } from "./contenders/contender.ts";
import type { Load } from "./load.ts";

/** What takes its turn in each round: a contender under a number of calls of its own. */
export interface Lane {
	name: string;
	contender: Contender;
	/** Calls of one round. */
	calls: number;
	call(index: number): Call;
}

/** What was measured of a lane. */
export interface Row {
	name: string;
	/** CPU of the server's process for one request, in microseconds: of each round. */
	cpu: number[];
	/** Requests a second, of each round. */
	throughput: number[];
	/** In milliseconds. */
	p50: number;
	p99: number;
}

/** How a measurement goes. */
export interface Course {
	rounds: number;
	concurrency: number;
}

/** Calls of each lane before the first round, in rounds: servers run for weeks, and V8 takes some 10,000 calls to settle. */
const WARM_UP = 10;

/** Runs the lanes in turn, round after round, once each is warm. */
export async function alternate(lanes: readonly Lane[], { rounds, concurrency }: Course): Promise<Row[]> {
	const samples = lanes.map((): { cpu: number; load: Load }[] => []);
	for (const { contender, calls, call } of lanes) {
		const warmUp = Array.from({ length: calls * WARM_UP }, (_, index) => call(index));
		await (await contender.prepare(warmUp, concurrency))();
	}
	for (let round = 0; round < rounds; round++) {
		for (const [lane, { contender, calls, call }] of lanes.entries()) {
			const run = await contender.prepare(
				Array.from({ length: calls }, (_, index) => call(index)),
				concurrency,
			);
			const before = await contender.process.usage();
			const load = await run();
			const after = await contender.process.usage();
			samples[lane]!.push({ cpu: (after.cpu - before.cpu) / calls, load });
		}
	}
	return lanes.map(({ name, calls }, lane) => {
		const latencies = samples[lane]!.flatMap(({ load }) => load.latencies);
		return {
			name,
			cpu: samples[lane]!.map(({ cpu }) => cpu),
			throughput: samples[lane]!.map(({ load }) => calls / load.seconds),
			p50: quantile(latencies, 0.5),
			p99: quantile(latencies, 0.99),
		};
	});
}

/** The median of the ratios of two lanes, round by round: what disturbs the machine disturbs neighbours alike. */
export function ratio(of: readonly number[], against: readonly number[]): number {
	return median(of.map((value, round) => value / against[round]!));
}

export function median(numbers: readonly number[]): number {
	return quantile(numbers, 0.5);
}

/** The value below which a part of the numbers lies. */
export function quantile(numbers: readonly number[], part: number): number {
	const sorted = [...numbers].sort((a, b) => a - b);
	const place = (sorted.length - 1) * part;
	const low = sorted[Math.floor(place)]!;
	const high = sorted[Math.ceil(place)]!;
	return low + (high - low) * (place - Math.floor(place));
}
