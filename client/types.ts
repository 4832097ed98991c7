/** The JSON values that are not containers. */
export type JsonPrimitive = string | number | boolean | null;

/** Any JSON value; arrays and objects nest. */
export type JsonValue = JsonPrimitive | JsonValue[] | JsonObject;

/** A JSON object: string keys, any JSON values. */
export interface JsonObject {
	[key: string]: JsonValue;
}

/** What JSON cannot carry unchanged. A Date is taken at run time, but comes back as a string: convert it yourself. */
type NotJson =
	| ((...args: never[]) => unknown)
	| (abstract new (
			...args: never[]
	  ) => unknown)
	| symbol
	| bigint
	| undefined
	| Error
	| { toJSON(...args: never[]): unknown };

/** `T` where it is plain JSON all the way down, `never` at every place where it is not. */
export type Jsonable<T> = [T] extends [JsonValue]
	? T
	: T extends JsonPrimitive
		? T
		: T extends NotJson
			? never
			: T extends object
				? { [K in keyof T]: Jsonable<T[K]> }
				: never;

/** A JSON value to be stored: any `JsonValue`, or a value of your own interface `T` that is plain JSON. */
export type JsonInput<T = JsonValue> = JsonValue | (T & Jsonable<T>);

/** A JSON object to be stored: any `JsonObject`, or a value of your own interface `T` that is plain JSON. */
export type JsonObjectInput<T = JsonObject> =
	| JsonObject
	| (T & (T extends readonly unknown[] | JsonPrimitive ? never : Jsonable<T>));

/** The basic data of a conversation, without its messages. */
export interface Conversation {
	/** The conversation's id, unique in the project. */
	conversationId: string;
	/** Additional data such as a title or labels; `{}` when never set. */
	metadata: JsonObject;
	/** When it was created: ISO-8601, UTC, milliseconds, by the database's clock. */
	createdAt: string;
	/** When it, or a message in it, was last changed. */
	updatedAt: string;
}

/**
 * What a message is to its conversation: `message` for those that you append; `compaction`, `branch_summary` and
 * `custom` for what the methods of `@iga-pages/agent/sessions` write. Your own kinds stand in `type`.
 */
export type MessageKind = "message" | "compaction" | "branch_summary" | "custom";

/** One message of a conversation. */
export interface Message {
	/** The message's id, unique in the project. */
	messageId: string;
	/** The conversation that the message belongs to. */
	conversationId: string;
	/** The position in the conversation as a decimal string: compare with `BigInt(seq)`. Gaps are possible. */
	seq: string;
	/** The branch that it was appended to; 0 in a conversation without branches. */
	branch: number;
	kind: MessageKind;
	/** `user`, `assistant` or any string of yours; null when not set. */
	role: string | null;
	/** A type of your own; null when not set. Never derived from the payload. */
	type: string | null;
	/** The content, in the shape that your application gave it. */
	payload: JsonValue;
	/** Additional data of this message only; `{}` when never set. */
	metadata: JsonObject;
	/** Set by `sessions.setLabel`; null when it has none. */
	label: string | null;
	/** In a fork, the message that this is a copy of; null otherwise. */
	sourceMessageId: string | null;
	/** When it was created: ISO-8601, UTC, milliseconds, by the database's clock. */
	createdAt: string;
	/** When it was last changed. */
	updatedAt: string;
}

/** One page of a list. */
export interface Page<T> {
	items: T[];
	/** Give it to the same method as `cursor` to read on; null exactly when there is no further page. */
	nextCursor: string | null;
}

/** What every method takes as its last argument. */
export interface CallOptions {
	/** Aborts this call: it rejects with AbortError (with TimeoutError for `AbortSignal.timeout`). */
	signal?: AbortSignal | null | undefined;
	/** Time for the whole call in milliseconds, retries included. Default: the store's, which is 30,000. */
	timeoutMs?: number | null | undefined;
}

