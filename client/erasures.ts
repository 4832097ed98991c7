import { EraseConversationDocument } from "./generated/operations.ts";
import { checkId, readArguments } from "./input.ts";
import type { Sessions } from "./session-methods.ts";
import type { Transport } from "./transport.ts";

/** The method that erases; what it promises is said at `Sessions`. */
export function erasureMethods(transport: Transport): Pick<Sessions, "erase"> {
	return {
		async erase(input, options) {
			const args = readArguments("erase", input, ["conversationId"]);
			return transport.request(
				{
					document: EraseConversationDocument,
					variables: { input: { conversationId: checkId("conversationId", args.conversationId) } },
					// Repeated, it would say that nothing was there.
					retry: "unexecuted",
					read: (data) => data.eraseConversation ?? undefined,
				},
				options,
			);
		},
	};
}
