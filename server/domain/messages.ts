import { badRequest } from "./faults.ts";
import { checkId, checkTag } from "./ids.ts";
import {
	checkObject,
	encodeJson,
	equalJson,
	type JsonObject,
	type JsonText,
	type JsonValue,
	tooLarge,
} from "./json.ts";
import type { Limits } from "./limits.ts";

/** What a row of a conversation is: an application's own message, or what one of the session operations wrote. */
export type MessageKind = "message" | "compaction" | "branch_summary" | "custom";

/** A message as every layer above the database sees it. */
export interface Message {
	messageId: string;
	conversationId: string;
	/** Position inside the conversation, a decimal string. */
	seq: string;
	branch: number;
	kind: MessageKind;
	role: string | null;
	type: string | null;
	payload: JsonValue;
	metadata: JsonObject;
	label: string | null;
	/** In a fork, the message that this is a copy of. */
	sourceMessageId: string | null;
	/** ISO-8601, UTC, milliseconds (rule VAL-11). */
	createdAt: string;
	updatedAt: string;
}

/** What a caller gives to append. */
export interface MessageInput {
	messageId: string;
	role?: string | null | undefined;
	type?: string | null | undefined;
	payload: JsonValue;
	metadata?: JsonObject | undefined;
}

/** A checked message, its JSON encoded for the database. */
export interface MessageDraft {
	messageId: string;
	kind: MessageKind;
	role: string | null;
	type: string | null;
	payload: string;
	metadata: string;
	bytes: number;
	/** Of a compaction, where what it keeps begins. */
	firstKeptSeq: string | null;
}

/** Checks the messages of an append (rules VAL-1…7, MSG-4); `field` names their place in the arguments. */
export function draftMessages(field: string, inputs: readonly MessageInput[], limits: Limits): MessageDraft[] {
	if (inputs.length < 1 || inputs.length > limits.batchMessages) {
		throw badRequest(field, `must hold 1 to ${limits.batchMessages} messages (MSG-4)`);
	}
	const seen = new Set<string>();
	return inputs.map((input, index) => {
		const draft = draftMessage(`${field}[${index}]`, input, limits);
		if (seen.has(draft.messageId)) {
			throw badRequest(`${field}[${index}].messageId`, "must not occur twice in one batch (MSG-4)");
		}
		seen.add(draft.messageId);
		return draft;
	});
}

/** Checks one message (rules VAL-1…7). */
export function draftMessage(
	field: string,
	input: MessageInput,
	limits: Limits,
	kind: MessageKind = "message",
): MessageDraft {
	const payload = encodeContent(`${field}.payload`, input.payload, limits);
	const metadata = encodeContent(`${field}.metadata`, checkObject(`${field}.metadata`, input.metadata), limits);
	const bytes = payload.bytes + metadata.bytes;
	if (bytes > limits.messageBytes) throw tooLarge(`${field}: payload and metadata together`, limits.messageBytes);
	return {
		messageId: checkId(`${field}.messageId`, input.messageId, limits.idBytes),
		kind,
		role: checkTag(`${field}.role`, input.role, limits.idBytes),
		type: checkTag(`${field}.type`, input.type, limits.idBytes),
		payload: payload.text,
		metadata: metadata.text,
		bytes,
		firstKeptSeq: null,
	};
}

/** What an update sets: only the fields that are present (rule MSG-10). */
export interface MessagePatch {
	role?: string | null;
	type?: string | null;
	payload?: JsonText;
	metadata?: JsonText;
}

/** Checks the fields of an update; `undefined` leaves a field as it is, `null` clears role and type. */
export function draftPatch(
	field: string,
	input: Partial<Omit<MessageInput, "messageId">>,
	limits: Limits,
): MessagePatch {
	const patch: MessagePatch = {};
	if (input.role !== undefined) patch.role = checkTag(`${field}.role`, input.role, limits.idBytes);
	if (input.type !== undefined) patch.type = checkTag(`${field}.type`, input.type, limits.idBytes);
	if (input.payload !== undefined) patch.payload = encodeContent(`${field}.payload`, input.payload, limits);
	if (input.metadata !== undefined) {
		patch.metadata = encodeContent(`${field}.metadata`, checkObject(`${field}.metadata`, input.metadata), limits);
	}
	if (Object.keys(patch).length === 0) {
		throw badRequest(field, "must give at least one of role, type, payload, metadata (MSG-10)");
	}
	return patch;
}

/** Whether the drafts repeat stored messages, each its own (rule MSG-4). */
export function areReplays(
	drafts: readonly MessageDraft[],
	conversationId: string,
	stored: readonly (Message | null)[],
): stored is Message[] {
	return drafts.every((draft, index) => stored[index] && isReplay(draft, conversationId, stored[index]));
}

/** Whether a draft repeats a stored message (rule MSG-3): same conversation, kind, role, type, payload and metadata. */
function isReplay(draft: MessageDraft, conversationId: string, stored: Message): boolean {
	return (
		stored.conversationId === conversationId &&
		stored.kind === draft.kind &&
		stored.role === draft.role &&
		stored.type === draft.type &&
		equalJson(stored.payload, JSON.parse(draft.payload) as JsonValue) &&
		equalJson(stored.metadata, JSON.parse(draft.metadata) as JsonValue)
	);
}

function encodeContent(field: string, value: JsonValue, limits: Limits): JsonText {
	return encodeJson(field, value, { depth: limits.jsonDepth, bytes: limits.messageBytes });
}
