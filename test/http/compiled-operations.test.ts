import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startGateway, type TestGateway } from "../support/gateway.ts";

/** What the compiler takes for a date, whatever stands behind it. */
const DATE = "__MAGIC_DATE__33a9e76d_02e0_4128_8e92_3530ad3da74d";
const NAN = "__MAGIC_NAN__57f286b9_4c20_487f_b409_79804ddcb4f8";
const CODE = `${DATE}globalThis.ranCodeOfCallers=1`;

const MESSAGE_NODE = Buffer.from("Message:m1").toString("base64url");

let gateway: TestGateway;

beforeAll(async () => {
	gateway = await startGateway({ introspection: true });
	for (const [index, payload] of [{ a: [1e21, null] }, CODE, -0.5].entries()) {
		await gateway.store.appendMessage({ conversationId: "c", messageId: `m${index + 1}`, role: "user", payload });
	}
});

afterAll(() => gateway.close());

interface Case {
	query: string;
	variables?: Record<string, unknown>;
	operationName?: string;
}

async function answer(body: Case): Promise<unknown> {
	const response = await gateway.post(body);
	const text = await response.text();
	return { status: response.status, text: text.replace(/"requestId":"[^"]*"/, "") };
}

const LIST = `query List($id: String!, $first: Int = 2, $after: String, $order: Order, $no: Boolean! = false) {
	messages(conversationId: $id, first: $first, after: $after, order: $order) {
		edges { cursor @skip(if: $no) node { ...M } } nodes { id @include(if: $no) ...M } pageInfo { hasNextPage endCursor }
	}
}
fragment M on Message { seq role payload ... on Node { __typename id } conversation { updatedAt metadata } }`;

/** Text of callers that must never be code. */
const STRINGS: Record<string, Case> = {
	"a string": { query: `{ message(messageId: "${CODE}") { seq } }` },
	"an escaped string": { query: `{ message(messageId: "\\u005f${CODE.slice(1)}") { seq } }` },
	"a block string": { query: `{ message(messageId: """${CODE}""") { seq } }` },
	"a string in a fragment": { query: `{ ...F } fragment F on Query { message(messageId: "${CODE}") { seq } }` },
	"a string in a list": { query: `{ nodes(ids: ["${CODE}"]) { id } }` },
	"a string in an object": { query: `{ checkpoints(filter: { a: "${CODE}" }) { nodes { checkpointId } } }` },
	"a key": { query: `{ checkpoints(filter: { ${DATE}globalThis: 1, ${NAN}: 1 }) { nodes { checkpointId } } }` },
	"a default": { query: `query ($id: String! = "${CODE}") { message(messageId: $id) { seq } }` },
	"a variable": { query: "query ($id: String!) { message(messageId: $id) { seq } }", variables: { id: CODE } },
	"an enum": { query: `{ messages(conversationId: "c", order: ${DATE}globalThis) { nodes { seq } } }` },
	"a string that stands for no number": { query: `{ message(messageId: "${NAN}") { seq } }` },
	"an input": {
		query: `mutation { deleteMessage(input: { messageId: "${CODE}" }) { messageId } }`,
	},
};

const CASES: Record<string, Case> = {
	...STRINGS,
	"a list": { query: LIST, variables: { id: "c" } },
	"a list in the other order": { query: LIST, variables: { id: "c", order: "DESC", no: true } },
	"a list of nothing": { query: LIST, variables: { id: "none", first: null } },
	"a wrong value of an enum": { query: LIST, variables: { id: "c", order: "toString" } },
	"null for what is required": { query: LIST, variables: { id: null } },
	"null for a condition": { query: LIST, variables: { id: "c", no: null } },
	"an integer beyond its range": { query: LIST, variables: { id: "c", first: 2 ** 31 } },
	"a fraction": { query: LIST, variables: { id: "c", first: 1.5 } },
	"a number for a string": { query: LIST, variables: { id: 5 } },
	"a wrong cursor": { query: LIST, variables: { id: "c", after: "wrong" } },
	"lines that end in different ways": {
		query: "query ($id: String!) {\r\n # 汉𝒳\r a: messages(conversationId: $id,\n after: $id) { nodes { seq } } }",
		variables: { id: "c" },
	},
	"several root fields of which one fails": {
		query:
			"query ($id: String!) { b: viewer { role } a: messages(conversationId: $id, last: 1) { nodes { seq } } c: __typename }",
		variables: { id: "c" },
	},
	"one field with different arguments": {
		query: `query ($a: String!, $b: String!) { a: message(messageId: $a) { seq payload } b: message(messageId: $b) {
			seq payload } a_b: viewer { role } a: message(messageId: $a) { role conversation { messages(first: 1) { nodes { seq } }
			more: messages(first: 2, order: DESC) { nodes { seq } } } } }`,
		variables: { a: "m1", b: "m2" },
	},
	"a number as an id": { query: "{ node(id: 5) { id } }" },
	"ids that are numbers": {
		query: "query ($ids: [ID!]!) { nodes(ids: $ids) { id } }",
		variables: { ids: [5, MESSAGE_NODE] },
	},
	"an id that is no list": {
		query: "query ($ids: [ID!]!) { nodes(ids: $ids) { id } }",
		variables: { ids: MESSAGE_NODE },
	},
	"a null in a list": { query: "query ($ids: [ID!]!) { nodes(ids: $ids) { id } }", variables: { ids: [null] } },
	"an interface": {
		query:
			"query ($id: ID!) { node(id: $id) { __typename ... on Message { seq ...N } ... on Conversation { createdAt } } } fragment N on Node { x: id }",
		variables: { id: MESSAGE_NODE },
	},
	"the second of two operations": {
		query: "query A { __typename } query B { viewer { role } }",
		operationName: "B",
	},
	"names that all objects have, which are not given": {
		query:
			"query ($toString: String, $valueOf: JSONObject, $constructor: String) { checkpoints(threadId: $toString, filter: $valueOf, checkpointNs: $constructor) { nodes { checkpointId } } }",
	},
	"a required name that all objects have": {
		query: "query ($constructor: String!) { message(messageId: $constructor) { seq } }",
	},
	"names that all objects have as aliases": {
		query: "{ __proto__: viewer { constructor: role } toString: viewer { hasOwnProperty: role __proto__: role } }",
	},
	introspection: { query: '{ __schema { queryType { name } } __type(name: "Order") { enumValues { name } } }' },
	"introspection with variables": {
		query:
			"query ($name: String!) { __type(name: $name) { kind fields(includeDeprecated: true) { name args { name defaultValue type { name ofType { name } } } } } }",
		variables: { name: "Query" },
	},
	"a mutation": {
		query: "mutation ($input: DeleteMessageInput!) { deleteMessage(input: $input) { messageId clientMutationId } }",
		variables: { input: { messageId: "none", clientMutationId: "汉" } },
	},
	"a mutation that is refused": {
		query: "mutation ($input: UpdateMessageInput!) { updateMessage(input: $input) { message { seq } } }",
		variables: { input: { messageId: "none", payload: 1 } },
	},
	"an input with a field that there is not": {
		query: "mutation ($input: DeleteMessageInput!) { deleteMessage(input: $input) { messageId } }",
		variables: { input: { messageId: "none", toString: 1 } },
	},
	"an input that is a list": {
		query: "mutation ($input: DeleteMessageInput!) { deleteMessage(input: $input) { messageId } }",
		variables: { input: [] },
	},
};

describe("an operation that comes again is answered as at first:", () => {
	it.each(Object.entries(CASES))("%s", async (_what, body) => {
		const first = await answer(body);
		for (let again = 0; again < 3; again++) expect(await answer(body)).toEqual(first);
		expect(globalThis).not.toHaveProperty("ranCodeOfCallers");
	});
});
