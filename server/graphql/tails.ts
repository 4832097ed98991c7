import type { TailEvent } from "../domain/tails.ts";
import { builder } from "./builder.ts";
import { MessageRef } from "./messages.ts";

const TailEventKindRef = builder.enumType("TailEventKind", {
	description: "What a live tail tells.",
	values: {
		OPENED: { value: "opened", description: "The tail has begun; the first event, and only that." },
		MESSAGE: { value: "message", description: "A message was appended." },
		RESET: {
			value: "reset",
			description:
				"The conversation was deleted (CONV-5): nothing that was told before holds. What follows is that of a new conversation, once there is one.",
		},
	} as const,
});

const TailEventRef = builder.objectRef<TailEvent>("TailEvent").implement({
	description: "An event of a live tail.",
	fields: (t) => ({
		kind: t.expose("kind", { type: TailEventKindRef, description: "What happened." }),
		position: t.exposeString("position", {
			description: "Give it as `after`, here or on another gateway, to go on behind this event. Opaque.",
		}),
		message: t.field({
			type: MessageRef,
			nullable: true,
			description: "With MESSAGE: the message, of whatever branch and kind, as it was when it was told.",
			resolve: ({ message }) => message,
		}),
	}),
});

builder.subscriptionType({
	description:
		"Streams, as server-sent events: send `accept: text/event-stream`. A stream ends with a last event whose errors say why: ServiceUnavailable when the gateway shuts down, Unauthorized when the credential has ended.",
});

builder.subscriptionField("messageAdded", (t) =>
	t.field({
		type: TailEventRef,
		nullable: true,
		description:
			"The live tail of a conversation: the messages of all its branches by seq, those that are there and those to come, none missed and none twice, as they are committed on any gateway. An unknown conversation is waited for. Updates, deletes and clearing of messages are not told.",
		args: {
			conversationId: t.arg.string({
				required: true,
				description: "The conversation's id: 1 to 256 UTF-8 bytes (VAL-1).",
			}),
			after: t.arg.string({
				description: "A position of this tail: it goes on behind that. When omitted it begins with the first message.",
			}),
			last: t.arg.int({
				description: "Without `after`: begins with so many of the newest messages at most; 0 tells only those to come.",
			}),
		},
		subscribe: (_root, args, { openTail }) => openTail(args),
		resolve: (event) => event,
	}),
);
