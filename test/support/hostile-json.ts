import type { JsonObject, JsonValue } from "@iga-pages/agent/store";
import fc from "fast-check";

/** JSON that stores are known to lose or change, by what it is about. */
export const HOSTILE_JSON: Readonly<Record<string, JsonValue>> = {
	null: null,
	false: false,
	zero: 0,
	"an empty string": "",
	"an empty array": [],
	"an empty object": {},
	"a top-level string": "text",
	"a top-level array": [[[]], {}, [null]],
	"U+0000 in a string": "a\0b",
	"U+0000 in a nested key": { a: [{ "k\0ey": "\0" }] },
	"the six characters of an escape": "\\u0000 \\ud83c \\n \\\\u0000",
	"a high surrogate alone": "\ud83c",
	"a low surrogate alone": { text: "\udf9f" },
	"lone surrogates as keys": { "\ud83c": 1, "\udf9f": 2 },
	"surrogates in the wrong order": ["\udf9f\ud83c", "\ud83c\ud83c\udf9f"],
	"characters beyond the basic plane": "👩‍👩‍👧‍👦 𝒳 \u{10ffff}",
	"combining and composed accents": ["e\u0301", "\u00e9"],
	"control characters": Array.from({ length: 32 }, (_, code) => String.fromCharCode(code)).join(""),
	"line separators and BOM": "\u2028\u2029\ufeff\u0085\u200b",
	"quotes, backslashes, slashes": "\" ' \\ / </script> {x} $1 :a ?",
	"keys that are no names": { "": 1, " ": 2, "a.b": 3, "a[0]": 4, "'": 5, '"': 6, $: 7 },
	"key order": JSON.parse('{"b":1,"a":2,"C":3,"é":4,"a0":5,"Z":6}') as JsonObject,
	"integer-like keys": JSON.parse('{"b":1,"10":2,"9":3,"a":4,"-1":5,"01":6,"4294967295":7}') as JsonObject,
	"keys that differ in case only": { a: 1, A: 2, "a ": 3 },
	"an own __proto__": JSON.parse('{"__proto__":{"admin":true},"a":1}') as JsonObject,
	"a nested __proto__": JSON.parse('{"a":[{"__proto__":null,"b":{"__proto__":"x"}}]}') as JsonObject,
	"names of Object.prototype": JSON.parse(
		'{"constructor":1,"toString":2,"hasOwnProperty":3,"valueOf":4,"then":5,"toJSON":6,"length":7}',
	) as JsonObject,
	"names of the Store": {
		messageId: 1,
		conversationId: null,
		metadata: [],
		payload: {},
		seq: "x",
		errors: [1],
		data: null,
	},
	"large numbers": [1e21, -1e21, 1e20, 2 ** 60, 2 ** 53, 1.7976931348623157e308, 18446744073709552000],
	"small numbers": [5e-324, -5e-324, 2.2250738585072014e-308, 1e-7, 1.4901161193847656e-8],
	"long fractions": [0.1, 0.1 + 0.2, 0.92156863212585449, 1 / 3, 123456789.12345678],
	"powers of two that print oddly": [2 ** 89, 2 ** -44, 2 ** -1022],
	"numbers as strings": ["9007199254740993", "1e400", "NaN", "-0", "0x10", "1_000"],
	"times and types as strings": ["2026-11-30T18:00:00.000Z", "true", "null", "undefined", "{}", "[]"],
};

const text = fc.oneof(
	fc.string({ unit: "binary", maxLength: 12 }),
	fc.constantFrom("", "\0", "\ud800", "\udc00\ud83d", "__proto__", "constructor", "toJSON", "0", "10", "9"),
);

const { value } = fc.letrec<{ value: JsonValue; object: JsonObject }>((tie) => ({
	value: fc.oneof(
		{ depthSize: "small", withCrossShrink: true },
		fc.constantFrom(null, true, false, 0, 5e-324, 1e21),
		fc.double({ noNaN: true, noDefaultInfinity: true }),
		text,
		fc.array(tie("value"), { maxLength: 5 }),
		tie("object"),
	),
	// From entries, as JSON.parse does, so that __proto__ is a key like any other.
	object: fc.array(fc.tuple(text, tie("value")), { maxLength: 5 }).map((entries) => Object.fromEntries(entries)),
}));

/** Any JSON value, the hostile ones often. */
export const jsonValue = value;

/** Any JSON object, with the hostile keys often. */
export const jsonObject = fc
	.array(fc.tuple(text, value), { maxLength: 6 })
	.map((entries): JsonObject => Object.fromEntries(entries));

/** A text that shows everything: the order of keys, which ones are own, lone surrogates, and that prototypes are normal. */
export function reveal(json: unknown): string {
	if (Array.isArray(json)) return `[${json.map(reveal).join()}]`;
	if (typeof json !== "object" || json === null) return JSON.stringify(json);
	if (Object.getPrototypeOf(json) !== Object.prototype) return "an object of another prototype";
	return `{${Reflect.ownKeys(json).map((key) => `${JSON.stringify(key)}:${reveal(Reflect.get(json, key))}`)}}`;
}

/** What JSON itself makes of a value. */
export function throughJson<T extends JsonValue>(json: T): T {
	return JSON.parse(JSON.stringify(json)) as T;
}
