import { describe, expect, test } from "vitest";
import { createStore, StoreError } from "../../client/store.ts";
import { answer, graphql, refusedUrl, startScriptedServer } from "./scripted-server.ts";

const HTML = { "content-type": "text/html" };
const JSON_TYPE = { "content-type": "application/json" };
const PAGE = "<!doctype html><title>Gateway</title><p>secret page</p>";

type Script = ReturnType<typeof answer>;

async function failure(script: Script): Promise<StoreError> {
	await using server = await startScriptedServer(script);
	const store = createStore({ url: server.url, token: "t0ken", retries: 0 });
	const input = { conversationId: "c", payload: { text: "my own words" } };
	const error: unknown = await store.appendMessage(input).catch((reason: unknown) => reason);
	expect(error).toBeInstanceOf(StoreError);
	// Nothing of the answer's body, of the request's body or of the token is shown, not even by the cause.
	for (let shown = error; shown instanceof Error; shown = shown.cause) {
		expect(shown.message).not.toMatch(/<|secret|own words|t0ken/);
	}
	return error as StoreError;
}

describe("answers that are not the gateway's", () => {
	test.each([
		["a 502 page", answer(502, HTML, PAGE), "UnknownError", 502],
		["a 500 page", answer(500, HTML, PAGE), "UnknownError", 500],
		["a 429 text", answer(429, { "content-type": "text/plain", "retry-after": "1" }, "secret"), "TooManyRequests", 429],
		["an empty 503", answer(503, {}, ""), "ServiceUnavailable", 503],
		["a 504 page", answer(504, HTML, PAGE), "TimeoutError", 504],
		["a 200 page", answer(200, HTML, PAGE), "UnknownError", 200],
		["a 200 without a type", answer(200, {}, '{"data":{}}'), "UnknownError", 200],
		["half a JSON", answer(200, JSON_TYPE, '{"data":{"secret'), "UnknownError", 200],
		["half a JSON with a 502", answer(502, JSON_TYPE, '{"errors":[{"secret'), "UnknownError", 502],
		["an HTML page that claims to be JSON", answer(200, JSON_TYPE, PAGE), "UnknownError", 200],
		["data that are null", answer(200, JSON_TYPE, '{"data":null}'), "UnknownError", 200],
		["data without the field", answer(200, JSON_TYPE, '{"data":{}}'), "UnknownError", 200],
		["data of another shape", answer(200, JSON_TYPE, '{"data":{"appendMessage":[]}}'), "UnknownError", 200],
		["a JSON array", answer(200, JSON_TYPE, '[{"data":{}}]'), "UnknownError", 200],
		["a JSON null", answer(200, JSON_TYPE, "null"), "UnknownError", 200],
		["a proxy's JSON error", answer(503, JSON_TYPE, '{"message":"secret"}'), "ServiceUnavailable", 503],
		["errors that are a text", answer(500, JSON_TYPE, '{"errors":"secret"}'), "UnknownError", 500],
		["errors that hold a page", answer(500, JSON_TYPE, '{"errors":[{"message":"<p>secret"}]}'), "UnknownError", 500],
		["a 204", answer(204, JSON_TYPE, ""), "UnknownError", 204],
		["a 401 login page", answer(401, HTML, PAGE), "Unauthorized", 401],
		["a 403 page", answer(403, HTML, PAGE), "Forbidden", 403],
		["a 400 page", answer(400, HTML, PAGE), "BadRequest", 400],
		["a 413 page", answer(413, HTML, PAGE), "PayloadTooLarge", 413],
		["a 404 page", answer(404, HTML, PAGE), "UnknownError", 404],
		["a 409 page", answer(409, HTML, PAGE), "UnknownError", 409],
	] as const)("ERR-2: %s keeps its status", async (_, script, code, status) => {
		expect((await failure(script)).toJSON()).toEqual({ code, status, message: expect.any(String) });
	});

	test.each([301, 302, 303, 307, 308])("ERR-2: a %i redirect is not followed", async (status) => {
		await using target = await startScriptedServer(graphql({ data: {} }));
		const error = await failure(answer(status, { location: target.url }, ""));
		expect(error.toJSON()).toEqual({ code: "UnknownError", status, message: expect.stringMatching(/redirect/) });
		expect(target.received).toEqual([]);
	});

	test("ERR-2: a socket that closes is a NetworkError without status", async () => {
		const error = await failure((response) => response.destroy());
		expect(error.toJSON()).toEqual({ code: "NetworkError", message: expect.stringMatching(/127\.0\.0\.1/) });
		expect(error.cause).toBeInstanceOf(Error);
	});

	test("ERR-2: an answer that breaks off is a NetworkError", async () => {
		const error = await failure((response) => {
			response.writeHead(200, { ...JSON_TYPE, "content-length": "1000" });
			response.write('{"data":', () => response.destroy());
		});
		expect(error.toJSON()).toEqual({ code: "NetworkError", message: expect.any(String) });
	});

	test("ERR-2: a refused connection is a NetworkError that says where", async () => {
		const url = await refusedUrl();
		const promise = createStore({ url, retries: 0 }).getMessage({ messageId: "m" });
		await expect(promise).rejects.toMatchObject({
			code: "NetworkError",
			message: expect.stringContaining(`${new URL(url).origin} gave no answer: connect ECONNREFUSED`),
		});
	});
});

