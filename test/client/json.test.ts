import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { StoreError } from "../../client/errors.ts";
import { captureJson, jsonBytes } from "../../client/json.ts";
import { utf8Bytes } from "../../client/limits.ts";

const strings = fc.oneof(
	fc.string({ unit: "binary" }),
	fc.constantFrom("", "\0", "\ud800", "\udc00\ud83d", "__proto__", "constructor", "toString", "toJSON", "0", "10", "9"),
);

/** Everything that the Store takes: undefined properties, values with `toJSON`, objects without prototype included. */
const { value: acceptable } = fc.letrec<{ value: unknown; container: unknown }>((tie) => ({
	value: fc.oneof(
		{ depthSize: "small", withCrossShrink: true },
		fc.constantFrom(null, true, false, 0, -0, 5e-324, 1e21, -1.7976931348623157e308),
		fc.double({ noNaN: true, noDefaultInfinity: true }),
		strings,
		fc.date({ noInvalidDate: true }),
		tie("container"),
	),
	container: fc.oneof(
		fc.array(tie("value")),
		fc.dictionary(strings, fc.oneof(tie("value"), fc.constant(undefined)), { noNullPrototype: false }),
		fc
			.dictionary(strings, tie("value"))
			.map((own) => new Map(Object.entries(own)))
			.map(withToJson),
	),
}));

function withToJson(map: Map<string, unknown>): object {
	return { toJSON: () => Object.fromEntries(map) };
}

function capture(value: unknown): unknown {
	return captureJson("payload", value)?.value;
}

/** A text that shows everything: order and presence of keys, and the sign of zero. */
function reveal(value: unknown): string {
	if (Array.isArray(value)) return `[${value.map(reveal).join()}]`;
	if (typeof value !== "object" || value === null) return Object.is(value, -0) ? "-0" : JSON.stringify(value);
	expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
	return `{${Reflect.ownKeys(value).map((key) => `${JSON.stringify(key)}:${reveal(Reflect.get(value, key))}`)}}`;
}

function refusal(value: unknown): StoreError {
	try {
		captureJson("payload", value);
	} catch (error) {
		if (error instanceof StoreError) return error;
		throw error;
	}
	throw new Error("was taken");
}

function nested(levels: number, wrap: (inner: unknown) => unknown): unknown {
	let value: unknown = 1;
	for (let level = 0; level < levels; level++) value = wrap(value);
	return value;
}

