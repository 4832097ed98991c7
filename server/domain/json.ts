import { isDeepStrictEqual } from "node:util";
import { badRequest, Fault } from "./faults.ts";
import { describeBytes } from "./limits.ts";

export type JsonPrimitive = string | number | boolean | null;
export type JsonValue = JsonPrimitive | JsonValue[] | JsonObject;
export interface JsonObject {
	[key: string]: JsonValue;
}

/** A JSON value as the text that is stored, with its size in UTF-8 bytes. */
export interface JsonText {
	text: string;
	bytes: number;
}

/** Turns a value into the text that is stored, after checking its depth (rule VAL-6) and size (rule VAL-7). */
export function encodeJson(field: string, value: JsonValue, limits: { depth: number; bytes: number }): JsonText {
	checkDepth(field, value, limits.depth);
	const text = JSON.stringify(value);
	const bytes = Buffer.byteLength(text);
	if (bytes > limits.bytes) throw tooLarge(field, limits.bytes);
	return { text, bytes };
}

export function tooLarge(what: string, limit: number): Fault {
	return new Fault("PayloadTooLarge", `${what}: must be at most ${describeBytes(limit)} (VAL-7)`);
}

/** Walks level by level: a recursive check would overflow on what it is meant to refuse. */
function checkDepth(field: string, value: JsonValue, limit: number): void {
	let level: JsonValue[] = [value];
	for (let depth = 0; level.length > 0; depth++) {
		if (depth >= limit) throw badRequest(field, `must be nested at most ${limit} levels deep (VAL-6)`);
		const next: JsonValue[] = [];
		for (const node of level) {
			if (typeof node !== "object" || node === null) continue;
			for (const child of Array.isArray(node) ? node : Object.values(node)) {
				if (typeof child === "object" && child !== null) next.push(child);
			}
		}
		level = next;
	}
}

/** Deep equality of two JSON values; the order of keys does not count (rule MSG-3). */
export function equalJson(a: JsonValue, b: JsonValue): boolean {
	return isDeepStrictEqual(a, b);
}

/** Checks that a value is a JSON object (rule VAL-4); an omitted one is `{}`, null is refused. */
export function checkObject(field: string, value: JsonValue | undefined): JsonObject {
	if (value === undefined) return {};
	if (typeof value !== "object" || value === null || Array.isArray(value)) {
		throw badRequest(field, "must be a JSON object (VAL-4)");
	}
	return value;
}

const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
const SUSPICIOUS_NUMBER = /[\d.]{16}|[\d.][eE][+-]?\d{3}/;

/**
 * Finds a number in JSON text that JavaScript would read as another value (rule VAL-10), such as 2^53+1 or 1e400.
 * Ordinary text costs one regular expression; only text with long digit runs is looked at closely.
 */
export function findInexactNumber(text: string): string | undefined {
	if (!SUSPICIOUS_NUMBER.test(text)) return undefined;
	let position = 0;
	while (position < text.length) {
		const quote = text.indexOf('"', position);
		const end = quote === -1 ? text.length : quote;
		for (const [number] of text.slice(position, end).matchAll(NUMBER)) if (!isExactNumber(number)) return number;
		if (quote === -1) return undefined;
		position = endOfString(text, quote) + 1;
	}
	return undefined;
}

function endOfString(text: string, start: number): number {
	for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
		let backslashes = 0;
		while (text[end - 1 - backslashes] === "\\") backslashes++;
		if (backslashes % 2 === 0) return end;
	}
	return text.length;
}

/**
 * Whether a double keeps the value of a decimal literal: all digits that were written come back when the
 * double is printed with as many. So 0.1, 1e20 and 5e-324 are exact; 2^53+1, 1e400 and 1e-400 are not.
 */
export function isExactNumber(literal: string): boolean {
	const value = Math.abs(Number(literal));
	const [mantissa = "", exponent = "0"] = literal
		.toLowerCase()
		.replace("-", "")
		.split(/e(?=[+-]?\d+$)/);
	const [whole = "", fraction = ""] = mantissa.split(".");
	const digits = (whole + fraction).replace(/^0+/, "").replace(/0+$/, "");
	if (digits === "") return true;
	if (value === 0 || value === Number.POSITIVE_INFINITY || digits.length > 100) return false;
	const leadingZeros = (whole + fraction).length - (whole + fraction).replace(/^0+/, "").length;
	const magnitude = Number(exponent) + whole.length - leadingZeros - 1;
	const [printed = "", printedExponent] = value.toExponential(digits.length - 1).split("e");
	return printed.replace(".", "") === digits && Number(printedExponent) === magnitude;
}
