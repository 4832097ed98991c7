import { badRequest } from "../domain/faults.ts";
import { checkId, newId } from "../domain/ids.ts";
import type { JsonValue } from "../domain/json.ts";
import type { Message, MessageInput } from "../domain/messages.ts";
import { appendMessage, appendMessages } from "../store/appends.ts";
import { listMessages } from "../store/message-pages.ts";
import { clearMessages, deleteMessage, updateMessage } from "../store/messages.ts";
import { builder } from "./builder.ts";
import { checkForward, toConnection } from "./connections.ts";
import { ConversationRef } from "./conversations.ts";

const ID = "The message's id: 1 to 256 UTF-8 bytes, unique in the project (VAL-1).";
const CONVERSATION_ID = "The conversation's id: 1 to 256 UTF-8 bytes (VAL-1).";
const ROLE = "Such as user or assistant, or the application's own; at most 256 UTF-8 bytes (VAL-2).";
const TYPE = "The application's own kind of message; at most 256 UTF-8 bytes, never interpreted (VAL-2).";
const PAYLOAD = "The content: any JSON value (VAL-3).";
const METADATA = "Facts about this message alone, apart from the conversation's metadata (VAL-4).";
const EXPECTED_LAST_SEQ =
	"The last seq that the conversation must have, a decimal string, 0 for none: else it is a Conflict that tells the last seq. Messages that are stored already are returned all the same.";
const TURN_ROUND = "; order: DESC reads from the newest";

export const MessageRef = builder.objectRef<Message>("Message");

export const MessageKindRef = builder.enumType("MessageKind", {
	description: "What a message is to the conversation; the application's own kinds stand in its type.",
	values: {
		message: { description: "One that the application appended." },
		compaction: { description: "A summary that stands for what comes before the messages that it keeps." },
		branch_summary: { description: "A summary of another branch." },
		custom: { description: "What the application keeps on the path and no model sees." },
	} as const,
});

builder.node(MessageRef, {
	description: "A message of a conversation.",
	id: { resolve: ({ messageId }) => messageId, description: "The Relay node id." },
	loadOne: (id, { loaders, limits }) => loaders.message.load(checkId("id", id, limits.idBytes)),
	isTypeOf: (value) => "messageId" in (value as object),
	fields: (t) => ({
		messageId: t.exposeString("messageId", { description: ID }),
		conversationId: t.exposeString("conversationId", { description: "The id of its conversation." }),
		conversation: t.field({
			type: ConversationRef,
			nullable: true,
			description: "Its conversation; null when it was deleted meanwhile.",
			resolve: ({ conversationId }, _args, { loaders }) => loaders.conversation.load(conversationId),
		}),
		seq: t.exposeString("seq", {
			description:
				"Its place in the conversation, a decimal string: compare as big integers. Gaps remain where messages were deleted (MSG-2).",
		}),
		branch: t.exposeInt("branch", { description: "The branch that it was appended to; others may share it." }),
		kind: t.expose("kind", { type: MessageKindRef, description: "Written by the session operations only." }),
		role: t.exposeString("role", { nullable: true, description: ROLE }),
		type: t.exposeString("type", { nullable: true, description: TYPE }),
		payload: t.expose("payload", { type: "JSON", nullable: true, description: PAYLOAD }),
		metadata: t.expose("metadata", { type: "JSONObject", description: `${METADATA} {} when never set.` }),
		label: t.exposeString("label", { nullable: true, description: "Set by setLabel; null when it has none." }),
		sourceMessageId: t.exposeString("sourceMessageId", {
			nullable: true,
			description: "In a fork, the id of the message that this is a copy of; it may be gone since.",
		}),
		createdAt: t.expose("createdAt", { type: "DateTime", description: "When it was appended." }),
		updatedAt: t.expose("updatedAt", { type: "DateTime", description: "When it was last updated." }),
	}),
});

const OrderRef = builder.enumType("Order", {
	description: "The order of a walk through messages, by seq.",
	values: {
		ASC: { value: "asc", description: "The oldest first." },
		DESC: { value: "desc", description: "The newest first." },
	} as const,
});

