import {
	BranchPointsDocument,
	LabelsDocument,
	LeavesDocument,
	StatsDocument,
	TreeDocument,
} from "./generated/operations.ts";
import { checkCursor, checkId, checkLimit, readArguments } from "./input.ts";
import { toPage } from "./pages.ts";
import type { Sessions } from "./session-methods.ts";
import type { Transport } from "./transport.ts";

type TreeMethod = "getTree" | "listLeaves" | "listBranchPoints" | "listLabels" | "getStats";

/** The methods that look at a conversation as a tree; what they promise is said at `Sessions`. */
export function treeMethods(transport: Transport): Pick<Sessions, TreeMethod> {
	return {
		async getTree(input, options) {
			const args = readArguments("getTree", input, ["conversationId", "limit", "cursor"]);
			return transport.request(
				{
					document: TreeDocument,
					variables: {
						conversationId: checkId("conversationId", args.conversationId),
						...checkLimit(args.limit),
						...checkCursor(args.cursor),
					},
					retry: "always",
					read: (data) => toPage(data.tree),
				},
				options,
			);
		},

		async listLeaves(input, options) {
			return transport.request(
				{
					document: LeavesDocument,
					variables: readConversation("listLeaves", input),
					retry: "always",
					read: (data) => data.leaves ?? undefined,
				},
				options,
			);
		},

		async listBranchPoints(input, options) {
			return transport.request(
				{
					document: BranchPointsDocument,
					variables: readConversation("listBranchPoints", input),
					retry: "always",
					read: (data) => data.branchPoints ?? undefined,
				},
				options,
			);
		},

		async listLabels(input, options) {
			return transport.request(
				{
					document: LabelsDocument,
					variables: readConversation("listLabels", input),
					retry: "always",
					read: (data) => data.labels ?? undefined,
				},
				options,
			);
		},

		async getStats(input, options) {
			return transport.request(
				{
					document: StatsDocument,
					variables: readConversation("getStats", input),
					retry: "always",
					read: (data) => data.stats ?? undefined,
				},
				options,
			);
		},
	};
}

function readConversation(method: string, input: unknown): { conversationId: string } {
	const { conversationId } = readArguments(method, input, ["conversationId"]);
	return { conversationId: checkId("conversationId", conversationId) };
}
