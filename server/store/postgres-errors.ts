import pg from "pg";
import { type DatabaseError, Fault } from "../domain/faults.ts";

const DEADLOCK = "40P01";
const SERIALIZATION_FAILURE = "40001";
const QUERY_CANCELED = "57014";
const LOCK_NOT_AVAILABLE = "55P03";
const TOO_MANY_CONNECTIONS = "53300";
/** The class of what the server has run out of: disk (53100), memory (53200), connections (53300). */
const INSUFFICIENT_RESOURCES = "53";
/** The class of values that do not fit; its messages quote them. */
const DATA_EXCEPTION = "22";
const UNIQUE_VIOLATION = "23505";

/** SQLSTATE of an error that Postgres itself reported, else undefined. */
function sqlState(error: unknown): string | undefined {
	return error instanceof pg.DatabaseError ? error.code : undefined;
}

/** Two transactions met; running the same one again may succeed. */
export function isTransient(error: unknown): boolean {
	const state = sqlState(error);
	return state === DEADLOCK || state === SERIALIZATION_FAILURE;
}

/** The primary key of a table was taken. On a distributed Postgres, constraint names end in a shard number. */
export function isTakenKey(error: unknown, table: string): error is pg.DatabaseError {
	return (
		sqlState(error) === UNIQUE_VIOLATION && (error as pg.DatabaseError).constraint?.startsWith(`${table}_pkey`) === true
	);
}

const DRIVER_LOSS = /^(Connection terminated|Client has encountered a connection error|Client was closed)/;

/** The connection is gone, or was never there. */
export function isConnectionLoss(error: unknown): boolean {
	const state = sqlState(error);
	// 57P01…57P03: shutdown and start-up; 08…: connection exceptions.
	if (state !== undefined) return state.startsWith("57P") || state.startsWith("08");
	// System errors carry a code such as ECONNRESET, the driver's own only a text.
	return error instanceof Error && ("syscall" in error || DRIVER_LOSS.test(error.message));
}

/** The error as the contract shows it under `error` (rule ERR-1). */
function databaseError(error: pg.DatabaseError): DatabaseError {
	return {
		code: error.code ?? "",
		message: error.message,
		details: error.detail ?? null,
		hint: error.hint ?? null,
	};
}

/** The Conflict that a taken key means to the caller (rules CONV-1, MSG-3). */
export function conflict(error: pg.DatabaseError): Fault {
	return new Fault("Conflict", error.message, { error: databaseError(error), cause: error });
}

/** No statement was run, so the caller may repeat whatever it asked for. */
export function unreachable(cause: unknown): Fault {
	return new Fault("ServiceUnavailable", "The database is not reachable", { cause, retryAfter: 1 });
}

/**
 * What a failed statement means to the caller. `mayHaveRun`: it was a write, and when the connection broke
 * Postgres may have committed it; then nobody may repeat it blindly, so it is not ServiceUnavailable.
 */
export function toFault(error: unknown, mayHaveRun: boolean): unknown {
	if (error instanceof Fault) return error;
	const state = sqlState(error);
	if (state === QUERY_CANCELED || state === LOCK_NOT_AVAILABLE) {
		return new Fault("TimeoutError", "The database did not finish in time; nothing was written", {
			error: databaseError(error as pg.DatabaseError),
			cause: error,
		});
	}
	if (state === TOO_MANY_CONNECTIONS) return unreachable(error);
	// Its transaction is rolled back. What Postgres says names files, so it is for the log alone (rule ERR-5).
	if (state?.startsWith(INSUFFICIENT_RESOURCES)) {
		return new Fault("ServiceUnavailable", "The database has run out of resources; nothing was written", {
			cause: error,
			retryAfter: 1,
		});
	}
	if (isTransient(error)) {
		return new Fault("ServiceUnavailable", "The database was too busy to order concurrent writes", {
			error: databaseError(error as pg.DatabaseError),
			cause: error,
			retryAfter: 1,
		});
	}
	if (!isConnectionLoss(error)) return error;
	if (!mayHaveRun) return unreachable(error);
	return new Fault("UnknownError", "The connection to the database broke; whether the write took effect is unknown", {
		status: 502,
		cause: error,
	});
}

/** Properties of a Postgres error that name things and hold no values, as detail and where do. */
const NAMES = ["code", "severity", "schema", "table", "column", "constraint", "routine"] as const;

/** An error as it may stand in a log: without the values of a statement, which are what users wrote. */
export function loggable(error: unknown): object {
	if (!(error instanceof Error)) return { message: typeof error };
	const state = sqlState(error);
	// These quote what they refuse.
	const quotes = state?.startsWith(DATA_EXCEPTION) || error instanceof SyntaxError;
	const message = quotes ? `a value was refused (${state ?? error.name})` : error.message;
	const stack = error.stack
		?.split("\n")
		.filter((line) => /^ +at /.test(line))
		.join("\n");
	const names = Object.fromEntries(NAMES.map((name) => [name, (error as Partial<pg.DatabaseError>)[name]]));
	const cause = error.cause === undefined ? undefined : loggable(error.cause);
	return { type: error.name, message, ...names, stack, cause };
}
