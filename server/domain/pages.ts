import { createHmac, timingSafeEqual } from "node:crypto";
import { badRequest } from "./faults.ts";
import type { Limits } from "./limits.ts";

export type Order = "asc" | "desc";

/** A page of rows as the store reads it; the GraphQL layer turns it into a connection. */
export interface Page<T> {
	items: T[];
	hasNext: boolean;
	/** The cursor from which the page after this item starts. */
	cursorOf: (item: T) => string;
}

/** The size of a page: the default when omitted, else an integer from 1 to the limit (rule MSG-7). */
export function checkPageSize(field: string, value: number | null | undefined, limits: Limits): number {
	if (value == null) return limits.pageLimitDefault;
	if (!Number.isInteger(value) || value < 1 || value > limits.pageLimit) {
		throw badRequest(field, `must be an integer from 1 to ${limits.pageLimit} (MSG-7)`);
	}
	return value;
}

const MAC_BYTES = 16;

/**
 * Writes a cursor: the position, readable by the gateway only through `openCursor` with the same key and scope.
 * The scope (what is listed, and of which conversation) is signed but not contained.
 */
export function sealCursor(key: Uint8Array, scope: string, position: readonly string[]): string {
	const body = Buffer.from(JSON.stringify(position));
	return Buffer.concat([sign(key, scope, body), body]).toString("base64url");
}

/** Reads a cursor back; one of another project or scope, edited or cut, is refused (rule MSG-8). */
export function openCursor(field: string, key: Uint8Array, scope: string, cursor: string): string[] {
	const bytes = Buffer.from(cursor, "base64url");
	const body = bytes.subarray(MAC_BYTES);
	// The decoder skips what is not base64url, so the text is compared too.
	if (bytes.length <= MAC_BYTES || bytes.toString("base64url") !== cursor) throw refusedCursor(field);
	if (!timingSafeEqual(bytes.subarray(0, MAC_BYTES), sign(key, scope, body))) throw refusedCursor(field);
	return JSON.parse(body.toString()) as string[];
}

/** The one refusal of every cursor that does not belong where it is used. */
export function refusedCursor(field: string) {
	return badRequest(field, "is not a cursor of this list; start again without one (MSG-8)");
}

function sign(key: Uint8Array, scope: string, body: Uint8Array): Uint8Array {
	return createHmac("sha256", key).update(scope).update("\0").update(body).digest().subarray(0, MAC_BYTES);
}
