/** A branch as it is begun: from which seq on which branch; 0 is before the first row. */
export interface BranchPlace {
	branch: number;
	parentBranch: number;
	forkSeq: number;
	/** The seq of its first row, if it has one. */
	firstSeq: number;
}

/**
 * Gives the entries of a tree, which come in the order of their file, their places: seqs by that order, and branches.
 * An entry that follows the last one of a branch goes on with it; any other begins a branch. A place is the seq of a
 * row, since each seq is on one branch; 0 stands before the first row.
 */
export class SessionPlaces {
	/** All but branch 0. */
	readonly branches: BranchPlace[] = [];
	readonly #branchOf = [0];
	readonly #tips = [0];

	/** Rows so far. */
	get last(): number {
		return this.#branchOf.length - 1;
	}

	/** The branch of a place. */
	branchOf(place: number): number {
		return this.#branchOf[place]!;
	}

	/** Puts a row behind a place and returns its own. */
	append(parent: number): number {
		const branch = this.branchEndingAt(parent);
		this.#branchOf.push(branch);
		this.#tips[branch] = this.last;
		return this.last;
	}

	/** The branch whose next row follows a place: the one that ends there, or else a new one. */
	branchEndingAt(place: number): number {
		const parentBranch = this.branchOf(place);
		if (this.#tips[parentBranch] === place) return parentBranch;
		const branch = this.branches.length + 1;
		this.branches.push({ branch, parentBranch, forkSeq: place, firstSeq: this.last + 1 });
		this.#tips.push(place);
		return branch;
	}

	/** Whether a place is on the path to another one, itself included. */
	isOnPath(place: number, end: number): boolean {
		if (place === 0) return true;
		for (let branch = this.branchOf(end), high = end; ; ) {
			if (place <= high && this.branchOf(place) === branch) return true;
			if (branch === 0) return false;
			const { parentBranch, forkSeq } = this.branches[branch - 1]!;
			branch = parentBranch;
			high = Math.min(high, forkSeq);
		}
	}

	/** The first row behind a place, on the path that leads over it to another one; undefined where it ends there. */
	firstBehind(place: number, end: number): number | undefined {
		let next: number | undefined;
		for (let branch = this.branchOf(end), high = end; high > place; ) {
			const begun = this.branches[branch - 1];
			const first = begun?.firstSeq ?? 1;
			let row = Math.max(first, place + 1);
			while (row <= high && this.branchOf(row) !== branch) row += 1;
			if (row <= high) next = row;
			if (begun === undefined) break;
			branch = begun.parentBranch;
			high = Math.min(high, begun.forkSeq);
		}
		return next;
	}
}
