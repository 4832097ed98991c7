import type { IncomingMessage } from "node:http";
import type { GraphQLParams } from "graphql-yoga";
import { badRequest, Fault } from "../domain/faults.ts";
import { findInexactNumber, type JsonObject, tooLarge } from "../domain/json.ts";
import type { Limits } from "../domain/limits.ts";
import { BytesInFlight } from "./bytes-in-flight.ts";

const UTF8 = new TextDecoder("utf-8", { fatal: true });

/** Reads requests' bodies within the limits of one body and of all that are being worked on (rule VAL-7). */
export class BodyReader {
	readonly #limits: Limits;
	readonly #inFlight: BytesInFlight;

	constructor(limits: Limits) {
		this.#limits = limits;
		this.#inFlight = new BytesInFlight(limits.requestBytesInFlight);
	}

	/** Bytes of the bodies that are being read or worked on. */
	get bytesInFlight(): number {
		return this.#inFlight.total;
	}

	/** Reads the GraphQL parameters of a project's request; whatever it reserves is given to `onReserve` for release. */
	async read(request: Request, project: string, onReserve: OnReserve): Promise<GraphQLParams> {
		if (request.method === "GET") return readUrl(request);
		checkHeaders(request, ["application/json", "application/graphql+json"]);
		return parse("body", await this.#readText(request, project, onReserve));
	}

	/** The same for a POST of `node:http` that is known to be JSON. */
	async readMessage(message: IncomingMessage, project: string, onReserve: OnReserve): Promise<GraphQLParams> {
		const intake = this.#open(message.headers["content-length"], project, onReserve);
		await takeAll(message, intake);
		return parse("body", intake.text());
	}

	/** Reads the JSON object that a project's request may carry; an empty one where it carries nothing. */
	async readObject(request: Request, project: string, onReserve: OnReserve): Promise<JsonObject> {
		if (request.method === "GET") return {};
		const text = await this.#readText(request, project, onReserve);
		if (text === "") return {};
		checkHeaders(request, ["application/json"]);
		return parse("body", text) as JsonObject;
	}

	async #readText(request: Request, project: string, onReserve: OnReserve): Promise<string> {
		const intake = this.#open(request.headers.get("content-length"), project, onReserve);
		// Not `for await`: leaving such a loop destroys the connection, and the refusal would never arrive.
		const body = request.body?.[Symbol.asyncIterator]();
		for (let part = await readPart(body); part?.done === false; part = await readPart(body)) {
			try {
				intake.take(part.value);
			} catch (refusal) {
				void discard(body!);
				throw refusal;
			}
		}
		return intake.text();
	}

	#open(length: string | null | undefined, project: string, onReserve: OnReserve): Intake {
		const { requestBytes } = this.#limits;
		const intake = new Intake(requestBytes, this.#inFlight, project);
		onReserve(() => intake.release());
		// A body that says its size is refused before it is read.
		if (Number(length ?? 0) > requestBytes) throw tooLarge("body", requestBytes);
		return intake;
	}
}

type OnReserve = (release: () => void) => void;

/** The parts of a body that have come so far. */
class Intake {
	readonly #most: number;
	readonly #inFlight: BytesInFlight;
	readonly #project: string;
	readonly #parts: Uint8Array[] = [];
	#bytes = 0;

	constructor(most: number, inFlight: BytesInFlight, project: string) {
		this.#most = most;
		this.#inFlight = inFlight;
		this.#project = project;
	}

	take(part: Uint8Array): void {
		this.#bytes += part.byteLength;
		const hasRoom = this.#inFlight.add(this.#project, part.byteLength);
		if (this.#bytes > this.#most) throw tooLarge("body", this.#most);
		if (!hasRoom)
			throw new Fault("TooManyRequests", "Too many bytes are being worked on; try again later", { retryAfter: 1 });
		this.#parts.push(part);
	}

	text(): string {
		try {
			return UTF8.decode(Buffer.concat(this.#parts));
		} catch (cause) {
			throw new Fault("BadRequest", "body: must be UTF-8", { cause });
		}
	}

	release(): void {
		this.#inFlight.remove(this.#project, this.#bytes);
		this.#bytes = 0;
	}
}

/** Takes in all that comes. After a refusal the rest is read and not kept, so that the client comes to read the answer. */
function takeAll(message: IncomingMessage, intake: Intake): Promise<void> {
	return new Promise((resolve, reject) => {
		if (message.destroyed) throw brokenOff(message.errored);
		const take = (part: Buffer) => {
			try {
				intake.take(part);
			} catch (refusal) {
				message.off("data", take).resume();
				reject(refusal);
			}
		};
		message.on("data", take).on("end", resolve);
		message.on("close", () => {
			if (!message.readableEnded) reject(brokenOff(message.errored));
		});
	});
}

function checkHeaders({ headers }: Request, types: readonly string[]): void {
	const type = headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
	if (type === undefined || !types.includes(type)) {
		throw new Fault("BadRequest", "content-type: must be application/json", { status: 415 });
	}
	const encoding = headers.get("content-encoding");
	if (encoding !== null && encoding !== "identity") {
		throw new Fault("BadRequest", "content-encoding: must be identity", { status: 415 });
	}
}

async function readPart(body: AsyncIterator<Uint8Array> | undefined): Promise<IteratorResult<Uint8Array> | undefined> {
	try {
		return await body?.next();
	} catch (cause) {
		throw brokenOff(cause);
	}
}

function brokenOff(cause: unknown): Fault {
	return new Fault("BadRequest", "body: broke off before its end", { cause });
}

/** Reads what is left of a refused body and keeps nothing of it, so that the client comes to read the answer. */
async function discard(body: AsyncIterator<Uint8Array>): Promise<void> {
	try {
		while (!(await body.next()).done);
	} catch {
		// The client has left.
	}
}

function readUrl(request: Request): GraphQLParams {
	const { searchParams } = new URL(request.url, "http://gateway");
	const params: Record<string, unknown> = {};
	for (const [name, value] of searchParams) {
		params[name] = name === "variables" || name === "extensions" ? parse(name, value) : value;
	}
	return params;
}

function parse(field: string, text: string): GraphQLParams {
	const inexact = findInexactNumber(text);
	if (inexact !== undefined) {
		throw badRequest(field, `the number ${inexact.slice(0, 60)} would change its value; send it as a string (VAL-10)`);
	}
	let value: unknown;
	try {
		value = JSON.parse(text);
	} catch (cause) {
		throw new Fault("BadRequest", `${field}: must be JSON`, { cause });
	}
	if (Array.isArray(value)) throw badRequest(field, "must be one request; batches of requests are not taken");
	if (typeof value !== "object" || value === null) throw badRequest(field, "must be a JSON object");
	return value;
}
