import { newId } from "../domain/ids.ts";
import { fork } from "../store/forks.ts";
import { builder } from "./builder.ts";
import { ConversationRef } from "./conversations.ts";

builder.relayMutationField(
	"fork",
	{
		description: "Of fork.",
		inputFields: (t) => ({
			conversationId: t.string({ required: true, description: "The id of the conversation that is forked." }),
			messageId: t.string({
				description: "The message up to which its path is copied, with it; the active leaf when omitted.",
			}),
			newConversationId: t.string({
				description:
					"The id of the new conversation: 1 to 256 UTF-8 bytes (VAL-1). Made by the gateway when omitted; give it to make a retry safe.",
			}),
		}),
	},
	{
		nullable: true,
		description:
			"Copies the path to a message into a new conversation, with labels, compactions, metadata and config; the source stays as it is. The copies have seqs from 1, ids of their own, and the times of their sources. (branch moves the leaf inside one conversation.) An unknown conversation or message is NotFound, a new id that is taken by anything else than this fork a Conflict.",
		resolve: (_root, { input }, context) =>
			fork(context, { ...input, newConversationId: input.newConversationId ?? newId() }),
	},
	{
		description: "Of fork.",
		outputFields: (t) => ({
			conversation: t.field({ type: ConversationRef, resolve: (it) => it, description: "The new conversation." }),
		}),
	},
);
