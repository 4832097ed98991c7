import { readFile } from "node:fs/promises";
import pg from "pg";
import { type Call, CONVERSATION_FIELDS, MESSAGE_FIELDS } from "../call.ts";
import type { Message } from "../load.ts";
import { startServerProcess } from "../server-process.ts";
import { type Contender, decodeGraphql, jsonPost, overHttp, type Start } from "./contender.ts";

/** PostGraphile 5, with a function in SQL for the append. */
export async function startPostgraphile({ databaseUrl, projectId }: Start): Promise<Contender> {
	const client = new pg.Client(databaseUrl);
	await client.connect();
	await client.query(await readFile(new URL("../servers/postgraphile.sql", import.meta.url), "utf8"));
	await client.end();
	const process = await startServerProcess("./servers/postgraphile.ts", [databaseUrl]);
	return overHttp("PostGraphile 5", projectId, process, {
		encode: (call) => encode(projectId, call),
		decode: decodeGraphql,
	});
}

const APPEND = `mutation Append($input: PeersAppendMessageInput!) {
	peersAppendMessage(input: $input) { result { ${MESSAGE_FIELDS.join(" ")} } }
}`;

const PAGE = "pageInfo { hasNextPage endCursor }";

const MESSAGES = `query Messages($projectId: UUID!, $conversationId: String!, $first: Int!, $orderBy: [MessageOrderBy!]!) {
	allMessages(
		condition: { projectId: $projectId, conversationId: $conversationId, branch: 0 }, first: $first, orderBy: $orderBy
	) { nodes { ${MESSAGE_FIELDS.join(" ")} } ${PAGE} }
}`;

const MESSAGE = `query Message($projectId: UUID!, $messageId: String!) {
	messageByProjectIdAndMessageId(projectId: $projectId, messageId: $messageId) { ${MESSAGE_FIELDS.join(" ")} }
}`;

const CONVERSATIONS = `query Conversations($projectId: UUID!, $first: Int!) {
	allConversations(
		condition: { projectId: $projectId }, first: $first, orderBy: [UPDATED_AT_DESC, CONVERSATION_ID_DESC]
	) { nodes { ${CONVERSATION_FIELDS.join(" ")} } ${PAGE} }
}`;

function encode(projectId: string, call: Call): Message {
	switch (call.kind) {
		case "append": {
			const { conversationId, messages } = call;
			const [message] = messages;
			if (messages.length > 1) throw new Error("Its function appends one message");
			const variables = { input: { projectId, conversationId, ...message, metadata: {} } };
			return jsonPost("/graphql", { query: APPEND, variables });
		}
		case "messages": {
			const { conversationId, order, limit } = call;
			const variables = {
				projectId,
				conversationId,
				first: limit,
				orderBy: [order === "asc" ? "SEQ_ASC" : "SEQ_DESC"],
			};
			return jsonPost("/graphql", { query: MESSAGES, variables });
		}
		case "message":
			return jsonPost("/graphql", { query: MESSAGE, variables: { projectId, messageId: call.messageId } });
		case "conversations":
			return jsonPost("/graphql", { query: CONVERSATIONS, variables: { projectId, first: call.limit } });
	}
}
