import { inspect } from "node:util";
import { describe, expect, test, vi } from "vitest";
import { StoreError } from "../../client/store.ts";

describe("StoreError", () => {
	test("toJSON gives the documented shape", () => {
		const message = "duplicate key value violates unique constraint";
		const detail = { code: "23505", message, details: "Key (…) already exists.", hint: null };
		const error = new StoreError({ code: "Conflict", status: 409, message, error: detail, requestId: "r-1" });
		expect(JSON.stringify(error)).toBe(
			JSON.stringify({ code: "Conflict", status: 409, message, error: detail, requestId: "r-1" }),
		);
	});

	test("leaves out what is not there", () => {
		const error = new StoreError({ code: "NetworkError", message: "no answer" });
		expect(error.toJSON()).toStrictEqual({ code: "NetworkError", message: "no answer" });
		expect(Object.keys(error)).toEqual(["code"]);
		expect("cause" in error).toBe(false);
	});

	test("is an Error with its name, stack and cause", () => {
		const cause = new Error("deep");
		const error = new StoreError({ code: "NetworkError", message: "no answer", cause });
		expect(error).toBeInstanceOf(Error);
		expect(error.cause).toBe(cause);
		expect(inspect(error)).toMatch(/^StoreError: no answer\n +at /);
	});

	test("instanceof knows the errors of a second copy of the package, and nothing else", async () => {
		vi.resetModules();
		const copy = await import("../../client/errors.ts");
		expect(copy.StoreError).not.toBe(StoreError);
		expect(new copy.StoreError({ code: "NotFound", message: "x" })).toBeInstanceOf(StoreError);
		for (const other of [new Error("x"), null, undefined, "x", { code: "NotFound", message: "x" }]) {
			expect(other instanceof StoreError).toBe(false);
		}
	});

	test("a subclass claims its own instances only", () => {
		class Special extends StoreError {}
		const init = { code: "NotFound", message: "x" } as const;
		expect(new StoreError(init)).not.toBeInstanceOf(Special);
		expect(new Special(init)).toBeInstanceOf(Special);
		expect(new Special(init)).toBeInstanceOf(StoreError);
	});
});
