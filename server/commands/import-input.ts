import { createReadStream, createWriteStream } from "node:fs";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { readArchiveLines } from "../domain/archive-lines.ts";
import type { Limits } from "../domain/limits.ts";
import { detectFormat, type Format } from "../domain/session-formats.ts";
import { reasonOf, StartError } from "../domain/start-error.ts";
import { removeOnSignal } from "./leftovers.ts";

/** What is imported. */
export interface Input {
	format: Format;
	/** Its path, or of what came by standard input that of a copy; null for an archive that did. */
	path: string | null;
	/** What it is called, null for standard input. */
	name: string | null;
	/** Its size; null where that is not known. */
	bytes: number | null;
	/** Reads it from its beginning: an archive once, all else as often as it takes. */
	chunks(): AsyncIterable<Uint8Array>;
	close(): Promise<void>;
}

/** Opens a file, a directory of transcripts, or standard input with `-`, and finds out its format if it is not given. */
export async function openInput(file: string, format: Format | undefined, limits: Limits): Promise<Input> {
	if (file === "-") return openStandardInput(format, limits);
	try {
		const stats = await stat(file);
		if (stats.isDirectory()) return openDirectory(file, format);
		const stream = createReadStream(file);
		const { format: found } = await look(stream, format, limits);
		stream.destroy();
		const chunks = () => createReadStream(file);
		return { format: found, path: file, name: file, bytes: stats.size, chunks, close: async () => {} };
	} catch (error) {
		if (error instanceof StartError) throw error;
		throw new StartError(`Cannot read ${file} (${reasonOf(error)}).`, { cause: error });
	}
}

function openDirectory(file: string, format: Format = "claude"): Input {
	if (format !== "claude") throw new StartError(`${file} is a directory: import the files in it one at a time.`);
	const chunks = () => {
		throw new Error("a directory has no bytes of its own");
	};
	return { format, path: file, name: file, bytes: null, chunks, close: async () => {} };
}

async function openStandardInput(given: Format | undefined, limits: Limits): Promise<Input> {
	const { format, chunks } = await look(process.stdin, given, limits);
	const input = { format, name: null, bytes: null };
	if (format === "agent-store") return { ...input, path: null, chunks: () => chunks, close: async () => {} };
	// What is read more than once is kept, where its owner alone may read it.
	const folder = await mkdtemp(join(tmpdir(), "agent-gateway-import-"));
	const keep = removeOnSignal([folder]);
	const close = () => rm(folder, { recursive: true, force: true }).finally(keep);
	const path = join(folder, "standard-input.jsonl");
	try {
		await pipeline(chunks, createWriteStream(path, { flags: "wx", mode: 0o600 }));
	} catch (error) {
		await close();
		throw error;
	}
	return { ...input, path, chunks: () => createReadStream(path), close };
}

/** Reads as much of a stream as it takes to know its format; `chunks` are all of it. */
async function look(
	stream: AsyncIterable<Uint8Array>,
	given: Format | undefined,
	limits: Limits,
): Promise<{ format: Format; chunks: AsyncIterable<Uint8Array> }> {
	const iterator = stream[Symbol.asyncIterator]();
	const seen: Uint8Array[] = [];
	async function* read(keep: boolean): AsyncGenerator<Uint8Array> {
		for (let next = await iterator.next(); !next.done; next = await iterator.next()) {
			if (keep) seen.push(next.value);
			yield next.value;
		}
	}
	async function* all(): AsyncGenerator<Uint8Array> {
		while (seen.length > 0) yield seen.shift()!;
		yield* read(false);
	}
	const format = given ?? (await detectFormat(readArchiveLines(read(true), limits)));
	if (format !== undefined) return { format, chunks: all() };
	throw new StartError(
		"There is nothing to import: neither an archive with its header, nor a session file of pi or Go, nor a transcript of Claude Code.",
	);
}
