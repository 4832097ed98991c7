import { createHash, type Hash } from "node:crypto";
import { itemKey, itemName } from "../domain/archive-items.ts";
import { ArchiveReader } from "../domain/archive-reader.ts";
import {
	type ArchiveLine,
	type ArchiveRecord,
	archiveHeader,
	type EndRecord,
	type ImportedItem,
	type ItemRecord,
	type PartRecord,
} from "../domain/archives.ts";
import { Fault, type FaultCode } from "../domain/faults.ts";
import { canonicalJson, type JsonValue } from "../domain/json.ts";
import type { Limits } from "../domain/limits.ts";
import { finishItem, insertItem, readItem, readItems } from "./archive-items.ts";
import { PARTS } from "./archive-parts.ts";
import type { Draft, Parts } from "./archive-tables.ts";
import type { Statement, Transaction } from "./database.ts";
import { toFault } from "./postgres-errors.ts";
import type { ProjectScope } from "./scope.ts";

/** What is read, and what is written, by one statement at most; a single row may be longer. */
const BATCH_ROWS = 500;
const BATCH_BYTES = 4 * 1024 * 1024;

// Has to be the first statement of its transaction.
const SNAPSHOT: Statement = {
	name: "archive_snapshot",
	text: "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY",
};

/** Reads as of one moment. It is not begun anew when it fails: what was read has been passed on. */
export function inSnapshot<T>({ db }: ProjectScope, work: (transaction: Transaction) => Promise<T>): Promise<T> {
	return onlyOnce(db, async (transaction) => {
		await transaction.query(SNAPSHOT, []);
		return work(transaction);
	});
}

function onlyOnce<T>(db: ProjectScope["db"], work: (transaction: Transaction) => Promise<T>): Promise<T> {
	return db.transaction(async (transaction) => {
		try {
			return await work(transaction);
		} catch (error) {
			throw toFault(error, false);
		}
	});
}

/**
 * Reads a project, or what is stored under some ids, as an archive: as of one moment, with its header, in an order that
 * only the content decides. `write` consumes the records as fast as it can; they are read no faster.
 */
export async function exportArchive<T>(
	scope: ProjectScope,
	{ conversationIds }: { conversationIds?: readonly string[] | undefined },
	write: (records: AsyncIterable<ArchiveRecord>) => Promise<T>,
): Promise<T> {
	const { projectId } = scope.identity;
	return inSnapshot(scope, (transaction) => {
		async function* records(): AsyncGenerator<ArchiveRecord> {
			yield archiveHeader(new Date().toISOString());
			for await (const item of readItems(transaction, projectId, conversationIds)) {
				yield* readRecords(transaction, projectId, item);
			}
		}
		return write(records());
	});
}

/** A place inside an item, to go on behind it. */
export interface Place {
	/** Which of the item's tables is read, and behind which row. */
	table: number;
	after: string[] | null;
}

/** All records of an item. */
async function* readRecords(
	transaction: Transaction,
	projectId: string,
	item: ItemRecord,
): AsyncGenerator<ItemRecord | PartRecord | EndRecord> {
	yield item;
	let records = 1;
	for await (const { part } of readParts(transaction, projectId, item)) {
		yield part;
		records++;
	}
	yield { record: "end", records };
}

/** The parts of an item behind a place, each with its own place. */
export async function* readParts(
	{ query }: Transaction,
	projectId: string,
	item: ItemRecord,
	from: Place = { table: 0, after: null },
): AsyncGenerator<{ part: PartRecord; place: Place }> {
	const key = [projectId, ...itemKey(item)];
	for (const [table, { page, start, place, toRecord }] of PARTS[item.record].entries()) {
		if (table < from.table) continue;
		let after = (table === from.table ? from.after : null) ?? start;
		for (;;) {
			const rows = await query<Record<string, never>>(page, [...key, ...after, BATCH_ROWS, BATCH_BYTES]);
			if (rows.length === 0) break;
			for (const row of rows) {
				after = place(row);
				yield { part: toRecord(row), place: { table, after } };
			}
		}
	}
}

/**
 * Imports the items of an archive, each in one transaction: one that is refused leaves nothing, and the others go on.
 * One that is there already with the same content stays as it is.
 *
 * @throws Fault where the archive has no header, or one that this version cannot read; and where the database fails.
 */
export async function importArchive(
	scope: ProjectScope,
	lines: AsyncIterable<ArchiveLine>,
	onItem: (item: ImportedItem) => void,
): Promise<void> {
	const reader = new ArchiveReader(lines, scope.limits);
	await reader.readHeader();
	while (await reader.hasMore()) {
		onItem(await importItem(scope, reader));
		await reader.readHeader({ optional: true });
	}
}

