import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { sendRaw } from "../support/raw.ts";

let hidden: TestGateway;
let shown: TestGateway;

beforeAll(async () => {
	hidden = await startGateway();
	shown = await startGateway({ introspection: true });
});

afterAll(async () => {
	await hidden.close();
	await shown.close();
});

const CREATE =
	"mutation ($input: CreateConversationInput!) { createConversation(input: $input) { conversation { metadata } } }";

describe("while introspection is off", () => {
	it.each([
		["field", { query: "{ viewr { role } }" }, 'Cannot query field "viewr" on type "Query".'],
		["nested field", { query: "{ viewer { rol } }" }, 'Cannot query field "rol" on type "Viewer".'],
		[
			"argument",
			{ query: "{ messages(conversationId: 1, ordr: ASC) { nodes { seq } } }" },
			'Unknown argument "ordr" on field "Query.messages".',
		],
		["type", { query: "query ($a: Strin) { viewer { role } }" }, 'Unknown type "Strin".'],
		[
			"value of an enum",
			{ query: '{ messages(conversationId: "c", order: DES) { nodes { seq } } }' },
			'Value "DES" does not exist in "Order" enum.',
		],
		[
			"value of an enum in a variable",
			{
				query: 'query ($order: Order) { messages(conversationId: "c", order: $order) { nodes { seq } } }',
				variables: { order: "DES" },
			},
			'Value "DES" does not exist in "Order" enum.',
		],
		["field of an input in a variable", { query: CREATE, variables: { input: { metadta: {} } } }, '"metadta"'],
	])("an unknown %s is named, and no other", async (_, request, message) => {
		const known = await sendRaw(shown, request);
		expect(known.errors.map((error) => error.message).join("\n")).toContain("Did you mean");
		const { status, errors } = await sendRaw(hidden, request);
		expect({ status, code: errors[0]?.extensions.code }).toEqual({ status: 400, code: "BadRequest" });
		const messages = errors.map((error) => error.message).join("\n");
		expect(messages).toContain(message);
		expect(messages).not.toContain("Did you mean");
	});

	it("a value that repeats the words of suggestions is refused as fast as any other", async () => {
		const variables = { first: " Did you mean ".repeat(100_000) };
		const query = 'query ($first: Int) { messages(conversationId: "c", first: $first) { nodes { seq } } }';
		// In time that grows with the square of its length, this takes minutes, and the gateway answers nobody meanwhile.
		const { status, errors } = await sendRaw(hidden, { query, variables });
		expect({ status, code: errors[0]?.extensions.code }).toEqual({ status: 400, code: "BadRequest" });
		expect(errors[0]?.message).toContain('Variable "$first" got invalid value');
	});

	it("the schema is not told", async () => {
		const query = "{ __schema { queryType { name } } }";
		const { status, errors } = await sendRaw(hidden, { query });
		expect({ status, message: errors[0]?.message }).toEqual({
			status: 400,
			message: expect.stringContaining("GraphQL introspection has been disabled"),
		});
		expect(await sendRaw(shown, { query })).toMatchObject({ status: 200, data: { __schema: expect.anything() } });
	});
});
