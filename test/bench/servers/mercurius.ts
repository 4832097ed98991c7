import fastify from "fastify";
import mercurius from "mercurius";
import type { Call } from "../call.ts";
import { onPostgres } from "./pg-rows.ts";
import { readOptions } from "./queries.ts";

/** Mercurius, the GraphQL of Fastify, compiling its queries, with pg and the gateway's SQL; nobody is asked who they are. */
const SCHEMA = `
	scalar JSON
	type Message {
		messageId: String! conversationId: String! seq: String! branch: Int! kind: String! role: String type: String
		payload: JSON metadata: JSON! label: String sourceMessageId: String createdAt: String! updatedAt: String!
	}
	type Conversation { conversationId: String! metadata: JSON! createdAt: String! updatedAt: String! }
	type PageInfo { hasNextPage: Boolean! endCursor: String }
	type Messages { nodes: [Message!]! pageInfo: PageInfo! }
	type Conversations { nodes: [Conversation!]! pageInfo: PageInfo! }
	type Appended { messages: [Message!]! }
	input MessageInput { messageId: String! role: String payload: JSON }
	type Query {
		messages(conversationId: String!, order: String!, limit: Int!): Messages
		message(messageId: String!): Message
		conversations(limit: Int!): Conversations
	}
	type Mutation { append(conversationId: String!, messages: [MessageInput!]!): Appended }
`;

const postgres = onPostgres(readOptions());
const app = fastify();

type Arguments<Kind> = Omit<Extract<Call, { kind: Kind }>, "kind">;

await app.register(mercurius, {
	schema: SCHEMA,
	jit: 1,
	resolvers: {
		Query: {
			messages: (_: unknown, args: Arguments<"messages">) => postgres.messages({ kind: "messages", ...args }),
			message: (_: unknown, args: Arguments<"message">) => postgres.message({ kind: "message", ...args }),
			conversations: (_: unknown, args: Arguments<"conversations">) =>
				postgres.conversations({ kind: "conversations", ...args }),
		},
		Mutation: { append: (_: unknown, args: Arguments<"append">) => postgres.append({ kind: "append", ...args }) },
	},
});
await app.listen({ host: "127.0.0.1", port: 0 });
