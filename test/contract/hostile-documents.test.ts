import { pino } from "pino";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { type RowVersion, rowVersions } from "../support/sql.ts";

let gateway: TestGateway;
let before: RowVersion[];
const logged: string[] = [];

beforeAll(async () => {
	const logger = pino({ level: "error" }, { write: (line: string) => logged.push(line) });
	gateway = await startGateway({ logger, store: { retries: 0 } });
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

interface Refusal {
	errors: { message: string; extensions: { code: string; status: number } }[];
}

async function expectRefusal(request: { query: string; variables?: unknown }, message: RegExp): Promise<void> {
	const response = await gateway.post(request);
	const text = await response.text();
	expect(response.status, text.slice(0, 300)).toBe(400);
	const { errors } = JSON.parse(text) as Refusal;
	expect(errors.map((error) => error.message).join("\n")).toMatch(message);
	for (const error of errors) expect(error.extensions).toMatchObject({ code: "BadRequest", status: 400 });
	expect(text.length).toBeLessThan(20_000);
}

const repeat = (count: number, part: (index: number) => string) =>
	Array.from({ length: count }, (_, index) => part(index)).join(" ");

describe("documents over the limits", () => {
	it.each([
		["2,000 aliases of a query", `{ ${repeat(2_000, (n) => `a${n}: viewer { role }`)} }`, /tokens/],
		[
			"2,000 aliases of a mutation",
			`mutation { ${repeat(2_000, (n) => `a${n}: deleteMessage(input: { messageId: "kept-1" }) { messageId }`)} }`,
			/tokens/,
		],
		["51 aliases", `{ viewer { ${repeat(51, (n) => `a${n}: role`)} } }`, /aliases limit of 50/i],
		[
			"51 aliases spread over fragments",
			`{ viewer { ...A ...B } } fragment A on Viewer { ${repeat(26, (n) => `a${n}: role`)} } fragment B on Viewer { ${repeat(26, (n) => `b${n}: role`)} }`,
			/aliases limit of 50/i,
		],
		["21 root fields", `{ ${repeat(21, (n) => `a${n}: __typename`)} }`, /at most 20 root fields/],
		[
			"21 root fields in fragments",
			`{ ...A ...B } fragment A on Query { ${repeat(11, (n) => `a${n}: __typename`)} } fragment B on Query { ${repeat(11, (n) => `b${n}: __typename`)} }`,
			/at most 20 root fields/,
		],
		[
			"21 root mutations",
			`mutation { ${repeat(21, (n) => `a${n}: clearMessages(input: { conversationId: "kept" }) { conversationId }`)} }`,
			/at most 20 root fields/,
		],
		["more than 2,000 tokens", `{ viewer { ${repeat(2_100, () => "role")} } }`, /2000 tokens/],
		["a million tokens", `{ viewer { ${"role ".repeat(1_000_000)} } }`, /2000 tokens/],
		["a million brackets", "{".repeat(1_000_000), /Syntax Error/],
		["a million list brackets", `{ messages(conversationId: ${"[".repeat(1_000_000)}`, /Syntax Error/],
	])("ERR-7: %s are refused before anything runs", async (_what, query, message) => {
		await expectRefusal({ query }, message);
	});

	it("ERR-7: a depth of 12 passes and 13 does not", async () => {
		const page = "messages(first: 1) { nodes { conversation {";
		const twelve = `{ conversations(first: 1) { nodes { ${page.repeat(3)} conversationId } ${"} } }".repeat(3)} } }`;
		expect((await gateway.post({ query: twelve })).status).toBe(200);
		await expectRefusal({ query: twelve.replace("conversationId", "messages { edges { cursor } }") }, /depth/i);
	});
});

describe("documents that would never end", () => {
	it.each([
		["a fragment that spreads itself", "{ viewer { ...A } } fragment A on Viewer { role ...A }"],
		[
			"fragments that spread each other",
			"{ viewer { ...A } } fragment A on Viewer { ...B } fragment B on Viewer { ...C } fragment C on Viewer { ...A }",
		],
		[
			"root fragments that spread each other",
			"{ ...A } fragment A on Query { viewer { role } ...B } fragment B on Query { ...A }",
		],
		[
			"a cycle through a field",
			"{ conversations { nodes { ...A } } } fragment A on Conversation { messages { nodes { conversation { ...A } } } }",
		],
		["a cycle in an unused fragment", "{ viewer { role } } fragment A on Viewer { ...A }"],
		["a fragment that does not exist", "{ viewer { ...Nothing } }"],
	])("ERR-7: %s is refused", async (_what, query) => {
		await expectRefusal({ query }, /./);
	});

	it("ERR-7: fragments that multiply at every level are answered or refused at once", async () => {
		const levels = 24;
		const fragments = repeat(
			levels,
			(n) => `fragment F${n} on Viewer { ${n === levels - 1 ? "role" : `...F${n + 1} ...F${n + 1} ...F${n + 1}`} }`,
		);
		const response = await gateway.post({ query: `{ viewer { ...F0 } } ${fragments}` });
		expect([200, 400]).toContain(response.status);
	});

	it("ERR-7: root fragments that multiply at every level are answered or refused at once", async () => {
		const levels = 24;
		const fragments = repeat(
			levels,
			(n) =>
				`fragment F${n} on Query { ${n === levels - 1 ? "viewer { role }" : `...F${n + 1} ...F${n + 1} ...F${n + 1}`} }`,
		);
		const response = await gateway.post({ query: `{ ...F0 } ${fragments}` });
		expect([200, 400]).toContain(response.status);
	});
});

describe("documents with odd names", () => {
	it("ERR-7: __proto__ and constructor are ordinary aliases", async () => {
		const response = await gateway.post({
			query: "{ __proto__: viewer { constructor: role __proto__: role } toString: viewer { hasOwnProperty: role } }",
		});
		expect(response.status).toBe(200);
		expect(await response.text()).toBe(
			'{"data":{"__proto__":{"constructor":"WRITE","__proto__":"WRITE"},"toString":{"hasOwnProperty":"WRITE"}}}',
		);
	});

	it.each(["__proto__", "constructor", "toString", "hasOwnProperty"])(
		"ERR-7: %s is an unknown field, argument, variable and input field",
		async (name) => {
			await expectRefusal({ query: `{ ${name} }` }, new RegExp(name));
			await expectRefusal({ query: `{ viewer(${name}: 1) { role } }` }, new RegExp(name));
			await expectRefusal({ query: `query { message(messageId: $${name}) { seq } }` }, new RegExp(name));
			await expectRefusal(
				{ query: `mutation { clearMessages(input: { conversationId: "kept", ${name}: 1 }) { conversationId } }` },
				new RegExp(name),
			);
			const variables = JSON.parse(`{"input":{"conversationId":"kept","${name}":{"a":1}}}`) as object;
			await expectRefusal(
				{
					query: "mutation ($input: ClearMessagesInput!) { clearMessages(input: $input) { conversationId } }",
					variables,
				},
				new RegExp(name),
			);
		},
	);

	it("ERR-7: variables under odd names do nothing", async () => {
		const variables = JSON.parse(
			'{"__proto__":{"messageId":"kept-1"},"constructor":{"prototype":{"polluted":true}}}',
		) as object;
		const response = await gateway.post({
			query: 'query ($messageId: String = "none") { message(messageId: $messageId) { seq } }',
			variables,
		});
		expect(await response.json()).toEqual({ data: { message: null } });
		expect("polluted" in {}).toBe(false);
	});

	it.each(["__proto__", "constructor", "toString"])(
		"ERR-7: the operation name %s does not exist",
		async (operationName) => {
			const response = await gateway.post({ query: "query A { viewer { role } }", operationName });
			expect(response.status).toBe(400);
		},
	);
});

describe("huge values", () => {
	const huge = "x".repeat(1_000_000);

	it.each([
		[
			"an id",
			{ query: "query ($id: String!) { message(messageId: $id) { seq } }", variables: { id: huge } },
			/^messageId: must be at most 256 UTF-8 bytes \(VAL-1\)$/,
		],
		[
			"an id of a write",
			{
				query: "mutation ($id: String!) { deleteMessage(input: { messageId: $id }) { messageId } }",
				variables: { id: huge },
			},
			/^input\.messageId: must be at most 256/,
		],
		["a literal", { query: `{ message(messageId: "${huge}") { seq } }` }, /messageId: must be at most 256/],
		[
			"a cursor",
			{
				query: "query ($after: String) { conversations(after: $after) { nodes { metadata } } }",
				variables: { after: huge },
			},
			/^after: is not a cursor/,
		],
		["a node id", { query: "query ($id: ID!) { node(id: $id) { id } }", variables: { id: huge } }, /./],
		[
			"a node id of the right form",
			{
				query: "query ($id: ID!) { node(id: $id) { id } }",
				variables: { id: Buffer.from(`Message:${huge}`).toString("base64url") },
			},
			/./,
		],
		[
			"a number where an enum stands",
			{
				query: 'query ($order: Order) { messages(conversationId: "kept", order: $order) { nodes { seq } } }',
				variables: { order: huge },
			},
			/order/,
		],
		[
			"a page size",
			{
				query: "query ($first: Int) { conversations(first: $first) { nodes { metadata } } }",
				variables: { first: huge },
			},
			/first/,
		],
		["an unknown field's name", { query: `{ ${huge} }` }, /Cannot query field/],
		["an unknown argument's name", { query: `{ viewer(${huge}: 1) { role } }` }, /Unknown argument/],
		["an unknown type's name", { query: `query ($a: ${huge}) { viewer { role } }` }, /Unknown type/],
		["an unknown operation's name", { query: "query A { viewer { role } }", operationName: huge }, /./],
	])("ERR-7: %s of a million characters is not repeated in the error", async (_what, request, message) => {
		await expectRefusal(request, message);
	});

	it("VAL-10: a number of a million digits is refused as quickly as a small one", async () => {
		for (const digits of [
			`1${"0".repeat(1_000_000)}1`,
			"9".repeat(1_000_000),
			`0.${"0".repeat(1_000_000)}1`,
			`1e${"9".repeat(1_000_000)}`,
		]) {
			const response = await gateway.post(
				`{"query":"mutation ($input: AppendMessageInput!) { appendMessage(input: $input) { message { seq } } }","variables":{"input":{"conversationId":"kept","payload":${digits}}}}`,
			);
			expect(response.status).toBe(400);
			const { errors } = (await response.json()) as Refusal;
			expect(errors[0]?.message).toMatch(/VAL-10/);
			expect(errors[0]?.message.length).toBeLessThan(300);
			await expectRefusal(
				{
					query: `mutation { appendMessage(input: { conversationId: "kept", payload: ${digits} }) { message { seq } } }`,
				},
				/VAL-10/,
			);
		}
	});
});

describe("ids that Postgres cannot hold", () => {
	it.each([
		["U+0000", "a\0b"],
		["a lone surrogate", "a\ud800b"],
		["nothing", ""],
	])("VAL-1: with %s are refused by every field that takes an id", async (_what, id) => {
		for (const [document, field] of [
			["query ($id: String!) { message(messageId: $id) { seq } }", "messageId"],
			["query ($id: String!) { conversation(conversationId: $id) { metadata } }", "conversationId"],
			["query ($id: String!) { messages(conversationId: $id) { nodes { seq } } }", "conversationId"],
			["mutation ($id: String!) { deleteMessage(input: { messageId: $id }) { messageId } }", "input.messageId"],
			[
				"mutation ($id: String!) { clearMessages(input: { conversationId: $id }) { conversationId } }",
				"input.conversationId",
			],
			[
				"mutation ($id: String!) { deleteConversation(input: { conversationId: $id }) { conversationId } }",
				"input.conversationId",
			],
			[
				"mutation ($id: String!) { appendMessage(input: { conversationId: $id, payload: 1 }) { message { seq } } }",
				"input.conversationId",
			],
			[
				'mutation ($id: String!) { appendMessage(input: { conversationId: "kept", messageId: $id, payload: 1 }) { message { seq } } }',
				"input.messageId",
			],
			[
				"mutation ($id: String!) { updateMessage(input: { messageId: $id, payload: 1 }) { message { seq } } }",
				"input.messageId",
			],
		] as const) {
			await expectRefusal({ query: document, variables: { id } }, new RegExp(`^${field}: .*\\(VAL-1\\)$`));
		}
		for (const type of ["Message", "Conversation"]) {
			const nodeId = Buffer.from(`${type}:${id}`).toString("base64url");
			const response = await gateway.post({
				query: "query ($id: ID!) { node(id: $id) { id } }",
				variables: { id: nodeId },
			});
			expect([200, 400]).toContain(response.status);
		}
	});
});
