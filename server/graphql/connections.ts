import { badRequest } from "../domain/faults.ts";
import type { Page } from "../domain/pages.ts";

/** The arguments of a Relay connection. */
export interface ConnectionArgs {
	first?: number | null | undefined;
	after?: string | null | undefined;
	last?: number | null | undefined;
	before?: string | null | undefined;
}

/** Refuses the backward half of Relay paging: walks go forward, `order` turns them round. */
export function checkForward({ last, before }: ConnectionArgs, hint: string): void {
	if (last != null) throw badRequest("last", `is not supported; use first and after${hint}`);
	if (before != null) throw badRequest("before", `is not supported; use first and after${hint}`);
}

// Classes, and no literals with getters: V8 makes a hidden class for each of those, which the next full garbage
// collection frees, and until then it holds the rows.
class Edge<T> {
	readonly node: T;
	readonly #page: Page<T>;

	constructor(node: T, page: Page<T>) {
		this.node = node;
		this.#page = page;
	}

	get cursor(): string {
		return this.#page.cursorOf(this.node);
	}
}

class PageInfo<T> {
	readonly hasNextPage: boolean;
	readonly hasPreviousPage: boolean;
	readonly #page: Page<T>;

	constructor(page: Page<T>, after: string | null | undefined) {
		this.hasNextPage = page.hasNext;
		this.hasPreviousPage = after != null;
		this.#page = page;
	}

	get startCursor(): string | null {
		return this.#cursorAt(0);
	}

	get endCursor(): string | null {
		return this.#cursorAt(-1);
	}

	#cursorAt(index: number): string | null {
		const item = this.#page.items.at(index);
		return item === undefined ? null : this.#page.cursorOf(item);
	}
}

/** A page as a Relay connection. Cursors are made only where they are selected. */
export function toConnection<T>(page: Page<T>, after: string | null | undefined) {
	return { edges: page.items.map((node) => new Edge(node, page)), pageInfo: new PageInfo(page, after) };
}
