import type { ArchiveRecord, BranchRecord, ConversationRecord, MessageRecord } from "./archives.ts";
import type { JsonObject, JsonValue } from "./json.ts";
import { isObject, type SessionContent, type SessionEntry, type SessionFamily, without } from "./session-files.ts";
import { messageIdOf } from "./session-ids.ts";

/**
 * The lines of a session file, of the conversation that an archive holds. What came from such a file has its own ids
 * and times again; any other message has its message id. Facts follow the messages: the name, then the labels.
 */
export async function* sessionLines(
	family: SessionFamily,
	records: AsyncIterable<ArchiveRecord>,
): AsyncGenerator<JsonObject> {
	let conversation: ConversationRecord | undefined;
	const paths = new Paths();
	const labels: { targetId: string; label: string }[] = [];
	let last: string | null = null;
	for await (const record of records) {
		if (record.record === "conversation") {
			conversation = record;
			yield headerOf(family, record);
		} else if (record.record === "branch") {
			paths.begin(record);
		} else if (record.record === "message") {
			const entry = entryOf(record, paths);
			last = entry.id;
			if (record.label !== null) labels.push({ targetId: entry.id, label: record.label });
			yield family.writeEntry(entry);
		}
	}
	if (conversation === undefined) return;
	const { conversationId, activeBranch, updatedAt: timestamp } = conversation;
	let parentId = paths.before(activeBranch, Number.POSITIVE_INFINITY);
	const name = conversation.metadata["title"];
	const facts: Extract<SessionContent, { kind: "name" | "label" }>[] = labels.map((label) => ({
		kind: "label",
		...label,
	}));
	// The last entry is the leaf: without a name, it is one that says so.
	if (typeof name === "string") facts.unshift({ kind: "name", name });
	else if (parentId !== last && facts.length === 0) facts.push({ kind: "name", name: null });
	for (const content of facts) {
		const type = content.kind === "name" ? "session_info" : "label";
		const id = messageIdOf(conversationId, content.kind === "name" ? type : `${type} ${content.targetId}`);
		yield family.writeEntry({ id, parentId, type, timestamp, content, rest: {} });
		parentId = id;
	}
}

function headerOf(family: SessionFamily, conversation: ConversationRecord): JsonObject {
	const { conversationId: id, createdAt, metadata, parentConversationId: parentId } = conversation;
	const session = isObject(metadata["session"]) ? metadata["session"] : {};
	const { timestamp, cwd } = session;
	const isOwn = session["family"] === family.name;
	const rest = isOwn ? without(session, "family", "version", "timestamp") : cwd === undefined ? {} : { cwd };
	return family.writeHeader({ id, timestamp: typeof timestamp === "string" ? timestamp : createdAt, parentId, rest });
}

const TYPES = { message: "message", compaction: "compaction", branch_summary: "branch_summary", custom: "custom" };
const MESSAGE_TYPES = ["message", "custom_message"];

/** The entry of a message, whose id it takes where it has no own one, or one that others have already. */
function entryOf(record: MessageRecord, paths: Paths): SessionEntry & { id: string } {
	const { messageId, branch, kind, metadata, createdAt } = record;
	const seq = Number(record.seq);
	const known = isObject(metadata["entry"]) ? metadata["entry"] : {};
	const { id: knownId, type: knownType, timestamp, firstKept } = known;
	const id = typeof knownId === "string" && knownId !== "" && !paths.has(knownId) ? knownId : messageId;
	const isFrom = typeof knownType === "string" && (kind !== "message" || MESSAGE_TYPES.includes(knownType));
	const parentId = paths.before(branch, seq - 1);
	const keptId = keptBy(record, firstKept, paths) ?? id;
	paths.add(branch, seq, id);
	return {
		id,
		parentId,
		type: isFrom ? knownType : TYPES[kind],
		timestamp: typeof timestamp === "string" ? timestamp : createdAt,
		content: contentOf(record, isFrom, keptId),
		rest: without(known, "id", "type", "timestamp", "firstKept"),
	};
}

