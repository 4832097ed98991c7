import { createHash } from "node:crypto";
import { badRequest, Fault } from "./faults.ts";
import { canonicalJson, encodeJson, equalJson, type JsonValue } from "./json.ts";
import type { Limits } from "./limits.ts";
import { draftMessages, type MessageDraft, type MessageInput } from "./messages.ts";

/** Messages of one page of a history at most; a page may also end early at the bytes of any page (rule VAL-7). */
export const HISTORY_PAGE_MESSAGES = 2_000;

/** Function calls that one request may replace at most. */
const MOST_REPLACEMENTS = 100;

/** What one operation id stands for. Of two requests with the same id, the later one must mean the same. */
export type HistoryOperation =
	| { type: "pop_item" | "clear" }
	| { type: "append_items"; items: readonly MessageInput[] }
	| { type: "replace_suffix"; expectedSuffix: readonly JsonValue[]; items: readonly MessageInput[] }
	| { type: "replace_history"; items: readonly MessageInput[] }
	| { type: "replace_function_calls"; replacements: readonly CallReplacement[] };

/** The function call with this id becomes another one; copies of it go. */
export interface CallReplacement {
	callId: string;
	replacement: JsonValue;
}

/** Checks messages like those of an append, in any number: a turn of an agent is not bound by the batch of MSG-4. */
export function draftItems(field: string, inputs: readonly MessageInput[], limits: Limits): MessageDraft[] {
	return inputs.length === 0 ? [] : draftMessages(field, inputs, anyNumber(inputs, limits));
}

/** Limits under which an append takes this many messages. */
export function anyNumber(inputs: readonly MessageInput[], limits: Limits): Limits {
	return { ...limits, batchMessages: inputs.length };
}

/** Checks what is expected at the end of a history; deeper values than any that is stored are refused unread. */
export function checkSuffix(field: string, suffix: readonly JsonValue[], limits: Limits): void {
	for (const [index, item] of suffix.entries()) {
		encodeJson(`${field}[${index}]`, item, { depth: limits.jsonDepth, bytes: limits.messageBytes });
	}
}

/** Whether the newest payloads, newest first, are the expected ones, oldest first. */
export function endsWith(newest: readonly JsonValue[], expected: readonly JsonValue[]): boolean {
	return (
		newest.length === expected.length && expected.every((item, index) => equalJson(item, newest.at(-1 - index) ?? null))
	);
}

export function checkReplacements(field: string, replacements: readonly CallReplacement[], limits: Limits): void {
	if (replacements.length > MOST_REPLACEMENTS)
		throw badRequest(field, `must hold at most ${MOST_REPLACEMENTS} entries`);
	for (const [index, { callId, replacement }] of replacements.entries()) {
		if (callId === "") throw badRequest(`${field}[${index}].callId`, "must not be empty");
		if (!isFunctionCall(replacement)) {
			throw badRequest(`${field}[${index}].replacement`, "must be an item of type function_call");
		}
		const most = { depth: limits.jsonDepth, bytes: limits.messageBytes };
		encodeJson(`${field}[${index}].replacement`, replacement, most);
	}
}

/** A stored function call, and what becomes of it. */
export interface StoredCall {
	messageId: string;
	payload: JsonValue;
}

/**
 * Applies replacements one after another, so that a later one finds what an earlier one wrote. Returns the calls
 * that change and the ids of those that go: the first match takes the replacement, the other matches are copies.
 */
export function replaceCalls(
	calls: readonly StoredCall[],
	replacements: readonly CallReplacement[],
): { changed: StoredCall[]; removed: string[] } {
	let kept = [...calls];
	const changed = new Map<string, StoredCall>();
	for (const { callId, replacement } of replacements) {
		let replaced = false;
		kept = kept.flatMap((call) => {
			if (!isFunctionCall(call.payload) || call.payload["callId"] !== callId) return [call];
			if (replaced) return [];
			replaced = true;
			const next = { messageId: call.messageId, payload: replacement };
			changed.set(next.messageId, next);
			return [next];
		});
	}
	const left = new Set(kept.map(({ messageId }) => messageId));
	return {
		changed: [...changed.values()].filter(({ messageId }) => left.has(messageId)),
		removed: calls.map(({ messageId }) => messageId).filter((id) => !left.has(id)),
	};
}

function isFunctionCall(item: JsonValue): item is { [key: string]: JsonValue } {
	return typeof item === "object" && item !== null && !Array.isArray(item) && item["type"] === "function_call";
}

/**
 * SHA-256 of what an operation does. The ids of its messages do not count, since they are made anew when the same
 * operation is asked for again; nor does the order of keys.
 */
export function digestOperation(operation: HistoryOperation): Buffer<ArrayBuffer> {
	const hash = createHash("sha256").update(operation.type);
	if ("expectedSuffix" in operation) hash.update(canonicalJson([...operation.expectedSuffix]));
	if ("replacements" in operation) {
		hash.update(canonicalJson(operation.replacements.map(({ callId, replacement }) => [callId, replacement])));
	}
	if ("items" in operation) {
		const contents = operation.items.map(
			({ role = null, type = null, payload, metadata }): JsonValue => [role, type, payload, metadata ?? {}],
		);
		hash.update(canonicalJson(contents));
	}
	return hash.digest();
}

export function reusedOperationId(): Fault {
	return new Fault("Conflict", "input.operationId: was used for another change of this history");
}

export function suffixMismatch(): Fault {
	return new Fault("Conflict", "input.expectedSuffix: is not how the history ends");
}

/** A walk met a change of what it had read; begun anew it sees the history after the change. */
export function historyChanged(): Fault {
	return new Fault("Conflict", "The history was changed during the walk; start again without a cursor");
}
