import type { JsonValue } from "@iga-pages/agent/store";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { type RawAnswer, sendRaw } from "../support/raw.ts";
import { query, rowVersions } from "../support/sql.ts";

let gateway: TestGateway;

beforeAll(async () => {
	gateway = await startGateway();
});

afterAll(() => gateway.close());

const DOCUMENT =
	"mutation ($input: AppendMessageInput!) { appendMessage(input: $input) { message { payload metadata } } }";

/** Appends JSON text as a payload, inside variables. */
function asVariable(json: string): Promise<RawAnswer> {
	const input = `{"conversationId":"raw","payload":${json}}`;
	return sendRaw(gateway, `{"query":${JSON.stringify(DOCUMENT)},"variables":{"input":${input}}}`);
}

/** Appends it as a literal of the document. */
function asLiteral(json: string): Promise<RawAnswer> {
	const input = `{ conversationId: "raw", payload: ${json} }`;
	return sendRaw(gateway, { query: `mutation { appendMessage(input: ${input}) { message { payload metadata } } }` });
}

function payloadOf({ data, errors }: RawAnswer): JsonValue {
	expect(errors).toEqual([]);
	return (data as { appendMessage: { message: { payload: JsonValue } } }).appendMessage.message.payload;
}

const WAYS = { variable: asVariable, literal: asLiteral };
const EXACT = [
	"1e20",
	"1E+20",
	"1152921504606846976",
	"9007199254740992",
	"-9007199254740992",
	"1e21",
	"5e-324",
].concat(
	["1e-7", "1.4901161193847656e-8", "6.189700196426902e+26", "1.7976931348623157e308", "0.1", "1.50", "0.0", "-0.5"],
	["0.92156863212585449", "18446744073709552000", "123456789.12345678", "0e999", "100000000000000000000"],
);
const INEXACT = ["9007199254740993", "-9007199254740993", "1e400", "-1e400", "1e-400", "0.1234567890123456789"].concat([
	"18446744073709551615",
	"1.00000000000000000001",
	`1${"0".repeat(500_000)}1`,
	"1e999999999",
]);
const short = (text: string) =>
	[text, text.length > 40 ? `${text.slice(0, 10)}… (${text.length} digits)` : text] as const;

describe.each(Object.entries(WAYS))("a number as %s", (_, append) => {
	it.each(EXACT)("VAL-10: takes %s as it is", async (number) => {
		expect(payloadOf(await append(number))).toBe(Number(number));
		expect(payloadOf(await append(`[{"a":${number}}]`.replace('"a"', append === asLiteral ? "a" : '"a"')))).toEqual([
			{ a: Number(number) },
		]);
	});

	it.each(INEXACT.map(short))("VAL-10: refuses $1 and writes nothing", async (number) => {
		const before = await rowVersions(gateway);
		const key = append === asLiteral ? "a" : '"a"';
		for (const json of [number, `[1, ${number}]`, `{${key}: [{${key}: ${number}}]}`, `["1", ${number}, "\\""]`]) {
			const { status, errors } = await append(json);
			expect([status, errors[0]?.extensions.code]).toEqual([400, "BadRequest"]);
			expect(errors[0]?.message).toMatch(/VAL-10/);
			expect(errors[0]!.message.length).toBeLessThan(1_100);
		}
		expect(await rowVersions(gateway)).toEqual(before);
	});

	it("VAL-10: leaves digits inside strings and keys alone", async () => {
		for (const text of ["9007199254740993", "1e400", '\\"9007199254740993\\"', "\\\\", '\\\\\\"1e400']) {
			expect(payloadOf(await append(`["${text}", "9007199254740993"]`))).toEqual([
				JSON.parse(`"${text}"`),
				"9007199254740993",
			]);
		}
	});
});

describe("numbers elsewhere in a request", () => {
	it("VAL-10: refuses an inexact number in metadata, batches and updates", async () => {
		const before = await rowVersions(gateway);
		const number = "9007199254740993";
		const uses = [
			["AppendMessageInput", "appendMessage", `{"conversationId":"x","payload":1,"metadata":{"a":${number}}}`],
			["AppendMessagesInput", "appendMessages", `{"conversationId":"x","messages":[{"payload":[${number}]}]}`],
			["CreateConversationInput", "createConversation", `{"metadata":{"a":${number}}}`],
			["UpdateConversationInput", "updateConversation", `{"conversationId":"x","metadata":{"a":${number}}}`],
			["UpdateMessageInput", "updateMessage", `{"messageId":"x","payload":${number}}`],
		];
		for (const [type, field, input] of uses) {
			const document = `mutation ($input: ${type}!) { ${field}(input: $input) { __typename } }`;
			const body = `{"query":${JSON.stringify(document)},"variables":{"input":${input}}}`;
			expect(await sendRaw(gateway, body)).toMatchObject({
				status: 400,
				errors: [{ message: expect.stringMatching(/9007199254740993.*VAL-10/), extensions: { code: "BadRequest" } }],
			});
		}
		expect(await rowVersions(gateway)).toEqual(before);
	});

	it("VAL-10: refuses an inexact default of a variable", async () => {
		const document =
			'mutation ($p: JSON = 9007199254740993) { appendMessage(input: { conversationId: "x", payload: $p }) { __typename } }';
		expect(await sendRaw(gateway, { query: document })).toMatchObject({ status: 400, errors: [{}] });
	});

	it("VAL-10: takes variables inside a literal as they are", async () => {
		const document = `mutation ($a: JSON, $n: Float) {
			appendMessage(input: { conversationId: "raw", payload: { a: $a, list: [$n, 1] } }) { message { payload } }
		}`;
		const variables = { a: { "\0": [1e21] }, n: 5e-324 };
		expect(payloadOf(await sendRaw(gateway, { query: document, variables }))).toEqual({
			a: { "\0": [1e21] },
			list: [5e-324, 1],
		});
	});

	it.each(["FOO", "{ a: FOO }", "[1, [FOO]]", "ASC", "{ a: { b: undefined } }"])(
		"VAL-10: refuses the enum value in %s",
		async (literal) => {
			const before = await rowVersions(gateway);
			const inputs = [
				`appendMessage(input: { conversationId: "x", payload: ${literal} }) { __typename }`,
				`appendMessage(input: { conversationId: "x", payload: 1, metadata: { m: ${literal} } }) { __typename }`,
				`createConversation(input: { metadata: { m: ${literal} } }) { __typename }`,
			];
			for (const input of inputs) {
				const { status, errors } = await sendRaw(gateway, { query: `mutation { ${input} }` });
				expect([input, status, errors[0]?.extensions.code]).toEqual([input, 400, "BadRequest"]);
			}
			expect(await rowVersions(gateway)).toEqual(before);
		},
	);

	it("VAL-10: stores the number in the text that JavaScript gives it", async () => {
		await asVariable("[1E+2, 1.50, 100000000000000000000, 1e21]");
		const [row] = await query<{ text: string }>(
			gateway,
			"SELECT payload::text AS text FROM messages WHERE conversation_id = 'raw' ORDER BY seq DESC LIMIT 1",
		);
		expect(row?.text).toBe("[100,1.5,100000000000000000000,1e+21]");
	});
});
