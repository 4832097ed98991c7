import { createSessions, type Sessions, type TailEvent, type TailInput } from "@iga-pages/agent/sessions";
import { onTestFinished, vi } from "vitest";

/** A tail that is being read, and all that it told. */
export interface ReadTail {
	events: TailEvent[];
	/** Resolves when the events told so far are as wanted. */
	until(isEnough: (events: TailEvent[]) => boolean): Promise<void>;
	/** The payloads of the messages told since the last reset. */
	payloads(): unknown[];
	/** Stops reading; resolves with the error that the tail ended with, if it did by itself. */
	stop(): Promise<unknown>;
	/** Resolves with the error that it ends with by itself. */
	ended: Promise<unknown>;
}

/** Sessions that wait for no long time between attempts. */
export function sessionsAt({ url, token }: { url: string; token: string }, fetch?: typeof globalThis.fetch): Sessions {
	return createSessions({ url, token, ...(fetch === undefined ? {} : { fetch }) });
}

/** Reads a tail until the test is finished. */
export function readTail(sessions: Sessions, input: TailInput): ReadTail {
	const leaving = new AbortController();
	const events: TailEvent[] = [];
	const ended = (async () => {
		try {
			for await (const event of sessions.tail(input, { signal: leaving.signal })) events.push(event);
		} catch (error) {
			return error;
		}
	})();
	const stop = () => {
		leaving.abort();
		return ended;
	};
	onTestFinished(async () => void (await stop()));
	return {
		events,
		ended,
		stop,
		until: (isEnough) =>
			vi.waitFor(
				() => {
					if (!isEnough(events)) throw new Error(`The tail has told only ${JSON.stringify(events).slice(0, 1_000)}`);
				},
				{ timeout: 30_000, interval: 5 },
			),
		payloads: () => {
			const start = events.findLastIndex(({ kind }) => kind === "reset") + 1;
			return events.slice(start).flatMap((event) => (event.kind === "message" ? [event.message.payload] : []));
		},
	};
}

export function messagesIn(events: readonly TailEvent[]): number {
	return events.filter(({ kind }) => kind === "message").length;
}
