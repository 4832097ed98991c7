import type { Conversation, JsonInput, JsonObject, JsonValue, Message } from "./types.ts";

/** A line of messages inside a conversation. Branch 0 is there from the beginning. */
export interface Branch {
	branch: number;
	/** The branch that it left; null for branch 0. */
	parentBranch: number | null;
	/** The seq up to which it shares its parent's path; `"0"` when it begins before the first message. */
	forkSeq: string;
	/** The last message of its path; null when the path is empty. */
	leafMessageId: string | null;
	/** Whether appends go to it, and `listMessages` reads it. */
	active: boolean;
	createdAt: string;
}

/** A conversation that was copied from another one. */
export interface ForkedConversation extends Conversation {
	/** The conversation that it was taken from; it may be gone since. */
	parentConversationId: string | null;
	/** The message up to which it was taken; null when there was none. */
	parentMessageId: string | null;
}

/** A message's place in the tree of its conversation, without its content. */
export interface TreeEntry extends Pick<Message, "messageId" | "branch" | "seq" | "kind" | "role" | "type" | "label"> {
	/** The message before it; null for a first one. */
	parentMessageId: string | null;
}

/** Numbers about all branches of a conversation. */
export interface SessionStats {
	/** Messages of kind `message`. */
	messageCount: number;
	/** Branches, branch 0 included. */
	branchCount: number;
	/** Messages that none follows. */
	leafCount: number;
	/** Steps from a first message to the last one of the longest path; 0 without any. */
	maxDepth: number;
	/** Messages of kind `compaction`. */
	compactionCount: number;
	/** When the first and the last message of kind `message` were created; null without one. */
	firstMessageAt: string | null;
	lastMessageAt: string | null;
}

/** How a model is to think. */
export interface ThinkingConfig {
	includeThoughts?: boolean | null | undefined;
	display?: "summarized" | "omitted" | null | undefined;
	effort?: "low" | "medium" | "high" | "max" | null | undefined;
	/** Tokens for thinking, an integer; negative for as many as the model likes. */
	budget?: number | null | undefined;
}

/** The form of a model's answer. */
export interface ResponseFormat {
	type: "text" | "json_object" | "json_schema";
	/** With type `json_schema`, and only with it. */
	jsonSchema?:
		| { name: string; description?: string | null; schema: JsonObject; strict?: boolean | null }
		| null
		| undefined;
}

/** How calls for a conversation are made, where a call does not say otherwise. */
export interface ThreadConfig {
	model?: string | null | undefined;
	responseFormat?: ResponseFormat | null | undefined;
	thinking?: ThinkingConfig | null | undefined;
	skills?: string[] | null | undefined;
}

/** Input of `branch`. */
export interface BranchInput {
	conversationId: string;
	/** The message to continue from; null is before the first message. */
	messageId: string | null;
	/** The last seq that the conversation must have: otherwise it is a Conflict. */
	expectedLastSeq?: string | null | undefined;
}

/** Input of `switchBranch`. */
export interface SwitchBranchInput {
	conversationId: string;
	branch: number;
}

/** Input of the methods that take a conversation alone. */
export interface SessionInput {
	conversationId: string;
}

/** Input of `fork`. */
export interface ForkInput {
	conversationId: string;
	/** The message up to which the path is copied, with it. Default: the active leaf. */
	messageId?: string | null | undefined;
	/** 1–256 UTF-8 bytes (rule VAL-1). Default: a new UUIDv7. */
	newConversationId?: string | null | undefined;
}

/** Input of `listPath`. */
export interface ListPathInput {
	conversationId: string;
	/** Default: the active branch. */
	branch?: number | null | undefined;
	/** `asc` (oldest first, the default) or `desc`. */
	order?: "asc" | "desc" | null | undefined;
	/** 1–200; default 50. */
	limit?: number | null | undefined;
	/** `nextCursor` of the page before; keep the rest as it was. */
	cursor?: string | null | undefined;
}

