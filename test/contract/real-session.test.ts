import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import type { JsonValue } from "@iga-pages/agent/store";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { drainMessages, seqs } from "../support/pages.ts";

const FILE = new URL("../../../shared/data/agent-session.jsonl", import.meta.url);
const found = existsSync(FILE);

let gateway: TestGateway;

beforeAll(async () => {
	gateway = await startGateway();
});

afterAll(() => gateway.close());

interface Line {
	type: string;
	message?: JsonValue & { role: string };
}

describe("a real agent session", () => {
	it.runIf(found)("VAL-3 MSG-2 MSG-7: all its 990 messages come back exactly, in both orders", async () => {
		const { store } = gateway;
		const conversationId = "agent-session";
		const lines = (await readFile(FILE, "utf8")).trim().split("\n");
		const messages = lines
			.map((line) => JSON.parse(line) as Line)
			.filter(({ type }) => type === "message")
			.map((line, index) => ({
				messageId: `session-${index + 1}`,
				role: line.message!.role,
				type: line.type,
				payload: line as unknown as JsonValue,
				metadata: { line: index + 1 },
			}));
		expect(messages).toHaveLength(990);
		for (let start = 0; start < messages.length; start += 100) {
			await store.appendMessages({ conversationId, messages: messages.slice(start, start + 100) });
		}
		const stored = await drainMessages(store, { conversationId, limit: 200 });
		expect(seqs(stored)).toEqual(messages.map((_, index) => index + 1));
		// As text, so that the order of keys counts, too.
		expect(stored.map(({ payload }) => JSON.stringify(payload))).toEqual(
			messages.map(({ payload }) => JSON.stringify(payload)),
		);
		expect(stored.map(({ messageId, role, type, metadata }) => ({ messageId, role, type, metadata }))).toEqual(
			messages.map(({ payload: _, ...rest }) => rest),
		);
		expect(await drainMessages(store, { conversationId, limit: 150, order: "desc" })).toEqual(stored.toReversed());
		// Sent again as after a lost answer, everything is there already.
		expect(await store.appendMessages({ conversationId, messages: messages.slice(890) })).toEqual(stored.slice(890));
	});
});
