import {
	BaseCheckpointSaver,
	type ChannelVersions,
	type Checkpoint,
	type CheckpointListOptions,
	type CheckpointMetadata,
	type CheckpointPendingWrite,
	type CheckpointTuple,
	type DeltaChannelHistory,
	getCheckpointId,
	maxChannelVersion,
	type PendingWrite,
	TASKS,
	WRITES_IDX_MAP,
} from "@langchain/langgraph-checkpoint";
import { badRequest } from "../errors.ts";
import {
	ChannelHistoriesDocument,
	CheckpointDocument,
	type CheckpointFieldsFragment,
	CheckpointsDocument,
	DeleteCheckpointThreadDocument,
	PruneCheckpointThreadDocument,
	type WriteFieldsFragment,
} from "../generated/operations.ts";
import { checkId, readArguments, readOptionalArguments } from "../input.ts";
import { toPage } from "../pages.ts";
import { store as ownStore, type Store } from "../store.ts";
import type { Transport } from "../transport.ts";
import type { Page } from "../types.ts";
import { CheckpointPuts } from "./langgraph-puts.ts";
import { packValue, projectJson, type Serializer, serialize, unpackValue } from "./langgraph-values.ts";
import { adapterTransport } from "./limiter.ts";

/** Options of `createCheckpointer`. */
export interface CheckpointerOptions {
	/** A store of `createStore`, for another project than the application's own. */
	store?: Store | null | undefined;
}

/** How much of a thread `pruneThread` keeps. */
export interface PruneOptions {
	/** How many checkpoints of each namespace stay, at least 1. */
	keep: number;
}

/**
 * Keeps the checkpoints of LangGraph and DeepAgents, as `compile({ checkpointer })` and `createDeepAgent` take it.
 * Checkpoints are neither conversations nor messages: no method of the Store shows or clears them.
 *
 * Everything that goes to the gateway is repeated after a failure, which its keys make safe. Rejections of the gateway
 * are `StoreError`s; values that the serialiser cannot write reject with the serialiser's own error.
 */
export interface Checkpointer extends BaseCheckpointSaver {
	/**
	 * Deletes all checkpoints, values and writes of a thread, in all its namespaces, at once. An unknown thread is a
	 * success. Await the thread's runs first: a write that arrives later begins the thread anew, with that write alone.
	 *
	 * @throws StoreError `BadRequest` for a thread id that is not 1–256 UTF-8 bytes.
	 * @example
	 * await checkpointer.deleteThread("support-4711");
	 */
	deleteThread(threadId: string): Promise<void>;
	/**
	 * Deletes the checkpoints of a thread but the newest `keep` of each namespace and those from whose writes these
	 * are rebuilt (delta channels), and the values that only the deleted ones held. The kept ones lose nothing; time
	 * travel ends at the oldest of them. Await the thread's runs first: one that still stands on a deleted checkpoint
	 * would lose what it did not change.
	 *
	 * @returns How many checkpoints were deleted; after a repeated attempt, by the last one.
	 * @throws StoreError `BadRequest`.
	 * @example
	 * const { removed } = await checkpointer.pruneThread("support-4711", { keep: 10 });
	 */
	pruneThread(threadId: string, options: PruneOptions): Promise<{ removed: number }>;
}

type Config = Parameters<BaseCheckpointSaver["getTuple"]>[0];

/** What a config says about where a checkpoint belongs. */
interface Place {
	threadId: string;
	checkpointNs: string;
}

/** More than fit into a page only cost further requests. */
const PAGE_SIZE = 50;
const MAX_INT = 2 ** 31 - 1;

/**
 * Versions sort among themselves, and after every integer, both as strings and as numbers: a thread that was copied
 * from another saver goes on counting where it stopped. The random digits keep branches of one thread apart, for the
 * values of channels are found by version.
 */
const VERSION_PREFIX = "9999999999";
const COUNTER_DIGITS = 16;

