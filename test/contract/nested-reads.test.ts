import pg from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { startGateway, type TestGateway } from "../support/gateway.ts";

let gateway: TestGateway;

beforeAll(async () => {
	gateway = await startGateway();
	for (let conversation = 1; conversation <= 60; conversation++) {
		const messages = [1, 2, 3].map((payload) => ({ payload: [conversation, payload] }));
		await gateway.store.appendMessages({ conversationId: `c-${conversation}`, messages });
	}
});

afterAll(() => gateway.close());

afterEach(() => vi.restoreAllMocks());

interface Answer {
	data: { conversations: { nodes: { conversationId: string; messages: { nodes: { payload: number[] }[] } }[] } };
}

/**
 * What belongs to no request: hints to other gateways follow a write by themselves, a token is looked up every 10 s, and
 * each connection is set up once.
 */
const BESIDE = /pg_notify|LISTEN|api_tokens|set_config/;

/** The statements that the driver sends to Postgres meanwhile, on all connections of this process. */
async function statementsOf(work: () => Promise<unknown>): Promise<string[]> {
	const spy = vi.spyOn(pg.Client.prototype, "query");
	await work();
	const statements = spy.mock.calls.map(([statement]) => {
		const config = statement as unknown as string | { text: string };
		return typeof config === "string" ? config : config.text;
	});
	spy.mockRestore();
	return statements.filter((text) => !BESIDE.test(text));
}

async function countStatements(query: string): Promise<{ statements: string[]; body: Answer }> {
	let body: unknown;
	const statements = await statementsOf(async () => {
		const response = await gateway.post({ query });
		body = await response.json();
		expect(response.status, JSON.stringify(body).slice(0, 500)).toBe(200);
	});
	return { statements, body: body as Answer };
}

describe("nested reads", () => {
	const latest = (first: number) =>
		`{ conversations(first: ${first}) { nodes { conversationId messages(first: 1, order: DESC) { nodes { payload } } } } }`;

	it("MSG-7: a page of 50 conversations with the last message of each takes two statements, like a page of one", async () => {
		const one = await countStatements(latest(1));
		const fifty = await countStatements(latest(50));
		expect(one.statements).toHaveLength(2);
		expect(fifty.statements).toEqual(one.statements);
		const { nodes } = fifty.body.data.conversations;
		expect(nodes.map(({ conversationId }) => conversationId)).toEqual(
			Array.from({ length: 50 }, (_, index) => `c-${60 - index}`),
		);
		for (const { conversationId, messages } of nodes) {
			expect(messages.nodes).toEqual([{ payload: [Number(conversationId.slice(2)), 3] }]);
		}
	});

	it("MSG-7: two different nested pages take one statement each", async () => {
		const { statements } = await countStatements(
			`{ conversations(first: 20) { nodes {
				newest: messages(first: 1, order: DESC) { nodes { seq } }
				oldest: messages(first: 2) { nodes { seq } pageInfo { hasNextPage } }
			} } }`,
		);
		expect(statements).toHaveLength(3);
	});

	it("MSG-7: the conversations of a page's messages take one statement", async () => {
		const { statements } = await countStatements(
			'{ messages(conversationId: "c-1") { nodes { conversation { metadata messages(first: 1) { nodes { seq } } } } } }',
		);
		expect(statements).toHaveLength(3);
	});

	it("MSG-6: many single messages of one request take one statement", async () => {
		const { statements } = await countStatements(
			`{ ${Array.from({ length: 20 }, (_, index) => `m${index}: message(messageId: "m-${index}") { seq }`).join(" ")} }`,
		);
		expect(statements).toHaveLength(1);
	});

	it("MSG-3: an append of one or of a hundred messages takes one statement, and so does a replay", async () => {
		const append = (count: number) => ({
			conversationId: "counted",
			messages: Array.from({ length: count }, (_, index) => ({
				messageId: `counted-${count}-${index}`,
				payload: index,
			})),
		});
		const count = async (work: () => Promise<unknown>) => (await statementsOf(work)).length;
		const { store } = gateway;
		expect(await count(() => store.appendMessages(append(1)))).toBe(1);
		expect(await count(() => store.appendMessages(append(100)))).toBe(1);
		expect(await count(() => store.appendMessages(append(1)))).toBe(1);
		expect(await count(() => store.appendMessages(append(100)))).toBe(1);
	});
});
