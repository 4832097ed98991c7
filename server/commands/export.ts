import { createWriteStream } from "node:fs";
import { lstat, rename, rm } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { readConfig } from "../config.ts";
import type { ArchiveRecord } from "../domain/archives.ts";
import { transcriptLines } from "../domain/claude-transcripts.ts";
import { GO } from "../domain/go-sessions.ts";
import { DEFAULT_LIMITS } from "../domain/limits.ts";
import { PI } from "../domain/pi-sessions.ts";
import { sessionLines } from "../domain/session-exports.ts";
import type { Format } from "../domain/session-formats.ts";
import { reasonOf, StartError } from "../domain/start-error.ts";
import { exportArchive } from "../store/archives.ts";
import { withDatabase } from "./database.ts";
import { partialOf, removeOnSignal, removePartials } from "./leftovers.ts";
import { showProgress } from "./progress.ts";
import { requireProject } from "./projects.ts";
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
	const linesOf = writerOf(format, options);
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
		const writeAll = (records: AsyncIterable<ArchiveRecord>) => write(linesOf(counted(records)), output);
		await exportArchive(scope, { conversationIds }, writeAll).finally(progress.end);
	});
}

type Writer = (records: AsyncIterable<ArchiveRecord>) => AsyncIterable<string>;

function writerOf(format: Format, { conversationIds, projectKey }: ExportOptions): Writer {
	if (format === "agent-store") return toLines;
	const [id, ...others] = conversationIds ?? [];
	if (id === undefined || others.length > 0) {
		throw new UsageError(`--format ${format} needs one --conversation <id>.`);
	}
	if (format === "claude")
		return (records) => orAbsent(transcriptLines(records, projectKey), `transcript of session`, id);
	const family = format === "pi" ? PI : GO;
	return (records) => orAbsent(toLines(sessionLines(family, records)), "conversation", id);
}

async function* toLines(values: AsyncIterable<object>): AsyncGenerator<string> {
	for await (const value of values) yield `${JSON.stringify(value)}\n`;
}

/** An archive of nothing is one; a file without a session is none. */
async function* orAbsent(lines: AsyncIterable<string>, what: string, id: string): AsyncGenerator<string> {
	let written = false;
	for await (const line of lines) {
		yield line;
		written = true;
	}
	if (!written) throw new StartError(`There is no ${what} ${JSON.stringify(id)}.`);
}

async function write(lines: AsyncIterable<string>, output: string | undefined): Promise<void> {
	if (output === undefined) return pipeline(lines, process.stdout).catch(refuse("standard output"));
	// Under its name a file is whole, or not there. It holds what users wrote, so it is its owner's alone.
	const there = await lstat(output).catch(() => undefined);
	if (there?.isFile() === false) {
		throw new StartError(`${output} is there and no plain file: leave out --output to write to standard output.`);
	}
	for (const name of await removePartials(output)) {
		process.stderr.write(`Removed ${name}, which an export that was killed had left.\n`);
	}
	const partial = partialOf(output);
	const keep = removeOnSignal(partial);
	try {
		await pipeline(lines, createWriteStream(partial, { flags: "wx", mode: 0o600, flush: true })).catch(refuse(output));
		await rename(partial, output).catch(refuse(output));
	} catch (error) {
		await rm(partial, { force: true });
		throw error;
	} finally {
		keep();
	}
}

function refuse(output: string): (error: unknown) => never {
	return (error) => {
		if (!(error instanceof Error && "syscall" in error)) throw error;
		throw new StartError(`Cannot write to ${output} (${reasonOf(error)}).`, { cause: error });
	};
}