/** The first entry that a compaction keeps; null where it keeps none of those before it. */
function keptBy(
	{ branch, firstKeptSeq }: MessageRecord,
	unresolved: JsonValue | undefined,
	paths: Paths,
): string | null {
	if (firstKeptSeq !== null) return paths.after(branch, Number(firstKeptSeq));
	return typeof unresolved === "string" ? unresolved : paths.after(branch, 0);
}

function contentOf(record: MessageRecord, isFrom: boolean, keptId: string): SessionContent {
	const { kind, role, type, payload } = record;
	const { summary: text, ...others } = isObject(payload) ? payload : {};
	const summary = typeof text === "string" ? text : "";
	switch (kind) {
		case "compaction":
			return { kind, summary, firstKept: keptId, details: without(others, "firstKeptMessageId") };
		case "branch_summary":
			return { kind, summary, details: others };
		case "custom":
			return { kind, payload: isFrom ? payload : { customType: type ?? "custom", data: payload } };
		case "message":
			return { kind, payload: isFrom ? payload : asMessage(role, payload) };
	}
}

/** A message of an application, as those tools know messages: with a role, and its text as content. */
function asMessage(role: string | null, payload: JsonValue): JsonValue {
	if (isObject(payload) && typeof payload["role"] === "string" && payload["content"] !== undefined) return payload;
	const own = isObject(payload) ? (payload["content"] ?? payload["text"]) : payload;
	const content = typeof own === "string" || Array.isArray(own) ? own : JSON.stringify(payload);
	return { role: role ?? "user", content };
}

/** The ids of the entries that were written, by their places. */
class Paths {
	readonly #branches: { parentBranch: number; forkSeq: number; seqs: number[]; ids: string[] }[] = [
		{ parentBranch: 0, forkSeq: 0, seqs: [], ids: [] },
	];
	readonly #ids = new Set<string>();

	begin({ branch, parentBranch, forkSeq }: BranchRecord): void {
		this.#branches[branch] = { parentBranch, forkSeq: Number(forkSeq), seqs: [], ids: [] };
	}

	has(id: string): boolean {
		return this.#ids.has(id);
	}

	add(branch: number, seq: number, id: string): void {
		const { seqs, ids } = this.#branches[branch]!;
		seqs.push(seq);
		ids.push(id);
		this.#ids.add(id);
	}

	/** The last entry on the path of a branch with a seq up to this one; null where there is none. */
	before(branch: number, high: number): string | null {
		for (const { ids, count } of this.#ranges(branch, high)) {
			if (count > 0) return ids[count - 1]!;
		}
		return null;
	}

	/** The first entry on the path of a branch with a seq from this one on; null where there is none. */
	after(branch: number, low: number): string | null {
		for (const { ids, seqs, count } of [...this.#ranges(branch, Number.POSITIVE_INFINITY)].reverse()) {
			const index = countUpTo(seqs, low - 1);
			if (index < count) return ids[index]!;
		}
		return null;
	}

	/** The parts of a path, from its end to its beginning: of each branch so many of its entries. */
	*#ranges(tip: number, end: number): Generator<{ ids: string[]; seqs: number[]; count: number }> {
		for (let branch = tip, high = end; ; ) {
			const { parentBranch, forkSeq, seqs, ids } = this.#branches[branch]!;
			yield { ids, seqs, count: countUpTo(seqs, high) };
			if (branch === 0) return;
			branch = parentBranch;
			high = Math.min(high, forkSeq);
		}
	}
}

/** How many of these growing numbers are not greater than `high`. */
function countUpTo(seqs: readonly number[], high: number): number {
	let low = 0;
	let count = seqs.length;
	while (low < count) {
		const middle = (low + count) >> 1;
		if (seqs[middle]! <= high) low = middle + 1;
		else count = middle;
	}
	return low;
}
