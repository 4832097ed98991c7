import type { Logger } from "pino";
import { Fault, STATUS_BY_CODE } from "../domain/faults.ts";
import { loggable } from "../store/postgres-errors.ts";

/** What a client is told of a failure. */
export interface ErrorBody {
	code: string;
	message: string;
	requestId: string;
}

/** An error as a fault: one that the client may see, or a masked one, whose original is logged (rule ERR-5). */
export function toFault(error: unknown, requestId: string, logger: Logger): Fault {
	if (error instanceof Fault) {
		// What the database did, which the caller is not told.
		if (error.status >= 500 && error.cause !== undefined) {
			logger.warn({ err: loggable(error.cause), requestId, code: error.code }, error.message);
		}
		return error;
	}
	logger.error({ err: loggable(error), requestId }, "unexpected error");
	return new Fault("UnknownError", "Unexpected error", { status: STATUS_BY_CODE.UnknownError });
}

/** The answer to a request that failed; `more` stands beside the error. */
export function errorResponse(fault: Fault, requestId: string, more: object = {}): Response {
	const { code, message, status, retryAfter } = fault;
	const headers = new Headers();
	if (retryAfter !== undefined) headers.set("retry-after", String(retryAfter));
	if (status === STATUS_BY_CODE.Unauthorized) headers.set("www-authenticate", "Bearer");
	const error: ErrorBody = { code, message, requestId };
	return Response.json({ error, ...more }, { status, headers });
}
