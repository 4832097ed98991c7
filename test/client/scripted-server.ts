import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A request as the scripted server received it. */
interface Received {
	method: string;
	path: string;
	headers: IncomingHttpHeaders;
	query: string;
	variables: Record<string, unknown>;
}

type Script = (response: ServerResponse, request: IncomingMessage) => void;

/** A server that answers as told: the first script to the first request, and so on; the last one repeats. */
export async function startScriptedServer(...scripts: [Script, ...Script[]]) {
	const received: Received[] = [];
	const server = createServer(async (request, response) => {
		const chunks: Buffer[] = [];
		for await (const chunk of request) chunks.push(chunk as Buffer);
		const body = JSON.parse(Buffer.concat(chunks).toString()) as Pick<Received, "query" | "variables">;
		const script = scripts[Math.min(received.length, scripts.length - 1)] ?? scripts[0];
		received.push({ ...body, method: request.method ?? "", path: request.url ?? "", headers: request.headers });
		script(response, request);
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const { port } = server.address() as AddressInfo;
	return {
		url: `http://127.0.0.1:${port}/graphql`,
		received,
		async [Symbol.asyncDispose]() {
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}

/** Answers as a gateway does. */
export function graphql(body: object, status = 200, headers: Record<string, string> = {}): Script {
	return (response) => {
		response.writeHead(status, { "content-type": "application/graphql-response+json; charset=utf-8", ...headers });
		response.end(JSON.stringify(body));
	};
}

/** Answers as something between the SDK and the gateway does. */
export function answer(status: number, headers: Record<string, string>, body: string): Script {
	return (response) => {
		response.writeHead(status, headers);
		response.end(body);
	};
}

/** An address where nothing listens. */
export async function refusedUrl(): Promise<string> {
	const server = await startScriptedServer(graphql({}));
	await server[Symbol.asyncDispose]();
	return server.url;
}
