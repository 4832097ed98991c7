/** One event of a stream. */
export interface ServerEvent {
	event: string;
	data: string;
}

/** Reads the events of a stream, in the format of server-sent events. `onBytes` hears of every sign of life. */
export async function* readEvents(
	body: ReadableStream<Uint8Array>,
	onBytes: () => void,
): AsyncGenerator<ServerEvent, undefined> {
	const decoder = new TextDecoder();
	const reader = body.getReader();
	// Of a line that has not ended; large ones come in many pieces.
	let pieces: string[] = [];
	let current = noEvent();
	try {
		for (let part = await reader.read(); !part.done; part = await reader.read()) {
			onBytes();
			const text = decoder.decode(part.value, { stream: true });
			let start = 0;
			for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", start)) {
				const line = [...pieces, text.slice(start, end)].join("").replace(/\r$/, "");
				pieces = [];
				start = end + 1;
				if (line !== "") readLine(line, current);
				else {
					if (current.data.length > 0) yield { event: current.event, data: current.data.join("\n") };
					current = noEvent();
				}
			}
			pieces.push(text.slice(start));
		}
	} finally {
		// Whether an unread rest can be cancelled concerns nobody any more.
		reader.cancel().catch(() => {});
	}
}

function noEvent(): { event: string; data: string[] } {
	return { event: "message", data: [] };
}

/** Other fields, and comments, say nothing to us. */
function readLine(line: string, event: ReturnType<typeof noEvent>): void {
	const [, name, value = ""] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
	if (name === "event") event.event = value;
	if (name === "data") event.data.push(value);
}
