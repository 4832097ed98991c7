import { defaultFieldResolver, type GraphQLFieldResolver, type GraphQLSchema } from "graphql";
import { type Access, authorize } from "../domain/access.ts";
import { unknownConversation } from "../domain/conversations.ts";
import { NO_STATS } from "../domain/trees.ts";
import { toConnection } from "./connections.ts";
import type { Context } from "./context.ts";

interface FieldAccess extends Access {
	/** What a conversation looks like that is not there; for reads that name one. */
	absent?: (conversationId: string) => unknown;
}

const NOTHING = () => null;
const EMPTY_PAGE = () => toConnection({ items: [], hasNext: false, cursorOf: () => "" }, null);
const EMPTY_HISTORY = () => ({ messages: [], nextCursor: null });
const EMPTY_LIST = () => [];
const NOT_FOUND = (conversationId: string) => {
	throw unknownConversation(conversationId);
};

const READ: FieldAccess = { role: "read", limited: "kept" };
const WRITE: FieldAccess = { role: "write", limited: "kept" };
const WRITE_NAMED: FieldAccess = { role: "write", limited: "named" };
const READ_CLOSED: FieldAccess = { role: "read", limited: "closed" };
const WRITE_CLOSED: FieldAccess = { role: "write", limited: "closed" };

function readNamed(absent: FieldAccess["absent"] & {}): FieldAccess {
	return { role: "read", limited: "named", absent };
}

/**
 * The access rule of every root field. One that is `kept` finds only what belongs to the credential's conversations,
 * by its loader or its statement.
 */
const ACCESS: { readonly [type: string]: { readonly [field: string]: FieldAccess } } = {
	Query: {
		agentState: readNamed(NOTHING),
		agentStates: READ_CLOSED,
		branches: readNamed(EMPTY_LIST),
		branchPoints: readNamed(EMPTY_LIST),
		channelHistories: READ_CLOSED,
		checkpoint: READ_CLOSED,
		checkpoints: READ_CLOSED,
		config: readNamed(NOT_FOUND),
		context: readNamed(EMPTY_HISTORY),
		conversation: readNamed(NOTHING),
		conversationArchive: readNamed(NOT_FOUND),
		conversations: READ,
		history: readNamed(EMPTY_HISTORY),
		labels: readNamed(EMPTY_LIST),
		leaves: readNamed(EMPTY_LIST),
		message: READ,
		messages: readNamed(EMPTY_PAGE),
		node: READ,
		nodes: READ,
		state: READ_CLOSED,
		stateCheckpoint: READ_CLOSED,
		stateCheckpoints: READ_CLOSED,
		states: READ_CLOSED,
		stats: readNamed(() => NO_STATS),
		transcriptEntries: READ_CLOSED,
		transcriptSubpaths: READ_CLOSED,
		transcriptSummaries: READ_CLOSED,
		transcripts: READ_CLOSED,
		tree: readNamed(EMPTY_PAGE),
		viewer: READ,
	},
	Mutation: {
		appendBranchSummary: WRITE_NAMED,
		appendCustom: WRITE_NAMED,
		appendHistory: WRITE_NAMED,
		appendMessage: WRITE_NAMED,
		appendMessages: WRITE_NAMED,
		appendStateCheckpoint: WRITE_CLOSED,
		appendTranscript: WRITE_CLOSED,
		applyHistoryMutations: WRITE_NAMED,
		applyHistoryTransaction: WRITE_NAMED,
		branch: WRITE_NAMED,
		clearHistory: WRITE_NAMED,
		clearMessages: WRITE_NAMED,
		compact: WRITE_NAMED,
		createBrowserToken: WRITE_CLOSED,
		createConversation: WRITE_NAMED,
		deleteCheckpointThread: WRITE_CLOSED,
		deleteConversation: WRITE_NAMED,
		deleteMessage: WRITE,
		deleteState: WRITE_CLOSED,
		deleteTranscript: WRITE_CLOSED,
		eraseConversation: WRITE_CLOSED,
		fork: WRITE_CLOSED,
		importConversation: WRITE_NAMED,
		popHistory: WRITE_NAMED,
		pruneCheckpointThread: WRITE_CLOSED,
		pruneStateCheckpoints: WRITE_CLOSED,
		putCheckpoint: WRITE_CLOSED,
		putCheckpointWrites: WRITE_CLOSED,
		replaceHistory: WRITE_NAMED,
		revokeBrowserToken: WRITE_CLOSED,
		saveAgentState: WRITE_NAMED,
		saveState: WRITE_CLOSED,
		setConfig: WRITE_NAMED,
		setLabel: WRITE,
		setThinking: WRITE_NAMED,
		setTranscriptSummary: WRITE_CLOSED,
		switchBranch: WRITE_NAMED,
		updateConversation: WRITE_NAMED,
		updateMessage: WRITE,
	},
	Subscription: {
		messageAdded: READ,
	},
};

type Resolver = GraphQLFieldResolver<unknown, Context, Arguments>;

interface Arguments {
	conversationId?: string | null;
	input?: { conversationId?: string | null };
}

/** Puts every root field behind its access rule. A field without one stops the gateway before it serves anything. */
export function guard(schema: GraphQLSchema): GraphQLSchema {
	for (const type of [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()]) {
		for (const field of Object.values(type?.getFields() ?? {})) {
			const access = ACCESS[type!.name]?.[field.name];
			if (access === undefined) {
				throw new Error(`${type!.name}.${field.name} has no access rule: give it one in server/graphql/access.ts`);
			}
			if (field.subscribe !== undefined) field.subscribe = guarded(access, field.subscribe);
			else field.resolve = guarded(access, field.resolve ?? defaultFieldResolver);
		}
	}
	return schema;
}

function guarded(access: FieldAccess, resolve: Resolver): Resolver {
	return (root, args, context, info) => {
		const conversationId = args.conversationId ?? args.input?.conversationId ?? null;
		if (authorize(context.identity, access, conversationId)) return resolve(root, args, context, info);
		return access.absent?.(conversationId ?? "") ?? null;
	};
}
