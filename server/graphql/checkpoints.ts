import type {
	ChannelHistory,
	Checkpoint,
	CheckpointWrite,
	Serialized,
	SerializedInput,
} from "../domain/checkpoints.ts";
import { getChannelHistories } from "../store/checkpoint-history.ts";
import { getCheckpoint, listCheckpoints } from "../store/checkpoint-pages.ts";
import { pruneCheckpointThread } from "../store/checkpoint-pruning.ts";
import { deleteCheckpointThread, putCheckpoint, putCheckpointWrites } from "../store/checkpoints.ts";
import { builder } from "./builder.ts";
import { checkForward, toConnection } from "./connections.ts";

const THREAD_ID = "The thread's id: 1 to 256 UTF-8 bytes (VAL-1). A thread is not a conversation.";
const NAMESPACE = "The namespace, empty for the graph itself: at most 1,024 UTF-8 bytes.";
const CHECKPOINT_ID = "The checkpoint's id: 1 to 256 UTF-8 bytes. The greatest, compared bytewise, is the latest.";
const CHANNEL = "The channel's name: 1 to 1,024 UTF-8 bytes.";
const VERSION = "The channel's version: 1 to 256 UTF-8 bytes.";
const TASK_ID = "The id of the task that wrote: 1 to 256 UTF-8 bytes.";
const TASK_PATH = "The task's place in its step: at most 1,024 UTF-8 bytes; empty when omitted.";
const TYPE = "What the client's serialiser calls the type of the bytes; at most 256 UTF-8 bytes.";
const DATA = "The bytes in base64.";

const EncodingRef = builder.enumType("CheckpointEncoding", {
	description: "How the client packed the bytes of a value. The gateway never unpacks them.",
	values: {
		IDENTITY: { value: "identity", description: "As the serialiser wrote them." },
		GZIP: { value: "gzip", description: "Compressed with gzip." },
	} as const,
});

const SerializedRef = builder.objectRef<Serialized>("SerializedValue").implement({
	description: "A value as the client's serialiser wrote it; only a client with the same one can read it.",
	fields: (t) => ({
		type: t.exposeString("type", { description: TYPE }),
		encoding: t.expose("encoding", { type: EncodingRef, description: "How the bytes are packed." }),
		data: t.string({
			description: DATA,
			resolve: ({ data }) => Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString("base64"),
		}),
	}),
});

const ChannelValueRef = builder.objectRef<Checkpoint["values"][number]>("ChannelValue").implement({
	description: "The value of a channel.",
	fields: (t) => ({
		channel: t.exposeString("channel", { description: CHANNEL }),
		value: t.expose("value", { type: SerializedRef, description: "Its value." }),
	}),
});

const WriteRef = builder.objectRef<CheckpointWrite>("CheckpointWrite").implement({
	description: "What a task wrote to a channel.",
	fields: (t) => ({
		taskId: t.exposeString("taskId", { description: TASK_ID }),
		channel: t.exposeString("channel", { description: CHANNEL }),
		value: t.expose("value", { type: SerializedRef, description: "What it wrote." }),
	}),
});

const CheckpointRef = builder.objectRef<Checkpoint>("Checkpoint").implement({
	description: "A checkpoint of a LangGraph thread, with everything that it takes to resume from it.",
	fields: (t) => ({
		threadId: t.exposeString("threadId", { description: THREAD_ID }),
		checkpointNs: t.exposeString("checkpointNs", { description: NAMESPACE }),
		checkpointId: t.exposeString("checkpointId", { description: CHECKPOINT_ID }),
		parentCheckpointId: t.exposeString("parentCheckpointId", {
			nullable: true,
			description: "The checkpoint that it followed; null for the first.",
		}),
		checkpoint: t.expose("checkpoint", {
			type: SerializedRef,
			description: "The checkpoint itself, without the values of its channels.",
		}),
		metadata: t.expose("metadata", { type: SerializedRef, description: "Its metadata, exactly." }),
		metadataJson: t.expose("metadataJson", {
			type: "JSONObject",
			description: "Its metadata as far as they are JSON, for people to read.",
		}),
		values: t.expose("values", {
			type: [ChannelValueRef],
			description: "The values of its channels; a channel that was empty then is missing.",
		}),
		writes: t.expose("writes", {
			type: [WriteRef],
			description: "What tasks wrote after it, in the order in which a run applies it: by task path, task id, idx.",
		}),
		sends: t.expose("sends", {
			type: [SerializedRef],
			description: "Of a checkpoint of a format below 4: what the tasks of its parent sent. Else empty.",
		}),
		createdAt: t.expose("createdAt", { type: "DateTime", description: "When it was first stored." }),
	}),
});

