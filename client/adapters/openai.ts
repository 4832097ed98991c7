import type { AgentInputItem, Session } from "@openai/agents-core";
import type { TypedQueryDocumentNode } from "graphql";
import { badRequest, StoreError } from "../errors.ts";
import {
	AppendHistoryDocument,
	ApplyHistoryMutationsDocument,
	ApplyHistoryTransactionDocument,
	ClearHistoryDocument,
	HistoryDocument,
	PopHistoryDocument,
	ReplaceHistoryDocument,
} from "../generated/operations.ts";
import { newId } from "../ids.ts";
import { checkId, readArguments, readOptionalArguments } from "../input.ts";
import { store as ownStore, type Store } from "../store.ts";
import type { Transport } from "../transport.ts";
import type { JsonObject, JsonValue } from "../types.ts";
import { adapterTransport } from "./limiter.ts";
import { captureItem, captureItems, sliceItems } from "./openai-items.ts";

/** Options of `createSession`. */
export interface SessionOptions {
	/** A store of `createStore`, for another project than the application's own. */
	store?: Store | null | undefined;
}

/** A change of a history that the framework asks for under an operation id. */
export type HistoryTransaction =
	| { type: "append_items"; items: AgentInputItem[] }
	| { type: "replace_suffix"; expectedSuffix: AgentInputItem[]; replacement: AgentInputItem[] };

/** A rewrite of one item of a history. */
export interface HistoryMutation {
	type: "replace_function_call";
	callId: string;
	replacement: Extract<AgentInputItem, { type: "function_call" }>;
}

/**
 * The history of one conversation, as `run()` of the OpenAI Agents SDK takes it. Every method rejects with a
 * `StoreError` only; each is repeated after a failure where that is safe, which it is for all of them.
 */
export interface StoreSession extends Session {
	/** The conversation's id; asks nobody. */
	getSessionId(): Promise<string>;
	/**
	 * All items, oldest first, or the latest `limit` of them; none for a limit of 0 or less. However long the history,
	 * it is read as it was at one moment.
	 *
	 * @throws StoreError `Conflict` when others kept changing a long history while it was read.
	 * @example
	 * const latest = await session.getItems(10);
	 */
	getItems(limit?: number): Promise<AgentInputItem[]>;
	/**
	 * Appends items, all or none of them, and creates the conversation where there is none. Items that together exceed
	 * a request (64 MiB) are stored in several steps, in order; a failure then leaves the steps before it stored.
	 *
	 * @throws StoreError `BadRequest` or `PayloadTooLarge`, which names the item, before anything is stored.
	 * @example
	 * await session.addItems([{ type: "message", role: "user", content: "Hello" }]);
	 */
	addItems(items: AgentInputItem[]): Promise<void>;
	/**
	 * Removes the newest item and returns it; undefined when there is none. Callers that meet get different items.
	 *
	 * @example
	 * const undone = await session.popItem();
	 */
	popItem(): Promise<AgentInputItem | undefined>;
	/**
	 * Removes all items, as `store.clearMessages` does. The conversation itself and its metadata stay.
	 *
	 * @example
	 * await session.clearSession();
	 */
	clearSession(): Promise<void>;
	/**
	 * Appends items or replaces the latest ones, once per operation id: the same id with the same transaction changes
	 * nothing again. Ids are forgotten when the session is cleared.
	 *
	 * @throws StoreError `Conflict` when the id stood for another transaction, or when the history does not end with
	 * `expectedSuffix`; nothing is changed then.
	 * @example
	 * await session.applyHistoryTransaction({ operationId, transaction: { type: "append_items", items } });
	 */
	applyHistoryTransaction(args: { operationId: string; transaction: HistoryTransaction }): Promise<void>;
	/**
	 * Replaces function calls in their places, all or none. Of several with one `callId` the first is kept.
	 *
	 * @example
	 * await session.applyHistoryMutations({ mutations: [{ type: "replace_function_call", callId, replacement }] });
	 */
	applyHistoryMutations(args: { mutations: HistoryMutation[] }): Promise<void>;
	/**
	 * Puts these items in the place of all others; no reader sees one without the other.
	 *
	 * @example
	 * await session.replaceHistoryWithCompaction([compaction, ...kept]);
	 */
	replaceHistoryWithCompaction(items: AgentInputItem[]): Promise<void>;
}

/**
 * The session of a conversation for the OpenAI Agents SDK. Each item is a message of the conversation, so
 * `store.listMessages` shows them and `store.clearMessages` clears them; do not mix messages of your own into it.
 *
 * Returns at once: nothing is read or written before the framework asks. Sessions of one conversation may be used at
 * the same time, also by several processes: each call is atomic, and nothing is lost.
 *
 * @throws StoreError `BadRequest` for a conversationId that rule VAL-1 refuses, or an unknown option.
 * @example
 * const result = await run(agent, "What is the weather in Oslo?", { session: createSession(conversationId) });
 */
export function createSession(conversationId: string, options?: SessionOptions | null): StoreSession {
	const { store } = readOptionalArguments("createSession", options, ["store"]);
	if (store != null && typeof store !== "object") throw badRequest("store", "must come from createStore");
	return new ConversationSession(checkId("conversationId", conversationId), adapterTransport(store ?? ownStore));
}

/** Walks of a long history that others may spoil by changing what was read, before the last refusal is the answer. */
const MOST_WALKS = 10;
/** The largest integer of GraphQL. */
const MOST_ITEMS = 2 ** 31 - 1;

class ConversationSession implements StoreSession {
	readonly #conversationId: string;
	readonly #transport: Transport;

	constructor(conversationId: string, transport: Transport) {
		this.#conversationId = conversationId;
		this.#transport = transport;
	}

	async getSessionId(): Promise<string> {
		return this.#conversationId;
	}

