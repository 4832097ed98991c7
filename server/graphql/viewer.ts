import type { Limits } from "../domain/limits.ts";
import type { Identity } from "../store/tokens.ts";
import { builder } from "./builder.ts";

const ProjectRef = builder.objectRef<Identity>("Project").implement({
	description: "The project that the credential belongs to; everything else is invisible.",
	fields: (t) => ({
		name: t.exposeString("projectName", { description: "Its name." }),
		createdAt: t.expose("projectCreatedAt", { type: "DateTime", description: "When it was created." }),
	}),
});

export const RoleRef = builder.enumType("Role", {
	description: "What a credential may do.",
	values: {
		READ: { value: "read", description: "Queries only." },
		WRITE: { value: "write", description: "Queries and mutations." },
		ADMIN: { value: "admin", description: "Everything in the project." },
	} as const,
});

const LIMITS = {
	pageLimitDefault: "Items of a page when `first` is omitted.",
	pageLimit: "Items of a page at most.",
	batchMessages: "Messages of one appendMessages at most.",
	messageBytes: "Bytes of a message's payload and metadata as JSON at most.",
	metadataBytes: "Bytes of a conversation's metadata as JSON at most.",
	requestBytes: "Bytes of a request's body at most.",
	requestBytesInFlight: "Bytes of all bodies being worked on at most; beyond it requests get TooManyRequests.",
	pageBytes: "Bytes of content after which a page ends early.",
	jsonDepth: "Levels of nesting of a JSON value at most.",
	idBytes: "UTF-8 bytes of an id, role or type at most.",
	keyBytes: "UTF-8 bytes of a project key or session id of an agent framework at most.",
	pathBytes: "UTF-8 bytes of a path or namespace of an agent framework at most.",
	transcriptEntries: "Entries of one append to a transcript, and of a page of one, at most.",
	documentDepth: "Nesting of selections in a document at most.",
	documentAliases: "Aliases in a document at most.",
	documentTokens: "Tokens of a document at most; large input goes in variables.",
	documentRootFields: "Root fields of an operation at most.",
	documentCost:
		"Values in the answer at most, reckoned from the document: selected fields, times `first`, times `first` …",
	browserTokenConversations: "Conversations of a browser token at most.",
	browserTokenSecondsDefault: "Seconds that a browser token lives when not asked otherwise.",
	browserTokenSeconds: "Seconds that a browser token lives at most.",
	waitingCalls: "Calls that wait for a database connection at most.",
	waitingMs: "Milliseconds that a call waits for a database connection at most.",
	statementMs: "Milliseconds that a statement may take in Postgres.",
	lockMs: "Milliseconds that a statement waits for a lock in Postgres.",
	tailPollMs: "Milliseconds after which a live tail looks for messages that no hint told of.",
	heartbeatMs: "Milliseconds of silence after which a stream sends a comment.",
	shutdownMs: "Milliseconds that requests get to end when the gateway closes.",
} satisfies Record<keyof Limits, string>;

const LimitsRef = builder.objectRef<Limits>("Limits").implement({
	description: "What the gateway takes at most.",
	fields: (t) =>
		Object.fromEntries(
			(Object.keys(LIMITS) as (keyof Limits)[]).map((name) => [name, t.exposeInt(name, { description: LIMITS[name] })]),
		),
});

interface Viewer {
	identity: Identity;
	limits: Limits;
}

const ViewerRef = builder.objectRef<Viewer>("Viewer").implement({
	description: "Who asks.",
	fields: (t) => ({
		project: t.expose("identity", { type: ProjectRef, description: "The credential's project." }),
		role: t.field({
			type: RoleRef,
			resolve: ({ identity }) => identity.role,
			description: "What the credential may do.",
		}),
		conversationIds: t.stringList({
			nullable: true,
			resolve: ({ identity }) => identity.conversationIds,
			description: "The only conversations that the credential reaches; null when it reaches the whole project.",
		}),
		expiresAt: t.field({
			type: "DateTime",
			nullable: true,
			resolve: ({ identity }) => identity.expiresAt,
			description: "When the credential ends; null when it has no end.",
		}),
		limits: t.expose("limits", { type: LimitsRef, description: "What the gateway takes at most." }),
	}),
});

builder.queryField("viewer", (t) =>
	t.field({
		type: ViewerRef,
		nullable: true,
		description: "The project and role of the credential, and the gateway's limits.",
		resolve: (_root, _args, { identity, limits }) => ({ identity, limits }),
	}),
);
