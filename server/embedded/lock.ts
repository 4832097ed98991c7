import { link, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { StartError } from "../domain/start-error.ts";
import { isAlive, startTimeOf } from "./processes.ts";

interface Holder {
	pid: number;
	started: string;
}

/**
 * Takes the lock that keeps a second gateway from the same data folder. A lock whose holder has died
 * is taken over, also when its process id belongs to another process by now.
 *
 * @returns Releases the lock.
 * @throws StartError naming the process that holds it.
 */
export async function takeLock(folder: string): Promise<() => Promise<void>> {
	const file = join(folder, "gateway.lock");
	const own = `${file}.${process.pid}`;
	await writeFile(own, JSON.stringify({ pid: process.pid, started: await startTimeOf(process.pid) } satisfies Holder));
	try {
		// A link is made whole or not at all, so nobody ever reads half a lock.
		while (!(await isLinked(own, file))) {
			const holder = await holderIn(file);
			if (holder !== null) {
				throw new StartError(
					`Another gateway (pid ${holder}) uses the data folder ${dirname(folder)}: stop it, or set AGENT_STORE_DATA to another folder.`,
				);
			}
			await removeStale(file, `${own}.stale`);
		}
	} finally {
		await rm(own, { force: true });
	}
	return () => rm(file, { force: true });
}

/** The id of the living gateway that holds the folder's lock, or null. */
export function lockHolder(folder: string): Promise<number | null> {
	return holderIn(join(folder, "gateway.lock"));
}

async function holderIn(file: string): Promise<number | null> {
	const text = await readFile(file, "utf8").catch(() => "");
	try {
		const { pid, started }: Holder = JSON.parse(text);
		return isAlive(pid) && (await startTimeOf(pid)) === started ? pid : null;
	} catch {
		// An unreadable lock has no holder: a living one was linked whole.
		return null;
	}
}

async function isLinked(own: string, file: string): Promise<boolean> {
	try {
		await link(own, file);
		return true;
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
		throw error;
	}
}

/** Two starters may find the same stale lock; the slower one must not remove what the faster one put there. */
async function removeStale(file: string, aside: string): Promise<void> {
	try {
		await rename(file, aside);
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === "ENOENT") return;
		throw error;
	}
	if ((await holderIn(aside)) !== null) await isLinked(aside, file);
	await rm(aside, { force: true });
}
