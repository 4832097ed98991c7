import type { ErasedKind, Erasure } from "../domain/erasures.ts";
import { eraseConversation } from "../store/erasures.ts";
import { builder } from "./builder.ts";

const KINDS: Record<ErasedKind, string> = {
	conversations: "Conversations: 1, or 0 where there was none.",
	messages: "Messages of all branches.",
	branches: "Branches besides branch 0.",
	historyOperations: "Remembered changes of the history of an OpenAI session.",
	states: "States under this key: 1, or 0 where there was none.",
	stateCheckpoints: "Checkpoints of that state.",
	checkpoints: "LangGraph checkpoints of the thread with this id.",
	channelValues: "Channel values of those checkpoints.",
	checkpointWrites: "Pending writes of that thread.",
	transcripts: "Claude transcripts of the session with this id, under any project key.",
	transcriptEntries: "Entries of those transcripts.",
};

const ErasureRef = builder.objectRef<Erasure>("Erasure").implement({
	description: "How many rows of each kind were removed.",
	fields: (t) => ({
		conversations: t.exposeInt("conversations", { description: KINDS.conversations }),
		messages: t.exposeInt("messages", { description: KINDS.messages }),
		branches: t.exposeInt("branches", { description: KINDS.branches }),
		historyOperations: t.exposeInt("historyOperations", { description: KINDS.historyOperations }),
		states: t.exposeInt("states", { description: KINDS.states }),
		stateCheckpoints: t.exposeInt("stateCheckpoints", { description: KINDS.stateCheckpoints }),
		checkpoints: t.exposeInt("checkpoints", { description: KINDS.checkpoints }),
		channelValues: t.exposeInt("channelValues", { description: KINDS.channelValues }),
		checkpointWrites: t.exposeInt("checkpointWrites", { description: KINDS.checkpointWrites }),
		transcripts: t.exposeInt("transcripts", { description: KINDS.transcripts }),
		transcriptEntries: t.exposeInt("transcriptEntries", { description: KINDS.transcriptEntries }),
	}),
});

builder.relayMutationField(
	"eraseConversation",
	{
		description: "Of eraseConversation.",
		inputFields: (t) => ({
			conversationId: t.string({ required: true, description: "The id: 1 to 256 UTF-8 bytes (VAL-1)." }),
		}),
	},
	{
		nullable: true,
		description:
			"Removes everything that is stored under an id, at once: the conversation with its messages, branches, agent state and run; the state of that key with its checkpoints; the LangGraph thread; the Claude transcripts of that session under every project key. An unknown id is a success. Forks of the conversation are copies of their own and stay.",
		resolve: (_root, { input }, context) => eraseConversation(context, input),
	},
	{
		description: "Of eraseConversation.",
		outputFields: (t) => ({
			erased: t.expose("erased", { type: ErasureRef, description: "What was removed." }),
			forks: t.exposeStringList("forks", {
				description:
					"The ids of conversations that were forked from it and hold copies of its messages, the first 1,000.",
			}),
		}),
	},
);
