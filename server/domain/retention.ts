import { badRequest } from "./faults.ts";

const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Reads an age such as 90d, 12h or 30m; in milliseconds. */
export function parseAge(field: string, text: string): number {
	const [, count, unit = ""] = /^(\d{1,6})([mhd])$/.exec(text) ?? [];
	if (count === undefined) throw badRequest(field, `must be an age like 90d, 12h or 30m, not ${JSON.stringify(text)}`);
	return Number(count) * UNITS[unit]!;
}

/** What goes; a rule that is null removes nothing. */
export interface RetentionPolicy {
	/** All that is stored under an id of which nothing was touched for so many milliseconds. */
	olderThanMs: number | null;
	/** Checkpoints behind so many newest ones of each namespace of a thread, and of each state. */
	keepCheckpoints: number | null;
	/** Counts what would go, and removes nothing. */
	dryRun: boolean;
}
