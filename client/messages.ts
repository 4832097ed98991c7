import { badRequest } from "./errors.ts";
import {
	AppendMessageDocument,
	AppendMessagesDocument,
	ClearMessagesDocument,
	DeleteMessageDocument,
	MessageDocument,
	MessagesDocument,
	UpdateMessageDocument,
} from "./generated/operations.ts";
import {
	CONTENT_NAMES,
	captureContent,
	captureMessage,
	captureMessages,
	checkCursor,
	checkId,
	checkLastSeq,
	checkLimit,
	checkOrder,
	readArguments,
} from "./input.ts";
import type { Store } from "./methods.ts";
import { toPage } from "./pages.ts";
import type { Transport } from "./transport.ts";

type MessageMethod =
	| "appendMessage"
	| "appendMessages"
	| "getMessage"
	| "listMessages"
	| "updateMessage"
	| "deleteMessage"
	| "clearMessages";

/** The Store's methods for messages; what they promise is said at `Store`. */
export function messageMethods(transport: Transport): Pick<Store, MessageMethod> {
	return {
		async appendMessage(input, options) {
			const names = ["conversationId", "messageId", ...CONTENT_NAMES, "expectedLastSeq"] as const;
			const args = readArguments("appendMessage", input, names);
			const conversationId = checkId("conversationId", args.conversationId);
			const precondition = checkLastSeq(args.expectedLastSeq);
			return transport.request(
				{
					document: AppendMessageDocument,
					variables: { input: { conversationId, ...captureMessage("", args), ...precondition } },
					retry: "always",
					read: (data) => data.appendMessage?.message,
				},
				options,
			);
		},

		async appendMessages(input, options) {
			const args = readArguments("appendMessages", input, ["conversationId", "messages", "expectedLastSeq"]);
			const conversationId = checkId("conversationId", args.conversationId);
			const precondition = checkLastSeq(args.expectedLastSeq);
			return transport.request(
				{
					document: AppendMessagesDocument,
					variables: { input: { conversationId, messages: captureMessages(args.messages), ...precondition } },
					retry: "always",
					read: (data) => data.appendMessages?.messages,
				},
				options,
			);
		},

		async getMessage(input, options) {
			const args = readArguments("getMessage", input, ["messageId"]);
			return transport.request(
				{
					document: MessageDocument,
					variables: { messageId: checkId("messageId", args.messageId) },
					retry: "always",
					read: (data) => data.message,
				},
				options,
			);
		},

		async listMessages(input, options) {
			const args = readArguments("listMessages", input, ["conversationId", "limit", "cursor", "order"]);
			const conversationId = checkId("conversationId", args.conversationId);
			return transport.request(
				{
					document: MessagesDocument,
					variables: {
						conversationId,
						...checkLimit(args.limit),
						...checkCursor(args.cursor),
						...checkOrder(args.order),
					},
					retry: "always",
					read: (data) => toPage(data.messages),
				},
				options,
			);
		},

		async updateMessage(input, options) {
			const args = readArguments("updateMessage", input, ["messageId", ...CONTENT_NAMES]);
			const messageId = checkId("messageId", args.messageId);
			const content = captureContent("", args);
			if (Object.keys(content).length === 0) {
				throw badRequest("updateMessage", `must be given at least one of ${CONTENT_NAMES.join(", ")} (MSG-10)`);
			}
			return transport.request(
				{
					document: UpdateMessageDocument,
					variables: { input: { messageId, ...content } },
					retry: "unexecuted",
					read: (data) => data.updateMessage?.message,
				},
				options,
			);
		},

		async deleteMessage(input, options) {
			const args = readArguments("deleteMessage", input, ["messageId"]);
			await transport.request(
				{
					document: DeleteMessageDocument,
					variables: { input: { messageId: checkId("messageId", args.messageId) } },
					retry: "always",
					read: (data) => data.deleteMessage?.messageId,
				},
				options,
			);
		},

		async clearMessages(input, options) {
			const args = readArguments("clearMessages", input, ["conversationId"]);
			await transport.request(
				{
					document: ClearMessagesDocument,
					variables: { input: { conversationId: checkId("conversationId", args.conversationId) } },
					retry: "unexecuted",
					read: (data) => data.clearMessages?.conversationId,
				},
				options,
			);
		},
	};
}
