import { transportOf } from "../connections.ts";
import type { Transport } from "../transport.ts";

/** Requests of one store's adapters in flight: the gateway lets 100 calls wait, and those of other processes count too. */
const MOST_IN_FLIGHT = 16;

/** Runs a task when its turn has come. */
export type Limiter = <Result>(task: () => Promise<Result>) => Promise<Result>;

/** Runs at most `most` tasks at a time; the others wait in the order in which they came. */
export function createLimiter(most: number): Limiter {
	const waiting: (() => void)[] = [];
	let running = 0;
	return async (task) => {
		// A task that ends hands its place on, so that nobody who comes in between can take it.
		if (running < most) running++;
		else await new Promise<void>((resolve) => waiting.push(resolve));
		try {
			return await task();
		} finally {
			const next = waiting.shift();
			if (next === undefined) running--;
			else next();
		}
	};
}

const limited = new WeakMap<Transport, Transport>();

/**
 * The transport of a store for its adapters: all of them together, however many instances there are, keep no more
 * than a few requests in flight. The time of a call starts when its turn has come.
 */
export function adapterTransport(store: object): Transport {
	const transport = transportOf(store);
	const known = limited.get(transport);
	if (known !== undefined) return known;
	const limit = createLimiter(MOST_IN_FLIGHT);
	const result: Transport = {
		request: (operation, options) => limit(() => transport.request(operation, options)),
		call: (options, work) => limit(() => transport.call(options, work)),
	};
	limited.set(transport, result);
	return result;
}
