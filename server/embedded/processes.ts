import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { readFile, readlink } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Whether a process with this id runs, whoever owns it. One that has ended and was not collected does not run. */
export function isAlive(pid: number): boolean {
	return exists(pid) && !statOf(pid).startsWith("Z");
}

/** Whether the system knows a process with this id, be it an ended one that nobody collected. */
export function exists(pid: number): boolean {
	try {
		process.kill(pid, 0);
		return true;
	} catch (error) {
		return (error as NodeJS.ErrnoException).code === "EPERM";
	}
}

/**
 * When the process started, in the system's own notation; with the id it names one process for good,
 * since ids are used again. Empty where the system does not tell.
 */
export async function startTimeOf(pid: number): Promise<string> {
	if (process.platform !== "linux") return ps(pid, "lstart=");
	return statOf(pid).split(" ")[19] ?? "";
}

/** The command line of a process, empty when there is none. */
export async function commandOf(pid: number): Promise<string> {
	if (process.platform !== "linux") return ps(pid, "command=");
	const line = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
	return line.replaceAll("\0", " ").trim();
}

/** The working directory of a process; null where the system does not tell. */
export async function workingDirectoryOf(pid: number): Promise<string | null> {
	return process.platform === "linux" ? readlink(`/proc/${pid}/cwd`).catch(() => null) : null;
}

/** Waits until the process is gone; false when it is still there after `ms` milliseconds. */
export async function isGoneWithin(pid: number, ms: number): Promise<boolean> {
	const deadline = Date.now() + ms;
	while (isAlive(pid)) {
		if (Date.now() > deadline) return false;
		await delay(10);
	}
	return true;
}

/** The fields of /proc/<pid>/stat from the state on; empty where there is none. */
function statOf(pid: number): string {
	if (process.platform !== "linux") return "";
	try {
		const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
		// The field before is the program's name in parentheses and may hold blanks and parentheses.
		return stat.slice(stat.lastIndexOf(")") + 2);
	} catch {
		return "";
	}
}

async function ps(pid: number, column: string): Promise<string> {
	if (process.platform === "win32") return "";
	const { stdout } = await run("ps", ["-o", column, "-p", String(pid)]).catch(() => ({ stdout: "" }));
	return stdout.trim();
}
