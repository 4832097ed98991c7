import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** The body of a request for an answer, as far as tests look at it. */
export interface ModelRequest {
	model: string;
	stream?: boolean;
	tools?: { name: string }[];
	messages: { role: string; content: string | { type: string; text?: string }[] }[];
}

/** A call of a tool that the model answers with, to the first request that offers one of these tools. */
export interface ToolCall {
	names: string[];
	input: object;
}

/** The Messages API on loopback: every answer is `answer N`, apart from the tool calls that a test asks for. */
export interface FakeAnthropic {
	url: string;
	requests: ModelRequest[];
	/** Whatever else somebody wanted; each was refused. */
	refused: string[];
	toolCalls: ToolCall[];
	/** Called with each request before it is answered; an answer waits for what it returns. */
	before: (request: ModelRequest) => Promise<void> | void;
	close(): Promise<void>;
}

const USAGE = { input_tokens: 10, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 1 };

export async function startFakeAnthropic(): Promise<FakeAnthropic> {
	const server = createServer(async (request, response) => {
		const chunks: Buffer[] = [];
		for await (const chunk of request) chunks.push(chunk as Buffer);
		if (request.method === "HEAD") response.writeHead(200).end();
		else if (request.method === "POST" && request.url?.startsWith("/v1/messages")) {
			const body = JSON.parse(Buffer.concat(chunks).toString()) as ModelRequest;
			fake.requests.push(body);
			const number = fake.requests.length;
			await fake.before(body);
			answer(response, body, number, takeToolCall(fake, body));
		} else {
			fake.refused.push(`${request.method} ${request.url}`);
			response.writeHead(404).end();
		}
	});
	// The CLI takes this server as its proxy too, so that nothing can get past it.
	server.on("connect", (request, socket) => {
		fake.refused.push(`CONNECT ${request.url}`);
		socket.on("error", () => {});
		socket.end("HTTP/1.1 403 Forbidden\r\n\r\n");
	});
	server.listen(0, "127.0.0.1");
	await once(server, "listening");
	const fake: FakeAnthropic = {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
		requests: [],
		refused: [],
		toolCalls: [],
		before: () => {},
		close: async () => {
			server.closeAllConnections();
			server.close();
			await once(server, "close");
		},
	};
	return fake;
}

function takeToolCall(fake: FakeAnthropic, { tools = [] }: ModelRequest): (ToolCall & { name: string }) | undefined {
	for (const [index, call] of fake.toolCalls.entries()) {
		const tool = tools.find(({ name }) => call.names.includes(name));
		if (tool === undefined) continue;
		fake.toolCalls.splice(index, 1);
		return { ...call, name: tool.name };
	}
	return undefined;
}

function answer(
	response: ServerResponse,
	{ model, stream }: ModelRequest,
	number: number,
	call: (ToolCall & { name: string }) | undefined,
): void {
	const head = { id: `msg_${number}`, type: "message", role: "assistant", model, stop_sequence: null, usage: USAGE };
	const text = `answer ${number}`;
	const stop = call === undefined ? "end_turn" : "tool_use";
	const [block, delta] =
		call === undefined
			? [
					{ type: "text", text: "" },
					{ type: "text_delta", text },
				]
			: [
					{ type: "tool_use", id: `toolu_${number}`, name: call.name, input: {} },
					{ type: "input_json_delta", partial_json: JSON.stringify(call.input) },
				];
	if (!stream) {
		const content = call === undefined ? [{ type: "text", text }] : [{ ...block, input: call.input }];
		response.writeHead(200, { "content-type": "application/json" });
		response.end(JSON.stringify({ ...head, content, stop_reason: stop }));
		return;
	}
	response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
	const send = (type: string, data: object = {}) =>
		response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
	send("message_start", { message: { ...head, content: [], stop_reason: null } });
	send("content_block_start", { index: 0, content_block: block });
	send("content_block_delta", { index: 0, delta });
	send("content_block_stop", { index: 0 });
	send("message_delta", { delta: { stop_reason: stop, stop_sequence: null }, usage: { output_tokens: 5 } });
	send("message_stop");
	response.end();
}