/** Input of `getTree`. */
export interface GetTreeInput {
	conversationId: string;
	/** 1–200; default 50. */
	limit?: number | null | undefined;
	/** `nextCursor` of the page before. */
	cursor?: string | null | undefined;
}

/** Input of `getContext`. */
export interface GetContextInput {
	conversationId: string;
	/** Default: the active branch. */
	branch?: number | null | undefined;
}

/** Input of `compact`. */
export interface CompactInput<Details = JsonValue> {
	conversationId: string;
	/** What stands for the messages that are left out. */
	summary: string;
	/** The first message of the active path that the context still shows. Default: all of them are shown. */
	firstKeptMessageId?: string | null | undefined;
	/** Whatever else belongs to the compaction. */
	details?: JsonInput<Details> | undefined;
	/** Of the new message. Default: a new UUIDv7. */
	messageId?: string | null | undefined;
}

/** Input of `appendBranchSummary`. */
export interface AppendBranchSummaryInput {
	conversationId: string;
	/** What the context tells of the other branch. */
	summary: string;
	/** The branch that it is about. */
	fromBranch?: number | null | undefined;
	/** Of the new message. Default: a new UUIDv7. */
	messageId?: string | null | undefined;
}

/** Input of `appendCustom`. */
export interface AppendCustomInput<Payload = JsonValue> {
	conversationId: string;
	/** Any JSON value, `null` included. */
	payload: JsonInput<Payload>;
	/** At most 256 UTF-8 bytes. Default null. */
	type?: string | null | undefined;
	/** Of the new message. Default: a new UUIDv7. */
	messageId?: string | null | undefined;
}

/** Input of `setLabel`. */
export interface SetLabelInput {
	messageId: string;
	/** 1–256 UTF-8 bytes; null removes the label. */
	label: string | null;
}

/** Input of `setConfig`. */
export interface SetConfigInput {
	conversationId: string;
	/** Replaces the config whole; null takes it out. */
	config: ThreadConfig | null;
}

/** Input of `setThinking`. */
export interface SetThinkingInput {
	conversationId: string;
	/** Replaces the thinking part; null takes it out. */
	thinking: ThinkingConfig | null;
}

/** A line of an archive: what `record` says it is, with the fields that belong to that. */
export interface ArchiveRecord {
	record: "archive" | "conversation" | "branch" | "message" | "historyOperation" | "end";
	[field: string]: JsonValue;
}

/** How many rows of each kind were removed. */
export interface Erasure {
	/** 1, or 0 where there was none. */
	conversations: number;
	/** Messages of all branches. */
	messages: number;
	branches: number;
	/** Remembered changes of the history of an OpenAI session. */
	historyOperations: number;
	/** The state of that key, and its checkpoints. */
	states: number;
	stateCheckpoints: number;
	/** What the LangGraph thread consisted of. */
	checkpoints: number;
	channelValues: number;
	checkpointWrites: number;
	/** The Claude transcripts of that session, under any project key. */
	transcripts: number;
	transcriptEntries: number;
}

/** Input of `searchConversations`. */
export interface SearchConversationsInput {
	/** Words, separated by spaces; 1–256 UTF-8 bytes. */
	search: string;
	/** 1–200; default 50. */
	limit?: number | null | undefined;
	/** `nextCursor` of the page before; keep the search as it was. */
	cursor?: string | null | undefined;
}

export interface TailInput extends SessionInput {
	/** The position of an event: the tail goes on behind it. When omitted it begins with the first message. */
	after?: string | null | undefined;
	/** Without `after`, begins with so many of the newest messages at most; 0 tells only those to come. */
	last?: number | null | undefined;
}

/** What a live tail tells. */
export type TailEvent = {
	/** Give it as `after` to go on behind this event. Opaque. */
	position: string;
} & (
	| {
			/** The tail is connected: its first event, and told again whenever it had to connect anew. */
			kind: "opened";
	  }
	| {
			/** A message was appended. */
			kind: "message";
			message: Message;
	  }
	| {
			/** The conversation was deleted: forget what was told. What follows is that of a new one of the same id. */
			kind: "reset";
	  }
);
