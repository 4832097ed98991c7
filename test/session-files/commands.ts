import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createSessions, type Message, type Sessions } from "@iga-pages/agent/sessions";
import { expect } from "vitest";
import { temporaryFolder } from "../support/folder.ts";
import type { TestGateway, TestProject } from "../support/gateway.ts";
import { runGateway } from "../support/gateway-process.ts";
import { query } from "../support/sql.ts";

/** A project of a gateway, with what its operator and its users can do with session files. */
export interface Workplace extends TestProject {
	sessions: Sessions;
	/** Runs a command on the project. */
	run(args: string[], input?: string): ReturnType<typeof runGateway>;
	/** Imports a file of this text, or of these lines, and expects that to work. Returns what was said. */
	import(file: string, args?: string[]): Promise<{ stdout: string; stderr: string }>;
	/** Exports a conversation and returns the lines. */
	export(conversationId: string, format: string, args?: string[]): Promise<string[]>;
}

/** Makes a project on a gateway. */
export async function createWorkplace(gateway: TestGateway): Promise<Workplace> {
	const project = await gateway.createProject();
	const [row] = await query<{ name: string }>(gateway, "SELECT name FROM projects WHERE project_id = $1", [
		project.projectId,
	]);
	const [command, ...options] = ["--project", row!.name];
	const run: Workplace["run"] = ([name = "", ...args], input) =>
		runGateway([name, command!, ...options, ...args], { DATABASE_URL: gateway.databaseUrl }, input);
	return {
		...project,
		sessions: createSessions({ url: gateway.url, token: project.token }),
		run,
		async import(file, args = []) {
			const { code, stdout, stderr } = await run(["import", file, ...args]);
			expect([code, stderr]).toEqual([0, stderr]);
			return { stdout, stderr };
		},
		async export(conversationId, format, args = []) {
			const { code, stdout, stderr } = await run([
				"export",
				"--conversation",
				conversationId,
				"--format",
				format,
				...args,
			]);
			expect([code, stderr]).toEqual([0, ""]);
			return stdout.trimEnd().split("\n");
		},
	};
}

/** A file of its own for a test. */
export async function fileWith(text: string | Uint8Array, name = "session.jsonl"): Promise<string> {
	const file = join(await temporaryFolder(), name);
	await writeFile(file, text);
	return file;
}

/** All messages of all branches, by seq. */
export async function allMessages({ sessions }: Workplace, conversationId: string): Promise<Message[]> {
	const found = new Map<string, Message>();
	for (const { branch } of await sessions.listBranches({ conversationId })) {
		let cursor: string | null = null;
		do {
			const page = await sessions.listPath({ conversationId, branch, limit: 200, cursor });
			for (const message of page.items) found.set(message.messageId, message);
			cursor = page.nextCursor;
		} while (cursor !== null);
	}
	return [...found.values()].sort((a, b) => Number(a.seq) - Number(b.seq));
}

/** The id of the entry that a message was. */
export function entryIdOf({ metadata }: Pick<Message, "metadata">): string {
	return (metadata["entry"] as { id: string }).id;
}
