import { gzipSync } from "node:zlib";
import { pino } from "pino";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { openSocket, readAnswer, requestHead } from "../support/raw-http.ts";
import { type RowVersion, rowVersions } from "../support/sql.ts";

let gateway: TestGateway;
let before: RowVersion[];
const logged: string[] = [];

beforeAll(async () => {
	const logger = pino({ level: "error" }, { write: (line: string) => logged.push(line) });
	gateway = await startGateway({ logger, limits: { requestBytes: 100_000 }, store: { retries: 0 } });
	await gateway.store.appendMessage({ conversationId: "kept", messageId: "kept-1", payload: "kept" });
});

afterAll(() => gateway.close());

beforeEach(async () => {
	before = await rowVersions(gateway);
	logged.length = 0;
});

// Whatever was sent: nothing was written, nothing counts as the gateway's own fault, and the gateway lives.
afterEach(async () => {
	expect(await rowVersions(gateway)).toEqual(before);
	expect(logged).toEqual([]);
	expect(await gateway.store.getMessage({ messageId: "kept-1" })).toMatchObject({ payload: "kept" });
});

const APPEND = 'mutation { appendMessage(input: { conversationId: "x", payload: 1 }) { message { seq } } }';

async function expectRefusal(response: Response, status: number, message: RegExp, code = "BadRequest"): Promise<void> {
	const text = await response.text();
	expect(response.status, text).toBe(status);
	expect(text.length).toBeLessThan(3_000);
	const { errors, data } = JSON.parse(text) as { errors: { message: string; extensions: object }[]; data?: unknown };
	expect(data ?? null).toBeNull();
	expect(errors[0]?.message).toMatch(message);
	expect(errors[0]?.extensions).toMatchObject({ code, status, requestId: expect.any(String) });
}

