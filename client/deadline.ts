import { StoreError } from "./errors.ts";

/** The time that one whole call has, and the caller's wish to end it earlier (rule ERR-3). */
export class Deadline {
	/** The error of the last failed attempt: the cause, should the time run out while waiting for the next one. */
	lastError: StoreError | undefined;
	readonly #controller = new AbortController();
	readonly #callerSignal: AbortSignal | undefined;
	readonly #endsAt: number;
	readonly #timer: ReturnType<typeof setTimeout>;
	#pause: ReturnType<typeof setTimeout> | undefined;
	#reject: ((error: StoreError) => void) | undefined;

	constructor(timeoutMs: number, callerSignal: AbortSignal | undefined) {
		this.#endsAt = performance.now() + timeoutMs;
		this.#timer = setTimeout(() => {
			const message = `The call took longer than ${timeoutMs} ms (ERR-3)`;
			this.#end(new StoreError({ code: "TimeoutError", message, cause: this.lastError }));
		}, timeoutMs);
		this.#callerSignal = callerSignal;
		if (callerSignal?.aborted) this.#onCallerAbort();
		else callerSignal?.addEventListener("abort", this.#onCallerAbort);
	}

	/** Aborted when the time is over or the caller aborts; its reason is the call's `StoreError`. */
	get signal(): AbortSignal {
		return this.#controller.signal;
	}

	get remainingMs(): number {
		return this.#endsAt - performance.now();
	}

	/** Runs work until it is done or the deadline passes, whichever is first, even if the work ignores the signal. */
	run<Result>(work: () => Promise<Result>): Promise<Result> {
		return new Promise((resolve, reject) => {
			this.signal.throwIfAborted();
			this.#reject = reject;
			work().then(resolve, reject);
		});
	}

	/** Waits before the next attempt. Never ends after `release`, which `run` has then left already. */
	pause(ms: number): Promise<void> {
		return new Promise((resolve) => {
			this.#pause = setTimeout(resolve, ms);
		});
	}

	/** Gives back everything that would outlive the call: timers, the listener on the caller's signal, the result. */
	release(): void {
		clearTimeout(this.#timer);
		clearTimeout(this.#pause);
		this.#reject = undefined;
		this.#callerSignal?.removeEventListener("abort", this.#onCallerAbort);
	}

	readonly #onCallerAbort = () => this.#end(abortError(this.#callerSignal?.reason));

	/** Tells `run` by itself: fetch keeps its signal for long, and a listener there would keep the call's result. */
	#end(error: StoreError): void {
		this.#controller.abort(error);
		this.#reject?.(error);
	}
}

/** The error of a call that its caller's signal ended. */
export function abortError(reason: unknown): StoreError {
	return reason instanceof Error && reason.name === "TimeoutError"
		? new StoreError({ code: "TimeoutError", message: "The signal's time is over", cause: reason })
		: new StoreError({ code: "AbortError", message: "The caller aborted the call", cause: reason });
}
