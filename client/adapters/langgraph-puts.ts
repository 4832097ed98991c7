import { StoreError } from "../errors.ts";
import {
	type CheckpointFieldsFragment,
	PutCheckpointDocument,
	type PutCheckpointInput,
	PutCheckpointWritesDocument,
	type PutCheckpointWritesInput,
	type SerializedValueInput,
} from "../generated/operations.ts";
import type { Transport } from "../transport.ts";
import { type Base, Bases, baseOf, cutPieces, type Pieces, resembles } from "./langgraph-pieces.ts";
import { pack, type Serialized, toBase64, unpack } from "./langgraph-values.ts";

/** A channel at its new version: with a value, or empty. */
export interface Change {
	channel: string;
	version: string;
	value?: Serialized;
}

/** A change that is ready to be sent. */
interface Packed {
	channel: string;
	version: string;
	/** Of a value in pieces, what follows them. */
	value?: SerializedValueInput;
	/** What the value consists of, where it was worth cutting. */
	cut?: Pieces;
	inPieces: boolean;
	base: Base | undefined;
}

/** Writes of a task that wait to be sent, and whoever waits for them. */
interface Waiting {
	input: PutCheckpointWritesInput;
	resolve: (sent: Promise<unknown>) => void;
}

/** What of a thread is on its way. */
interface Traffic {
	/** Checkpoints that are packed or sent at the moment. */
	puts: number;
	waiting: Waiting[];
}

type PutInput = Omit<PutCheckpointInput, "values" | "pieces" | "taskWrites">;

/** Characters of writes that go along with a checkpoint: together they stay far below what a request may have. */
const MOST_ALONG = 4 * 1024 * 1024;

/**
 * Sends checkpoints and writes in few and small requests. Of a channel's value it sends what the last known version has
 * not. Writes go along with the next checkpoint of their thread where one is at hand: tasks end when a step ends, and
 * then the framework puts a checkpoint.
 */
export class CheckpointPuts {
	readonly #transport: Transport;
	readonly #bases = new Bases();
	readonly #threads = new Map<string, Traffic>();

	constructor(transport: Transport) {
		this.#transport = transport;
	}