const MessageConnection = builder.connectionObject(
	{ type: MessageRef, name: "MessageConnection", description: "A page of messages." },
	{ name: "MessageEdge", description: "A message and the cursor after it." },
);

const BRANCH = "The branch whose path is read; the active one when omitted.";
const ALL_BRANCHES = "Reads the messages of all branches, by seq, in place of one path.";

builder.objectField(ConversationRef, "messages", (t) =>
	t.connection(
		{
			type: MessageRef,
			description: "Its messages, as in Query.messages; in a list of conversations all are read by one statement.",
			args: {
				order: t.arg({ type: OrderRef, defaultValue: "asc", description: "ASC when omitted." }),
				branch: t.arg.int({ description: BRANCH }),
				allBranches: t.arg.boolean({ description: ALL_BRANCHES }),
			},
			resolve: async ({ conversationId }, { last, before, ...args }, { loaders }) => {
				checkForward({ last, before }, TURN_ROUND);
				const { after } = args;
				const input = { ...args, conversationId, order: args.order ?? "asc" };
				return toConnection(await loaders.messagePage.load(input), after);
			},
		},
		MessageConnection,
	),
);

builder.queryField("message", (t) =>
	t.field({
		type: MessageRef,
		nullable: true,
		description: "One message, or null (MSG-6).",
		args: { messageId: t.arg.string({ required: true, description: ID }) },
		resolve: (_root, { messageId }, { loaders, limits }) =>
			loaders.message.load(checkId("messageId", messageId, limits.idBytes)),
	}),
);

builder.queryField("messages", (t) =>
	t.connection(
		{
			type: MessageRef,
			nullable: true,
			description:
				"The messages of a conversation by seq: the path of its active branch, which without branches is all of them (MSG-12). An empty page for an unknown conversation (MSG-7). A walk stays on its branch and is bounded at its first page: messages appended later do not appear in it (MSG-8).",
			args: {
				conversationId: t.arg.string({ required: true, description: CONVERSATION_ID }),
				order: t.arg({
					type: OrderRef,
					defaultValue: "asc",
					description: "ASC when omitted; the same on every page of a walk.",
				}),
				branch: t.arg.int({ description: `${BRANCH} An unknown one is NotFound.` }),
				allBranches: t.arg.boolean({ description: ALL_BRANCHES }),
			},
			resolve: async (_root, { last, before, ...args }, context) => {
				checkForward({ last, before }, TURN_ROUND);
				return toConnection(await listMessages(context, { ...args, order: args.order ?? "asc" }), args.after);
			},
		},
		MessageConnection,
	),
);

export const MessageInputRef = builder.inputType("MessageInput", {
	description: "A message to be appended.",
	fields: (t) => ({
		messageId: t.string({ description: `${ID} Made by the gateway when omitted; give it to make a retry safe.` }),
		role: t.string({ description: ROLE }),
		type: t.string({ description: TYPE }),
		payload: t.field({ type: "JSON", description: `${PAYLOAD} Required; null is a value.` }),
		metadata: t.field({ type: "JSONObject", description: `${METADATA} {} when omitted.` }),
	}),
});

interface GivenMessage extends Omit<MessageInput, "messageId" | "payload" | "metadata"> {
	messageId?: string | null | undefined;
	payload?: JsonValue | undefined;
	metadata?: MessageInput["metadata"] | null;
}

/** The schema cannot tell a required payload from a nullable one, so the check stands here. */
export function withId(field: string, input: GivenMessage): MessageInput {
	const { messageId, payload } = input;
	if (payload === undefined) throw badRequest(`${field}.payload`, "is required; null is a value (VAL-3)");
	return { ...input, messageId: messageId ?? newId(), payload } as MessageInput;
}

