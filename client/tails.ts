import { abortError } from "./deadline.ts";
import { badRequest, StoreError } from "./errors.ts";
import { MessageAddedDocument, type MessageAddedSubscription } from "./generated/operations.ts";
import { checkId, readArguments } from "./input.ts";
import { checkCallOptions, type Settings } from "./options.ts";
import { Failure } from "./responses.ts";
import type { Sessions } from "./session-methods.ts";
import type { TailEvent } from "./session-types.ts";
import { subscribe } from "./subscriptions.ts";
import { jitteredPause } from "./transport.ts";

/** The method that follows a conversation; what it promises is said at `Sessions`. */
export function tailMethods(settings: Settings): Pick<Sessions, "tail"> {
	return {
		tail(input, options) {
			const args = readArguments("tail", input, ["conversationId", "after", "last"]);
			const conversationId = checkId("conversationId", args.conversationId);
			const start = { ...checkPosition(args.after), ...checkLast(args.last) };
			if (start.after !== undefined && start.last !== undefined) throw badRequest("last", "must be omitted with after");
			const { signal, timeoutMs = settings.timeoutMs } = checkCallOptions(options);
			return follow(settings, { conversationId, ...start }, { signal, timeoutMs });
		},
	};
}

interface Place {
	conversationId: string;
	after?: string;
	last?: number;
}

async function* follow(
	settings: Settings,
	start: Place,
	patience: { signal: AbortSignal | undefined; timeoutMs: number },
): AsyncGenerator<TailEvent, never> {
	const { signal } = patience;
	let place = start;
	let failures = 0;
	for (;;) {
		if (signal?.aborted) throw abortError(signal.reason);
		try {
			for await (const data of subscribe(settings, { document: MessageAddedDocument, variables: place }, patience)) {
				const event = toEvent(data);
				place = { conversationId: start.conversationId, after: event.position };
				failures = 0;
				yield event;
			}
		} catch (error) {
			if (signal?.aborted) throw abortError(signal.reason);
			if (error instanceof StoreError) throw error;
			if (!(error instanceof Failure)) {
				throw new StoreError({ code: "UnknownError", message: "The SDK failed unexpectedly", cause: error });
			}
			const wasOpened = place !== start;
			if (!error.transient || (!wasOpened && failures >= settings.retries)) throw error.error;
			await pause(Math.max(error.retryAfterMs, jitteredPause(failures++)), signal);
		}
	}
}

function toEvent({ messageAdded }: MessageAddedSubscription): TailEvent {
	const { kind, position, message } = messageAdded!;
	if (kind === "MESSAGE") return { kind: "message", position, message: message! };
	return { kind: kind === "RESET" ? "reset" : "opened", position };
}

/** Waits, at most until the caller aborts. */
function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
	return new Promise((resolve) => {
		const end = () => {
			clearTimeout(timer);
			signal?.removeEventListener("abort", end);
			resolve();
		};
		const timer = setTimeout(end, ms);
		signal?.addEventListener("abort", end);
	});
}

/** Checks a position's form; only the gateway can tell whether it is good. */
function checkPosition(value: unknown): { after?: string } {
	if (value == null) return {};
	if (typeof value !== "string" || value === "") throw badRequest("after", "must be a position, a non-empty string");
	return { after: value };
}

function checkLast(value: unknown): { last?: number } {
	if (value == null) return {};
	if (typeof value !== "number" || !Number.isInteger(value) || value < 0 || value > 2 ** 31 - 1) {
		throw badRequest("last", "must be an integer of at least 0");
	}
	return { last: value };
}
