import { readdir, readFile } from "node:fs/promises";
import { createStore } from "@iga-pages/agent/store";
import { createCheckpointer } from "@iga-pages/agent/store/langgraph";
import pg from "pg";
import { expect, it, onTestFinished } from "vitest";
import { migrate } from "../../server/store/migrate.ts";
import { createDatabase } from "../support/database.ts";
import { startGateway } from "../support/gateway.ts";
import { migrateTo, migrationNames } from "../support/migrations.ts";
import { drainMessages } from "../support/pages.ts";

/** For each migration, what the gateway of its time wrote. A new migration brings a file of its own. */
const ROWS = new URL("rows/", import.meta.url);

/** Of the rows of the first migration. */
const TOKEN = `ags_${Buffer.concat([Buffer.from("00000000000040008000000000000001", "hex"), Buffer.alloc(32, 1)]).toString("base64url")}`;

it("an upgrade keeps what was written at every step, and goes on from there", async () => {
	const names = await migrationNames();
	expect((await readdir(ROWS)).sort()).toEqual(names.map((name) => `${name}.sql`));
	const { url, drop } = await createDatabase({ migrated: false });
	onTestFinished(drop);
	for (const index of names.keys()) {
		await migrateTo(url, names.slice(0, index + 1));
		const client = new pg.Client(url);
		await client.connect();
		await client.query(await readFile(new URL(`${names[index]}.sql`, ROWS), "utf8"));
		await client.end();
	}
	expect(await migrate(url)).toEqual([]);

	const gateway = await startGateway({ databaseUrl: url });
	onTestFinished(gateway.close);
	const store = createStore({ url: gateway.url, token: TOKEN });
	const plain = await drainMessages(store, { conversationId: "plain" });
	const common = { conversationId: "plain" };
	expect(plain).toHaveLength(2);
	expect(plain).toMatchObject([
		{
			...common,
			messageId: "plain-1",
			seq: "1",
			role: "user",
			type: null,
			payload: { text: "\u0000 \ud800", b: 1, a: 2 },
			metadata: { "\u0000": 5e-324 },
			createdAt: "2026-01-02T03:04:05.678Z",
			updatedAt: "2026-01-02T03:04:05.678Z",
		},
		{
			...common,
			messageId: "plain-3",
			seq: "3",
			role: null,
			type: "tool",
			payload: null,
			metadata: {},
			createdAt: "2026-01-02T03:04:06.789Z",
			updatedAt: "2026-01-02T03:04:06.789Z",
		},
	]);
	expect(JSON.stringify(plain[0]!.payload)).toBe('{"text":"\\u0000 \\ud800","b":1,"a":2}');
	const { metadata } = (await store.getConversation({ conversationId: "plain" }))!;
	expect(JSON.stringify(metadata)).toBe('{"title":"第一","b":1,"a":{"__proto__":[1e+21]}}');
	const payloads = (await drainMessages(store, { conversationId: "tree" })).map(({ payload }) => payload);
	expect(payloads).toEqual(["root", "right"]);
	const [large] = await drainMessages(store, { conversationId: "large" });
	expect(large!.payload).toBe("a text ".repeat(5_000));
	const checkpointer = createCheckpointer(null, { store });
	const thread = { configurable: { thread_id: "pieces" } };
	const values = { list: ["a", "b", "b", "c"], whole: { a: 1 } };
	expect((await checkpointer.getTuple(thread))?.checkpoint.channel_values).toEqual(values);

	expect(await store.appendMessage({ conversationId: "plain", payload: "new" })).toMatchObject({ seq: "4" });
	const replay = { conversationId: "plain", messageId: "plain-3", type: "tool", payload: null };
	expect(await store.appendMessage(replay)).toEqual(plain[1]);
	await store.updateMessage({ messageId: "plain-1", payload: "changed" });
	await store.deleteConversation({ conversationId: "tree" });
});
