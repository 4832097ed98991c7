import { newId } from "../domain/ids.ts";
import { appendBranchSummary, appendCustom, type ContextPage, compact, listContext } from "../store/contexts.ts";
import { builder } from "./builder.ts";
import { MessageRef, withId } from "./messages.ts";

const CONVERSATION_ID = "The conversation's id: 1 to 256 UTF-8 bytes (VAL-1).";
const MESSAGE_ID =
	"The new message's id: 1 to 256 UTF-8 bytes, unique in the project (VAL-1). Made by the gateway when omitted; give it to make a retry safe.";

const ContextPageRef = builder.objectRef<ContextPage>("ContextPage").implement({
	description: "A page of a context.",
	fields: (t) => ({
		messages: t.expose("messages", {
			type: [MessageRef],
			description: "The compaction, if there is one, on the first page; then what it keeps, in path order.",
		}),
		nextCursor: t.exposeString("nextCursor", {
			nullable: true,
			description: "Given as `after`, it reads on; null when the walk is over.",
		}),
	}),
});

builder.queryField("context", (t) =>
	t.field({
		type: ContextPageRef,
		nullable: true,
		description:
			"What a model should see of a path: the last compaction on it, then the messages and branch summaries that the compaction keeps, all of them where it names no first one or where there is no compaction. Empty for an unknown conversation; an unknown branch is NotFound.",
		args: {
			conversationId: t.arg.string({ required: true, description: CONVERSATION_ID }),
			branch: t.arg.int({ description: "The branch whose path is read; the active one when omitted." }),
			after: t.arg.string({ description: "The nextCursor of the page before." }),
		},
		resolve: (_root, args, context) => listContext(context, args),
	}),
);

builder.relayMutationField(
	"compact",
	{
		description: "Of compact.",
		inputFields: (t) => ({
			conversationId: t.string({ required: true, description: CONVERSATION_ID }),
			messageId: t.string({ description: MESSAGE_ID }),
			summary: t.string({ required: true, description: "What stands for the messages that are left out." }),
			firstKeptMessageId: t.string({
				description: "The first message of the active path that a context still shows; all are shown when omitted.",
			}),
			details: t.field({ type: "JSON", description: "Whatever else belongs to it: any JSON value." }),
		}),
	},
	{
		nullable: true,
		description:
			"Appends a compaction to the active path: the context then begins with it. Nothing is deleted. The payload of its message has summary, firstKeptMessageId and details. A first kept message that is not on the active path is refused.",
		resolve: (_root, { input }, context) =>
			compact(context, { ...input, messageId: input.messageId ?? newId(), details: input.details ?? undefined }),
	},
	{
		description: "Of compact.",
		outputFields: (t) => ({
			message: t.field({ type: MessageRef, resolve: (it) => it, description: "The compaction as stored." }),
		}),
	},
);

builder.relayMutationField(
	"appendBranchSummary",
	{
		description: "Of appendBranchSummary.",
		inputFields: (t) => ({
			conversationId: t.string({ required: true, description: CONVERSATION_ID }),
			messageId: t.string({ description: MESSAGE_ID }),
			summary: t.string({ required: true, description: "What a context tells of the other branch." }),
			fromBranch: t.int({ description: "The branch that it is about." }),
		}),
	},
	{
		nullable: true,
		description:
			"Appends the summary of another branch to the active path; contexts show it. The payload of its message has summary and fromBranch.",
		resolve: (_root, { input }, context) =>
			appendBranchSummary(context, { ...input, messageId: input.messageId ?? newId() }),
	},
	{
		description: "Of appendBranchSummary.",
		outputFields: (t) => ({
			message: t.field({ type: MessageRef, resolve: (it) => it, description: "The summary as stored." }),
		}),
	},
);

builder.relayMutationField(
	"appendCustom",
	{
		description: "Of appendCustom.",
		inputFields: (t) => ({
			conversationId: t.string({ required: true, description: CONVERSATION_ID }),
			messageId: t.string({ description: MESSAGE_ID }),
			type: t.string({ description: "The application's own kind of entry; at most 256 UTF-8 bytes (VAL-2)." }),
			payload: t.field({ type: "JSON", description: "Any JSON value (VAL-3). Required; null is a value." }),
		}),
	},
	{
		nullable: true,
		description: "Appends what the application keeps on the path; no context shows it.",
		resolve: (_root, { input }, context) => appendCustom(context, { ...input, ...withId("input", input) }),
	},
	{
		description: "Of appendCustom.",
		outputFields: (t) => ({
			message: t.field({ type: MessageRef, resolve: (it) => it, description: "The entry as stored." }),
		}),
	},
);
