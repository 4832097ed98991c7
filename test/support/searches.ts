import { createSessions, type Sessions } from "@iga-pages/agent/sessions";
import { enableSearch } from "../../server/store/search-index.ts";
import { startGateway, type TestGateway } from "./gateway.ts";

/** A gateway whose operator has enabled search. */
export async function startSearchGateway(): Promise<TestGateway> {
	const gateway = await startGateway();
	await enableSearch(gateway.databaseUrl, () => () => {});
	return gateway;
}

/** The sessions of a token. */
export function sessionsOf({ url }: TestGateway, token: string): Sessions {
	return createSessions({ url, token });
}

/** The ids that a search finds, page by page. */
export async function find(sessions: Sessions, search: string, limit = 50): Promise<string[]> {
	const found: string[] = [];
	for (let cursor: string | null = null; ; ) {
		const page: Awaited<ReturnType<Sessions["searchConversations"]>> = await sessions.searchConversations({
			search,
			limit,
			cursor,
		});
		found.push(...page.items.map(({ conversationId }) => conversationId));
		cursor = page.nextCursor;
		if (cursor === null) return found;
	}
}
