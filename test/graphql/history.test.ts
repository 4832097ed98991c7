import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startGateway, type TestGateway, type TestProject } from "../support/gateway.ts";
import { type RawAnswer, sendRaw } from "../support/raw.ts";
import { query, rowVersions } from "../support/sql.ts";

let gateway: TestGateway;
let stranger: TestProject;
let conversations = 0;

beforeAll(async () => {
	gateway = await startGateway();
	stranger = await gateway.createProject();
});
afterAll(() => gateway.close());

const HISTORY = `query ($conversationId: String!, $first: Int, $after: String) {
	history(conversationId: $conversationId, first: $first, after: $after) { messages { messageId payload } nextCursor }
}`;

function mutation(name: string, output = "conversationId"): string {
	const type = `${name[0]!.toUpperCase()}${name.slice(1)}Input!`;
	return `mutation ($input: ${type}) { ${name}(input: $input) { ${output} } }`;
}

const call = { type: "function_call", callId: "1", name: "f", arguments: "" };

/** Every change of a history, as a request. */
const CHANGES: [name: string, output: string, input: object][] = [
	["appendHistory", "conversationId", { messages: [{ payload: call }] }],
	["popHistory", "message { messageId }", { operationId: "op" }],
	["clearHistory", "conversationId", { operationId: "op" }],
	["replaceHistory", "conversationId", { operationId: "op", messages: [{ payload: 1 }] }],
	["applyHistoryTransaction", "conversationId", { operationId: "op", messages: [{ payload: 1 }] }],
	[
		"applyHistoryMutations",
		"conversationId",
		{ operationId: "op", replacements: [{ callId: "1", replacement: { ...call, arguments: "new" } }] },
	],
];

async function newHistory(count = 2): Promise<string> {
	const conversationId = `raw-${++conversations}`;
	const messages = Array.from({ length: count }, (_, index) => ({
		messageId: `${conversationId}-${index}`,
		payload: call,
	}));
	const answer = await send("appendHistory", { conversationId, messages });
	expect(answer.errors).toEqual([]);
	return conversationId;
}

function send(name: string, input: object, output?: string, token?: string): Promise<RawAnswer> {
	return sendRaw(gateway, { query: mutation(name, output), variables: { input } }, token);
}

function walk(variables: object, token?: string): Promise<RawAnswer> {
	return sendRaw(gateway, { query: HISTORY, variables }, token);
}

describe("history", () => {
	it("reads the newest first, as many as are wanted", async () => {
		const conversationId = await newHistory(3);
		const { data } = await walk({ conversationId, first: 2 });
		expect(data).toEqual({
			history: {
				messages: [
					{ messageId: `${conversationId}-2`, payload: call },
					{ messageId: `${conversationId}-1`, payload: call },
				],
				nextCursor: null,
			},
		});
	});

	it("ends a page early at the bytes of a page, and goes on from its cursor (VAL-7)", async () => {
		const small = await startGateway({ databaseUrl: gateway.databaseUrl, limits: { pageBytes: 60 } });
		try {
			const conversationId = "pages";
			await small.store.appendMessages({
				conversationId,
				messages: [1, 2, 3].map((payload) => ({ payload: "x".repeat(50) + payload })),
			});
			const read = async (after?: string) => {
				const { data } = await sendRaw(small, { query: HISTORY, variables: { conversationId, after } });
				return (data as { history: { messages: { payload: string }[]; nextCursor: string | null } }).history;
			};
			const pages = [await read()];
			for (let after = pages[0]!.nextCursor; after !== null; after = pages.at(-1)!.nextCursor)
				pages.push(await read(after));
			expect(pages.length).toBeGreaterThan(1);
			const payloads = pages.flatMap(({ messages }) => messages.map(({ payload }) => payload.at(-1)));
			expect(payloads).toEqual(["3", "2", "1"]);
		} finally {
			await small.close();
		}
	});

	it.each([
		[{ first: 0 }, /^first/],
		[{ first: -1 }, /^first/],
		[{ after: "" }, /^after/],
		[{ after: "abc" }, /^after/],
	])("refuses %j", async (variables, message) => {
		const { status, errors } = await walk({ conversationId: await newHistory(), ...variables });
		expect(status).toBe(400);
		expect(errors[0]!.message).toMatch(message);
	});

	it("refuses cursors of another conversation and project", async () => {
		const conversationId = await newHistory(2_001);
		const { data } = await walk({ conversationId });
		const after = (data as { history: { nextCursor: string } }).history.nextCursor;
		expect((await walk({ conversationId, after })).errors).toEqual([]);
		expect((await walk({ conversationId: await newHistory(), after })).status).toBe(400);
		expect((await walk({ conversationId, after }, stranger.token)).status).toBe(400);
	});
});

