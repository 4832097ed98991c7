/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { JsonValue, JsonObject } from '../types.ts';
import type { TypedQueryDocumentNode as DocumentNode } from 'graphql';
/** Of appendBranchSummary. */
export type AppendBranchSummaryInput = {
  /** The conversation's id: 1 to 256 UTF-8 bytes (VAL-1). */
  conversationId: string;
  /** The branch that it is about. */
  fromBranch?: number | null | undefined;
  /** The new message's id: 1 to 256 UTF-8 bytes, unique in the project (VAL-1). Made by the gateway when omitted; give it to make a retry safe. */
  messageId?: string | null | undefined;
  /** What a context tells of the other branch. */
  summary: string;
};

/** Of appendCustom. */
export type AppendCustomInput = {
  /** The conversation's id: 1 to 256 UTF-8 bytes (VAL-1). */
  conversationId: string;
  /** The new message's id: 1 to 256 UTF-8 bytes, unique in the project (VAL-1). Made by the gateway when omitted; give it to make a retry safe. */
  messageId?: string | null | undefined;
  /** Any JSON value (VAL-3). Required; null is a value. */
  payload?: JsonValue | null | undefined;
  /** The application's own kind of entry; at most 256 UTF-8 bytes (VAL-2). */
  type?: string | null | undefined;
};

/** Of appendHistory. */
export type AppendHistoryInput = {
  /** The conversation's id: 1 to 256 UTF-8 bytes (VAL-1). */
  conversationId: string;
  /** In order; any number that fits into a request. */
  messages: Array<MessageInput>;
};

/** Of appendMessage. */
export type AppendMessageInput = {
  /** The conversation's id: 1 to 256 UTF-8 bytes (VAL-1). */
  conversationId: string;
  /** The last seq that the conversation must have, a decimal string, 0 for none: else it is a Conflict that tells the last seq. Messages that are stored already are returned all the same. */
  expectedLastSeq?: string | null | undefined;
  /** The message's id: 1 to 256 UTF-8 bytes, unique in the project (VAL-1). Made by the gateway when omitted; give it to make a retry safe. */
  messageId?: string | null | undefined;
  /** Facts about this message alone, apart from the conversation's metadata (VAL-4). {} when omitted. */
  metadata?: JsonObject | null | undefined;
  /** The content: any JSON value (VAL-3). Required; null is a value. */
  payload?: JsonValue | null | undefined;
  /** Such as user or assistant, or the application's own; at most 256 UTF-8 bytes (VAL-2). */
  role?: string | null | undefined;
  /** The application's own kind of message; at most 256 UTF-8 bytes, never interpreted (VAL-2). */
  type?: string | null | undefined;
};

/** Of appendMessages. */
export type AppendMessagesInput = {
  /** The conversation's id: 1 to 256 UTF-8 bytes (VAL-1). */
  conversationId: string;
  /** The last seq that the conversation must have, a decimal string, 0 for none: else it is a Conflict that tells the last seq. Messages that are stored already are returned all the same. */
  expectedLastSeq?: string | null | undefined;
  /** 1 to 100 messages, in order. */
  messages: Array<MessageInput>;
};

/** Of appendStateCheckpoint. */
export type AppendStateCheckpointInput = {
  /** The key: 1 to 256 UTF-8 bytes (VAL-1). It has nothing to do with a conversation of that id. */
  key: string;
  /** Repeat it to repeat a write safely: the same one takes effect once. A new one when omitted. */
  operationId?: string | null | undefined;
  /** The snapshot, in the application's own shape. At most 16 MiB (VAL-7). */
  state: JsonObject;
  /** The version of the snapshot's form, which the application counts; 0 when it does not. One that is newer than the reader knows must not be read. */
  version?: number | null | undefined;
};

/** Of appendTranscript. */
export type AppendTranscriptInput = {
  /** An id of the caller's for the batch that the entries belong to: 1 to 256 UTF-8 bytes. */
  batchId: string;
  /** 1 to 1,000 entries in order, each as JSON text, which is stored as it is. */
  entries: Array<string>;
  /** What Claude calls the project: 1 to 512 UTF-8 bytes. Not the credential's project. */
  projectKey: string;
  /** The Claude session's id: 1 to 512 UTF-8 bytes. */
  sessionId: string;
  /** The place of the first of these entries in its batch; 0 where the batch is sent at once. */
  start: number;
  /** The transcript of a subagent: 1 to 1,024 UTF-8 bytes; omitted for the main transcript. */
  subpath?: string | null | undefined;
};

/** Of applyHistoryMutations. */
export type ApplyHistoryMutationsInput = {
  /** The conversation's id: 1 to 256 UTF-8 bytes (VAL-1). */
  conversationId: string;
  /** Fixed before the first attempt, 1 to 256 UTF-8 bytes: the same id with the same arguments changes nothing twice, with others it is a Conflict. Forgotten when the conversation is cleared or deleted, or after an hour. */
  operationId: string;
  /** At most 100, applied in order. */
  replacements: Array<CallReplacementInput>;
};

/** Of applyHistoryTransaction. */
export type ApplyHistoryTransactionInput = {
  /** The conversation's id: 1 to 256 UTF-8 bytes (VAL-1). */
  conversationId: string;
  /** The payloads with which the history must end, in order; these messages are replaced. Otherwise it is a Conflict and nothing changes. When omitted, messages are appended only. */
  expectedSuffix?: Array<JsonValue | null | undefined> | null | undefined;
  /** In order; any number that fits into a request. */
  messages: Array<MessageInput>;
  /** Fixed before the first attempt, 1 to 256 UTF-8 bytes: the same id with the same arguments changes nothing twice, with others it is a Conflict. Forgotten when the conversation is cleared or deleted. */
  operationId: string;
};

/** Of branch. */
export type BranchInput = {
  /** The conversation's id: 1 to 256 UTF-8 bytes (VAL-1). */
  conversationId: string;
  /** The last seq that the conversation must have, a decimal string, 0 for none: else it is a Conflict that tells the last seq. */
  expectedLastSeq?: string | null | undefined;
  /** The message to continue from. Required; null is before the first message. */
  messageId?: string | null | undefined;
};

/** A function call that becomes another one. */
export type CallReplacementInput = {
  /** The callId of the call that is replaced. */
  callId: string;
  /** An item of type function_call. */
  replacement: JsonValue;
};

/** The value of a channel at a version. */
export type ChannelValueInput = {
  /** A version of the same channel that is stored: pieces of it need not be sent again. */
  base?: string | null | undefined;
  /** The channel's name: 1 to 1,024 UTF-8 bytes. */
  channel: string;
  /** The names of pieces whose bytes, one behind another, come before those of `value.data`, which are IDENTITY then. A thread keeps a piece once. The name is its length in bytes, `-`, and its SHA-256 in base64. Together at most 16 MiB. */
  pieces?: Array<string> | null | undefined;
  /** Omitted where the channel is empty at that version. */
  value?: SerializedValueInput | null | undefined;
  /** The channel's version: 1 to 256 UTF-8 bytes. */
  version: string;
};

/** The version of a channel. */
export type ChannelVersionInput = {
  /** The channel's name: 1 to 1,024 UTF-8 bytes. */
  channel: string;
  /** The channel's version: 1 to 256 UTF-8 bytes. */
  version: string;
};

/** How the client packed the bytes of a value. The gateway never unpacks them. */
export type CheckpointEncoding =
  /** Compressed with gzip. */
  | 'GZIP'
  /** As the serialiser wrote them. */
  | 'IDENTITY';

/** What a task wrote after a checkpoint, as putCheckpointWrites takes it. */
export type CheckpointTaskWritesInput = {
  /** The checkpoint after which was written. */
  checkpointId: string;
  /** The namespace, empty for the graph itself: at most 1,024 UTF-8 bytes. */
  checkpointNs?: string | null | undefined;
  /** The id of the task that wrote: 1 to 256 UTF-8 bytes. */
  taskId: string;
  /** The task's place in its step: at most 1,024 UTF-8 bytes; empty when omitted. */
  taskPath?: string | null | undefined;
  /** What the task wrote. */
  writes: Array<CheckpointWriteInput>;
};

/** What a task wrote to a channel. */
export type CheckpointWriteInput = {
  /** The channel's name: 1 to 1,024 UTF-8 bytes. */
  channel: string;
  /** Its place among the task's writes. A later write for a negative one replaces, else the first stays. */
  idx: number;
  /** What it wrote. */
  value: SerializedValueInput;
};

/** Of clearHistory. */
export type ClearHistoryInput = {
  /** The conversation's id: 1 to 256 UTF-8 bytes (VAL-1). */
  conversationId: string;
  /** Fixed before the first attempt, 1 to 256 UTF-8 bytes: the same id with the same arguments changes nothing twice, with others it is a Conflict. Forgotten when the conversation is cleared or deleted by another operation, or after an hour. */
  operationId: string;
};

/** Of clearMessages. */
export type ClearMessagesInput = {
  /** The conversation's id: 1 to 256 UTF-8 bytes (VAL-1). */
  conversationId: string;
};

/** Of compact. */
export type CompactInput = {
  /** The conversation's id: 1 to 256 UTF-8 bytes (VAL-1). */
  conversationId: string;
  /** Whatever else belongs to it: any JSON value. */
  details?: JsonValue | null | undefined;
  /** The first message of the active path that a context still shows; all are shown when omitted. */
  firstKeptMessageId?: string | null | undefined;
  /** The new message's id: 1 to 256 UTF-8 bytes, unique in the project (VAL-1). Made by the gateway when omitted; give it to make a retry safe. */
  messageId?: string | null | undefined;
  /** What stands for the messages that are left out. */
  summary: string;
};

/** Of createConversation. */
export type CreateConversationInput = {
  /** The conversation's id: 1 to 256 UTF-8 bytes, unique in the project (VAL-1). Made by the gateway when omitted. */
  conversationId?: string | null | undefined;
  /** A title, tags and the like; at most 1 MiB. {} when omitted. */
  metadata?: JsonObject | null | undefined;
};

/** Of deleteCheckpointThread. */
export type DeleteCheckpointThreadInput = {
  /** The thread's id: 1 to 256 UTF-8 bytes (VAL-1). A thread is not a conversation. */
  threadId: string;
};

/** Of deleteConversation. */
export type DeleteConversationInput = {
  /** The conversation's id: 1 to 256 UTF-8 bytes, unique in the project (VAL-1). */
  conversationId: string;
};

/** Of deleteMessage. */
export type DeleteMessageInput = {
  /** The message's id: 1 to 256 UTF-8 bytes, unique in the project (VAL-1). */
  messageId: string;
};

/** Of deleteState. */
export type DeleteStateInput = {
  /** The key: 1 to 256 UTF-8 bytes (VAL-1). It has nothing to do with a conversation of that id. */
  key: string;
};

/** Of deleteTranscript. */
export type DeleteTranscriptInput = {
  /** What Claude calls the project: 1 to 512 UTF-8 bytes. Not the credential's project. */
  projectKey: string;
  /** The Claude session's id: 1 to 512 UTF-8 bytes. */
  sessionId: string;
  /** The one subpath to delete; omitted, the session goes with all of them. */
  subpath?: string | null | undefined;
};

/** Of eraseConversation. */
export type EraseConversationInput = {
  /** The id: 1 to 256 UTF-8 bytes (VAL-1). */
  conversationId: string;
};

/** Of fork. */
export type ForkInput = {
  /** The id of the conversation that is forked. */
  conversationId: string;
  /** The message up to which its path is copied, with it; the active leaf when omitted. */
  messageId?: string | null | undefined;
  /** The id of the new conversation: 1 to 256 UTF-8 bytes (VAL-1). Made by the gateway when omitted; give it to make a retry safe. */
  newConversationId?: string | null | undefined;
};

/** Of importConversation. */
export type ImportConversationInput = {
  /** The id of the conversation, the same as in the lines. */
  conversationId: string;
  /** The lines of its archive, as conversationArchive returns them; the header may be left out. */
  lines: Array<string>;
};

