import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { open, readFile, realpath, rename, rm, stat } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { StartError } from "../domain/start-error.ts";
import { spawnAs } from "./account.ts";
import type { Cluster } from "./cluster.ts";
import { commandOf, exists, isGoneWithin, workingDirectoryOf } from "./processes.ts";

/** How long recovery after a crash may take, in milliseconds. */
const READY_TIMEOUT = 120_000;
/** How long an orderly shutdown may take before it is forced, in milliseconds. */
const STOP_TIMEOUT = 30_000;
const LOG_SIZE_LIMIT = 1024 * 1024;

/** A running embedded Postgres. */
export interface ServerProcess {
	port: number;
	child: ChildProcess;
}

/** What postmaster.pid says, which Postgres keeps in its data directory while it runs. */
interface PidFile {
	pid: number;
	port: number;
	ready: boolean;
}

/**
 * Starts Postgres on a free port of 127.0.0.1 and waits until it takes connections.
 *
 * @throws StartError with Postgres's own reason when it does not come up.
 */
export async function startServer(cluster: Cluster, settings: readonly string[]): Promise<ServerProcess> {
	const logFile = join(cluster.data, "..", "postgres.log");
	const previous = await stat(logFile).catch(() => null);
	if (previous !== null && previous.size > LOG_SIZE_LIMIT) await rename(logFile, `${logFile}.1`);
	for (let attempt = 1; ; attempt++) {
		const reason = { text: "" };
		const server = await launch(cluster, settings, logFile, reason);
		if (server !== null) return server;
		// Another program took the port between the search and the start, or a killed server's
		// processes still hold its shared memory for a moment.
		const passing = /Address already in use|could not create any TCP|pre-existing shared memory/.test(reason.text);
		if (!passing || attempt === 10) {
			throw new StartError(
				`The embedded Postgres does not start (${reason.text || "no reason given"}; log: ${logFile}): if the data directory ${cluster.data} is damaged, restore it from a copy or move it away to start with an empty database.`,
			);
		}
		await delay(100);
	}
}

async function launch(cluster: Cluster, settings: readonly string[], logFile: string, reason: { text: string }) {
	const port = await freePort();
	const log = await open(logFile, "a", 0o600);
	const { size } = await log.stat();
	const options = ["listen_addresses=127.0.0.1", "unix_socket_directories=", `port=${port}`, ...settings];
	const child = spawnAs(
		cluster.account,
		cluster.binaries.postgres,
		["-D", cluster.data, ...options.flatMap((option) => ["-c", option])],
		{
			env: cluster.binaries.env,
			stdio: ["ignore", log.fd, log.fd],
			// Out of the terminal's process group: on Ctrl-C the gateway finishes first, then stops Postgres.
			detached: true,
		},
	);
	await Promise.race([once(child, "spawn"), once(child, "error")]);
	await log.close();
	const deadline = Date.now() + READY_TIMEOUT;
	while (child.exitCode === null && child.signalCode === null && child.pid !== undefined) {
		const state = await readPidFile(cluster.data);
		if (state?.pid === child.pid && state.ready) return { port, child };
		if (Date.now() > deadline) {
			child.kill("SIGQUIT");
			reason.text = `it was not ready after ${READY_TIMEOUT / 1000} s`;
			return null;
		}
		await delay(10);
	}
	reason.text = await reasonInLog(logFile, size);
	return null;
}

/** Stops a server: running transactions are rolled back, everything committed is on the disk. */
export async function stopServer(pid: number): Promise<void> {
	for (const [signal, patience] of [
		["SIGINT", STOP_TIMEOUT],
		["SIGQUIT", 5_000],
	] as const) {
		try {
			process.kill(pid, signal);
		} catch {
			return;
		}
		if (await isGoneWithin(pid, patience)) return;
	}
	throw new StartError(`The embedded Postgres (pid ${pid}) does not stop: end it with "kill -9 ${pid}".`);
}

/**
 * Clears the way after a gateway that was killed: a Postgres that it left running is stopped, and a
 * postmaster.pid whose process id belongs to another program by now, or to an ended one that nobody
 * collected, is removed (Postgres would take that one for itself and refuse to start).
 *
 * @throws StartError when the process may be a Postgres on this data, but that is not certain.
 */
export async function clearLeftover(data: string): Promise<void> {
	const state = await readPidFile(data);
	if (state === null || !exists(state.pid)) return;
	const command = await commandOf(state.pid);
	const directory = await workingDirectoryOf(state.pid);
	const isOurs = directory === null ? command.includes(data) : directory === (await realpath(data));
	if (isOurs) await stopServer(state.pid);
	else if (!/postgres/i.test(command)) await rm(join(data, "postmaster.pid"), { force: true });
	else {
		throw new StartError(
			`${join(data, "postmaster.pid")} names process ${state.pid}, a Postgres in another place: stop it, or remove that file if it does not use this data.`,
		);
	}
}

/** What postmaster.pid of this data directory says; null when there is none. */
export async function readPidFile(data: string): Promise<PidFile | null> {
	const lines = (await readFile(join(data, "postmaster.pid"), "utf8").catch(() => "")).split("\n");
	const pid = Number(lines[0]);
	// The file is written in steps; without a first line there is nothing to know yet.
	if (!Number.isInteger(pid) || pid <= 0) return null;
	return { pid, port: Number(lines[3]), ready: lines[7]?.trim() === "ready" };
}

async function freePort(): Promise<number> {
	const server = createServer().listen(0, "127.0.0.1");
	await once(server, "listening");
	const address = server.address();
	server.close();
	return typeof address === "object" && address !== null ? address.port : 0;
}

async function reasonInLog(logFile: string, from: number): Promise<string> {
	const text = (await readFile(logFile)).subarray(from).toString();
	const lines = text.split("\n").filter((line) => line !== "");
	const found = lines.find((line) => /FATAL|PANIC/.test(line));
	if (found !== undefined) return found.replace(/^.*?(FATAL|PANIC): */, "");
	return lines.filter((line) => !line.includes(" LOG: ")).join(" ");
}
