import type { Call } from "../call.ts";
import { type Load, type Message, runLoad, withClient } from "../load.ts";
import type { ServerProcess } from "../server-process.ts";
import type { Statements } from "../statements.ts";

/** What a contender is given: a database, and a project of its own with the rows that all of them get. */
export interface Start {
	databaseUrl: string;
	projectId: string;
	token: string;
	statements: Statements;
}

/** A server, or what stands for one, under load. */
export interface Contender {
	name: string;
	projectId: string;
	process: ServerProcess;
	/** Makes the calls ready; running them is what is measured. */
	prepare(calls: readonly Call[], concurrency: number): Promise<() => Promise<Load>>;
	/** The messages or conversations that a call answers with. */
	ask(call: Call): Promise<Record<string, unknown>[]>;
	stop(): Promise<void>;
}

/** How a server over HTTP is spoken to. */
export interface Language {
	encode(call: Call): Message | Promise<Message>;
	decode(answer: unknown): Record<string, unknown>[];
}

/** A contender that speaks HTTP. */
export function overHttp(name: string, projectId: string, process: ServerProcess, language: Language): Contender {
	return {
		name,
		projectId,
		process,
		prepare: async (calls, concurrency) => {
			const messages: Message[] = [];
			for (const call of calls) messages.push(await language.encode(call));
			return () =>
				withClient(process.port, concurrency, (client) =>
					runLoad(messages, concurrency, (message) => client.post(message)),
				);
		},
		ask: async (call) => {
			const message = await language.encode(call);
			const answer = await withClient(process.port, 1, (client) => client.post(message));
			return language.decode(JSON.parse(answer));
		},
		stop: process.stop,
	};
}

/** The messages or conversations of an answer of GraphQL, by whatever field it comes. */
export function decodeGraphql(answer: unknown): Record<string, unknown>[] {
	const { data, errors } = answer as { data: Record<string, Record<string, unknown>>; errors?: unknown };
	if (errors !== undefined) throw new Error(`Answered with errors: ${JSON.stringify(errors)}`);
	const [field = {}] = Object.values(data);
	const { nodes, messages, message, result } = field;
	const items = nodes ?? messages ?? [message ?? result ?? field];
	return items as Record<string, unknown>[];
}

/** What `fetch` of Node adds to every request, whatever the server. */
const FETCH_HEADERS = {
	"accept-encoding": "gzip, deflate",
	"accept-language": "*",
	"sec-fetch-mode": "cors",
	"user-agent": "node",
};

/** A POST of JSON as `fetch` sends it. */
export function jsonPost(path: string, body: object | string, headers: Record<string, string> = {}): Message {
	const text = typeof body === "string" ? body : JSON.stringify(body);
	const length = { "content-type": "application/json", "content-length": String(Buffer.byteLength(text)) };
	return { path, headers: { ...FETCH_HEADERS, ...length, ...headers }, body: text };
}
