import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";

/** A request as routers pass it on, after a body parser perhaps. */
export type PassedOn = IncomingMessage & { originalUrl?: string; body?: unknown; rawBody?: unknown };

/**
 * A request with its body to be read, also where a body parser of the server around the gateway has read it: as it came
 * if that was kept (`rawBody`), else printed anew, so that numbers are what the parser made of them.
 */
export function withBody(request: PassedOn): IncomingMessage {
	const { method, url, originalUrl = url, headers, socket, body, rawBody = body } = request;
	if (!request.readableEnded) return request;
	// The parser has unpacked it, and what it left may have another length.
	const { "content-encoding": _packed, "content-length": _length, ...others } = headers;
	const again = { method, url, originalUrl, headers: others, socket };
	return Object.assign(Readable.from(parts(rawBody)), again) as unknown as IncomingMessage;
}

function parts(body: unknown): (string | Uint8Array)[] {
	if (body === undefined) return [];
	const isText = typeof body === "string" || body instanceof Uint8Array;
	return [isText ? Buffer.from(body) : Buffer.from(JSON.stringify(body))];
}
