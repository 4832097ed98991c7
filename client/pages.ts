import type { Page } from "./types.ts";

/** A Relay connection as the SDK's operations select it. A null in it comes with an error, which goes first. */
interface Connection<T> {
	nodes: (T | null)[];
	pageInfo: { hasNextPage: boolean; endCursor: string | null };
}

/** A connection as a page of the Store; undefined where it is not whole. */
export function toPage<T>(connection: Connection<T> | null): Page<T> | undefined {
	if (connection === null) return undefined;
	const { nodes: items, pageInfo } = connection;
	if (!items.every((item) => item !== null)) return undefined;
	return { items, nextCursor: pageInfo.hasNextPage ? pageInfo.endCursor : null };
}
