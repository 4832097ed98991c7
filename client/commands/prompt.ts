import { createInterface } from "node:readline";
import { Writable } from "node:stream";

/** Whether somebody sits at a terminal. */
export function isInteractive(): boolean {
	return process.stdin.isTTY === true;
}

/** What is typed in answer to a question, unseen if it is a secret; without a terminal the first line of standard input. */
export async function ask(question: string, { secret }: { secret: boolean }): Promise<string> {
	const interactive = isInteractive();
	const hidden = interactive && secret;
	// In terminal mode, readline itself shows what is typed: here nowhere. It has to be in that mode before the question
	// invites anybody to type.
	const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
	const lines = createInterface({ input: process.stdin, ...(hidden ? { output: nowhere, terminal: true } : {}) });
	lines.once("SIGINT", () => {
		process.stderr.write("\n");
		process.exit(130);
	});
	if (interactive) process.stderr.write(question);
	for await (const line of lines) {
		if (hidden) process.stderr.write("\n");
		return line.trim();
	}
	return "";
}
