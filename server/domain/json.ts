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

/** JSON text that equal values share: the keys of every object are sorted. Callers have checked the depth. */
export function canonicalJson(value: JsonValue): string {
	if (typeof value !== "object" || value === null) return JSON.stringify(value);
	if (Array.isArray(value)) return `[${value.map(canonicalJson).join()}]`;
	const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
	return `{${entries.map(([key, entry]) => `${JSON.stringify(key)}:${canonicalJson(entry)}`).join()}}`;
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
		for (const [number] of text.slice(position, end).matchAll(NUMBER)) {
			if (SUSPICIOUS_NUMBER.test(number) && !isExactNumber(number)) return number;
		}
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

/** Longer literals are refused unseen: no double needs so many digits, and looking at them takes time. */
const LONGEST_NUMBER = 400;
/** The most digits that `toExponential` writes, with the one before the point. */
const MOST_DIGITS = 101;

/**
 * Whether a double keeps the value of a decimal literal: it is what JavaScript itself writes for the double, or an
 * integer that equals it, or else all its digits come back when the double is printed with as many. So 0.1, 1e20, 2^60 and 5e-324 are exact; 2^53+1, 1e400 and 1e-400 are not.
 */
export function isExactNumber(literal: string): boolean {
	if (literal.length > LONGEST_NUMBER) return false;
	const value = Number(literal);
	const { digits, magnitude } = readDecimal(literal);
	if (digits === "") return true;
	if (value === 0 || !Number.isFinite(value)) return false;
	const isSame = (printed: string) => {
		const other = readDecimal(printed);
		return other.digits === digits && other.magnitude === magnitude;
	};
	if (isSame(String(value))) return true;
	// Of an integer every digit counts. Otherwise the shortest text of a double is not always its nearest with as many
	// digits (2^89), so that is tried, too.
	if (/^-?\d+$/.test(literal)) return BigInt(literal) === BigInt(value);
	return digits.length <= MOST_DIGITS && isSame(value.toExponential(digits.length - 1));
}

/** The significant digits of a decimal literal, and the power of ten of the first of them. */
function readDecimal(literal: string): { digits: string; magnitude: number } {
	const [, whole = "", fraction = "", exponent = "0"] = /^-?(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(literal) ?? [];
	const all = whole + fraction;
	const digits = all.replace(/^0+/, "");
	const magnitude = Number(exponent) + whole.length - (all.length - digits.length) - 1;
	return { digits: digits.replace(/0+$/, ""), magnitude };
}
