import type { Message } from "./messages.ts";

/** A message's place in the tree of its conversation, without its content. */
export interface TreeEntry extends Pick<Message, "messageId" | "branch" | "seq" | "kind" | "role" | "type" | "label"> {
	/** The message before it; null for a first one. */
	parentMessageId: string | null;
}

/** Numbers about all branches of a conversation. */
export interface Stats {
	/** Messages of kind `message`. */
	messageCount: number;
	branchCount: number;
	/** Messages that none follows. */
	leafCount: number;
	/** Steps from a first message to the last of the longest path; 0 without any. */
	maxDepth: number;
	compactionCount: number;
	/** When the first and the last message of kind `message` were created. */
	firstMessageAt: string | null;
	lastMessageAt: string | null;
}

/** Those of a conversation that is not there. */
export const NO_STATS: Stats = {
	messageCount: 0,
	branchCount: 0,
	leafCount: 0,
	maxDepth: 0,
	compactionCount: 0,
	firstMessageAt: null,
	lastMessageAt: null,
};

/** A branch as far as the lengths of paths need it. */
export interface BranchLength {
	branch: number;
	parentBranch: number | null;
	/** Messages of its own. */
	own: number;
	/** Messages of its parent's own up to the one where it left. */
	shared: number;
}

/** The depth of the deepest message. Parents have lower numbers than their branches. */
export function deepest(branches: readonly BranchLength[]): number {
	const before = new Map<number, number>();
	let longest = 0;
	for (const { branch, parentBranch, own, shared } of [...branches].sort((a, b) => a.branch - b.branch)) {
		const inherited = parentBranch === null ? 0 : (before.get(parentBranch) ?? 0) + shared;
		before.set(branch, inherited);
		longest = Math.max(longest, inherited + own);
	}
	return Math.max(longest - 1, 0);
}
