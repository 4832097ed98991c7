import type { Message, Page, Store } from "@iga-pages/agent/store";

/** Reads a whole walk of a conversation's messages, page by page. */
export async function drainMessages(
	store: Store,
	input: { conversationId: string; limit?: number; order?: "asc" | "desc" },
): Promise<Message[]> {
	const items: Message[] = [];
	let page: Page<Message> | undefined;
	do {
		page = await store.listMessages({ ...input, cursor: page?.nextCursor ?? null });
		items.push(...page.items);
	} while (page.nextCursor !== null);
	return items;
}

/** The places of messages as numbers, which test data never outgrows. */
export function seqs(messages: readonly Pick<Message, "seq">[]): number[] {
	return messages.map(({ seq }) => Number(seq));
}
