import type { Logger } from "pino";

/** What is told of a request when it is answered: never what it carried, nor by which token. */
export interface AnsweredRequest {
	requestId: string;
	/** The name of the caller's project; absent where the request was refused before that was known. */
	project: string | undefined;
	/** The root field, `several`, or the path of the gateway's own that was asked for: a name from a fixed list. */
	operation: string;
	/** `OK`, or the code of the first error. */
	code: string;
	status: number;
	seconds: number;
	/** What the caller says of its SDK's version. */
	sdk: string | null;
}

/** A version; a caller may send anything, and nothing else gets into the log. */
const VERSION = /^\d{1,6}\.\d{1,6}\.\d{1,6}(-[a-z]{1,10}\.?\d{0,6})?$/;

/** Paths that machines ask for all the time. */
const ROUTINE = /^\/health\//;

/** Logs one line a request: at `info`, and those for health at `debug`. */
export function requestLog(logger: Logger): (answered: AnsweredRequest) => void {
	return ({ seconds, sdk, ...answered }) => {
		const level = ROUTINE.test(answered.operation) ? "debug" : "info";
		if (!logger.isLevelEnabled(level)) return;
		const durationMs = Math.round(seconds * 1e6) / 1e3;
		logger[level]({ ...answered, durationMs, ...(sdk !== null && VERSION.test(sdk) ? { sdk } : {}) }, "request");
	};
}
