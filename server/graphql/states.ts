import { newId } from "../domain/ids.ts";
import type { State, StateEntry } from "../domain/states.ts";
import { deleteState, getState, listStates, saveState } from "../store/states.ts";
import { builder } from "./builder.ts";
import { checkForward, toConnection } from "./connections.ts";

export const KEY = "The key: 1 to 256 UTF-8 bytes (VAL-1). It has nothing to do with a conversation of that id.";
export const STATE = "The snapshot, in the application's own shape.";
export const VERSION =
	"The version of the snapshot's form, which the application counts; 0 when it does not. One that is newer than the reader knows must not be read.";
export const REVISION = "Counts the saves of the key, a decimal string; 0 where none was saved.";
export const OPERATION_ID =
	"Repeat it to repeat a write safely: the same one takes effect once. A new one when omitted.";
export const EXPECTED_REVISION =
	'The revision that must be the latest, "0" for none: otherwise it is a Conflict. A repeated write that has taken effect is a success all the same.';
export const SAVED_AT = "When it was saved last.";

const StateRef = builder.objectRef<State>("State").implement({
	description: "The snapshot of an agent under a key.",
	fields: (t) => ({
		key: t.exposeString("key", { description: KEY }),
		state: t.expose("state", { type: "JSONObject", description: STATE }),
		version: t.exposeInt("version", { description: VERSION }),
		revision: t.exposeString("revision", { description: REVISION }),
		updatedAt: t.expose("updatedAt", { type: "DateTime", description: SAVED_AT }),
	}),
});

export const StateEntryRef = builder.objectRef<StateEntry>("StateEntry").implement({
	description: "A saved state, without its snapshot.",
	fields: (t) => ({
		key: t.exposeString("key", { description: "The key." }),
		version: t.exposeInt("version", { description: VERSION }),
		revision: t.exposeString("revision", { description: REVISION }),
		updatedAt: t.expose("updatedAt", { type: "DateTime", description: SAVED_AT }),
	}),
});

export const StateConnection = builder.connectionObject(
	{ type: StateEntryRef, name: "StateConnection", description: "A page of states." },
	{ name: "StateEdge", description: "A state and the cursor after it." },
);

builder.queryField("state", (t) =>
	t.field({
		type: StateRef,
		nullable: true,
		description: "The state of a key, or null.",
		args: { key: t.arg.string({ required: true, description: KEY }) },
		resolve: (_root, args, context) => getState(context, args),
	}),
);

builder.queryField("states", (t) =>
	t.connection(
		{
			type: StateEntryRef,
			nullable: true,
			description: "The keys with a state, the latest saved first. One that is saved during a walk may be missed.",
			resolve: async (_root, args, context) => {
				checkForward(args, "");
				return toConnection(await listStates(context, args), args.after);
			},
		},
		StateConnection,
	),
);

builder.relayMutationField(
	"saveState",
	{
		description: "Of saveState.",
		inputFields: (t) => ({
			key: t.string({ required: true, description: KEY }),
			state: t.field({ type: "JSONObject", required: true, description: `${STATE} At most 16 MiB (VAL-7).` }),
			version: t.int({ description: VERSION }),
			expectedRevision: t.string({ description: EXPECTED_REVISION }),
			operationId: t.string({ description: OPERATION_ID }),
		}),
	},
	{
		nullable: true,
		description: "Saves the state of a key in the place of the one before.",
		resolve: (_root, { input }, context) => saveState(context, { ...input, operationId: input.operationId ?? newId() }),
	},
	{
		description: "Of saveState.",
		outputFields: (t) => ({
			key: t.exposeString("key", { description: "The key." }),
			revision: t.exposeString("revision", { description: REVISION }),
			updatedAt: t.expose("updatedAt", { type: "DateTime", description: SAVED_AT }),
		}),
	},
);

builder.relayMutationField(
	"deleteState",
	{
		description: "Of deleteState.",
		inputFields: (t) => ({ key: t.string({ required: true, description: KEY }) }),
	},
	{
		nullable: true,
		description: "Deletes a key with its state and its checkpoints for ever. An unknown one is a success.",
		resolve: async (_root, { input }, context) => {
			await deleteState(context, input);
			return input;
		},
	},
	{
		description: "Of deleteState.",
		outputFields: (t) => ({ key: t.exposeString("key", { description: "The key as given." }) }),
	},
);
