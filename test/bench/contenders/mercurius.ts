import { type Call, CONVERSATION_FIELDS, MESSAGE_FIELDS } from "../call.ts";
import { startServerProcess } from "../server-process.ts";
import { type Contender, decodeGraphql, jsonPost, overHttp, type Start } from "./contender.ts";

/** Mercurius and pg. */
export async function startMercurius({ databaseUrl, projectId, statements }: Start): Promise<Contender> {
	const options = JSON.stringify({ databaseUrl, projectId, statements });
	const process = await startServerProcess("./servers/mercurius.ts", [options]);
	return overHttp("Mercurius + pg", projectId, process, {
		encode: ({ kind, ...variables }) => jsonPost("/graphql", { query: QUERIES[kind], variables }),
		decode: decodeGraphql,
	});
}

const MESSAGE = MESSAGE_FIELDS.join(" ");
const PAGE = "pageInfo { hasNextPage endCursor }";

const QUERIES: Record<Call["kind"], string> = {
	append: `mutation ($conversationId: String!, $messages: [MessageInput!]!) {
		append(conversationId: $conversationId, messages: $messages) { messages { ${MESSAGE} } }
	}`,
	messages: `query ($conversationId: String!, $order: String!, $limit: Int!) {
		messages(conversationId: $conversationId, order: $order, limit: $limit) { nodes { ${MESSAGE} } ${PAGE} }
	}`,
	message: `query ($messageId: String!) { message(messageId: $messageId) { ${MESSAGE} } }`,
	conversations: `query ($limit: Int!) {
		conversations(limit: $limit) { nodes { ${CONVERSATION_FIELDS.join(" ")} } ${PAGE} }
	}`,
};
