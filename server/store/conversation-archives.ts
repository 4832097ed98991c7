import { opensItem, recordOf } from "../domain/archive-checks.ts";
import { readArchiveLines } from "../domain/archive-lines.ts";
import { ArchiveReader } from "../domain/archive-reader.ts";
import { type ArchiveLine, archiveHeader, type ConversationRecord, type PartRecord } from "../domain/archives.ts";
import { unknownConversation } from "../domain/conversations.ts";
import { badRequest, Fault } from "../domain/faults.ts";
import { checkId } from "../domain/ids.ts";
import type { JsonObject } from "../domain/json.ts";
import { checkPageSize, openCursor, type Page, refusedCursor, sealCursor } from "../domain/pages.ts";
import { readItem } from "./archive-items.ts";
import { importItem, inSnapshot, type Place, readParts } from "./archives.ts";
import type { Statement } from "./database.ts";
import type { Scope } from "./scope.ts";

/** Where a walk stands: it sees the conversation as it began, apart from updates and deletes meanwhile. */
interface Walk {
	incarnation: string;
	/** The last seq at its beginning. */
	bound: string;
	/** The records so far, header excluded. */
	records: number;
	place: Place;
}

const SELECT_INCARNATION: Statement = {
	name: "conversation_archive_incarnation",
	text: "SELECT incarnation FROM conversations WHERE project_id = $1 AND conversation_id = $2",
};

/** A page of the lines of the archive of one conversation, without what else is stored under its id. */
export async function listConversationArchive(
	scope: Scope,
	input: { conversationId: string; first?: number | null | undefined; after?: string | null | undefined },
): Promise<Page<string>> {
	const { identity, limits } = scope;
	const { projectId } = identity;
	const conversationId = checkId("conversationId", input.conversationId, limits.idBytes);
	const first = checkPageSize("first", input.first, limits);
	const what = `archive\0${conversationId}`;
	const start = input.after == null ? undefined : openWalk(openCursor("after", identity.cursorKey, what, input.after));
	return inSnapshot(scope, async (transaction) => {
		const wanted = { record: "conversation", conversationId } as ConversationRecord;
		const item = (await readItem(transaction, projectId, wanted)) as ConversationRecord | undefined;
		if (item === undefined) throw unknownConversation(conversationId);
		checkInterrupt(scope, item.run?.interrupt);
		const [row] = await transaction.query<{ incarnation: string }>(SELECT_INCARNATION, [projectId, conversationId]);
		const { incarnation } = row!;
		if (start !== undefined && start.incarnation !== incarnation) throw refusedCursor("after");
		const walks = new Map<string, Walk>();
		let walk: Walk = start ?? { incarnation, bound: item.lastSeq, records: 0, place: { table: 0, after: null } };
		let bytes = 0;
		const add = (record: object, next: Walk): boolean => {
			const line = JSON.stringify(record);
			bytes += Buffer.byteLength(line);
			if (walks.size === first || (walks.size > 0 && bytes > limits.pageBytes)) return false;
			walk = next;
			walks.set(line, walk);
			return true;
		};
		const page = (hasNext: boolean): Page<string> => ({
			items: [...walks.keys()],
			hasNext,
			cursorOf: (line) => sealCursor(identity.cursorKey, what, sealedWalk(walks.get(line)!)),
		});
		if (start === undefined && !add(archiveHeader(new Date().toISOString()), walk)) return page(true);
		if (walk.records === 0 && !add(item, { ...walk, records: 1 })) return page(true);
		for await (const { part, place } of readParts(transaction, projectId, item, walk.place)) {
			if (isLater(part, walk)) continue;
			if (!add(part, { ...walk, records: walk.records + 1, place })) return page(true);
		}
		return page(!add({ record: "end", records: walk.records }, walk));
	});
}

function isLater(part: PartRecord, { bound }: Walk): boolean {
	return part.record === "message" && BigInt(part.seq) > BigInt(bound);
}

function sealedWalk({ incarnation, bound, records, place }: Walk): string[] {
	return [incarnation, bound, String(records), String(place.table), ...(place.after ?? [])];
}

function openWalk([incarnation = "", bound = "", records = "", table = "", ...after]: readonly string[]): Walk {
	const place = { table: Number(table), after: after.length === 0 ? null : after };
	return { incarnation, bound, records: Number(records), place };
}

/**
 * Imports one conversation from the lines of an archive, with or without its header. False where it is there already
 * with the same content.
 */
export async function importConversation(
	scope: Scope,
	input: { conversationId: string; lines: readonly string[] },
): Promise<boolean> {
	const { limits } = scope;
	const conversationId = checkId("input.conversationId", input.conversationId, limits.idBytes);
	const lines: ArchiveLine[] = [];
	for await (const line of readArchiveLines(toChunks(input.lines), limits)) lines.push(line);
	const { run } = checkOnlyItem(conversationId, lines);
	checkInterrupt(scope, (run as JsonObject | null | undefined)?.["interrupt"]);
	const reader = new ArchiveReader(toAsync(lines), limits);
	await reader.readHeader({ optional: true });
	const { outcome, refusal } = await importItem(scope, reader);
	if (refusal === null) return outcome === "imported";
	const { line, fault } = refusal;
	const { error, cause } = fault;
	const options = { ...(error && { error }), ...(cause === undefined ? {} : { cause }) };
	throw new Fault(fault.code, `input.lines[${line - 1}]: ${fault.message}`, options);
}

/** Only the gateway and its agents see and say what an interrupted run goes on with: tools are called by it. */
function checkInterrupt({ identity }: Scope, interrupt: unknown): void {
	if (identity.conversationIds === null || interrupt == null) return;
	throw new Fault(
		"Forbidden",
		"This credential is limited to conversations; one with an interrupted run takes another",
	);
}

/**
 * Refuses other conversations before anything is written: access was given to the one that is named. Returns the record
 * that opens it, unchecked.
 */
function checkOnlyItem(conversationId: string, lines: readonly ArchiveLine[]): JsonObject {
	const values = lines.map((line) => ("value" in line ? line.value : null));
	const opening = values.filter((value) => opensItem(value)) as JsonObject[];
	const isNamed = opening[0]?.["record"] === "conversation" && opening[0]["conversationId"] === conversationId;
	if (
		opening.length !== 1 ||
		!isNamed ||
		values.findIndex((value) => recordOf(value) === "end") !== values.length - 1
	) {
		throw badRequest("input.lines", "must be the archive of the conversation of input.conversationId, whole and alone");
	}
	return opening[0]!;
}

async function* toChunks(lines: readonly string[]): AsyncGenerator<Uint8Array> {
	for (const line of lines) yield Buffer.from(`${line}\n`);
}

async function* toAsync<T>(items: readonly T[]): AsyncGenerator<T> {
	yield* items;
}
