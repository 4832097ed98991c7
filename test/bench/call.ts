/** A message to append. */
export interface Draft {
	messageId: string;
	role: string;
	payload: { text: string };
}

/** What one request asks for, whatever the server; each contender says it in its own way. */
export type Call =
	| { kind: "append"; conversationId: string; messages: Draft[] }
	| { kind: "messages"; conversationId: string; order: "asc" | "desc"; limit: number }
	| { kind: "message"; messageId: string }
	| { kind: "conversations"; limit: number };

/** The fields of a message that every contender answers with; they are those that the SDK asks for. */
export const MESSAGE_FIELDS = [
	"messageId",
	"conversationId",
	"seq",
	"branch",
	"kind",
	"role",
	"type",
	"payload",
	"metadata",
	"label",
	"sourceMessageId",
	"createdAt",
	"updatedAt",
] as const;

/** What they answer about a conversation. */
export const CONVERSATION_FIELDS = ["conversationId", "metadata", "createdAt", "updatedAt"] as const;
