import { newId } from "../domain/ids.ts";
import type { StateCheckpoint } from "../domain/states.ts";
import {
	appendStateCheckpoint,
	getStateCheckpoint,
	listStateCheckpoints,
	pruneStateCheckpoints,
} from "../store/state-checkpoints.ts";
import { builder } from "./builder.ts";
import { checkForward, toConnection } from "./connections.ts";
import { KEY, OPERATION_ID, STATE, VERSION } from "./states.ts";

const SEQ = "Its place among the checkpoints of the key, a decimal string that increases.";

const StateCheckpointRef = builder.objectRef<StateCheckpoint>("StateCheckpoint").implement({
	description: "A snapshot of an agent that was kept to go back to.",
	fields: (t) => ({
		key: t.exposeString("key", { description: "The key." }),
		seq: t.exposeString("seq", { description: SEQ }),
		state: t.expose("state", { type: "JSONObject", description: STATE }),
		version: t.exposeInt("version", { description: VERSION }),
		createdAt: t.expose("createdAt", { type: "DateTime", description: "When it was appended." }),
	}),
});

builder.queryField("stateCheckpoint", (t) =>
	t.field({
		type: StateCheckpointRef,
		nullable: true,
		description: "A checkpoint of a key, or null.",
		args: {
			key: t.arg.string({ required: true, description: KEY }),
			seq: t.arg.string({ description: "Which one; the newest when omitted." }),
		},
		resolve: (_root, args, context) => getStateCheckpoint(context, args),
	}),
);

builder.queryField("stateCheckpoints", (t) =>
	t.connection(
		{
			type: StateCheckpointRef,
			nullable: true,
			description: "The checkpoints of a key, the newest first; none for an unknown key.",
			args: { key: t.arg.string({ required: true, description: KEY }) },
			resolve: async (_root, { last, before, ...args }, context) => {
				checkForward({ last, before }, "");
				return toConnection(await listStateCheckpoints(context, args), args.after);
			},
		},
		{ name: "StateCheckpointConnection", description: "A page of checkpoints of a key." },
		{ name: "StateCheckpointEdge", description: "A checkpoint of a key and the cursor after it." },
	),
);

builder.relayMutationField(
	"appendStateCheckpoint",
	{
		description: "Of appendStateCheckpoint.",
		inputFields: (t) => ({
			key: t.string({ required: true, description: KEY }),
			state: t.field({ type: "JSONObject", required: true, description: `${STATE} At most 16 MiB (VAL-7).` }),
			version: t.int({ description: VERSION }),
			operationId: t.string({ description: OPERATION_ID }),
		}),
	},
	{
		nullable: true,
		description: "Keeps a checkpoint under a key, behind those that are there. The state of the key stays as it is.",
		resolve: async (_root, { input }, context) => ({
			seq: await appendStateCheckpoint(context, { ...input, operationId: input.operationId ?? newId() }),
		}),
	},
	{
		description: "Of appendStateCheckpoint.",
		outputFields: (t) => ({ seq: t.exposeString("seq", { description: SEQ }) }),
	},
);

builder.relayMutationField(
	"pruneStateCheckpoints",
	{
		description: "Of pruneStateCheckpoints.",
		inputFields: (t) => ({
			key: t.string({ required: true, description: KEY }),
			keep: t.int({ required: true, description: "How many of the newest stay: at least 0." }),
		}),
	},
	{
		nullable: true,
		description: "Deletes the checkpoints of a key but the newest. The seqs of later ones go on increasing.",
		resolve: async (_root, { input }, context) => ({ removed: await pruneStateCheckpoints(context, input) }),
	},
	{
		description: "Of pruneStateCheckpoints.",
		outputFields: (t) => ({ removed: t.exposeInt("removed", { description: "The number of deleted checkpoints." }) }),
	},
);
