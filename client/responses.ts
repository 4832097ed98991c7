import { StoreError, type StoreErrorCode, type StoreErrorDetail } from "./errors.ts";

/** A failed attempt: the error that the caller gets when no further attempt follows, and what a retry must know. */
export class Failure extends Error {
	readonly error: StoreError;
	/** Whether another attempt may succeed (rule ERR-4). */
	readonly transient: boolean;
	/** Whether the request provably was never executed. */
	readonly unexecuted: boolean;
	/** How long the other side asked to wait. */
	readonly retryAfterMs: number;

	constructor(error: StoreError, retry: { transient: boolean; unexecuted?: boolean; retryAfterMs?: number }) {
		super(error.message);
		this.error = error;
		this.transient = retry.transient;
		this.unexecuted = retry.unexecuted ?? false;
		this.retryAfterMs = retry.retryAfterMs ?? 0;
	}
}

/** What an answer's status means when the gateway did not say it itself: a proxy's 404 is not the Store's NotFound. */
const CODE_BY_STATUS: { [status: number]: StoreErrorCode } = {
	400: "BadRequest",
	401: "Unauthorized",
	403: "Forbidden",
	413: "PayloadTooLarge",
	429: "TooManyRequests",
	503: "ServiceUnavailable",
	504: "TimeoutError",
};
const TRANSIENT_STATUS = [429, 502, 503, 504];

/** The codes that a gateway sends; the others arise in the SDK only. */
const GATEWAY_CODES: readonly unknown[] = [
	"BadRequest",
	"Unauthorized",
	"Forbidden",
	"NotFound",
	"Conflict",
	"PayloadTooLarge",
	"TooManyRequests",
	"ServiceUnavailable",
	"TimeoutError",
	"UnknownError",
] satisfies StoreErrorCode[];
/** With these, the gateway says that it refused before it executed anything. */
const REFUSALS: readonly StoreErrorCode[] = ["TooManyRequests", "ServiceUnavailable"];

/** No response came, or it broke off (rule ERR-2). */
export function networkFailure(url: string, cause: unknown): Failure {
	const detail = deepestMessage(cause);
	const message = `The gateway at ${new URL(url).origin} gave no answer${detail === "" ? "" : `: ${detail}`}`;
	const error = new StoreError({ code: "NetworkError", message, cause });
	return new Failure(error, { transient: true, unexecuted: neverConnected(cause) });
}

/** An answer that is not GraphQL, as proxies give it. Its body may be a page or a secret, so nothing of it is shown. */
export function foreignAnswer(response: Response, cause?: unknown): Failure {
	const { status } = response;
	const type = /^[\w.+/-]{1,64}/.exec(response.headers.get("content-type") ?? "")?.[0] ?? "no content type";
	const redirected = (status >= 300 && status < 400) || response.type === "opaqueredirect";
	const message = redirected
		? `The endpoint answered with a redirect (HTTP ${status}), which is not followed: is the url right?`
		: `The endpoint answered with HTTP ${status}, not as a GraphQL gateway does (${type})`;
	const error = new StoreError({ code: CODE_BY_STATUS[status] ?? "UnknownError", message, status, cause });
	const transient = TRANSIENT_STATUS.includes(status);
	return new Failure(error, { transient, retryAfterMs: readRetryAfter(response.headers) });
}

/** An answer with GraphQL errors: the first one is the error of the call, for a request has one root field. */
export function graphqlFailure(response: Response, graphqlError: unknown): Failure {
	const { message, extensions } = asRecord(graphqlError);
	const { code, status, error: detail, requestId } = asRecord(extensions);
	const own = GATEWAY_CODES.includes(code);
	const error = new StoreError({
		code: own ? (code as StoreErrorCode) : (CODE_BY_STATUS[response.status] ?? "UnknownError"),
		message: typeof message === "string" && (own || !message.includes("<")) ? message : "The request failed",
		status: typeof status === "number" ? status : response.status,
		error: readDetail(detail),
		requestId: typeof requestId === "string" ? requestId : undefined,
	});
	const unexecuted = own && REFUSALS.includes(error.code);
	const transient = unexecuted || TRANSIENT_STATUS.includes(error.status ?? 0);
	return new Failure(error, { transient, unexecuted, retryAfterMs: readRetryAfter(response.headers) });
}

function readDetail(value: unknown): StoreErrorDetail | undefined {
	const { code, message, details, hint } = asRecord(value);
	if (typeof code !== "string" || typeof message !== "string") return undefined;
	return { code, message, details: stringOrNull(details), hint: stringOrNull(hint) };
}

function stringOrNull(value: unknown): string | null {
	return typeof value === "string" ? value : null;
}

/** The properties that failures of all kinds are asked for; none of them is certain. */
interface Loose {
	message?: unknown;
	code?: unknown;
	status?: unknown;
	extensions?: unknown;
	error?: unknown;
	requestId?: unknown;
	details?: unknown;
	hint?: unknown;
	cause?: unknown;
	errors?: unknown;
	syscall?: unknown;
}

function asRecord(value: unknown): Loose {
	return typeof value === "object" && value !== null ? value : {};
}

/** Retry-After in milliseconds: a number of seconds or a date; 0 when it says nothing. */
function readRetryAfter(headers: Headers): number {
	const value = headers.get("retry-after")?.trim() ?? "";
	const wait = /^\d+$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - Date.now();
	// A text that is neither gives NaN.
	return Math.max(wait || 0, 0);
}

/** Failures before a connection stood: nothing can have been sent. Several addresses of a host fail as several errors. */
function neverConnected(cause: unknown): boolean {
	const attempts = causes(cause).map(asRecord);
	const several = attempts.map(({ errors }) => errors).find(Array.isArray);
	if (several !== undefined && several.length > 0) return several.every(neverConnected);
	return attempts.some(
		({ code, syscall }) => syscall === "connect" || syscall === "getaddrinfo" || code === "UND_ERR_CONNECT_TIMEOUT",
	);
}

/** Fetch itself says no more than "fetch failed"; what happened is in its cause. */
function deepestMessage(error: unknown): string {
	const messages = causes(error).map((cause) => asRecord(cause).message);
	return messages.findLast((message): message is string => typeof message === "string" && message !== "") ?? "";
}

/** An error and the chain of its causes. */
function causes(error: unknown): unknown[] {
	const chain = [error];
	for (let next = asRecord(error).cause; next !== undefined && chain.length < 5; next = asRecord(next).cause) {
		chain.push(next);
	}
	return chain;
}
