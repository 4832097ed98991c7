import { badRequest, StoreError } from "./errors.ts";
import {
	AppendStateCheckpointDocument,
	DeleteStateDocument,
	HasStateDocument,
	PruneStateCheckpointsDocument,
	SaveStateDocument,
	StateCheckpointDocument,
	StateCheckpointsDocument,
	StateDocument,
	StatesDocument,
} from "./generated/operations.ts";
import { newId } from "./ids.ts";
import {
	captureMetadata,
	checkCursor,
	checkId,
	checkLimit,
	payloadTooLarge,
	readArguments,
	readOptionalArguments,
} from "./input.ts";
import { jsonBytes } from "./json.ts";
import { LIMITS } from "./limits.ts";
import { checkStoreOptions } from "./options.ts";
import { toPage } from "./pages.ts";
import type { States } from "./state-methods.ts";
import type { StateCheckpoint, StatesOptions } from "./state-types.ts";
import { checkVersion, checkVersions, migrate, type Versions } from "./state-versions.ts";
import { createTransport, type Transport } from "./transport.ts";
import type { JsonObject } from "./types.ts";

/**
 * Creates states of their own: for a program that marks its states with a version, for a second project, or for a
 * gateway in the same process. Nothing is opened, read or sent before the first call of a method.
 *
 * @throws StoreError `BadRequest` for an unknown or invalid option.
 * @example
 * const runs = createStates({ version: 1, migrators: { 0: ({ step, ...rest }) => ({ ...rest, turn: step ?? 0 }) } });
 */
export function createStates(options?: StatesOptions | null): States {
	const { version, migrators, ...storeOptions } = options ?? {};
	const versions = checkVersions({ version, migrators });
	const transport = createTransport(checkStoreOptions(storeOptions));
	return { ...stateMethods(transport, versions), ...checkpointMethods(transport, versions) };
}

/**
 * The states of the application's own project, ready to use: its identity is found at the first call. They check no
 * versions (see `createStates`).
 *
 * @example
 * await states.save({ key: "run-17", state: { status: "running" } });
 */
export const states: States = createStates();

type CheckpointMethod =
	| "appendCheckpoint"
	| "latestCheckpoint"
	| "listCheckpoints"
	| "restoreCheckpoint"
	| "pruneCheckpoints";

/** The methods for the states themselves; what they promise is said at `States`. */
function stateMethods(transport: Transport, versions: Versions): Omit<States, CheckpointMethod> {
	return {
		async save(input, options) {
			const args = readArguments("save", input, ["key", "state", "version", "expectedRevision"]);
			const key = checkId("key", args.key);
			const version = checkVersion(args.version) ?? versions.version ?? 0;
			const content = { state: captureState(args.state), version, ...checkRevision(args.expectedRevision) };
			return transport.request(saveOperation({ key, ...content }), options);
		},

		async load(input, options) {
			const key = readKey("load", input);
			const snapshot = await transport.request(
				{ document: StateDocument, variables: { key }, retry: "always", read: ({ state }) => state },
				options,
			);
			return snapshot && migrate(versions, snapshot);
		},

		async has(input, options) {
			const key = readKey("has", input);
			return transport.request(
				{ document: HasStateDocument, variables: { key }, retry: "always", read: ({ state }) => state !== null },
				options,
			);
		},

		async delete(input, options) {
			const key = readKey("delete", input);
			await transport.request(
				{
					document: DeleteStateDocument,
					variables: { input: { key } },
					retry: "unexecuted",
					read: (data) => data.deleteState?.key,
				},
				options,
			);
		},

		async list(input, options) {
			const { limit, cursor } = readOptionalArguments("list", input, ["limit", "cursor"]);
			return transport.request(
				{
					document: StatesDocument,
					variables: { ...checkLimit(limit), ...checkCursor(cursor) },
					retry: "always",
					read: (data) => toPage(data.states),
				},
				options,
			);
		},
	};
}