/** A message to be appended. */
export type MessageInput = {
  /** The message's id: 1 to 256 UTF-8 bytes, unique in the project (VAL-1). Made by the gateway when omitted; give it to make a retry safe. */
  messageId?: string | null | undefined;
  /** Facts about this message alone, apart from the conversation's metadata (VAL-4). {} when omitted. */
  metadata?: JsonObject | null | undefined;
  /** The content: any JSON value (VAL-3). Required; null is a value. */
  payload?: JsonValue | null | undefined;
  /** Such as user or assistant, or the application's own; at most 256 UTF-8 bytes (VAL-2). */
  role?: string | null | undefined;
  /** The application's own kind of message; at most 256 UTF-8 bytes, never interpreted (VAL-2). */
  type?: string | null | undefined;
};

/** What a message is to the conversation; the application's own kinds stand in its type. */
export type MessageKind =
  /** A summary of another branch. */
  | 'branch_summary'
  /** A summary that stands for what comes before the messages that it keeps. */
  | 'compaction'
  /** What the application keeps on the path and no model sees. */
  | 'custom'
  /** One that the application appended. */
  | 'message';

/** The order of a walk through messages, by seq. */
export type Order =
  /** The oldest first. */
  | 'ASC'
  /** The newest first. */
  | 'DESC';

/** Of popHistory. */
export type PopHistoryInput = {
  /** The conversation's id: 1 to 256 UTF-8 bytes (VAL-1). */
  conversationId: string;
  /** Fixed before the first attempt, 1 to 256 UTF-8 bytes: the same id with the same arguments changes nothing twice, with others it is a Conflict. Forgotten when the conversation is cleared or deleted, or after an hour. */
  operationId: string;
};

/** Of pruneCheckpointThread. */
export type PruneCheckpointThreadInput = {
  /** How many checkpoints of each namespace stay: at least 1. */
  keep: number;
  /** The thread's id: 1 to 256 UTF-8 bytes (VAL-1). A thread is not a conversation. */
  threadId: string;
};

/** Of pruneStateCheckpoints. */
export type PruneStateCheckpointsInput = {
  /** How many of the newest stay: at least 0. */
  keep: number;
  /** The key: 1 to 256 UTF-8 bytes (VAL-1). It has nothing to do with a conversation of that id. */
  key: string;
};

/** Of putCheckpoint. */
export type PutCheckpointInput = {
  /** The versions of all its channels. */
  channelVersions: Array<ChannelVersionInput>;
  /** The checkpoint itself, without the values of its channels. */
  checkpoint: SerializedValueInput;
  /** The checkpoint's id: 1 to 256 UTF-8 bytes. The greatest, compared bytewise, is the latest. */
  checkpointId: string;
  /** The namespace, empty for the graph itself: at most 1,024 UTF-8 bytes. */
  checkpointNs?: string | null | undefined;
  /** The version of the checkpoint's format. */
  format: number;
  /** Its metadata, exactly. */
  metadata: SerializedValueInput;
  /** Its metadata as far as they are JSON: what the filter of a list compares with. */
  metadataJson?: JsonObject | null | undefined;
  /** The checkpoint that it follows. */
  parentCheckpointId?: string | null | undefined;
  /** Pieces of these values, in base64: all that a value does not have in common with its base. */
  pieces?: Array<string> | null | undefined;
  /** What tasks of the thread wrote, to be stored along: in one request, all of it or nothing. */
  taskWrites?: Array<CheckpointTaskWritesInput> | null | undefined;
  /** The thread's id: 1 to 256 UTF-8 bytes (VAL-1). A thread is not a conversation. */
  threadId: string;
  /** The values of the channels that changed. A value is stored once per version: the first stays. */
  values: Array<ChannelValueInput>;
};

/** Of putCheckpointWrites. */
export type PutCheckpointWritesInput = {
  /** The checkpoint after which was written. */
  checkpointId: string;
  /** The namespace, empty for the graph itself: at most 1,024 UTF-8 bytes. */
  checkpointNs?: string | null | undefined;
  /** The id of the task that wrote: 1 to 256 UTF-8 bytes. */
  taskId: string;
  /** The task's place in its step: at most 1,024 UTF-8 bytes; empty when omitted. */
  taskPath?: string | null | undefined;
  /** The thread's id: 1 to 256 UTF-8 bytes (VAL-1). A thread is not a conversation. */
  threadId: string;
  /** What the task wrote. */
  writes: Array<CheckpointWriteInput>;
};

/** Of replaceHistory. */
export type ReplaceHistoryInput = {
  /** The conversation's id: 1 to 256 UTF-8 bytes (VAL-1). */
  conversationId: string;
  /** In order; any number that fits into a request. */
  messages: Array<MessageInput>;
  /** Fixed before the first attempt, 1 to 256 UTF-8 bytes: the same id with the same arguments changes nothing twice, with others it is a Conflict. Forgotten when the conversation is cleared or deleted, or after an hour. */
  operationId: string;
};

/** What a credential may do. */
export type Role =
  /** Everything in the project. */
  | 'ADMIN'
  /** Queries only. */
  | 'READ'
  /** Queries and mutations. */
  | 'WRITE';

/** Of saveAgentState. */
export type SaveAgentStateInput = {
  /** The conversation's id: 1 to 256 UTF-8 bytes (VAL-1). */
  conversationId: string;
  /** The revision that must be the latest, "0" for none: otherwise it is a Conflict. A repeated write that has taken effect is a success all the same. */
  expectedRevision?: string | null | undefined;
  /** All its messages: those of the active path's context, as `agentState` shows them, then new ones. */
  messages: Array<JsonValue | null | undefined>;
  /** Repeat it to repeat a write safely: the same one takes effect once. A new one when omitted. */
  operationId?: string | null | undefined;
  /** What it keeps besides them. At most 16 MiB (VAL-7). */
  state: JsonObject;
  /** The version of the snapshot's form, which the application counts; 0 when it does not. One that is newer than the reader knows must not be read. */
  version?: number | null | undefined;
};

/** Of saveState. */
export type SaveStateInput = {
  /** The revision that must be the latest, "0" for none: otherwise it is a Conflict. A repeated write that has taken effect is a success all the same. */
  expectedRevision?: string | null | undefined;
  /** The key: 1 to 256 UTF-8 bytes (VAL-1). It has nothing to do with a conversation of that id. */
  key: string;
  /** Repeat it to repeat a write safely: the same one takes effect once. A new one when omitted. */
  operationId?: string | null | undefined;
  /** The snapshot, in the application's own shape. At most 16 MiB (VAL-7). */
  state: JsonObject;
  /** The version of the snapshot's form, which the application counts; 0 when it does not. One that is newer than the reader knows must not be read. */
  version?: number | null | undefined;
};

/** A value as the client's serialiser wrote it. */
export type SerializedValueInput = {
  /** The bytes in base64. */
  data: string;
  /** How the bytes are packed; IDENTITY when omitted. */
  encoding?: CheckpointEncoding | null | undefined;
  /** What the client's serialiser calls the type of the bytes; at most 256 UTF-8 bytes. */
  type: string;
};

/** Of setConfig. */
export type SetConfigInput = {
  /** { model?: string, responseFormat?: { type: text | json_object | json_schema, jsonSchema?: { name, description?, schema, strict? } }, thinking?: { includeThoughts?: boolean, display?: summarized | omitted, effort?: low | medium | high | max, budget?: integer }, skills?: [string] }; null takes the config out. */
  config?: JsonObject | null | undefined;
  /** The conversation's id: 1 to 256 UTF-8 bytes (VAL-1). */
  conversationId: string;
};

/** Of setLabel. */
export type SetLabelInput = {
  /** 1 to 256 UTF-8 bytes; null removes the label. */
  label?: string | null | undefined;
  /** The message's id: 1 to 256 UTF-8 bytes (VAL-1). */
  messageId: string;
};

/** Of setThinking. */
export type SetThinkingInput = {
  /** The conversation's id: 1 to 256 UTF-8 bytes (VAL-1). */
  conversationId: string;
  /** { includeThoughts?: boolean, display?: summarized | omitted, effort?: low | medium | high | max, budget?: integer }; null takes it out. */
  thinking?: JsonObject | null | undefined;
};

/** Of setTranscriptSummary. */
export type SetTranscriptSummaryInput = {
  /** The mtime that the session had before the entries were read which the summary was made of. */
  mtime: number;
  /** What Claude calls the project: 1 to 512 UTF-8 bytes. Not the credential's project. */
  projectKey: string;
  /** The Claude session's id: 1 to 512 UTF-8 bytes. */
  sessionId: string;
  /** JSON text of an object, as foldSessionSummary of the Claude Agent SDK makes it; never interpreted. At most 1 MiB. */
  summary: string;
};

/** Of switchBranch. */
export type SwitchBranchInput = {
  /** The number of the branch. */
  branch: number;
  /** The conversation's id: 1 to 256 UTF-8 bytes (VAL-1). */
  conversationId: string;
};

/** What a live tail tells. */
export type TailEventKind =
  /** A message was appended. */
  | 'MESSAGE'
  /** The tail has begun; the first event, and only that. */
  | 'OPENED'
  /** The conversation was deleted (CONV-5): nothing that was told before holds. What follows is that of a new conversation, once there is one. */
  | 'RESET';

/** Of updateConversation. */
export type UpdateConversationInput = {
  /** The conversation's id: 1 to 256 UTF-8 bytes, unique in the project (VAL-1). */
  conversationId: string;
  /** Top-level keys to set; null removes a key, absent keys stay, nested values are replaced whole. */
  metadata: JsonObject;
};

/** Of updateMessage: at least one of role, type, payload, metadata. */
export type UpdateMessageInput = {
  /** The message's id: 1 to 256 UTF-8 bytes, unique in the project (VAL-1). */
  messageId: string;
  /** Facts about this message alone, apart from the conversation's metadata (VAL-4). Replaced whole. */
  metadata?: JsonObject | null | undefined;
  /** The content: any JSON value (VAL-3). Replaced whole; null is a value. */
  payload?: JsonValue | null | undefined;
  /** Such as user or assistant, or the application's own; at most 256 UTF-8 bytes (VAL-2). null clears it. */
  role?: string | null | undefined;
  /** The application's own kind of message; at most 256 UTF-8 bytes, never interpreted (VAL-2). null clears it. */
  type?: string | null | undefined;
};

export type AgentStateQueryVariables = Exact<{
  conversationId: string;
  after?: string | null | undefined;
}>;


export type AgentStateQuery = { agentState: { state: JsonObject | null, version: number, revision: string, updatedAt: string, messages: Array<JsonValue | null>, nextCursor: string | null } | null };

