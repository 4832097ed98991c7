import { v5 } from "uuid";

/** Any UUID, but always the same one. */
const NAMESPACE = "6f0d3b1a-6a53-5c1e-9d0e-2f7b6c1f4e88";

/** Ids of entries are unique in their file only; the same entry of the same conversation always gets the same one. */
export function messageIdOf(conversationId: string, entryId: string): string {
	return v5(JSON.stringify([conversationId, entryId]), NAMESPACE);
}

/** The id of an entry without one: the number of its line, as long as the ids of pi. */
export function madeId(line: number): string {
	return line.toString(16).padStart(8, "0");
}
