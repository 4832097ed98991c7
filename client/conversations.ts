import { StoreError } from "./errors.ts";
import {
	ConversationDocument,
	type ConversationQuery,
	ConversationsDocument,
	CreateConversationDocument,
	DeleteConversationDocument,
	UpdateConversationDocument,
} from "./generated/operations.ts";
import {
	captureConversationMetadata,
	checkCursor,
	checkId,
	checkIdOrNew,
	checkLimit,
	readArguments,
	readOptionalArguments,
} from "./input.ts";
import type { Store } from "./methods.ts";
import { toPage } from "./pages.ts";
import type { Transport } from "./transport.ts";

type ConversationMethod =
	| "createConversation"
	| "getConversation"
	| "listConversations"
	| "updateConversation"
	| "deleteConversation";

/** The Store's methods for conversations; what they promise is said at `Store`. */
export function conversationMethods(transport: Transport): Pick<Store, ConversationMethod> {
	return {
		async createConversation(input, options) {
			const args = readOptionalArguments("createConversation", input, ["conversationId", "metadata"]);
			const isOwnId = args.conversationId == null;
			const conversationId = checkIdOrNew("conversationId", args.conversationId);
			const metadata = args.metadata === undefined ? {} : { metadata: captureConversationMetadata(args.metadata) };
			return transport.call(options, async (call) => {
				try {
					return await call.send({
						document: CreateConversationDocument,
						variables: { input: { conversationId, ...metadata } },
						retry: isOwnId ? "always" : "unexecuted",
						read: (data) => data.createConversation?.conversation,
					});
				} catch (error) {
					// Only a creation with an id made here goes on after an ambiguous attempt (rule ERR-4), and nobody else can
					// know that id: the row is that attempt's.
					const isRepeated = call.ambiguous && error instanceof StoreError && error.code === "Conflict";
					const created = isRepeated ? await call.send(readConversation(conversationId)) : null;
					if (created === null) throw error;
					return created;
				}
			});
		},

		async getConversation(input, options) {
			const { conversationId } = readArguments("getConversation", input, ["conversationId"]);
			return transport.request(readConversation(checkId("conversationId", conversationId)), options);
		},

		async listConversations(input, options) {
			const { limit, cursor } = readOptionalArguments("listConversations", input, ["limit", "cursor"]);
			return transport.request(
				{
					document: ConversationsDocument,
					variables: { ...checkLimit(limit), ...checkCursor(cursor) },
					retry: "always",
					read: (data) => toPage(data.conversations),
				},
				options,
			);
		},

		async updateConversation(input, options) {
			const args = readArguments("updateConversation", input, ["conversationId", "metadata"]);
			const conversationId = checkId("conversationId", args.conversationId);
			const metadata = captureConversationMetadata(args.metadata);
			return transport.request(
				{
					document: UpdateConversationDocument,
					variables: { input: { conversationId, metadata } },
					retry: Object.keys(metadata).length === 0 ? "always" : "unexecuted",
					read: (data) => data.updateConversation?.conversation,
				},
				options,
			);
		},

		async deleteConversation(input, options) {
			const args = readArguments("deleteConversation", input, ["conversationId"]);
			await transport.request(
				{
					document: DeleteConversationDocument,
					variables: { input: { conversationId: checkId("conversationId", args.conversationId) } },
					retry: "unexecuted",
					read: (data) => data.deleteConversation?.conversationId,
				},
				options,
			);
		},
	};
}

function readConversation(conversationId: string) {
	return {
		document: ConversationDocument,
		variables: { conversationId },
		retry: "always" as const,
		read: (data: ConversationQuery) => data.conversation,
	};
}
