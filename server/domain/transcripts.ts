import { createHash } from "node:crypto";
import { badRequest } from "./faults.ts";
import { checkId } from "./ids.ts";
import { type JsonValue, tooLarge } from "./json.ts";
import type { Limits } from "./limits.ts";

/** Where entries lie: the main transcript of a session, or one of its subpaths. */
export interface TranscriptKey {
	projectKey: string;
	sessionId: string;
	/** Omitted for the main transcript. */
	subpath?: string | null | undefined;
}

/** A checked key; the subpath of the main transcript is empty. */
export interface CheckedTranscriptKey {
	projectKey: string;
	sessionId: string;
	subpath: string;
}

/** A session as lists show it. */
export interface Transcript {
	sessionId: string;
	/** Integer milliseconds: when its main transcript was last appended to, by a clock that no two appends read alike. */
	mtime: number;
}

/** A session with what its framework folded its main transcript into. */
export interface TranscriptSummary extends Transcript {
	/** JSON text; null when none was stored yet. */
	summary: string | null;
	/** The mtime at which the summary was up to date; null when none was stored yet. */
	summaryMtime: number | null;
	/** The cursor after which the entries are that the summary does not know. */
	unfoldedAfter: string;
}

/** One entry of a transcript, as JSON text. */
export interface TranscriptEntry {
	seq: string;
	entry: string;
}

/** An entry to be appended. */
export interface EntryDraft {
	/** What it is deduplicated by in its transcript; null for an entry without a uuid. */
	uuid: string | null;
	/** Its place in its batch. */
	index: number;
	entry: string;
}

/** Checks a key by the lengths of the contract; beyond that, ids are the framework's own business. */
export function checkTranscriptKey(field: string, key: TranscriptKey, limits: Limits): CheckedTranscriptKey {
	const prefix = field === "" ? "" : `${field}.`;
	return {
		projectKey: checkId(`${prefix}projectKey`, key.projectKey, limits.keyBytes),
		sessionId: checkId(`${prefix}sessionId`, key.sessionId, limits.keyBytes),
		// Empty is refused, since it would mean the main transcript.
		subpath: key.subpath == null ? "" : checkId(`${prefix}subpath`, key.subpath, limits.pathBytes),
	};
}

/**
 * Checks the entries of an append, the first of which has the place `start` in its batch. What an entry says is not
 * looked at, apart from its uuid.
 */
export function draftEntries(field: string, entries: readonly string[], start: number, limits: Limits): EntryDraft[] {
	if (entries.length < 1 || entries.length > limits.transcriptEntries) {
		throw badRequest(field, `must hold 1 to ${limits.transcriptEntries} entries`);
	}
	return entries.map((entry, position) => ({
		uuid: uuidOf(parseJsonText(`${field}[${position}]`, entry)),
		index: start + position,
		entry,
	}));
}

/** Checks the text of a summary: a JSON object. */
export function checkSummary(field: string, summary: string, limits: Limits): string {
	const value = parseJsonText(field, summary);
	if (typeof value !== "object" || value === null || Array.isArray(value)) {
		throw badRequest(field, "must be the text of a JSON object");
	}
	if (Buffer.byteLength(summary) > limits.metadataBytes) throw tooLarge(field, limits.metadataBytes);
	return summary;
}

const LONE_SURROGATE = /\p{Surrogate}/u;

/** A text is stored as it is, so it may hold only what UTF-8 can: JSON.stringify escapes the rest. */
function parseJsonText(field: string, text: string): JsonValue {
	if (LONE_SURROGATE.test(text)) throw badRequest(field, "must have its lone surrogates escaped");
	try {
		return JSON.parse(text) as JsonValue;
	} catch {
		throw badRequest(field, "must be JSON text");
	}
}

const UUID_BYTES = 256;
const HASHED = "sha256:";

/** The own uuid of an entry; its hash where it is too long for an index or not storable, so that none is refused. */
function uuidOf(entry: JsonValue): string | null {
	if (typeof entry !== "object" || entry === null || Array.isArray(entry) || !Object.hasOwn(entry, "uuid")) return null;
	const { uuid } = entry as { uuid: JsonValue };
	if (typeof uuid !== "string" || uuid === "") return null;
	const plain =
		Buffer.byteLength(uuid) <= UUID_BYTES &&
		!uuid.includes("\0") &&
		!LONE_SURROGATE.test(uuid) &&
		!uuid.startsWith(HASHED);
	return plain ? uuid : HASHED + createHash("sha256").update(JSON.stringify(uuid)).digest("hex");
}
