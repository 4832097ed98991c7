import { reaches } from "../domain/access.ts";
import { Fault, type FaultCode } from "../domain/faults.ts";
import { checkId } from "../domain/ids.ts";
import type { Limits } from "../domain/limits.ts";
import { checkLast, NOWHERE, openPosition, sealPosition, type TailEvent, type TailPlace } from "../domain/tails.ts";
import type { Statement } from "./database.ts";
import { Hints, hintKey } from "./hints.ts";
import { pageOf } from "./message-pages.ts";
import { type MessageRow, toMessage } from "./messages.ts";
import { allRows } from "./paths.ts";
import type { Scope } from "./scope.ts";
import { Turns } from "./turns.ts";

/** What somebody wants to follow, and from where. */
export interface TailInput {
	conversationId: string;
	/** A position; omitted: the first message. */
	after?: string | null | undefined;
	/** Without a position, how many of the newest messages to begin with. */
	last?: number | null | undefined;
}

/** The events of one tail. It goes on until it is left, or fails with the fault that tells why it ends. */
export type Tail = AsyncIterableIterator<TailEvent>;

// By seq, up to the last one that the same snapshot shows; since none smaller appears later (rule MSG-2), what follows
// a seq is complete.
const READ: Statement = {
	name: "tail_read",
	text: `SELECT c.incarnation, c.last_seq, page.* FROM conversations c
		LEFT JOIN LATERAL (${pageOf(
			allRows({ high: "c.last_seq", order: "asc", after: "$3::bigint", limit: "$4::int + 1" }),
			"asc",
			"$4::int",
			"$5::bigint",
		)}) AS page ON true
		WHERE c.project_id = $1 AND c.conversation_id = $2
		ORDER BY page.position`,
};

type ReadRow = { incarnation: string; last_seq: string } & (MessageRow | { message_id: null });

/** What one read holds at most: little, for it is kept while a slow reader takes it. */
const PAGE = { messages: 50, bytes: 1_048_576 };
const LAST_SEQ = "9223372036854775807";

/** Reads that run at once, so that the tails of a busy conversation leave connections to the others. */
const READERS = 4;

/** Failures of the database that pass; the tail stays and looks again. */
const PASSING: readonly FaultCode[] = ["ServiceUnavailable", "TooManyRequests", "TimeoutError"];

/** Tells that a conversation may have changed, until it is left. */
export interface Changes {
	/** Resolves at a hint, also at one that came since the last wait; when it is time to look anyhow, after `ms` at the latest; and when it is left. */
	wait(ms: number): Promise<void>;
	leave(): void;
}

interface TailsOptions {
	/** Where to listen for other gateways' hints; see `Hints`. */
	listenUrl: string | undefined;
	limits: Pick<Limits, "tailPollMs">;
	/** Told when the connection for hints breaks. */
	onError: (error: Error) => void;
}

/** The live tails of a gateway. */
export class Tails {
	readonly #hints: Hints;
	readonly #pollMs: number;
	readonly #watches = new Map<string, Set<Watch>>();
	readonly #readers = new Turns(READERS, { waitingCalls: Number.POSITIVE_INFINITY, waitingMs: 2 ** 31 - 1 });
	#isEnded = false;
	#count = 0;

	constructor({ listenUrl, limits, onError }: TailsOptions) {
		this.#pollMs = limits.tailPollMs;
		this.#hints = new Hints({ url: listenUrl, onError, onHint: (keys) => this.#wake(keys) });
	}

	/** Tails that are being read. */
	get count(): number {
		return this.#count;
	}

	/** Tells all gateways that a conversation got or lost messages; to be called once that is committed. */
	announce(projectId: string, conversationId: string): void {
		this.#hints.give(hintKey(projectId, conversationId));
	}

	/**
	 * Follows a conversation. One that is not there, or that the credential does not reach, is waited for. `verify` is
	 * asked before each look, and throws once the credential has ended.
	 */
	open(scope: Scope, input: TailInput, verify: () => Promise<unknown>): Tail {
		const { identity, limits } = scope;
		const conversationId = checkId("conversationId", input.conversationId, limits.idBytes);
		const { after } = input;
		const last = checkLast("last", input);
		const start = after == null ? NOWHERE : openPosition("after", identity.cursorKey, conversationId, after);
		const watch = new Watch();
		const events = this.#follow(scope, { conversationId, start, last, verify, watch });
		return {
			[Symbol.asyncIterator]() {
				return this;
			},
			next: () => events.next(),
			// A generator that waits would end only after its wait.
			return: () => {
				watch.leave();
				return events.return(undefined);
			},
		};
	}

