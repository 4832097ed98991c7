/** The error codes of the contract, with the HTTP status that each one answers with. */
export const STATUS_BY_CODE = {
	BadRequest: 400,
	Unauthorized: 401,
	Forbidden: 403,
	NotFound: 404,
	Conflict: 409,
	PayloadTooLarge: 413,
	TooManyRequests: 429,
	UnknownError: 500,
	ServiceUnavailable: 503,
	TimeoutError: 504,
} as const;

export type FaultCode = keyof typeof STATUS_BY_CODE;

/** The code that belongs to an HTTP status; an error without one of its own is the request's. */
export function codeOf(status: number): FaultCode {
	const entry = Object.entries(STATUS_BY_CODE).find(([, candidate]) => candidate === status);
	return (entry?.[0] ?? "BadRequest") as FaultCode;
}

/** A database error as Postgres gave it (rule ERR-1: the outer code never rewrites it). */
export interface DatabaseError {
	/** SQLSTATE */
	code: string;
	message: string;
	details: string | null;
	hint: string | null;
}

interface FaultOptions {
	status?: number;
	error?: DatabaseError;
	/** Seconds after which a retry makes sense. */
	retryAfter?: number;
	cause?: unknown;
}

/** A failure that the caller may see, word for word. Every other error reaches it masked (rule ERR-5). */
export class Fault extends Error {
	readonly code: FaultCode;
	readonly status: number;
	readonly error: DatabaseError | undefined;
	readonly retryAfter: number | undefined;

	constructor(code: FaultCode, message: string, options: FaultOptions = {}) {
		super(message, options.cause === undefined ? undefined : { cause: options.cause });
		this.name = "Fault";
		this.code = code;
		this.status = options.status ?? STATUS_BY_CODE[code];
		this.error = options.error;
		this.retryAfter = options.retryAfter;
	}
}

/** The refusal of an input; `field` is the path of the argument, `rule` says what it has to be. */
export function badRequest(field: string, rule: string): Fault {
	return new Fault("BadRequest", `${field}: ${rule}`);
}
