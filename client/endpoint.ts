import { badRequest, type StoreError } from "./errors.ts";

/** Where requests go, and with which token. The two always come from one source. */
export interface Endpoint {
	url: string;
	token: string | undefined;
}

/**
 * Checks an address and a token from `source` (an option, a variable, a file). Neither is repeated in the error:
 * both may hold a secret.
 */
export function checkEndpoint(
	source: { url: string; token: string },
	url: unknown,
	token: unknown,
	allowInsecureHttp: boolean,
): Endpoint {
	const parsed = typeof url === "string" ? parseUrl(url) : undefined;
	if (parsed === undefined) throw badRequest(source.url, "must be the absolute http(s) URL of a GraphQL endpoint");
	if (parsed.username !== "" || parsed.password !== "") {
		throw badRequest(source.url, "must not contain a user name or password");
	}
	if (parsed.protocol === "http:" && !isLoopback(parsed.hostname) && !allowInsecureHttp) {
		throw insecure(source.url);
	}
	if (token == null) return { url: parsed.href, token: undefined };
	if (typeof token !== "string" || !/^[\x21-\x7e]+$/.test(token)) {
		throw badRequest(source.token, "must be a token of visible ASCII characters");
	}
	return { url: parsed.href, token };
}

function parseUrl(url: string): URL | undefined {
	const parsed = URL.canParse(url) ? new URL(url) : undefined;
	return parsed?.protocol === "https:" || parsed?.protocol === "http:" ? parsed : undefined;
}

/** The URL parser has already normalised the many spellings of an IPv4 address. */
function isLoopback(hostname: string): boolean {
	return hostname === "localhost" || hostname === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}

function insecure(source: string): StoreError {
	return badRequest(
		source,
		"must be https: plain http to another machine would show token and conversations to the network; " +
			"createStore({ allowInsecureHttp: true }), or --allow-insecure-http of the commands, permits it",
	);
}
