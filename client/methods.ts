import type {
	AppendMessageInput,
	AppendMessagesInput,
	CallOptions,
	ClearMessagesInput,
	Conversation,
	CreateConversationInput,
	DeleteConversationInput,
	DeleteMessageInput,
	GetConversationInput,
	GetMessageInput,
	JsonObject,
	JsonValue,
	ListConversationsInput,
	ListMessagesInput,
	Message,
	Page,
	UpdateConversationInput,
	UpdateMessageInput,
} from "./types.ts";

/** Stores conversations and their messages. Every method takes `{ signal?, timeoutMs? }` as its last argument. */
export interface Store {
	/**
	 * Creates a conversation. To store messages only, append them: that creates the conversation too.
	 *
	 * An id that exists already is a Conflict, and the existing conversation is neither read nor changed (rule CONV-1).
	 * With an id of yours, a request whose fate is unknown is not repeated (rule ERR-4). `metadata` is at most 1 MiB.
	 *
	 * @throws StoreError `Conflict` (409, with the database's `error`), `BadRequest`, `PayloadTooLarge`, and the codes
	 * of every call: `Unauthorized`, `Forbidden`, `TooManyRequests`, `ServiceUnavailable`, `TimeoutError`,
	 * `NetworkError`, `AbortError`, `UnknownError`.
	 * @example
	 * const { conversationId } = await store.createConversation({ metadata: { title: "Trip to Rome" } });
	 */
	createConversation<Metadata = JsonObject>(
		input?: CreateConversationInput<Metadata> | null,
		options?: CallOptions | null,
	): Promise<Conversation>;

	/**
	 * Reads a conversation's basic data; its messages come from `listMessages`. An unknown id gives null (rule CONV-2).
	 *
	 * @throws StoreError `BadRequest`, and the codes of every call (see `createConversation`).
	 * @example
	 * const conversation = await store.getConversation({ conversationId });
	 * if (conversation === null) console.log("There is no such conversation.");
	 */
	getConversation(input: GetConversationInput, options?: CallOptions | null): Promise<Conversation | null>;

	/**
	 * Lists the project's conversations by `updatedAt`, then `conversationId`, both descending (rule CONV-3).
	 *
	 * `limit` is 1–200, 50 by default. The pages are no snapshot: a conversation that changes meanwhile may repeat or
	 * be missed. The end is where `nextCursor` is null, whatever the number of items.
	 *
	 * @throws StoreError `BadRequest` (limit, cursor), and the codes of every call (see `createConversation`).
	 * @example
	 * let cursor: string | null = null;
	 * do {
	 *   const page = await store.listConversations({ limit: 100, cursor });
	 *   for (const { conversationId } of page.items) console.log(conversationId);
	 *   cursor = page.nextCursor;
	 * } while (cursor !== null);
	 */
	listConversations(input?: ListConversationsInput | null, options?: CallOptions | null): Promise<Page<Conversation>>;

	/**
	 * Merges metadata by top-level keys, atomically: absent keys stay, `null` removes a key, nested objects and arrays
	 * are replaced whole (rule CONV-4). `{}` changes nothing but checks that the conversation exists.
	 *
	 * The merged metadata is at most 1 MiB. A request whose fate is unknown is not repeated, except with `{}`.
	 *
	 * @throws StoreError `NotFound`, `BadRequest`, `PayloadTooLarge`, and the codes of every call (see
	 * `createConversation`).
	 * @example
	 * await store.updateConversation({ conversationId, metadata: { title: "New title", draft: null } });
	 */
	updateConversation<Metadata = JsonObject>(
		input: UpdateConversationInput<Metadata>,
		options?: CallOptions | null,
	): Promise<Conversation>;

	/**
	 * Deletes a conversation and all its messages for ever. An unknown one is success, too (rule CONV-5). A later
	 * append to the id creates a new conversation: read that from its first page. Not repeated if its fate is unknown.
	 *
	 * @throws StoreError `BadRequest`, and the codes of every call (see `createConversation`).
	 * @example
	 * await store.deleteConversation({ conversationId });
	 */
	deleteConversation(input: DeleteConversationInput, options?: CallOptions | null): Promise<void>;

