import { randomUUID } from "node:crypto";
import { type JsonObject, type JsonValue, type Message, type Store, StoreError } from "@iga-pages/agent/store";
import { expect } from "vitest";

/** What became of a call, as far as its caller knows. */
export type Outcome = "resolved" | "refused" | "unknown";

/** The gateway's own word that it wrote nothing; a proxy cannot give it, so a request id goes with it. */
const REFUSALS = ["BadRequest", "Conflict", "NotFound", "PayloadTooLarge", "ServiceUnavailable", "TooManyRequests"];

const ABSENT = "absent";

/** A message by the key in its payload, since not every caller learns the id of what it wrote. */
interface Entry {
	conversationId: string;
	/** The contents that the message may have now, as JSON, or that it may be absent. */
	possible: Set<string>;
	/** As the caller was told, where it was. */
	told?: Pick<Message, "messageId" | "seq" | "createdAt">;
}

/**
 * Keeps books on what callers are told about their messages, and compares them with the rows. A message is owned by
 * one caller who does one thing after the other with it; after an unknown outcome it is left alone.
 */
export class Ledger {
	readonly outcomes: Record<Outcome, number> = { resolved: 0, refused: 0, unknown: 0 };
	readonly #entries = new Map<string, Entry>();
	readonly #batches: string[][] = [];
	/** Messages whose state is certain: they may be updated or deleted. */
	readonly #settled: string[] = [];

	/** Appends as many messages in one call. */
	async append(store: Store, conversationId: string, count = 1): Promise<Outcome> {
		const payloads = Array.from({ length: count }, () => ({ key: randomUUID(), value: "appended" }));
		const call = async () => {
			const [payload] = payloads;
			if (count === 1) return [await store.appendMessage({ conversationId, payload: payload! })];
			return store.appendMessages({ conversationId, messages: payloads.map((payload) => ({ payload })) });
		};
		const [outcome, messages] = await this.#judge(call());
		this.#batches.push(payloads.map(({ key }) => key));
		for (const [index, payload] of payloads.entries()) {
			const text = JSON.stringify(payload);
			const possible = { resolved: [text], refused: [ABSENT], unknown: [text, ABSENT] }[outcome];
			const told = messages?.[index];
			expect(told === undefined ? outcome : told.payload).toEqual(told === undefined ? outcome : payload);
			this.#entries.set(payload.key, { conversationId, possible: new Set(possible), ...(told ? { told } : {}) });
			if (outcome === "resolved") this.#settled.push(payload.key);
		}
		return outcome;
	}

	/** Updates a message of those that were appended. */
	async update(store: Store): Promise<Outcome | "nothing"> {
		return this.#change((key) => {
			const payload: JsonObject = { key, value: randomUUID() };
			const call = ({ told }: Entry) => store.updateMessage({ messageId: told!.messageId, payload });
			return { call, becomes: JSON.stringify(payload), keep: true };
		});
	}

	/** Deletes one. */
	async delete(store: Store): Promise<Outcome | "nothing"> {
		return this.#change(() => ({
			call: ({ told }) => store.deleteMessage({ messageId: told!.messageId }),
			becomes: ABSENT,
			keep: false,
		}));
	}

	/** Whether a message was written by a caller of this ledger. */
	knows({ payload }: Message): boolean {
		return this.#entries.has(keyOf(payload));
	}

	/** Compares the rows of all conversations with the books: each is as its caller was told, once, and nothing else is. */
	verify(stored: readonly Message[]): void {
		const found = new Map<string, Message>();
		for (const message of stored) {
			const key = keyOf(message.payload);
			expect(found.has(key), `${key} is stored once`).toBe(false);
			found.set(key, message);
			expect(this.#entries.has(key), `${key} is in the books`).toBe(true);
		}
		for (const [key, { conversationId, possible, told }] of this.#entries) {
			const message = found.get(key);
			expect([...possible]).toContain(message === undefined ? ABSENT : JSON.stringify(message.payload));
			if (message === undefined) continue;
			expect(message.conversationId).toBe(conversationId);
			if (told === undefined) continue;
			const { messageId, seq, createdAt } = message;
			expect({ messageId, seq, createdAt }).toEqual({
				messageId: told.messageId,
				seq: told.seq,
				createdAt: told.createdAt,
			});
		}
		for (const keys of this.#batches) this.#verifyBatch(keys, found);
	}

	/** A batch is there whole, in its order and without gaps, or not at all. */
	#verifyBatch(keys: string[], found: Map<string, Message>): void {
		const present = keys.filter((key) => found.has(key));
		const deleted = keys.some((key) => this.#entries.get(key)!.told && this.#entries.get(key)!.possible.has(ABSENT));
		if (deleted) return;
		expect([0, keys.length]).toContain(present.length);
		const seqs = present.map((key) => Number(found.get(key)!.seq));
		expect(seqs).toEqual(seqs.map((_, index) => seqs[0]! + index));
	}

	async #change(
		plan: (key: string) => { call: (entry: Entry) => Promise<unknown>; becomes: string; keep: boolean },
	): Promise<Outcome | "nothing"> {
		const key = this.#settled.shift();
		if (key === undefined) return "nothing";
		const entry = this.#entries.get(key)!;
		const { call, becomes, keep } = plan(key);
		const [outcome] = await this.#judge(call(entry));
		if (outcome === "resolved") entry.possible = new Set([becomes]);
		if (outcome === "unknown") entry.possible.add(becomes);
		if (outcome === "refused" || (outcome === "resolved" && keep)) this.#settled.push(key);
		return outcome;
	}

	async #judge<T>(call: Promise<T>): Promise<[Outcome, T?]> {
		const judged = await call.then(
			(result): [Outcome, T] => ["resolved", result],
			(error: unknown): [Outcome] => {
				if (!(error instanceof StoreError) || error.status === 500) throw error;
				const refused = error.requestId !== undefined && REFUSALS.includes(error.code);
				return [refused ? "refused" : "unknown"];
			},
		);
		this.outcomes[judged[0]] += 1;
		return judged;
	}
}

function keyOf(payload: JsonValue): string {
	return String((payload as JsonObject)["key"]);
}
