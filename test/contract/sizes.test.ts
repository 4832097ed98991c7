import type { JsonObject, Message, Page } from "@iga-pages/agent/store";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { failure } from "../support/errors.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { sendRaw } from "../support/raw.ts";
import { query, rowVersions } from "../support/sql.ts";

const MIB = 1024 * 1024;

let gateway: TestGateway;

beforeAll(async () => {
	gateway = await startGateway();
});

afterAll(() => gateway.close());

const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

/** A string that takes so many bytes as JSON, its quotes included. */
function textOf(bytes: number): string {
	return "x".repeat(bytes - 2);
}

/** Metadata that takes so many bytes as JSON. */
function metadataOf(bytes: number, key = "text"): JsonObject {
	return { [key]: textOf(bytes - bytesOf({ [key]: "" }) + 2) };
}

describe("the size of a message", () => {
	it("VAL-7: takes 16 MiB of payload and metadata together, and gives them back exactly", async () => {
		const { store } = gateway;
		const metadata = { kind: "large" };
		const payload = textOf(16 * MIB - bytesOf(metadata));
		const { messageId } = await store.appendMessage({ conversationId: "large", payload, metadata });
		const read = await store.getMessage({ messageId });
		expect(read?.payload === payload && bytesOf([read.metadata])).toBe(bytesOf([metadata]));
	});

	it("VAL-7: refuses one byte more, in the SDK, naming the limit", async () => {
		const { store } = gateway;
		const { messageId } = await store.appendMessage({ conversationId: "small", payload: 1 });
		const before = await rowVersions(gateway);
		// Two bytes of the default metadata count, and every character as UTF-8.
		const payload = textOf(16 * MIB - 1);
		const calls = [
			() => store.appendMessage({ conversationId: "c", payload }),
			() => store.appendMessage({ conversationId: "c", payload: 1, metadata: metadataOf(16 * MIB) }),
			() => store.appendMessage({ conversationId: "c", payload: "汉".repeat((16 * MIB) / 3) }),
			() => store.appendMessages({ conversationId: "c", messages: [{ payload: 1 }, { payload }] }),
			() => store.updateMessage({ messageId, payload: textOf(16 * MIB + 1) }),
		];
		for (const call of calls) {
			const error = await failure(call());
			expect([error.code, error.status]).toEqual(["PayloadTooLarge", 413]);
			expect(error.message).toMatch(/payload.*16 MiB.*VAL-7/);
		}
		expect(await rowVersions(gateway)).toEqual(before);
	});

	it("VAL-7: refuses one byte more, in the gateway", async () => {
		const before = await rowVersions(gateway);
		const document = "mutation ($input: AppendMessageInput!) { appendMessage(input: $input) { __typename } }";
		const payload = textOf(16 * MIB - 1);
		const answer = await sendRaw(gateway, { query: document, variables: { input: { conversationId: "c", payload } } });
		expect(answer).toMatchObject({
			status: 413,
			errors: [
				{ message: expect.stringMatching(/16 MiB.*VAL-7/), extensions: { code: "PayloadTooLarge", status: 413 } },
			],
		});
		expect(await rowVersions(gateway)).toEqual(before);
	});

	it("VAL-7: counts what an update leaves as it is", async () => {
		const { store } = gateway;
		const metadata = { kind: "large" };
		const payload = textOf(16 * MIB - bytesOf(metadata));
		const { messageId } = await store.appendMessage({ conversationId: "updated", payload, metadata });
		const before = await rowVersions(gateway);
		const error = await failure(store.updateMessage({ messageId, metadata: { kind: "larger" } }));
		expect(error).toMatchObject({ code: "PayloadTooLarge", status: 413, message: expect.stringMatching(/16 MiB/) });
		expect(await rowVersions(gateway)).toEqual(before);
	});
});

