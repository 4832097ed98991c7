import { pipeline } from "node:stream/promises";
import { readConfig } from "../config.ts";
import type { ArchiveRecord } from "../domain/archives.ts";
import { type TranscriptLine, transcriptLines } from "../domain/claude-transcripts.ts";
import { GO } from "../domain/go-sessions.ts";
import { DEFAULT_LIMITS } from "../domain/limits.ts";
import { PI } from "../domain/pi-sessions.ts";
import { sessionLines } from "../domain/session-exports.ts";
import type { Format } from "../domain/session-formats.ts";
import { StartError } from "../domain/start-error.ts";
import { exportArchive } from "../store/archives.ts";
import { withDatabase } from "./database.ts";
import { refuse, writeFiles } from "./output-files.ts";
import { showProgress } from "./progress.ts";
import { requireProject } from "./projects.ts";
import { fileOf } from "./transcript-places.ts";
import { UsageError } from "./usage-error.ts";

interface ExportOptions {
	project: string;
	conversationIds: string[] | undefined;
	output: string | undefined;
	/** An archive where it is not given. */
	format: Format | undefined;
	/** Of a transcript, if its session is under several. */
	projectKey: string | undefined;
}

/**
 * Writes a project, or what belongs to some conversation ids, as an archive to a file or to standard output; with
 * another format the file that its tool reads, of the one conversation that is named.
 */
export async function runExport(options: ExportOptions): Promise<void> {
	const { project, conversationIds, output, format = "agent-store" } = options;
	const writeAll = writerOf(format, options);
	const config = readConfig();
	await withDatabase(config, async (db) => {
		const { projectId } = await requireProject(db, project);
		const scope = { db, identity: { projectId }, limits: { ...DEFAULT_LIMITS, ...config.limits } };
		const progress = showProgress(process.stderr, { what: "records exported" });
		const counted = async function* (records: AsyncIterable<ArchiveRecord>) {
			for await (const record of records) {
				yield record;
				progress.advance();
			}
		};
		let remarks: string[] = [];
		const writeCounted = async (records: AsyncIterable<ArchiveRecord>) => {
			remarks = await writeAll(counted(records), output);
		};
		await exportArchive(scope, { conversationIds }, writeCounted).finally(progress.end);
		for (const remark of remarks) process.stderr.write(`${remark}\n`);
	});
}

/** Returns what is to be told of it. */
type Writer = (records: AsyncIterable<ArchiveRecord>, output: string | undefined) => Promise<string[]>;

function writerOf(format: Format, { conversationIds, projectKey }: ExportOptions): Writer {
	if (format === "agent-store") return (records, output) => write(toLines(records), output);
	const [id, ...others] = conversationIds ?? [];
	if (id === undefined || others.length > 0) {
		throw new UsageError(`--format ${format} needs one --conversation <id>.`);
	}
	if (format === "claude") {
		return (records, output) =>
			writeTranscripts(orAbsent(transcriptLines(records, projectKey), "transcript of session", id), output);
	}
	const family = format === "pi" ? PI : GO;
	return (records, output) => write(orAbsent(toLines(sessionLines(family, records)), "conversation", id), output);
}

async function* toLines(values: AsyncIterable<object>): AsyncGenerator<string> {
	for await (const value of values) yield `${JSON.stringify(value)}\n`;
}

/** An archive of nothing is one; a file without a session is none. */
async function* orAbsent<T>(lines: AsyncIterable<T>, what: string, id: string): AsyncGenerator<T> {
	let written = false;
	for await (const line of lines) {
		yield line;
		written = true;
	}
	if (!written) throw new StartError(`There is no ${what} ${JSON.stringify(id)}.`);
}

async function write(lines: AsyncIterable<string>, output: string | undefined): Promise<string[]> {
	if (output !== undefined) return writeFiles(map(lines, (text) => ({ file: output, text })));
	await pipeline(lines, process.stdout).catch(refuse("standard output"));
	return [];
}

/** Standard output takes one transcript; beside a file there is room for those of subagents. */
async function writeTranscripts(lines: AsyncIterable<TranscriptLine>, output: string | undefined): Promise<string[]> {
	if (output !== undefined) {
		return writeFiles(map(lines, ({ subpath, text }) => ({ file: fileOf(output, subpath), text })));
	}
	const left = new Set<string>();
	const main = async function* () {
		for await (const { subpath, text } of lines) {
			if (subpath === "") yield text;
			else left.add(subpath);
		}
	};
	await write(main(), output);
	return left.size === 0
		? []
		: [`Left out transcripts of subagents (${left.size}): --output writes them beside the file.`];
}

async function* map<From, To>(items: AsyncIterable<From>, change: (item: From) => To): AsyncGenerator<To> {
	for await (const item of items) yield change(item);
}
