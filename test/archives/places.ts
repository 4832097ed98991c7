import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createSessions, createStates } from "@iga-pages/agent/sessions";
import { createSessionStore } from "@iga-pages/agent/store/claude";
import { createCheckpointer } from "@iga-pages/agent/store/langgraph";
import { createSession } from "@iga-pages/agent/store/openai";
import type { JsonObject } from "../../server/domain/json.ts";
import type { TestGateway } from "../support/gateway.ts";
import { runGateway } from "../support/gateway-process.ts";
import { query } from "../support/sql.ts";

/** A further project of a gateway, with its name, which commands ask for, and all ways into it. */
export async function createPlace(gateway: TestGateway) {
	const { projectId, token, store } = await gateway.createProject();
	const [row] = await query<{ name: string }>(gateway, "SELECT name FROM projects WHERE project_id = $1", [projectId]);
	const { name } = row!;
	const options = { url: gateway.url, token };
	return {
		name,
		projectId,
		token,
		store,
		sessions: createSessions(options),
		states: createStates(options),
		checkpointer: createCheckpointer(null, { store }),
		transcripts: createSessionStore({ store }),
		history: (conversationId: string) => createSession(conversationId, { store }),
		run: (command: string, args: string[], input?: string) =>
			runGateway([command, "--project", name, ...args], { DATABASE_URL: gateway.databaseUrl }, input),
	};
}

export type Place = Awaited<ReturnType<typeof createPlace>>;

/** The records of an archive's text. */
export function recordsOf(text: string): JsonObject[] {
	return text
		.trimEnd()
		.split("\n")
		.map((line) => JSON.parse(line) as JsonObject);
}

/** The text of an archive of these records, with header and ends where they are missing. */
export function archiveOf(...items: object[][]): string {
	const header = { record: "archive", format: "agent-store", version: 1, createdAt: "2026-11-30T00:00:00.000Z" };
	const records = items.flatMap((item) => [...item, { record: "end", records: item.length }]);
	return [header, ...records].map((record) => `${JSON.stringify(record)}\n`).join("");
}

const TIME = "2026-11-30T12:00:00.000Z";

/** The record of a conversation. */
export function conversationRecord(conversationId: string, fields: object = {}) {
	return {
		record: "conversation",
		conversationId,
		metadata: {},
		agentVersion: 0,
		agentRevision: "0",
		lastSeq: "9",
		activeBranch: 0,
		lastBranch: 0,
		createdAt: TIME,
		updatedAt: TIME,
		...fields,
	};
}

/** The record of a message. */
export function messageRecord(seq: number, fields: object = {}) {
	return {
		record: "message",
		messageId: `m-${seq}`,
		branch: 0,
		seq: String(seq),
		kind: "message",
		payload: { seq },
		metadata: {},
		createdAt: TIME,
		updatedAt: TIME,
		...fields,
	};
}

/** The hash of an archive without the header, which has the time of the export. */
export async function digestOf(file: string): Promise<string> {
	const text = await readFile(file, "utf8");
	return createHash("sha256")
		.update(text.slice(text.indexOf("\n")))
		.digest("hex");
}
