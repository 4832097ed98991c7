import { startServerProcess } from "../server-process.ts";
import { type Contender, jsonPost, overHttp, type Start } from "./contender.ts";

/** What a good engineer would write by hand: Fastify and pg. */
export async function startByHand({ databaseUrl, projectId, statements }: Start): Promise<Contender> {
	const options = JSON.stringify({ databaseUrl, projectId, statements });
	const process = await startServerProcess("./servers/by-hand.ts", [options]);
	return overHttp("by hand: Fastify + pg", projectId, process, {
		encode: (call) => jsonPost(`/${call.kind}`, call),
		decode,
	});
}

function decode(answer: unknown): Record<string, unknown>[] {
	const { messages, nodes } = answer as { messages?: Record<string, unknown>[]; nodes?: Record<string, unknown>[] };
	return messages ?? nodes ?? [answer as Record<string, unknown>];
}
