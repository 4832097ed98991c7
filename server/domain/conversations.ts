import { Fault } from "./faults.ts";
import type { JsonObject } from "./json.ts";

/** A conversation as every layer above the database sees it. */
export interface Conversation {
	conversationId: string;
	metadata: JsonObject;
	/** Of a fork, what it was taken from; null otherwise. It may be gone since. */
	parentConversationId: string | null;
	parentMessageId: string | null;
	/** ISO-8601, UTC, milliseconds (rule VAL-11). */
	createdAt: string;
	updatedAt: string;
}

/**
 * Merges a patch into metadata by top-level keys (rule CONV-4): absent keys stay in place, `null` removes,
 * everything else replaces whole, new keys follow in the order of the patch.
 */
export function mergeMetadata(metadata: JsonObject, patch: JsonObject): JsonObject {
	// A map and fromEntries keep `__proto__` an ordinary key; assignment would set the prototype.
	const merged = new Map(Object.entries(metadata));
	for (const [key, value] of Object.entries(patch)) {
		if (value === null) merged.delete(key);
		else merged.set(key, value);
	}
	return Object.fromEntries(merged);
}

export function unknownConversation(conversationId: string): Fault {
	return new Fault("NotFound", `Conversation ${JSON.stringify(conversationId)} does not exist`);
}
