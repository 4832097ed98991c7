import type { Stats, TreeEntry } from "../domain/trees.ts";
import { getStats, listBranchPoints, listLabels, listLeaves, listTree } from "../store/trees.ts";
import { builder } from "./builder.ts";
import { checkForward, toConnection } from "./connections.ts";
import { MessageKindRef, MessageRef } from "./messages.ts";

const CONVERSATION_ID = "The conversation's id: 1 to 256 UTF-8 bytes (VAL-1).";

const TreeEntryRef = builder.objectRef<TreeEntry>("TreeEntry").implement({
	description: "A message's place in the tree of its conversation, without its content.",
	fields: (t) => ({
		messageId: t.exposeString("messageId", { description: "The message's id." }),
		parentMessageId: t.exposeString("parentMessageId", {
			nullable: true,
			description: "The message before it; null for a first one.",
		}),
		branch: t.exposeInt("branch", { description: "The branch that it was appended to." }),
		seq: t.exposeString("seq", { description: "Its place in the conversation, a decimal string." }),
		kind: t.expose("kind", { type: MessageKindRef, description: "What it is to the conversation." }),
		role: t.exposeString("role", { nullable: true, description: "Its role." }),
		type: t.exposeString("type", { nullable: true, description: "The application's own kind of message." }),
		label: t.exposeString("label", { nullable: true, description: "Its label; null when it has none." }),
	}),
});

const TreeConnection = builder.connectionObject(
	{ type: TreeEntryRef, name: "TreeConnection", description: "A page of a tree." },
	{ name: "TreeEdge", description: "An entry and the cursor after it." },
);

builder.queryField("tree", (t) =>
	t.connection(
		{
			type: TreeEntryRef,
			nullable: true,
			description:
				"The tree of a conversation: the messages of all branches by seq, each with the one before it. An empty page for an unknown conversation. A walk is bounded at its first page.",
			args: { conversationId: t.arg.string({ required: true, description: CONVERSATION_ID }) },
			resolve: async (_root, { last, before, ...args }, context) => {
				checkForward({ last, before }, "");
				return toConnection(await listTree(context, args), args.after);
			},
		},
		TreeConnection,
	),
);

for (const [name, description, list] of [
	["leaves", "The messages that none follows, by seq.", listLeaves],
	["branchPoints", "The messages that more than one follows, by seq.", listBranchPoints],
	["labels", "The messages with a label, of all branches, by seq.", listLabels],
] as const) {
	builder.queryField(name, (t) =>
		t.field({
			type: [MessageRef],
			nullable: true,
			description: `${description} None for an unknown conversation.`,
			args: { conversationId: t.arg.string({ required: true, description: CONVERSATION_ID }) },
			resolve: (_root, args, context) => list(context, args),
		}),
	);
}

const StatsRef = builder.objectRef<Stats>("Stats").implement({
	description: "Numbers about all branches of a conversation.",
	fields: (t) => ({
		messageCount: t.exposeInt("messageCount", { description: "Messages of kind message." }),
		branchCount: t.exposeInt("branchCount", { description: "Branches, branch 0 included." }),
		leafCount: t.exposeInt("leafCount", { description: "Messages that none follows." }),
		maxDepth: t.exposeInt("maxDepth", {
			description: "Steps from a first message to the last one of the longest path; 0 without any.",
		}),
		compactionCount: t.exposeInt("compactionCount", { description: "Messages of kind compaction." }),
		firstMessageAt: t.expose("firstMessageAt", {
			type: "DateTime",
			nullable: true,
			description: "When the first message of kind message was created; null without one.",
		}),
		lastMessageAt: t.expose("lastMessageAt", {
			type: "DateTime",
			nullable: true,
			description: "When the last message of kind message was created; null without one.",
		}),
	}),
});

builder.queryField("stats", (t) =>
	t.field({
		type: StatsRef,
		nullable: true,
		description: "Numbers about all branches of a conversation; zeros for an unknown one.",
		args: { conversationId: t.arg.string({ required: true, description: CONVERSATION_ID }) },
		resolve: (_root, args, context) => getStats(context, args),
	}),
);
