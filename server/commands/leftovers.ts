import { randomUUID } from "node:crypto";
import { rmSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { isAlive } from "../embedded/processes.ts";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Removes what are then these files or folders when a signal ends the process, until the returned function is called. */
export function removeOnSignal(paths: readonly string[]): () => void {
	const remove = (signal: NodeJS.Signals) => {
		for (const path of paths) rmSync(path, { recursive: true, force: true });
		keep();
		// Ends the process as the signal would have.
		process.kill(process.pid, signal);
	};
	const keep = () => {
		for (const signal of SIGNALS) process.off(signal, remove);
	};
	for (const signal of SIGNALS) process.on(signal, remove);
	return keep;
}

const PARTIAL = /^\.(\d+)-[\da-f]{8}\.partial$/;

/** A name for a file while this process writes it; no other process has the same one. */
export function partialOf(output: string): string {
	return `${output}.${process.pid}-${randomUUID().slice(0, 8)}.partial`;
}

/** Removes what processes that ended without a word left of a file, and returns its names. */
export async function removePartials(output: string): Promise<string[]> {
	const folder = dirname(output);
	const removed: string[] = [];
	for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
		const { name } = entry;
		const [, pid] = (name.startsWith(basename(output)) && PARTIAL.exec(name.slice(basename(output).length))) || [];
		if (pid === undefined || !entry.isFile() || isAlive(Number(pid))) continue;
		// What cannot be removed is nobody's hindrance.
		await rm(join(folder, name)).then(
			() => removed.push(join(folder, name)),
			() => {},
		);
	}
	return removed;
}
