import { ForkDocument } from "./generated/operations.ts";
import { checkId, checkIdOrNew, readArguments } from "./input.ts";
import type { Sessions } from "./session-methods.ts";
import type { Transport } from "./transport.ts";

/** The method that forks a conversation; what it promises is said at `Sessions`. */
export function forkMethods(transport: Transport): Pick<Sessions, "fork"> {
	return {
		async fork(input, options) {
			const args = readArguments("fork", input, ["conversationId", "messageId", "newConversationId"]);
			const conversationId = checkId("conversationId", args.conversationId);
			const messageId = args.messageId == null ? {} : { messageId: checkId("messageId", args.messageId) };
			const newConversationId = checkIdOrNew("newConversationId", args.newConversationId);
			return transport.request(
				{
					document: ForkDocument,
					variables: { input: { conversationId, ...messageId, newConversationId } },
					retry: "always",
					read: (data) => data.fork?.conversation,
				},
				options,
			);
		},
	};
}
