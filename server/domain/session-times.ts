const EARLIEST = Date.parse("1970-01-01T00:00:00.000Z");
const LATEST = Date.parse("9999-12-31T23:59:59.999Z");

/**
 * Gives rows their times. Those in files may be out of order, or missing, and a message's time never contradicts its
 * seq: so a row is as old as its entry says, but never older than the one before it.
 */
export class SessionClock {
	readonly #times: number[] = [];

	/** Takes the time of the next row. */
	tick(timestamp: string | null): void {
		const before = this.#times.at(-1) ?? Number.NaN;
		const own = read(timestamp);
		this.#times.push(Number.isNaN(own) || own < before ? before : own);
	}

	/** The time of the row with this seq. */
	at(seq: number): string {
		const time = this.#times[seq - 1] ?? Number.NaN;
		// Rows before the first known time are as old as that.
		return write(Number.isNaN(time) ? this.#firstKnown() : time);
	}

	/** The time of the last row. */
	last(): string {
		return this.at(this.#times.length);
	}

	/** When the session began: at its header's time, if no row is older. */
	first(timestamp: string | null | undefined): string {
		const own = read(timestamp ?? null);
		const known = this.#firstKnown();
		return write(Number.isNaN(own) ? known : Number.isNaN(known) ? own : Math.min(own, known));
	}

	#firstKnown(): number {
		return this.#times.find((time) => !Number.isNaN(time)) ?? Number.NaN;
	}
}

/** NaN where there is none, or one that is none, such as the year 1 that Go writes for it. */
function read(timestamp: string | null): number {
	const time = timestamp === null ? Number.NaN : Date.parse(timestamp);
	return time >= EARLIEST && time <= LATEST ? time : Number.NaN;
}

function write(time: number): string {
	return new Date(Number.isNaN(time) ? EARLIEST : time).toISOString();
}
