import type { Plugin } from "graphql-yoga";

/** Headers of answers that scripts of other origins may read. */
const EXPOSED = "retry-after, x-request-id";

/** Seconds for which a browser may remember a preflight; more than browsers respect. */
const REMEMBERED = "86400";

/**
 * Lets pages of the given origins call the gateway: those and no others, on every path, errors included. There are no
 * cookies to protect, so any header may be sent; Authorization has to be allowed by name, and is.
 */
export function cors(origins: readonly string[]): Plugin {
	const allowed = new Set(origins);
	return {
		onRequest({ request, endResponse }) {
			const { headers, method } = request;
			const wanted = headers.get("access-control-request-method");
			if (method !== "OPTIONS" || wanted === null || !allowed.has(headers.get("origin") ?? "")) return;
			const answer = new Response(null, { status: 204 });
			answer.headers.set("access-control-allow-methods", wanted);
			answer.headers.set("access-control-allow-headers", headers.get("access-control-request-headers") ?? "");
			answer.headers.set("access-control-max-age", REMEMBERED);
			answer.headers.set("vary", "access-control-request-method, access-control-request-headers");
			endResponse(answer);
		},
		onResponse({ request, response }) {
			if (allowed.size === 0) return;
			// A cache must not give one origin's answer to another.
			response.headers.append("vary", "origin");
			const origin = request.headers.get("origin");
			if (origin === null || !allowed.has(origin)) return;
			response.headers.set("access-control-allow-origin", origin);
			response.headers.set("access-control-expose-headers", EXPOSED);
		},
	};
}