describe("the size of a request", () => {
	it("VAL-7: takes 100 messages of 100 KB", async () => {
		const { store } = gateway;
		const payload = { text: "é".repeat(50_000) };
		const messages = Array.from({ length: 100 }, (_, index) => ({ payload, metadata: { index } }));
		const appended = await store.appendMessages({ conversationId: "batch", messages });
		expect(appended.map(({ metadata }) => metadata["index"])).toEqual(messages.map((_, index) => index));
		const page = await store.listMessages({ conversationId: "batch", limit: 100 });
		expect([page.items.length, page.nextCursor]).toEqual([100, null]);
		expect(bytesOf(page.items)).toBeGreaterThan(10_000_000);
	});

	it("VAL-7: refuses more than 64 MiB, in the SDK", async () => {
		const before = await rowVersions(gateway);
		const messages = Array.from({ length: 5 }, () => ({ payload: textOf(13 * MIB) }));
		const error = await failure(gateway.store.appendMessages({ conversationId: "c", messages }));
		expect(error).toMatchObject({
			code: "PayloadTooLarge",
			status: 413,
			message: expect.stringMatching(/64 MiB.*VAL-7/),
		});
		expect(await rowVersions(gateway)).toEqual(before);
	});

	it("VAL-7: refuses more than 64 MiB, in the gateway, whether the body says its size or not", async () => {
		const body = Buffer.alloc(64 * MIB + 1, " ");
		const chunks = () =>
			new ReadableStream({
				pull(controller) {
					controller.enqueue(body.subarray(0, 8 * MIB + 1));
					if (++pulled === 8) controller.close();
				},
			});
		let pulled = 0;
		for (const content of [body, chunks()]) {
			const response = await fetch(gateway.url, {
				method: "POST",
				headers: { "content-type": "application/json", authorization: `Bearer ${gateway.token}` },
				body: content,
				duplex: "half",
			} as RequestInit);
			expect(response.status).toBe(413);
			expect(await response.json()).toMatchObject({
				errors: [{ message: expect.stringMatching(/64 MiB.*VAL-7/), extensions: { code: "PayloadTooLarge" } }],
			});
		}
		expect(await gateway.store.getConversation({ conversationId: "alive" })).toBeNull();
	});
});

describe("the size of a page", () => {
	/** A gateway whose pages end at 16 KiB, so that their rows can be small. */
	let small: TestGateway;
	const KIB = 1024;

	beforeAll(async () => {
		small = await startGateway({ databaseUrl: gateway.databaseUrl, limits: { pageBytes: 16 * KIB } });
	});

	afterAll(() => small.close());

	it("VAL-7: a page ends before the row that would lift it above 16 MiB, and leads on", async () => {
		const { store } = gateway;
		const conversationId = "two pages";
		for (const messageId of ["first", "second"]) {
			await store.appendMessage({ conversationId, messageId, payload: textOf(9 * MIB) });
		}
		const first = await store.listMessages({ conversationId });
		expect(first.items.map(({ messageId }) => messageId)).toEqual(["first"]);
		const second = await store.listMessages({ conversationId, cursor: first.nextCursor });
		expect(second.items.map(({ messageId }) => messageId)).toEqual(["second"]);
		expect(second.nextCursor).toBeNull();
	});

	it.each([
		["asc", [[6, 6], [6, 8], [16], [40], [4, 4]]],
		["desc", [[4, 4], [40], [16], [8, 6], [6, 6]]],
	] as const)("VAL-7: pages %s hold what fits, and never less than one row", async (order, expected) => {
		const { store } = small;
		const conversationId = `pages ${order}`;
		const sizes = [6, 6, 6, 8, 16, 40, 4, 4];
		for (const size of sizes) {
			// Metadata {} takes two bytes.
			await store.appendMessage({ conversationId, type: `${size}`, payload: textOf(size * KIB - 2) });
		}
		const pages: number[][] = [];
		for (let cursor: string | null = null; pages.length === 0 || cursor !== null; ) {
			const page: Page<Message> = await store.listMessages({ conversationId, order, cursor, limit: 200 });
			pages.push(page.items.map(({ type }) => Number(type)));
			cursor = page.nextCursor;
		}
		expect(pages).toEqual(expected);
	});

	it("VAL-7: nested pages share the content of one page, and each has a row where there is one", async () => {
		const { token, store } = await small.createProject();
		for (const conversationId of ["a", "b"]) {
			for (const text of ["1", "2", "3"]) await store.appendMessage({ conversationId, payload: text.repeat(6 * KIB) });
		}
		await store.createConversation({ conversationId: "empty" });
		const document =
			"{ conversations { nodes { conversationId messages { nodes { seq } pageInfo { hasNextPage endCursor } } } } }";
		const { data } = await sendRaw(small, { query: document }, token);
		expect(data).toMatchObject({
			conversations: {
				nodes: [
					{ conversationId: "empty", messages: { nodes: [], pageInfo: { hasNextPage: false, endCursor: null } } },
					{ conversationId: "b", messages: { nodes: [{ seq: "1" }], pageInfo: { hasNextPage: true } } },
					{ conversationId: "a", messages: { nodes: [{ seq: "1" }], pageInfo: { hasNextPage: true } } },
				],
			},
		});
	});

	it("VAL-7: a page of conversations ends before the row beyond 16 MiB, and leads on", async () => {
		const { store, projectId } = await gateway.createProject();
		await store.createConversation({ conversationId: "template", metadata: metadataOf(MIB) });
		await query(
			gateway,
			`INSERT INTO conversations (project_id, conversation_id, metadata, created_at, updated_at)
			SELECT project_id, 'copy ' || lpad(n::text, 2, '0'), metadata, created_at, updated_at
			FROM conversations, generate_series(1, 19) AS n WHERE project_id = $1`,
			[projectId],
		);
		const first = await store.listConversations({ limit: 200 });
		const second = await store.listConversations({ limit: 200, cursor: first.nextCursor });
		expect([first.items.length, second.items.length, second.nextCursor]).toEqual([16, 4, null]);
		const ids = [...first.items, ...second.items].map(({ conversationId }) => conversationId);
		expect(new Set(ids).size).toBe(20);
	});
});