describe("changes of a history", () => {
	it("make the ids of messages where none are given, and take those that are", async () => {
		const conversationId = await newHistory(1);
		await send("appendHistory", { conversationId, messages: [{ payload: null }] });
		const { items } = await gateway.store.listMessages({ conversationId });
		expect(items.map(({ messageId }) => messageId)).toEqual([
			`${conversationId}-0`,
			expect.stringMatching(/^[\da-f-]{36}$/),
		]);
	});

	it.each(["appendHistory", "replaceHistory", "applyHistoryTransaction"])(
		"refuse a messageId that another conversation has: %s (MSG-3)",
		async (name) => {
			const taken = await newHistory(1);
			const input = { messages: [{ messageId: `${taken}-0`, payload: 1 }] };
			const operation = name === "appendHistory" ? {} : { operationId: "op" };
			const { status, errors } = await send(name, { conversationId: "elsewhere", ...input, ...operation });
			expect(status).toBe(409);
			expect(errors[0]!.extensions.error?.code).toBe("23505");
			expect(await gateway.store.getConversation({ conversationId: "elsewhere" })).toBeNull();
		},
	);

	it.each(CHANGES.filter(([name]) => name !== "appendHistory"))(
		"refuse the operation id of another change: %s",
		async (name, output, input) => {
			const conversationId = await newHistory();
			await send("applyHistoryTransaction", { conversationId, operationId: "op", messages: [{ payload: "other" }] });
			const before = await rowVersions(gateway);
			const { status, errors } = await send(name, { conversationId, ...input }, output);
			expect(status).toBe(409);
			expect(errors[0]!.message).toMatch(/^input\.operationId/);
			expect(await rowVersions(gateway)).toEqual(before);
		},
	);

	it.each(CHANGES)("are refused to a credential that may only read: %s", async (name, output, input) => {
		const { token } = await gateway.createProject({ role: "read" });
		const { status } = await send(name, { conversationId: "x", ...input }, output, token);
		expect(status).toBe(403);
	});

	it.each([
		["applyHistoryTransaction", { operationId: "\u0000", messages: [] }, /^input\.operationId/],
		["applyHistoryTransaction", { operationId: "o", messages: [{}] }, /^input\.messages\[0\]\.payload/],
		["applyHistoryTransaction", { operationId: "o", messages: [], expectedSuffix: [deep(201)] }, /expectedSuffix\[0\]/],
		["applyHistoryMutations", { operationId: "o", replacements: [{ callId: "1", replacement: 1 }] }, /replacement/],
		[
			"applyHistoryMutations",
			{ operationId: "o", replacements: Array(101).fill({ callId: "1", replacement: call }) },
			/100/,
		],
		["popHistory", { operationId: "" }, /^input\.operationId/],
	])("are refused: %s with %j", async (name, input, message) => {
		const output = name === "popHistory" ? "message { messageId }" : undefined;
		const { status, errors } = await send(name, { conversationId: await newHistory(), ...input }, output);
		expect(status).toBe(400);
		expect(errors[0]!.message).toMatch(message);
	});
});

describe("another project's history", () => {
	it("looks like an absent one (ISO-2)", async () => {
		const conversationId = await newHistory();
		const foreign = await walk({ conversationId }, stranger.token);
		expect(foreign).toEqual(await walk({ conversationId: "absent" }, stranger.token));
		expect(foreign.data).toEqual({ history: { messages: [], nextCursor: null } });
	});

	it.each(CHANGES)("is changed by nobody else: %s (ISO-2)", async (name, output, input) => {
		const conversationId = await newHistory();
		await send("applyHistoryTransaction", { conversationId, operationId: "op", messages: [{ payload: "own" }] });
		const before = await rowVersions(gateway);
		const foreign = await send(name, { conversationId, ...input }, output, stranger.token);
		const absent = await send(
			name,
			{ conversationId: "absent", ...input },
			output,
			(await gateway.createProject()).token,
		);
		expect(JSON.stringify(foreign).replaceAll(conversationId, "absent")).toBe(JSON.stringify(absent));
		expect(foreign.errors).toEqual([]);
		expect(await rowVersions(gateway)).toEqual(before);
		const operations = await query(
			gateway,
			"SELECT FROM history_operations WHERE project_id = $1 AND conversation_id = $2",
			[gateway.projectId, conversationId],
		);
		expect(operations).toHaveLength(1);
	});

	it.each(CHANGES)(
		"stays as it is when a history of the same id is changed: %s (ISO-1)",
		async (name, output, input) => {
			const conversationId = await newHistory();
			const own = { conversationId, messages: [{ payload: call }] };
			expect((await send("appendHistory", own, undefined, stranger.token)).errors).toEqual([]);
			const before = [await rowVersions(gateway), await walk({ conversationId }, stranger.token)];
			expect((await send(name, { conversationId, ...input }, output, stranger.token)).errors).toEqual([]);
			expect(await rowVersions(gateway)).toEqual(before[0]);
			expect(await walk({ conversationId }, stranger.token)).not.toEqual(before[1]);
			const { data } = await walk({ conversationId });
			expect((data as { history: { messages: unknown[] } }).history.messages).toHaveLength(2);
		},
	);
});

function deep(levels: number): unknown {
	return levels === 0 ? 1 : [deep(levels - 1)];
}
