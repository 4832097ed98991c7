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

/** A page as a Relay connection. Cursors are made only where they are selected. */
export function toConnection<T>(page: Page<T>, after: string | null | undefined) {
	const { items, hasNext, cursorOf } = page;
	const cursorAt = (index: number) => {
		const item = items.at(index);
		return item === undefined ? null : cursorOf(item);
	};
	return {
		edges: items.map((node) => ({
			node,
			get cursor() {
				return cursorOf(node);
			},
		})),
		pageInfo: {
			hasNextPage: hasNext,
			hasPreviousPage: after != null,
			get startCursor() {
				return cursorAt(0);
			},
			get endCursor() {
				return cursorAt(-1);
			},
		},
	};
}
