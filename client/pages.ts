import type { Page } from "./types.ts";

/** A Relay connection as the SDK's operations select it. */
interface Connection<T> {
	nodes: T[];
	pageInfo: { hasNextPage: boolean; endCursor: string | null };
}

/** A connection as a page of the Store. */
export function toPage<T>({ nodes, pageInfo }: Connection<T>): Page<T> {
	return { items: nodes, nextCursor: pageInfo.hasNextPage ? pageInfo.endCursor : null };
}