	/** Begins to hear of changes of a conversation, for somebody who looks by itself. */
	watch(projectId: string, conversationId: string): Changes {
		const key = hintKey(projectId, conversationId);
		const watch = new Watch();
		this.#add(key, watch);
		this.#hints.open();
		return {
			wait: (ms) => watch.wait(Math.min(ms, this.#pollMs)),
			leave: () => {
				watch.leave();
				this.#remove(key, watch);
			},
		};
	}

	/** Ends all tails with ServiceUnavailable; those of other gateways go on, and hear what is still announced. */
	end(): void {
		this.#isEnded = true;
		this.#wake(undefined);
	}

	/** Ends all tails, passes on what was announced, and disconnects. */
	async close(): Promise<void> {
		this.end();
		await this.#hints.close();
	}

	async *#follow(scope: Scope, tail: Followed): AsyncGenerator<TailEvent, undefined> {
		const { conversationId, watch } = tail;
		const { cursorKey, projectId } = scope.identity;
		const key = hintKey(projectId, conversationId);
		let place = tail.start;
		const at = (where: TailPlace) => sealPosition(cursorKey, conversationId, where);
		const event = (kind: "opened" | "reset"): TailEvent => ({ kind, position: at(place), message: null });
		this.#add(key, watch);
		this.#hints.open();
		this.#count += 1;
		try {
			let isOpened = false;
			while (!watch.isLeft) {
				if (this.#isEnded) throw new Fault("ServiceUnavailable", "The gateway is shutting down", { retryAfter: 1 });
				const page = await this.#read(scope, tail, isOpened || tail.last === null ? place.seq : LAST_SEQ);
				if (page === undefined) {
					await watch.wait(this.#pollMs);
					continue;
				}
				const { incarnation, lastSeq, messages, isWhole } = page;
				if (!isOpened) {
					isOpened = true;
					if (tail.last !== null) place = { incarnation, seq: seqBefore(lastSeq, tail.last) };
					yield event("opened");
					if (tail.last !== null && tail.last > 0) continue;
				}
				if (place.incarnation !== incarnation && place.incarnation !== "") {
					place = NOWHERE;
					yield event("reset");
					continue;
				}
				for (const message of messages) {
					place = { incarnation, seq: message.seq };
					yield { kind: "message", position: at(place), message };
				}
				if (isWhole) await watch.wait(this.#pollMs);
			}
		} finally {
			this.#count -= 1;
			this.#remove(key, watch);
		}
	}

	/** What follows a seq; undefined where the database cannot tell at the moment. */
	async #read(scope: Scope, { conversationId, verify }: Followed, seq: string): Promise<ReadPage | undefined> {
		const { db, identity } = scope;
		const leave = await this.#readers.take({ project: identity.projectId });
		try {
			await verify();
			if (!reaches(identity, conversationId)) return ABSENT;
			const values = [identity.projectId, conversationId, seq, PAGE.messages, PAGE.bytes];
			const rows = await db.read<ReadRow & { fetched: string }>(READ, values);
			const [head] = rows;
			if (head === undefined) return ABSENT;
			const messages = rows.filter((row) => row.message_id !== null).map(toMessage);
			const isWhole = messages.length === 0 || Number(head.fetched) === messages.length;
			return { incarnation: head.incarnation, lastSeq: head.last_seq, messages, isWhole };
		} catch (error) {
			if (error instanceof Fault && PASSING.includes(error.code)) return undefined;
			throw error;
		} finally {
			leave();
		}
	}

	#wake(keys: readonly string[] | undefined): void {
		for (const key of keys ?? this.#watches.keys()) for (const watch of this.#watches.get(key) ?? []) watch.wake();
	}

	#add(key: string, watch: Watch): void {
		const watches = this.#watches.get(key) ?? new Set();
		this.#watches.set(key, watches.add(watch));
	}

	#remove(key: string, watch: Watch): void {
		const watches = this.#watches.get(key);
		watches?.delete(watch);
		if (watches?.size === 0) this.#watches.delete(key);
	}
}

interface Followed {
	conversationId: string;
	start: TailPlace;
	last: number | null;
	verify: () => Promise<unknown>;
	watch: Watch;
}

interface ReadPage {
	incarnation: string;
	lastSeq: string;
	messages: ReturnType<typeof toMessage>[];
	/** Whether nothing followed. */
	isWhole: boolean;
}

const ABSENT: ReadPage = { incarnation: "", lastSeq: "0", messages: [], isWhole: true };

function seqBefore(lastSeq: string, count: number): string {
	const seq = BigInt(lastSeq) - BigInt(count);
	return String(seq < 0n ? 0n : seq);
}

/** What one tail waits with. */
class Watch {
	/** Whether a hint came since the last wait ended. */
	#isHinted = false;
	#isLeft = false;
	#stop = () => {};

	/** Whether nobody reads any more. */
	get isLeft(): boolean {
		return this.#isLeft;
	}

	wake(): void {
		this.#isHinted = true;
		this.#stop();
	}

	leave(): void {
		this.#isLeft = true;
		this.#stop();
	}

	/** Resolves at a hint, also at one that came before; after a while; and when it is left. */
	async wait(ms: number): Promise<void> {
		if (!this.#isHinted && !this.#isLeft) {
			await new Promise<void>((resolve) => {
				// Tails that were opened together need not look together.
				const timer = setTimeout(resolve, ms * (0.75 + Math.random() / 4));
				this.#stop = () => {
					clearTimeout(timer);
					resolve();
				};
			});
		}
		this.#stop = () => {};
		this.#isHinted = false;
	}
}
