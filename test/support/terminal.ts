import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";

const PROGRAM = "script";

/** Whether `script` of util-linux is there, which lends a terminal to a command. */
export const hasTerminal = spawnSync(PROGRAM, ["--version"]).status === 0;

/** Runs a command on a terminal; each question that it asks gets a line typed in. @returns All that the terminal showed. */
export async function runOnTerminal(
	command: string[],
	options: { cwd?: string; env?: Record<string, string | undefined> },
	answers: [question: string, line: string][],
): Promise<{ code: number; shown: string }> {
	const line = command.map((word) => `'${word}'`).join(" ");
	const child = spawn(PROGRAM, ["-qec", line, "/dev/null"], { ...options, stdio: ["pipe", "pipe", "inherit"] });
	let shown = "";
	const left = [...answers];
	child.stdout.on("data", (chunk) => {
		shown += chunk;
		const [next] = left;
		if (next === undefined || !shown.includes(next[0])) return;
		left.shift();
		child.stdin.write(`${next[1]}\n`);
	});
	const [code] = await once(child, "close");
	return { code, shown };
}
