import { SearchConversationsDocument } from "./generated/operations.ts";
import { checkCursor, checkId, checkLimit, readArguments } from "./input.ts";
import { toPage } from "./pages.ts";
import type { Sessions } from "./session-methods.ts";
import type { Transport } from "./transport.ts";

/** The method that searches; what it promises is said at `Sessions`. */
export function searchMethods(transport: Transport): Pick<Sessions, "searchConversations"> {
	return {
		async searchConversations(input, options) {
			const args = readArguments("searchConversations", input, ["search", "limit", "cursor"]);
			return transport.request(
				{
					document: SearchConversationsDocument,
					variables: {
						search: checkId("search", args.search),
						...checkLimit(args.limit),
						...checkCursor(args.cursor),
					},
					retry: "always",
					read: (data) => toPage(data.conversations),
				},
				options,
			);
		},
	};
}
