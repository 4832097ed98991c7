import DataLoader from "dataloader";
import { reaches } from "../domain/access.ts";
import type { Branch } from "../domain/branches.ts";
import type { Conversation } from "../domain/conversations.ts";
import type { Message } from "../domain/messages.ts";
import type { Page } from "../domain/pages.ts";
import { listBranches } from "../store/branches.ts";
import { getConversations } from "../store/conversations.ts";
import { listMessagesOfMany, type MessagePageInput } from "../store/message-pages.ts";
import { getMessages } from "../store/messages.ts";
import type { Scope } from "../store/scope.ts";
import type { Tail, TailInput } from "../store/tails.ts";

/** What every resolver works in. */
export interface Context extends Scope {
	loaders: Loaders;
	/** Opens a live tail for the caller. */
	openTail: (input: TailInput) => Tail;
}

/** Nested reads of one request, gathered into one statement each, so that their number does not grow with the page. */
export interface Loaders {
	conversation: DataLoader<string, Conversation | null>;
	message: DataLoader<string, Message | null>;
	messagePage: DataLoader<MessagePageInput, Page<Message>, string>;
	branches: DataLoader<string, readonly Branch[]>;
}

/** The context of one request. */
export function createContext(scope: Scope, openTail: Context["openTail"]): Context {
	return {
		...scope,
		openTail,
		loaders: {
			conversation: new DataLoader((ids) => loadConversations(scope, ids), { cache: false }),
			message: new DataLoader((ids) => loadMessages(scope, ids), { cache: false }),
			messagePage: new DataLoader((inputs) => loadPages(scope, inputs), { cache: false }),
			branches: new DataLoader((ids) => listBranches(scope, ids), { cache: false }),
		},
	};
}

/** What a limited credential does not reach is absent to it, by whatever field it was found. */
async function loadConversations(scope: Scope, ids: readonly string[]): Promise<(Conversation | null)[]> {
	const found = await getConversations(scope, ids);
	return found.map((it) => (reaches(scope.identity, it?.conversationId) ? it : null));
}

async function loadMessages(scope: Scope, ids: readonly string[]): Promise<(Message | null)[]> {
	const found = await getMessages(scope, ids);
	return found.map((it) => (reaches(scope.identity, it?.conversationId) ? it : null));
}

/** One statement reads pages of one size, order and source; selections that differ in these are read apart. */
async function loadPages(scope: Scope, inputs: readonly MessagePageInput[]): Promise<(Page<Message> | Error)[]> {
	const pages: (Page<Message> | Error)[] = [];
	const groups = new Map<string, number[]>();
	inputs.forEach(({ first, order, allBranches }, index) => {
		const key = `${first} ${order} ${allBranches ?? false}`;
		const group = groups.get(key);
		if (group === undefined) groups.set(key, [index]);
		else group.push(index);
	});
	await Promise.all(
		[...groups.values()].map(async (indexes) => {
			const read = await listMessagesOfMany(
				scope,
				indexes.map((index) => inputs[index]!),
			).catch((error: Error) => error);
			indexes.forEach((index, position) => {
				pages[index] = read instanceof Error ? read : read[position]!;
			});
		}),
	);
	return pages;
}
