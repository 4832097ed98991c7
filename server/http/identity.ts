import { LRUCache } from "lru-cache";
import { Fault } from "../domain/faults.ts";
import { checkBrowserToken } from "../store/browser-tokens.ts";
import type { Database } from "../store/database.ts";
import { checkToken, type Identity } from "../store/tokens.ts";
import type { RateLimit } from "./rate-limit.ts";

/** A revoked token is refused after this time at the latest; with the time between two looks of a live tail, 10 s. */
const REVOCATION_MS = 7_000;
const REMEMBERED_TOKENS = 10_000;
/** Characters of wrong tokens that are remembered. */
const REMEMBERED_WRONG = 1_000_000;

/**
 * Finds out who asks, by the bearer token alone (rules ISO-1, ISO-3), and counts the request: unless it is asked
 * `again`, whether the caller of a stream may still read it.
 */
export type Identify = (request: { headers: Pick<Headers, "get"> }, again?: "again") => Promise<Identity>;

export function createIdentify(db: Database, rateLimit: RateLimit): Identify {
	const known = new LRUCache<string, Identity>({
		max: REMEMBERED_TOKENS,
		ttl: REVOCATION_MS,
		// One lookup serves all requests that wait for the same token.
		fetchMethod: async (token, _stale, { options }) => {
			const identity = (await checkToken(db, token)) ?? (await checkBrowserToken(db, token)) ?? undefined;
			// A token that ends sooner is not remembered beyond its end.
			if (identity !== undefined) options.ttl = Math.max(1, Math.min(REVOCATION_MS, identity.validMs));
			return identity;
		},
	});
	// What was no token never becomes one: who goes on with it costs no look-up each time. They are kept apart, so that
	// any number of them displaces no token that is one.
	const wrong = new LRUCache<string, true>({
		maxSize: REMEMBERED_WRONG,
		sizeCalculation: (_, token) => token.length,
		ttl: REVOCATION_MS,
	});
	return async (request, again) => {
		const [, token] = /^Bearer +(\S+) *$/i.exec(request.headers.get("authorization") ?? "") ?? [];
		if (token === undefined) throw unauthorized("The request has no bearer token");
		if (wrong.has(token)) throw unknown();
		const identity = await known.fetch(token);
		if (identity === undefined) {
			wrong.set(token, true);
			throw unknown();
		}
		if (again === undefined) await rateLimit.count(identity.tokenId);
		return identity;
	};
}

function unknown(): Fault {
	return unauthorized("The token is unknown, expired or revoked");
}

function unauthorized(message: string): Fault {
	return new Fault("Unauthorized", message);
}
