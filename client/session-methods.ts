import type {
	AppendBranchSummaryInput,
	AppendCustomInput,
	ArchiveRecord,
	Branch,
	BranchInput,
	CompactInput,
	Erasure,
	ForkedConversation,
	ForkInput,
	GetContextInput,
	GetTreeInput,
	ListPathInput,
	SearchConversationsInput,
	SessionInput,
	SessionStats,
	SetConfigInput,
	SetLabelInput,
	SetThinkingInput,
	SwitchBranchInput,
	TailEvent,
	TailInput,
	ThreadConfig,
	TreeEntry,
} from "./session-types.ts";
import type { CallOptions, Conversation, JsonValue, Message, Page } from "./types.ts";

/**
 * Conversations as trees. Every method takes `{ signal?, timeoutMs? }` as its last argument, and rejects with a
 * `StoreError`: with the codes named at it, `BadRequest`, and those of every call (see `Store.createConversation`).
 */
export interface Sessions {
	/**
	 * Moves the active leaf to a message, or before the first one: the next append continues there. Nothing is deleted,
	 * and the move is kept. A branch that ends there already is taken, else a new one begins; so branching where the
	 * leaf is changes nothing. To edit a message, branch at the one before it and append. Not repeated if its fate is
	 * unknown. (`POST /api/threads/{key}/branch` of the HTTP API is not this, but `fork`.)
	 *
	 * @throws StoreError `NotFound` (conversation, or a message in it), `Conflict` (the last seq is not `expectedLastSeq`).
	 * @example
	 * await sessions.branch({ conversationId, messageId: question.messageId });
	 * await store.appendMessage({ conversationId, role: "assistant", payload: { text: "Another answer" } });
	 */
	branch(input: BranchInput, options?: CallOptions | null): Promise<Branch>;

	/**
	 * Makes a branch the active one. Not repeated if its fate is unknown.
	 *
	 * @throws StoreError `NotFound` (conversation or branch).
	 * @example
	 * await sessions.switchBranch({ conversationId, branch: 0 });
	 */
	switchBranch(input: SwitchBranchInput, options?: CallOptions | null): Promise<Branch>;

	/**
	 * Lists the branches by number; none for an unknown conversation.
	 *
	 * @example
	 * const active = (await sessions.listBranches({ conversationId })).find((branch) => branch.active);
	 */
	listBranches(input: SessionInput, options?: CallOptions | null): Promise<Branch[]>;

	/**
	 * Copies the path up to a message, and with it, into a new conversation; the source stays as it is. The copies have
	 * seqs from 1, new ids (the old ones stand in `sourceMessageId`), and the times, labels and kinds of their sources;
	 * metadata and config come along. Failed requests are repeated safely, for the id is fixed before the first one: an
	 * id under which this fork exists already returns it.
	 *
	 * @throws StoreError `NotFound` (conversation, or a message in it), `Conflict` (the new id is taken).
	 * @example
	 * const copy = await sessions.fork({ conversationId, messageId });
	 */
	fork(input: ForkInput, options?: CallOptions | null): Promise<ForkedConversation>;

	/**
	 * Lists the path of a branch, as `Store.listMessages` does that of the active one: a walk stays on its branch.
	 *
	 * @throws StoreError `NotFound` (the branch of an existing conversation).
	 * @example
	 * const page = await sessions.listPath({ conversationId, branch: 1, order: "desc", limit: 20 });
	 */
	listPath(input: ListPathInput, options?: CallOptions | null): Promise<Page<Message>>;

	/**
	 * Lists the messages of all branches by seq, each with the one before it and without its content.
	 *
	 * @example
	 * const { items, nextCursor } = await sessions.getTree({ conversationId, limit: 200 });
	 */
	getTree(input: GetTreeInput, options?: CallOptions | null): Promise<Page<TreeEntry>>;

	/**
	 * Lists the messages that none follows, by seq.
	 *
	 * @example
	 * const ends = await sessions.listLeaves({ conversationId });
	 */
	listLeaves(input: SessionInput, options?: CallOptions | null): Promise<Message[]>;

