import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LIMITS } from "../../client/limits.ts";
import { DEFAULT_LIMITS } from "../../server/domain/limits.ts";
import { failure } from "../support/errors.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { sendRaw } from "../support/raw.ts";
import { rowVersions } from "../support/sql.ts";

const KIB = 1024;
const MIB = 1024 * KIB;

const VIEWER = `{ viewer { limits { ${Object.keys(DEFAULT_LIMITS).join(" ")} } } }`;

let gateway: TestGateway;
/** A gateway whose operator allows less. */
let strict: TestGateway;
const STRICT = {
	pageLimit: 5,
	pageLimitDefault: 3,
	batchMessages: 4,
	messageBytes: 2 * KIB,
	metadataBytes: KIB,
	requestBytes: 12 * KIB,
	jsonDepth: 10,
	idBytes: 40,
};

beforeAll(async () => {
	gateway = await startGateway();
	strict = await startGateway({ databaseUrl: gateway.databaseUrl, limits: STRICT });
});

afterAll(async () => {
	await strict.close();
	await gateway.close();
});

describe("limits", () => {
	it("VAL-7: the gateway has the contract's defaults, and viewer shows them", async () => {
		expect(DEFAULT_LIMITS).toMatchObject({
			pageLimitDefault: 50,
			pageLimit: 200,
			batchMessages: 100,
			messageBytes: 16 * MIB,
			metadataBytes: MIB,
			requestBytes: 64 * MIB,
			requestBytesInFlight: 256 * MIB,
			pageBytes: 16 * MIB,
			jsonDepth: 200,
			idBytes: 256,
			documentDepth: 12,
			documentAliases: 50,
			documentTokens: 2_000,
			documentRootFields: 20,
			waitingCalls: 100,
			waitingMs: 5_000,
			statementMs: 25_000,
			lockMs: 10_000,
		});
		expect((await sendRaw(gateway, { query: VIEWER })).data).toEqual({ viewer: { limits: DEFAULT_LIMITS } });
	});

	it("VAL-7: the SDK checks beforehand with the gateway's own defaults", () => {
		expect(DEFAULT_LIMITS).toMatchObject(LIMITS);
	});

	it("VAL-7: a gateway with other limits shows them and keeps to them, naming them", async () => {
		expect((await sendRaw(strict, { query: VIEWER })).data).toMatchObject({ viewer: { limits: STRICT } });
		const { store } = strict;
		const conversationId = "strict";
		await store.appendMessages({ conversationId, messages: [1, 2, 3, 4].map((payload) => ({ payload })) });
		const before = await rowVersions(strict);
		const text = (bytes: number) => "x".repeat(bytes);
		const refusals: [string, () => Promise<unknown>, RegExp][] = [
			["PayloadTooLarge", () => store.appendMessage({ conversationId, payload: text(2 * KIB) }), /2 KiB.*VAL-7/],
			["PayloadTooLarge", () => store.createConversation({ metadata: { text: text(KIB) } }), /1 KiB.*VAL-7/],
			["PayloadTooLarge", () => store.appendMessage({ conversationId, payload: text(12 * KIB) }), /12 KiB.*VAL-7/],
			[
				"BadRequest",
				() => store.appendMessage({ conversationId, payload: [[[[[[[[[[[]]]]]]]]]]] }),
				/10 levels.*VAL-6/,
			],
			["BadRequest", () => store.getMessage({ messageId: text(41) }), /40 UTF-8 bytes.*VAL-1/],
			["BadRequest", () => store.listMessages({ conversationId, limit: 6 }), /1 to 5.*MSG-7/],
			["BadRequest", () => store.listConversations({ limit: 6 }), /1 to 5.*MSG-7/],
			[
				"BadRequest",
				() => store.appendMessages({ conversationId, messages: [1, 2, 3, 4, 5].map((payload) => ({ payload })) }),
				/1 to 4 messages.*MSG-4/,
			],
		];
		for (const [code, call, message] of refusals) {
			const error = await failure(call());
			expect([error.code, error.status]).toEqual([code, code === "BadRequest" ? 400 : 413]);
			expect(error.message).toMatch(message);
		}
		expect(await rowVersions(strict)).toEqual(before);
		expect((await store.listMessages({ conversationId })).items).toHaveLength(3);
	});
});