/** Options of `createStore`. */
export interface StoreOptions {
	/** The gateway's GraphQL endpoint. Without it the identity comes from the environment or the project link. */
	url?: string | null | undefined;
	/** The project's token; only together with `url`. */
	token?: string | null | undefined;
	/** Replaces the global `fetch`, for example with that of a gateway in the same process. */
	fetch?: ((url: string, init: RequestInit) => Promise<Response>) | null | undefined;
	/** Time for a whole call in milliseconds, retries included. Default 30,000. */
	timeoutMs?: number | null | undefined;
	/** How often a failed request is sent again where that is safe (rule ERR-4). Default 2. */
	retries?: number | null | undefined;
	/** Further headers of every request. */
	headers?: Readonly<Record<string, string>> | null | undefined;
	/** Permits plain `http:` to other machines: tokens and conversations then travel unencrypted. Default false. */
	allowInsecureHttp?: boolean | null | undefined;
}

/** Input of `createConversation`. */
export interface CreateConversationInput<Metadata = JsonObject> {
	/** 1–256 UTF-8 bytes (rule VAL-1). Default: a new UUIDv7. */
	conversationId?: string | null | undefined;
	/** At most 1 MiB as JSON (rule VAL-7). Default `{}`. */
	metadata?: JsonObjectInput<Metadata> | undefined;
}

/** Input of `getConversation`. */
export interface GetConversationInput {
	conversationId: string;
}

/** Input of `listConversations`. */
export interface ListConversationsInput {
	/** 1–200; default 50. */
	limit?: number | null | undefined;
	/** `nextCursor` of the page before. */
	cursor?: string | null | undefined;
}

/** Input of `updateConversation`. */
export interface UpdateConversationInput<Metadata = JsonObject> {
	conversationId: string;
	/** Merged by top-level keys; `null` removes a key (rule CONV-4). */
	metadata: JsonObjectInput<Metadata>;
}

/** Input of `deleteConversation`. */
export interface DeleteConversationInput {
	conversationId: string;
}

/** A message to be appended. */
export interface MessageInput<Payload = JsonValue, Metadata = JsonObject> {
	/** 1–256 UTF-8 bytes (rule VAL-1). Default: a new UUIDv7. Give it again with equal content to repeat safely. */
	messageId?: string | null | undefined;
	/** At most 256 UTF-8 bytes (rule VAL-2). Default null. */
	role?: string | null | undefined;
	/** At most 256 UTF-8 bytes (rule VAL-2). Default null. */
	type?: string | null | undefined;
	/** Any JSON value, `null` included (rules VAL-3, VAL-5). */
	payload: JsonInput<Payload>;
	/** A JSON object (rule VAL-4). Default `{}`. */
	metadata?: JsonObjectInput<Metadata> | undefined;
}

/** What an append may demand of the conversation. */
export interface AppendPrecondition {
	/** The last seq that the conversation must have, `"0"` for none: otherwise the append is a Conflict. */
	expectedLastSeq?: string | null | undefined;
}

/** Input of `appendMessage`. */
export interface AppendMessageInput<Payload = JsonValue, Metadata = JsonObject>
	extends MessageInput<Payload, Metadata>,
		AppendPrecondition {
	conversationId: string;
}

/** Input of `appendMessages`. */
export interface AppendMessagesInput<Payload = JsonValue, Metadata = JsonObject> extends AppendPrecondition {
	conversationId: string;
	/** 1–100 messages; no messageId twice (rule MSG-4). */
	messages: readonly MessageInput<Payload, Metadata>[];
}

/** Input of `getMessage`. */
export interface GetMessageInput {
	messageId: string;
}

/** Input of `listMessages`. */
export interface ListMessagesInput {
	conversationId: string;
	/** 1–200; default 50. */
	limit?: number | null | undefined;
	/** `nextCursor` of the page before; keep `conversationId` and `order` as they were. */
	cursor?: string | null | undefined;
	/** `asc` (oldest first, the default) or `desc`. */
	order?: "asc" | "desc" | null | undefined;
}

/** Input of `updateMessage`: at least one of role, type, payload and metadata. */
export interface UpdateMessageInput<Payload = JsonValue, Metadata = JsonObject> {
	messageId: string;
	/** `null` clears it. */
	role?: string | null | undefined;
	/** `null` clears it. */
	type?: string | null | undefined;
	/** Replaces the payload whole; `null` is a value. */
	payload?: JsonInput<Payload> | undefined;
	/** Replaces the metadata whole. */
	metadata?: JsonObjectInput<Metadata> | undefined;
}

/** Input of `deleteMessage`. */
export interface DeleteMessageInput {
	messageId: string;
}

/** Input of `clearMessages`. */
export interface ClearMessagesInput {
	conversationId: string;
}
