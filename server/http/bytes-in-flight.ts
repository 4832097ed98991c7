/** Counts the bytes of bodies that are being read or worked on, by project. */
export class BytesInFlight {
	readonly #most: number;
	readonly #held = new Map<string, number>();
	#total = 0;

	/** @param most Bytes of all projects together, and of each as long as it is alone. */
	constructor(most: number) {
		this.#most = most;
	}

	get total(): number {
		return this.#total;
	}

	/**
	 * Counts bytes in; false when they are too many. Beyond the limit a project is held to an even share, so that one
	 * that takes all does not lock out the others; together they never exceed twice the limit.
	 */
	add(project: string, bytes: number): boolean {
		const held = (this.#held.get(project) ?? 0) + bytes;
		this.#held.set(project, held);
		this.#total += bytes;
		if (this.#total <= this.#most) return true;
		return held <= this.#most / this.#held.size && this.#total <= this.#most * 2;
	}

	remove(project: string, bytes: number): void {
		const left = (this.#held.get(project) ?? 0) - bytes;
		if (left > 0) this.#held.set(project, left);
		else this.#held.delete(project);
		this.#total -= bytes;
	}
}
