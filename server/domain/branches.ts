import { badRequest, Fault } from "./faults.ts";
import { checkTag } from "./ids.ts";

/** A line of messages inside a conversation. Branch 0 is there from the beginning. */
export interface Branch {
	branch: number;
	/** The branch that it left, null for branch 0. */
	parentBranch: number | null;
	/** The seq up to which it shares its parent's path; 0 means that it begins before the first message. */
	forkSeq: string;
	/** The last message of its path, null when the path is empty. */
	leafMessageId: string | null;
	/** Whether appends go to it. */
	active: boolean;
	createdAt: string;
}

/** Branches are numbered without gaps, and only all at once removed. */
export function hasBranch(lastBranch: number, branch: number): boolean {
	return branch >= 0 && branch <= lastBranch;
}

export function unknownBranch(conversationId: string, branch: number): Fault {
	return new Fault("NotFound", `Branch ${branch} of conversation ${JSON.stringify(conversationId)} does not exist`);
}

const LARGEST_SEQ = 2n ** 63n - 1n;

/** Checks the precondition `expectedLastSeq`: a seq as a decimal string, 0 for a conversation without messages. */
export function checkSeq(field: string, value: string | null | undefined): bigint | null {
	if (value == null) return null;
	if (!/^\d{1,19}$/.test(value) || BigInt(value) > LARGEST_SEQ) {
		throw badRequest(field, 'must be a seq, such as "12", or "0" for none');
	}
	return BigInt(value);
}

/** Refuses a change of a conversation that went on since the caller looked; runs under the lock of its row. */
export function checkLastSeq(field: string, expected: bigint | null, lastSeq: bigint): void {
	if (expected === null || expected === lastSeq) return;
	throw new Fault("Conflict", `${field}: the last seq of the conversation is ${lastSeq}, not ${expected}`);
}

/** Checks a label: null for none, else text of 1 to `maxBytes` UTF-8 bytes. */
export function checkLabel(field: string, value: string | null | undefined, maxBytes: number): string | null {
	if (value === "") throw badRequest(field, "must not be empty; null removes a label");
	return checkTag(field, value, maxBytes);
}
