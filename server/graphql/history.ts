import type { MessageInput } from "../domain/messages.ts";
import {
	appendHistory,
	applyHistoryMutations,
	applyHistoryTransaction,
	clearHistory,
	popHistory,
	replaceHistory,
} from "../store/history.ts";
import { type HistoryPage, listHistory } from "../store/history-pages.ts";
import { builder } from "./builder.ts";
import { MessageInputRef, MessageRef, withId } from "./messages.ts";

const CONVERSATION_ID = "The conversation's id: 1 to 256 UTF-8 bytes (VAL-1).";
const OPERATION_ID =
	"Fixed before the first attempt, 1 to 256 UTF-8 bytes: the same id with the same arguments changes nothing twice, with others it is a Conflict. Forgotten when the conversation is cleared or deleted";
const MESSAGES = "In order; any number that fits into a request.";

const HistoryPageRef = builder.objectRef<HistoryPage>("HistoryPage").implement({
	description: "A page of a history.",
	fields: (t) => ({
		messages: t.expose("messages", { type: [MessageRef], description: "Its messages, the newest first." }),
		nextCursor: t.exposeString("nextCursor", {
			nullable: true,
			description: "Given as `after`, it reads on; null when the walk is over.",
		}),
	}),
});

builder.queryField("history", (t) =>
	t.field({
		type: HistoryPageRef,
		nullable: true,
		description:
			"The messages of a conversation that an agent works with, the newest first; an empty page for an unknown one. A walk over several pages is one snapshot: when anything that it has read is changed or removed before its end, it ends with a Conflict and is to be started again.",
		args: {
			conversationId: t.arg.string({ required: true, description: CONVERSATION_ID }),
			first: t.arg.int({ description: "How many messages are still wanted, at least 1; all when omitted." }),
			after: t.arg.string({ description: "The nextCursor of the page before." }),
		},
		resolve: (_root, input, context) => listHistory(context, input),
	}),
);

type Given = Parameters<typeof withId>[1];

function withIds(messages: readonly Given[]): MessageInput[] {
	return messages.map((message, index) => withId(`input.messages[${index}]`, message));
}

builder.relayMutationField(
	"appendHistory",
	{
		description: "Of appendHistory.",
		inputFields: (t) => ({
			conversationId: t.string({ required: true, description: CONVERSATION_ID }),
			messages: t.field({ type: [MessageInputRef], required: true, description: MESSAGES }),
		}),
	},
	{
		nullable: true,
		description:
			"Appends messages, all or none, as appendMessages does but in any number. None at all is a success that creates no conversation.",
		resolve: async (_root, { input: { conversationId, messages } }, context) => {
			await appendHistory(context, { conversationId, messages: withIds(messages) });
			return { conversationId };
		},
	},
	{
		description: "Of appendHistory.",
		outputFields: (t) => ({ conversationId: t.exposeString("conversationId", { description: "The id as given." }) }),
	},
);

builder.relayMutationField(
	"popHistory",
	{
		description: "Of popHistory.",
		inputFields: (t) => ({
			conversationId: t.string({ required: true, description: CONVERSATION_ID }),
			operationId: t.string({ required: true, description: `${OPERATION_ID}, or after an hour.` }),
		}),
	},
	{
		nullable: true,
		description:
			"Deletes the newest message and returns it. Calls that meet each delete another message; a repeated call returns what the first one deleted.",
		resolve: async (_root, { input }, context) => ({ message: await popHistory(context, input) }),
	},
	{
		description: "Of popHistory.",
		outputFields: (t) => ({
			message: t.expose("message", {
				type: MessageRef,
				nullable: true,
				description: "The message that was deleted; null when there was none.",
			}),
		}),
	},
);

