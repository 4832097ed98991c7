/**
 * SQL of a row with the database's clock, `clock.now`. It stands beside what is updated: in SET, WHERE and RETURNING of
 * an update, a distributed Postgres allows no functions that are not immutable, which isoTime is not either.
 */
export const CLOCK = "(SELECT clock_timestamp() AS now) AS clock";

/** SQL that returns a timestamptz column under its own name as ISO-8601 in UTC with milliseconds, whatever the session's zone (rule VAL-11). */
export function isoTime(column: string, table?: string): string {
	const source = table === undefined ? column : `${table}.${column}`;
	return `to_char(${source} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS ${column}`;
}
