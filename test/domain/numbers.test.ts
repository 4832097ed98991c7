import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { findInexactNumber, isExactNumber } from "../../server/domain/json.ts";

const finite = fc.double({ noNaN: true, noDefaultInfinity: true });

describe("exact numbers", () => {
	test("VAL-10: takes every number that JSON.stringify writes", () => {
		fc.assert(
			fc.property(finite, (value) => {
				expect(isExactNumber(JSON.stringify(value))).toBe(true);
				expect(findInexactNumber(JSON.stringify([value, `${value}`]))).toBeUndefined();
			}),
			{ numRuns: 2_000 },
		);
	});

	test("VAL-10: takes every power of two and its neighbours", () => {
		const powers = Array.from({ length: 2_098 }, (_, index) => 2 ** (index - 1_074));
		const values = powers.flatMap((power) => [power, -power, power * (1 + Number.EPSILON), power * 1.5]);
		const texts = values.filter(Number.isFinite).map((value) => JSON.stringify(value));
		expect(texts.filter((text) => !isExactNumber(text))).toEqual([]);
	});

	test("VAL-10: takes a double written with more digits than it needs", () => {
		fc.assert(
			fc.property(finite, fc.integer({ min: 16, max: 100 }), (value, digits) => {
				expect(isExactNumber(value.toExponential(digits))).toBe(true);
			}),
		);
	});

	test("VAL-10: refuses an integer beyond 2^53 that no double holds", () => {
		fc.assert(
			fc.property(fc.bigInt({ min: 2n ** 53n, max: 2n ** 63n }), (value) => {
				expect(isExactNumber(String(value))).toBe(
					BigInt(Number(value)) === value || BigInt(String(Number(value))) === value,
				);
			}),
			{ numRuns: 5_000 },
		);
	});

	test.each([
		"1e20",
		"1E+20",
		"1152921504606846976",
		"0",
		"-0",
		"0.000",
		"0e999",
		"1.50",
		"5e-324",
		"18446744073709552000",
	])("VAL-10: takes %s", (literal) => {
		expect(isExactNumber(literal)).toBe(true);
		expect(findInexactNumber(`{"a":[${literal}]}`)).toBeUndefined();
	});

	test.each([
		"9007199254740993",
		"-9007199254740993",
		"1e400",
		"-1e400",
		"1e-400",
		"0.1234567890123456789",
		"1e999999999999",
	])("VAL-10: refuses %s", (literal) => {
		expect(isExactNumber(literal)).toBe(false);
		expect(findInexactNumber(`{"text":"1","a":[1,${literal}]}`)).toBe(literal);
	});

	test("VAL-10: leaves digits inside strings alone, behind any number of backslashes", () => {
		fc.assert(
			fc.property(fc.array(fc.constantFrom("\\", '"', "9007199254740993", "1e400", "a"), { maxLength: 8 }), (parts) => {
				const text = JSON.stringify({ [parts.join("")]: parts });
				expect(findInexactNumber(text)).toBeUndefined();
				expect(findInexactNumber(`${text.slice(0, -1)},"n":9007199254740993}`)).toBe("9007199254740993");
			}),
		);
	});

	test("VAL-10: refuses a number of millions of digits without looking at each twice", () => {
		const literal = `1${"0".repeat(4_000_000)}1`;
		expect(findInexactNumber(`[${literal}]`)).toBe(literal);
	});
});
