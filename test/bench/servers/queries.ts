import type { QueryConfig } from "pg";
import type { Call } from "../call.ts";
import type { Statements } from "../statements.ts";

/** What the programs that run the gateway's SQL without the gateway are told at their start, as JSON. */
export interface ProgramOptions {
	databaseUrl: string;
	projectId: string;
	statements: Statements;
}

export function readOptions(): ProgramOptions {
	return JSON.parse(process.argv[2] ?? "") as ProgramOptions;
}

/** Connections at most, as many as the gateway takes by default. */
export const POOL_SIZE = 10;

const PAGE_BYTES = 16 * 1024 * 1024;

/** The query of a call, with the values that the gateway gives the same statement. */
export function toQuery({ projectId, statements }: ProgramOptions, call: Call): QueryConfig {
	switch (call.kind) {
		case "append": {
			const payloads = call.messages.map(({ payload }) => JSON.stringify(payload));
			return query(statements.append, [
				projectId,
				call.conversationId,
				call.messages.map(({ messageId }) => messageId),
				call.messages.map(({ role }) => role),
				call.messages.map(() => null),
				payloads,
				call.messages.map(() => "{}"),
				payloads.map((payload) => Buffer.byteLength(payload) + 2),
				call.messages.map(() => "message"),
				call.messages.map(() => null),
				true,
			]);
		}
		case "messages":
			return query(statements[call.order], [
				projectId,
				[call.conversationId],
				[null],
				[null],
				[null],
				call.limit,
				PAGE_BYTES,
			]);
		case "message":
			return query(statements.message, [projectId, [call.messageId]]);
		case "conversations":
			return query(statements.conversations, [projectId, null, null, call.limit, PAGE_BYTES]);
	}
}

function query({ name, text }: Statements["append"], values: unknown[]): QueryConfig {
	return { name, text, values };
}
