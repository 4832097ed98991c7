import type { StoreOptions } from "@iga-pages/agent/store";

/** A fetch whose answers can get lost on their way back, after the gateway has done its work. */
export interface LossyFetch {
	fetch: NonNullable<StoreOptions["fetch"]>;
	/** Requests that were sent. */
	sent: number;
	/** How many of the next answers get lost. */
	losing: number;
}

export function lossyFetch(): LossyFetch {
	const lossy: LossyFetch = {
		sent: 0,
		losing: 0,
		fetch: async (url, init) => {
			lossy.sent++;
			const answer = await fetch(url, init);
			if (lossy.losing === 0) return answer;
			lossy.losing--;
			await answer.text();
			throw new TypeError("fetch failed", { cause: new Error("the answer got lost") });
		},
	};
	return lossy;
}
