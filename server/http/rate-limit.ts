import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import { Fault } from "../domain/faults.ts";

/** Counts the requests of each token, in this process. */
export class RateLimit {
	readonly #limiter: RateLimiterMemory | undefined;

	/** Without a number there is no limit. */
	constructor(requestsPerSecond: number | undefined) {
		if (requestsPerSecond === undefined) return;
		this.#limiter = new RateLimiterMemory({ points: requestsPerSecond, duration: 1 });
	}

	/** @throws Fault TooManyRequests beyond the limit. */
	async count(tokenId: string): Promise<void> {
		try {
			await this.#limiter?.consume(tokenId);
		} catch (reason) {
			if (!(reason instanceof RateLimiterRes)) throw reason;
			throw new Fault("TooManyRequests", `This token may send ${this.#limiter?.points} requests a second`, {
				retryAfter: Math.max(1, Math.ceil(reason.msBeforeNext / 1_000)),
			});
		}
	}
}
