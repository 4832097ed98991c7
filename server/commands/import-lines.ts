import { createReadStream, type Dirent } from "node:fs";
import { readdir } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { readArchiveLines } from "../domain/archive-lines.ts";
import { type ArchiveLine, archiveHeader } from "../domain/archives.ts";
import { CLAUDE, type TranscriptFile, transcriptRecords } from "../domain/claude-transcripts.ts";
import { Fault } from "../domain/faults.ts";
import { GO } from "../domain/go-sessions.ts";
import type { Limits } from "../domain/limits.ts";
import { PI } from "../domain/pi-sessions.ts";
import { LineFault, type SessionReader } from "../domain/session-files.ts";
import { SessionImport } from "../domain/session-imports.ts";
import type { Input } from "./import-input.ts";
import { EXTENSION, subpathOf, withoutExtension } from "./transcript-places.ts";
import { UsageError } from "./usage-error.ts";

/** How files of other tools are imported. */
export interface SessionOptions {
	/** Takes the place of the session's own id. */
	conversationId: string | undefined;
	/** Where transcripts of Claude belong. */
	projectKey: string | undefined;
	/** Makes conversations of transcripts, too. */
	asConversation: boolean;
	skipBadLines: boolean;
}

/** What goes on around the lines. */
interface Surroundings {
	limits: Limits;
	/** Told of the bytes that are read. */
	onRead: (bytes: number) => void;
	/** Told what is left out or changed. */
	report: (where: string) => void;
}

type Context = SessionOptions & Surroundings;

/** Reads an input of any format as the lines of an archive. */
export async function* importLines(input: Input, context: Context): AsyncGenerator<ArchiveLine> {
	if (input.format === "agent-store") {
		yield* read(input.chunks(), context);
		return;
	}
	yield { line: 1, value: { ...archiveHeader(new Date().toISOString()) } };
	if (input.format === "pi") yield* sessionLines(PI, input, context);
	else if (input.format === "go") yield* sessionLines(GO, input, context);
	else yield* transcriptLines(input, context);
}

async function* read(chunks: AsyncIterable<Uint8Array>, { limits, onRead }: Surroundings): AsyncGenerator<ArchiveLine> {
	async function* counted() {
		for await (const chunk of chunks) {
			yield chunk;
			onRead(chunk.length);
		}
	}
	yield* readArchiveLines(counted(), limits);
}

/** What is wrong with a file is the fault of a line, so that other files of the same import go on. */
async function* guarded(lines: () => AsyncIterable<ArchiveLine>, name: string): AsyncGenerator<ArchiveLine> {
	try {
		yield* lines();
	} catch (error) {
		if (!(error instanceof Fault)) throw error;
		const message = name === "" ? error.message : `${name}: ${error.message}`;
		yield { line: error instanceof LineFault ? error.line : 1, fault: new Fault(error.code, message) };
	}
}

/** The conversation that a session file becomes. */
function sessionLines(
	reader: SessionReader,
	{ chunks, name: path }: Pick<Input, "chunks" | "name">,
	context: Context,
	name = "",
): AsyncIterable<ArchiveLine> {
	const lines = () => read(chunks(), context);
	const session = new SessionImport(reader, {
		...context,
		fallbackId: path === null ? undefined : withoutExtension(basename(path)),
		report: reporter(context, name),
	});
	return guarded(async function* () {
		for await (const line of lines()) session.add(line);
		yield* session.records(session.finish(), lines());
	}, name);
}

function reporter({ report }: Surroundings, name: string) {
	return (line: number, what: string) => report(`${name === "" ? "" : `${name}: `}line ${line}: ${what}`);
}

/** The transcripts of a directory, or the one of a file with those of its subagents, as Claude Code lays them. */
async function* transcriptLines(input: Input, context: Context): AsyncGenerator<ArchiveLine> {
	const { path, name } = input;
	const isDirectory = input.bytes === null && name !== null;
	// Claude Code names the directory of a project's sessions by the project's key.
	const projectKey =
		context.projectKey ?? (name === null ? undefined : basename(isDirectory ? resolve(name) : dirname(resolve(name))));
	if (projectKey === undefined) throw new UsageError("Transcripts from standard input need --project-key <key>.");
	const mains = isDirectory ? await filesIn(path!, false) : [path!];
	if (isDirectory && context.conversationId !== undefined && mains.length !== 1) {
		throw new UsageError("--conversation names one conversation, and the directory holds several sessions.");
	}
	for (const main of mains) {
		const of = (file: string): TranscriptFile => {
			return { subpath: subpathOf(main, file), lines: () => read(createReadStream(file), context) };
		};
		const beside = name === null ? [] : await filesIn(withoutExtension(main), true);
		const files = [main, ...beside].map(of).sort((a, b) => compareBytes(a.subpath, b.subpath));
		const shown = isDirectory ? basename(main) : "";
		const once = tellOnce(context);
		yield* guarded(() => transcriptRecords(files, { ...once, projectKey, report: reporter(once, shown) }), shown);
		if (!context.asConversation) continue;
		const chunks = () => createReadStream(main);
		yield* sessionLines(CLAUDE, { chunks, name: main }, once, shown);
	}
}

/** Leaves out what was told already, by the reading of the same lines for something else. */
function tellOnce(context: Context): Context {
	const told = new Set<string>();
	return {
		...context,
		report: (where) => {
			if (!told.has(where)) context.report(where);
			told.add(where);
		},
	};
}

/** The transcripts in a directory, in the order of their bytes; none where there is no such directory. */
async function filesIn(directory: string, recursive: boolean): Promise<string[]> {
	const found: Dirent[] = await readdir(directory, { withFileTypes: true, recursive }).catch((error) => {
		if (["ENOENT", "ENOTDIR"].includes(error.code)) return [];
		throw error;
	});
	const files = found.filter((entry) => entry.isFile() && entry.name.endsWith(EXTENSION));
	return files.map((entry) => join(entry.parentPath, entry.name)).sort(compareBytes);
}

function compareBytes(a: string, b: string): number {
	return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