describe("errors of the gateway", () => {
	const detail = { code: "23505", message: "duplicate key", details: "Key (…) exists.", hint: null };

	test("ERR-1: keeps the database's error, the status and the request id", async () => {
		const extensions = { code: "Conflict", status: 409, error: detail, requestId: "r-7" };
		const error = await failure(graphql({ data: null, errors: [{ message: "duplicate key", extensions }] }, 409));
		expect(error.toJSON()).toStrictEqual({
			code: "Conflict",
			status: 409,
			message: "duplicate key",
			error: detail,
			requestId: "r-7",
		});
	});

	test.each([
		["BadRequest", 400],
		["Unauthorized", 401],
		["Forbidden", 403],
		["NotFound", 404],
		["Conflict", 409],
		["PayloadTooLarge", 413],
		["TooManyRequests", 429],
		["UnknownError", 500],
		["ServiceUnavailable", 503],
		["TimeoutError", 504],
	])("ERR-1: passes on %s", async (code, status) => {
		const extensions = { code, status, requestId: "r-1" };
		const error = await failure(graphql({ errors: [{ message: "as said", extensions }] }, status));
		expect(error.toJSON()).toEqual({ code, status, message: "as said", requestId: "r-1" });
	});

	test("ERR-7: takes the status of the extensions where the response says 200", async () => {
		const extensions = { code: "NotFound", status: 404 };
		const error = await failure(graphql({ data: null, errors: [{ message: "none", extensions }] }));
		expect(error.toJSON()).toEqual({ code: "NotFound", status: 404, message: "none" });
	});

	test("ERR-2: takes the code from the status where another GraphQL server gives none, or one of its own", async () => {
		for (const extensions of [undefined, { code: "DOWNSTREAM" }, { code: "NetworkError" }]) {
			const error = await failure(graphql({ errors: [{ message: "limit reached", extensions }] }, 429));
			expect(error.toJSON()).toEqual({ code: "TooManyRequests", status: 429, message: "limit reached" });
		}
	});

	test("ERR-2: survives extensions of any shape", async () => {
		for (const extensions of [null, "x", [], { status: "500", error: "x", requestId: 7 }, { error: { code: 1 } }]) {
			const error = await failure(graphql({ errors: [{ message: "odd", extensions }] }, 500));
			expect(error.toJSON()).toEqual({ code: "UnknownError", status: 500, message: "odd" });
		}
	});
});
