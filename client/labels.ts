import { badRequest } from "./errors.ts";
import { SetLabelDocument } from "./generated/operations.ts";
import { checkId, checkTag, readArguments } from "./input.ts";
import type { Sessions } from "./session-methods.ts";
import type { Transport } from "./transport.ts";

/** The method for labels; what it promises is said at `Sessions`. */
export function labelMethods(transport: Transport): Pick<Sessions, "setLabel"> {
	return {
		async setLabel(input, options) {
			const args = readArguments("setLabel", input, ["messageId", "label"]);
			const messageId = checkId("messageId", args.messageId);
			if (args.label === "") throw badRequest("label", "must not be empty; null removes a label");
			const label = checkTag("label", args.label);
			return transport.request(
				{
					document: SetLabelDocument,
					variables: { input: { messageId, label } },
					retry: "unexecuted",
					read: (data) => data.setLabel?.message,
				},
				options,
			);
		},
	};
}
