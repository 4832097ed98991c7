import type { Branch } from "../domain/branches.ts";
import { badRequest } from "../domain/faults.ts";
import { checkId } from "../domain/ids.ts";
import { branchAt, switchBranch } from "../store/branches.ts";
import { builder } from "./builder.ts";
import { ConversationRef } from "./conversations.ts";

const CONVERSATION_ID = "The conversation's id: 1 to 256 UTF-8 bytes (VAL-1).";

const BranchRef = builder.objectRef<Branch>("Branch").implement({
	description:
		"A line of messages inside a conversation. Its path is what it shares with its parent, then its own messages.",
	fields: (t) => ({
		branch: t.exposeInt("branch", { description: "Its number. Branch 0 is there from the beginning." }),
		parentBranch: t.exposeInt("parentBranch", {
			nullable: true,
			description: "The branch that it left; null for branch 0.",
		}),
		forkSeq: t.exposeString("forkSeq", {
			description: "The seq up to which it shares its parent's path; 0 when it begins before the first message.",
		}),
		leafMessageId: t.exposeString("leafMessageId", {
			nullable: true,
			description: "The last message of its path; null when the path is empty.",
		}),
		active: t.exposeBoolean("active", { description: "Whether appends go to it and messages reads it." }),
		createdAt: t.expose("createdAt", { type: "DateTime", description: "When it began." }),
	}),
});

builder.objectField(ConversationRef, "branches", (t) =>
	t.field({
		type: [BranchRef],
		description: "Its branches by number; in a list of conversations all are read by one statement.",
		resolve: async ({ conversationId }, _args, { loaders }) => [...(await loaders.branches.load(conversationId))],
	}),
);

builder.queryField("branches", (t) =>
	t.field({
		type: [BranchRef],
		nullable: true,
		description: "The branches of a conversation by number; none for an unknown one.",
		args: { conversationId: t.arg.string({ required: true, description: CONVERSATION_ID }) },
		resolve: async (_root, { conversationId }, { loaders, limits }) => [
			...(await loaders.branches.load(checkId("conversationId", conversationId, limits.idBytes))),
		],
	}),
);

builder.relayMutationField(
	"branch",
	{
		description: "Of branch.",
		inputFields: (t) => ({
			conversationId: t.string({ required: true, description: CONVERSATION_ID }),
			messageId: t.string({ description: "The message to continue from. Required; null is before the first message." }),
			expectedLastSeq: t.string({
				description:
					"The last seq that the conversation must have, a decimal string, 0 for none: else it is a Conflict that tells the last seq.",
			}),
		}),
	},
	{
		nullable: true,
		description:
			"Moves the active leaf inside the conversation, so that the next append continues there; nothing is deleted. (fork makes a new conversation.) A branch that ends there is taken, else a new one begins. An unknown conversation or message is NotFound.",
		resolve: (_root, { input }, context) => {
			const { messageId } = input;
			// The schema cannot tell a required id from a nullable one.
			if (messageId === undefined) throw badRequest("input.messageId", "is required; null is before the first message");
			return branchAt(context, { ...input, messageId });
		},
	},
	{
		description: "Of branch.",
		outputFields: (t) => ({
			branch: t.field({ type: BranchRef, resolve: (it) => it, description: "The branch, now active." }),
		}),
	},
);

builder.relayMutationField(
	"switchBranch",
	{
		description: "Of switchBranch.",
		inputFields: (t) => ({
			conversationId: t.string({ required: true, description: CONVERSATION_ID }),
			branch: t.int({ required: true, description: "The number of the branch." }),
		}),
	},
	{
		nullable: true,
		description: "Makes a branch the active one. An unknown conversation or branch is NotFound.",
		resolve: (_root, { input }, context) => switchBranch(context, input),
	},
	{
		description: "Of switchBranch.",
		outputFields: (t) => ({
			branch: t.field({ type: BranchRef, resolve: (it) => it, description: "The branch, now active." }),
		}),
	},
);
