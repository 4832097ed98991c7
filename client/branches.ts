import { badRequest } from "./errors.ts";
import { BranchDocument, BranchesDocument, MessagesDocument, SwitchBranchDocument } from "./generated/operations.ts";
import {
	checkBranch,
	checkCursor,
	checkId,
	checkLastSeq,
	checkLimit,
	checkOptionalBranch,
	checkOrder,
	readArguments,
} from "./input.ts";
import { toPage } from "./pages.ts";
import type { Sessions } from "./session-methods.ts";
import type { Transport } from "./transport.ts";

/** The methods for the branches of a conversation; what they promise is said at `Sessions`. */
export function branchMethods(
	transport: Transport,
): Pick<Sessions, "branch" | "switchBranch" | "listBranches" | "listPath"> {
	return {
		async branch(input, options) {
			const args = readArguments("branch", input, ["conversationId", "messageId", "expectedLastSeq"]);
			const conversationId = checkId("conversationId", args.conversationId);
			if (args.messageId === undefined) throw badRequest("messageId", "is required; null is before the first message");
			const messageId = args.messageId === null ? null : checkId("messageId", args.messageId);
			return transport.request(
				{
					document: BranchDocument,
					variables: { input: { conversationId, messageId, ...checkLastSeq(args.expectedLastSeq) } },
					retry: "unexecuted",
					read: (data) => data.branch?.branch,
				},
				options,
			);
		},

		async switchBranch(input, options) {
			const args = readArguments("switchBranch", input, ["conversationId", "branch"]);
			const conversationId = checkId("conversationId", args.conversationId);
			return transport.request(
				{
					document: SwitchBranchDocument,
					variables: { input: { conversationId, branch: checkBranch("branch", args.branch) } },
					retry: "unexecuted",
					read: (data) => data.switchBranch?.branch,
				},
				options,
			);
		},

		async listBranches(input, options) {
			const args = readArguments("listBranches", input, ["conversationId"]);
			return transport.request(
				{
					document: BranchesDocument,
					variables: { conversationId: checkId("conversationId", args.conversationId) },
					retry: "always",
					read: (data) => data.branches ?? undefined,
				},
				options,
			);
		},

		async listPath(input, options) {
			const names = ["conversationId", "branch", "order", "limit", "cursor"] as const;
			const args = readArguments("listPath", input, names);
			return transport.request(
				{
					document: MessagesDocument,
					variables: {
						conversationId: checkId("conversationId", args.conversationId),
						...checkOptionalBranch("branch", args.branch),
						...checkOrder(args.order),
						...checkLimit(args.limit),
						...checkCursor(args.cursor),
					},
					retry: "always",
					read: (data) => toPage(data.messages),
				},
				options,
			);
		},
	};
}
