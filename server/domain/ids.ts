import { v7 } from "uuid";
import { badRequest } from "./faults.ts";

/** UTF-8 bytes. */
const LONGEST_NAME = 256;
const LONE_SURROGATE = /\p{Surrogate}/u;

/** Checks an id by rule VAL-1 and returns it: a string of 1 to `maxBytes` UTF-8 bytes without U+0000 and lone surrogates. */
export function checkId(field: string, value: unknown, maxBytes: number): string {
	if (typeof value !== "string" || value === "") throw badRequest(field, "must be a non-empty string (VAL-1)");
	return checkText(field, value, maxBytes, "VAL-1");
}

/** Checks a role or type by rule VAL-2: null, or a string of at most `maxBytes` UTF-8 bytes. */
export function checkTag(field: string, value: string | null | undefined, maxBytes: number): string | null {
	return value == null ? null : checkText(field, value, maxBytes, "VAL-2");
}

const CONTROL = /\p{Cc}/u;

/** Checks the name of a project or a token, which tables of names show. */
export function checkName(field: string, value: string): string {
	if (value.trim() === "" || Buffer.byteLength(value) > LONGEST_NAME || CONTROL.test(value)) {
		throw badRequest(field, `must be 1 to ${LONGEST_NAME} UTF-8 bytes on one line, and not blank`);
	}
	return value;
}

function checkText(field: string, value: string, maxBytes: number, rule: string): string {
	// A UTF-8 byte count is never below the count of UTF-16 units, so most values need no encoding.
	if (value.length > maxBytes || (value.length * 3 > maxBytes && Buffer.byteLength(value) > maxBytes)) {
		throw badRequest(field, `must be at most ${maxBytes} UTF-8 bytes (${rule})`);
	}
	if (value.includes("\0")) throw badRequest(field, `must not contain U+0000 (${rule})`);
	if (LONE_SURROGATE.test(value)) throw badRequest(field, `must not contain a lone surrogate (${rule})`);
	return value;
}

/** A new id: UUIDv7, whose time order keeps the indexes local. */
export function newId(): string {
	return v7();
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Whether Postgres would take it for a UUID; other text is an error to it. */
export function isUuid(value: unknown): value is string {
	return typeof value === "string" && UUID.test(value);
}
