import type { Message, Page } from "@iga-pages/agent/store";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { seqs } from "../support/pages.ts";

let gateway: TestGateway;

beforeAll(async () => {
	gateway = await startGateway();
});

afterAll(() => gateway.close());

const action = fc.oneof(
	{ weight: 5, arbitrary: fc.record({ kind: fc.constant("page" as const), limit: fc.integer({ min: 1, max: 7 }) }) },
	{ weight: 2, arbitrary: fc.record({ kind: fc.constant("append" as const), count: fc.integer({ min: 1, max: 4 }) }) },
	{ weight: 2, arbitrary: fc.record({ kind: fc.constant("delete" as const), pick: fc.nat() }) },
	{ weight: 1, arbitrary: fc.record({ kind: fc.constant("update" as const), pick: fc.nat() }) },
	{ weight: 1, arbitrary: fc.record({ kind: fc.constant("clear" as const) }) },
);

describe("walks through a conversation", () => {
	it("MSG-7 MSG-8 MSG-9: show what a model shows, with appends, updates, deletes and clears between the pages", async () => {
		const { store } = gateway;
		let run = 0;
		await fc.assert(
			fc.asyncProperty(
				fc.integer({ min: 0, max: 12 }),
				fc.constantFrom("asc" as const, "desc" as const),
				fc.array(action, { minLength: 1, maxLength: 15 }),
				async (initial, order, actions) => {
					const conversationId = `walk-${++run}`;
					const model: Message[] = [];
					let lastSeq = 0;
					const append = async (count: number) => {
						if (count === 0) return;
						const messages = Array.from({ length: count }, (_, index) => ({ payload: lastSeq + index + 1 }));
						model.push(...(await store.appendMessages({ conversationId, messages })));
						lastSeq += count;
					};
					await append(initial);
					let bound: number | undefined;
					let position = order === "asc" ? 0 : Number.POSITIVE_INFINITY;
					let page: Page<Message> | undefined;
					for (const step of actions) {
						const picked = "pick" in step && model.length > 0 ? step.pick % model.length : undefined;
						if (step.kind === "append") await append(step.count);
						else if (step.kind === "clear") {
							await store.clearMessages({ conversationId });
							model.length = 0;
						} else if (step.kind === "delete" && picked !== undefined) {
							await store.deleteMessage({ messageId: model[picked]!.messageId });
							model.splice(picked, 1);
						} else if (step.kind === "update" && picked !== undefined) {
							model[picked] = await store.updateMessage({ messageId: model[picked]!.messageId, role: "changed" });
						} else if (step.kind === "page") {
							if (page?.nextCursor === null) break;
							bound ??= lastSeq;
							page = await store.listMessages({
								conversationId,
								order,
								limit: step.limit,
								cursor: page?.nextCursor ?? null,
							});
							const rest = model.filter(({ seq }) => {
								const inWalk = BigInt(seq) <= BigInt(bound!);
								return inWalk && (order === "asc" ? Number(seq) > position : Number(seq) < position);
							});
							if (order === "desc") rest.reverse();
							const expected = rest.slice(0, step.limit);
							expect(page.items).toEqual(expected);
							expect(page.nextCursor === null).toBe(rest.length <= step.limit);
							position = seqs(expected).at(-1) ?? position;
						}
					}
				},
			),
			{ numRuns: 60 },
		);
	});
});
