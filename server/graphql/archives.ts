import { importConversation, listConversationArchive } from "../store/conversation-archives.ts";
import { builder } from "./builder.ts";
import { checkForward, toConnection } from "./connections.ts";

const CONVERSATION_ID = "The conversation's id: 1 to 256 UTF-8 bytes (VAL-1).";

const ArchiveConnection = builder.connectionObject(
	{ type: "String", name: "ArchiveConnection", description: "A page of the lines of an archive." },
	{ name: "ArchiveEdge", description: "A line and the cursor after it." },
);

builder.queryField("conversationArchive", (t) =>
	t.connection(
		{
			type: "String",
			nullable: true,
			description:
				"A conversation as the lines of an archive, each of them JSON text: a header, the conversation, its branches, the messages of all branches by seq, and an end. An unknown conversation is NotFound. What is appended after the first page is not in it; for a snapshot, use the command export.",
			args: { conversationId: t.arg.string({ required: true, description: CONVERSATION_ID }) },
			resolve: async (_root, { last, before, ...args }, context) => {
				checkForward({ last, before }, "");
				return toConnection(await listConversationArchive(context, args), args.after);
			},
		},
		ArchiveConnection,
	),
);

builder.relayMutationField(
	"importConversation",
	{
		description: "Of importConversation.",
		inputFields: (t) => ({
			conversationId: t.string({
				required: true,
				description: "The id of the conversation, the same as in the lines.",
			}),
			lines: t.stringList({
				required: true,
				description: "The lines of its archive, as conversationArchive returns them; the header may be left out.",
			}),
		}),
	},
	{
		nullable: true,
		description:
			"Restores a conversation from its archive: with ids, seqs, times, branches and labels as they were. One that is there already with the same content stays as it is, with other content it is a Conflict. What is larger than a request is for the command import.",
		resolve: async (_root, { input }, context) => ({
			conversationId: input.conversationId,
			imported: await importConversation(context, input),
		}),
	},
	{
		description: "Of importConversation.",
		outputFields: (t) => ({
			conversationId: t.exposeString("conversationId", { description: "The id as given." }),
			imported: t.exposeBoolean("imported", { description: "False where it was there already." }),
		}),
	},
);
