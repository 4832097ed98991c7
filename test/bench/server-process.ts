import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Question, Report } from "./meter.ts";

/** A process that is measured. */
export interface ServerProcess {
	/** Where its server listens; 0 where it has none. */
	port: number;
	/** CPU that it has used so far, user and system, in microseconds, and the memory that it holds, in bytes. */
	usage(): Promise<{ cpu: number; rss: number }>;
	/** Sends it something of its own and waits for the answer. */
	request(message: object): Promise<unknown>;
	stop(): Promise<void>;
}

const METER = new URL("./meter.ts", import.meta.url).href;

/** Starts a program, a path from this folder, on this Node; it is ready when it listens, or tells so. */
export async function startServerProcess(
	program: string,
	args: string[] = [],
	env: Record<string, string> = {},
): Promise<ServerProcess> {
	const child = spawn(
		process.execPath,
		[
			"--import",
			METER,
			"--disable-warning=ExperimentalWarning",
			fileURLToPath(new URL(program, import.meta.url)),
			...args,
		],
		{
			// Nobody reads what it prints to standard output; a pipe that nobody reads would stop it.
			stdio: ["ignore", "ignore", "inherit", "ipc"],
			serialization: "advanced",
			env: { ...process.env, NODE_ENV: "production", ...env },
		},
	);
	// When the benchmark is broken off, before the database that it works on goes away.
	const kill = () => child.kill("SIGKILL");
	process.once("exit", kill);
	child.once("exit", () => process.off("exit", kill));
	const { port } = (await answer(child)) as { port: number };
	const request = async (message: object) => {
		const answered = answer(child);
		child.send(message);
		return answered;
	};
	return {
		port,
		usage: async () => (await request({ ask: "usage" } satisfies Question)) as Extract<Report, { cpu: number }>,
		request,
		stop: async () => {
			if (child.exitCode !== null || child.signalCode !== null) return;
			const ended = once(child, "exit");
			child.kill("SIGTERM");
			await ended;
		},
	};
}

/** The next message of a process. */
async function answer(child: ChildProcess): Promise<unknown> {
	const ended = new AbortController();
	const lost = once(child, "exit", { signal: ended.signal }).then(([code, signal]) => {
		throw new Error(`A process of the benchmark ended (${signal ?? code})`);
	});
	try {
		const [message] = (await Promise.race([once(child, "message"), lost])) as [unknown];
		return message;
	} finally {
		lost.catch(() => {});
		ended.abort();
	}
}
