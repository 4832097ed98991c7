import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { vi } from "vitest";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** Settings of a gateway under test come from the test alone. */
const OWN_VARIABLES = /^(PORT|HOST|LOG_LEVEL|METRICS_PORT|GRAPHIQL|DATABASE_.*|AGENT_STORE_.*)$/;

/** A gateway in a process of its own, in a process group of its own. */
export interface GatewayProcess {
	/** Of its GraphQL endpoint. */
	url: string;
	pid: number;
	/** What it has written to standard output so far. */
	output(): string;
	/** Resolves with exit code or signal when it has ended. */
	ended: Promise<number | NodeJS.Signals>;
	/** Sends a signal to the whole group, as Ctrl-C in a terminal does, or to the gateway alone. */
	signal(signal: NodeJS.Signals, to?: "group" | "gateway"): void;
	/** Stops it in order, when it still runs. */
	stop(): Promise<void>;
}

type Environment = Record<string, string>;

/** Starts `serve` or `dev` on a free port and waits until it is ready. */
export async function startGatewayProcess(
	command: "serve" | "dev",
	env: Environment,
	args: string[] = [],
): Promise<GatewayProcess> {
	const { child, output } = spawnGateway([command, ...args], { PORT: "0", ...env });
	const ended = once(child, "close").then(([code, signal]) => signal ?? code);
	const address = /http:\/\/[^\s"]+\/graphql/;
	await vi.waitFor(
		() => {
			if (address.test(output.stdout) || child.exitCode !== null || child.signalCode !== null) return;
			throw new Error("not ready yet");
		},
		{ timeout: 60_000, interval: 20 },
	);
	const [url] = address.exec(output.stdout) ?? [];
	const { pid } = child;
	if (url === undefined || pid === undefined) throw new Error(`The gateway ended: ${output.stdout}${output.stderr}`);
	return {
		url,
		pid,
		output: () => output.stdout,
		ended,
		signal: (signal, to = "gateway") => process.kill(to === "group" ? -pid : pid, signal),
		stop: async () => {
			child.kill("SIGTERM");
			await ended;
		},
	};
}

/** Runs a command to its end; `input` is what it finds on standard input. */
export async function runGateway(args: string[], env: Environment = {}, input = "") {
	const { child, output } = spawnGateway(args, env);
	child.stdin.end(input);
	const [code] = await once(child, "close");
	return { ...output, code: code as number | null };
}

/** Runs a command whose output is of interest while it runs. */
export function spawnGateway(args: string[], env: Environment) {
	const inherited = Object.entries(process.env).filter(([name]) => !OWN_VARIABLES.test(name));
	const child = spawn(process.execPath, ["--import", "tsx", "server/main.ts", ...args], {
		cwd: ROOT,
		env: { ...Object.fromEntries(inherited), ...env },
		stdio: ["pipe", "pipe", "pipe"],
		detached: true,
	});
	const output = { stdout: "", stderr: "" };
	child.stdout.on("data", (chunk) => {
		output.stdout += chunk;
	});
	child.stderr.on("data", (chunk) => {
		output.stderr += chunk;
	});
	return { child, output };
}
