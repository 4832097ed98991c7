import type { ArchiveLine, ArchiveRecord } from "./archives.ts";
import { badRequest } from "./faults.ts";
import type { JsonObject, JsonValue } from "./json.ts";
import {
	BadLine,
	isObject,
	LineFault,
	optionalText,
	type Report,
	type SessionContent,
	type SessionReader,
	without,
} from "./session-files.ts";
import { SessionClock } from "./session-times.ts";

const FRAME = ["uuid", "parentUuid", "type", "timestamp", "message"];

/**
 * Transcripts of Claude Code, read as a conversation: what user and assistant said, and the title. Other lines stand
 * between them, and what hangs on those hangs on what is above. Of a subagent's own lines none is taken.
 */
export const CLAUDE: SessionReader = {
	name: "claude",
	newestVersion: 1,
	linearVersion: 0,
	readHeader: () => {
		throw new BadLine("a transcript has no header");
	},
	readEntry: (line) => {
		const { type } = line;
		if (typeof type !== "string") throw new BadLine("type must be a string");
		const content = readContent(type, line);
		const isRow = content.kind === "message";
		return {
			id: optionalText(line, "uuid"),
			parentId: optionalText(line, "parentUuid"),
			type: isRow ? "message" : type,
			timestamp: optionalText(line, "timestamp"),
			content,
			rest: isRow ? without(line, ...FRAME) : {},
			aside: !isRow,
		};
	},
};

function readContent(type: string, line: JsonObject): SessionContent {
	const { message, isSidechain } = line;
	if (type === "custom-title") return { kind: "name", name: optionalText(line, "customTitle") };
	const isSaid = (type === "user" || type === "assistant") && message !== undefined && isSidechain !== true;
	return isSaid ? { kind: "message", payload: message } : { kind: "nothing" };
}

/** The file of a session's main transcript, whose subpath is empty, or of one of its subagents. */
export interface TranscriptFile {
	subpath: string;
	/** Reads it from its beginning. */
	lines(): AsyncIterable<ArchiveLine>;
}

interface Summary {
	sessionId: string;
	entries: number;
	clock: SessionClock;
}

/** The records of the transcript of a session, from all of its files; every line stays as it is. */
export async function* transcriptRecords(
	files: readonly TranscriptFile[],
	options: { projectKey: string; skipBadLines: boolean; report: Report },
): AsyncGenerator<ArchiveLine> {
	const at = (line: number, record: ArchiveRecord): ArchiveLine => ({ line, value: record as unknown as JsonValue });
	const { sessionId, entries, clock } = await summarize(files, options);
	const createdAt = clock.first(null);
	yield at(1, {
		record: "transcript",
		projectKey: options.projectKey,
		sessionId,
		lastSeq: String(entries),
		mtime: files[0]!.subpath === "" ? Date.parse(clock.last()) : null,
		summary: null,
		summaryMtime: null,
		summarySeq: null,
		createdAt,
	});
	let seq = 0;
	for (const { subpath, lines } of files) {
		for await (const { line, entry } of readEntries(lines(), { ...options, report: () => {} })) {
			seq += 1;
			const place = { seq: String(seq), batchId: "import", batchIndex: seq - 1 };
			yield at(line, { record: "transcriptEntry", subpath, ...place, entry: JSON.stringify(entry) });
		}
	}
	yield at(1, { record: "end", records: 1 + seq });
}

/** What is known only at the end. The session is the one that the main transcript's last line names. */
async function summarize(
	files: readonly TranscriptFile[],
	options: { skipBadLines: boolean; report: Report },
): Promise<Summary> {
	const clock = new SessionClock();
	let sessionId: string | undefined;
	let entries = 0;
	for (const { subpath, lines } of files) {
		for await (const { entry } of readEntries(lines(), options)) {
			entries += 1;
			const { timestamp, sessionId: named } = entry;
			if (subpath !== "") continue;
			clock.tick(typeof timestamp === "string" ? timestamp : null);
			if (typeof named === "string") sessionId = named;
		}
	}
	if (sessionId === undefined) throw badRequest("file", "must hold lines with a sessionId");
	return { sessionId, entries, clock };
}

/** The entries of one file. A uuid that occurs again is left out, as an append of it would be. */
async function* readEntries(
	lines: AsyncIterable<ArchiveLine>,
	{ skipBadLines, report }: { skipBadLines: boolean; report: Report },
): AsyncGenerator<{ line: number; entry: JsonObject }> {
	const uuids = new Set<string>();
	let cut: { line: number; problem: string } | undefined;
	const leaveOut = (line: number, problem: string) => {
		if (!skipBadLines) throw new LineFault(line, problem);
		report(line, `${problem}; it is left out`);
	};
	for await (const read of lines) {
		if (cut !== undefined) leaveOut(cut.line, cut.problem);
		cut = undefined;
		const { line } = read;
		if ("fault" in read) {
			if (read.cut) cut = { line, problem: read.fault.message };
			else leaveOut(line, read.fault.message);
		} else if (!isObject(read.value)) {
			leaveOut(line, "must be a JSON object");
		} else {
			const { uuid } = read.value;
			if (typeof uuid !== "string" || !uuids.has(uuid)) yield { line, entry: read.value };
			else report(line, `repeats the uuid ${uuid}; it is left out`);
			if (typeof uuid === "string") uuids.add(uuid);
		}
	}
	if (cut !== undefined) report(cut.line, "is cut off; everything before it is imported");
}

/** A line of the main transcript of a session, whose subpath is empty, or of one of its subagents. */
export interface TranscriptLine {
	subpath: string;
	text: string;
}

/** The lines of the transcripts of a session, one transcript after the other, from what an archive holds of its id. */
export async function* transcriptLines(
	records: AsyncIterable<ArchiveRecord>,
	projectKey: string | undefined,
): AsyncGenerator<TranscriptLine> {
	let found: string | undefined;
	let isWanted = false;
	for await (const record of records) {
		if (record.record === "transcript") {
			isWanted = projectKey === undefined || record.projectKey === projectKey;
			if (isWanted && found !== undefined) {
				const keys = [found, record.projectKey].map((key) => JSON.stringify(key)).join(" and ");
				throw badRequest("--project-key", `must be given: the session is under ${keys}`);
			}
			if (isWanted) found = record.projectKey;
		} else if (record.record === "transcriptEntry" && isWanted) {
			yield { subpath: record.subpath, text: `${record.entry}\n` };
		}
	}
}
