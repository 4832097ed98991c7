import type { ArchiveLine, ArchiveRecord, ConversationRecord, MessageRecord } from "./archives.ts";
import { checkLabel } from "./branches.ts";
import { checkConfig } from "./configs.ts";
import { badRequest, Fault } from "./faults.ts";
import { checkId } from "./ids.ts";
import type { JsonObject, JsonValue } from "./json.ts";
import type { Limits } from "./limits.ts";
import { draftMessage } from "./messages.ts";
import {
	BadLine,
	isObject,
	LineFault,
	type Report,
	readVersion,
	type SessionContent,
	type SessionEntry,
	type SessionHeader,
	type SessionReader,
	type Settings,
} from "./session-files.ts";
import { madeId, messageIdOf } from "./session-ids.ts";
import { SessionPlaces } from "./session-places.ts";
import { SessionClock } from "./session-times.ts";

interface Options {
	limits: Limits;
	/** Takes the place of the session's own id. */
	conversationId?: string | undefined;
	/** The id where the file has none. */
	fallbackId?: string | undefined;
	/** Leaves bad lines out instead of refusing the file. */
	skipBadLines: boolean;
	report: Report;
}

type Row = Extract<SessionContent, { kind: "message" | "custom" | "compaction" | "branch_summary" }>;

/**
 * A session file on its way in. It is read twice: first all lines go through `add`, which remembers ids and places but
 * nothing of what the entries say; after `finish`, `records` reads them again and makes the records of an archive of them.
 */
export class SessionImport {
	readonly #family: SessionReader;
	readonly #options: Options;
	readonly #places = new SessionPlaces();
	readonly #clock = new SessionClock();
	/** By the ids of their entries: places of rows, of facts (where what follows them hangs), of what is missing. */
	readonly #rows = new Map<string, number>();
	readonly #facts = new Map<string, number>();
	readonly #missing = new Map<string, number>();
	/** By the seqs of rows and the ids of facts: the fact that they hang on, if they hang on one. */
	readonly #factAbove = new Map<number | string, string>();
	/** Of each row its line, from seq 1 on. */
	readonly #lines: number[] = [];
	/** Of each line that is not blank, how many rows stand before it: what compactions of old versions count in. */
	readonly #rowsBefore: number[] = [];
	/** By the seqs of compactions: the seqs of what they keep first, and by those the ids of their entries. */
	readonly #kept = new Map<number, number>();
	readonly #keptIds = new Map<number, string>();
	readonly #labels = new Map<string, { line: number; label: string | null }>();
	readonly #labelOf = new Map<number, string>();
	readonly #settings: { place: number; settings: Settings }[] = [];
	#header: SessionHeader | undefined;
	#headerLine = 1;
	#title: string | null = null;
	/** The place of the last entry. */
	#leaf = 0;
	/** Where the entries of lines that were left out would hang. */
	#lost: number | undefined;
	/** The last line, as long as it may be one that was being written when its program ended. */
	#torn: { line: number; fault: Fault } | undefined;

	constructor(family: SessionReader, options: Options) {
		this.#family = family;
		this.#options = options;
	}

