import { checkRecord, opensItem, recordOf } from "./archive-checks.ts";
import { checkItem } from "./archive-items.ts";
import { type ArchiveLine, checkHeader, type ItemRecord, type PartRecord } from "./archives.ts";
import { badRequest } from "./faults.ts";
import type { JsonValue } from "./json.ts";
import type { Limits } from "./limits.ts";

/** Reads the lines of an archive, item by item; what was looked at is kept until it is taken. */
export class ArchiveReader {
	readonly #lines: AsyncIterator<ArchiveLine>;
	readonly #limits: Limits;
	#ahead: ArchiveLine | undefined;
	#line = 0;

	constructor(lines: AsyncIterable<ArchiveLine>, limits: Limits) {
		this.#lines = lines[Symbol.asyncIterator]();
		this.#limits = limits;
	}

	/** The line that was read last. */
	get line(): number {
		return this.#line;
	}

	/** Whether there is more. */
	async hasMore(): Promise<boolean> {
		return (await this.#peek()) !== undefined;
	}

	/** Takes a header, which is an error unless `optional`: archives may follow each other in one file. */
	async readHeader({ optional = false } = {}): Promise<void> {
		const line = await this.#peek();
		if (optional && (line === undefined || "fault" in line || recordOf(line.value) !== "archive")) return;
		checkHeader(line === undefined ? null : contentOf(line));
		this.#take();
	}

	/** Takes the line that opens an item, whatever it says. */
	async readItem(): Promise<ItemRecord> {
		const line = await this.#peek();
		this.#take();
		const value = line === undefined ? null : contentOf(line);
		if (!opensItem(value)) throw badRequest("record", "must open a conversation, state, thread or transcript here");
		return checkRecord(value, this.#limits) as ItemRecord;
	}

	/** Reads the parts of an opened item and takes its end. One that is wrong is left where it is. */
	async *readParts(item: ItemRecord): AsyncGenerator<PartRecord> {
		const checks = checkItem(item);
		for (;;) {
			const line = await this.#peek();
			if (line === undefined) throw badRequest("end", `is missing: the archive ends inside of this ${item.record}`);
			const value = contentOf(line);
			if (opensItem(value) || recordOf(value) === "archive") {
				throw badRequest("end", `is missing: something else begins inside of this ${item.record}`);
			}
			const record = checkRecord(value, this.#limits);
			const isEnd = checks.next(record);
			this.#take();
			if (isEnd) return;
			yield record as PartRecord;
		}
	}

	/** Leaves out what is left of a refused item. */
	async skipItem(): Promise<void> {
		for (;;) {
			const line = await this.#peek();
			if (line === undefined) return;
			const value = "fault" in line ? null : line.value;
			if (opensItem(value) || recordOf(value) === "archive") return;
			this.#take();
			if (recordOf(value) === "end") return;
		}
	}

	async #peek(): Promise<ArchiveLine | undefined> {
		if (this.#ahead === undefined) {
			const { done, value } = await this.#lines.next();
			if (done) return undefined;
			this.#ahead = value as ArchiveLine;
			this.#line = this.#ahead.line;
		}
		return this.#ahead;
	}

	#take(): void {
		this.#ahead = undefined;
	}
}

function contentOf(line: ArchiveLine): JsonValue {
	if ("fault" in line) throw line.fault;
	return line.value;
}