	async getItems(limit?: number): Promise<AgentInputItem[]> {
		if (limit != null && (typeof limit !== "number" || Number.isNaN(limit))) {
			throw badRequest("limit", "must be a number");
		}
		const wanted = limit == null || limit > MOST_ITEMS ? undefined : Math.ceil(limit);
		if (wanted !== undefined && wanted <= 0) return [];
		for (let walk = 1; ; walk++) {
			try {
				return await this.#walk(wanted);
			} catch (error) {
				if (!(error instanceof StoreError && error.code === "Conflict") || walk === MOST_WALKS) throw error;
			}
		}
	}

	async addItems(items: AgentInputItem[]): Promise<void> {
		for (const messages of sliceItems(captureItems("items", items))) {
			await this.#send(
				AppendHistoryDocument,
				{ input: { conversationId: this.#conversationId, messages } },
				(data) => data.appendHistory?.conversationId,
			);
		}
	}

	async popItem(): Promise<AgentInputItem | undefined> {
		const message = await this.#send(
			PopHistoryDocument,
			{ input: this.#operation() },
			(data) => data.popHistory?.message,
		);
		return message === null ? undefined : toItem(message);
	}

	async clearSession(): Promise<void> {
		await this.#send(ClearHistoryDocument, { input: this.#operation() }, (data) => data.clearHistory?.conversationId);
	}

	async applyHistoryTransaction(args: { operationId: string; transaction: HistoryTransaction }): Promise<void> {
		const given = readArguments("applyHistoryTransaction", args, ["operationId", "transaction"]);
		const operationId = checkId("operationId", given.operationId);
		const change = captureTransaction(given.transaction);
		await this.#send(
			ApplyHistoryTransactionDocument,
			{ input: { ...this.#operation(operationId), ...change } },
			(data) => data.applyHistoryTransaction?.conversationId,
		);
	}

	async applyHistoryMutations(args: { mutations: HistoryMutation[] }): Promise<void> {
		const { mutations } = readArguments("applyHistoryMutations", args, ["mutations"]);
		const replacements = captureMutations(mutations);
		if (replacements.length === 0) return;
		await this.#send(
			ApplyHistoryMutationsDocument,
			{ input: { ...this.#operation(), replacements } },
			(data) => data.applyHistoryMutations?.conversationId,
		);
	}

	async replaceHistoryWithCompaction(items: AgentInputItem[]): Promise<void> {
		const { messages } = captureItems("items", items);
		await this.#send(
			ReplaceHistoryDocument,
			{ input: { ...this.#operation(), messages } },
			(data) => data.replaceHistory?.conversationId,
		);
	}

	/** Every operation may be repeated: the writes are made idempotent by the ids of their messages, or an operation id. */
	#send<Data, Variables extends object, Result>(
		document: TypedQueryDocumentNode<Data, Variables>,
		variables: Variables,
		read: (data: Data) => Result | undefined,
	): Promise<Result> {
		return this.#transport.request({ document, variables, retry: "always", read }, undefined);
	}

	/** What a change names: an id made here, before the first attempt, stays the same in all attempts. */
	#operation(operationId = newId()): { conversationId: string; operationId: string } {
		return { conversationId: this.#conversationId, operationId };
	}

	/** Reads the latest items, all when `wanted` is undefined, page by page from the newest. */
	async #walk(wanted: number | undefined): Promise<AgentInputItem[]> {
		const newestFirst: AgentInputItem[] = [];
		let after: string | undefined;
		do {
			const page = await this.#send(
				HistoryDocument,
				{
					conversationId: this.#conversationId,
					...(wanted === undefined ? {} : { first: wanted - newestFirst.length }),
					...(after === undefined ? {} : { after }),
				},
				(data) => data.history ?? undefined,
			);
			for (const message of page.messages) newestFirst.push(toItem(message));
			after = page.nextCursor ?? undefined;
		} while (after !== undefined);
		return newestFirst.reverse();
	}
}

/** The framework takes what the conversation holds, without a check: that only items are in it is the application's part. */
function toItem({ payload }: { payload: JsonValue | null }): AgentInputItem {
	return payload as unknown as AgentInputItem;
}

function captureTransaction(transaction: unknown) {
	const { type } = (transaction ?? {}) as { type?: unknown };
	if (type === "append_items") {
		const { items } = readArguments("transaction", transaction, ["type", "items"]);
		return { messages: captureItems("transaction.items", items).messages };
	}
	if (type === "replace_suffix") {
		const names = ["type", "expectedSuffix", "replacement"] as const;
		const { expectedSuffix, replacement } = readArguments("transaction", transaction, names);
		return {
			expectedSuffix: captureItems("transaction.expectedSuffix", expectedSuffix).messages.map(({ payload }) => payload),
			messages: captureItems("transaction.replacement", replacement).messages,
		};
	}
	throw badRequest("transaction.type", 'must be "append_items" or "replace_suffix"');
}

function captureMutations(mutations: unknown): { callId: string; replacement: JsonObject }[] {
	if (!Array.isArray(mutations)) throw badRequest("mutations", "must be an array");
	return Array.from({ length: mutations.length }, (_, index) => {
		const field = `mutations[${index}]`;
		const { type, callId, replacement } = readArguments(field, mutations[index], ["type", "callId", "replacement"]);
		if (type !== "replace_function_call") throw badRequest(`${field}.type`, 'must be "replace_function_call"');
		if (typeof callId !== "string" || callId === "") throw badRequest(`${field}.callId`, "must be a non-empty string");
		const { message } = captureItem(`${field}.replacement`, replacement);
		if (message.type !== "function_call") {
			throw badRequest(`${field}.replacement`, "must be an item of type function_call");
		}
		return { callId, replacement: message.payload };
	});
}
