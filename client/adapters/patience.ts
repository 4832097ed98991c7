import { Deadline } from "../deadline.ts";
import { StoreError, type StoreErrorCode } from "../errors.ts";
import type { Operation, Transport } from "../transport.ts";

/** How long a call goes on without anything getting through. */
const PATIENCE_MS = 15_000;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 2_000;

const TRANSIENT: readonly StoreErrorCode[] = ["NetworkError", "TooManyRequests", "ServiceUnavailable", "TimeoutError"];

/**
 * Sends operations that may be repeated, again and again, until the gateway has not taken one for about 15 s: far
 * longer than the Store's own retries, since a framework gives up what its storage refuses.
 */
export class Patience {
	readonly #transport: Transport;
	#progressAt = Number.NEGATIVE_INFINITY;
	#lastError: StoreError | undefined;

	constructor(transport: Transport) {
		this.#transport = transport;
	}

	/** Sends an operation for a call that began at `since`. When it gives up, it aborts the request in flight first. */
	async send<Data, Variables extends object, Result>(
		operation: Operation<Data, Variables, Result>,
		since: number,
	): Promise<Result> {
		for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
			const timeoutMs = Math.max(since, this.#progressAt) + PATIENCE_MS - performance.now();
			if (timeoutMs <= 0) throw this.#giveUp();
			const deadline = new Deadline(timeoutMs, undefined);
			const { signal } = deadline;
			try {
				// Raced, since the request may not even have had its turn among those in flight.
				const result = await deadline.run(() => this.#transport.request(operation, { signal, timeoutMs }));
				this.#progressAt = performance.now();
				return result;
			} catch (error) {
				if (!signal.aborted) {
					if (!(error instanceof StoreError) || !isTransient(error)) throw error;
					this.#lastError = error;
					await deadline.pause(Math.min(pauseMs, timeoutMs));
				}
			} finally {
				deadline.release();
			}
		}
	}

	#giveUp(): StoreError {
		const last = this.#lastError;
		return new StoreError({
			code: last?.code ?? "TimeoutError",
			message: `${last?.message ?? "The gateway gave no answer"} (given up after ${PATIENCE_MS / 1_000} s)`,
			status: last?.status,
			error: last?.error,
			requestId: last?.requestId,
			cause: last,
		});
	}
}

function isTransient({ code, status = 0 }: StoreError): boolean {
	return TRANSIENT.includes(code) || status >= 500;
}

/** Runs the calls for one name one after another, in the order in which they came; calls for other names beside them. */
export class Lanes {
	readonly #transport: Transport;
	readonly #lanes = new Map<string, { tail: Promise<unknown>; calls: number; patience: Patience }>();

	constructor(transport: Transport) {
		this.#transport = transport;
	}

	/** All calls that wait in a lane share its patience: when the first one gave up, so do those that began before. */
	async run<Result>(name: string, call: (patience: Patience) => Promise<Result>): Promise<Result> {
		const lane = this.#lanes.get(name) ?? {
			tail: Promise.resolve(),
			calls: 0,
			patience: new Patience(this.#transport),
		};
		this.#lanes.set(name, lane);
		lane.calls += 1;
		const result = lane.tail.then(() => call(lane.patience));
		lane.tail = result.catch(() => {});
		try {
			return await result;
		} finally {
			lane.calls -= 1;
			if (lane.calls === 0) this.#lanes.delete(name);
		}
	}
}
