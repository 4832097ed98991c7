import { getConfig, setConfig, setThinking } from "../store/configs.ts";
import { builder } from "./builder.ts";

const CONVERSATION_ID = "The conversation's id: 1 to 256 UTF-8 bytes (VAL-1).";
const THINKING =
	"{ includeThoughts?: boolean, display?: summarized | omitted, effort?: low | medium | high | max, budget?: integer }";
const CONFIG = `{ model?: string, responseFormat?: { type: text | json_object | json_schema, jsonSchema?: { name, description?, schema, strict? } }, thinking?: ${THINKING}, skills?: [string] }`;

builder.queryField("config", (t) =>
	t.field({
		type: "JSONObject",
		nullable: true,
		description: `How calls for a conversation are made, where a call does not say otherwise: ${CONFIG}. Null where none is set. An unknown conversation is NotFound.`,
		args: { conversationId: t.arg.string({ required: true, description: CONVERSATION_ID }) },
		resolve: (_root, args, context) => getConfig(context, args),
	}),
);

builder.relayMutationField(
	"setConfig",
	{
		description: "Of setConfig.",
		inputFields: (t) => ({
			conversationId: t.string({ required: true, description: CONVERSATION_ID }),
			config: t.field({ type: "JSONObject", description: `${CONFIG}; null takes the config out.` }),
		}),
	},
	{
		nullable: true,
		description: "Replaces the config of a conversation whole. An unknown conversation is NotFound.",
		resolve: async (_root, { input }, context) => ({ config: await setConfig(context, input) }),
	},
	{
		description: "Of setConfig.",
		outputFields: (t) => ({
			config: t.expose("config", { type: "JSONObject", nullable: true, description: "The config afterwards." }),
		}),
	},
);

builder.relayMutationField(
	"setThinking",
	{
		description: "Of setThinking.",
		inputFields: (t) => ({
			conversationId: t.string({ required: true, description: CONVERSATION_ID }),
			thinking: t.field({ type: "JSONObject", description: `${THINKING}; null takes it out.` }),
		}),
	},
	{
		nullable: true,
		description:
			"Replaces the thinking part of the config of a conversation; the other parts stay. An unknown conversation is NotFound.",
		resolve: async (_root, { input }, context) => ({ config: await setThinking(context, input) }),
	},
	{
		description: "Of setThinking.",
		outputFields: (t) => ({
			config: t.expose("config", { type: "JSONObject", nullable: true, description: "The config afterwards." }),
		}),
	},
);
