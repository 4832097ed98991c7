import { afterAll, beforeAll, expect, it } from "vitest";
import { DEFAULT_LIMITS } from "../../server/domain/limits.ts";
import type { Scope } from "../../server/store/scope.ts";
import { Tails } from "../../server/store/tails.ts";
import { checkToken } from "../../server/store/tokens.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";

let gateway: TestGateway;
let tails: Tails;
let reads = 0;
let scope: Scope;

beforeAll(async () => {
	gateway = await startGateway();
	// Only hints wake it.
	tails = new Tails({ listenUrl: gateway.databaseUrl, limits: { tailPollMs: 3_600_000 }, onError: () => {} });
	const identity = await checkToken(gateway.db, gateway.token);
	const db: Scope["db"] = {
		prisma: gateway.db.prisma,
		write: gateway.db.write,
		transaction: gateway.db.transaction,
		together: gateway.db.together,
		read: (statement, values) => {
			reads += 1;
			return gateway.db.read(statement, values);
		},
	};
	scope = { db, identity: identity!, limits: DEFAULT_LIMITS };
});

afterAll(async () => {
	await tails.close();
	await gateway.close();
});

it("a tail reads no further than its reader has come", async () => {
	const conversationId = "long";
	for (let batch = 0; batch < 3; batch++) {
		const messages = Array.from({ length: 50 }, (_, index) => ({ payload: batch * 50 + index }));
		await gateway.store.appendMessages({ conversationId, messages });
	}
	reads = 0;
	const tail = tails.open(scope, { conversationId }, async () => {});
	for (let taken = 0; taken <= 50; taken++) await tail.next();
	expect(reads).toBe(1);
	for (let taken = 51; taken <= 150; taken++) await tail.next();
	expect(reads).toBe(3);
	await tail.return?.();
});

it("a tail reads little at a time of large messages", async () => {
	const conversationId = "large";
	const messages = Array.from({ length: 4 }, () => ({ payload: "x".repeat(700_000) }));
	await gateway.store.appendMessages({ conversationId, messages });
	reads = 0;
	const tail = tails.open(scope, { conversationId }, async () => {});
	for (let taken = 0; taken <= 1; taken++) await tail.next();
	expect(reads).toBe(1);
	for (let taken = 2; taken <= 4; taken++) await tail.next();
	expect(reads).toBe(4);
	await tail.return?.();
});

it("a tail looks once a hint, however many messages it tells of", async () => {
	const conversationId = "burst";
	const tail = tails.open(scope, { conversationId }, async () => {});
	await tail.next();
	reads = 0;
	const next = tail.next();
	await gateway.store.appendMessages({ conversationId, messages: [1, 2, 3].map((payload) => ({ payload })) });
	const told = [await next, await tail.next(), await tail.next()].map(({ value }) => value?.message?.payload);
	expect(told).toEqual([1, 2, 3]);
	expect(reads).toBeLessThanOrEqual(2);
	await tail.return?.();
});

it("a tail that is left while it waits ends at once", async () => {
	const tail = tails.open(scope, { conversationId: "left" }, async () => {});
	await tail.next();
	const waiting = tail.next();
	expect(tails.count).toBe(1);
	await tail.return?.();
	expect(await waiting).toEqual({ done: true, value: undefined });
	expect(tails.count).toBe(0);
});

it("tails end with ServiceUnavailable when they are closed, and those that are opened later", async () => {
	const closing = new Tails({ listenUrl: undefined, limits: { tailPollMs: 3_600_000 }, onError: () => {} });
	const tail = closing.open(scope, { conversationId: "closed" }, async () => {});
	await tail.next();
	const waiting = tail.next();
	await closing.close();
	await expect(waiting).rejects.toMatchObject({ code: "ServiceUnavailable" });
	const late = closing.open(scope, { conversationId: "closed" }, async () => {});
	await expect(late.next()).rejects.toMatchObject({ code: "ServiceUnavailable" });
	expect(closing.count).toBe(0);
});
