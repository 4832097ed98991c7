import { Fault } from "../domain/faults.ts";
import type { Limits } from "../domain/limits.ts";

/** For whom a call waits, and until when. */
export interface Caller {
	/** Callers of one project share its turns; without one, calls are the gateway's own. */
	project?: string;
	/** Aborted when nobody wants the result any more. Asked for only when the call has to wait. */
	signal?: () => AbortSignal;
}

interface Waiter {
	start(): void;
	refuse(fault: Fault): void;
}

/** A project's calls: how many run, and those that wait, in order. */
interface Line {
	running: number;
	waiters: Waiter[];
}

/** The part of all places that one project may have at most, so that those that it blocks do not block the others. */
const SHARE = 0.8;

/**
 * Lets a fixed number of calls run at once. The others wait, a bounded number for a bounded time; projects take turns,
 * whatever the number of calls that each has waiting.
 */
export class Turns {
	readonly #places: number;
	readonly #limits: Pick<Limits, "waitingCalls" | "waitingMs">;
	/** In the order of their turns. */
	readonly #lines = new Map<string | undefined, Line>();
	#running = 0;
	#waiting = 0;
	#closed = false;

	constructor(places: number, limits: Pick<Limits, "waitingCalls" | "waitingMs">) {
		this.#places = places;
		this.#limits = limits;
	}

	/** Calls that wait. */
	get waiting(): number {
		return this.#waiting;
	}

	/** Refuses the calls that wait, and all that come: nothing of them was executed. */
	close(): void {
		this.#closed = true;
		for (const line of [...this.#lines.values()]) {
			for (const waiter of [...line.waiters]) {
				this.#remove(line, waiter);
				waiter.refuse(closed());
			}
		}
	}

	/**
	 * Resolves when the call may run, with what is to be called when it has. Rejects with TooManyRequests, and with
	 * ServiceUnavailable once closed.
	 */
	async take({ project, signal }: Caller): Promise<() => void> {
		if (this.#closed) throw closed();
		const line = this.#lines.get(project) ?? { running: 0, waiters: [] };
		this.#lines.set(project, line);
		if (this.#mayRun(project, line) && line.waiters.length === 0) this.#start(line);
		else await this.#wait(project, line, signal?.());
		return () => {
			this.#running -= 1;
			line.running -= 1;
			this.#tidy(project, line);
			this.#startNext();
		};
	}

	#mayRun(project: string | undefined, { running }: Line): boolean {
		const most = project === undefined ? this.#places : Math.ceil(this.#places * SHARE);
		return this.#running < this.#places && running < most;
	}

	#start(line: Line): void {
		this.#running += 1;
		line.running += 1;
	}

	async #wait(project: string | undefined, line: Line, signal: AbortSignal | undefined): Promise<void> {
		if (signal?.aborted) throw gone();
		if (this.#waiting >= this.#limits.waitingCalls) this.#makeRoom(line);
		let timer: NodeJS.Timeout | undefined;
		let leave = () => {};
		await new Promise<void>((resolve, reject) => {
			const waiter: Waiter = { start: resolve, refuse: reject };
			const giveUp = (fault: Fault) => {
				if (!this.#remove(line, waiter)) return;
				this.#tidy(project, line);
				reject(fault);
			};
			leave = () => giveUp(gone());
			timer = setTimeout(() => giveUp(overloaded()), this.#limits.waitingMs);
			signal?.addEventListener("abort", leave, { once: true });
			line.waiters.push(waiter);
			this.#waiting += 1;
		}).finally(() => {
			clearTimeout(timer);
			signal?.removeEventListener("abort", leave);
		});
	}

	/** All places to wait are taken: the project with the most calls there gives one up, be it the one that comes. */
	#makeRoom(line: Line): void {
		const longest = [...this.#lines.values()].reduce((a, b) => (b.waiters.length > a.waiters.length ? b : a));
		const last = longest.waiters.at(-1);
		if (last === undefined || longest.waiters.length <= line.waiters.length + 1) throw overloaded();
		this.#remove(longest, last);
		last.refuse(overloaded());
	}

	#startNext(): void {
		for (const [project, line] of this.#lines) {
			const [next] = line.waiters;
			if (next === undefined || !this.#mayRun(project, line)) continue;
			this.#remove(line, next);
			// Behind the others, for the next turn is theirs.
			this.#lines.delete(project);
			this.#lines.set(project, line);
			this.#start(line);
			next.start();
			return;
		}
	}

	/** False when it does not wait any more. */
	#remove(line: Line, waiter: Waiter): boolean {
		const index = line.waiters.indexOf(waiter);
		if (index < 0) return false;
		line.waiters.splice(index, 1);
		this.#waiting -= 1;
		return true;
	}

	#tidy(project: string | undefined, line: Line): void {
		if (line.running === 0 && line.waiters.length === 0) this.#lines.delete(project);
	}
}

export function overloaded(): Fault {
	return new Fault("TooManyRequests", "Too many calls wait for the database; try again later", { retryAfter: 1 });
}

function closed(): Fault {
	return new Fault("ServiceUnavailable", "The gateway is shutting down", { retryAfter: 1 });
}

/** Nobody reads it; 499 is what proxies log for it. */
function gone(): Fault {
	return new Fault("UnknownError", "The caller went away before its turn", { status: 499 });
}