describe("the size of a conversation's metadata", () => {
	it("VAL-7: takes 1 MiB at creation and refuses one byte more, in SDK and gateway", async () => {
		const { store } = gateway;
		await store.createConversation({ conversationId: "full", metadata: metadataOf(MIB) });
		expect(bytesOf((await store.getConversation({ conversationId: "full" }))?.metadata)).toBe(MIB);
		const before = await rowVersions(gateway);
		const metadata = metadataOf(MIB + 1);
		expect(await failure(store.createConversation({ metadata }))).toMatchObject({
			code: "PayloadTooLarge",
			status: 413,
			message: expect.stringMatching(/^metadata: .*1 MiB.*VAL-7/),
		});
		const document = "mutation ($input: CreateConversationInput!) { createConversation(input: $input) { __typename } }";
		expect(await sendRaw(gateway, { query: document, variables: { input: { metadata } } })).toMatchObject({
			status: 413,
			errors: [{ message: expect.stringMatching(/metadata: .*1 MiB.*VAL-7/), extensions: { code: "PayloadTooLarge" } }],
		});
		expect(await rowVersions(gateway)).toEqual(before);
	});

	it("VAL-7: counts metadata after the merge", async () => {
		const { store } = gateway;
		const conversationId = "merged";
		const half = MIB / 2;
		await store.createConversation({ conversationId, metadata: metadataOf(half, "a") });
		await store.updateConversation({ conversationId, metadata: metadataOf(half, "b") });
		const before = await rowVersions(gateway);
		expect(await failure(store.updateConversation({ conversationId, metadata: { c: 1 } }))).toMatchObject({
			code: "PayloadTooLarge",
			status: 413,
			message: expect.stringMatching(/metadata: .*1 MiB.*VAL-7/),
		});
		expect(await rowVersions(gateway)).toEqual(before);
		const replaced = await store.updateConversation({
			conversationId,
			metadata: { a: null, ...metadataOf(half, "c") },
		});
		expect(Object.keys(replaced.metadata)).toEqual(["b", "c"]);
	});

	it("VAL-7: takes a patch that only removes keys, whatever its size", async () => {
		const { store } = gateway;
		const keys = Array.from({ length: 4 }, (_, index) => String(index).repeat(MIB / 4 - 6));
		await store.createConversation({
			conversationId: "keys",
			metadata: Object.fromEntries(keys.map((key) => [key, 1])),
		});
		const patch = Object.fromEntries(keys.map((key) => [key, null]));
		expect(bytesOf(patch)).toBeGreaterThan(MIB - 20);
		const removed = await store.updateConversation({
			conversationId: "keys",
			metadata: { ["other".repeat(100)]: null, ...patch },
		});
		expect(removed.metadata).toEqual({});
	});
});
