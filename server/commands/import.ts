import { readConfig } from "../config.ts";
import type { ImportedItem } from "../domain/archives.ts";
import { DEFAULT_LIMITS } from "../domain/limits.ts";
import type { Format } from "../domain/session-formats.ts";
import { StartError } from "../domain/start-error.ts";
import { importArchive } from "../store/archives.ts";
import { withDatabase } from "./database.ts";
import { type Input, openInput } from "./import-input.ts";
import { importLines, type SessionOptions } from "./import-lines.ts";
import { type Progress, showProgress } from "./progress.ts";
import { requireProject } from "./projects.ts";

interface ImportOptions extends SessionOptions {
	project: string;
	file: string;
	format: Format | undefined;
}

/** Imports a file, a directory of transcripts, or standard input with `-`, and reports what became of the items. */
export async function runImport({ project, file, format, ...options }: ImportOptions): Promise<void> {
	const config = readConfig();
	const limits = { ...DEFAULT_LIMITS, ...config.limits };
	await withDatabase(config, async (db) => {
		const { projectId } = await requireProject(db, project);
		const scope = { db, identity: { projectId }, limits };
		const input = await openInput(file, format, limits);
		const { progress, onRead } = showBytes(input);
		const counts: Record<ImportedItem["outcome"], number> = { imported: 0, "already there": 0, refused: 0 };
		const remarks: string[] = [];
		let remarked = 0;
		const report = (remark: string) => {
			remarked += 1;
			if (remarked <= REMARKS_SHOWN) remarks.push(`${printable(remark)}\n`);
		};
		try {
			await importArchive(scope, importLines(input, { ...options, limits, onRead, report }), (item) => {
				counts[item.outcome]++;
				if (item.refusal === null) return;
				const { line, fault } = item.refusal;
				report(`line ${line}: ${item.name === null ? "" : `${item.name}: `}${fault.message}`);
			});
		} finally {
			await input.close();
			progress.end();
			for (const remark of remarks) process.stderr.write(remark);
			if (remarked > REMARKS_SHOWN) process.stderr.write(`and ${remarked - REMARKS_SHOWN} more lines\n`);
			const outcomes = Object.entries(counts).map(([outcome, count]) => `${count} ${outcome}`);
			process.stdout.write(`${outcomes.join(", ")}\n`);
		}
		if (counts.refused > 0) throw new StartError(describeRefusals(counts.refused));
	});
}

const REMARKS_SHOWN = 1_000;

/** Remarks quote what they are about, which must not command the terminal. */
function printable(text: string): string {
	return text.replace(/\p{Cc}/gu, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

function describeRefusals(count: number): string {
	return `Nothing was kept of what was refused (${count}, shown above). When the lines are mended, import the same file again: what is there already stays.`;
}

const KIB = 1024;
/** An archive is read once; other files twice, since what comes last decides about what comes first. */
const READINGS = { "agent-store": 1, pi: 2, go: 2, claude: 2 } as const;

function showBytes({ bytes, format }: Input): { progress: Progress; onRead: (bytes: number) => void } {
	const total = bytes === null ? undefined : Math.ceil((bytes * READINGS[format]) / KIB);
	const progress = showProgress(process.stderr, { what: "KiB read", total });
	let rest = 0;
	const onRead = (read: number) => {
		rest += read;
		progress.advance(Math.floor(rest / KIB));
		rest %= KIB;
	};
	return { progress, onRead };
}
