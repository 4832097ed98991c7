import { isDeepStrictEqual } from "node:util";
import pg from "pg";
import type { Call } from "../call.ts";
import { POOL_SIZE, type ProgramOptions, toQuery } from "./queries.ts";

interface Row {
	[column: string]: unknown;
}

/** Does the calls by the gateway's SQL, for servers that somebody wrote by hand. */
export function onPostgres(options: ProgramOptions) {
	const pool = new pg.Pool({ connectionString: options.databaseUrl, max: POOL_SIZE });
	const run = async (call: Call) => (await pool.query<Row>(toQuery(options, call))).rows;

	return {
		append: async (call: Extract<Call, { kind: "append" }>) => {
			const byId = new Map((await run(call)).map((row) => [row["message_id"], row]));
			const messages = call.messages.map(({ messageId, payload }) => {
				const row = byId.get(messageId);
				if (row === undefined || !(row["is_new"] || isDeepStrictEqual(row["payload"], payload))) {
					throw new Error("conflict");
				}
				return toMessage(row);
			});
			return { messages };
		},
		messages: async (call: Extract<Call, { kind: "messages" }>) => {
			const rows = await run(call);
			const found = rows.filter((row) => row["message_id"] !== null);
			return toPage(found, toMessage, found.at(-1)?.["seq"]);
		},
		message: async (call: Extract<Call, { kind: "message" }>) => {
			const [row] = await run(call);
			return row === undefined ? null : toMessage(row);
		},
		conversations: async (call: Extract<Call, { kind: "conversations" }>) => {
			const rows = await run(call);
			return toPage(rows, toConversation, rows.at(-1)?.["updated_at"]);
		},
	};
}

function toPage<T>(rows: Row[], toItem: (row: Row) => T, endCursor: unknown) {
	const hasNextPage = Number(rows[0]?.["fetched"] ?? 0) > rows.length;
	return { nodes: rows.map(toItem), pageInfo: { hasNextPage, endCursor: endCursor ?? null } };
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
