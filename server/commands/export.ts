import { randomUUID } from "node:crypto";
import { createWriteStream } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { readConfig } from "../config.ts";
import type { ArchiveRecord } from "../domain/archives.ts";
import { DEFAULT_LIMITS } from "../domain/limits.ts";
import { reasonOf, StartError } from "../domain/start-error.ts";
import { exportArchive } from "../store/archives.ts";
import { withDatabase } from "./database.ts";
import { showProgress } from "./progress.ts";
import { requireProject } from "./projects.ts";

/** Writes a project, or what belongs to some conversation ids, as an archive to a file or to standard output. */
export async function runExport(options: {
	project: string;
	conversationIds: string[] | undefined;
	output: string | undefined;
}): Promise<void> {
	const { project, conversationIds, output } = options;
	const config = readConfig();
	await withDatabase(config, async (db) => {
		const { projectId } = await requireProject(db, project);
		const scope = { db, identity: { projectId }, limits: { ...DEFAULT_LIMITS, ...config.limits } };
		const progress = showProgress(process.stderr, { what: "records exported" });
		const counted = async function* (records: AsyncIterable<ArchiveRecord>) {
			for await (const record of records) {
				yield `${JSON.stringify(record)}\n`;
				progress.advance();
			}
		};
		await exportArchive(scope, { conversationIds }, (records) => write(counted(records), output)).finally(progress.end);
	});
}

async function write(lines: AsyncIterable<string>, output: string | undefined): Promise<void> {
	if (output === undefined) return pipeline(lines, process.stdout).catch(refuse("standard output"));
	// Under its name a file is whole, or not there. It holds what users wrote, so it is its owner's alone.
	const partial = `${output}.${randomUUID()}.partial`;
	try {
		await pipeline(lines, createWriteStream(partial, { flags: "wx", mode: 0o600, flush: true })).catch(refuse(output));
		await rename(partial, output).catch(refuse(output));
	} catch (error) {
		await rm(partial, { force: true });
		throw error;
	}
}

function refuse(output: string): (error: unknown) => never {
	return (error) => {
		if (!(error instanceof Error && "syscall" in error)) throw error;
		throw new StartError(`Cannot write to ${output} (${reasonOf(error)}).`, { cause: error });
	};
}