builder.relayMutationField(
	"clearHistory",
	{
		description: "Of clearHistory.",
		inputFields: (t) => ({
			conversationId: t.string({ required: true, description: CONVERSATION_ID }),
			operationId: t.string({ required: true, description: `${OPERATION_ID} by another operation, or after an hour.` }),
		}),
	},
	{
		nullable: true,
		description:
			"Deletes all messages of a conversation as clearMessages does (MSG-11), but a repeated call spares what was appended since the first one.",
		resolve: async (_root, { input }, context) => {
			await clearHistory(context, input);
			return input;
		},
	},
	{
		description: "Of clearHistory.",
		outputFields: (t) => ({ conversationId: t.exposeString("conversationId", { description: "The id as given." }) }),
	},
);

builder.relayMutationField(
	"replaceHistory",
	{
		description: "Of replaceHistory.",
		inputFields: (t) => ({
			conversationId: t.string({ required: true, description: CONVERSATION_ID }),
			operationId: t.string({ required: true, description: `${OPERATION_ID}, or after an hour.` }),
			messages: t.field({ type: [MessageInputRef], required: true, description: MESSAGES }),
		}),
	},
	{
		nullable: true,
		description:
			"Puts messages in the place of all that a history holds, as compaction does. No reader sees one without the other.",
		resolve: async (_root, { input }, context) => {
			await replaceHistory(context, { ...input, messages: withIds(input.messages) });
			return input;
		},
	},
	{
		description: "Of replaceHistory.",
		outputFields: (t) => ({ conversationId: t.exposeString("conversationId", { description: "The id as given." }) }),
	},
);

builder.relayMutationField(
	"applyHistoryTransaction",
	{
		description: "Of applyHistoryTransaction.",
		inputFields: (t) => ({
			conversationId: t.string({ required: true, description: CONVERSATION_ID }),
			operationId: t.string({ required: true, description: `${OPERATION_ID}.` }),
			expectedSuffix: t.field({
				type: ["JSON"],
				required: { list: false, items: false },
				description:
					"The payloads with which the history must end, in order; these messages are replaced. Otherwise it is a Conflict and nothing changes. When omitted, messages are appended only.",
			}),
			messages: t.field({ type: [MessageInputRef], required: true, description: MESSAGES }),
		}),
	},
	{
		nullable: true,
		description:
			"Appends messages, or replaces the expected end of a history by them, once per operation id. The id is remembered even where nothing is appended, and creates the conversation where there is none.",
		resolve: async (_root, { input }, context) => {
			const { conversationId, operationId, messages } = input;
			const expectedSuffix = input.expectedSuffix?.map((payload) => payload ?? null) ?? null;
			await applyHistoryTransaction(context, {
				conversationId,
				operationId,
				expectedSuffix,
				messages: withIds(messages),
			});
			return { conversationId };
		},
	},
	{
		description: "Of applyHistoryTransaction.",
		outputFields: (t) => ({ conversationId: t.exposeString("conversationId", { description: "The id as given." }) }),
	},
);

const CallReplacementInput = builder.inputType("CallReplacementInput", {
	description: "A function call that becomes another one.",
	fields: (t) => ({
		callId: t.string({ required: true, description: "The callId of the call that is replaced." }),
		replacement: t.field({ type: "JSON", required: true, description: "An item of type function_call." }),
	}),
});

builder.relayMutationField(
	"applyHistoryMutations",
	{
		description: "Of applyHistoryMutations.",
		inputFields: (t) => ({
			conversationId: t.string({ required: true, description: CONVERSATION_ID }),
			operationId: t.string({ required: true, description: `${OPERATION_ID}, or after an hour.` }),
			replacements: t.field({
				type: [CallReplacementInput],
				required: true,
				description: "At most 100, applied in order.",
			}),
		}),
	},
	{
		nullable: true,
		description:
			"Replaces function calls of a history in their places, all or none; further messages with the same callId are deleted. A callId that no message has is passed over.",
		resolve: async (_root, { input }, context) => {
			const replacements = input.replacements.map(({ callId, replacement = null }) => ({ callId, replacement }));
			await applyHistoryMutations(context, { ...input, replacements });
			return input;
		},
	},
	{
		description: "Of applyHistoryMutations.",
		outputFields: (t) => ({ conversationId: t.exposeString("conversationId", { description: "The id as given." }) }),
	},
);
