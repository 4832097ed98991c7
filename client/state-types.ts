import type { JsonObject, JsonObjectInput, StoreOptions } from "./types.ts";

/** Turns a state of one version into one of the next. */
export type StateMigrator = (state: JsonObject) => JsonObject | Promise<JsonObject>;

/** Options of `createStates` and `createAgentStore`. */
export interface StatesOptions extends StoreOptions {
	/**
	 * The version of the form in which your program writes states and expects to read them, from 0 on. Saves are marked
	 * with it; what is loaded in an older form goes through the migrators, and what is newer is refused. Without a
	 * version nothing is checked: states come as they were saved, with the version of their save.
	 */
	version?: number | null | undefined;
	/** The step from each older version to the next one, by the older one: `{ 0: from0To1, 1: from1To2 }`. */
	migrators?: Readonly<Record<number, StateMigrator>> | null | undefined;
}

/** A saved state, without its content. */
export interface StateEntry {
	key: string;
	/** The version of its form; 0 when none was given. */
	version: number;
	/** Counts the saves of the key as a decimal string: compare with `BigInt(revision)`. */
	revision: string;
	/** ISO-8601, UTC, milliseconds, by the database's clock. */
	updatedAt: string;
}

/** The snapshot of an agent: its status, messages, turn, usage, or whatever it needs to go on. */
export interface StateSnapshot extends StateEntry {
	/** The state as it was saved, or as the migrators made it; `version` is then that of the program. */
	state: JsonObject;
}

/** What a save has done. */
export type SavedState = Pick<StateEntry, "key" | "revision" | "updatedAt">;

/** A snapshot that was kept to go back to. */
export interface StateCheckpoint {
	key: string;
	/** Its place among the checkpoints of the key as a decimal string, which only increases. */
	seq: string;
	version: number;
	state: JsonObject;
	createdAt: string;
}

/** Input of the methods that take a key alone. */
export interface StateInput {
	/** 1–256 UTF-8 bytes (rule VAL-1). */
	key: string;
}

/** Input of `save`. */
export interface SaveStateInput<State = JsonObject> {
	/** 1–256 UTF-8 bytes (rule VAL-1). */
	key: string;
	/** A JSON object, at most 16 MiB (rules VAL-3, VAL-5…7). */
	state: JsonObjectInput<State>;
	/** Of the state's form, an integer from 0 on. Default: that of the options, else 0. */
	version?: number | null | undefined;
	/** The revision that the state must have, `"0"` for none: otherwise the save is a Conflict. */
	expectedRevision?: string | null | undefined;
}

/** Input of `states.list`. */
export interface ListStatesInput {
	/** 1–200; default 50. */
	limit?: number | null | undefined;
	/** `nextCursor` of the page before. */
	cursor?: string | null | undefined;
}

/** Input of `appendCheckpoint`. */
export interface AppendCheckpointInput<State = JsonObject> {
	/** 1–256 UTF-8 bytes (rule VAL-1). */
	key: string;
	/** A JSON object, at most 16 MiB (rules VAL-3, VAL-5…7). */
	state: JsonObjectInput<State>;
	/** Of the state's form, an integer from 0 on. Default: that of the options, else 0. */
	version?: number | null | undefined;
}

/** Input of `listCheckpoints`. */
export interface ListCheckpointsInput extends ListStatesInput {
	/** 1–256 UTF-8 bytes (rule VAL-1). */
	key: string;
}

/** Input of `restoreCheckpoint`. */
export interface RestoreCheckpointInput {
	/** 1–256 UTF-8 bytes (rule VAL-1). */
	key: string;
	/** Which one. Default: the newest. */
	seq?: string | null | undefined;
	/** The revision that the state must have, `"0"` for none: otherwise it is a Conflict. */
	expectedRevision?: string | null | undefined;
}

/** Input of `pruneCheckpoints`. */
export interface PruneCheckpointsInput {
	/** 1–256 UTF-8 bytes (rule VAL-1). */
	key: string;
	/** How many of the newest stay, from 0 on. */
	keep: number;
}
