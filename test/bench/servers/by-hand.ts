import { isDeepStrictEqual } from "node:util";
import fastify from "fastify";
import pg from "pg";
import type { Call } from "../call.ts";
import { POOL_SIZE, readOptions, toQuery } from "./queries.ts";

/** By hand: Fastify and pg with the gateway's SQL; no GraphQL, and nobody is asked who they are. */
const options = readOptions();
const pool = new pg.Pool({ connectionString: options.databaseUrl, max: POOL_SIZE });
const app = fastify();

interface Row {
	[column: string]: unknown;
}

function toMessage(row: Row) {
	return {
		messageId: row["message_id"],
		conversationId: row["conversation_id"],
		seq: row["seq"],
		branch: row["branch"],
		kind: row["kind"],
		role: row["role"],
		type: row["type"],
		payload: row["payload"],
		metadata: row["metadata"],
		label: row["label"],
		sourceMessageId: row["source_message_id"],
		createdAt: row["created_at"],
		updatedAt: row["updated_at"],
	};
}

function toConversation(row: Row) {
	return {
		conversationId: row["conversation_id"],
		metadata: row["metadata"],
		createdAt: row["created_at"],
		updatedAt: row["updated_at"],
	};
}

async function run(call: Call): Promise<Row[]> {
	return (await pool.query<Row>(toQuery(options, call))).rows;
}

async function findReplay({ messages }: Extract<Call, { kind: "append" }>): Promise<Row[]> {
	const { rows } = await pool.query<Row>({
		...toQuery(options, { kind: "message", messageId: "" }),
		values: [options.projectId, messages.map(({ messageId }) => messageId)],
	});
	const stored = new Map(rows.map((row) => [row["message_id"], row]));
	return messages.map(({ messageId, payload }) => {
		const row = stored.get(messageId);
		if (row === undefined || !isDeepStrictEqual(row["payload"], payload)) throw new Error("conflict");
		return row;
	});
}

app.post<{ Body: Extract<Call, { kind: "append" }> }>("/append", async ({ body }) => {
	const rows = await run(body);
	const found = rows.length > 0 ? rows : await findReplay(body);
	const byId = new Map(found.map((row) => [row["message_id"], row]));
	return { messages: body.messages.map(({ messageId }) => toMessage(byId.get(messageId)!)) };
});

app.post<{ Body: Extract<Call, { kind: "messages" }> }>("/messages", async ({ body }) => {
	const rows = await run(body);
	const found = rows.filter((row) => row["message_id"] !== null);
	const hasNextPage = Number(found[0]?.["fetched"] ?? 0) > found.length;
	return { nodes: found.map(toMessage), pageInfo: { hasNextPage, endCursor: found.at(-1)?.["seq"] ?? null } };
});

app.post<{ Body: Extract<Call, { kind: "message" }> }>("/message", async ({ body }) => {
	const [row] = await run(body);
	return row === undefined ? null : toMessage(row);
});

app.post<{ Body: Extract<Call, { kind: "conversations" }> }>("/conversations", async ({ body }) => {
	const rows = await run(body);
	const hasNextPage = Number(rows[0]?.["fetched"] ?? 0) > rows.length;
	return { nodes: rows.map(toConversation), pageInfo: { hasNextPage, endCursor: rows.at(-1)?.["updated_at"] ?? null } };
});

await app.listen({ host: "127.0.0.1", port: 0 });
