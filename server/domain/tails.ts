import { badRequest } from "./faults.ts";
import type { Message } from "./messages.ts";
import { openCursor, sealCursor } from "./pages.ts";

/**
 * What a live tail tells. It opens with one `opened`; a `message` is one that was appended; with a `reset` the
 * conversation is gone, so that nothing told before holds, and what follows is that of a new one (rule CONV-5).
 */
export interface TailEvent {
	kind: "opened" | "message" | "reset";
	/** Where a tail that starts after this event goes on. */
	position: string;
	/** With kind `message` only. */
	message: Message | null;
}

/** The place of a tail in a conversation. */
export interface TailPlace {
	/** Which of the conversations that had this id one after another; empty when there was none. */
	incarnation: string;
	/** All messages up to this one were told. */
	seq: string;
}

/** Where the tail of a conversation that is not there starts. */
export const NOWHERE: TailPlace = { incarnation: "", seq: "0" };

/** Writes a position; the conversation is signed but not contained. */
export function sealPosition(key: Uint8Array, conversationId: string, { incarnation, seq }: TailPlace): string {
	return sealCursor(key, scopeOf(conversationId), [incarnation, seq]);
}

/** Reads a position back; one of another project or conversation, edited or cut, is refused. */
export function openPosition(field: string, key: Uint8Array, conversationId: string, position: string): TailPlace {
	const [incarnation, seq] = openCursor(field, key, scopeOf(conversationId), position);
	return { incarnation: incarnation!, seq: seq! };
}

/** Checks how many of the newest messages a tail is to begin with; null for all. */
export function checkLast(
	field: string,
	{ last, after }: { last?: number | null | undefined; after?: string | null | undefined },
): number | null {
	if (last == null) return null;
	if (after != null) throw badRequest(field, "must be omitted with after");
	if (!Number.isInteger(last) || last < 0) throw badRequest(field, "must be an integer of at least 0");
	return last;
}

function scopeOf(conversationId: string): string {
	return `tail\0${conversationId}`;
}