const HistoryRef = builder.objectRef<ChannelHistory>("ChannelHistory").implement({
	description: "What a delta channel gathered on the way to a checkpoint.",
	fields: (t) => ({
		channel: t.exposeString("channel", { description: CHANNEL }),
		writes: t.expose("writes", {
			type: [WriteRef],
			description: "What was written to it since the stored value, the oldest first.",
		}),
		seed: t.expose("seed", {
			type: SerializedRef,
			nullable: true,
			description: "The stored value that the writes follow; null where the channel began empty.",
		}),
	}),
});

builder.queryField("checkpoint", (t) =>
	t.field({
		type: CheckpointRef,
		nullable: true,
		description: "One checkpoint, or null.",
		args: {
			threadId: t.arg.string({ required: true, description: THREAD_ID }),
			checkpointNs: t.arg.string({ description: NAMESPACE }),
			checkpointId: t.arg.string({ description: `${CHECKPOINT_ID} The latest of the namespace when omitted.` }),
		},
		resolve: (_root, args, context) => getCheckpoint(context, args),
	}),
);

builder.queryField("checkpoints", (t) =>
	t.connection(
		{
			type: CheckpointRef,
			nullable: true,
			description:
				"Checkpoints by id, the newest first: of a thread, or of the whole project when no thread is given. All arguments that are given narrow the list, and stay the same on every page.",
			args: {
				threadId: t.arg.string({ description: `${THREAD_ID} All threads when omitted.` }),
				checkpointNs: t.arg.string({ description: `${NAMESPACE} All namespaces when omitted.` }),
				checkpointId: t.arg.string({ description: "Only this checkpoint." }),
				beforeCheckpointId: t.arg.string({ description: "Only checkpoints with a lesser id." }),
				filter: t.arg({
					type: "JSONObject",
					description: "Only checkpoints whose metadata have equal values at all these top-level keys.",
				}),
			},
			resolve: async (_root, args, context) => {
				checkForward(args, "");
				return toConnection(await listCheckpoints(context, args), args.after);
			},
		},
		{ name: "CheckpointConnection", description: "A page of checkpoints." },
		{ name: "CheckpointEdge", description: "A checkpoint and the cursor after it." },
	),
);

builder.queryField("channelHistories", (t) =>
	t.field({
		type: [HistoryRef],
		nullable: true,
		description:
			"What these delta channels gathered on the way to a checkpoint, from parent to parent; the writes kept with the checkpoint itself are for the next one and do not count.",
		args: {
			threadId: t.arg.string({ required: true, description: THREAD_ID }),
			checkpointNs: t.arg.string({ description: NAMESPACE }),
			checkpointId: t.arg.string({ description: `${CHECKPOINT_ID} The latest of the namespace when omitted.` }),
			channels: t.arg.stringList({ required: true, description: "The channels' names." }),
		},
		resolve: (_root, args, context) => getChannelHistories(context, args),
	}),
);

const SerializedInputRef = builder.inputRef<SerializedInput>("SerializedValueInput").implement({
	description: "A value as the client's serialiser wrote it.",
	fields: (t) => ({
		type: t.string({ required: true, description: TYPE }),
		encoding: t.field({ type: EncodingRef, description: "How the bytes are packed; IDENTITY when omitted." }),
		data: t.string({ required: true, description: DATA }),
	}),
});

const ChannelVersionInputRef = builder.inputType("ChannelVersionInput", {
	description: "The version of a channel.",
	fields: (t) => ({
		channel: t.string({ required: true, description: CHANNEL }),
		version: t.string({ required: true, description: VERSION }),
	}),
});

const ChannelValueInputRef = builder.inputType("ChannelValueInput", {
	description: "The value of a channel at a version.",
	fields: (t) => ({
		channel: t.string({ required: true, description: CHANNEL }),
		version: t.string({ required: true, description: VERSION }),
		value: t.field({ type: SerializedInputRef, description: "Omitted where the channel is empty at that version." }),
		pieces: t.stringList({
			description:
				"The names of pieces whose bytes, one behind another, come before those of `value.data`, which are IDENTITY then. A thread keeps a piece once. The name is its length in bytes, `-`, and its SHA-256 in base64. Together at most 16 MiB.",
		}),
		base: t.string({
			description: "A version of the same channel that is stored: pieces of it need not be sent again.",
		}),
	}),
});

const WriteInputRef = builder.inputType("CheckpointWriteInput", {
	description: "What a task wrote to a channel.",
	fields: (t) => ({
		idx: t.int({
			required: true,
			description:
				"Its place among the task's writes. A later write for a negative one replaces, else the first stays.",
		}),
		channel: t.string({ required: true, description: CHANNEL }),
		value: t.field({ type: SerializedInputRef, required: true, description: "What it wrote." }),
	}),
});

const TaskWritesInputRef = builder.inputType("CheckpointTaskWritesInput", {
	description: "What a task wrote after a checkpoint, as putCheckpointWrites takes it.",
	fields: (t) => ({
		checkpointNs: t.string({ description: NAMESPACE }),
		checkpointId: t.string({ required: true, description: "The checkpoint after which was written." }),
		taskId: t.string({ required: true, description: TASK_ID }),
		taskPath: t.string({ description: TASK_PATH }),
		writes: t.field({ type: [WriteInputRef], required: true, description: "What the task wrote." }),
	}),
});

