import { checkEndpoint, type Endpoint } from "./endpoint.ts";
import { badRequest } from "./errors.ts";
import { findIdentity } from "./identity.ts";
import { readOptionalArguments } from "./input.ts";

/** Checked options of a store. */
export interface Settings {
	/** Finds out where to send to; may throw, and may then be asked again. */
	locate: () => Endpoint;
	fetch: (url: string, init: RequestInit) => Promise<Response>;
	timeoutMs: number;
	retries: number;
	/** Names in lower case. */
	headers: Readonly<Record<string, string>>;
}

const STORE_OPTIONS = ["url", "token", "fetch", "timeoutMs", "retries", "headers", "allowInsecureHttp"] as const;
const CALL_OPTIONS = ["signal", "timeoutMs"] as const;
const DEFAULT_TIMEOUT_MS = 30_000;
const DEFAULT_RETRIES = 2;
/** A longer timer would overflow and fire at once. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

/** Checks the options of `createStore`; reads no environment and no file. */
export function checkStoreOptions(input: unknown): Settings {
	const options = readOptionalArguments("createStore", input, STORE_OPTIONS);
	const allowInsecureHttp = options.allowInsecureHttp ?? false;
	if (typeof allowInsecureHttp !== "boolean") throw badRequest("allowInsecureHttp", "must be a boolean");
	return {
		locate: locator(options.url, options.token, allowInsecureHttp),
		fetch: checkFetch(options.fetch),
		timeoutMs: checkTimeout(options.timeoutMs) ?? DEFAULT_TIMEOUT_MS,
		retries: checkRetries(options.retries),
		headers: checkHeaders(options.headers),
	};
}

/** Checks the last argument of a method. */
export function checkCallOptions(input: unknown): { signal: AbortSignal | undefined; timeoutMs: number | undefined } {
	const { signal, timeoutMs } = readOptionalArguments("options", input, CALL_OPTIONS);
	if (signal != null && !isSignal(signal)) throw badRequest("signal", "must be an AbortSignal");
	return { signal: signal ?? undefined, timeoutMs: checkTimeout(timeoutMs) };
}

function locator(url: unknown, token: unknown, allowInsecureHttp: boolean): () => Endpoint {
	if (url == null && token != null) throw badRequest("token", "must be given together with the url that it is for");
	if (url == null) return () => findIdentity(allowInsecureHttp);
	const endpoint = checkEndpoint({ url: "url", token: "token" }, url, token, allowInsecureHttp);
	return () => endpoint;
}

function checkFetch(value: unknown): Settings["fetch"] {
	// Looked up at each request, so that a fetch that is patched after the import is used.
	if (value == null) return (url, init) => globalThis.fetch(url, init);
	if (typeof value !== "function") throw badRequest("fetch", "must be a function like the global fetch");
	return value as Settings["fetch"];
}

function checkTimeout(value: unknown): number | undefined {
	if (value == null) return undefined;
	if (typeof value !== "number" || !(value > 0 && value <= MAX_TIMEOUT_MS)) {
		throw badRequest("timeoutMs", `must be a number of milliseconds above 0 and up to ${MAX_TIMEOUT_MS}`);
	}
	return value;
}

function checkRetries(value: unknown): number {
	if (value == null) return DEFAULT_RETRIES;
	if (typeof value !== "number" || !Number.isSafeInteger(value) || value < 0) {
		throw badRequest("retries", "must be an integer of at least 0");
	}
	return value;
}

function checkHeaders(value: unknown): Settings["headers"] {
	if (value == null) return {};
	if (typeof value !== "object" || Object.values(value).some((header) => typeof header !== "string")) {
		throw badRequest("headers", "must be an object of strings");
	}
	try {
		return Object.fromEntries(new Headers(value as Record<string, string>));
	} catch {
		// Without the cause: its message repeats the value, which may be a secret.
		throw badRequest("headers", "must be valid HTTP headers");
	}
}

function isSignal(value: unknown): value is AbortSignal {
	if (typeof value !== "object" || value === null) return false;
	const { aborted, addEventListener } = value as Partial<AbortSignal>;
	return typeof aborted === "boolean" && typeof addEventListener === "function";
}