	/**
	 * Appends a message, and creates its conversation if there is none, in one transaction (rule MSG-1).
	 *
	 * The input is captured at the call (rule VAL-9); payload and metadata together are at most 16 MiB as JSON, nested
	 * at most 200 levels (rules VAL-6, VAL-7). Failed requests are repeated safely, for the id is fixed before the
	 * first one. To repeat a call yourself, give the same `messageId` and content: the stored message is returned
	 * (rule MSG-3). Without a `messageId` every call appends a new message. With `expectedLastSeq` it is appended only
	 * if nobody else appended meanwhile; a message that is stored already is returned all the same.
	 *
	 * @throws StoreError `Conflict` (409: the messageId exists with another content or conversation, or the last seq is
	 * not the expected one, and the error's message tells it), `BadRequest`,
	 * `PayloadTooLarge`, and the codes of every call: `Unauthorized`, `Forbidden`, `TooManyRequests`,
	 * `ServiceUnavailable`, `TimeoutError`, `NetworkError`, `AbortError`, `UnknownError`.
	 * @example
	 * const message = await store.appendMessage({ conversationId, role: "user", payload: { text: "Hello" } });
	 */
	appendMessage<Payload = JsonValue, Metadata = JsonObject>(
		input: AppendMessageInput<Payload, Metadata>,
		options?: CallOptions | null,
	): Promise<Message>;

	/**
	 * Appends 1–100 messages, all or none (rule MSG-4), and returns them in the order of the input. Limits, repetition
	 * and capture are those of `appendMessage`; a whole request is at most 64 MiB. To repeat a batch yourself, give all
	 * ids and contents again: some known and some new ids are a Conflict.
	 *
	 * @throws StoreError `Conflict` (409), `BadRequest` (empty, more than 100, a messageId twice), `PayloadTooLarge`,
	 * and the codes of every call (see `appendMessage`).
	 * @example
	 * await store.appendMessages({
	 *   conversationId,
	 *   messages: [
	 *     { role: "user", payload: { text: "Hello" } },
	 *     { role: "assistant", payload: { text: "How can I help?" } },
	 *   ],
	 * });
	 */
	appendMessages<Payload = JsonValue, Metadata = JsonObject>(
		input: AppendMessagesInput<Payload, Metadata>,
		options?: CallOptions | null,
	): Promise<Message[]>;

	/**
	 * Reads a message by its id alone. An unknown id gives null (rule MSG-6).
	 *
	 * @throws StoreError `BadRequest`, and the codes of every call (see `appendMessage`).
	 * @example
	 * const message = await store.getMessage({ messageId });
	 */
	getMessage(input: GetMessageInput, options?: CallOptions | null): Promise<Message | null>;

	/**
	 * Lists a conversation's messages by their position: oldest first, or newest first with `order: "desc"` (rule
	 * MSG-7). An unknown conversation gives an empty page.
	 *
	 * `limit` is 1–200, 50 by default; a page also ends at 16 MiB of content. Messages that are appended after the
	 * first page do not show up in the walk (rule MSG-8). The end is where `nextCursor` is null (rule MSG-9). In a
	 * conversation with branches the path of the active branch is listed (rule MSG-12).
	 *
	 * @throws StoreError `BadRequest` (limit, order, or a cursor of another list), and the codes of every call (see
	 * `appendMessage`).
	 * @example
	 * const newest = await store.listMessages({ conversationId, order: "desc", limit: 20 });
	 */
	listMessages(input: ListMessagesInput, options?: CallOptions | null): Promise<Page<Message>>;

	/**
	 * Replaces the given ones of role, type, payload and metadata, each as a whole (rule MSG-10). `null` clears role
	 * and type, and is a value as payload. Place and creation time stay. Not repeated if its fate is unknown.
	 *
	 * @throws StoreError `NotFound`, `BadRequest` (nothing to update, among others), `PayloadTooLarge`, and the codes of
	 * every call (see `appendMessage`).
	 * @example
	 * await store.updateMessage({ messageId, payload: { text: "Corrected" }, metadata: {} });
	 */
	updateMessage<Payload = JsonValue, Metadata = JsonObject>(
		input: UpdateMessageInput<Payload, Metadata>,
		options?: CallOptions | null,
	): Promise<Message>;

	/**
	 * Deletes a message for ever. An unknown one is success, too (rule MSG-11). Its id is then free again.
	 *
	 * @throws StoreError `BadRequest`, and the codes of every call (see `appendMessage`).
	 * @example
	 * await store.deleteMessage({ messageId });
	 */
	deleteMessage(input: DeleteMessageInput, options?: CallOptions | null): Promise<void>;

	/**
	 * Deletes all messages of a conversation and keeps the conversation, its metadata and its count of positions (rule
	 * MSG-11). An unknown conversation is success and is not created. Wait for it before you append anew: parallel
	 * appends may or may not be cleared. Not repeated if its fate is unknown; repeating it yourself clears again.
	 *
	 * @throws StoreError `BadRequest`, and the codes of every call (see `appendMessage`).
	 * @example
	 * await store.clearMessages({ conversationId });
	 */
	clearMessages(input: ClearMessagesInput, options?: CallOptions | null): Promise<void>;
}
