/** What kind of failure a `StoreError` is. */
export type StoreErrorCode =
	| "BadRequest"
	| "Unauthorized"
	| "Forbidden"
	| "NotFound"
	| "Conflict"
	| "PayloadTooLarge"
	| "TooManyRequests"
	| "ServiceUnavailable"
	| "TimeoutError"
	| "NetworkError"
	| "AbortError"
	| "UnknownError";

/** The database's own error inside a `StoreError`, word for word (rule ERR-1). */
export interface StoreErrorDetail {
	/** The SQLSTATE, for example `23505` for a duplicate. */
	code: string;
	message: string;
	details: string | null;
	hint: string | null;
}

/** The shape of `StoreError.toJSON()`. */
export interface StoreErrorJson {
	code: StoreErrorCode;
	status?: number;
	message: string;
	error?: StoreErrorDetail;
	requestId?: string;
}

/** What a `StoreError` is made of. */
export interface StoreErrorInit {
	code: StoreErrorCode;
	message: string;
	status?: number | undefined;
	error?: StoreErrorDetail | undefined;
	requestId?: string | undefined;
	cause?: unknown;
}

const brand = Symbol.for("@iga-pages/agent/StoreError");

/**
 * The one error that the methods of the Store reject with. Branch on `code`; log `toJSON()`.
 *
 * @example
 * try {
 *   await store.createConversation({ conversationId });
 * } catch (error) {
 *   if (!(error instanceof StoreError && error.code === "Conflict")) throw error;
 * }
 */
export class StoreError extends Error {
	/** The kind of failure. */
	readonly code: StoreErrorCode;
	/** The HTTP status; absent when there was no response. */
	declare readonly status?: number;
	/** The database's error, when there was one. */
	declare readonly error?: StoreErrorDetail;
	/** The id under which the gateway logged the request. */
	declare readonly requestId?: string;

	constructor(init: StoreErrorInit) {
		super(init.message, init.cause === undefined ? undefined : { cause: init.cause });
		this.code = init.code;
		if (init.status !== undefined) this.status = init.status;
		if (init.error !== undefined) this.error = init.error;
		if (init.requestId !== undefined) this.requestId = init.requestId;
	}

	static {
		// On the prototype, so that neither is an own property that a log or a deep comparison would show.
		Object.defineProperty(StoreError.prototype, "name", { value: "StoreError", configurable: true, writable: true });
		Object.defineProperty(StoreError.prototype, brand, { value: true });
	}

	/** Recognises the errors of a second copy of this package, too, as bundlers make them. */
	static override [Symbol.hasInstance](value: unknown): boolean {
		// biome-ignore lint/complexity/noThisInStatic: a subclass inherits this method and must not claim every StoreError
		if (this !== StoreError) return Function.prototype[Symbol.hasInstance].call(this, value);
		return typeof value === "object" && value !== null && brand in value;
	}

	/** The error as plain data: optional fields only where there is something to say. */
	toJSON(): StoreErrorJson {
		return {
			code: this.code,
			...(this.status === undefined ? {} : { status: this.status }),
			message: this.message,
			...(this.error === undefined ? {} : { error: this.error }),
			...(this.requestId === undefined ? {} : { requestId: this.requestId }),
		};
	}
}

/** The refusal of an input before anything is sent: `field` is the path of the argument, `rule` what it has to be. */
export function badRequest(field: string, rule: string, cause?: unknown): StoreError {
	return new StoreError({ code: "BadRequest", message: `${field}: ${rule}`, cause });
}
