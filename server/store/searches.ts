import type { Conversation } from "../domain/conversations.ts";
import { checkPageSize, openCursor, type Page } from "../domain/pages.ts";
import { checkSearch, nothingToSearch, searchDisabled } from "../domain/searches.ts";
import { pageOfConversations } from "./conversations.ts";
import type { Queries, Statement } from "./database.ts";
import type { Scope } from "./scope.ts";
import { MESSAGE_HAS_WORD, readSearchState, TITLE_HAS_WORD } from "./search-index.ts";
import { isoTime } from "./times.ts";

/** Titles and messages with a word, of which all are looked up; a more frequent one is looked for in the newest conversations. */
const RARE = 2_000;

/** Conversations that are looked at first, and how many times more each time when those are not enough. */
const FIRST_STRETCH = 200;
const GROWTH = 4;
const LONGEST_STRETCH = 12_800;

interface SearchInput {
	search: string;
	first?: number | null | undefined;
	after?: string | null | undefined;
}

/**
 * A page of the conversations that have every word of the search in their title or in a message of any branch, in the
 * order of `listConversations`. Its cursors are good for the same search only.
 */
export async function searchConversations(scope: Scope, input: SearchInput): Promise<Page<Conversation>> {
	const { db, identity, limits } = scope;
	const words = checkSearch("search", input.search, limits.idBytes);
	const size = checkPageSize("first", input.first, limits);
	const list = `conversations\0${input.search}`;
	const position = input.after == null ? [] : openCursor("after", identity.cursorKey, list, input.after);
	// One snapshot for all statements: a page must not end because a conversation moved between two of them.
	return db.transaction(async (transaction) => {
		await transaction.query(SNAPSHOT, []);
		await transaction.query(PLAN_BY_VALUES, []);
		const reader: Reader = { read: (statement, values) => transaction.query(statement, values) };
		if ((await readSearchState(reader)).state !== "enabled") throw searchDisabled("search");
		const found = await new Search(reader, scope, await termsOf(reader, scope, words)).find(size, position);
		return pageOfConversations({ ...scope, db: reader }, input, list, found);
	});
}

type Reader = Pick<Queries, "read">;

const SNAPSHOT: Statement = {
	name: "search_snapshot",
	text: "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY",
};

// How many rows a word has is known only with the word.
const PLAN_BY_VALUES: Statement = {
	name: "search_plan_by_values",
	text: "SET LOCAL plan_cache_mode = force_custom_plan",
};

const TERMS: Statement = {
	name: "search_terms",
	text: "SELECT search_terms($1::uuid, word) AS terms FROM unnest($2::text[]) AS word",
};

/** What stands for a word in the index: all of it is in one message or title. */
type Terms = readonly string[];

async function termsOf({ read }: Reader, { identity }: Scope, words: readonly string[]): Promise<Terms[]> {
	const rows = await read<{ terms: string[] }>(TERMS, [identity.projectId, words]);
	const terms = rows.map((row) => row.terms).filter(({ length }) => length > 0);
	if (terms.length === 0) throw nothingToSearch("search");
	return terms;
}

const HITS: Statement = {
	name: "search_hits",
	replan: true,
	text: `(SELECT conversation_id FROM conversations WHERE project_id = $1 AND ${TITLE_HAS_WORD} LIMIT $3)
		UNION ALL
		(SELECT conversation_id FROM messages WHERE project_id = $1 AND ${MESSAGE_HAS_WORD} LIMIT $3)`,
};

const AMONG: Statement = {
	name: "search_among",
	replan: true,
	text: `SELECT conversation_id FROM conversations
			WHERE project_id = $1 AND conversation_id = ANY($3::text[]) AND ${TITLE_HAS_WORD}
		UNION
		SELECT conversation_id FROM messages
			WHERE project_id = $1 AND conversation_id = ANY($3::text[]) AND ${MESSAGE_HAS_WORD}`,
};

const STRETCH: Statement = {
	name: "search_stretch",
	text: `SELECT conversation_id, ${isoTime("updated_at")} FROM conversations
		WHERE project_id = $1
			AND (conversations.updated_at, conversation_id) < (coalesce($2::timestamptz, 'infinity'), coalesce($3, ''))
		ORDER BY conversations.updated_at DESC, conversation_id DESC LIMIT $4`,
};

interface Hit {
	conversation_id: string;
}

class Search {
	readonly #read: Reader["read"];
	readonly #scope: Scope;
	readonly #words: readonly Terms[];

	constructor({ read }: Reader, scope: Scope, words: readonly Terms[]) {
		this.#read = read;
		this.#scope = scope;
		this.#words = words;
	}

	/** Conversations with every word: all of them, or as many from a position on as make a page and one more. */
	async find(size: number, position: readonly string[]): Promise<string[]> {
		const { conversationIds } = this.#scope.identity;
		if (conversationIds !== null) return this.#among(conversationIds, this.#words);
		const frequent: Terms[] = [];
		let found: string[] | undefined;
		for (const word of this.#words) {
			const hits = await this.#hits(word);
			if (hits === undefined) frequent.push(word);
			else found = found === undefined ? [...hits] : found.filter((id) => hits.has(id));
		}
		return found === undefined ? this.#walk(size, position) : this.#among(found, frequent);
	}

	/** The conversations with a word; undefined when it is too frequent for that. */
	async #hits(word: Terms): Promise<Set<string> | undefined> {
		const rows = await this.#read<Hit>(HITS, [this.#scope.identity.projectId, word, RARE + 1]);
		return rows.length > RARE ? undefined : new Set(rows.map((row) => row.conversation_id));
	}

	/** Those of some conversations that have every one of some words. */
	async #among(conversationIds: readonly string[], words: readonly Terms[]): Promise<string[]> {
		let left = [...conversationIds];
		for (const word of words) {
			if (left.length === 0) return left;
			const rows = await this.#read<Hit>(AMONG, [this.#scope.identity.projectId, word, left]);
			left = rows.map((row) => row.conversation_id);
		}
		return left;
	}

	/** Looks for words that most conversations have: the newest ones from a position on will do. */
	async #walk(size: number, position: readonly string[]): Promise<string[]> {
		const found: string[] = [];
		let [updatedAt = null, conversationId = null]: readonly (string | null)[] = position;
		for (let length = FIRST_STRETCH; ; length = Math.min(length * GROWTH, LONGEST_STRETCH)) {
			const values = [this.#scope.identity.projectId, updatedAt, conversationId, length];
			const stretch = await this.#read<Hit & { updated_at: string }>(STRETCH, values);
			const ids = stretch.map((row) => row.conversation_id);
			found.push(...(await this.#among(ids, this.#words)));
			const last = stretch.at(-1);
			if (last === undefined || stretch.length < length || found.length > size) return found;
			({ updated_at: updatedAt, conversation_id: conversationId } = last);
		}
	}
}
