import { readArchiveLines } from "../../server/domain/archive-lines.ts";
import type {
	ArchiveLine,
	ArchiveRecord,
	BranchRecord,
	ConversationRecord,
	MessageRecord,
} from "../../server/domain/archives.ts";
import type { JsonObject } from "../../server/domain/json.ts";
import { DEFAULT_LIMITS } from "../../server/domain/limits.ts";
import { sessionLines } from "../../server/domain/session-exports.ts";
import { LineFault, type SessionFamily, type SessionReader } from "../../server/domain/session-files.ts";
import { SessionImport } from "../../server/domain/session-imports.ts";

/** What a session file becomes. */
export interface Converted {
	conversation: ConversationRecord;
	branches: BranchRecord[];
	messages: MessageRecord[];
	records: ArchiveRecord[];
	/** What was told of lines, as "line: what". */
	reports: string[];
}

interface Options {
	skipBadLines?: boolean;
	conversationId?: string;
	fallbackId?: string;
}

/** The text of a file with these lines; a string stands as it is. */
export function fileOf(lines: readonly (object | string)[]): string {
	return lines.map((line) => `${typeof line === "string" ? line : JSON.stringify(line)}\n`).join("");
}

/** Reads a session file as the command does, without a database. */
export async function convert(
	reader: SessionReader,
	file: string | Uint8Array | readonly (object | string)[],
	{ skipBadLines = false, ...options }: Options = {},
): Promise<Converted> {
	const bytes = Array.isArray(file) ? Buffer.from(fileOf(file)) : Buffer.from(file as string);
	const lines = () => readArchiveLines(inChunks(bytes), DEFAULT_LIMITS);
	const reports: string[] = [];
	const report = (line: number, what: string) => void reports.push(`${line}: ${what}`);
	const session = new SessionImport(reader, { limits: DEFAULT_LIMITS, skipBadLines, report, ...options });
	const read = async () => {
		for await (const line of lines()) session.add(line);
		return toRecords(session.records(session.finish(), lines()));
	};
	const records = await read().catch((error) => {
		throw error instanceof LineFault ? new Error(`line ${error.line}: ${error.message}`) : error;
	});
	const of = <Record extends ArchiveRecord>(name: Record["record"]) =>
		records.filter((record): record is Record => record.record === name);
	return {
		conversation: of<ConversationRecord>("conversation")[0]!,
		branches: of<BranchRecord>("branch"),
		messages: of<MessageRecord>("message"),
		records,
		reports,
	};
}

/** Writes records as a session file of a family. */
export async function write(family: SessionFamily, records: readonly ArchiveRecord[]): Promise<JsonObject[]> {
	const lines: JsonObject[] = [];
	for await (const line of sessionLines(family, fromArray(records))) lines.push(line);
	return lines;
}

async function toRecords(lines: AsyncIterable<ArchiveLine>): Promise<ArchiveRecord[]> {
	const records: ArchiveRecord[] = [];
	for await (const line of lines) if ("value" in line) records.push(line.value as unknown as ArchiveRecord);
	return records;
}

async function* fromArray<T>(items: readonly T[]): AsyncGenerator<T> {
	yield* items;
}

/** So small that lines are cut, in the middle of signs, too. */
async function* inChunks(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
	for (let start = 0; start < bytes.length; start += 61) yield bytes.subarray(start, start + 61);
}
