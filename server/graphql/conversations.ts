import type { Conversation } from "../domain/conversations.ts";
import { checkId, newId } from "../domain/ids.ts";
import {
	createConversation,
	deleteConversation,
	listConversations,
	updateConversation,
} from "../store/conversations.ts";
import { searchConversations } from "../store/searches.ts";
import { builder } from "./builder.ts";
import { checkForward, toConnection } from "./connections.ts";

const ID = "The conversation's id: 1 to 256 UTF-8 bytes, unique in the project (VAL-1).";
const METADATA = "A title, tags and the like; at most 1 MiB.";

export const ConversationRef = builder.objectRef<Conversation>("Conversation");

builder.node(ConversationRef, {
	description: "A conversation of the project: its metadata and times. Its messages are read by `messages`.",
	id: { resolve: ({ conversationId }) => conversationId, description: "The Relay node id." },
	loadOne: (id, { loaders, limits }) => loaders.conversation.load(checkId("id", id, limits.idBytes)),
	isTypeOf: (value) => "metadata" in (value as object) && !("messageId" in (value as object)),
	fields: (t) => ({
		conversationId: t.exposeString("conversationId", { description: ID }),
		metadata: t.expose("metadata", { type: "JSONObject", description: `${METADATA} {} when never set.` }),
		parentConversationId: t.exposeString("parentConversationId", {
			nullable: true,
			description: "Of a fork, the conversation that it was taken from; it may be gone since.",
		}),
		parentMessageId: t.exposeString("parentMessageId", {
			nullable: true,
			description: "Of a fork, the message up to which it was taken; null when there was none.",
		}),
		createdAt: t.expose("createdAt", { type: "DateTime", description: "When it was created." }),
		updatedAt: t.expose("updatedAt", {
			type: "DateTime",
			description: "When its messages or metadata last changed; never moves backwards (CONV-6).",
		}),
	}),
});

const ConversationConnection = builder.connectionObject(
	{ type: ConversationRef, name: "ConversationConnection", description: "A page of conversations." },
	{ name: "ConversationEdge", description: "A conversation and the cursor after it." },
);

builder.queryField("conversation", (t) =>
	t.field({
		type: ConversationRef,
		nullable: true,
		description: "One conversation, or null (CONV-2).",
		args: { conversationId: t.arg.string({ required: true, description: ID }) },
		resolve: (_root, { conversationId }, { loaders, limits }) =>
			loaders.conversation.load(checkId("conversationId", conversationId, limits.idBytes)),
	}),
);

builder.queryField("conversations", (t) =>
	t.connection(
		{
			type: ConversationRef,
			nullable: true,
			description:
				"The project's conversations, the latest updated first, then by id descending (CONV-3). Not a fixed snapshot: one whose updatedAt moves during a walk may repeat or be missed.",
			args: {
				search: t.arg.string({
					description:
						"Only those with every one of these words in their title or in a message of any branch: 1 to 256 UTF-8 bytes, words separated by spaces, in any case. BadRequest where search is not enabled.",
				}),
			},
			resolve: async (_root, { search, ...args }, context) => {
				checkForward(args, "");
				const page =
					search == null ? listConversations(context, args) : searchConversations(context, { ...args, search });
				return toConnection(await page, args.after);
			},
		},
		ConversationConnection,
	),
);

builder.relayMutationField(
	"createConversation",
	{
		description: "Of createConversation.",
		inputFields: (t) => ({
			conversationId: t.string({ description: `${ID} Made by the gateway when omitted.` }),
			metadata: t.field({ type: "JSONObject", description: `${METADATA} {} when omitted.` }),
		}),
	},
	{
		nullable: true,
		description: "Creates a conversation. An id that exists is a Conflict with Postgres's 23505 inside (CONV-1).",
		resolve: (_root, { input }, context) =>
			createConversation(context, { ...input, conversationId: input.conversationId ?? newId() }),
	},
	{
		description: "Of createConversation.",
		outputFields: (t) => ({
			conversation: t.field({ type: ConversationRef, resolve: (it) => it, description: "The new conversation." }),
		}),
	},
);

builder.relayMutationField(
	"updateConversation",
	{
		description: "Of updateConversation.",
		inputFields: (t) => ({
			conversationId: t.string({ required: true, description: ID }),
			metadata: t.field({
				type: "JSONObject",
				required: true,
				description: "Top-level keys to set; null removes a key, absent keys stay, nested values are replaced whole.",
			}),
		}),
	},
	{
		nullable: true,
		description: "Merges metadata by top-level keys (CONV-4). An unknown conversation is NotFound; {} changes nothing.",
		resolve: (_root, { input }, context) => updateConversation(context, input),
	},
	{
		description: "Of updateConversation.",
		outputFields: (t) => ({
			conversation: t.field({
				type: ConversationRef,
				resolve: (it) => it,
				description: "The conversation afterwards.",
			}),
		}),
	},
);

builder.relayMutationField(
	"deleteConversation",
	{
		description: "Of deleteConversation.",
		inputFields: (t) => ({ conversationId: t.string({ required: true, description: ID }) }),
	},
	{
		nullable: true,
		description: "Deletes a conversation with all its messages for ever. An unknown one is a success (CONV-5).",
		resolve: async (_root, { input }, context) => {
			await deleteConversation(context, input);
			return input;
		},
	},
	{
		description: "Of deleteConversation.",
		outputFields: (t) => ({ conversationId: t.exposeString("conversationId", { description: "The id as given." }) }),
	},
);