	/**
	 * Lists the messages that more than one follows, by seq.
	 *
	 * @example
	 * const forks = await sessions.listBranchPoints({ conversationId });
	 */
	listBranchPoints(input: SessionInput, options?: CallOptions | null): Promise<Message[]>;

	/**
	 * Lists the messages with a label, by seq.
	 *
	 * @example
	 * const marked = await sessions.listLabels({ conversationId });
	 */
	listLabels(input: SessionInput, options?: CallOptions | null): Promise<Message[]>;

	/**
	 * Counts what a conversation holds, in all branches.
	 *
	 * @example
	 * const { messageCount, leafCount } = await sessions.getStats({ conversationId });
	 */
	getStats(input: SessionInput, options?: CallOptions | null): Promise<SessionStats>;

	/**
	 * Reads what a model should see of a path, in path order: the last compaction (its payload has `summary`), then the
	 * messages and branch summaries from the first that it keeps on; without a compaction, all of them. Where the first
	 * kept message was deleted, the next one takes its place.
	 *
	 * @throws StoreError `NotFound` (the branch of an existing conversation).
	 * @example
	 * const context = await sessions.getContext({ conversationId });
	 */
	getContext(input: GetContextInput, options?: CallOptions | null): Promise<Message[]>;

	/**
	 * Appends a compaction to the active path. Nothing is deleted: only contexts begin with it. Its payload is
	 * `{ summary, firstKeptMessageId?, details? }`. Repeated safely, as every append.
	 *
	 * @throws StoreError `BadRequest` (a first kept message that is not on the active path), `Conflict`.
	 * @example
	 * await sessions.compact({ conversationId, summary: "They planned a trip.", firstKeptMessageId });
	 */
	compact<Details = JsonValue>(input: CompactInput<Details>, options?: CallOptions | null): Promise<Message>;

	/**
	 * Appends the summary of another branch to the active path; contexts show it. Its payload is
	 * `{ summary, fromBranch? }`. Repeated safely, as every append.
	 *
	 * @throws StoreError `BadRequest` (no such branch), `Conflict`.
	 * @example
	 * await sessions.appendBranchSummary({ conversationId, summary: "Plan A was too dear.", fromBranch: 0 });
	 */
	appendBranchSummary(input: AppendBranchSummaryInput, options?: CallOptions | null): Promise<Message>;

	/**
	 * Appends what your application keeps on the path; no context shows it. Repeated safely, as every append.
	 *
	 * @throws StoreError `Conflict`.
	 * @example
	 * await sessions.appendCustom({ conversationId, type: "bookmark", payload: { page: 3 } });
	 */
	appendCustom<Payload = JsonValue>(input: AppendCustomInput<Payload>, options?: CallOptions | null): Promise<Message>;

	/**
	 * Sets the label of a message, or removes it with null. The last one set counts. Not repeated if its fate is unknown.
	 *
	 * @throws StoreError `NotFound`.
	 * @example
	 * await sessions.setLabel({ messageId, label: "first plan" });
	 */
	setLabel(input: SetLabelInput, options?: CallOptions | null): Promise<Message>;

	/**
	 * Reads how calls for a conversation are to be made; null where nothing is set.
	 *
	 * @throws StoreError `NotFound`.
	 * @example
	 * const model = (await sessions.getConfig({ conversationId }))?.model ?? "default";
	 */
	getConfig(input: SessionInput, options?: CallOptions | null): Promise<ThreadConfig | null>;

	/**
	 * Replaces the config of a conversation whole; null takes it out. Not repeated if its fate is unknown.
	 *
	 * @throws StoreError `NotFound`, `BadRequest` (which names the field).
	 * @example
	 * await sessions.setConfig({ conversationId, config: { model: "large", skills: ["search"] } });
	 */
	setConfig(input: SetConfigInput, options?: CallOptions | null): Promise<ThreadConfig | null>;

