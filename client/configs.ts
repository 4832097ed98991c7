import { badRequest } from "./errors.ts";
import { ConfigDocument, SetConfigDocument, SetThinkingDocument } from "./generated/operations.ts";
import { captureMetadata, checkId, readArguments } from "./input.ts";
import type { Sessions } from "./session-methods.ts";
import type { ThreadConfig } from "./session-types.ts";
import type { Transport } from "./transport.ts";
import type { JsonObject } from "./types.ts";

/** The methods for the config of a conversation; what they promise is said at `Sessions`. */
export function configMethods(transport: Transport): Pick<Sessions, "getConfig" | "setConfig" | "setThinking"> {
	return {
		async getConfig(input, options) {
			const { conversationId } = readArguments("getConfig", input, ["conversationId"]);
			return transport.request(
				{
					document: ConfigDocument,
					variables: { conversationId: checkId("conversationId", conversationId) },
					retry: "always",
					read: ({ config }) => toConfig(config),
				},
				options,
			);
		},

		async setConfig(input, options) {
			const args = readArguments("setConfig", input, ["conversationId", "config"]);
			const conversationId = checkId("conversationId", args.conversationId);
			return transport.request(
				{
					document: SetConfigDocument,
					variables: { input: { conversationId, config: captureNullable("config", args.config) } },
					retry: "unexecuted",
					read: ({ setConfig }) => (setConfig === null ? undefined : toConfig(setConfig.config)),
				},
				options,
			);
		},

		async setThinking(input, options) {
			const args = readArguments("setThinking", input, ["conversationId", "thinking"]);
			const conversationId = checkId("conversationId", args.conversationId);
			return transport.request(
				{
					document: SetThinkingDocument,
					variables: { input: { conversationId, thinking: captureNullable("thinking", args.thinking) } },
					retry: "unexecuted",
					read: ({ setThinking }) => (setThinking === null ? undefined : toConfig(setThinking.config)),
				},
				options,
			);
		},
	};
}

/** What to set; leaving it out would take out what is set, so that null has to be said. */
function captureNullable(field: string, value: unknown): JsonObject | null {
	if (value === undefined) throw badRequest(field, "is required; null takes it out");
	return value === null ? null : captureMetadata(field, value).value;
}

/** The gateway has checked what it stores. */
function toConfig(config: JsonObject | null): ThreadConfig | null {
	return config as ThreadConfig | null;
}