class StoreCheckpointer extends BaseCheckpointSaver implements Checkpointer {
	readonly #transport: Transport;
	readonly #puts: CheckpointPuts;

	constructor(serde: Serializer | undefined, transport: Transport) {
		super(serde);
		this.#transport = transport;
		this.#puts = new CheckpointPuts(transport);
	}

	async getTuple(config: Config): Promise<CheckpointTuple | undefined> {
		const place = readPlace(config);
		if (place === undefined) return undefined;
		const found = await this.#transport.request(
			{
				document: CheckpointDocument,
				variables: { ...place, ...readCheckpointId(config) },
				retry: "always",
				read: (data) => data.checkpoint,
			},
			undefined,
		);
		if (found === null) return undefined;
		const tuple = await this.#toTuple(found);
		await this.#puts.learn(found, tuple.checkpoint.channel_versions);
		return tuple;
	}

	async *list(config: Config, options: CheckpointListOptions = {}): AsyncGenerator<CheckpointTuple> {
		const { thread_id: threadId, checkpoint_ns: checkpointNs } = config?.configurable ?? {};
		const variables = {
			...(threadId === undefined ? {} : { threadId: checkId("thread_id", threadId) }),
			...(checkpointNs === undefined ? {} : { checkpointNs: checkString("checkpoint_ns", checkpointNs) }),
			...readCheckpointId(config),
			beforeCheckpointId: readCheckpointId(options.before).checkpointId,
			filter: projectJson("filter", options.filter),
		};
		let left = options.limit ?? Number.POSITIVE_INFINITY;
		let cursor: string | null | undefined;
		while (left > 0 && cursor !== null) {
			const page: Page<CheckpointFieldsFragment> = await this.#transport.request(
				{
					document: CheckpointsDocument,
					variables: { ...variables, first: Math.min(left, PAGE_SIZE), after: cursor },
					retry: "always",
					read: (data) => toPage(data.checkpoints),
				},
				undefined,
			);
			for (const item of page.items) yield await this.#toTuple(item);
			left -= page.items.length;
			cursor = page.nextCursor;
		}
	}

	async put(
		config: Config,
		checkpoint: Checkpoint,
		metadata: CheckpointMetadata,
		newVersions: ChannelVersions,
	): Promise<Config> {
		const place = requirePlace(config);
		const { channel_values: values, ...rest } = checkpoint;
		const parent = config.configurable?.["checkpoint_id"] as unknown;
		const target = {
			...place,
			checkpointId: checkId("checkpoint.id", checkpoint.id),
			parentCheckpointId: parent == null ? null : checkId("checkpoint_id", parent),
			format: checkpoint.v,
			metadataJson: projectJson("metadata", metadata),
			channelVersions: Object.entries(checkpoint.channel_versions).map(([channel, version]) => ({
				channel,
				version: String(version),
			})),
		};
		// All of it is serialised before anything is awaited, so that later changes of the state do not show.
		const serializing = Promise.all([
			Promise.all([packValue(this.serde, rest), packValue(this.serde, metadata)]),
			Promise.all(
				Object.entries(newVersions).map(async ([channel, version]) => ({
					channel,
					version: String(version),
					...(Object.hasOwn(values, channel) ? { value: await serialize(this.serde, values[channel]) } : {}),
				})),
			),
		]);
		await this.#puts.put(
			place.threadId,
			serializing.then(([[packed, packedMetadata], changes]) => [
				{ ...target, checkpoint: packed, metadata: packedMetadata },
				changes,
			]),
		);
		return {
			configurable: { thread_id: place.threadId, checkpoint_ns: place.checkpointNs, checkpoint_id: checkpoint.id },
		};
	}

	async putWrites(config: Config, writes: PendingWrite[], taskId: string, taskPath = ""): Promise<void> {
		const place = requirePlace(config);
		const checkpointId = checkId("checkpoint_id", config.configurable?.["checkpoint_id"]);
		// The framework asks to store nothing, too.
		if (writes.length === 0) return;
		const packed = await Promise.all(
			writes.map(async ([channel, value], index) => ({
				// Special channels have an index of their own, whose write replaces the one before.
				idx: Object.hasOwn(WRITES_IDX_MAP, channel) ? WRITES_IDX_MAP[channel]! : index,
				channel,
				value: await packValue(this.serde, value),
			})),
		);
		await this.#puts.putWrites({ ...place, checkpointId, taskId, taskPath, writes: packed });
	}

	async deleteThread(threadId: string): Promise<void> {
		await this.#transport.request(
			{
				document: DeleteCheckpointThreadDocument,
				variables: { input: { threadId: checkId("threadId", threadId) } },
				retry: "always",
				read: (data) => data.deleteCheckpointThread?.threadId,
			},
			undefined,
		);
	}

	async pruneThread(threadId: string, options: PruneOptions): Promise<{ removed: number }> {
		const { keep } = readArguments("pruneThread", options, ["keep"]);
		if (typeof keep !== "number" || !Number.isInteger(keep) || keep < 1 || keep > MAX_INT) {
			throw badRequest("keep", `must be an integer from 1 to ${MAX_INT}`);
		}
		const removed = await this.#transport.request(
			{
				document: PruneCheckpointThreadDocument,
				variables: { input: { threadId: checkId("threadId", threadId), keep } },
				retry: "always",
				read: (data) => data.pruneCheckpointThread?.removed,
			},
			undefined,
		);
		return { removed };
	}

	override async getDeltaChannelHistory({
		config,
		channels,
	}: {
		config: Config;
		channels: string[];
	}): Promise<Record<string, DeltaChannelHistory>> {
		const place = readPlace(config);
		if (place === undefined || channels.length === 0) {
			return Object.fromEntries(channels.map((channel) => [channel, { writes: [] }]));
		}
		const histories = await this.#transport.request(
			{
				document: ChannelHistoriesDocument,
				variables: { ...place, ...readCheckpointId(config), channels },
				retry: "always",
				read: (data) => data.channelHistories ?? undefined,
			},
			undefined,
		);
		const entries = histories.map(async ({ channel, writes, seed }): Promise<[string, DeltaChannelHistory]> => {
			const loaded = await this.#loadWrites(writes);
			return [
				channel,
				seed === null ? { writes: loaded } : { writes: loaded, seed: await unpackValue(this.serde, seed) },
			];
		});
		return Object.fromEntries(await Promise.all(entries));
	}

	/** The framework only compares versions and hands them back, but its type knows numbers alone. */
	override getNextVersion(current: number | string | undefined): number {
		const text = current === undefined ? "0" : String(current);
		const own = text.length > VERSION_PREFIX.length + COUNTER_DIGITS && text.startsWith(VERSION_PREFIX);
		const [counter = ""] = (own ? text.slice(VERSION_PREFIX.length) : text).split(".");
		const next = (BigInt(/^\d+$/.test(counter) ? counter : 0) + 1n).toString().padStart(COUNTER_DIGITS, "0");
		return `${VERSION_PREFIX}${next}.${randomDigits()}` as unknown as number;
	}

	async #toTuple(found: CheckpointFieldsFragment): Promise<CheckpointTuple> {
		const { threadId, checkpointNs, checkpointId, parentCheckpointId } = found;
		const [checkpoint, metadata, values, sends, pendingWrites] = await Promise.all([
			unpackValue(this.serde, found.checkpoint) as Promise<Checkpoint>,
			unpackValue(this.serde, found.metadata) as Promise<CheckpointMetadata>,
			Promise.all(found.values.map(async ({ channel, value }) => [channel, await unpackValue(this.serde, value)])),
			Promise.all(found.sends.map((send) => unpackValue(this.serde, send))),
			this.#loadWrites(found.writes),
		]);
		checkpoint.channel_values = Object.fromEntries(values) as Record<string, unknown>;
		if (checkpoint.v < 4 && parentCheckpointId !== null) this.#moveSends(checkpoint, sends);
		const place = { thread_id: threadId, checkpoint_ns: checkpointNs };
		return {
			config: { configurable: { ...place, checkpoint_id: checkpointId } },
			checkpoint,
			metadata,
			pendingWrites,
			...(parentCheckpointId === null
				? {}
				: { parentConfig: { configurable: { ...place, checkpoint_id: parentCheckpointId } } }),
		};
	}

	/** Checkpoints of older formats kept what tasks sent beside the parent; now it is a channel. */
	#moveSends(checkpoint: Checkpoint, sends: unknown[]): void {
		const versions = Object.values(checkpoint.channel_versions);
		checkpoint.channel_values[TASKS] = sends;
		checkpoint.channel_versions[TASKS] =
			versions.length === 0 ? this.getNextVersion(undefined) : maxChannelVersion(...versions);
	}

	#loadWrites(writes: readonly WriteFieldsFragment[]): Promise<CheckpointPendingWrite[]> {
		return Promise.all(
			writes.map(
				async ({ taskId, channel, value }): Promise<CheckpointPendingWrite> => [
					taskId,
					channel,
					await unpackValue(this.serde, value),
				],
			),
		);
	}
}