	/** Takes the next line of the first reading. */
	add(read: ArchiveLine): void {
		if (this.#torn !== undefined) {
			const { line, fault } = this.#torn;
			this.#torn = undefined;
			this.#leaveOut(line, fault.message);
		}
		const { line } = read;
		if ("fault" in read) {
			this.#rowsBefore.push(this.#places.last);
			if (read.cut) this.#torn = { line, fault: read.fault };
			else this.#leaveOut(line, read.fault.message);
			return;
		}
		if (isObject(read.value) && read.value["type"] === "session" && this.#isEmpty) {
			this.#rowsBefore.push(0);
			this.#addHeader(line, read.value);
			return;
		}
		// Without a header, the places of lines count from one all the same.
		if (this.#rowsBefore.length === 0) this.#rowsBefore.push(0);
		this.#rowsBefore.push(this.#places.last);
		try {
			this.#addEntry(line, read.value);
		} catch (error) {
			if (!(error instanceof BadLine || error instanceof Fault)) throw error;
			this.#leaveOut(line, error.message);
		}
	}

	/** Ends the first reading. Returns the id of the conversation that the file becomes. */
	finish(): string {
		const { report, limits, conversationId, fallbackId } = this.#options;
		if (this.#torn !== undefined) report(this.#torn.line, "is cut off; everything before it is imported");
		if (this.#isEmpty) throw badRequest("file", "must hold a session");
		for (const [targetId, { line, label }] of this.#labels) {
			const target = this.#rows.get(targetId);
			if (target === undefined) report(line, `labels ${JSON.stringify(targetId)}, which is no message`);
			else if (label !== null) this.#labelOf.set(target, label);
		}
		const kept = new Set(this.#kept.values());
		for (const [id, place] of this.#rows) if (kept.has(place)) this.#keptIds.set(place, id);
		const id = conversationId ?? this.#header?.id ?? fallbackId;
		if (id == null) throw badRequest("file", "must have a header with an id, or else be given one");
		return checkId("conversation", id, limits.idBytes);
	}

	/** Makes the records of the conversation, in a second reading of the same lines. */
	async *records(conversationId: string, lines: AsyncIterable<ArchiveLine>): AsyncGenerator<ArchiveLine> {
		const at = (line: number, record: ArchiveRecord): ArchiveLine => ({ line, value: record as unknown as JsonValue });
		const leafBranch = this.#places.branchEndingAt(this.#leaf);
		const { last, branches } = this.#places;
		const createdAt = this.#clock.first(this.#header?.timestamp);
		yield at(this.#headerLine, this.#conversation(conversationId, leafBranch, createdAt));
		for (const { branch, parentBranch, forkSeq, firstSeq } of branches) {
			yield at(this.#headerLine, {
				record: "branch",
				branch,
				parentBranch,
				forkSeq: String(forkSeq),
				createdAt: this.#clock.at(Math.min(firstSeq, last)),
			});
		}
		let seq = 0;
		for await (const read of lines) {
			if (seq === last) break;
			if (read.line !== this.#lines[seq]) continue;
			seq += 1;
			yield at(read.line, this.#message(conversationId, seq, read));
		}
		if (seq < last) throw new LineFault(this.#lines[seq]!, "is no longer there; the file changed meanwhile");
		yield at(this.#lines.at(-1) ?? this.#headerLine, { record: "end", records: 1 + branches.length + last });
	}

	#addHeader(line: number, value: JsonObject): void {
		try {
			this.#header = this.#family.readHeader(value, readVersion(this.#family, value));
			this.#headerLine = line;
		} catch (error) {
			// Never left out: without it, the rest would be read by the rules of another version.
			throw error instanceof BadLine ? new LineFault(line, error.message) : error;
		}
	}

	#addEntry(line: number, value: JsonValue): void {
		if (!isObject(value)) throw new BadLine("must be a JSON object");
		if (value["type"] === "session") throw new BadLine("is a second header");
		const entry = this.#family.readEntry(value, this.#version);
		const { content } = entry;
		const id = entry.id ?? madeId(line);
		if (this.#rows.has(id) || this.#facts.has(id)) throw new BadLine(`id ${JSON.stringify(id)} must not occur twice`);
		const row = isRow(content) ? content : undefined;
		if (row !== undefined) this.#check(entry, row);
		if (content.kind === "label") checkLabel("label", content.label, this.#options.limits.idBytes);
		const parent = this.#parentOf(line, entry);
		const factAbove = entry.parentId !== null && this.#facts.has(entry.parentId) ? entry.parentId : undefined;
		if (row === undefined) {
			this.#facts.set(id, parent);
			if (factAbove !== undefined) this.#factAbove.set(id, factAbove);
			if (!entry.aside) this.#leaf = parent;
			if (content.kind === "label") this.#labels.set(content.targetId, { line, label: content.label });
			if (content.kind === "name") this.#title = content.name;
			return;
		}
		const kept = row.kind === "compaction" ? this.#findKept(line, id, row.firstKept, parent, factAbove) : undefined;
		const place = this.#places.append(parent);
		this.#leaf = place;
		this.#clock.tick(entry.timestamp);
		this.#rows.set(id, place);
		this.#lines.push(line);
		if (factAbove !== undefined) this.#factAbove.set(place, factAbove);
		if (kept !== undefined) this.#kept.set(place, kept);
		if (row.kind === "custom" && row.settings !== undefined) this.#settings.push({ place, settings: row.settings });
	}

	get #isEmpty(): boolean {
		return this.#header === undefined && this.#rows.size === 0 && this.#facts.size === 0;
	}

	get #version(): number {
		return this.#header?.version ?? 1;
	}

	/** Checks by the rules that every message obeys. */
	#check(entry: SessionEntry, row: Row): void {
		const { kind, type, payload, metadata } = columnsOf(entry, row);
		draftMessage("entry", { messageId: madeId(0), role: null, type, payload, metadata }, this.#options.limits, kind);
	}

	#parentOf(line: number, { parentId }: SessionEntry): number {
		if (parentId === null) return this.#version <= this.#family.linearVersion ? this.#leaf : 0;
		const found = this.#rows.get(parentId) ?? this.#facts.get(parentId) ?? this.#missing.get(parentId);
		if (found !== undefined) return found;
		const problem = `its parent ${JSON.stringify(parentId)} is no entry above it`;
		if (!this.#options.skipBadLines) throw new BadLine(problem);
		const place = this.#lost ?? this.#leaf;
		this.#lost = undefined;
		this.#missing.set(parentId, place);
		const above = place === 0 ? "it begins a path" : `it follows line ${this.#lines[place - 1]}`;
		this.#options.report(line, `${problem}; ${above} instead`);
		return place;
	}

	/** The first row that a compaction keeps; undefined where it keeps all. */
	#findKept(
		line: number,
		id: string,
		firstKept: string | number | null,
		end: number,
		factAbove: string | undefined,
	): number | undefined {
		if (firstKept === null) return undefined;
		// Nothing before it is kept.
		if (firstKept === id) return this.#places.last + 1;
		if (typeof firstKept === "number") {
			// The last one is the compaction's own.
			const before = firstKept < this.#rowsBefore.length - 1 ? this.#rowsBefore[firstKept] : undefined;
			if (before !== undefined) return before + 1;
		} else {
			const row = this.#rows.get(firstKept);
			if (row !== undefined && this.#places.isOnPath(row, end)) return row;
			const fact = this.#facts.get(firstKept);
			if (fact !== undefined && this.#places.isOnPath(fact, end)) {
				// A fact is on the path if what comes next there hangs on it.
				const next = this.#places.firstBehind(fact, end);
				const above = next === undefined ? factAbove : this.#factAbove.get(next);
				if (this.#hasAbove(above, firstKept)) return next ?? this.#places.last + 1;
			}
		}
		const what = `keeps messages from ${JSON.stringify(firstKept)} on, which is not on its path`;
		this.#options.report(line, `${what}; it hides nothing`);
		return undefined;
	}

	/** Whether a fact is this one, or hangs on it with nothing but facts between. */
	#hasAbove(fact: string | undefined, above: string): boolean {
		for (let id = fact; id !== undefined; id = this.#factAbove.get(id)) if (id === above) return true;
		return false;
	}

	#leaveOut(line: number, problem: string): void {
		if (!this.#options.skipBadLines) throw new LineFault(line, problem);
		this.#options.report(line, `${problem}; it is left out`);
		this.#lost = this.#leaf;
	}

	#conversation(conversationId: string, activeBranch: number, createdAt: string): ConversationRecord {
		const { last, branches } = this.#places;
		const { version = 1, timestamp = null, rest = {}, parentId = null } = this.#header ?? {};
		const session = { ...rest, family: this.#family.name, version, timestamp };
		return {
			record: "conversation",
			conversationId,
			metadata: this.#title === null ? { session } : { title: this.#title, session },
			config: this.#config(),
			agentState: null,
			agentVersion: 0,
			agentRevision: "0",
			run: null,
			lastSeq: String(last),
			activeBranch,
			lastBranch: branches.length,
			parentConversationId: parentId,
			parentMessageId: null,
			createdAt,
			updatedAt: last === 0 ? createdAt : this.#clock.last(),
		};
	}

	/** What the settings on the path to the leaf come to. */
	#config(): JsonObject | null {
		let config: JsonObject = {};
		const set = (settings: Settings) => {
			if (settings.config !== undefined) config = settings.config ?? {};
			for (const name of ["model", "thinking"] as const) {
				const { [name]: value } = settings;
				if (value === undefined) continue;
				const { [name]: _, ...others } = config;
				config = value === null ? others : { ...others, [name]: value };
			}
		};
		if (this.#header !== undefined) set(this.#header.settings);
		for (const { place, settings } of this.#settings) {
			if (this.#places.isOnPath(place, this.#leaf)) set(settings);
		}
		try {
			const checked = checkConfig("config", config);
			return Object.keys(checked).length === 0 ? null : checked;
		} catch (error) {
			if (!(error instanceof Fault)) throw error;
			this.#options.report(this.#headerLine, `the session's settings are no config here (${error.message})`);
			return null;
		}
	}

	#message(conversationId: string, seq: number, read: ArchiveLine): MessageRecord {
		const { line } = read;
		if (!("value" in read) || !isObject(read.value)) throw new LineFault(line, "changed meanwhile");
		const entry = this.#family.readEntry(read.value, this.#version);
		if (!isRow(entry.content)) throw new LineFault(line, "changed meanwhile");
		const kept = this.#kept.get(seq);
		const createdAt = this.#clock.at(seq);
		const { payload, metadata, ...columns } = columnsOf({ ...entry, id: entry.id ?? madeId(line) }, entry.content);
		const keptId = this.#keptIds.get(kept ?? 0);
		// What is not found here may be found by the tool whose file it is.
		if (kept === undefined && entry.content.kind === "compaction" && typeof entry.content.firstKept === "string") {
			metadata.entry["firstKept"] = entry.content.firstKept;
		}
		return {
			record: "message",
			messageId: messageIdOf(conversationId, String(metadata.entry["id"])),
			branch: this.#places.branchOf(seq),
			seq: String(seq),
			...columns,
			payload:
				keptId === undefined
					? payload
					: { ...(payload as JsonObject), firstKeptMessageId: messageIdOf(conversationId, keptId) },
			metadata,
			label: this.#labelOf.get(seq) ?? null,
			sourceMessageId: null,
			firstKeptSeq: kept === undefined ? null : String(kept),
			createdAt,
			updatedAt: createdAt,
		};
	}
}

const ROW_KINDS = ["message", "custom", "compaction", "branch_summary"];

function isRow(content: SessionContent): content is Row {
	return ROW_KINDS.includes(content.kind);
}

/** What an entry becomes, so far as it alone decides. What its message does not hold goes along in the metadata. */
function columnsOf(
	{ id, type, timestamp, rest }: SessionEntry,
	content: Row,
): Pick<MessageRecord, "kind" | "role" | "type" | "payload"> & { metadata: { entry: JsonObject } } {
	const { kind } = content;
	const entry: JsonObject = { id, type, timestamp, ...rest };
	switch (kind) {
		case "compaction": {
			const { summary, details } = content;
			return { kind, role: null, type: null, payload: { summary, ...details }, metadata: { entry } };
		}
		case "branch_summary": {
			const { summary, details } = content;
			return { kind, role: null, type: null, payload: { summary, ...details }, metadata: { entry } };
		}
		default: {
			const { payload } = content;
			const ownType = type === "message" ? null : type;
			return { kind, role: roleOf(type, payload), type: ownType, payload, metadata: { entry } };
		}
	}
}

const LONGEST_ROLE = 64;

function roleOf(type: string, payload: JsonValue): string | null {
	const role = type === "message" && isObject(payload) ? payload["role"] : null;
	return typeof role === "string" && role.length <= LONGEST_ROLE && !/[\0\p{Surrogate}]/u.test(role) ? role : null;
}
