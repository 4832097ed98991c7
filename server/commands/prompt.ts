import { createInterface } from "node:readline";

/** What is typed in answer to a question on a terminal, else the first line of standard input; empty when there is none. */
export async function readAnswer(question: string): Promise<string> {
	const { stdin, stderr } = process;
	// The question goes to standard error, so that standard output holds results only.
	if (stdin.isTTY) stderr.write(question);
	const lines = createInterface({ input: stdin });
	for await (const line of lines) return line.trim();
	return "";
}
