import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { FoldSessionSummary, SessionStore } from "@iga-pages/agent/store/claude";

/** The parts of the Claude Agent SDK that the tests use. */
export interface ClaudeSdk {
	query(input: { prompt: string; options: Record<string, unknown> }): AsyncIterable<SdkMessage>;
	listSessions(options: HelperOptions): Promise<{ sessionId: string; summary: string; customTitle?: string }[]>;
	getSessionMessages(sessionId: string, options: HelperOptions): Promise<unknown[]>;
	listSubagents(sessionId: string, options: HelperOptions): Promise<string[]>;
	renameSession(sessionId: string, title: string, options: HelperOptions): Promise<void>;
	forkSession(sessionId: string, options: HelperOptions): Promise<{ sessionId: string }>;
	deleteSession(sessionId: string, options: HelperOptions): Promise<void>;
	/** Absent before 0.2.118. */
	foldSessionSummary?: FoldSessionSummary;
}

interface HelperOptions {
	dir: string;
	sessionStore: SessionStore;
}

export interface SdkMessage {
	type: string;
	subtype?: string;
	session_id?: string;
	result?: string;
	errors?: string[];
	error?: string;
}

/** The ends of the range that the adapter supports, by the names in sdks/package.json. */
export const VERSIONS = [
	{ version: "0.3.332", name: "claude-agent-sdk-latest", namesProjects: true },
	{ version: "0.2.113", name: "claude-agent-sdk-oldest", namesProjects: false },
] as const;

/** Path of an SDK's module. Its binaries are hundreds of megabytes, so it is installed when it is first needed. */
export function sdkFile(name: string): string {
	const folder = fileURLToPath(new URL("./sdks", import.meta.url));
	const file = `${folder}/node_modules/${name}/sdk.mjs`;
	if (!existsSync(file)) {
		execFileSync("npm", ["ci", "--prefix", folder, "--no-audit", "--no-fund"], { stdio: "inherit", timeout: 900_000 });
	}
	return file;
}

export async function importSdk(name: string): Promise<ClaudeSdk> {
	return (await import(pathToFileURL(sdkFile(name)).href)) as ClaudeSdk;
}
