import { badRequest, StoreError } from "../errors.ts";
import { readOptionalArguments } from "../input.ts";
import type { Store } from "../methods.ts";
import { store as ownStore } from "../store.ts";
import { adapterTransport } from "./limiter.ts";
import { type FoldSessionSummary, importFold, type SessionSummaryEntry, summarise } from "./session-summaries.ts";
import { type SessionKey, type SessionStoreEntry, Transcripts } from "./transcripts.ts";

export type { FoldSessionSummary, SessionSummaryEntry } from "./session-summaries.ts";
export type { SessionKey, SessionStoreEntry } from "./transcripts.ts";

/** The `SessionStore` of the Claude Agent SDK, its optional methods included. Every method rejects with `StoreError`. */
export interface SessionStore {
	/**
	 * Appends entries in order, however many and however large. An entry whose uuid this transcript has is left out. A
	 * call with the same array, key and content as an earlier one repeats it, and nothing is stored twice; any other call
	 * appends anew. A large append goes in slices, each visible when it has arrived. An empty one does nothing.
	 */
	append(key: SessionKey, entries: SessionStoreEntry[]): Promise<void>;
	/** Reads the entries as they were when the call began, in the order of their append; null where there are none. */
	load(key: SessionKey): Promise<SessionStoreEntry[] | null>;
	/** Lists the sessions with a main transcript. The session used last has the greatest `mtime`, in milliseconds. */
	listSessions(projectKey: string): Promise<{ sessionId: string; mtime: number }[]>;
	/**
	 * Lists the sessions' summaries, as far as `foldSessionSummary` of the SDK is found. Entries that no summary knows
	 * yet are folded by this call and the result is stored, so that listing again reads no entries.
	 */
	listSessionSummaries(projectKey: string): Promise<SessionSummaryEntry[]>;
	/** Deletes a session with its subpaths, or one subpath, for ever. A later append begins it anew. */
	delete(key: SessionKey): Promise<void>;
	/** Lists the subpaths of a session that have entries. */
	listSubkeys(key: { projectKey: string; sessionId: string }): Promise<string[]>;
}

/** Options of `createSessionStore`. */
export interface SessionStoreOptions {
	/** A store that `createStore` made. Default: that of the application's own project. */
	store?: Store | null | undefined;
	/** Default: that of the installed SDK, imported when summaries are first listed. */
	foldSessionSummary?: FoldSessionSummary | null | undefined;
}

/**
 * Creates the `sessionStore` for `query()` of the Claude Agent SDK (>= 0.2.113 < 0.4). It keeps transcripts only: no
 * working directory and no files, and nothing that `listMessages` would show or `clearMessages` remove.
 *
 * While the gateway cannot be reached, every method goes on for about 15 s, then aborts its request in flight and
 * rejects. The error's code stands at the start of its message, since the SDK shows nothing else of it.
 *
 * @throws StoreError `BadRequest` for an unknown or invalid option.
 * @example
 * const sessionStore = createSessionStore();
 * for await (const message of query({ prompt, options: { sessionStore, resume: sessionId } })) console.log(message);
 */
export function createSessionStore(options?: SessionStoreOptions | null): SessionStore {
	const { store, foldSessionSummary } = readOptions(options);
	const transcripts = new Transcripts(adapterTransport(store));
	let imported: ReturnType<typeof importFold> | undefined;
	return {
		append: (key, entries) => withCode(() => transcripts.append(key, entries)),
		load: (key) => withCode(() => transcripts.load(key)),
		listSessions: (projectKey) => withCode(() => transcripts.list(projectKey)),
		listSessionSummaries: (projectKey) =>
			withCode(async () => {
				imported ??= foldSessionSummary === undefined ? importFold() : Promise.resolve(foldSessionSummary);
				return summarise(transcripts, projectKey, await imported);
			}),
		delete: (key) => withCode(() => transcripts.delete(key)),
		listSubkeys: (key) => withCode(() => transcripts.listSubpaths(key)),
	};
}

function readOptions(input: unknown): { store: object; foldSessionSummary: FoldSessionSummary | undefined } {
	const options = readOptionalArguments("createSessionStore", input, ["store", "foldSessionSummary"]);
	const store = options.store ?? ownStore;
	const foldSessionSummary = options.foldSessionSummary ?? undefined;
	if (typeof store !== "object") throw badRequest("store", "must come from createStore of this package");
	if (foldSessionSummary !== undefined && typeof foldSessionSummary !== "function") {
		throw badRequest("foldSessionSummary", "must be a function");
	}
	return { store, foldSessionSummary: foldSessionSummary as FoldSessionSummary | undefined };
}

/** Puts an error's code into its message: the framework passes on the message alone. */
async function withCode<Result>(call: () => Promise<Result>): Promise<Result> {
	try {
		return await call();
	} catch (cause) {
		if (!(cause instanceof StoreError)) throw cause;
		const { code, status, error, requestId } = cause;
		throw new StoreError({ code, status, error, requestId, message: `${code}: ${cause.message}`, cause });
	}
}
