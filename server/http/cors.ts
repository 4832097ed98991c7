import type { Plugin } from "graphql-yoga";

/** Headers of answers that scripts of other origins may read. */
const EXPOSED = "retry-after, x-request-id";

/** Seconds for which a browser may remember a preflight; more than browsers respect. */
const REMEMBERED = "86400";

/**
 * Lets pages of the given origins call the gateway: those and no others, on every path, errors included. There are no
 * cookies to protect, so any header may be sent; Authorization has to be allowed by name, and is.
 */
export class Cors {
	readonly #allowed: ReadonlySet<string>;

	constructor(origins: readonly string[]) {
		this.#allowed = new Set(origins);
	}

	/** What an answer to a request of this origin says. */
	headers(origin: string | null): Record<string, string> {
		if (this.#allowed.size === 0) return {};
		// A cache must not give one origin's answer to another.
		const vary = { vary: "origin" };
		if (origin === null || !this.#allowed.has(origin)) return vary;
		return { ...vary, "access-control-allow-origin": origin, "access-control-expose-headers": EXPOSED };
	}

	/** The same for Yoga, which also answers preflights. */
	get plugin(): Plugin {
		return {
			onRequest: ({ request, endResponse }) => {
				const { headers, method } = request;
				const wanted = headers.get("access-control-request-method");
				if (method !== "OPTIONS" || wanted === null || !this.#allowed.has(headers.get("origin") ?? "")) return;
				const answer = new Response(null, { status: 204 });
				answer.headers.set("access-control-allow-methods", wanted);
				answer.headers.set("access-control-allow-headers", headers.get("access-control-request-headers") ?? "");
				answer.headers.set("access-control-max-age", REMEMBERED);
				answer.headers.set("vary", "access-control-request-method, access-control-request-headers");
				endResponse(answer);
			},
			onResponse: ({ request, response }) => {
				const { vary, ...headers } = this.headers(request.headers.get("origin"));
				if (vary !== undefined) response.headers.append("vary", vary);
				for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
			},
		};
	}
}
