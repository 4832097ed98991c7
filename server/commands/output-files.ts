import { createWriteStream } from "node:fs";
import { lstat, mkdir, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { pipeline } from "node:stream/promises";
import { reasonOf, StartError } from "../domain/start-error.ts";
import { partialOf, removeOnSignal, removePartials } from "./leftovers.ts";

/** What goes into a file. */
export interface FileText {
	file: string;
	text: string;
}

/**
 * Writes files, one after the other, with the folders of those behind the first. Under its name a file is whole, or not
 * there; they get their names when all are written. They hold what users wrote, so they are their owner's alone.
 *
 * @returns What is to be told of it.
 */
export async function writeFiles(texts: AsyncGenerator<FileText>): Promise<string[]> {
	const remarks: string[] = [];
	const files: string[] = [];
	const partials: string[] = [];
	const keep = removeOnSignal(partials);
	try {
		for (let next = await texts.next(); !next.done; ) {
			const { file } = next.value;
			const ofFile = async function* () {
				for (; !next.done && next.value.file === file; next = await texts.next()) yield next.value.text;
			};
			if (files.length > 0) await mkdir(dirname(file), { recursive: true, mode: 0o700 }).catch(refuse(file));
			remarks.push(...(await makeRoom(file)));
			const partial = partialOf(file);
			files.push(file);
			partials.push(partial);
			const stream = createWriteStream(partial, { flags: "wx", mode: 0o600, flush: true });
			await pipeline(ofFile(), stream).catch(refuse(file));
		}
		// The first one is the last to be there, since it stands for all of them.
		for (const [index, file] of [...files.entries()].reverse()) {
			await rename(partials[index]!, file).catch(refuse(file));
		}
		return remarks;
	} catch (error) {
		for (const partial of partials) await rm(partial, { force: true });
		throw error;
	} finally {
		keep();
		await texts.return(undefined);
	}
}

async function makeRoom(file: string): Promise<string[]> {
	const there = await lstat(file).catch(() => undefined);
	if (there?.isFile() === false) {
		throw new StartError(`${file} is there and no plain file: leave out --output to write to standard output.`);
	}
	const removed = await removePartials(file);
	return removed.map((name) => `Removed ${name}, which an export that was killed had left.`);
}

/** Tells what the operator can mend. */
export function refuse(output: string): (error: unknown) => never {
	return (error) => {
		if (!(error instanceof Error && "syscall" in error)) throw error;
		throw new StartError(`Cannot write to ${output} (${reasonOf(error)}).`, { cause: error });
	};
}
