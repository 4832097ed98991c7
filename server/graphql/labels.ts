import { setLabel } from "../store/labels.ts";
import { builder } from "./builder.ts";
import { MessageRef } from "./messages.ts";

builder.relayMutationField(
	"setLabel",
	{
		description: "Of setLabel.",
		inputFields: (t) => ({
			messageId: t.string({ required: true, description: "The message's id: 1 to 256 UTF-8 bytes (VAL-1)." }),
			label: t.string({ description: "1 to 256 UTF-8 bytes; null removes the label." }),
		}),
	},
	{
		nullable: true,
		description: "Sets the label of a message, or removes it. An unknown message is NotFound.",
		resolve: (_root, { input }, context) => setLabel(context, input),
	},
	{
		description: "Of setLabel.",
		outputFields: (t) => ({
			message: t.field({ type: MessageRef, resolve: (it) => it, description: "The message afterwards." }),
		}),
	},
);