/** What is the fault of an item. All else would fail for the others, too. */
const REFUSALS: ReadonlySet<FaultCode> = new Set(["BadRequest", "Conflict", "PayloadTooLarge"]);

/** Imports the next item. */
export async function importItem(scope: ProjectScope, reader: ArchiveReader): Promise<ImportedItem> {
	await reader.hasMore();
	const { line } = reader;
	let name: string | null = null;
	const culprit: Culprit = { line: null };
	try {
		const item = await reader.readItem();
		name = itemName(item);
		const isNew = await insertWhole(scope, reader, item, culprit);
		if (!isNew && !(await isStored(scope, reader, item))) {
			culprit.line = line;
			throw new Fault("Conflict", "is there already, with other content; it was left as it is");
		}
		return { line, name, outcome: isNew ? "imported" : "already there", refusal: null };
	} catch (error) {
		if (!(error instanceof Fault) || !REFUSALS.has(error.code)) throw error;
		const refusal = { line: culprit.line ?? reader.line, fault: error };
		await reader.skipItem();
		return { line, name, outcome: "refused", refusal };
	}
}

/** The line that is to blame, where it is not the one that was read last. */
interface Culprit {
	line: number | null;
}

/** Inserts an item with its parts as they come in; false where it is there already. */
function insertWhole(
	{ db, identity, limits }: ProjectScope,
	reader: ArchiveReader,
	item: ItemRecord,
	culprit: Culprit,
): Promise<boolean> {
	const { projectId } = identity;
	return onlyOnce(db, async (transaction) => {
		if (!(await insertItem(transaction, projectId, item))) return false;
		const batch = new Batch(transaction, projectId, item, limits, culprit);
		for await (const part of reader.readParts(item)) await batch.add(part, reader.line);
		await batch.flush();
		await finishItem(transaction, projectId, item);
		return true;
	});
}

/** Rows of one table that wait to be inserted together. */
class Batch {
	readonly #transaction: Transaction;
	readonly #values: string[];
	readonly #item: ItemRecord;
	readonly #limits: Limits;
	readonly #culprit: Culprit;
	#parts: Parts | undefined;
	#rows: { line: number; draft: Draft }[] = [];
	#bytes = 0;

	constructor(transaction: Transaction, projectId: string, item: ItemRecord, limits: Limits, culprit: Culprit) {
		this.#transaction = transaction;
		this.#values = [projectId, ...itemKey(item)];
		this.#item = item;
		this.#limits = limits;
		this.#culprit = culprit;
	}

	async add(part: PartRecord, line: number): Promise<void> {
		if (this.#parts?.record !== part.record) {
			await this.flush();
			this.#parts = PARTS[this.#item.record].find(({ record }) => record === part.record)!;
		}
		const draft = this.#parts.toDraft(part, this.#limits);
		this.#rows.push({ line, draft });
		for (const value of Object.values(draft)) this.#bytes += value?.length ?? 0;
		if (this.#rows.length >= BATCH_ROWS || this.#bytes >= BATCH_BYTES) await this.flush();
	}

	async flush(): Promise<void> {
		const parts = this.#parts;
		if (parts === undefined || this.#rows.length === 0) return;
		const rows = this.#rows;
		this.#rows = [];
		this.#bytes = 0;
		const columns = parts.columns(rows.map(({ draft }) => draft));
		const inserted = await this.#transaction.query<Record<string, never>>(parts.insert, [...this.#values, ...columns]);
		if (inserted.length === rows.length) return;
		const places = new Set(inserted.map((row) => parts.place(row).join("\0")));
		const taken = rows.find(({ draft }) => !places.has(parts.place(draft as never).join("\0")))!;
		this.#culprit.line = taken.line;
		throw new Fault("Conflict", `${parts.record}: ${parts.taken} is there already`);
	}
}

/** Reads the parts of an item that is there already; whether all of it is what is stored. */
async function isStored(scope: ProjectScope, reader: ArchiveReader, item: ItemRecord): Promise<boolean> {
	const { projectId } = scope.identity;
	const given = addTo(createHash("sha256"), item);
	for await (const part of reader.readParts(item)) addTo(given, part);
	const stored = createHash("sha256");
	await inSnapshot(scope, async (transaction) => {
		const found = await readItem(transaction, projectId, item);
		if (found === undefined) return;
		for await (const record of readRecords(transaction, projectId, found))
			if (record.record !== "end") addTo(stored, record);
	});
	return given.digest().equals(stored.digest());
}

function addTo(hash: Hash, record: ItemRecord | PartRecord): Hash {
	return hash.update(`${canonicalJson(record as unknown as JsonValue)}\n`);
}
