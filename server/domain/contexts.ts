import { encodeJson, type JsonValue } from "./json.ts";
import type { Limits } from "./limits.ts";
import { draftMessage, type MessageDraft } from "./messages.ts";

/** Messages of one page of a context at most; a page may also end early at the bytes of any page (rule VAL-7). */
export const CONTEXT_PAGE_MESSAGES = 2_000;

/** What stands for the path up to a message: a model sees the summary in its place. */
export interface CompactionInput {
	messageId: string;
	summary: string;
	/** The first message that a model goes on seeing; without one, it sees all of them after the summary. */
	firstKeptMessageId?: string | null | undefined;
	details?: JsonValue | undefined;
}

/** Checks a compaction; where what it keeps begins is found out under the lock. */
export function draftCompaction(field: string, input: CompactionInput, limits: Limits): MessageDraft {
	const { messageId, summary, firstKeptMessageId, details } = input;
	const payload: JsonValue = { summary };
	if (firstKeptMessageId != null) payload["firstKeptMessageId"] = firstKeptMessageId;
	if (details != null) {
		// In the payload they stand one level deeper.
		encodeJson(`${field}.details`, details, { depth: limits.jsonDepth - 1, bytes: limits.messageBytes });
		payload["details"] = details;
	}
	return draftMessage(field, { messageId, payload }, limits, "compaction");
}

/** Checks the summary of another branch. */
export function draftBranchSummary(
	field: string,
	input: { messageId: string; summary: string; fromBranch?: number | null | undefined },
	limits: Limits,
): MessageDraft {
	const { messageId, summary, fromBranch } = input;
	const payload: JsonValue = fromBranch == null ? { summary } : { summary, fromBranch };
	return draftMessage(field, { messageId, payload }, limits, "branch_summary");
}