describe("bodies that are no GraphQL request", () => {
	it.each([
		["empty", "", /^body: must be JSON/],
		["blank", " \r\n\t", /^body: must be JSON/],
		["text", "hello", /^body: must be JSON/],
		["half of a JSON object", '{"query": "{ viewer { role } }"', /^body: must be JSON/],
		["JSON with a comma too many", '{"query": "{ viewer { role } }",}', /^body: must be JSON/],
		["a byte order mark and nothing else", "\uFEFF", /^body: must be JSON/],
		["NaN", '{"query": NaN}', /^body: must be JSON/],
		["HTML", "<html><body>hello</body></html>", /^body: must be JSON/],
		["a form", "query=%7Bviewer%7Brole%7D%7D", /^body: must be JSON/],
		["null", "null", /^body: must be a JSON object/],
		["a number", "7", /^body: must be a JSON object/],
		["a string", '"{ viewer { role } }"', /^body: must be a JSON object/],
		["true", "true", /^body: must be a JSON object/],
		["an array of requests", `[{"query": ${JSON.stringify(APPEND)}}]`, /^body: must be one request/],
		["an empty array", "[]", /^body: must be one request/],
		["a million opening brackets", "[".repeat(90_000), /^body: must be JSON/],
		["deep arrays", "[".repeat(45_000) + "]".repeat(45_000), /^body: must be one request/],
		["deep objects as a parameter", `${'{"a":'.repeat(15_000)}1${"}".repeat(15_000)}`, /"a"/],
	])("ERR-7: %s is BadRequest", async (_what, body, message) => {
		await expectRefusal(await gateway.post(body), 400, message);
	});

	it.each([
		["Latin-1", Buffer.from(`{"query": "{ viewer { role } } # \u00fc"}`, "latin1")],
		["UTF-16", Buffer.from('{"query": "{ viewer { role } }"}', "utf16le")],
		[
			"a surrogate in UTF-8",
			Buffer.concat([Buffer.from('{"query":"# '), Buffer.from([0xed, 0xa0, 0x80]), Buffer.from('"}')]),
		],
		[
			"an overlong byte sequence",
			Buffer.concat([Buffer.from('{"query":"# '), Buffer.from([0xc0, 0x80]), Buffer.from('"}')]),
		],
		["a character cut in half", Buffer.from('{"query": "{ viewer { role } } # 汉').subarray(0, -1)],
		["random bytes", Buffer.from([0xff, 0xfe, 0x00, 0x01, 0x80])],
	])("ERR-7: %s is BadRequest", async (_what, body) => {
		const response = await fetch(gateway.url, {
			method: "POST",
			headers: { "content-type": "application/json", authorization: `Bearer ${gateway.token}` },
			body,
		});
		await expectRefusal(response, 400, /^body: must be (UTF-8|JSON)/);
	});

	it.each([
		["no query", {}],
		["a query that is null", { query: null }],
		["a query that is a number", { query: 7 }],
		["a query that is an object", { query: { a: 1 } }],
		["an empty query", { query: "" }],
		["variables that are a string", { query: "{ viewer { role } }", variables: "{}" }],
		["variables that are an array", { query: "{ viewer { role } }", variables: [1] }],
		["variables that are a number", { query: "{ viewer { role } }", variables: 7 }],
		["extensions that are a string", { query: "{ viewer { role } }", extensions: "x" }],
		["an operationName that is an object", { query: "query A { viewer { role } }", operationName: {} }],
		["an operationName that does not exist", { query: "query A { viewer { role } }", operationName: "B" }],
		["two operations and no operationName", { query: "query A { viewer { role } } query B { viewer { role } }" }],
		["an unknown parameter", { query: "{ viewer { role } }", persisted: true }],
	])("ERR-7: %s is BadRequest", async (_what, body) => {
		await expectRefusal(await gateway.post(body), 400, /./);
	});

	it.each([
		["text/plain", 415],
		["text/plain; x=application/json", 415],
		["application/x-www-form-urlencoded", 415],
		["multipart/form-data; boundary=x", 415],
		["application/graphql", 415],
		["application/jsonp", 415],
		["application/octet-stream", 415],
		["", 415],
	])("ERR-7: the content type %j is BadRequest with status %i", async (type, status) => {
		await expectRefusal(
			await gateway.post({ query: APPEND }, { "content-type": type }),
			status,
			/^content-type: must be application\/json/,
		);
	});

	it("ERR-7: parameters of the content type are no matter", async () => {
		const response = await gateway.post(
			{ query: "{ viewer { role } }" },
			{ "content-type": "Application/JSON; charset=utf-8" },
		);
		expect(response.status).toBe(200);
	});

	it.each(["gzip", "br", "deflate", "x-unknown"])(
		"ERR-7: the content encoding %s is refused unread",
		async (encoding) => {
			const response = await fetch(gateway.url, {
				method: "POST",
				headers: {
					"content-type": "application/json",
					"content-encoding": encoding,
					authorization: `Bearer ${gateway.token}`,
				},
				body: gzipSync(JSON.stringify({ query: APPEND, variables: { pad: "x".repeat(5_000_000) } })),
			});
			await expectRefusal(response, 415, /^content-encoding: must be identity/);
		},
	);

	it("ERR-7: a mutation by GET is refused", async () => {
		const response = await fetch(`${gateway.url}?query=${encodeURIComponent(APPEND)}`, {
			headers: { authorization: `Bearer ${gateway.token}` },
		});
		expect(response.status).toBe(405);
		expect(await response.json()).toMatchObject({ errors: [{ extensions: { code: "BadRequest", status: 405 } }] });
	});

	it.each([
		["variables that are not JSON", "?query=%7Bviewer%7Brole%7D%7D&variables=%7B", /^variables: must be JSON/],
		["variables that are an array", "?query=%7Bviewer%7Brole%7D%7D&variables=%5B%5D", /^variables: must be/],
		["no query", "?variables=%7B%7D", /query/],
		["a broken percent sign", "?query=%7Bviewer%7Brole%7D%7D%", /./],
	])("ERR-7: a GET with %s is refused", async (_what, search, message) => {
		const response = await fetch(gateway.url + search, { headers: { authorization: `Bearer ${gateway.token}` } });
		await expectRefusal(response, 400, message);
	});

	it.each(["PUT", "PATCH", "DELETE", "OPTIONS", "HEAD"])("ERR-7: the method %s runs nothing", async (method) => {
		const response = await fetch(gateway.url, {
			method,
			headers: { "content-type": "application/json", authorization: `Bearer ${gateway.token}` },
			...(method === "HEAD" || method === "OPTIONS" ? {} : { body: JSON.stringify({ query: APPEND }) }),
		});
		expect(response.status).not.toBe(500);
		expect(await response.text()).not.toContain('"seq"');
	});
});

