import { open } from "node:fs/promises";
import { readConfig } from "../config.ts";
import { readArchiveLines } from "../domain/archive-lines.ts";
import type { ImportedItem } from "../domain/archives.ts";
import { DEFAULT_LIMITS } from "../domain/limits.ts";
import { reasonOf, StartError } from "../domain/start-error.ts";
import { importArchive } from "../store/archives.ts";
import { withDatabase } from "./database.ts";
import { type Progress, showProgress } from "./progress.ts";
import { requireProject } from "./projects.ts";

/** Imports an archive from a file, or from standard input with `-`, and reports what became of its items. */
export async function runImport({ project, file }: { project: string; file: string }): Promise<void> {
	const config = readConfig();
	await withDatabase(config, async (db) => {
		const { projectId } = await requireProject(db, project);
		const scope = { db, identity: { projectId }, limits: { ...DEFAULT_LIMITS, ...config.limits } };
		const { chunks, progress } = await openInput(file);
		const counts: Record<ImportedItem["outcome"], number> = { imported: 0, "already there": 0, refused: 0 };
		const refusals: string[] = [];
		try {
			await importArchive(scope, readArchiveLines(chunks, scope.limits), ({ name, outcome, refusal }) => {
				counts[outcome]++;
				if (refusal === null) return;
				const { line, fault } = refusal;
				if (refusals.length < REFUSALS_SHOWN) {
					refusals.push(`line ${line}: ${name === null ? "" : `${name}: `}${fault.message}\n`);
				}
			});
		} finally {
			progress.end();
			for (const refusal of refusals) process.stderr.write(refusal);
			const report = Object.entries(counts).map(([outcome, count]) => `${count} ${outcome}`);
			process.stdout.write(`${report.join(", ")}\n`);
		}
		if (counts.refused > 0) throw new StartError(describeRefusals(counts.refused));
	});
}

const REFUSALS_SHOWN = 1_000;

function describeRefusals(count: number): string {
	const more = count > REFUSALS_SHOWN ? `, the first ${REFUSALS_SHOWN} of which are shown above` : ", shown above";
	return `Nothing was kept of what was refused (${count}${more}). When the lines are mended, import the same file again: what is there already stays.`;
}

const KIB = 1024;

/** The bytes of a file or of standard input, and how far they are read. */
async function openInput(file: string): Promise<{ chunks: AsyncIterable<Uint8Array>; progress: Progress }> {
	if (file === "-") {
		const progress = showProgress(process.stderr, { what: "KiB read" });
		return { chunks: counted(process.stdin, progress), progress };
	}
	try {
		const handle = await open(file);
		const { size } = await handle.stat();
		const progress = showProgress(process.stderr, { what: "KiB read", total: Math.ceil(size / KIB) });
		return { chunks: counted(handle.createReadStream(), progress), progress };
	} catch (error) {
		throw new StartError(`Cannot read ${file} (${reasonOf(error)}).`, { cause: error });
	}
}

async function* counted(stream: AsyncIterable<Uint8Array>, progress: Progress): AsyncGenerator<Uint8Array> {
	let bytes = 0;
	for await (const chunk of stream) {
		yield chunk;
		bytes += chunk.length;
		progress.advance(Math.floor(bytes / KIB));
		bytes %= KIB;
	}
}
