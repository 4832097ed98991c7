import { StoreError, type TailInput } from "@iga-pages/agent/sessions";
import { createStore } from "@iga-pages/agent/store";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createBrowserToken } from "../support/browser-tokens.ts";
import { failure } from "../support/errors.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { messagesIn, readTail, sessionsAt } from "../support/tails.ts";

let gateway: TestGateway;
let other: TestGateway;

beforeAll(async () => {
	gateway = await startGateway();
	// It looks by itself after an hour only, so what it tells in time it was hinted at.
	other = await startGateway({ databaseUrl: gateway.databaseUrl, limits: { tailPollMs: 3_600_000 } });
});

afterAll(async () => {
	await other.close();
	await gateway.close();
});

/** The sessions of the first project on the other gateway. */
function elsewhere() {
	return sessionsAt({ url: other.url, token: gateway.token });
}

/** What a tail tells first, taken one by one. */
async function take(conversationId: string, after: string | undefined, count: number) {
	const tail = sessionsAt(gateway).tail({ conversationId, ...(after === undefined ? {} : { after }) });
	const events = [];
	for (let index = 0; index < count; index++) events.push((await tail.next()).value!);
	await tail.return?.();
	return events;
}

describe("tail", () => {
	it("tells what is there and what comes, on any gateway", async () => {
		const conversationId = "both";
		const { store } = gateway;
		await store.appendMessage({ conversationId, payload: 1 });
		const tails = [sessionsAt(gateway), elsewhere()].map((sessions) => readTail(sessions, { conversationId }));
		for (const tail of tails) await tail.until((events) => messagesIn(events) === 1);
		await store.appendMessages({ conversationId, messages: [{ payload: 2 }, { payload: 3 }] });
		for (const tail of tails) {
			await tail.until((events) => messagesIn(events) === 3);
			expect(tail.payloads()).toEqual([1, 2, 3]);
			expect(tail.events.map(({ kind }) => kind)).toEqual(["opened", "message", "message", "message"]);
		}
	});

	it("MSG-2: tells 300 appends of parallel writers on two gateways once and in order", async () => {
		const conversationId = "parallel";
		const tails = [sessionsAt(gateway), elsewhere()].map((sessions) => readTail(sessions, { conversationId }));
		const { store } = await gateway.createProject();
		await store.appendMessage({ conversationId, payload: "another project's" });
		const stores = [gateway, other].map(({ url }) => createStore({ url, token: gateway.token }));
		await Promise.all(
			Array.from({ length: 12 }, async (_, writer) => {
				for (let round = 0; round < 25; round++) {
					await stores[writer % 2]!.appendMessage({ conversationId, payload: [writer, round] });
				}
			}),
		);
		for (const tail of tails) {
			await tail.until((events) => messagesIn(events) >= 300);
			const seqs = tail.events.flatMap((event) => (event.kind === "message" ? [Number(event.message.seq)] : []));
			expect(seqs).toEqual(Array.from({ length: 300 }, (_, index) => index + 1));
		}
	});

	it("tells the messages of all branches, each with its branch and kind", async () => {
		const conversationId = "branches";
		const { store } = gateway;
		const sessions = sessionsAt(gateway);
		const tail = readTail(elsewhere(), { conversationId });
		const { messageId } = await store.appendMessage({ conversationId, payload: "question" });
		await store.appendMessage({ conversationId, payload: "answer" });
		await sessions.branch({ conversationId, messageId });
		await store.appendMessage({ conversationId, payload: "another answer" });
		await sessions.appendCustom({ conversationId, payload: "note" });
		await tail.until((events) => messagesIn(events) === 4);
		const told = tail.events.flatMap((event) => (event.kind === "message" ? [event.message] : []));
		expect(told.map(({ branch, kind, payload }) => [branch, kind, payload])).toEqual([
			[0, "message", "question"],
			[0, "message", "answer"],
			[1, "message", "another answer"],
			[1, "custom", "note"],
		]);
		const read = await Promise.all(told.map(({ messageId }) => store.getMessage({ messageId })));
		expect(told).toEqual(read);
	});

	it("goes on behind each of its positions", async () => {
		const conversationId = "resumed";
		await gateway.store.appendMessages({ conversationId, messages: [1, 2, 3].map((payload) => ({ payload })) });
		const events = await take(conversationId, undefined, 4);
		for (const [index, { position }] of events.entries()) {
			const tail = readTail(elsewhere(), { conversationId, after: position });
			await tail.until((told) => messagesIn(told) === 3 - index || (index > 2 && told.length > 0));
			expect(tail.payloads()).toEqual([1, 2, 3].slice(index));
		}
	});

	it("begins with the newest messages when asked for so many", async () => {
		const conversationId = "newest";
		await gateway.store.appendMessages({ conversationId, messages: [1, 2, 3].map((payload) => ({ payload })) });
		const wanted = [0, 2, 9].map((last) => readTail(sessionsAt(gateway), { conversationId, last }));
		for (const tail of wanted) await tail.until((events) => events.length > 0);
		await gateway.store.appendMessage({ conversationId, payload: 4 });
		for (const tail of wanted) await tail.until(() => tail.payloads().includes(4));
		expect(wanted.map((tail) => tail.payloads())).toEqual([[4], [2, 3, 4], [1, 2, 3, 4]]);
	});

	it("waits for an unknown conversation, also one that a fork makes", async () => {
		const tail = readTail(elsewhere(), { conversationId: "to come" });
		await tail.until((events) => events.length === 1);
		await gateway.store.appendMessage({ conversationId: "origin", payload: "forked" });
		await sessionsAt(gateway).fork({ conversationId: "origin", newConversationId: "to come" });
		await tail.until((events) => messagesIn(events) === 1);
		expect(tail.events.map(({ kind }) => kind)).toEqual(["opened", "message"]);
	});

	it("CONV-5: is reset when the conversation is deleted, and tells the new one", async () => {
		const conversationId = "re-created";
		const { store } = gateway;
		await store.appendMessages({ conversationId, messages: [{ payload: "old 1" }, { payload: "old 2" }] });
		const tails = [sessionsAt(gateway), elsewhere()].map((sessions) => readTail(sessions, { conversationId }));
		for (const tail of tails) await tail.until((events) => messagesIn(events) === 2);
		await store.deleteConversation({ conversationId });
		await store.appendMessage({ conversationId, payload: "new 1" });
		for (const tail of tails) {
			await tail.until(() => tail.payloads().includes("new 1"));
			expect(tail.payloads()).toEqual(["new 1"]);
			expect(tail.events.filter(({ kind }) => kind === "reset")).toHaveLength(1);
		}
		// A position of the deleted one is a reset, too.
		const old = tails[0]!.events[1]!.position;
		const resumed = await take(conversationId, old, 3);
		expect(resumed.map(({ kind }) => kind)).toEqual(["opened", "reset", "message"]);
	});

	it("does not tell updates, deletes and clearing", async () => {
		const conversationId = "changed";
		const { store } = gateway;
		const [first, second] = await store.appendMessages({ conversationId, messages: [{ payload: 1 }, { payload: 2 }] });
		const tail = readTail(sessionsAt(gateway), { conversationId });
		await tail.until((events) => messagesIn(events) === 2);
		await store.updateMessage({ messageId: first!.messageId, payload: "changed" });
		await store.deleteMessage({ messageId: second!.messageId });
		await store.clearMessages({ conversationId });
		await store.appendMessage({ conversationId, payload: 3 });
		await tail.until((events) => messagesIn(events) === 3);
		expect(tail.payloads()).toEqual([1, 2, 3]);
		expect(tail.events).toHaveLength(4);
	});

	it("refuses positions of another conversation or project, edited or cut", async () => {
		const [{ position }] = (await take("position", undefined, 1)) as [{ position: string }];
		const foreign = await gateway.createProject();
		const page = await gateway.store.listMessages({ conversationId: "resumed", limit: 1 });
		const attempts: [string, { url: string; token: string }, string][] = [
			["resumed", gateway, position],
			["position", { url: gateway.url, token: foreign.token }, position],
			["position", gateway, position.slice(0, -2)],
			["position", gateway, `${position.startsWith("A") ? "B" : "A"}${position.slice(1)}`],
			["resumed", gateway, page.nextCursor!],
		];
		for (const [conversationId, access, after] of attempts) {
			const error = await failure(sessionsAt(access).tail({ conversationId, after }).next());
			expect(error).toMatchObject({ code: "BadRequest", status: 400 });
			expect(error.message).toMatch(/^after: /);
		}
	});

	it("refuses invalid input at the call", () => {
		const { tail } = sessionsAt(gateway);
		for (const [input, message] of [
			[{ conversationId: "" }, /^conversationId: .*VAL-1/],
			[{ conversationId: "c", after: "" }, /^after: /],
			[{ conversationId: "c", last: -1 }, /^last: /],
			[{ conversationId: "c", last: 1, after: "x" }, /^last: must be omitted with after/],
			[{ conversationId: "c", since: 1 }, /since/],
		] as const) {
			expect(() => tail(input as TailInput)).toThrow(message);
			expect(() => tail(input as TailInput)).toThrow(StoreError);
		}
	});

	it("ends with AbortError when the caller aborts, and in silence when the loop is left", async () => {
		const tail = readTail(sessionsAt(gateway), { conversationId: "aborted" });
		await tail.until((events) => events.length === 1);
		expect(await tail.stop()).toMatchObject({ code: "AbortError" });
		for await (const event of sessionsAt(gateway).tail({ conversationId: "aborted" })) {
			expect(event.kind).toBe("opened");
			break;
		}
	});

	it("is told in the same process, too", async () => {
		const conversationId = "in process";
		const sessions = sessionsAt(gateway, gateway.gateway.fetch as typeof fetch);
		const tail = readTail(sessions, { conversationId });
		await gateway.store.appendMessage({ conversationId, payload: 1 });
		await tail.until((events) => messagesIn(events) === 1);
	});
});

describe("a tail's credential", () => {
	it("ISO-2: sees nothing of other conversations than its own, and of those as if they were not there", async () => {
		const { store, url } = gateway;
		await store.appendMessage({ conversationId: "secret", payload: "secret" });
		const token = await createBrowserToken(gateway, { conversationIds: ["mine"] });
		const [secret, absent, mine] = ["secret", "absent", "mine"].map((conversationId) =>
			readTail(sessionsAt({ url, token }), { conversationId }),
		);
		for (const tail of [secret, absent]) await tail!.until((events) => events.length === 1);
		await store.appendMessage({ conversationId: "secret", payload: "secret 2" });
		await store.appendMessage({ conversationId: "mine", payload: 1 });
		await mine!.until((events) => messagesIn(events) === 1);
		const shapes = [secret, absent].map((tail) =>
			tail!.events.map((event) => ({ ...event, position: event.position.length })),
		);
		expect(shapes[0]).toEqual(shapes[1]);
		expect(shapes[0]).toHaveLength(1);
	});

	it("is needed to open it", async () => {
		const error = await failure(sessionsAt({ url: gateway.url, token: "ags_x" }).tail({ conversationId: "c" }).next());
		expect(error).toMatchObject({ code: "Unauthorized", status: 401 });
	});
});