/** The methods for checkpoints; what they promise is said at `States`. */
function checkpointMethods(transport: Transport, versions: Versions): Pick<States, CheckpointMethod> {
	return {
		async appendCheckpoint(input, options) {
			const args = readArguments("appendCheckpoint", input, ["key", "state", "version"]);
			const key = checkId("key", args.key);
			const version = checkVersion(args.version) ?? versions.version ?? 0;
			return transport.request(
				{
					document: AppendStateCheckpointDocument,
					variables: { input: { key, state: captureState(args.state), version, operationId: newId() } },
					retry: "always",
					read: (data) => data.appendStateCheckpoint ?? undefined,
				},
				options,
			);
		},

		async latestCheckpoint(input, options) {
			const key = readKey("latestCheckpoint", input);
			const checkpoint = await transport.request(readCheckpoint(key, undefined), options);
			return checkpoint && migrate(versions, checkpoint);
		},

		async listCheckpoints(input, options) {
			const args = readArguments("listCheckpoints", input, ["key", "limit", "cursor"]);
			const key = checkId("key", args.key);
			return transport.request(
				{
					document: StateCheckpointsDocument,
					variables: { key, ...checkLimit(args.limit), ...checkCursor(args.cursor) },
					retry: "always",
					read: (data) => toPage(data.stateCheckpoints),
				},
				options,
			);
		},

		async restoreCheckpoint(input, options) {
			const args = readArguments("restoreCheckpoint", input, ["key", "seq", "expectedRevision"]);
			const key = checkId("key", args.key);
			const seq = checkSeq(args.seq);
			const precondition = checkRevision(args.expectedRevision);
			return transport.call(options, async ({ send }) => {
				const checkpoint = await send(readCheckpoint(key, seq));
				if (checkpoint === null) throw unknownCheckpoint(key, seq);
				const { state, version } = await migrate(versions, checkpoint);
				const saved = await send(saveOperation({ key, state, version, ...precondition }));
				return { ...saved, state, version };
			});
		},

		async pruneCheckpoints(input, options) {
			const args = readArguments("pruneCheckpoints", input, ["key", "keep"]);
			const key = checkId("key", args.key);
			return transport.request(
				{
					document: PruneStateCheckpointsDocument,
					variables: { input: { key, keep: checkKeep(args.keep) } },
					retry: "always",
					read: (data) => data.pruneStateCheckpoints ?? undefined,
				},
				options,
			);
		},
	};
}

function saveOperation(input: { key: string; state: JsonObject; version: number; expectedRevision?: string }) {
	return {
		document: SaveStateDocument,
		// Fixed here, before the first attempt, so that a save whose answer was lost is not done again.
		variables: { input: { ...input, operationId: newId() } },
		retry: "always" as const,
		read: (data: { saveState: { key: string; revision: string; updatedAt: string } | null }) =>
			data.saveState ?? undefined,
	};
}

function readCheckpoint(key: string, seq: string | undefined) {
	return {
		document: StateCheckpointDocument,
		variables: { key, ...(seq === undefined ? {} : { seq }) },
		retry: "always" as const,
		read: (data: { stateCheckpoint: StateCheckpoint | null }) => data.stateCheckpoint,
	};
}

function unknownCheckpoint(key: string, seq: string | undefined): StoreError {
	const which = seq === undefined ? "A checkpoint" : `Checkpoint ${seq}`;
	return new StoreError({ code: "NotFound", message: `${which} of state ${JSON.stringify(key)} does not exist` });
}

/** Reads the arguments of a method that takes a key alone. */
export function readKey(method: string, input: unknown): string {
	return checkId("key", readArguments(method, input, ["key"]).key);
}

/** Captures a state, which is at most as large as a message (rule VAL-7). */
export function captureState(value: unknown): JsonObject {
	const captured = captureMetadata("state", value);
	if (captured.maxBytes > LIMITS.messageBytes && jsonBytes(captured.value) > LIMITS.messageBytes) {
		throw payloadTooLarge("state", LIMITS.messageBytes);
	}
	return captured.value;
}

/** Checks the precondition of saves: a revision, `"0"` where nothing may be saved yet. */
export function checkRevision(value: unknown): { expectedRevision?: string } {
	if (value == null) return {};
	if (typeof value !== "string" || !/^\d{1,19}$/.test(value)) {
		throw badRequest("expectedRevision", 'must be a revision as a decimal string, such as "12"');
	}
	return { expectedRevision: value };
}

function checkSeq(value: unknown): string | undefined {
	if (value == null) return undefined;
	if (typeof value !== "string" || !/^\d{1,19}$/.test(value)) {
		throw badRequest("seq", 'must be a seq as a decimal string, such as "12"');
	}
	return value;
}

function checkKeep(value: unknown): number {
	if (typeof value !== "number" || !Number.isInteger(value) || value < 0 || value > 2 ** 31 - 1) {
		throw badRequest("keep", "must be an integer of at least 0");
	}
	return value;
}