/**
 * Creates the checkpointer of the application's own project; nothing is read or sent before a graph runs. Any number
 * of instances, in any number of processes, share the threads.
 *
 * @param serde Turns values into bytes, in place of the framework's own serialiser. All that read a thread need the same.
 * @param options `store`: a store of `createStore`, for another project.
 * @throws StoreError `BadRequest` for an unknown or invalid argument.
 * @example
 * const graph = builder.compile({ checkpointer: createCheckpointer() });
 * await graph.invoke(input, { configurable: { thread_id: "support-4711" } });
 */
export function createCheckpointer(serde?: Serializer | null, options?: CheckpointerOptions | null): Checkpointer {
	const { store } = readOptionalArguments("createCheckpointer", options, ["store"]);
	const { dumpsTyped, loadsTyped } = serde ?? { dumpsTyped: undefined, loadsTyped: undefined };
	if (serde != null && (typeof dumpsTyped !== "function" || typeof loadsTyped !== "function")) {
		throw badRequest("serde", "must have the methods dumpsTyped and loadsTyped");
	}
	if (store != null && typeof store !== "object")
		throw badRequest("store", "must come from createStore of this package");
	return new StoreCheckpointer(serde ?? undefined, adapterTransport((store ?? ownStore) as Store));
}

function requirePlace(config: Config): Place {
	const place = readPlace(config);
	if (place === undefined) {
		throw badRequest("thread_id", 'is required: run the graph with { configurable: { thread_id: "…" } }');
	}
	return place;
}

function readPlace(config: Config): Place | undefined {
	const { thread_id: threadId, checkpoint_ns: checkpointNs } = config?.configurable ?? {};
	if (threadId === undefined) return undefined;
	return {
		threadId: checkId("thread_id", threadId),
		checkpointNs: checkString("checkpoint_ns", checkpointNs ?? ""),
	};
}

function readCheckpointId(config: Config | undefined): { checkpointId?: string } {
	const id: unknown = config === undefined ? undefined : getCheckpointId(config);
	return id === undefined || id === "" ? {} : { checkpointId: checkId("checkpoint_id", id) };
}

function checkString(field: string, value: unknown): string {
	if (typeof value !== "string") throw badRequest(field, "must be a string");
	return value;
}

function randomDigits(): string {
	const [high = 0, low = 0] = crypto.getRandomValues(new Uint32Array(2));
	return `${high % 1e8}`.padStart(8, "0") + `${low % 1e8}`.padStart(8, "0");
}
