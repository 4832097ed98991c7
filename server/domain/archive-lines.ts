import type { ArchiveLine } from "./archives.ts";
import { Fault } from "./faults.ts";
import { findInexactNumber, type JsonValue, tooLarge } from "./json.ts";
import type { Limits } from "./limits.ts";

const NEWLINE = 10;
/** What a record may have beyond what came in by one request: its own fields, and those that the gateway adds. */
const ADDED_BYTES = 1024 * 1024;

/** Reads JSON Lines as they come in, one at a time. A line that cannot be read is a fault; blank ones are left out. */
export async function* readArchiveLines(
	chunks: AsyncIterable<Uint8Array>,
	limits: Pick<Limits, "requestBytes">,
): AsyncGenerator<ArchiveLine> {
	const most = limits.requestBytes + ADDED_BYTES;
	let line = 0;
	let parts: Uint8Array[] = [];
	let bytes = 0;
	const add = (part: Uint8Array) => {
		bytes += part.length;
		// Of a line that is too long nothing is kept.
		if (bytes > most) parts = [];
		else parts.push(part);
	};
	const take = (): ArchiveLine | undefined => {
		line++;
		const read = bytes > most ? { fault: tooLarge("line", most) } : readLine(Buffer.concat(parts, bytes));
		parts = [];
		bytes = 0;
		return read && { line, ...read };
	};
	for await (const chunk of chunks) {
		let start = 0;
		for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
			add(chunk.subarray(start, end));
			const taken = take();
			if (taken !== undefined) yield taken;
			start = end + 1;
		}
		if (start < chunk.length) add(chunk.subarray(start));
	}
	const last = take();
	if (last !== undefined) yield last;
}

const UTF8 = new TextDecoder("utf-8", { fatal: true });

function readLine(bytes: Uint8Array): { value: JsonValue } | { fault: Fault; cut?: boolean } | undefined {
	let text: string;
	try {
		text = UTF8.decode(bytes);
	} catch {
		return { fault: new Fault("BadRequest", "must be UTF-8"), cut: true };
	}
	if (text.trim() === "") return undefined;
	let value: JsonValue;
	try {
		value = JSON.parse(text) as JsonValue;
	} catch {
		return { fault: new Fault("BadRequest", "must be JSON"), cut: true };
	}
	const inexact = findInexactNumber(text);
	if (inexact === undefined) return { value };
	return { fault: new Fault("BadRequest", `the number ${inexact.slice(0, 40)} would change its value (VAL-10)`) };
}
