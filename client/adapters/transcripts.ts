import { StoreError } from "../errors.ts";
import {
	AppendTranscriptDocument,
	DeleteTranscriptDocument,
	SetTranscriptSummaryDocument,
	TranscriptEntriesDocument,
	TranscriptSubpathsDocument,
	TranscriptSummariesDocument,
	type TranscriptSummariesQuery,
	TranscriptsDocument,
} from "../generated/operations.ts";
import { toPage } from "../pages.ts";
import type { Operation, Transport } from "../transport.ts";
import type { Page } from "../types.ts";
import { Lanes, Patience } from "./patience.ts";
import { Batches, slice } from "./transcript-batches.ts";

/** Where the Claude Agent SDK keeps entries: a session under a project key, or a subagent's part of it. */
export type SessionKey = {
	projectKey: string;
	sessionId: string;
	/** Omitted for the main transcript; never empty. */
	subpath?: string;
};

/** One line of a transcript; what it says is Claude's own business. */
export type SessionStoreEntry = {
	type: string;
	uuid?: string;
	timestamp?: string;
	[key: string]: unknown;
};

/** A session with its stored summary, as the gateway lists it. */
export type StoredSummary = NonNullable<TranscriptSummariesQuery["transcriptSummaries"]>["nodes"][number];

/** A list that is read page by page. */
interface Walk<Data, Variables extends object, Item> {
	document: Operation<Data, Variables, unknown>["document"];
	variables: Variables;
	read: (data: Data) => Page<Item> | undefined;
}

/** Entries of one request when a transcript is read; a page also ends at 16 MiB (rule VAL-7). */
const PAGE_ENTRIES = 1_000;
const PAGE_ITEMS = 200;
/** Walks of a transcript that others delete meanwhile. */
const LOAD_ATTEMPTS = 3;

/** The transcripts behind a store, in operations of the gateway. */
export class Transcripts {
	readonly #transport: Transport;
	readonly #lanes: Lanes;
	readonly #batches = new Batches();

	constructor(transport: Transport) {
		this.#transport = transport;
		this.#lanes = new Lanes(transport);
	}

	/** Appends the entries as they are now, slice by slice, after what was appended to the session before. */
	async append(key: SessionKey, entries: readonly unknown[]): Promise<void> {
		const place = readKey(key);
		const batch = this.#batches.capture(entries, JSON.stringify(place));
		const since = performance.now();
		await this.#lanes.run(laneOf(place), async (patience) => {
			for (const { start, entries: texts } of slice(batch)) {
				await patience.send(
					{
						document: AppendTranscriptDocument,
						variables: { input: { ...place, batchId: batch.id, start, entries: texts } },
						retry: "always",
						read: (data) => data.appendTranscript?.appended,
					},
					since,
				);
			}
		});
	}

	async delete(key: SessionKey): Promise<void> {
		const place = readKey(key);
		const since = performance.now();
		await this.#lanes.run(laneOf(place), (patience) =>
			patience.send(
				{
					document: DeleteTranscriptDocument,
					variables: { input: place },
					retry: "always",
					read: (data) => data.deleteTranscript?.sessionId,
				},
				since,
			),
		);
	}

	/** All entries of one moment, or null where there are none. */
	async load(key: SessionKey): Promise<SessionStoreEntry[] | null> {
		const place = readKey(key);
		const entries: SessionStoreEntry[] = [];
		for (let attempt = 1; ; attempt++) {
			try {
				for await (const page of this.walkEntries(place)) for (const entry of page) entries.push(entry);
				return entries.length === 0 ? null : entries;
			} catch (error) {
				// Deleted during the walk, and perhaps begun anew: what is there now must not be mixed with what was.
				if (!isRefused(error) || entries.length === 0 || attempt === LOAD_ATTEMPTS) throw error;
				entries.length = 0;
			}
		}
	}

	/** The entries after a cursor, or all of them, page by page up to those that were there when the walk began. */
	async *walkEntries(key: SessionKey, start?: string): AsyncGenerator<SessionStoreEntry[]> {
		const from = start === undefined ? {} : { after: start };
		const pages = this.#walk({
			document: TranscriptEntriesDocument,
			variables: { ...key, first: PAGE_ENTRIES, ...from },
			read: (data) => toPage(data.transcriptEntries),
		});
		for await (const items of pages) yield items.map(({ entry }) => JSON.parse(entry) as SessionStoreEntry);
	}

	list(projectKey: string): Promise<{ sessionId: string; mtime: number }[]> {
		return this.#drain({
			document: TranscriptsDocument,
			variables: { projectKey, first: PAGE_ITEMS },
			read: (data) => toPage(data.transcripts),
		});
	}

	listSummaries(projectKey: string): Promise<StoredSummary[]> {
		return this.#drain({
			document: TranscriptSummariesDocument,
			variables: { projectKey, first: PAGE_ITEMS },
			read: (data) => toPage(data.transcriptSummaries),
		});
	}

	/** Stores a summary unless its session was appended to since it had this mtime. */
	async setSummary(input: { projectKey: string; sessionId: string; mtime: number; summary: string }): Promise<void> {
		await this.#transport.request(
			{
				document: SetTranscriptSummaryDocument,
				variables: { input },
				retry: "always",
				read: (data) => data.setTranscriptSummary?.stored,
			},
			null,
		);
	}

	async listSubpaths({ projectKey, sessionId }: { projectKey: string; sessionId: string }): Promise<string[]> {
		const items = await this.#drain({
			document: TranscriptSubpathsDocument,
			variables: { projectKey, sessionId, first: PAGE_ITEMS },
			read: (data) => toPage(data.transcriptSubpaths),
		});
		return items.map(({ subpath }) => subpath);
	}

	async #drain<Data, Variables extends object, Item>(walk: Walk<Data, Variables, Item>): Promise<Item[]> {
		const all: Item[] = [];
		for await (const items of this.#walk(walk)) for (const item of items) all.push(item);
		return all;
	}

	async *#walk<Data, Variables extends object, Item>(walk: Walk<Data, Variables, Item>): AsyncGenerator<Item[]> {
		const { document, variables, read } = walk;
		const since = performance.now();
		const patience = new Patience(this.#transport);
		let cursor: string | null = null;
		do {
			const after: object = cursor === null ? {} : { after: cursor };
			const operation = { document, variables: { ...variables, ...after }, retry: "always" as const, read };
			const page: Page<Item> = await patience.send(operation, since);
			yield page.items;
			cursor = page.nextCursor;
		} while (cursor !== null);
	}
}

/** Whether the gateway refused the input: of a read that went well before, its cursor. */
export function isRefused(error: unknown): boolean {
	return error instanceof StoreError && error.code === "BadRequest";
}

/** A copy of the parts that make up a key. */
function readKey({ projectKey, sessionId, subpath }: SessionKey): SessionKey {
	return subpath == null ? { projectKey, sessionId } : { projectKey, sessionId, subpath };
}

/** The gateway orders the writes to a session anyway; in one lane none of them keeps a connection waiting. */
function laneOf({ projectKey, sessionId }: SessionKey): string {
	return JSON.stringify([projectKey, sessionId]);
}
