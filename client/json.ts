import { badRequest, StoreError } from "./errors.ts";
import { LIMITS, utf8Bytes } from "./limits.ts";
import type { JsonObject, JsonValue } from "./types.ts";

/** A copy of an input as plain JSON data. */
export interface CapturedJson<T = JsonValue> {
	value: T;
	/** A number that the value's JSON text does not exceed in UTF-8 bytes; cheap, so that small values need no measuring. */
	maxBytes: number;
}

/** A container that is being copied. */
interface Frame {
	source: Record<string | number, unknown>;
	copy: JsonValue[] | JsonObject;
	/** The keys of an object; undefined for an array. */
	keys: string[] | undefined;
	length: number;
	/** Index of the entry being copied; entries before it are done. */
	index: number;
}

/** No number, boolean or null is longer as JSON (`-1.2345678901234567e-300`). */
const MAX_SCALAR_BYTES = 24;
/** A control character is one unit in memory and six bytes as JSON. */
const MAX_BYTES_PER_UNIT = 6;

/**
 * Copies a value as `JSON.parse(JSON.stringify(value))` would, `toJSON` included, but refuses what JSON would drop
 * or change (rule VAL-5) and what is nested too deeply (rule VAL-6). Getters and `toJSON` run once, here and now
 * (rule VAL-9). Without recursion, so that no input can overflow the stack. Returns undefined for undefined.
 */
export function captureJson(field: string, input: unknown): CapturedJson | undefined {
	const frames: Frame[] = [];
	const path = () => field + frames.map(describeEntry).join("");
	let maxBytes = 0;

	const capture = (value: unknown, key: string | number): JsonValue | undefined => {
		const data = applyToJson(value, key, path);
		if (data === null || typeof data === "boolean") {
			maxBytes += MAX_SCALAR_BYTES;
			return data;
		}
		if (typeof data === "string") {
			maxBytes += data.length * MAX_BYTES_PER_UNIT + 2;
			return data;
		}
		if (typeof data === "number") {
			if (!Number.isFinite(data)) throw badRequest(path(), `must be JSON, not ${data} (VAL-5)`);
			maxBytes += MAX_SCALAR_BYTES;
			// As JSON writes it: the sign of -0 is not kept.
			return data === 0 ? 0 : data;
		}
		if (data === undefined) return undefined;
		if (!isContainer(data)) throw badRequest(path(), `must be JSON, not ${describeKind(data)} (VAL-5)`);
		if (frames.some((frame) => frame.source === data)) {
			throw badRequest(path(), "must be JSON, not a value that contains itself (VAL-5)");
		}
		if (frames.length === LIMITS.jsonDepth) {
			throw badRequest(path(), `must be nested at most ${LIMITS.jsonDepth} levels deep (VAL-6)`);
		}
		maxBytes += 2;
		const keys = Array.isArray(data) ? undefined : Object.keys(data);
		const frame: Frame = {
			source: data,
			copy: keys ? {} : [],
			keys,
			length: keys?.length ?? data["length"],
			index: -1,
		};
		frames.push(frame);
		return frame.copy;
	};

	try {
		const value = capture(input, "");
		if (value === undefined) return undefined;
		for (let frame = frames.at(-1); frame !== undefined; frame = frames.at(-1)) {
			if (++frame.index === frame.length) {
				frames.pop();
				continue;
			}
			const key = frame.keys?.[frame.index] ?? frame.index;
			const entry = capture(frame.source[key], key);
			maxBytes += 1;
			if (typeof key === "number") {
				if (entry === undefined) throw badRequest(path(), "must be JSON, not undefined or a hole (VAL-5)");
				(frame.copy as JsonValue[]).push(entry);
			} else if (entry !== undefined) {
				maxBytes += key.length * MAX_BYTES_PER_UNIT + 3;
				setOwn(frame.copy as JsonObject, key, entry);
			}
		}
		return { value, maxBytes };
	} catch (error) {
		if (error instanceof StoreError) throw error;
		throw badRequest(path(), "could not be read (VAL-5)", error);
	}
}

/** The size of a JSON value as text in UTF-8 bytes. */
export function jsonBytes(value: JsonValue): number {
	return utf8Bytes(JSON.stringify(value));
}

/** Calls `toJSON` where there is one, as JSON does: once, its result is final. */
function applyToJson(value: unknown, key: string | number, path: () => string): unknown {
	if ((typeof value !== "object" && typeof value !== "function" && typeof value !== "bigint") || value === null) {
		return value;
	}
	const { toJSON } = value as { toJSON?: unknown };
	if (typeof toJSON !== "function") return value;
	const data: unknown = toJSON.call(value, String(key));
	if (data === null && Object.prototype.toString.call(value) === "[object Date]") {
		throw badRequest(path(), "must be JSON, not an invalid Date (VAL-5)");
	}
	return data;
}

/** An array, or an object without a class of its own; one of another realm has another Object.prototype. */
function isContainer(value: unknown): value is Record<string | number, unknown> & { length: number } {
	if (typeof value !== "object" || value === null) return false;
	if (Array.isArray(value)) return true;
	const prototype: unknown = Object.getPrototypeOf(value);
	return prototype === null || prototype === Object.prototype || Object.getPrototypeOf(prototype) === null;
}

/** Assignment to `__proto__` would set the prototype and lose the key (rule VAL-3). */
function setOwn(target: JsonObject, key: string, value: JsonValue): void {
	if (key !== "__proto__") target[key] = value;
	else Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
}

function describeEntry(frame: Frame): string {
	if (frame.index < 0) return "";
	const key = frame.keys?.[frame.index];
	if (key === undefined) return `[${frame.index}]`;
	if (/^[A-Za-z_$][\w$]{0,63}$/.test(key)) return `.${key}`;
	return `[${JSON.stringify(key.length > 64 ? `${key.slice(0, 64)}…` : key)}]`;
}

function describeKind(value: unknown): string {
	if (typeof value !== "object" || value === null) return `a ${typeof value}`;
	const name = typeof value.constructor === "function" ? value.constructor.name : "";
	return name === "" ? "an instance of a class" : `an instance of ${name}`;
}
