import type {
	AppendCheckpointInput,
	ListCheckpointsInput,
	ListStatesInput,
	PruneCheckpointsInput,
	RestoreCheckpointInput,
	SavedState,
	SaveStateInput,
	StateCheckpoint,
	StateEntry,
	StateInput,
	StateSnapshot,
} from "./state-types.ts";
import type { CallOptions, JsonObject, JsonValue, Page } from "./types.ts";

/**
 * Snapshots of agents under keys. A key is not a conversation, and what is saved is never looked into. Every method
 * takes `{ signal?, timeoutMs? }` as its last argument, and rejects with a `StoreError`: with the codes named at it,
 * `BadRequest`, and those of every call (see `Store.createConversation`).
 */
export interface States {
	/**
	 * Saves a state in the place of the one before. Without `expectedRevision` the last save counts; with it, a save
	 * that somebody else was faster than is refused. Repeated safely: a save that has taken effect is not done again.
	 *
	 * @throws StoreError `Conflict` (the revision is not the expected one; the message tells it), `PayloadTooLarge`.
	 * @example
	 * const { revision } = await states.save({ key: "run-17", state: { status: "running", turn: 3 } });
	 * await states.save({ key: "run-17", state: { status: "finished", turn: 4 }, expectedRevision: revision });
	 */
	save<State = JsonObject>(input: SaveStateInput<State>, options?: CallOptions | null): Promise<SavedState>;

	/**
	 * Reads the state of a key; null where none is saved. An older version goes through the migrators, one step at a
	 * time; what they make of it is not saved before you save it.
	 *
	 * @throws StoreError `Conflict` (a version that is newer than the program's, or that no migrator leads on from).
	 * @example
	 * const snapshot = await states.load({ key: "run-17" });
	 * if (snapshot !== null) console.log(snapshot.state, snapshot.revision);
	 */
	load(input: StateInput, options?: CallOptions | null): Promise<StateSnapshot | null>;

	/**
	 * Whether a state is saved under a key, of whatever version.
	 *
	 * @example
	 * if (!(await states.has({ key: "run-17" }))) console.log("It never ran.");
	 */
	has(input: StateInput, options?: CallOptions | null): Promise<boolean>;

	/**
	 * Deletes the state and the checkpoints of a key for ever; an unknown one is a success. Revisions and seqs then begin
	 * anew. Not repeated if its fate is unknown.
	 *
	 * @example
	 * await states.delete({ key: "run-17" });
	 */
	delete(input: StateInput, options?: CallOptions | null): Promise<void>;

	/**
	 * Lists the keys with a state, the latest saved first. What is saved during a walk may be missed.
	 *
	 * @example
	 * const { items, nextCursor } = await states.list({ limit: 20 });
	 */
	list(input?: ListStatesInput | null, options?: CallOptions | null): Promise<Page<StateEntry>>;

	/**
	 * Keeps a checkpoint under a key, to go back to; the state of the key stays as it is. Repeated safely: no checkpoint
	 * is kept twice.
	 *
	 * @throws StoreError `PayloadTooLarge`.
	 * @example
	 * const { seq } = await states.appendCheckpoint({ key: "run-17", state: { turn: 3 } });
	 */
	appendCheckpoint<State = JsonObject>(
		input: AppendCheckpointInput<State>,
		options?: CallOptions | null,
	): Promise<Pick<StateCheckpoint, "seq">>;

	/**
	 * Reads the newest checkpoint of a key; null where there is none. An older version goes through the migrators.
	 *
	 * @throws StoreError `Conflict` (see `load`).
	 * @example
	 * const checkpoint = await states.latestCheckpoint({ key: "run-17" });
	 */
	latestCheckpoint(input: StateInput, options?: CallOptions | null): Promise<StateCheckpoint | null>;