	/**
	 * Replaces the thinking part of the config, and leaves the others as they are; null takes it out. Returns the whole
	 * config. Not repeated if its fate is unknown.
	 *
	 * @throws StoreError `NotFound`, `BadRequest` (which names the field).
	 * @example
	 * await sessions.setThinking({ conversationId, thinking: { effort: "high" } });
	 */
	setThinking(input: SetThinkingInput, options?: CallOptions | null): Promise<ThreadConfig | null>;

	/**
	 * Finds conversations by words of their titles (`metadata.title` and `metadata.name`) and messages, of all branches:
	 * those that have every word of the search, in any case, in the order of `Store.listConversations`. Chinese, Japanese
	 * and other scripts without spaces are found by any part of a sentence.
	 *
	 * @throws StoreError `BadRequest` also where the gateway's operator has not enabled search.
	 * @example
	 * const { items } = await sessions.searchConversations({ search: "invoice berlin" });
	 */
	searchConversations(input: SearchConversationsInput, options?: CallOptions | null): Promise<Page<Conversation>>;

	/**
	 * Reads a conversation as the records of an archive: a header, the conversation, its branches, the messages of all
	 * branches by seq, and an end. One record a line, as JSON, is a file that `agent-gateway import` reads. What is appended
	 * meanwhile is not in it. `timeoutMs` bounds each page.
	 *
	 * @throws StoreError when the loop goes on: `NotFound`, and the codes of every call. Invalid input throws at the call.
	 * @example
	 * for await (const record of sessions.exportConversation({ conversationId })) {
	 *   file.write(`${JSON.stringify(record)}\n`);
	 * }
	 */
	exportConversation(input: SessionInput, options?: CallOptions | null): AsyncIterableIterator<ArchiveRecord>;

	/**
	 * Restores a conversation from the records of its archive: ids, seqs, times, branches, labels, config and agent state are
	 * as they were. `imported` is false where it was there already with the same content. Repeated safely. The records are
	 * one request, which has a limit (64 MiB); `agent-gateway import` has none.
	 *
	 * @throws StoreError `Conflict` (it is there with other content, or a message id is taken), `BadRequest` (which names
	 * the line), `PayloadTooLarge`.
	 * @example
	 * await archive.importConversation(sessions.exportConversation({ conversationId }));
	 */
	importConversation(
		records: Iterable<ArchiveRecord> | AsyncIterable<ArchiveRecord>,
		options?: CallOptions | null,
	): Promise<{ imported: boolean }>;

	/**
	 * Removes everything that is stored under an id, at once: the conversation with its messages, branches, agent state and
	 * run; the state of that key; the LangGraph thread; the Claude transcripts of that session under every project key. Says
	 * what it removed, and which forks stay: they are copies of their own. An unknown id is a success. Not repeated if its
	 * fate is unknown.
	 *
	 * @example
	 * const { erased, forks } = await sessions.erase({ conversationId });
	 */
	erase(input: SessionInput, options?: CallOptions | null): Promise<{ erased: Erasure; forks: string[] }>;

	/**
	 * Follows a conversation live: the messages of all its branches by seq, those that are there and those to come,
	 * whichever gateway they are appended on. None is missed and none comes twice, for it goes on from its last position
	 * whenever the connection breaks, until the loop is left or the signal aborts. An unknown conversation is waited for.
	 * Updates, deletes and clearing of messages are not told; they show in the lists.
	 *
	 * The first connection is tried as often as any call. `timeoutMs` is the longest silence before it connects anew: a
	 * gateway gives a sign of life every 15 s.
	 *
	 * @throws StoreError when the loop goes on: `Unauthorized` (the token has ended), `AbortError`, `BadRequest` (a
	 * position of another conversation), and the codes of every call. Invalid input throws at the call.
	 * @example
	 * for await (const event of sessions.tail({ conversationId, last: 50 }, { signal })) {
	 *   if (event.kind === "message") show(event.message);
	 *   if (event.kind === "reset") clear();
	 * }
	 */
	tail(input: TailInput, options?: CallOptions | null): AsyncIterableIterator<TailEvent>;
}
