import { createSessions, type Sessions } from "@iga-pages/agent/sessions";
import { StoreError } from "@iga-pages/agent/store";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { failure } from "../support/errors.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { lossyFetch } from "../support/lost-answers.ts";
import { drainMessages, seqs } from "../support/pages.ts";
import { sendRaw } from "../support/raw.ts";
import { lockConversation, rowVersions, waitForLockWaiters } from "../support/sql.ts";

let gateway: TestGateway;
let sessions: Sessions;

beforeAll(async () => {
	gateway = await startGateway();
	sessions = createSessions({ url: gateway.url, token: gateway.token });
});

afterAll(() => gateway.close());

describe("expectedLastSeq", () => {
	it("appends when it is the last seq, and is a Conflict with the current one when it is not", async () => {
		const { store } = gateway;
		const conversationId = "expecting";
		expect(await store.appendMessage({ conversationId, payload: 1, expectedLastSeq: "0" })).toMatchObject({ seq: "1" });
		const messages = [{ payload: 2 }, { payload: 3 }];
		expect(seqs(await store.appendMessages({ conversationId, messages, expectedLastSeq: "1" }))).toEqual([2, 3]);
		const before = await rowVersions(gateway);
		const refused = [
			store.appendMessage({ conversationId, payload: 4, expectedLastSeq: "2" }),
			store.appendMessages({ conversationId, messages, expectedLastSeq: "4" }),
			sessions.branch({ conversationId, messageId: null, expectedLastSeq: "1" }),
		];
		for (const error of await Promise.all(refused.map(failure))) {
			expect(error).toMatchObject({
				code: "Conflict",
				status: 409,
				message: expect.stringMatching(/expectedLastSeq: the last seq of the conversation is 3, not \d/),
			});
		}
		expect(await rowVersions(gateway)).toEqual(before);
		expect(await sessions.branch({ conversationId, messageId: null, expectedLastSeq: "3" })).toMatchObject({
			branch: 1,
		});
		expect(await store.appendMessage({ conversationId, payload: 4, expectedLastSeq: "3" })).toMatchObject({
			branch: 1,
		});
	});

	it("MSG-1: leaves no conversation behind when it is a Conflict", async () => {
		const call = gateway.store.appendMessage({ conversationId: "none", payload: 1, expectedLastSeq: "1" });
		expect(await failure(call)).toMatchObject({ code: "Conflict", message: expect.stringMatching(/is 0, not 1/) });
		expect(await gateway.store.getConversation({ conversationId: "none" })).toBeNull();
	});

	it("ERR-4: gives way to messages that are stored already", async () => {
		const lossy = lossyFetch();
		const { store } = await gateway.createProject({ store: { fetch: lossy.fetch } });
		lossy.losing = 2;
		const turn = { conversationId: "retried", messageId: "t1", payload: { a: 1 }, expectedLastSeq: "0" };
		const stored = await store.appendMessage(turn);
		expect(lossy.sent).toBe(3);
		expect(stored.seq).toBe("1");
		expect(await store.appendMessage(turn)).toEqual(stored);
		expect(await failure(store.appendMessage({ ...turn, payload: { a: 2 }, expectedLastSeq: "1" }))).toMatchObject({
			code: "Conflict",
			error: { code: "23505" },
		});
		expect(seqs(await drainMessages(store, { conversationId: "retried" }))).toEqual([1]);
	});

	it("lets exactly one of many win, in a new conversation too", async () => {
		const { store } = gateway;
		for (const expectedLastSeq of ["0", "1", "2"]) {
			const calls = Array.from({ length: 20 }, (_, payload) =>
				store.appendMessage({ conversationId: "raced", payload, expectedLastSeq }),
			);
			const outcomes = await Promise.allSettled(calls);
			expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
			for (const outcome of outcomes) {
				if (outcome.status === "fulfilled") continue;
				expect(outcome.reason).toBeInstanceOf(StoreError);
				expect(outcome.reason).toMatchObject({ code: "Conflict" });
			}
		}
		expect(seqs(await drainMessages(store, { conversationId: "raced" }))).toEqual([1, 2, 3]);
	});

	it("is decided on the locked row, not on what was there before the wait", async () => {
		const { store } = gateway;
		const conversationId = "waited";
		await store.appendMessage({ conversationId, payload: 1 });
		const lock = await lockConversation(gateway, conversationId);
		const plain = store.appendMessage({ conversationId, payload: 2 });
		await waitForLockWaiters(gateway, 1);
		const expecting = failure(store.appendMessage({ conversationId, payload: 3, expectedLastSeq: "1" }));
		await waitForLockWaiters(gateway, 2);
		await lock.release();
		expect(await plain).toMatchObject({ seq: "2" });
		expect(await expecting).toMatchObject({ code: "Conflict", message: expect.stringMatching(/is 2, not 1/) });
	});

	it("refuses what is no seq", async () => {
		for (const expectedLastSeq of ["", "-1", "1.0", "x", 1, "99999999999999999999"]) {
			const call = gateway.store.appendMessage({
				conversationId: "never",
				payload: 1,
				expectedLastSeq: expectedLastSeq as string,
			});
			expect(await failure(call)).toMatchObject({
				code: "BadRequest",
				message: expect.stringMatching(/^expectedLastSeq: /),
			});
		}
		const query = `mutation { appendMessage(input: { conversationId: "never", payload: 1, expectedLastSeq: "9223372036854775808" }) { message { seq } } }`;
		expect((await sendRaw(gateway, { query })).errors[0]).toMatchObject({ extensions: { code: "BadRequest" } });
		expect(await gateway.store.getConversation({ conversationId: "never" })).toBeNull();
	});
});
