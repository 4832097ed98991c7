import {
	AppendBranchSummaryDocument,
	AppendCustomDocument,
	CompactDocument,
	ContextDocument,
} from "./generated/operations.ts";
import { captureMessage, checkId, checkIdOrNew, checkOptionalBranch, checkString, readArguments } from "./input.ts";
import { captureJson } from "./json.ts";
import type { Sessions } from "./session-methods.ts";
import type { Transport } from "./transport.ts";
import type { Message } from "./types.ts";

type ContextMethod = "getContext" | "compact" | "appendBranchSummary" | "appendCustom";

/** The methods for what a model sees of a path; what they promise is said at `Sessions`. */
export function contextMethods(transport: Transport): Pick<Sessions, ContextMethod> {
	return {
		async getContext(input, options) {
			const args = readArguments("getContext", input, ["conversationId", "branch"]);
			const conversationId = checkId("conversationId", args.conversationId);
			const branch = checkOptionalBranch("branch", args.branch);
			return transport.call(options, async ({ send }) => {
				const messages: Message[] = [];
				let after: string | null = null;
				do {
					const page: { messages: Message[]; nextCursor: string | null } = await send({
						document: ContextDocument,
						variables: { conversationId, ...branch, ...(after === null ? {} : { after }) },
						retry: "always",
						read: (data) => data.context ?? undefined,
					});
					for (const message of page.messages) messages.push(message);
					after = page.nextCursor;
				} while (after !== null);
				return messages;
			});
		},

		async compact(input, options) {
			const names = ["conversationId", "summary", "firstKeptMessageId", "details", "messageId"] as const;
			const args = readArguments("compact", input, names);
			const { firstKeptMessageId } = args;
			const details = args.details == null ? undefined : captureJson("details", args.details)?.value;
			return transport.request(
				{
					document: CompactDocument,
					variables: {
						input: {
							conversationId: checkId("conversationId", args.conversationId),
							messageId: checkIdOrNew("messageId", args.messageId),
							summary: checkString("summary", args.summary),
							...(firstKeptMessageId == null
								? {}
								: { firstKeptMessageId: checkId("firstKeptMessageId", firstKeptMessageId) }),
							...(details === undefined ? {} : { details }),
						},
					},
					retry: "always",
					read: (data) => data.compact?.message,
				},
				options,
			);
		},

		async appendBranchSummary(input, options) {
			const names = ["conversationId", "summary", "fromBranch", "messageId"] as const;
			const args = readArguments("appendBranchSummary", input, names);
			return transport.request(
				{
					document: AppendBranchSummaryDocument,
					variables: {
						input: {
							conversationId: checkId("conversationId", args.conversationId),
							messageId: checkIdOrNew("messageId", args.messageId),
							summary: checkString("summary", args.summary),
							...checkOptionalBranch("fromBranch", args.fromBranch),
						},
					},
					retry: "always",
					read: (data) => data.appendBranchSummary?.message,
				},
				options,
			);
		},

		async appendCustom(input, options) {
			const args = readArguments("appendCustom", input, ["conversationId", "payload", "type", "messageId"]);
			const conversationId = checkId("conversationId", args.conversationId);
			const { payload, type, messageId } = args;
			const content = captureMessage("", { messageId, role: undefined, type, payload, metadata: undefined });
			return transport.request(
				{
					document: AppendCustomDocument,
					variables: { input: { conversationId, ...content } },
					retry: "always",
					read: (data) => data.appendCustom?.message,
				},
				options,
			);
		},
	};
}