describe("bodies over the limit", () => {
	const large = JSON.stringify({ query: APPEND, variables: { pad: "x".repeat(200_000) } });
	const tooLarge = /body: must be at most 100000 bytes \(VAL-7\)/;

	it("VAL-7: with a content-length are PayloadTooLarge", async () => {
		await expectRefusal(await gateway.post(large), 413, tooLarge, "PayloadTooLarge");
	});

	it("VAL-7: in chunks without a length are PayloadTooLarge, also while the client still sends", async () => {
		const body = new ReadableStream<Uint8Array>({
			start: (controller) => controller.enqueue(Buffer.from(large)),
			// Never closed: the answer must come before the end of the body.
		});
		const response = await fetch(gateway.url, {
			method: "POST",
			headers: { "content-type": "application/json", authorization: `Bearer ${gateway.token}` },
			body,
			duplex: "half",
		} as RequestInit);
		await expectRefusal(response, 413, tooLarge, "PayloadTooLarge");
	});

	it("VAL-7: that claim a length beyond all numbers are refused", async () => {
		for (const length of ["99999999999999999999", "9007199254740993"]) {
			const socket = await openSocket(gateway);
			socket.write(`${requestHead(gateway, { "content-length": length })}{}`);
			const { status, text } = await readAnswer(socket);
			expect([400, 413]).toContain(status);
			expect(text).not.toContain('"seq"');
		}
	});
});

describe("bodies that lie about their length or never come", () => {
	const body = JSON.stringify({ query: APPEND });

	it("ERR-6: half sent and then closed write nothing", async () => {
		for (const close of ["end", "destroy", "resetAndDestroy"] as const) {
			const socket = await openSocket(gateway);
			socket.write(requestHead(gateway, { "content-length": String(body.length) }) + body.slice(0, -5));
			socket[close]();
			const { text } = await readAnswer(socket);
			expect(text).not.toContain('"seq"');
		}
	});

	it("ERR-6: half sent in chunks and then closed write nothing, though what came is a whole request", async () => {
		const socket = await openSocket(gateway);
		socket.write(
			`${requestHead(gateway, { "transfer-encoding": "chunked" })}${body.length.toString(16)}\r\n${body}\r\n`,
		);
		socket.end();
		expect((await readAnswer(socket)).text).not.toContain('"seq"');
	});

	it("ERR-7: shorter than the body are BadRequest", async () => {
		const socket = await openSocket(gateway);
		socket.write(requestHead(gateway, { "content-length": "10" }) + body);
		expect((await readAnswer(socket)).status).toBe(400);
	});

	it("ERR-7: a broken chunk, two lengths, and length with chunks are refused", async () => {
		for (const [headers, rest] of [
			[{ "transfer-encoding": "chunked" }, "zz\r\nxx\r\n0\r\n\r\n"],
			[
				{ "content-length": "5", "transfer-encoding": "chunked" },
				`${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
			],
			[{ "content-length": "5, 6" }, body],
			[{ "content-length": "-1" }, body],
			[{ "transfer-encoding": "gzip" }, body],
		] as const) {
			const socket = await openSocket(gateway);
			socket.write(requestHead(gateway, headers as Record<string, string>) + rest);
			const { text } = await readAnswer(socket);
			expect(text).not.toContain('"seq"');
		}
	});

	it("ERR-6: a hundred at once leave the gateway able to answer", async () => {
		const sockets = await Promise.all(Array.from({ length: 100 }, () => openSocket(gateway)));
		for (const socket of sockets) {
			socket.write(requestHead(gateway, { "content-length": "1000" }) + body.slice(0, 20));
		}
		expect(await gateway.store.getMessage({ messageId: "kept-1" })).not.toBeNull();
		for (const socket of sockets) socket.destroy();
	});
});
