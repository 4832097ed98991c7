import { badRequest, type Fault } from "./faults.ts";
import { checkId } from "./ids.ts";

/** Checks a search by rule VAL-1 and returns its words: what stands between spaces, each once. */
export function checkSearch(field: string, value: unknown, maxBytes: number): string[] {
	const words = checkId(field, value, maxBytes).split(/\s+/u);
	return [...new Set(words)].filter((word) => word !== "");
}

/** The refusal of a search that holds punctuation at most. */
export function nothingToSearch(field: string): Fault {
	return badRequest(field, "must hold something to look for: a letter, a digit or a character of another script");
}

/** The refusal of every search where the database has no index for it. */
export function searchDisabled(field: string): Fault {
	return badRequest(field, 'is not enabled on this gateway; its operator can run "agent-gateway search enable"');
}