export type AgentStatesQueryVariables = Exact<{
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type AgentStatesQuery = { agentStates: { nodes: Array<{ key: string, version: number, revision: string, updatedAt: string }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } | null };

export type SaveAgentStateMutationVariables = Exact<{
  input: SaveAgentStateInput;
}>;


export type SaveAgentStateMutation = { saveAgentState: { conversationId: string, revision: string, updatedAt: string } | null };

export type ConversationArchiveQueryVariables = Exact<{
  conversationId: string;
  after?: string | null | undefined;
}>;


export type ConversationArchiveQuery = { conversationArchive: { nodes: Array<string>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } | null };

export type ImportConversationMutationVariables = Exact<{
  input: ImportConversationInput;
}>;


export type ImportConversationMutation = { importConversation: { imported: boolean } | null };

export type BranchFieldsFragment = { branch: number, parentBranch: number | null, forkSeq: string, leafMessageId: string | null, active: boolean, createdAt: string };

export type BranchesQueryVariables = Exact<{
  conversationId: string;
}>;


export type BranchesQuery = { branches: Array<{ branch: number, parentBranch: number | null, forkSeq: string, leafMessageId: string | null, active: boolean, createdAt: string }> | null };

export type BranchMutationVariables = Exact<{
  input: BranchInput;
}>;


export type BranchMutation = { branch: { branch: { branch: number, parentBranch: number | null, forkSeq: string, leafMessageId: string | null, active: boolean, createdAt: string } } | null };

export type SwitchBranchMutationVariables = Exact<{
  input: SwitchBranchInput;
}>;


export type SwitchBranchMutation = { switchBranch: { branch: { branch: number, parentBranch: number | null, forkSeq: string, leafMessageId: string | null, active: boolean, createdAt: string } } | null };

export type SerializedFieldsFragment = { type: string, encoding: CheckpointEncoding, data: string };

export type WriteFieldsFragment = { taskId: string, channel: string, value: { type: string, encoding: CheckpointEncoding, data: string } };

export type CheckpointFieldsFragment = { threadId: string, checkpointNs: string, checkpointId: string, parentCheckpointId: string | null, checkpoint: { type: string, encoding: CheckpointEncoding, data: string }, metadata: { type: string, encoding: CheckpointEncoding, data: string }, values: Array<{ channel: string, value: { type: string, encoding: CheckpointEncoding, data: string } }>, writes: Array<{ taskId: string, channel: string, value: { type: string, encoding: CheckpointEncoding, data: string } }>, sends: Array<{ type: string, encoding: CheckpointEncoding, data: string }> };

export type CheckpointQueryVariables = Exact<{
  threadId: string;
  checkpointNs?: string | null | undefined;
  checkpointId?: string | null | undefined;
}>;


export type CheckpointQuery = { checkpoint: { threadId: string, checkpointNs: string, checkpointId: string, parentCheckpointId: string | null, checkpoint: { type: string, encoding: CheckpointEncoding, data: string }, metadata: { type: string, encoding: CheckpointEncoding, data: string }, values: Array<{ channel: string, value: { type: string, encoding: CheckpointEncoding, data: string } }>, writes: Array<{ taskId: string, channel: string, value: { type: string, encoding: CheckpointEncoding, data: string } }>, sends: Array<{ type: string, encoding: CheckpointEncoding, data: string }> } | null };

export type CheckpointsQueryVariables = Exact<{
  threadId?: string | null | undefined;
  checkpointNs?: string | null | undefined;
  checkpointId?: string | null | undefined;
  beforeCheckpointId?: string | null | undefined;
  filter?: JsonObject | null | undefined;
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type CheckpointsQuery = { checkpoints: { nodes: Array<{ threadId: string, checkpointNs: string, checkpointId: string, parentCheckpointId: string | null, checkpoint: { type: string, encoding: CheckpointEncoding, data: string }, metadata: { type: string, encoding: CheckpointEncoding, data: string }, values: Array<{ channel: string, value: { type: string, encoding: CheckpointEncoding, data: string } }>, writes: Array<{ taskId: string, channel: string, value: { type: string, encoding: CheckpointEncoding, data: string } }>, sends: Array<{ type: string, encoding: CheckpointEncoding, data: string }> }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } | null };

export type ChannelHistoriesQueryVariables = Exact<{
  threadId: string;
  checkpointNs?: string | null | undefined;
  checkpointId?: string | null | undefined;
  channels: Array<string> | string;
}>;


export type ChannelHistoriesQuery = { channelHistories: Array<{ channel: string, writes: Array<{ taskId: string, channel: string, value: { type: string, encoding: CheckpointEncoding, data: string } }>, seed: { type: string, encoding: CheckpointEncoding, data: string } | null }> | null };

export type PutCheckpointMutationVariables = Exact<{
  input: PutCheckpointInput;
}>;


export type PutCheckpointMutation = { putCheckpoint: { checkpointId: string } | null };

export type PutCheckpointWritesMutationVariables = Exact<{
  input: PutCheckpointWritesInput;
}>;


export type PutCheckpointWritesMutation = { putCheckpointWrites: { checkpointId: string } | null };

export type DeleteCheckpointThreadMutationVariables = Exact<{
  input: DeleteCheckpointThreadInput;
}>;


export type DeleteCheckpointThreadMutation = { deleteCheckpointThread: { threadId: string } | null };

export type PruneCheckpointThreadMutationVariables = Exact<{
  input: PruneCheckpointThreadInput;
}>;


export type PruneCheckpointThreadMutation = { pruneCheckpointThread: { removed: number } | null };

export type ConfigQueryVariables = Exact<{
  conversationId: string;
}>;


export type ConfigQuery = { config: JsonObject | null };

export type SetConfigMutationVariables = Exact<{
  input: SetConfigInput;
}>;


export type SetConfigMutation = { setConfig: { config: JsonObject | null } | null };

export type SetThinkingMutationVariables = Exact<{
  input: SetThinkingInput;
}>;


export type SetThinkingMutation = { setThinking: { config: JsonObject | null } | null };

export type ContextQueryVariables = Exact<{
  conversationId: string;
  branch?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type ContextQuery = { context: { nextCursor: string | null, messages: Array<{ messageId: string, conversationId: string, seq: string, branch: number, kind: MessageKind, role: string | null, type: string | null, payload: JsonValue | null, metadata: JsonObject, label: string | null, sourceMessageId: string | null, createdAt: string, updatedAt: string }> } | null };

export type CompactMutationVariables = Exact<{
  input: CompactInput;
}>;


export type CompactMutation = { compact: { message: { messageId: string, conversationId: string, seq: string, branch: number, kind: MessageKind, role: string | null, type: string | null, payload: JsonValue | null, metadata: JsonObject, label: string | null, sourceMessageId: string | null, createdAt: string, updatedAt: string } } | null };

export type AppendBranchSummaryMutationVariables = Exact<{
  input: AppendBranchSummaryInput;
}>;


export type AppendBranchSummaryMutation = { appendBranchSummary: { message: { messageId: string, conversationId: string, seq: string, branch: number, kind: MessageKind, role: string | null, type: string | null, payload: JsonValue | null, metadata: JsonObject, label: string | null, sourceMessageId: string | null, createdAt: string, updatedAt: string } } | null };

export type AppendCustomMutationVariables = Exact<{
  input: AppendCustomInput;
}>;


export type AppendCustomMutation = { appendCustom: { message: { messageId: string, conversationId: string, seq: string, branch: number, kind: MessageKind, role: string | null, type: string | null, payload: JsonValue | null, metadata: JsonObject, label: string | null, sourceMessageId: string | null, createdAt: string, updatedAt: string } } | null };

export type ConversationFieldsFragment = { conversationId: string, metadata: JsonObject, createdAt: string, updatedAt: string };

export type ConversationQueryVariables = Exact<{
  conversationId: string;
}>;


export type ConversationQuery = { conversation: { conversationId: string, metadata: JsonObject, createdAt: string, updatedAt: string } | null };

export type ConversationsQueryVariables = Exact<{
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type ConversationsQuery = { conversations: { nodes: Array<{ conversationId: string, metadata: JsonObject, createdAt: string, updatedAt: string }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } | null };

export type CreateConversationMutationVariables = Exact<{
  input: CreateConversationInput;
}>;


export type CreateConversationMutation = { createConversation: { conversation: { conversationId: string, metadata: JsonObject, createdAt: string, updatedAt: string } } | null };

export type UpdateConversationMutationVariables = Exact<{
  input: UpdateConversationInput;
}>;


export type UpdateConversationMutation = { updateConversation: { conversation: { conversationId: string, metadata: JsonObject, createdAt: string, updatedAt: string } } | null };

export type DeleteConversationMutationVariables = Exact<{
  input: DeleteConversationInput;
}>;


export type DeleteConversationMutation = { deleteConversation: { conversationId: string } | null };

export type EraseConversationMutationVariables = Exact<{
  input: EraseConversationInput;
}>;


export type EraseConversationMutation = { eraseConversation: { forks: Array<string>, erased: { conversations: number, messages: number, branches: number, historyOperations: number, states: number, stateCheckpoints: number, checkpoints: number, channelValues: number, checkpointWrites: number, transcripts: number, transcriptEntries: number } } | null };

export type ForkMutationVariables = Exact<{
  input: ForkInput;
}>;


export type ForkMutation = { fork: { conversation: { parentConversationId: string | null, parentMessageId: string | null, conversationId: string, metadata: JsonObject, createdAt: string, updatedAt: string } } | null };

export type HistoryQueryVariables = Exact<{
  conversationId: string;
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type HistoryQuery = { history: { nextCursor: string | null, messages: Array<{ payload: JsonValue | null }> } | null };

export type AppendHistoryMutationVariables = Exact<{
  input: AppendHistoryInput;
}>;


export type AppendHistoryMutation = { appendHistory: { conversationId: string } | null };

export type PopHistoryMutationVariables = Exact<{
  input: PopHistoryInput;
}>;


export type PopHistoryMutation = { popHistory: { message: { payload: JsonValue | null } | null } | null };

export type ClearHistoryMutationVariables = Exact<{
  input: ClearHistoryInput;
}>;


export type ClearHistoryMutation = { clearHistory: { conversationId: string } | null };

export type ReplaceHistoryMutationVariables = Exact<{
  input: ReplaceHistoryInput;
}>;


export type ReplaceHistoryMutation = { replaceHistory: { conversationId: string } | null };

export type ApplyHistoryTransactionMutationVariables = Exact<{
  input: ApplyHistoryTransactionInput;
}>;


export type ApplyHistoryTransactionMutation = { applyHistoryTransaction: { conversationId: string } | null };

export type ApplyHistoryMutationsMutationVariables = Exact<{
  input: ApplyHistoryMutationsInput;
}>;


export type ApplyHistoryMutationsMutation = { applyHistoryMutations: { conversationId: string } | null };

export type SetLabelMutationVariables = Exact<{
  input: SetLabelInput;
}>;


export type SetLabelMutation = { setLabel: { message: { messageId: string, conversationId: string, seq: string, branch: number, kind: MessageKind, role: string | null, type: string | null, payload: JsonValue | null, metadata: JsonObject, label: string | null, sourceMessageId: string | null, createdAt: string, updatedAt: string } } | null };

export type MessageFieldsFragment = { messageId: string, conversationId: string, seq: string, branch: number, kind: MessageKind, role: string | null, type: string | null, payload: JsonValue | null, metadata: JsonObject, label: string | null, sourceMessageId: string | null, createdAt: string, updatedAt: string };

export type MessageQueryVariables = Exact<{
  messageId: string;
}>;


export type MessageQuery = { message: { messageId: string, conversationId: string, seq: string, branch: number, kind: MessageKind, role: string | null, type: string | null, payload: JsonValue | null, metadata: JsonObject, label: string | null, sourceMessageId: string | null, createdAt: string, updatedAt: string } | null };

export type MessagesQueryVariables = Exact<{
  conversationId: string;
  first?: number | null | undefined;
  after?: string | null | undefined;
  order?: Order | null | undefined;
  branch?: number | null | undefined;
}>;


export type MessagesQuery = { messages: { nodes: Array<{ messageId: string, conversationId: string, seq: string, branch: number, kind: MessageKind, role: string | null, type: string | null, payload: JsonValue | null, metadata: JsonObject, label: string | null, sourceMessageId: string | null, createdAt: string, updatedAt: string }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } | null };

export type AppendMessageMutationVariables = Exact<{
  input: AppendMessageInput;
}>;


export type AppendMessageMutation = { appendMessage: { message: { messageId: string, conversationId: string, seq: string, branch: number, kind: MessageKind, role: string | null, type: string | null, payload: JsonValue | null, metadata: JsonObject, label: string | null, sourceMessageId: string | null, createdAt: string, updatedAt: string } } | null };

export type AppendMessagesMutationVariables = Exact<{
  input: AppendMessagesInput;
}>;


export type AppendMessagesMutation = { appendMessages: { messages: Array<{ messageId: string, conversationId: string, seq: string, branch: number, kind: MessageKind, role: string | null, type: string | null, payload: JsonValue | null, metadata: JsonObject, label: string | null, sourceMessageId: string | null, createdAt: string, updatedAt: string }> } | null };

export type UpdateMessageMutationVariables = Exact<{
  input: UpdateMessageInput;
}>;


export type UpdateMessageMutation = { updateMessage: { message: { messageId: string, conversationId: string, seq: string, branch: number, kind: MessageKind, role: string | null, type: string | null, payload: JsonValue | null, metadata: JsonObject, label: string | null, sourceMessageId: string | null, createdAt: string, updatedAt: string } } | null };

export type DeleteMessageMutationVariables = Exact<{
  input: DeleteMessageInput;
}>;


export type DeleteMessageMutation = { deleteMessage: { messageId: string } | null };

export type ClearMessagesMutationVariables = Exact<{
  input: ClearMessagesInput;
}>;


export type ClearMessagesMutation = { clearMessages: { conversationId: string } | null };

export type SearchConversationsQueryVariables = Exact<{
  search: string;
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type SearchConversationsQuery = { conversations: { nodes: Array<{ conversationId: string, metadata: JsonObject, createdAt: string, updatedAt: string }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } | null };

export type StateCheckpointFieldsFragment = { key: string, seq: string, state: JsonObject, version: number, createdAt: string };

export type StateCheckpointQueryVariables = Exact<{
  key: string;
  seq?: string | null | undefined;
}>;


export type StateCheckpointQuery = { stateCheckpoint: { key: string, seq: string, state: JsonObject, version: number, createdAt: string } | null };

export type StateCheckpointsQueryVariables = Exact<{
  key: string;
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type StateCheckpointsQuery = { stateCheckpoints: { nodes: Array<{ key: string, seq: string, state: JsonObject, version: number, createdAt: string }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } | null };

export type AppendStateCheckpointMutationVariables = Exact<{
  input: AppendStateCheckpointInput;
}>;


export type AppendStateCheckpointMutation = { appendStateCheckpoint: { seq: string } | null };

export type PruneStateCheckpointsMutationVariables = Exact<{
  input: PruneStateCheckpointsInput;
}>;


export type PruneStateCheckpointsMutation = { pruneStateCheckpoints: { removed: number } | null };

export type StateQueryVariables = Exact<{
  key: string;
}>;


export type StateQuery = { state: { key: string, state: JsonObject, version: number, revision: string, updatedAt: string } | null };

export type HasStateQueryVariables = Exact<{
  key: string;
}>;


export type HasStateQuery = { state: { key: string } | null };

export type StatesQueryVariables = Exact<{
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type StatesQuery = { states: { nodes: Array<{ key: string, version: number, revision: string, updatedAt: string }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } | null };

export type SaveStateMutationVariables = Exact<{
  input: SaveStateInput;
}>;


export type SaveStateMutation = { saveState: { key: string, revision: string, updatedAt: string } | null };

export type DeleteStateMutationVariables = Exact<{
  input: DeleteStateInput;
}>;


export type DeleteStateMutation = { deleteState: { key: string } | null };

export type MessageAddedSubscriptionVariables = Exact<{
  conversationId: string;
  after?: string | null | undefined;
  last?: number | null | undefined;
}>;


export type MessageAddedSubscription = { messageAdded: { kind: TailEventKind, position: string, message: { messageId: string, conversationId: string, seq: string, branch: number, kind: MessageKind, role: string | null, type: string | null, payload: JsonValue | null, metadata: JsonObject, label: string | null, sourceMessageId: string | null, createdAt: string, updatedAt: string } | null } | null };

export type TranscriptsQueryVariables = Exact<{
  projectKey: string;
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type TranscriptsQuery = { transcripts: { nodes: Array<{ sessionId: string, mtime: number }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } | null };

export type TranscriptSummariesQueryVariables = Exact<{
  projectKey: string;
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type TranscriptSummariesQuery = { transcriptSummaries: { nodes: Array<{ sessionId: string, mtime: number, summary: string | null, summaryMtime: number | null, unfoldedAfter: string }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } | null };

export type TranscriptEntriesQueryVariables = Exact<{
  projectKey: string;
  sessionId: string;
  subpath?: string | null | undefined;
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type TranscriptEntriesQuery = { transcriptEntries: { nodes: Array<{ entry: string }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } | null };

export type TranscriptSubpathsQueryVariables = Exact<{
  projectKey: string;
  sessionId: string;
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type TranscriptSubpathsQuery = { transcriptSubpaths: { nodes: Array<{ subpath: string }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } | null };

export type AppendTranscriptMutationVariables = Exact<{
  input: AppendTranscriptInput;
}>;


export type AppendTranscriptMutation = { appendTranscript: { appended: number } | null };

export type SetTranscriptSummaryMutationVariables = Exact<{
  input: SetTranscriptSummaryInput;
}>;


export type SetTranscriptSummaryMutation = { setTranscriptSummary: { stored: boolean } | null };

export type DeleteTranscriptMutationVariables = Exact<{
  input: DeleteTranscriptInput;
}>;


export type DeleteTranscriptMutation = { deleteTranscript: { sessionId: string } | null };

export type TreeQueryVariables = Exact<{
  conversationId: string;
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type TreeQuery = { tree: { nodes: Array<{ messageId: string, parentMessageId: string | null, branch: number, seq: string, kind: MessageKind, role: string | null, type: string | null, label: string | null }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } | null };

export type LeavesQueryVariables = Exact<{
  conversationId: string;
}>;


export type LeavesQuery = { leaves: Array<{ messageId: string, conversationId: string, seq: string, branch: number, kind: MessageKind, role: string | null, type: string | null, payload: JsonValue | null, metadata: JsonObject, label: string | null, sourceMessageId: string | null, createdAt: string, updatedAt: string }> | null };

export type BranchPointsQueryVariables = Exact<{
  conversationId: string;
}>;


export type BranchPointsQuery = { branchPoints: Array<{ messageId: string, conversationId: string, seq: string, branch: number, kind: MessageKind, role: string | null, type: string | null, payload: JsonValue | null, metadata: JsonObject, label: string | null, sourceMessageId: string | null, createdAt: string, updatedAt: string }> | null };

export type LabelsQueryVariables = Exact<{
  conversationId: string;
}>;


export type LabelsQuery = { labels: Array<{ messageId: string, conversationId: string, seq: string, branch: number, kind: MessageKind, role: string | null, type: string | null, payload: JsonValue | null, metadata: JsonObject, label: string | null, sourceMessageId: string | null, createdAt: string, updatedAt: string }> | null };

export type StatsQueryVariables = Exact<{
  conversationId: string;
}>;


export type StatsQuery = { stats: { messageCount: number, branchCount: number, leafCount: number, maxDepth: number, compactionCount: number, firstMessageAt: string | null, lastMessageAt: string | null } | null };

export type ViewerQueryVariables = Exact<{ [key: string]: never; }>;


export type ViewerQuery = { viewer: { role: Role, expiresAt: string | null, project: { name: string } } | null };

export const BranchFieldsFragmentDoc = {"kind":"Document","definitions":[{"kind":"FragmentDefinition","name":{"kind":"Name","value":"BranchFields"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Branch"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"branch"}},{"kind":"Field","name":{"kind":"Name","value":"parentBranch"}},{"kind":"Field","name":{"kind":"Name","value":"forkSeq"}},{"kind":"Field","name":{"kind":"Name","value":"leafMessageId"}},{"kind":"Field","name":{"kind":"Name","value":"active"}},{"kind":"Field","name":{"kind":"Name","value":"createdAt"}}]}}]} as unknown as DocumentNode<BranchFieldsFragment, unknown>;
export const SerializedFieldsFragmentDoc = {"kind":"Document","definitions":[{"kind":"FragmentDefinition","name":{"kind":"Name","value":"SerializedFields"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"SerializedValue"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"type"}},{"kind":"Field","name":{"kind":"Name","value":"encoding"}},{"kind":"Field","name":{"kind":"Name","value":"data"}}]}}]} as unknown as DocumentNode<SerializedFieldsFragment, unknown>;
export const WriteFieldsFragmentDoc = {"kind":"Document","definitions":[{"kind":"FragmentDefinition","name":{"kind":"Name","value":"WriteFields"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"CheckpointWrite"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"taskId"}},{"kind":"Field","name":{"kind":"Name","value":"channel"}},{"kind":"Field","name":{"kind":"Name","value":"value"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"SerializedFields"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"SerializedFields"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"SerializedValue"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"type"}},{"kind":"Field","name":{"kind":"Name","value":"encoding"}},{"kind":"Field","name":{"kind":"Name","value":"data"}}]}}]} as unknown as DocumentNode<WriteFieldsFragment, unknown>;
export const CheckpointFieldsFragmentDoc = {"kind":"Document","definitions":[{"kind":"FragmentDefinition","name":{"kind":"Name","value":"CheckpointFields"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Checkpoint"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"threadId"}},{"kind":"Field","name":{"kind":"Name","value":"checkpointNs"}},{"kind":"Field","name":{"kind":"Name","value":"checkpointId"}},{"kind":"Field","name":{"kind":"Name","value":"parentCheckpointId"}},{"kind":"Field","name":{"kind":"Name","value":"checkpoint"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"SerializedFields"}}]}},{"kind":"Field","name":{"kind":"Name","value":"metadata"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"SerializedFields"}}]}},{"kind":"Field","name":{"kind":"Name","value":"values"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"channel"}},{"kind":"Field","name":{"kind":"Name","value":"value"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"SerializedFields"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"writes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"WriteFields"}}]}},{"kind":"Field","name":{"kind":"Name","value":"sends"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"SerializedFields"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"SerializedFields"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"SerializedValue"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"type"}},{"kind":"Field","name":{"kind":"Name","value":"encoding"}},{"kind":"Field","name":{"kind":"Name","value":"data"}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"WriteFields"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"CheckpointWrite"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"taskId"}},{"kind":"Field","name":{"kind":"Name","value":"channel"}},{"kind":"Field","name":{"kind":"Name","value":"value"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"SerializedFields"}}]}}]}}]} as unknown as DocumentNode<CheckpointFieldsFragment, unknown>;
export const ConversationFieldsFragmentDoc = {"kind":"Document","definitions":[{"kind":"FragmentDefinition","name":{"kind":"Name","value":"ConversationFields"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Conversation"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"conversationId"}},{"kind":"Field","name":{"kind":"Name","value":"metadata"}},{"kind":"Field","name":{"kind":"Name","value":"createdAt"}},{"kind":"Field","name":{"kind":"Name","value":"updatedAt"}}]}}]} as unknown as DocumentNode<ConversationFieldsFragment, unknown>;
export const MessageFieldsFragmentDoc = {"kind":"Document","definitions":[{"kind":"FragmentDefinition","name":{"kind":"Name","value":"MessageFields"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Message"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"messageId"}},{"kind":"Field","name":{"kind":"Name","value":"conversationId"}},{"kind":"Field","name":{"kind":"Name","value":"seq"}},{"kind":"Field","name":{"kind":"Name","value":"branch"}},{"kind":"Field","name":{"kind":"Name","value":"kind"}},{"kind":"Field","name":{"kind":"Name","value":"role"}},{"kind":"Field","name":{"kind":"Name","value":"type"}},{"kind":"Field","name":{"kind":"Name","value":"payload"}},{"kind":"Field","name":{"kind":"Name","value":"metadata"}},{"kind":"Field","name":{"kind":"Name","value":"label"}},{"kind":"Field","name":{"kind":"Name","value":"sourceMessageId"}},{"kind":"Field","name":{"kind":"Name","value":"createdAt"}},{"kind":"Field","name":{"kind":"Name","value":"updatedAt"}}]}}]} as unknown as DocumentNode<MessageFieldsFragment, unknown>;
export const StateCheckpointFieldsFragmentDoc = {"kind":"Document","definitions":[{"kind":"FragmentDefinition","name":{"kind":"Name","value":"StateCheckpointFields"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"StateCheckpoint"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"key"}},{"kind":"Field","name":{"kind":"Name","value":"seq"}},{"kind":"Field","name":{"kind":"Name","value":"state"}},{"kind":"Field","name":{"kind":"Name","value":"version"}},{"kind":"Field","name":{"kind":"Name","value":"createdAt"}}]}}]} as unknown as DocumentNode<StateCheckpointFieldsFragment, unknown>;
export const AgentStateDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"AgentState"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"conversationId"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"after"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"agentState"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"conversationId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"conversationId"}}},{"kind":"Argument","name":{"kind":"Name","value":"after"},"value":{"kind":"Variable","name":{"kind":"Name","value":"after"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"state"}},{"kind":"Field","name":{"kind":"Name","value":"version"}},{"kind":"Field","name":{"kind":"Name","value":"revision"}},{"kind":"Field","name":{"kind":"Name","value":"updatedAt"}},{"kind":"Field","name":{"kind":"Name","value":"messages"}},{"kind":"Field","name":{"kind":"Name","value":"nextCursor"}}]}}]}}]} as unknown as DocumentNode<AgentStateQuery, AgentStateQueryVariables>;
export const AgentStatesDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"AgentStates"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"first"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"after"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"agentStates"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"Variable","name":{"kind":"Name","value":"first"}}},{"kind":"Argument","name":{"kind":"Name","value":"after"},"value":{"kind":"Variable","name":{"kind":"Name","value":"after"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"key"}},{"kind":"Field","name":{"kind":"Name","value":"version"}},{"kind":"Field","name":{"kind":"Name","value":"revision"}},{"kind":"Field","name":{"kind":"Name","value":"updatedAt"}}]}},{"kind":"Field","name":{"kind":"Name","value":"pageInfo"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"hasNextPage"}},{"kind":"Field","name":{"kind":"Name","value":"endCursor"}}]}}]}}]}}]} as unknown as DocumentNode<AgentStatesQuery, AgentStatesQueryVariables>;
export const SaveAgentStateDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"SaveAgentState"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"SaveAgentStateInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"saveAgentState"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"conversationId"}},{"kind":"Field","name":{"kind":"Name","value":"revision"}},{"kind":"Field","name":{"kind":"Name","value":"updatedAt"}}]}}]}}]} as unknown as DocumentNode<SaveAgentStateMutation, SaveAgentStateMutationVariables>;
export const ConversationArchiveDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"ConversationArchive"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"conversationId"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"after"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"conversationArchive"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"conversationId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"conversationId"}}},{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"IntValue","value":"200"}},{"kind":"Argument","name":{"kind":"Name","value":"after"},"value":{"kind":"Variable","name":{"kind":"Name","value":"after"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"}},{"kind":"Field","name":{"kind":"Name","value":"pageInfo"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"hasNextPage"}},{"kind":"Field","name":{"kind":"Name","value":"endCursor"}}]}}]}}]}}]} as unknown as DocumentNode<ConversationArchiveQuery, ConversationArchiveQueryVariables>;
export const ImportConversationDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"ImportConversation"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ImportConversationInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"importConversation"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"imported"}}]}}]}}]} as unknown as DocumentNode<ImportConversationMutation, ImportConversationMutationVariables>;
export const BranchesDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Branches"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"conversationId"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"branches"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"conversationId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"conversationId"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"BranchFields"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"BranchFields"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Branch"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"branch"}},{"kind":"Field","name":{"kind":"Name","value":"parentBranch"}},{"kind":"Field","name":{"kind":"Name","value":"forkSeq"}},{"kind":"Field","name":{"kind":"Name","value":"leafMessageId"}},{"kind":"Field","name":{"kind":"Name","value":"active"}},{"kind":"Field","name":{"kind":"Name","value":"createdAt"}}]}}]} as unknown as DocumentNode<BranchesQuery, BranchesQueryVariables>;
export const BranchDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"Branch"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"BranchInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"branch"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"branch"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"BranchFields"}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"BranchFields"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Branch"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"branch"}},{"kind":"Field","name":{"kind":"Name","value":"parentBranch"}},{"kind":"Field","name":{"kind":"Name","value":"forkSeq"}},{"kind":"Field","name":{"kind":"Name","value":"leafMessageId"}},{"kind":"Field","name":{"kind":"Name","value":"active"}},{"kind":"Field","name":{"kind":"Name","value":"createdAt"}}]}}]} as unknown as DocumentNode<BranchMutation, BranchMutationVariables>;
export const SwitchBranchDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"SwitchBranch"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"SwitchBranchInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"switchBranch"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"branch"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"BranchFields"}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"BranchFields"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Branch"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"branch"}},{"kind":"Field","name":{"kind":"Name","value":"parentBranch"}},{"kind":"Field","name":{"kind":"Name","value":"forkSeq"}},{"kind":"Field","name":{"kind":"Name","value":"leafMessageId"}},{"kind":"Field","name":{"kind":"Name","value":"active"}},{"kind":"Field","name":{"kind":"Name","value":"createdAt"}}]}}]} as unknown as DocumentNode<SwitchBranchMutation, SwitchBranchMutationVariables>;
export const CheckpointDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Checkpoint"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"threadId"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"checkpointNs"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"checkpointId"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"checkpoint"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"threadId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"threadId"}}},{"kind":"Argument","name":{"kind":"Name","value":"checkpointNs"},"value":{"kind":"Variable","name":{"kind":"Name","value":"checkpointNs"}}},{"kind":"Argument","name":{"kind":"Name","value":"checkpointId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"checkpointId"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"CheckpointFields"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"SerializedFields"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"SerializedValue"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"type"}},{"kind":"Field","name":{"kind":"Name","value":"encoding"}},{"kind":"Field","name":{"kind":"Name","value":"data"}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"WriteFields"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"CheckpointWrite"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"taskId"}},{"kind":"Field","name":{"kind":"Name","value":"channel"}},{"kind":"Field","name":{"kind":"Name","value":"value"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"SerializedFields"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"CheckpointFields"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Checkpoint"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"threadId"}},{"kind":"Field","name":{"kind":"Name","value":"checkpointNs"}},{"kind":"Field","name":{"kind":"Name","value":"checkpointId"}},{"kind":"Field","name":{"kind":"Name","value":"parentCheckpointId"}},{"kind":"Field","name":{"kind":"Name","value":"checkpoint"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"SerializedFields"}}]}},{"kind":"Field","name":{"kind":"Name","value":"metadata"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"SerializedFields"}}]}},{"kind":"Field","name":{"kind":"Name","value":"values"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"channel"}},{"kind":"Field","name":{"kind":"Name","value":"value"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"SerializedFields"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"writes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"WriteFields"}}]}},{"kind":"Field","name":{"kind":"Name","value":"sends"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"SerializedFields"}}]}}]}}]} as unknown as DocumentNode<CheckpointQuery, CheckpointQueryVariables>;
export const CheckpointsDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Checkpoints"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"threadId"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"checkpointNs"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"checkpointId"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"beforeCheckpointId"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"filter"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"JSONObject"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"first"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"after"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"checkpoints"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"threadId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"threadId"}}},{"kind":"Argument","name":{"kind":"Name","value":"checkpointNs"},"value":{"kind":"Variable","name":{"kind":"Name","value":"checkpointNs"}}},{"kind":"Argument","name":{"kind":"Name","value":"checkpointId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"checkpointId"}}},{"kind":"Argument","name":{"kind":"Name","value":"beforeCheckpointId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"beforeCheckpointId"}}},{"kind":"Argument","name":{"kind":"Name","value":"filter"},"value":{"kind":"Variable","name":{"kind":"Name","value":"filter"}}},{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"Variable","name":{"kind":"Name","value":"first"}}},{"kind":"Argument","name":{"kind":"Name","value":"after"},"value":{"kind":"Variable","name":{"kind":"Name","value":"after"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"CheckpointFields"}}]}},{"kind":"Field","name":{"kind":"Name","value":"pageInfo"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"hasNextPage"}},{"kind":"Field","name":{"kind":"Name","value":"endCursor"}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"SerializedFields"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"SerializedValue"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"type"}},{"kind":"Field","name":{"kind":"Name","value":"encoding"}},{"kind":"Field","name":{"kind":"Name","value":"data"}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"WriteFields"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"CheckpointWrite"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"taskId"}},{"kind":"Field","name":{"kind":"Name","value":"channel"}},{"kind":"Field","name":{"kind":"Name","value":"value"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"SerializedFields"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"CheckpointFields"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Checkpoint"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"threadId"}},{"kind":"Field","name":{"kind":"Name","value":"checkpointNs"}},{"kind":"Field","name":{"kind":"Name","value":"checkpointId"}},{"kind":"Field","name":{"kind":"Name","value":"parentCheckpointId"}},{"kind":"Field","name":{"kind":"Name","value":"checkpoint"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"SerializedFields"}}]}},{"kind":"Field","name":{"kind":"Name","value":"metadata"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"SerializedFields"}}]}},{"kind":"Field","name":{"kind":"Name","value":"values"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"channel"}},{"kind":"Field","name":{"kind":"Name","value":"value"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"SerializedFields"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"writes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"WriteFields"}}]}},{"kind":"Field","name":{"kind":"Name","value":"sends"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"SerializedFields"}}]}}]}}]} as unknown as DocumentNode<CheckpointsQuery, CheckpointsQueryVariables>;
export const ChannelHistoriesDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"ChannelHistories"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"threadId"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"checkpointNs"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"checkpointId"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"channels"}},"type":{"kind":"NonNullType","type":{"kind":"ListType","type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"channelHistories"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"threadId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"threadId"}}},{"kind":"Argument","name":{"kind":"Name","value":"checkpointNs"},"value":{"kind":"Variable","name":{"kind":"Name","value":"checkpointNs"}}},{"kind":"Argument","name":{"kind":"Name","value":"checkpointId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"checkpointId"}}},{"kind":"Argument","name":{"kind":"Name","value":"channels"},"value":{"kind":"Variable","name":{"kind":"Name","value":"channels"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"channel"}},{"kind":"Field","name":{"kind":"Name","value":"writes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"WriteFields"}}]}},{"kind":"Field","name":{"kind":"Name","value":"seed"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"SerializedFields"}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"SerializedFields"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"SerializedValue"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"type"}},{"kind":"Field","name":{"kind":"Name","value":"encoding"}},{"kind":"Field","name":{"kind":"Name","value":"data"}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"WriteFields"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"CheckpointWrite"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"taskId"}},{"kind":"Field","name":{"kind":"Name","value":"channel"}},{"kind":"Field","name":{"kind":"Name","value":"value"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"SerializedFields"}}]}}]}}]} as unknown as DocumentNode<ChannelHistoriesQuery, ChannelHistoriesQueryVariables>;
export const PutCheckpointDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"PutCheckpoint"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"PutCheckpointInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"putCheckpoint"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"checkpointId"}}]}}]}}]} as unknown as DocumentNode<PutCheckpointMutation, PutCheckpointMutationVariables>;
export const PutCheckpointWritesDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"PutCheckpointWrites"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"PutCheckpointWritesInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"putCheckpointWrites"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"checkpointId"}}]}}]}}]} as unknown as DocumentNode<PutCheckpointWritesMutation, PutCheckpointWritesMutationVariables>;
export const DeleteCheckpointThreadDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"DeleteCheckpointThread"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"DeleteCheckpointThreadInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"deleteCheckpointThread"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"threadId"}}]}}]}}]} as unknown as DocumentNode<DeleteCheckpointThreadMutation, DeleteCheckpointThreadMutationVariables>;
export const PruneCheckpointThreadDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"PruneCheckpointThread"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"PruneCheckpointThreadInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"pruneCheckpointThread"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"removed"}}]}}]}}]} as unknown as DocumentNode<PruneCheckpointThreadMutation, PruneCheckpointThreadMutationVariables>;
export const ConfigDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Config"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"conversationId"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"config"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"conversationId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"conversationId"}}}]}]}}]} as unknown as DocumentNode<ConfigQuery, ConfigQueryVariables>;
export const SetConfigDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"SetConfig"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"SetConfigInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"setConfig"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"config"}}]}}]}}]} as unknown as DocumentNode<SetConfigMutation, SetConfigMutationVariables>;
export const SetThinkingDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"SetThinking"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"SetThinkingInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"setThinking"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"config"}}]}}]}}]} as unknown as DocumentNode<SetThinkingMutation, SetThinkingMutationVariables>;
export const ContextDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Context"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"conversationId"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"branch"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"after"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"context"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"conversationId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"conversationId"}}},{"kind":"Argument","name":{"kind":"Name","value":"branch"},"value":{"kind":"Variable","name":{"kind":"Name","value":"branch"}}},{"kind":"Argument","name":{"kind":"Name","value":"after"},"value":{"kind":"Variable","name":{"kind":"Name","value":"after"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"messages"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"MessageFields"}}]}},{"kind":"Field","name":{"kind":"Name","value":"nextCursor"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"MessageFields"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Message"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"messageId"}},{"kind":"Field","name":{"kind":"Name","value":"conversationId"}},{"kind":"Field","name":{"kind":"Name","value":"seq"}},{"kind":"Field","name":{"kind":"Name","value":"branch"}},{"kind":"Field","name":{"kind":"Name","value":"kind"}},{"kind":"Field","name":{"kind":"Name","value":"role"}},{"kind":"Field","name":{"kind":"Name","value":"type"}},{"kind":"Field","name":{"kind":"Name","value":"payload"}},{"kind":"Field","name":{"kind":"Name","value":"metadata"}},{"kind":"Field","name":{"kind":"Name","value":"label"}},{"kind":"Field","name":{"kind":"Name","value":"sourceMessageId"}},{"kind":"Field","name":{"kind":"Name","value":"createdAt"}},{"kind":"Field","name":{"kind":"Name","value":"updatedAt"}}]}}]} as unknown as DocumentNode<ContextQuery, ContextQueryVariables>;
export const CompactDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"Compact"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"CompactInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"compact"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"message"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"MessageFields"}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"MessageFields"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Message"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"messageId"}},{"kind":"Field","name":{"kind":"Name","value":"conversationId"}},{"kind":"Field","name":{"kind":"Name","value":"seq"}},{"kind":"Field","name":{"kind":"Name","value":"branch"}},{"kind":"Field","name":{"kind":"Name","value":"kind"}},{"kind":"Field","name":{"kind":"Name","value":"role"}},{"kind":"Field","name":{"kind":"Name","value":"type"}},{"kind":"Field","name":{"kind":"Name","value":"payload"}},{"kind":"Field","name":{"kind":"Name","value":"metadata"}},{"kind":"Field","name":{"kind":"Name","value":"label"}},{"kind":"Field","name":{"kind":"Name","value":"sourceMessageId"}},{"kind":"Field","name":{"kind":"Name","value":"createdAt"}},{"kind":"Field","name":{"kind":"Name","value":"updatedAt"}}]}}]} as unknown as DocumentNode<CompactMutation, CompactMutationVariables>;
export const AppendBranchSummaryDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"AppendBranchSummary"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"AppendBranchSummaryInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"appendBranchSummary"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"message"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"MessageFields"}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"MessageFields"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Message"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"messageId"}},{"kind":"Field","name":{"kind":"Name","value":"conversationId"}},{"kind":"Field","name":{"kind":"Name","value":"seq"}},{"kind":"Field","name":{"kind":"Name","value":"branch"}},{"kind":"Field","name":{"kind":"Name","value":"kind"}},{"kind":"Field","name":{"kind":"Name","value":"role"}},{"kind":"Field","name":{"kind":"Name","value":"type"}},{"kind":"Field","name":{"kind":"Name","value":"payload"}},{"kind":"Field","name":{"kind":"Name","value":"metadata"}},{"kind":"Field","name":{"kind":"Name","value":"label"}},{"kind":"Field","name":{"kind":"Name","value":"sourceMessageId"}},{"kind":"Field","name":{"kind":"Name","value":"createdAt"}},{"kind":"Field","name":{"kind":"Name","value":"updatedAt"}}]}}]} as unknown as DocumentNode<AppendBranchSummaryMutation, AppendBranchSummaryMutationVariables>;
export const AppendCustomDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"AppendCustom"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"AppendCustomInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"appendCustom"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"message"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"MessageFields"}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"MessageFields"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Message"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"messageId"}},{"kind":"Field","name":{"kind":"Name","value":"conversationId"}},{"kind":"Field","name":{"kind":"Name","value":"seq"}},{"kind":"Field","name":{"kind":"Name","value":"branch"}},{"kind":"Field","name":{"kind":"Name","value":"kind"}},{"kind":"Field","name":{"kind":"Name","value":"role"}},{"kind":"Field","name":{"kind":"Name","value":"type"}},{"kind":"Field","name":{"kind":"Name","value":"payload"}},{"kind":"Field","name":{"kind":"Name","value":"metadata"}},{"kind":"Field","name":{"kind":"Name","value":"label"}},{"kind":"Field","name":{"kind":"Name","value":"sourceMessageId"}},{"kind":"Field","name":{"kind":"Name","value":"createdAt"}},{"kind":"Field","name":{"kind":"Name","value":"updatedAt"}}]}}]} as unknown as DocumentNode<AppendCustomMutation, AppendCustomMutationVariables>;
export const ConversationDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Conversation"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"conversationId"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"conversation"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"conversationId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"conversationId"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"ConversationFields"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"ConversationFields"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Conversation"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"conversationId"}},{"kind":"Field","name":{"kind":"Name","value":"metadata"}},{"kind":"Field","name":{"kind":"Name","value":"createdAt"}},{"kind":"Field","name":{"kind":"Name","value":"updatedAt"}}]}}]} as unknown as DocumentNode<ConversationQuery, ConversationQueryVariables>;
export const ConversationsDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Conversations"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"first"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"after"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"conversations"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"Variable","name":{"kind":"Name","value":"first"}}},{"kind":"Argument","name":{"kind":"Name","value":"after"},"value":{"kind":"Variable","name":{"kind":"Name","value":"after"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"ConversationFields"}}]}},{"kind":"Field","name":{"kind":"Name","value":"pageInfo"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"hasNextPage"}},{"kind":"Field","name":{"kind":"Name","value":"endCursor"}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"ConversationFields"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Conversation"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"conversationId"}},{"kind":"Field","name":{"kind":"Name","value":"metadata"}},{"kind":"Field","name":{"kind":"Name","value":"createdAt"}},{"kind":"Field","name":{"kind":"Name","value":"updatedAt"}}]}}]} as unknown as DocumentNode<ConversationsQuery, ConversationsQueryVariables>;
export const CreateConversationDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"CreateConversation"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"CreateConversationInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"createConversation"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"conversation"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"ConversationFields"}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"ConversationFields"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Conversation"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"conversationId"}},{"kind":"Field","name":{"kind":"Name","value":"metadata"}},{"kind":"Field","name":{"kind":"Name","value":"createdAt"}},{"kind":"Field","name":{"kind":"Name","value":"updatedAt"}}]}}]} as unknown as DocumentNode<CreateConversationMutation, CreateConversationMutationVariables>;
export const UpdateConversationDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"UpdateConversation"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"UpdateConversationInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"updateConversation"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"conversation"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"ConversationFields"}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"ConversationFields"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Conversation"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"conversationId"}},{"kind":"Field","name":{"kind":"Name","value":"metadata"}},{"kind":"Field","name":{"kind":"Name","value":"createdAt"}},{"kind":"Field","name":{"kind":"Name","value":"updatedAt"}}]}}]} as unknown as DocumentNode<UpdateConversationMutation, UpdateConversationMutationVariables>;
export const DeleteConversationDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"DeleteConversation"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"DeleteConversationInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"deleteConversation"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"conversationId"}}]}}]}}]} as unknown as DocumentNode<DeleteConversationMutation, DeleteConversationMutationVariables>;
export const EraseConversationDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"EraseConversation"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"EraseConversationInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"eraseConversation"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"erased"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"conversations"}},{"kind":"Field","name":{"kind":"Name","value":"messages"}},{"kind":"Field","name":{"kind":"Name","value":"branches"}},{"kind":"Field","name":{"kind":"Name","value":"historyOperations"}},{"kind":"Field","name":{"kind":"Name","value":"states"}},{"kind":"Field","name":{"kind":"Name","value":"stateCheckpoints"}},{"kind":"Field","name":{"kind":"Name","value":"checkpoints"}},{"kind":"Field","name":{"kind":"Name","value":"channelValues"}},{"kind":"Field","name":{"kind":"Name","value":"checkpointWrites"}},{"kind":"Field","name":{"kind":"Name","value":"transcripts"}},{"kind":"Field","name":{"kind":"Name","value":"transcriptEntries"}}]}},{"kind":"Field","name":{"kind":"Name","value":"forks"}}]}}]}}]} as unknown as DocumentNode<EraseConversationMutation, EraseConversationMutationVariables>;
export const ForkDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"Fork"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ForkInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"fork"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"conversation"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"ConversationFields"}},{"kind":"Field","name":{"kind":"Name","value":"parentConversationId"}},{"kind":"Field","name":{"kind":"Name","value":"parentMessageId"}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"ConversationFields"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Conversation"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"conversationId"}},{"kind":"Field","name":{"kind":"Name","value":"metadata"}},{"kind":"Field","name":{"kind":"Name","value":"createdAt"}},{"kind":"Field","name":{"kind":"Name","value":"updatedAt"}}]}}]} as unknown as DocumentNode<ForkMutation, ForkMutationVariables>;
export const HistoryDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"History"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"conversationId"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"first"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"after"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"history"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"conversationId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"conversationId"}}},{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"Variable","name":{"kind":"Name","value":"first"}}},{"kind":"Argument","name":{"kind":"Name","value":"after"},"value":{"kind":"Variable","name":{"kind":"Name","value":"after"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"messages"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"payload"}}]}},{"kind":"Field","name":{"kind":"Name","value":"nextCursor"}}]}}]}}]} as unknown as DocumentNode<HistoryQuery, HistoryQueryVariables>;
export const AppendHistoryDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"AppendHistory"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"AppendHistoryInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"appendHistory"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"conversationId"}}]}}]}}]} as unknown as DocumentNode<AppendHistoryMutation, AppendHistoryMutationVariables>;
export const PopHistoryDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"PopHistory"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"PopHistoryInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"popHistory"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"message"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"payload"}}]}}]}}]}}]} as unknown as DocumentNode<PopHistoryMutation, PopHistoryMutationVariables>;
export const ClearHistoryDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"ClearHistory"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ClearHistoryInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"clearHistory"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"conversationId"}}]}}]}}]} as unknown as DocumentNode<ClearHistoryMutation, ClearHistoryMutationVariables>;
export const ReplaceHistoryDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"ReplaceHistory"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ReplaceHistoryInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"replaceHistory"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"conversationId"}}]}}]}}]} as unknown as DocumentNode<ReplaceHistoryMutation, ReplaceHistoryMutationVariables>;
export const ApplyHistoryTransactionDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"ApplyHistoryTransaction"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ApplyHistoryTransactionInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"applyHistoryTransaction"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"conversationId"}}]}}]}}]} as unknown as DocumentNode<ApplyHistoryTransactionMutation, ApplyHistoryTransactionMutationVariables>;
export const ApplyHistoryMutationsDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"ApplyHistoryMutations"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ApplyHistoryMutationsInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"applyHistoryMutations"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"conversationId"}}]}}]}}]} as unknown as DocumentNode<ApplyHistoryMutationsMutation, ApplyHistoryMutationsMutationVariables>;
export const SetLabelDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"SetLabel"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"SetLabelInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"setLabel"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"message"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"MessageFields"}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"MessageFields"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Message"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"messageId"}},{"kind":"Field","name":{"kind":"Name","value":"conversationId"}},{"kind":"Field","name":{"kind":"Name","value":"seq"}},{"kind":"Field","name":{"kind":"Name","value":"branch"}},{"kind":"Field","name":{"kind":"Name","value":"kind"}},{"kind":"Field","name":{"kind":"Name","value":"role"}},{"kind":"Field","name":{"kind":"Name","value":"type"}},{"kind":"Field","name":{"kind":"Name","value":"payload"}},{"kind":"Field","name":{"kind":"Name","value":"metadata"}},{"kind":"Field","name":{"kind":"Name","value":"label"}},{"kind":"Field","name":{"kind":"Name","value":"sourceMessageId"}},{"kind":"Field","name":{"kind":"Name","value":"createdAt"}},{"kind":"Field","name":{"kind":"Name","value":"updatedAt"}}]}}]} as unknown as DocumentNode<SetLabelMutation, SetLabelMutationVariables>;
export const MessageDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Message"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"messageId"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"message"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"messageId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"messageId"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"MessageFields"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"MessageFields"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Message"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"messageId"}},{"kind":"Field","name":{"kind":"Name","value":"conversationId"}},{"kind":"Field","name":{"kind":"Name","value":"seq"}},{"kind":"Field","name":{"kind":"Name","value":"branch"}},{"kind":"Field","name":{"kind":"Name","value":"kind"}},{"kind":"Field","name":{"kind":"Name","value":"role"}},{"kind":"Field","name":{"kind":"Name","value":"type"}},{"kind":"Field","name":{"kind":"Name","value":"payload"}},{"kind":"Field","name":{"kind":"Name","value":"metadata"}},{"kind":"Field","name":{"kind":"Name","value":"label"}},{"kind":"Field","name":{"kind":"Name","value":"sourceMessageId"}},{"kind":"Field","name":{"kind":"Name","value":"createdAt"}},{"kind":"Field","name":{"kind":"Name","value":"updatedAt"}}]}}]} as unknown as DocumentNode<MessageQuery, MessageQueryVariables>;
export const MessagesDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Messages"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"conversationId"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"first"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"after"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"order"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"Order"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"branch"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"messages"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"conversationId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"conversationId"}}},{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"Variable","name":{"kind":"Name","value":"first"}}},{"kind":"Argument","name":{"kind":"Name","value":"after"},"value":{"kind":"Variable","name":{"kind":"Name","value":"after"}}},{"kind":"Argument","name":{"kind":"Name","value":"order"},"value":{"kind":"Variable","name":{"kind":"Name","value":"order"}}},{"kind":"Argument","name":{"kind":"Name","value":"branch"},"value":{"kind":"Variable","name":{"kind":"Name","value":"branch"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"MessageFields"}}]}},{"kind":"Field","name":{"kind":"Name","value":"pageInfo"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"hasNextPage"}},{"kind":"Field","name":{"kind":"Name","value":"endCursor"}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"MessageFields"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Message"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"messageId"}},{"kind":"Field","name":{"kind":"Name","value":"conversationId"}},{"kind":"Field","name":{"kind":"Name","value":"seq"}},{"kind":"Field","name":{"kind":"Name","value":"branch"}},{"kind":"Field","name":{"kind":"Name","value":"kind"}},{"kind":"Field","name":{"kind":"Name","value":"role"}},{"kind":"Field","name":{"kind":"Name","value":"type"}},{"kind":"Field","name":{"kind":"Name","value":"payload"}},{"kind":"Field","name":{"kind":"Name","value":"metadata"}},{"kind":"Field","name":{"kind":"Name","value":"label"}},{"kind":"Field","name":{"kind":"Name","value":"sourceMessageId"}},{"kind":"Field","name":{"kind":"Name","value":"createdAt"}},{"kind":"Field","name":{"kind":"Name","value":"updatedAt"}}]}}]} as unknown as DocumentNode<MessagesQuery, MessagesQueryVariables>;
export const AppendMessageDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"AppendMessage"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"AppendMessageInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"appendMessage"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"message"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"MessageFields"}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"MessageFields"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Message"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"messageId"}},{"kind":"Field","name":{"kind":"Name","value":"conversationId"}},{"kind":"Field","name":{"kind":"Name","value":"seq"}},{"kind":"Field","name":{"kind":"Name","value":"branch"}},{"kind":"Field","name":{"kind":"Name","value":"kind"}},{"kind":"Field","name":{"kind":"Name","value":"role"}},{"kind":"Field","name":{"kind":"Name","value":"type"}},{"kind":"Field","name":{"kind":"Name","value":"payload"}},{"kind":"Field","name":{"kind":"Name","value":"metadata"}},{"kind":"Field","name":{"kind":"Name","value":"label"}},{"kind":"Field","name":{"kind":"Name","value":"sourceMessageId"}},{"kind":"Field","name":{"kind":"Name","value":"createdAt"}},{"kind":"Field","name":{"kind":"Name","value":"updatedAt"}}]}}]} as unknown as DocumentNode<AppendMessageMutation, AppendMessageMutationVariables>;
export const AppendMessagesDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"AppendMessages"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"AppendMessagesInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"appendMessages"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"messages"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"MessageFields"}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"MessageFields"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Message"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"messageId"}},{"kind":"Field","name":{"kind":"Name","value":"conversationId"}},{"kind":"Field","name":{"kind":"Name","value":"seq"}},{"kind":"Field","name":{"kind":"Name","value":"branch"}},{"kind":"Field","name":{"kind":"Name","value":"kind"}},{"kind":"Field","name":{"kind":"Name","value":"role"}},{"kind":"Field","name":{"kind":"Name","value":"type"}},{"kind":"Field","name":{"kind":"Name","value":"payload"}},{"kind":"Field","name":{"kind":"Name","value":"metadata"}},{"kind":"Field","name":{"kind":"Name","value":"label"}},{"kind":"Field","name":{"kind":"Name","value":"sourceMessageId"}},{"kind":"Field","name":{"kind":"Name","value":"createdAt"}},{"kind":"Field","name":{"kind":"Name","value":"updatedAt"}}]}}]} as unknown as DocumentNode<AppendMessagesMutation, AppendMessagesMutationVariables>;
export const UpdateMessageDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"UpdateMessage"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"UpdateMessageInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"updateMessage"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"message"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"MessageFields"}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"MessageFields"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Message"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"messageId"}},{"kind":"Field","name":{"kind":"Name","value":"conversationId"}},{"kind":"Field","name":{"kind":"Name","value":"seq"}},{"kind":"Field","name":{"kind":"Name","value":"branch"}},{"kind":"Field","name":{"kind":"Name","value":"kind"}},{"kind":"Field","name":{"kind":"Name","value":"role"}},{"kind":"Field","name":{"kind":"Name","value":"type"}},{"kind":"Field","name":{"kind":"Name","value":"payload"}},{"kind":"Field","name":{"kind":"Name","value":"metadata"}},{"kind":"Field","name":{"kind":"Name","value":"label"}},{"kind":"Field","name":{"kind":"Name","value":"sourceMessageId"}},{"kind":"Field","name":{"kind":"Name","value":"createdAt"}},{"kind":"Field","name":{"kind":"Name","value":"updatedAt"}}]}}]} as unknown as DocumentNode<UpdateMessageMutation, UpdateMessageMutationVariables>;
export const DeleteMessageDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"DeleteMessage"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"DeleteMessageInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"deleteMessage"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"messageId"}}]}}]}}]} as unknown as DocumentNode<DeleteMessageMutation, DeleteMessageMutationVariables>;
export const ClearMessagesDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"ClearMessages"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ClearMessagesInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"clearMessages"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"conversationId"}}]}}]}}]} as unknown as DocumentNode<ClearMessagesMutation, ClearMessagesMutationVariables>;
export const SearchConversationsDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"SearchConversations"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"search"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"first"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"after"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"conversations"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"search"},"value":{"kind":"Variable","name":{"kind":"Name","value":"search"}}},{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"Variable","name":{"kind":"Name","value":"first"}}},{"kind":"Argument","name":{"kind":"Name","value":"after"},"value":{"kind":"Variable","name":{"kind":"Name","value":"after"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"ConversationFields"}}]}},{"kind":"Field","name":{"kind":"Name","value":"pageInfo"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"hasNextPage"}},{"kind":"Field","name":{"kind":"Name","value":"endCursor"}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"ConversationFields"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Conversation"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"conversationId"}},{"kind":"Field","name":{"kind":"Name","value":"metadata"}},{"kind":"Field","name":{"kind":"Name","value":"createdAt"}},{"kind":"Field","name":{"kind":"Name","value":"updatedAt"}}]}}]} as unknown as DocumentNode<SearchConversationsQuery, SearchConversationsQueryVariables>;
export const StateCheckpointDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"StateCheckpoint"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"key"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"seq"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"stateCheckpoint"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"key"},"value":{"kind":"Variable","name":{"kind":"Name","value":"key"}}},{"kind":"Argument","name":{"kind":"Name","value":"seq"},"value":{"kind":"Variable","name":{"kind":"Name","value":"seq"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"StateCheckpointFields"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"StateCheckpointFields"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"StateCheckpoint"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"key"}},{"kind":"Field","name":{"kind":"Name","value":"seq"}},{"kind":"Field","name":{"kind":"Name","value":"state"}},{"kind":"Field","name":{"kind":"Name","value":"version"}},{"kind":"Field","name":{"kind":"Name","value":"createdAt"}}]}}]} as unknown as DocumentNode<StateCheckpointQuery, StateCheckpointQueryVariables>;
export const StateCheckpointsDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"StateCheckpoints"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"key"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"first"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"after"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"stateCheckpoints"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"key"},"value":{"kind":"Variable","name":{"kind":"Name","value":"key"}}},{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"Variable","name":{"kind":"Name","value":"first"}}},{"kind":"Argument","name":{"kind":"Name","value":"after"},"value":{"kind":"Variable","name":{"kind":"Name","value":"after"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"StateCheckpointFields"}}]}},{"kind":"Field","name":{"kind":"Name","value":"pageInfo"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"hasNextPage"}},{"kind":"Field","name":{"kind":"Name","value":"endCursor"}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"StateCheckpointFields"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"StateCheckpoint"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"key"}},{"kind":"Field","name":{"kind":"Name","value":"seq"}},{"kind":"Field","name":{"kind":"Name","value":"state"}},{"kind":"Field","name":{"kind":"Name","value":"version"}},{"kind":"Field","name":{"kind":"Name","value":"createdAt"}}]}}]} as unknown as DocumentNode<StateCheckpointsQuery, StateCheckpointsQueryVariables>;
export const AppendStateCheckpointDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"AppendStateCheckpoint"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"AppendStateCheckpointInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"appendStateCheckpoint"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"seq"}}]}}]}}]} as unknown as DocumentNode<AppendStateCheckpointMutation, AppendStateCheckpointMutationVariables>;
export const PruneStateCheckpointsDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"PruneStateCheckpoints"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"PruneStateCheckpointsInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"pruneStateCheckpoints"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"removed"}}]}}]}}]} as unknown as DocumentNode<PruneStateCheckpointsMutation, PruneStateCheckpointsMutationVariables>;
export const StateDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"State"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"key"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"state"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"key"},"value":{"kind":"Variable","name":{"kind":"Name","value":"key"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"key"}},{"kind":"Field","name":{"kind":"Name","value":"state"}},{"kind":"Field","name":{"kind":"Name","value":"version"}},{"kind":"Field","name":{"kind":"Name","value":"revision"}},{"kind":"Field","name":{"kind":"Name","value":"updatedAt"}}]}}]}}]} as unknown as DocumentNode<StateQuery, StateQueryVariables>;
export const HasStateDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"HasState"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"key"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"state"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"key"},"value":{"kind":"Variable","name":{"kind":"Name","value":"key"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"key"}}]}}]}}]} as unknown as DocumentNode<HasStateQuery, HasStateQueryVariables>;
export const StatesDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"States"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"first"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"after"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"states"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"Variable","name":{"kind":"Name","value":"first"}}},{"kind":"Argument","name":{"kind":"Name","value":"after"},"value":{"kind":"Variable","name":{"kind":"Name","value":"after"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"key"}},{"kind":"Field","name":{"kind":"Name","value":"version"}},{"kind":"Field","name":{"kind":"Name","value":"revision"}},{"kind":"Field","name":{"kind":"Name","value":"updatedAt"}}]}},{"kind":"Field","name":{"kind":"Name","value":"pageInfo"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"hasNextPage"}},{"kind":"Field","name":{"kind":"Name","value":"endCursor"}}]}}]}}]}}]} as unknown as DocumentNode<StatesQuery, StatesQueryVariables>;
export const SaveStateDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"SaveState"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"SaveStateInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"saveState"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"key"}},{"kind":"Field","name":{"kind":"Name","value":"revision"}},{"kind":"Field","name":{"kind":"Name","value":"updatedAt"}}]}}]}}]} as unknown as DocumentNode<SaveStateMutation, SaveStateMutationVariables>;
export const DeleteStateDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"DeleteState"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"DeleteStateInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"deleteState"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"key"}}]}}]}}]} as unknown as DocumentNode<DeleteStateMutation, DeleteStateMutationVariables>;
export const MessageAddedDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"subscription","name":{"kind":"Name","value":"MessageAdded"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"conversationId"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"after"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"last"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"messageAdded"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"conversationId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"conversationId"}}},{"kind":"Argument","name":{"kind":"Name","value":"after"},"value":{"kind":"Variable","name":{"kind":"Name","value":"after"}}},{"kind":"Argument","name":{"kind":"Name","value":"last"},"value":{"kind":"Variable","name":{"kind":"Name","value":"last"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"kind"}},{"kind":"Field","name":{"kind":"Name","value":"position"}},{"kind":"Field","name":{"kind":"Name","value":"message"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"MessageFields"}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"MessageFields"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Message"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"messageId"}},{"kind":"Field","name":{"kind":"Name","value":"conversationId"}},{"kind":"Field","name":{"kind":"Name","value":"seq"}},{"kind":"Field","name":{"kind":"Name","value":"branch"}},{"kind":"Field","name":{"kind":"Name","value":"kind"}},{"kind":"Field","name":{"kind":"Name","value":"role"}},{"kind":"Field","name":{"kind":"Name","value":"type"}},{"kind":"Field","name":{"kind":"Name","value":"payload"}},{"kind":"Field","name":{"kind":"Name","value":"metadata"}},{"kind":"Field","name":{"kind":"Name","value":"label"}},{"kind":"Field","name":{"kind":"Name","value":"sourceMessageId"}},{"kind":"Field","name":{"kind":"Name","value":"createdAt"}},{"kind":"Field","name":{"kind":"Name","value":"updatedAt"}}]}}]} as unknown as DocumentNode<MessageAddedSubscription, MessageAddedSubscriptionVariables>;
export const TranscriptsDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Transcripts"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"projectKey"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"first"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"after"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"transcripts"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"projectKey"},"value":{"kind":"Variable","name":{"kind":"Name","value":"projectKey"}}},{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"Variable","name":{"kind":"Name","value":"first"}}},{"kind":"Argument","name":{"kind":"Name","value":"after"},"value":{"kind":"Variable","name":{"kind":"Name","value":"after"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"sessionId"}},{"kind":"Field","name":{"kind":"Name","value":"mtime"}}]}},{"kind":"Field","name":{"kind":"Name","value":"pageInfo"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"hasNextPage"}},{"kind":"Field","name":{"kind":"Name","value":"endCursor"}}]}}]}}]}}]} as unknown as DocumentNode<TranscriptsQuery, TranscriptsQueryVariables>;
export const TranscriptSummariesDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"TranscriptSummaries"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"projectKey"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"first"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"after"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"transcriptSummaries"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"projectKey"},"value":{"kind":"Variable","name":{"kind":"Name","value":"projectKey"}}},{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"Variable","name":{"kind":"Name","value":"first"}}},{"kind":"Argument","name":{"kind":"Name","value":"after"},"value":{"kind":"Variable","name":{"kind":"Name","value":"after"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"sessionId"}},{"kind":"Field","name":{"kind":"Name","value":"mtime"}},{"kind":"Field","name":{"kind":"Name","value":"summary"}},{"kind":"Field","name":{"kind":"Name","value":"summaryMtime"}},{"kind":"Field","name":{"kind":"Name","value":"unfoldedAfter"}}]}},{"kind":"Field","name":{"kind":"Name","value":"pageInfo"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"hasNextPage"}},{"kind":"Field","name":{"kind":"Name","value":"endCursor"}}]}}]}}]}}]} as unknown as DocumentNode<TranscriptSummariesQuery, TranscriptSummariesQueryVariables>;
export const TranscriptEntriesDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"TranscriptEntries"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"projectKey"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"sessionId"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"subpath"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"first"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"after"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"transcriptEntries"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"projectKey"},"value":{"kind":"Variable","name":{"kind":"Name","value":"projectKey"}}},{"kind":"Argument","name":{"kind":"Name","value":"sessionId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"sessionId"}}},{"kind":"Argument","name":{"kind":"Name","value":"subpath"},"value":{"kind":"Variable","name":{"kind":"Name","value":"subpath"}}},{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"Variable","name":{"kind":"Name","value":"first"}}},{"kind":"Argument","name":{"kind":"Name","value":"after"},"value":{"kind":"Variable","name":{"kind":"Name","value":"after"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"entry"}}]}},{"kind":"Field","name":{"kind":"Name","value":"pageInfo"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"hasNextPage"}},{"kind":"Field","name":{"kind":"Name","value":"endCursor"}}]}}]}}]}}]} as unknown as DocumentNode<TranscriptEntriesQuery, TranscriptEntriesQueryVariables>;
export const TranscriptSubpathsDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"TranscriptSubpaths"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"projectKey"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"sessionId"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"first"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"after"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"transcriptSubpaths"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"projectKey"},"value":{"kind":"Variable","name":{"kind":"Name","value":"projectKey"}}},{"kind":"Argument","name":{"kind":"Name","value":"sessionId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"sessionId"}}},{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"Variable","name":{"kind":"Name","value":"first"}}},{"kind":"Argument","name":{"kind":"Name","value":"after"},"value":{"kind":"Variable","name":{"kind":"Name","value":"after"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"subpath"}}]}},{"kind":"Field","name":{"kind":"Name","value":"pageInfo"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"hasNextPage"}},{"kind":"Field","name":{"kind":"Name","value":"endCursor"}}]}}]}}]}}]} as unknown as DocumentNode<TranscriptSubpathsQuery, TranscriptSubpathsQueryVariables>;
export const AppendTranscriptDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"AppendTranscript"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"AppendTranscriptInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"appendTranscript"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"appended"}}]}}]}}]} as unknown as DocumentNode<AppendTranscriptMutation, AppendTranscriptMutationVariables>;
export const SetTranscriptSummaryDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"SetTranscriptSummary"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"SetTranscriptSummaryInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"setTranscriptSummary"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"stored"}}]}}]}}]} as unknown as DocumentNode<SetTranscriptSummaryMutation, SetTranscriptSummaryMutationVariables>;
export const DeleteTranscriptDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"DeleteTranscript"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"DeleteTranscriptInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"deleteTranscript"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"sessionId"}}]}}]}}]} as unknown as DocumentNode<DeleteTranscriptMutation, DeleteTranscriptMutationVariables>;
export const TreeDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Tree"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"conversationId"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"first"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"after"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"tree"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"conversationId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"conversationId"}}},{"kind":"Argument","name":{"kind":"Name","value":"first"},"value":{"kind":"Variable","name":{"kind":"Name","value":"first"}}},{"kind":"Argument","name":{"kind":"Name","value":"after"},"value":{"kind":"Variable","name":{"kind":"Name","value":"after"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"messageId"}},{"kind":"Field","name":{"kind":"Name","value":"parentMessageId"}},{"kind":"Field","name":{"kind":"Name","value":"branch"}},{"kind":"Field","name":{"kind":"Name","value":"seq"}},{"kind":"Field","name":{"kind":"Name","value":"kind"}},{"kind":"Field","name":{"kind":"Name","value":"role"}},{"kind":"Field","name":{"kind":"Name","value":"type"}},{"kind":"Field","name":{"kind":"Name","value":"label"}}]}},{"kind":"Field","name":{"kind":"Name","value":"pageInfo"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"hasNextPage"}},{"kind":"Field","name":{"kind":"Name","value":"endCursor"}}]}}]}}]}}]} as unknown as DocumentNode<TreeQuery, TreeQueryVariables>;
export const LeavesDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Leaves"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"conversationId"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"leaves"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"conversationId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"conversationId"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"MessageFields"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"MessageFields"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Message"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"messageId"}},{"kind":"Field","name":{"kind":"Name","value":"conversationId"}},{"kind":"Field","name":{"kind":"Name","value":"seq"}},{"kind":"Field","name":{"kind":"Name","value":"branch"}},{"kind":"Field","name":{"kind":"Name","value":"kind"}},{"kind":"Field","name":{"kind":"Name","value":"role"}},{"kind":"Field","name":{"kind":"Name","value":"type"}},{"kind":"Field","name":{"kind":"Name","value":"payload"}},{"kind":"Field","name":{"kind":"Name","value":"metadata"}},{"kind":"Field","name":{"kind":"Name","value":"label"}},{"kind":"Field","name":{"kind":"Name","value":"sourceMessageId"}},{"kind":"Field","name":{"kind":"Name","value":"createdAt"}},{"kind":"Field","name":{"kind":"Name","value":"updatedAt"}}]}}]} as unknown as DocumentNode<LeavesQuery, LeavesQueryVariables>;
export const BranchPointsDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"BranchPoints"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"conversationId"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"branchPoints"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"conversationId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"conversationId"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"MessageFields"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"MessageFields"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Message"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"messageId"}},{"kind":"Field","name":{"kind":"Name","value":"conversationId"}},{"kind":"Field","name":{"kind":"Name","value":"seq"}},{"kind":"Field","name":{"kind":"Name","value":"branch"}},{"kind":"Field","name":{"kind":"Name","value":"kind"}},{"kind":"Field","name":{"kind":"Name","value":"role"}},{"kind":"Field","name":{"kind":"Name","value":"type"}},{"kind":"Field","name":{"kind":"Name","value":"payload"}},{"kind":"Field","name":{"kind":"Name","value":"metadata"}},{"kind":"Field","name":{"kind":"Name","value":"label"}},{"kind":"Field","name":{"kind":"Name","value":"sourceMessageId"}},{"kind":"Field","name":{"kind":"Name","value":"createdAt"}},{"kind":"Field","name":{"kind":"Name","value":"updatedAt"}}]}}]} as unknown as DocumentNode<BranchPointsQuery, BranchPointsQueryVariables>;
export const LabelsDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Labels"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"conversationId"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"labels"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"conversationId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"conversationId"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"MessageFields"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"MessageFields"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Message"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"messageId"}},{"kind":"Field","name":{"kind":"Name","value":"conversationId"}},{"kind":"Field","name":{"kind":"Name","value":"seq"}},{"kind":"Field","name":{"kind":"Name","value":"branch"}},{"kind":"Field","name":{"kind":"Name","value":"kind"}},{"kind":"Field","name":{"kind":"Name","value":"role"}},{"kind":"Field","name":{"kind":"Name","value":"type"}},{"kind":"Field","name":{"kind":"Name","value":"payload"}},{"kind":"Field","name":{"kind":"Name","value":"metadata"}},{"kind":"Field","name":{"kind":"Name","value":"label"}},{"kind":"Field","name":{"kind":"Name","value":"sourceMessageId"}},{"kind":"Field","name":{"kind":"Name","value":"createdAt"}},{"kind":"Field","name":{"kind":"Name","value":"updatedAt"}}]}}]} as unknown as DocumentNode<LabelsQuery, LabelsQueryVariables>;
export const StatsDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Stats"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"conversationId"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"stats"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"conversationId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"conversationId"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"messageCount"}},{"kind":"Field","name":{"kind":"Name","value":"branchCount"}},{"kind":"Field","name":{"kind":"Name","value":"leafCount"}},{"kind":"Field","name":{"kind":"Name","value":"maxDepth"}},{"kind":"Field","name":{"kind":"Name","value":"compactionCount"}},{"kind":"Field","name":{"kind":"Name","value":"firstMessageAt"}},{"kind":"Field","name":{"kind":"Name","value":"lastMessageAt"}}]}}]}}]} as unknown as DocumentNode<StatsQuery, StatsQueryVariables>;
export const ViewerDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Viewer"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"viewer"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"project"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"name"}}]}},{"kind":"Field","name":{"kind":"Name","value":"role"}},{"kind":"Field","name":{"kind":"Name","value":"expiresAt"}}]}}]}}]} as unknown as DocumentNode<ViewerQuery, ViewerQueryVariables>;