builder.relayMutationField(
	"putCheckpoint",
	{
		description: "Of putCheckpoint.",
		inputFields: (t) => ({
			threadId: t.string({ required: true, description: THREAD_ID }),
			checkpointNs: t.string({ description: NAMESPACE }),
			checkpointId: t.string({ required: true, description: CHECKPOINT_ID }),
			parentCheckpointId: t.string({ description: "The checkpoint that it follows." }),
			format: t.int({ required: true, description: "The version of the checkpoint's format." }),
			checkpoint: t.field({
				type: SerializedInputRef,
				required: true,
				description: "The checkpoint itself, without the values of its channels.",
			}),
			metadata: t.field({ type: SerializedInputRef, required: true, description: "Its metadata, exactly." }),
			metadataJson: t.field({
				type: "JSONObject",
				description: "Its metadata as far as they are JSON: what the filter of a list compares with.",
			}),
			channelVersions: t.field({
				type: [ChannelVersionInputRef],
				required: true,
				description: "The versions of all its channels.",
			}),
			values: t.field({
				type: [ChannelValueInputRef],
				required: true,
				description: "The values of the channels that changed. A value is stored once per version: the first stays.",
			}),
			pieces: t.stringList({
				description: "Pieces of these values, in base64: all that a value does not have in common with its base.",
			}),
			taskWrites: t.field({
				type: [TaskWritesInputRef],
				description: "What tasks of the thread wrote, to be stored along: in one request, all of it or nothing.",
			}),
		}),
	},
	{
		nullable: true,
		description:
			"Stores a checkpoint and the values of the channels that changed. One with the same id is replaced, so that it may be repeated safely. Where a base does not have what is not sent, it is a Conflict and stores nothing: send all pieces then.",
		resolve: async (_root, { input }, context) => {
			await putCheckpoint(context, input);
			return input;
		},
	},
	{
		description: "Of putCheckpoint.",
		outputFields: (t) => ({ checkpointId: t.exposeString("checkpointId", { description: "The id as given." }) }),
	},
);

builder.relayMutationField(
	"putCheckpointWrites",
	{
		description: "Of putCheckpointWrites.",
		inputFields: (t) => ({
			threadId: t.string({ required: true, description: THREAD_ID }),
			checkpointNs: t.string({ description: NAMESPACE }),
			checkpointId: t.string({ required: true, description: "The checkpoint after which was written." }),
			taskId: t.string({ required: true, description: TASK_ID }),
			taskPath: t.string({ description: TASK_PATH }),
			writes: t.field({ type: [WriteInputRef], required: true, description: "What the task wrote." }),
		}),
	},
	{
		nullable: true,
		description:
			"Stores what a task wrote after a checkpoint, which may arrive later. It may be repeated safely. After the thread was deleted, it begins the thread anew.",
		resolve: async (_root, { input }, context) => {
			await putCheckpointWrites(context, input);
			return input;
		},
	},
	{
		description: "Of putCheckpointWrites.",
		outputFields: (t) => ({ checkpointId: t.exposeString("checkpointId", { description: "The id as given." }) }),
	},
);

builder.relayMutationField(
	"deleteCheckpointThread",
	{
		description: "Of deleteCheckpointThread.",
		inputFields: (t) => ({ threadId: t.string({ required: true, description: THREAD_ID }) }),
	},
	{
		nullable: true,
		description:
			"Deletes all checkpoints, values and writes of a thread at once. An unknown one is a success. Wait for its runs first: what arrives later begins the thread anew.",
		resolve: async (_root, { input }, context) => {
			await deleteCheckpointThread(context, input);
			return input;
		},
	},
	{
		description: "Of deleteCheckpointThread.",
		outputFields: (t) => ({ threadId: t.exposeString("threadId", { description: "The id as given." }) }),
	},
);

builder.relayMutationField(
	"pruneCheckpointThread",
	{
		description: "Of pruneCheckpointThread.",
		inputFields: (t) => ({
			threadId: t.string({ required: true, description: THREAD_ID }),
			keep: t.int({ required: true, description: "How many checkpoints of each namespace stay: at least 1." }),
		}),
	},
	{
		nullable: true,
		description:
			"Deletes the checkpoints of a thread but the newest of each namespace and those from whose writes these are rebuilt, and the values that only the deleted ones held. Wait for its runs first.",
		resolve: async (_root, { input }, context) => ({
			removed: (await pruneCheckpointThread(context, input)).checkpoints,
		}),
	},
	{
		description: "Of pruneCheckpointThread.",
		outputFields: (t) => ({ removed: t.exposeInt("removed", { description: "The number of deleted checkpoints." }) }),
	},
);
