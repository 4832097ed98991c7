import type { ArchiveRecord, ConversationRecord, ItemRecord, PartRecord } from "./archives.ts";
import { badRequest } from "./faults.ts";

/** The parts of each kind of item, in their order. */
const PARTS = {
	conversation: ["branch", "message", "historyOperation"],
	state: ["stateCheckpoint"],
	thread: ["checkpoint", "channelValue", "checkpointWrite"],
	transcript: ["transcriptEntry"],
} as const satisfies Record<ItemRecord["record"], readonly PartRecord["record"][]>;

/** What an item is and its id, for people. */
export function itemName(item: ItemRecord): string {
	return [item.record, ...itemKey(item).map((id) => JSON.stringify(id))].join(" ");
}

/** The ids of an item. */
export function itemKey(item: ItemRecord): string[] {
	if (item.record === "conversation") return [item.conversationId];
	if (item.record === "state") return [item.key];
	if (item.record === "thread") return [item.threadId];
	return [item.projectKey, item.sessionId];
}

/** Where a part stands among those of its kind; the texts are compared bytewise. */
function partKey(part: PartRecord): (string | bigint)[] {
	switch (part.record) {
		case "branch":
			return [BigInt(part.branch)];
		case "message":
		case "stateCheckpoint":
			return [BigInt(part.seq)];
		case "historyOperation":
			return [part.operationId];
		case "checkpoint":
			return [part.checkpointNs, part.checkpointId];
		case "channelValue":
			return [part.checkpointNs, part.channel, part.version];
		case "checkpointWrite":
			return [part.checkpointNs, part.checkpointId, part.taskId, BigInt(part.idx)];
		case "transcriptEntry":
			return [part.subpath, BigInt(part.seq)];
	}
}

function compareKeys(a: readonly (string | bigint)[], b: readonly (string | bigint)[]): number {
	for (const [index, left] of a.entries()) {
		const right = b[index]!;
		const order =
			typeof left === "bigint"
				? Number(left > (right as bigint)) - Number(left < (right as bigint))
				: Buffer.compare(Buffer.from(left), Buffer.from(right as string));
		if (order !== 0) return order;
	}
	return 0;
}

/** Checks how the records of one item fit together, one after another, and in little memory. */
export interface ItemChecks {
	/** Checks the next record; true when it closes the item. */
	next(record: Exclude<ArchiveRecord, { record: "archive" }>): boolean;
}

/** Checks an opened item: its parts in their order, each by the rules of its kind, and the count at its end. */
export function checkItem(item: ItemRecord): ItemChecks {
	const kinds: readonly PartRecord["record"][] = PARTS[item.record];
	const rules = item.record === "conversation" ? conversationRules(item) : plainRules(item);
	let records = 1;
	let last: PartRecord | undefined;
	return {
		next(record) {
			if (record.record === "end") {
				if (record.records !== records) {
					throw badRequest(
						"end.records",
						`must be ${records}, the number of records since the one that opens the item`,
					);
				}
				rules.end?.();
				return true;
			}
			const kind = kinds.indexOf(record.record as PartRecord["record"]);
			if (kind < 0) throw badRequest("record", `must be one of ${[...kinds, "end"].join(", ")} in a ${item.record}`);
			const part = record as PartRecord;
			if (last !== undefined) {
				const before = kinds.indexOf(last.record);
				if (kind < before) throw badRequest("record", `must not be a ${part.record} after a ${last.record}`);
				if (kind === before && compareKeys(partKey(last), partKey(part)) >= 0) {
					throw badRequest(part.record, "must follow the one before by its key, without repeating it");
				}
			}
			rules.part(part);
			last = part;
			records++;
			return false;
		},
	};
}

interface Rules {
	part(part: PartRecord): void;
	end?(): void;
}

/** A conversation's branches are numbered from 1 without gaps, and each leaves an older one. */
function conversationRules(conversation: ConversationRecord): Rules {
	const { activeBranch, lastBranch } = conversation;
	const lastSeq = BigInt(conversation.lastSeq);
	if (activeBranch > lastBranch) throw badRequest("conversation.activeBranch", "must be a branch of the conversation");
	// What the messages of each branch come after.
	const forks = [0n];
	let createdAt = "";
	const checkBranches = () => {
		if (forks.length <= lastBranch) throw badRequest("branch", `must be there for each number up to ${lastBranch}`);
	};
	return {
		part(part) {
			if (part.record === "branch") {
				if (part.branch !== forks.length || part.branch > lastBranch) {
					throw badRequest("branch.branch", `must count from 1 to ${lastBranch} without gaps`);
				}
				if (part.parentBranch >= part.branch) throw badRequest("branch.parentBranch", "must be an older branch");
				if (BigInt(part.forkSeq) > lastSeq) throw badRequest("branch.forkSeq", `must be at most ${lastSeq}`);
				forks.push(BigInt(part.forkSeq));
				return;
			}
			checkBranches();
			if (part.record !== "message") return;
			const seq = BigInt(part.seq);
			const fork = forks[part.branch];
			if (fork === undefined) throw badRequest("message.branch", "must be a branch of the conversation");
			if (seq <= fork || seq > lastSeq) {
				throw badRequest("message.seq", `must be from ${fork + 1n}, after the fork of its branch, to ${lastSeq}`);
			}
			if (part.createdAt < createdAt) throw badRequest("message.createdAt", "must not contradict seq (VAL-11)");
			createdAt = part.createdAt;
			if (part.firstKeptSeq === null) return;
			const kept = BigInt(part.firstKeptSeq);
			if (part.kind !== "compaction" || kept < 1n || kept > seq) {
				throw badRequest("message.firstKeptSeq", "must be null, or in a compaction a seq up to its own");
			}
		},
		end: checkBranches,
	};
}

function plainRules(item: Exclude<ItemRecord, ConversationRecord>): Rules {
	if (item.record === "state" && (item.state === null) !== (item.updatedAt === null)) {
		throw badRequest("state.updatedAt", "must be null where the state is, and only there");
	}
	return {
		part(part) {
			if (part.record === "checkpoint" && part.parentCheckpointId === part.checkpointId) {
				throw badRequest("checkpoint.parentCheckpointId", "must be another checkpoint");
			}
			if (!("lastSeq" in item) || !("seq" in part)) return;
			const seq = BigInt(part.seq);
			if (seq < 1n || seq > BigInt(item.lastSeq)) {
				throw badRequest(`${part.record}.seq`, `must be from 1 to the last seq, ${item.lastSeq}`);
			}
			if (
				item.record === "transcript" &&
				part.record === "transcriptEntry" &&
				part.subpath === "" &&
				item.mtime === null
			) {
				throw badRequest("transcript.mtime", "must be a number where the main transcript has entries");
			}
		},
	};
}