	/** Sends a checkpoint once it is serialised, with the channels that changed. */
	async put(threadId: string, serializing: Promise<readonly [PutInput, readonly Change[]]>): Promise<void> {
		const traffic = this.#trafficOf(threadId);
		traffic.puts++;
		try {
			const [input, changes] = await serializing;
			const packed = await Promise.all(changes.map((change) => this.#pack(input, change)));
			await this.#putAlong(input, packed, takeAlong(traffic));
		} finally {
			traffic.puts--;
			this.#sendLater(threadId, traffic);
		}
	}

	/** Sends the writes of a task. */
	async putWrites(input: PutCheckpointWritesInput): Promise<void> {
		const traffic = this.#trafficOf(input.threadId);
		await new Promise((resolve) => {
			traffic.waiting.push({ input, resolve });
			this.#sendLater(input.threadId, traffic);
		});
	}

	/** Learns what the gateway has from what it has given. */
	async learn(found: CheckpointFieldsFragment, versions: Record<string, unknown>): Promise<void> {
		for (const { channel, value } of found.values) {
			const key = keyOf(found, channel);
			const version = String(versions[channel]);
			if (this.#bases.get(key)?.version === version) continue;
			const cut = cutPieces(await unpack(value));
			if (cut !== undefined) this.#bases.set(key, baseOf(version, cut, value.encoding === "IDENTITY"));
		}
	}

	/** A value goes in pieces where the version before has most of them: of others they would only be more to store. */
	async #pack(place: Place, { value, ...change }: Change): Promise<Packed> {
		const base = this.#bases.get(keyOf(place, change.channel));
		if (value === undefined) return { ...change, inPieces: false, base };
		const cut = cutPieces(value.bytes);
		if (cut === undefined) return { ...change, value: await pack(value), inPieces: false, base };
		if (!resembles(cut, base)) return { ...change, value: await pack(value), cut, inPieces: false, base };
		const rest = { type: value.type, encoding: "IDENTITY", data: toBase64(cut.rest) } as const;
		return { ...change, value: rest, cut, inPieces: true, base };
	}

	#trafficOf(threadId: string): Traffic {
		const known = this.#threads.get(threadId);
		if (known !== undefined) return known;
		const traffic = { puts: 0, waiting: [] };
		this.#threads.set(threadId, traffic);
		return traffic;
	}

	/** Sends what waits by itself, unless a checkpoint of the thread comes before this turn of the event loop is over. */
	#sendLater(threadId: string, traffic: Traffic): void {
		afterThisTurn(() => {
			if (traffic.puts > 0) return;
			for (const { input, resolve } of traffic.waiting.splice(0)) resolve(this.#sendWrites(input));
			if (this.#threads.get(threadId) === traffic) this.#threads.delete(threadId);
		});
	}

	/** Puts a checkpoint with writes; where that is refused, each by itself, so that each has an answer of its own. */
	async #putAlong(input: PutInput, changes: readonly Packed[], along: readonly Waiting[]): Promise<void> {
		const sending = this.#putChanged(input, changes, along);
		for (const { input: writes, resolve } of along) {
			resolve(sending.catch((error: unknown) => (isRefusal(error) ? this.#sendWrites(writes) : Promise.reject(error))));
		}
		try {
			await sending;
		} catch (error) {
			if (along.length === 0 || !isRefusal(error)) throw error;
			await this.#putChanged(input, changes, []);
		}
	}

	/** Puts a checkpoint without what the gateway has of it. */
	async #putChanged(input: PutInput, changes: readonly Packed[], along: readonly Waiting[]): Promise<void> {
		const taskWrites = along.map(({ input: { threadId: _, ...writes } }) => writes);
		const lent = changes.some(({ inPieces, base }) => inPieces && base?.stored);
		await this.#transport.call(undefined, async ({ send }) => {
			const put = (lend: boolean) =>
				send({
					document: PutCheckpointDocument,
					variables: { input: { ...input, ...valuesOf(changes, lend), taskWrites } },
					retry: "always",
					read: (data) => data.putCheckpoint?.checkpointId,
				});
			try {
				return await put(lent);
			} catch (error) {
				// Another process pruned or deleted what this one knew of.
				if (!lent || !(error instanceof StoreError) || error.code !== "Conflict") throw error;
				return put(false);
			}
		});
		for (const { channel, version, cut, inPieces } of changes) {
			if (cut !== undefined) this.#bases.set(keyOf(input, channel), baseOf(version, cut, inPieces));
		}
	}

	#sendWrites(input: PutCheckpointWritesInput): Promise<unknown> {
		return this.#transport.request(
			{
				document: PutCheckpointWritesDocument,
				variables: { input },
				retry: "always",
				read: (data) => data.putCheckpointWrites?.checkpointId,
			},
			undefined,
		);
	}
}

type Place = Pick<PutCheckpointInput, "threadId" | "checkpointNs">;

function keyOf({ threadId, checkpointNs }: Place, channel: string): string {
	return JSON.stringify([threadId, checkpointNs, channel]);
}

/** What was certainly not stored because of what it is. */
function isRefusal(error: unknown): boolean {
	return error instanceof StoreError && ["BadRequest", "Conflict", "PayloadTooLarge"].includes(error.code);
}

function afterThisTurn(work: () => void): void {
	const { setImmediate: soon } = globalThis;
	if (soon === undefined) setTimeout(work);
	else soon(work);
}

/** Takes the writes that wait, as many as one request can have besides its checkpoint. */
function takeAlong({ waiting }: Traffic): Waiting[] {
	let characters = 0;
	const end = waiting.findIndex(({ input }) => {
		characters += input.writes.reduce((sum, { value }) => sum + value.data.length, 0);
		return characters > MOST_ALONG;
	});
	return waiting.splice(0, end === -1 ? waiting.length : end);
}

/** What is sent of the changes: without pieces that their bases have, where these lend them. */
function valuesOf(changes: readonly Packed[], lend: boolean): Pick<PutCheckpointInput, "values" | "pieces"> {
	const sent = new Map<string, string>();
	const values = changes.map(({ cut, inPieces, base, ...change }) => {
		if (cut === undefined || !inPieces) return change;
		const lender = lend && base?.stored ? base : undefined;
		for (const { name, bytes } of cut.pieces) {
			if (lender?.names.has(name) !== true && !sent.has(name)) sent.set(name, toBase64(bytes));
		}
		return { ...change, pieces: cut.pieces.map(({ name }) => name), base: lender?.version };
	});
	return { values, pieces: [...sent.values()] };
}
