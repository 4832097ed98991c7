import { newId } from "../domain/ids.ts";
import { type AgentStatePage, getAgentState, listAgentStates, saveAgentState } from "../store/agent-states.ts";
import { builder } from "./builder.ts";
import { checkForward, toConnection } from "./connections.ts";
import {
	EXPECTED_REVISION,
	OPERATION_ID,
	REVISION,
	SAVED_AT,
	StateConnection,
	StateEntryRef,
	VERSION,
} from "./states.ts";

const CONVERSATION_ID = "The conversation's id: 1 to 256 UTF-8 bytes (VAL-1).";

const AgentStateRef = builder.objectRef<AgentStatePage>("AgentState").implement({
	description: "What an agent keeps in a conversation: a page of its messages, and on the first page the rest.",
	fields: (t) => ({
		state: t.expose("state", {
			type: "JSONObject",
			nullable: true,
			description: "What it keeps besides its messages. Null where it never saved, and on later pages.",
		}),
		version: t.exposeInt("version", { description: VERSION }),
		revision: t.exposeString("revision", { description: REVISION }),
		updatedAt: t.expose("updatedAt", { type: "DateTime", description: "When the conversation last changed." }),
		messages: t.expose("messages", {
			type: ["JSON"],
			nullable: { list: false, items: true },
			description:
				"The context of the active path: the payloads of its messages; a compaction and a branch summary as { role: system, type: compaction_summary | branch_summary, content }.",
		}),
		nextCursor: t.exposeString("nextCursor", {
			nullable: true,
			description: "Give it as `after` to get the next page; null at the end.",
		}),
	}),
});

builder.queryField("agentState", (t) =>
	t.field({
		type: AgentStateRef,
		nullable: true,
		description:
			"What an agent keeps in a conversation; of one in which none saved, the messages alone. Null for an unknown one.",
		args: {
			conversationId: t.arg.string({ required: true, description: CONVERSATION_ID }),
			after: t.arg.string({ description: "The `nextCursor` of the page before." }),
		},
		resolve: (_root, args, context) => getAgentState(context, args),
	}),
);

builder.queryField("agentStates", (t) =>
	t.connection(
		{
			type: StateEntryRef,
			nullable: true,
			description: "All conversations as states of agents, their ids as keys, the latest updated first.",
			resolve: async (_root, args, context) => {
				checkForward(args, "");
				return toConnection(await listAgentStates(context, args), args.after);
			},
		},
		StateConnection,
	),
);

builder.relayMutationField(
	"saveAgentState",
	{
		description: "Of saveAgentState.",
		inputFields: (t) => ({
			conversationId: t.string({ required: true, description: CONVERSATION_ID }),
			messages: t.field({
				type: ["JSON"],
				required: { list: true, items: false },
				description: "All its messages: those of the active path's context, as `agentState` shows them, then new ones.",
			}),
			state: t.field({
				type: "JSONObject",
				required: true,
				description: "What it keeps besides them. At most 16 MiB (VAL-7).",
			}),
			version: t.int({ description: VERSION }),
			expectedRevision: t.string({ description: EXPECTED_REVISION }),
			operationId: t.string({ description: OPERATION_ID }),
		}),
	},
	{
		nullable: true,
		description:
			"Saves what an agent keeps, in one transaction: the new messages are appended, the rest replaces the one before. Messages that do not go on where the context ends are a Conflict that names the point; nothing is rewritten. Creates the conversation where there is none.",
		resolve: (_root, { input }, context) =>
			saveAgentState(context, {
				...input,
				messages: input.messages.map((it) => it ?? null),
				operationId: input.operationId ?? newId(),
			}),
	},
	{
		description: "Of saveAgentState.",
		outputFields: (t) => ({
			conversationId: t.exposeString("key", { description: "The conversation's id." }),
			revision: t.exposeString("revision", { description: REVISION }),
			updatedAt: t.expose("updatedAt", { type: "DateTime", description: SAVED_AT }),
		}),
	},
);
