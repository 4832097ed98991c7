const KIB = 1024;
const MIB = 1024 * KIB;

/** What the gateway takes at most. `viewer` shows these numbers, the README explains them. */
export interface Limits {
	/** Items of a page when `first` is omitted, and at most. */
	pageLimitDefault: number;
	pageLimit: number;
	/** Messages of one appendMessages. */
	batchMessages: number;
	/** Bytes of one message's payload and metadata as JSON. */
	messageBytes: number;
	/** Bytes of a conversation's metadata as JSON, after a merge. */
	metadataBytes: number;
	/** Bytes of one request's body. */
	requestBytes: number;
	/** Bytes of all bodies that are being read or worked on; beyond it requests get TooManyRequests. */
	requestBytesInFlight: number;
	/** Bytes of content after which a page ends early. */
	pageBytes: number;
	/** Levels of nesting of a JSON value. */
	jsonDepth: number;
	/** Bytes of an id, a role or a type. */
	idBytes: number;
	/** Bytes of the keys that agent frameworks make: of a project key or session id, and of a path or namespace. */
	keyBytes: number;
	pathBytes: number;
	/** Entries of one append to a transcript, and of a page of one. */
	transcriptEntries: number;
	/** Of a GraphQL document: nesting of selections, aliases, tokens, root fields, and values in its answer. */
	documentDepth: number;
	documentAliases: number;
	documentTokens: number;
	documentRootFields: number;
	documentCost: number;
	/** Of a browser token: conversations, and seconds that it lives when not asked otherwise, and at most. */
	browserTokenConversations: number;
	browserTokenSecondsDefault: number;
	browserTokenSeconds: number;
	/** Calls that wait for a database connection, and for how many milliseconds. */
	waitingCalls: number;
	waitingMs: number;
	/** Milliseconds that a statement, and a wait for a lock, may take in Postgres. */
	statementMs: number;
	lockMs: number;
	/** Milliseconds after which a live tail looks for messages that no hint told of. */
	tailPollMs: number;
	/** Milliseconds of silence after which a stream says that it is still there. */
	heartbeatMs: number;
	/** Milliseconds that requests get to end when the gateway closes. */
	shutdownMs: number;
}

export const DEFAULT_LIMITS: Limits = {
	pageLimitDefault: 50,
	pageLimit: 200,
	batchMessages: 100,
	messageBytes: 16 * MIB,
	metadataBytes: MIB,
	requestBytes: 64 * MIB,
	requestBytesInFlight: 256 * MIB,
	pageBytes: 16 * MIB,
	jsonDepth: 200,
	idBytes: 256,
	keyBytes: 512,
	pathBytes: 1_024,
	transcriptEntries: 1_000,
	documentDepth: 12,
	documentAliases: 50,
	documentTokens: 2_000,
	documentRootFields: 20,
	documentCost: 100_000,
	browserTokenConversations: 100,
	browserTokenSecondsDefault: 900,
	browserTokenSeconds: 86_400,
	waitingCalls: 100,
	waitingMs: 5_000,
	statementMs: 25_000,
	lockMs: 10_000,
	tailPollMs: 3_000,
	heartbeatMs: 15_000,
	shutdownMs: 10_000,
};

/** A number of bytes in the largest unit that it fills, for error messages. */
export function describeBytes(bytes: number): string {
	if (bytes >= MIB && bytes % MIB === 0) return `${bytes / MIB} MiB`;
	if (bytes >= KIB && bytes % KIB === 0) return `${bytes / KIB} KiB`;
	return `${bytes} bytes`;
}
