import { createStore } from "@iga-pages/agent/store";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { failure } from "../support/errors.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { drainMessages } from "../support/pages.ts";
import { query, rowVersions } from "../support/sql.ts";

const conversationId = "full";
const messageId = "full-1";

let gateway: TestGateway;
const log: { level: number; requestId: string; err: Record<string, unknown> }[] = [];

beforeAll(async () => {
	const logger = pino({ level: "warn" }, { write: (line: string) => log.push(JSON.parse(line)) });
	gateway = await startGateway({ logger, store: { retries: 0 } });
	await gateway.store.appendMessage({ conversationId, messageId, payload: 1 });
	await query(
		gateway,
		`CREATE FUNCTION disk_full() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
			RAISE EXCEPTION 'could not extend file "base/16384/16385": No space left on device'
				USING ERRCODE = '53100', HINT = 'Check free disk space.';
		END $$`,
	);
});

afterAll(() => gateway.close());

async function setFull(full: boolean) {
	for (const table of ["messages", "conversations"]) {
		await query(
			gateway,
			full
				? `CREATE TRIGGER disk_full BEFORE INSERT OR UPDATE ON ${table} FOR EACH ROW EXECUTE FUNCTION disk_full()`
				: `DROP TRIGGER disk_full ON ${table}`,
		);
	}
}

describe("a database whose disk is full", () => {
	it.each([
		["appendMessage", () => gateway.store.appendMessage({ conversationId, payload: 2 })],
		[
			"appendMessages",
			() => gateway.store.appendMessages({ conversationId: "new", messages: [{ payload: 2 }, { payload: 3 }] }),
		],
		["createConversation", () => gateway.store.createConversation()],
		["updateConversation", () => gateway.store.updateConversation({ conversationId, metadata: { a: 1 } })],
		["updateMessage", () => gateway.store.updateMessage({ messageId, payload: 2 })],
	])("ERR-4 ERR-5 ERR-6: %s is ServiceUnavailable, writes nothing and shows no file; the log does", async (_, call) => {
		const before = await rowVersions(gateway);
		await setFull(true);
		log.length = 0;
		const error = await failure(call());
		await setFull(false);
		expect(error.toJSON()).toEqual({
			code: "ServiceUnavailable",
			status: 503,
			message: "The database has run out of resources; nothing was written",
			requestId: expect.any(String),
		});
		expect(await rowVersions(gateway)).toEqual(before);
		expect(log).toMatchObject([
			{
				level: 40,
				requestId: error.requestId,
				err: { code: "53100", message: expect.stringContaining("No space left") },
			},
		]);
	});

	it("ERR-4: reads go on, and a write that is sent again succeeds when there is room", async () => {
		await setFull(true);
		expect(await drainMessages(gateway.store, { conversationId })).toHaveLength(1);
		let refusals = 0;
		const patient = createStore({
			url: gateway.url,
			token: gateway.token,
			retries: 5,
			fetch: async (url, init) => {
				const response = await fetch(url, init);
				if (response.status === 503 && refusals++ === 0) await setFull(false);
				return response;
			},
		});
		expect(await patient.appendMessage({ conversationId, payload: "kept" })).toMatchObject({ seq: "2" });
		expect(refusals).toBe(1);
	});
});