	/**
	 * Lists the checkpoints of a key, the newest first, each as it was appended: mind its `version`.
	 *
	 * @example
	 * const { items } = await states.listCheckpoints({ key: "run-17", limit: 10 });
	 */
	listCheckpoints(input: ListCheckpointsInput, options?: CallOptions | null): Promise<Page<StateCheckpoint>>;

	/**
	 * Saves a checkpoint as the state of its key, and returns that. An older version goes through the migrators first.
	 * All checkpoints stay, the newer ones too. Repeated safely, as `save`.
	 *
	 * @throws StoreError `NotFound` (the checkpoint), `Conflict` (see `load` and `save`).
	 * @example
	 * const { state } = await states.restoreCheckpoint({ key: "run-17", seq });
	 */
	restoreCheckpoint(input: RestoreCheckpointInput, options?: CallOptions | null): Promise<StateSnapshot>;

	/**
	 * Deletes the checkpoints of a key but the newest ones, and returns how many went; repeated after a lost answer, how
	 * many went in the end. The seqs of later checkpoints go on increasing.
	 *
	 * @example
	 * const { removed } = await states.pruneCheckpoints({ key: "run-17", keep: 10 });
	 */
	pruneCheckpoints(input: PruneCheckpointsInput, options?: CallOptions | null): Promise<{ removed: number }>;
}

/**
 * The same for agents whose messages are a conversation: the key is the conversation's id, `state.messages` are the
 * messages that a model sees of it (`Sessions.getContext`), and the rest of the state is kept beside them. So the
 * conversation can be listed, branched, forked and compacted like any other.
 */
export interface AgentStore {
	/**
	 * Saves a state: of its `messages` those that are new are appended, and the rest replaces the one before, both or
	 * neither. The messages must begin with all that `load` gives: anything else is a Conflict that names the first
	 * message that differs, and the caller branches (`Sessions.branch`) or compacts (`Sessions.compact`) and loads again.
	 * Nothing that is stored is ever rewritten. Creates the conversation where there is none. Repeated safely.
	 *
	 * @throws StoreError `Conflict` (messages that diverge; a revision that is not the expected one), `PayloadTooLarge`
	 * (a message or the rest over 16 MiB, all together over 64 MiB).
	 * @example
	 * await agents.save({ key: conversationId, state: { status: "running", turn: 1, messages } });
	 */
	save<State = JsonObject>(input: SaveStateInput<State>, options?: CallOptions | null): Promise<SavedState>;

	/**
	 * Reads the state of a conversation; null where there is none. In one that no agent saved, it has `messages` only,
	 * and revision `"0"`. A compaction and a branch summary come as messages
	 * `{ role: "system", type: "compaction_summary" | "branch_summary", content }`. Migrators get the state without its
	 * messages, which stay as the conversation keeps them.
	 *
	 * @throws StoreError `Conflict` (see `States.load`).
	 * @example
	 * const snapshot = await agents.load({ key: conversationId });
	 * const messages = snapshot?.state.messages ?? [];
	 */
	load(input: StateInput, options?: CallOptions | null): Promise<AgentSnapshot | null>;

	/**
	 * Whether there is such a conversation.
	 *
	 * @example
	 * const isKnown = await agents.has({ key: conversationId });
	 */
	has(input: StateInput, options?: CallOptions | null): Promise<boolean>;

	/**
	 * Deletes the conversation with everything in it, as `Store.deleteConversation` does, which deletes the state, too.
	 *
	 * @example
	 * await agents.delete({ key: conversationId });
	 */
	delete(input: StateInput, options?: CallOptions | null): Promise<void>;

	/**
	 * Lists all conversations as states, the latest updated first.
	 *
	 * @example
	 * const { items } = await agents.list({ limit: 20 });
	 */
	list(input?: ListStatesInput | null, options?: CallOptions | null): Promise<Page<StateEntry>>;
}

/** A state whose messages are a conversation. */
export interface AgentSnapshot extends StateSnapshot {
	state: JsonObject & { messages: JsonValue[] };
}
