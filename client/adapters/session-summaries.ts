// Named here, so that whoever compiles this file alone finds the types of the import below.
/// <reference path="./claude-agent-sdk.d.ts" />

import { StoreError } from "../errors.ts";
import {
	isRefused,
	type SessionKey,
	type SessionStoreEntry,
	type StoredSummary,
	type Transcripts,
} from "./transcripts.ts";

/** What the Claude Agent SDK folds a transcript into, to list sessions without reading them. */
export type SessionSummaryEntry = {
	sessionId: string;
	mtime: number;
	data: Record<string, unknown>;
};

/** `foldSessionSummary` of the Claude Agent SDK, since 0.2.118. */
export type FoldSessionSummary = (
	previous: SessionSummaryEntry | undefined,
	key: SessionKey,
	entries: SessionStoreEntry[],
	options?: { mtime?: number },
) => SessionSummaryEntry;

/**
 * The function of the installed SDK; undefined where it is not installed, or too old. Imported only when it is needed:
 * versions before 0.2.118 do not export it, and a static import of what is not exported fails as a whole.
 */
export async function importFold(): Promise<FoldSessionSummary | undefined> {
	try {
		const sdk = await import("@anthropic-ai/claude-agent-sdk");
		return sdk.foldSessionSummary as FoldSessionSummary | undefined;
	} catch {
		return undefined;
	}
}

/**
 * The summaries of the sessions under a project key. Entries that a stored summary does not know are folded here, and
 * the result is stored for the next one who lists. So appends cost nothing more, and no fold can get lost: a summary
 * is a function of the entries up to a certain one.
 */
export async function summarise(
	transcripts: Transcripts,
	projectKey: string,
	fold: FoldSessionSummary | undefined,
): Promise<SessionSummaryEntry[]> {
	const rows = await transcripts.listSummaries(projectKey);
	const summaries = await Promise.all(rows.map((row) => summariseSession(transcripts, projectKey, row, fold)));
	return summaries.filter((summary) => summary !== undefined);
}

async function summariseSession(
	transcripts: Transcripts,
	projectKey: string,
	row: StoredSummary,
	fold: FoldSessionSummary | undefined,
): Promise<SessionSummaryEntry | undefined> {
	const { sessionId, mtime } = row;
	const stored = readSummary(row);
	if (stored?.mtime === mtime || fold === undefined) return stored;
	const folded = await foldEntries(transcripts, { projectKey, sessionId }, row, stored, fold);
	if (folded === undefined) return undefined;
	// It cannot be stored where somebody has appended meanwhile, or may only read; then it is folded again next time.
	const summary = JSON.stringify(folded.data);
	await transcripts.setSummary({ projectKey, sessionId, mtime, summary }).catch(() => {});
	return { sessionId, mtime, data: folded.data };
}

/** The SDK itself reads a session that has no summary, or an older one than its transcript. */
async function foldEntries(
	transcripts: Transcripts,
	key: SessionKey,
	{ mtime, unfoldedAfter }: StoredSummary,
	stored: SessionSummaryEntry | undefined,
	fold: FoldSessionSummary,
): Promise<SessionSummaryEntry | undefined> {
	let summary = stored;
	try {
		for await (const entries of transcripts.walkEntries(key, unfoldedAfter)) {
			if (entries.length > 0) summary = fold(summary, key, entries, { mtime });
		}
		return summary;
	} catch (error) {
		// The session was deleted meanwhile.
		if (isRefused(error)) return undefined;
		if (error instanceof StoreError) throw error;
		return stored;
	}
}

function readSummary({ sessionId, summary, summaryMtime }: StoredSummary): SessionSummaryEntry | undefined {
	if (summary === null || summaryMtime === null) return undefined;
	return { sessionId, mtime: summaryMtime, data: JSON.parse(summary) as SessionSummaryEntry["data"] };
}
