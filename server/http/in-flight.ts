/** The requests that are being answered, so that a closing gateway can finish them. */
export class InFlight {
	#count = 0;
	#whenIdle: (() => void) | undefined;
	#closing = false;

	get count(): number {
		return this.#count;
	}

	/** Takes a request in; false when the gateway is closing and takes no more. */
	enter(): boolean {
		if (!this.#closing) this.#count += 1;
		return !this.#closing;
	}

	/** Counts a stream that goes on when its request is answered; also while closing, for the request was let in. */
	stay(): void {
		this.#count += 1;
	}

	leave(): void {
		this.#count -= 1;
		if (this.#count === 0) this.#whenIdle?.();
	}

	/** Takes no more requests, and waits for those that are under way; at most `graceMs` milliseconds. */
	async drain(graceMs: number): Promise<void> {
		this.#closing = true;
		if (this.#count === 0) return;
		let timer: NodeJS.Timeout | undefined;
		await new Promise<void>((resolve) => {
			this.#whenIdle = resolve;
			timer = setTimeout(resolve, graceMs);
		});
		clearTimeout(timer);
	}
}