builder.relayMutationField(
	"appendMessage",
	{
		description: "Of appendMessage.",
		inputFields: (t) => ({
			conversationId: t.string({ required: true, description: CONVERSATION_ID }),
			messageId: t.string({ description: `${ID} Made by the gateway when omitted; give it to make a retry safe.` }),
			role: t.string({ description: ROLE }),
			type: t.string({ description: TYPE }),
			payload: t.field({ type: "JSON", description: `${PAYLOAD} Required; null is a value.` }),
			metadata: t.field({ type: "JSONObject", description: `${METADATA} {} when omitted.` }),
			expectedLastSeq: t.string({ description: EXPECTED_LAST_SEQ }),
		}),
	},
	{
		nullable: true,
		description:
			"Appends a message and creates its conversation where there is none (MSG-1). An id that exists with equal content returns the stored message; with other content it is a Conflict (MSG-3).",
		resolve: (_root, { input }, context) =>
			appendMessage(context, {
				...withId("input", input),
				conversationId: input.conversationId,
				expectedLastSeq: input.expectedLastSeq,
			}),
	},
	{
		description: "Of appendMessage.",
		outputFields: (t) => ({
			message: t.field({ type: MessageRef, resolve: (it) => it, description: "The message as stored." }),
		}),
	},
);

builder.relayMutationField(
	"appendMessages",
	{
		description: "Of appendMessages.",
		inputFields: (t) => ({
			conversationId: t.string({ required: true, description: CONVERSATION_ID }),
			messages: t.field({ type: [MessageInputRef], required: true, description: "1 to 100 messages, in order." }),
			expectedLastSeq: t.string({ description: EXPECTED_LAST_SEQ }),
		}),
	},
	{
		nullable: true,
		description: "Appends 1 to 100 messages, all or none, in the order given (MSG-4).",
		resolve: (_root, { input }, context) =>
			appendMessages(context, {
				...input,
				messages: input.messages.map((message, index) => withId(`input.messages[${index}]`, message)),
			}),
	},
	{
		description: "Of appendMessages.",
		outputFields: (t) => ({
			messages: t.field({
				type: [MessageRef],
				resolve: (it) => it,
				description: "The messages as stored, in the order given.",
			}),
		}),
	},
);

builder.relayMutationField(
	"updateMessage",
	{
		description: "Of updateMessage: at least one of role, type, payload, metadata.",
		inputFields: (t) => ({
			messageId: t.string({ required: true, description: ID }),
			role: t.string({ description: `${ROLE} null clears it.` }),
			type: t.string({ description: `${TYPE} null clears it.` }),
			payload: t.field({ type: "JSON", description: `${PAYLOAD} Replaced whole; null is a value.` }),
			metadata: t.field({ type: "JSONObject", description: `${METADATA} Replaced whole.` }),
		}),
	},
	{
		nullable: true,
		description:
			"Replaces the given fields of a message; its seq and createdAt stay. An unknown one is NotFound (MSG-10). Those of other kinds than message are never updated.",
		resolve: (_root, { input }, context) => updateMessage(context, input as Parameters<typeof updateMessage>[1]),
	},
	{
		description: "Of updateMessage.",
		outputFields: (t) => ({
			message: t.field({ type: MessageRef, resolve: (it) => it, description: "The message afterwards." }),
		}),
	},
);

builder.relayMutationField(
	"deleteMessage",
	{
		description: "Of deleteMessage.",
		inputFields: (t) => ({ messageId: t.string({ required: true, description: ID }) }),
	},
	{
		nullable: true,
		description: "Deletes a message for ever and frees its id. An unknown one is a success (MSG-11).",
		resolve: async (_root, { input }, context) => {
			await deleteMessage(context, input);
			return input;
		},
	},
	{
		description: "Of deleteMessage.",
		outputFields: (t) => ({ messageId: t.exposeString("messageId", { description: "The id as given." }) }),
	},
);

builder.relayMutationField(
	"clearMessages",
	{
		description: "Of clearMessages.",
		inputFields: (t) => ({ conversationId: t.string({ required: true, description: CONVERSATION_ID }) }),
	},
	{
		nullable: true,
		description:
			"Deletes all messages of a conversation and its branches; it stays, with metadata, createdAt and the counter of seqs. An unknown one is a success (MSG-11). Wait for it before appending anew.",
		resolve: async (_root, { input }, context) => {
			await clearMessages(context, input);
			return input;
		},
	},
	{
		description: "Of clearMessages.",
		outputFields: (t) => ({ conversationId: t.exposeString("conversationId", { description: "The id as given." }) }),
	},
);
