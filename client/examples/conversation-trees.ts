import { sessions } from "@iga-pages/agent/sessions";
import { type Message, store } from "@iga-pages/agent/store";

/** A turn of a conversation that others answered in several ways. */
export interface Turn {
	id: string;
	role: string;
	text: string;
	replies: Turn[];
}

/** Stores a tree: each turn is appended where its parent is the leaf. Doing it again stores nothing twice. */
export async function storeTree(conversationId: string, root: Turn): Promise<void> {
	const append = async ({ id, role, text }: Turn, parentId: string | null) => {
		if (parentId !== null) await sessions.branch({ conversationId, messageId: parentId });
		await store.appendMessage({ conversationId, messageId: id, role, payload: { text } });
	};
	const waiting: [Turn, string | null][] = [[root, null]];
	for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
		const [turn, parentId] = next;
		await append(turn, parentId);
		for (const reply of turn.replies.toReversed()) waiting.push([reply, turn.id]);
	}
}

/** Reads a tree back: its shape from the tree, its texts from the paths of its branches. */
export async function readTree(conversationId: string): Promise<Turn | null> {
	const messages = new Map<string, Message>();
	for (const { branch } of await sessions.listBranches({ conversationId })) {
		let cursor: string | null = null;
		do {
			const page = await sessions.listPath({ conversationId, branch, limit: 200, cursor });
			for (const message of page.items) messages.set(message.messageId, message);
			cursor = page.nextCursor;
		} while (cursor !== null);
	}
	const turns = new Map<string, Turn>();
	let root: Turn | null = null;
	let cursor: string | null = null;
	do {
		// Parents come before what follows them.
		const page = await sessions.getTree({ conversationId, limit: 200, cursor });
		for (const { messageId, parentMessageId, role } of page.items) {
			const payload = messages.get(messageId)?.payload as { text: string } | undefined;
			const turn = { id: messageId, role: role ?? "", text: payload?.text ?? "", replies: [] };
			turns.set(messageId, turn);
			if (parentMessageId === null) root = turn;
			else turns.get(parentMessageId)?.replies.push(turn);
		}
		cursor = page.nextCursor;
	} while (cursor !== null);
	return root;
}