describe("captureJson", () => {
	test("VAL-3: gives what JSON.parse(JSON.stringify(x)) gives", () => {
		fc.assert(
			fc.property(acceptable, (value) => {
				expect(reveal(capture(value))).toBe(reveal(JSON.parse(JSON.stringify(value))));
			}),
			{ numRuns: 1_000 },
		);
	});

	test("VAL-7: never estimates fewer bytes than the JSON text has", () => {
		fc.assert(
			fc.property(acceptable, (value) => {
				const captured = captureJson("payload", value);
				expect(captured?.maxBytes).toBeGreaterThanOrEqual(jsonBytes(captured?.value ?? null));
			}),
			{ numRuns: 1_000 },
		);
	});

	test("VAL-7: counts the bytes of UTF-8", () => {
		fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => utf8Bytes(text) === Buffer.byteLength(text)));
	});

	test("VAL-3: keeps an own __proto__ key and no other prototype", () => {
		const value = capture(JSON.parse('{"__proto__":{"admin":true},"a":1}')) as object;
		expect(JSON.stringify(value)).toBe('{"__proto__":{"admin":true},"a":1}');
		expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
	});

	test("VAL-5: takes plain objects of another realm and without prototype", () => {
		expect(capture(runInNewContext("({ a: [1, { b: null }] })"))).toEqual({ a: [1, { b: null }] });
		expect(capture(Object.assign(Object.create(null), { a: 1 }))).toEqual({ a: 1 });
	});

	test("VAL-5: drops undefined properties, symbol keys and hidden properties as JSON does", () => {
		const hidden = Object.defineProperty({ a: undefined, b: 1, [Symbol("s")]: 1 }, "c", {
			value: 1,
			enumerable: false,
		});
		expect(reveal(capture(hidden))).toBe('{"b":1}');
	});

	test("VAL-5: gives toJSON its key and calls it once", () => {
		const keys: string[] = [];
		const spy = { toJSON: (key: string) => keys.push(key) };
		expect(capture({ a: spy, list: [spy, spy] })).toEqual({ a: 1, list: [2, 3] });
		capture(spy);
		expect(keys).toEqual(["a", "0", "1", ""]);
	});

	test.each([
		["NaN", Number.NaN, "NaN"],
		["Infinity", Number.NEGATIVE_INFINITY, "-Infinity"],
		["a bigint", 1n, "a bigint"],
		["a function", () => 1, "a function"],
		["a symbol", Symbol("s"), "a symbol"],
		["a Map", new Map(), "an instance of Map"],
		["a Set", new Set(), "an instance of Set"],
		["a typed array", new Uint8Array(1), "an instance of Uint8Array"],
		["a RegExp", /x/, "an instance of RegExp"],
		["an Error", new TypeError("x"), "an instance of TypeError"],
		["an instance without toJSON", new (class Point {})(), "an instance of Point"],
		["a boxed string", Object("x"), "an instance of String"],
		["a promise", Promise.resolve(), "an instance of Promise"],
		["an invalid Date", new Date(Number.NaN), "an invalid Date"],
		["a toJSON that gives a Date", { toJSON: () => new Date(0) }, "an instance of Date"],
	])("VAL-5: refuses %s and names the path", (_, value, kind) => {
		const error = refusal({ items: [0, 1, 2, { when: value }] });
		expect(error.toJSON()).toEqual({
			code: "BadRequest",
			message: `payload.items[3].when: must be JSON, not ${kind} (VAL-5)`,
		});
	});

	test("VAL-5: refuses undefined and holes inside arrays", () => {
		expect(refusal([1, undefined]).message).toMatch(/^payload\[1\]: .*VAL-5/);
		expect(refusal({ a: new Array(3) }).message).toMatch(/^payload\.a\[0\]: .*VAL-5/);
		expect(refusal([{ toJSON: () => undefined }]).message).toMatch(/^payload\[0\]: .*VAL-5/);
	});

	test("VAL-5: refuses a value that contains itself, but not one that occurs twice", () => {
		const loop: Record<string, unknown> = { wide: Array.from({ length: 10 }, () => ({})) };
		loop["self"] = { deep: [loop] };
		expect(refusal(loop).message).toMatch(/^payload\.self\.deep\[0\]: .*contains itself/);
		const shared = { a: 1 };
		expect(capture([shared, shared])).toEqual([shared, shared]);
	});

	test("VAL-6: takes 200 levels and refuses 201", () => {
		for (const wrap of [(inner: unknown) => [inner], (inner: unknown) => ({ a: inner })]) {
			expect(JSON.stringify(capture(nested(200, wrap)))).toBe(JSON.stringify(nested(200, wrap)));
			expect(refusal(nested(201, wrap))).toMatchObject({ code: "BadRequest", message: expect.stringMatching(/VAL-6/) });
		}
	});

	test("VAL-6: survives a depth that would overflow a recursion", () => {
		expect(refusal(nested(1_000_000, (inner) => [inner])).message).toMatch(/VAL-6/);
	});

	test("VAL-6: ends where toJSON gives ever new objects", () => {
		const endless = (): object => ({ toJSON: () => ({ next: endless() }) });
		expect(refusal(endless()).message).toMatch(/VAL-6/);
	});

	test("VAL-5: quotes keys that are no names, and shortens long ones", () => {
		expect(refusal({ "a b": 1n }).message).toMatch(/^payload\["a b"\]: /);
		expect(refusal({ ["k".repeat(10_000)]: 1n }).message.length).toBeLessThan(200);
	});

	test("VAL-5: a throwing getter, toJSON or proxy is a BadRequest that keeps its cause", () => {
		const cause = new RangeError("no");
		const fail = () => {
			throw cause;
		};
		const getter = Object.defineProperty({}, "a", { get: fail, enumerable: true });
		for (const [value, path] of [
			[{ x: getter }, "payload.x.a"],
			[{ x: { toJSON: fail } }, "payload.x"],
			[{ x: new Proxy({}, { ownKeys: fail }) }, "payload.x"],
		] as const) {
			expect(refusal(value)).toMatchObject({
				code: "BadRequest",
				message: `${path}: could not be read (VAL-5)`,
				cause,
			});
		}
	});

	test("returns undefined for undefined", () => {
		expect(captureJson("payload", undefined)).toBeUndefined();
		expect(captureJson("payload", { toJSON: () => undefined })).toBeUndefined();
	});
});
