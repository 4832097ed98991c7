import { badRequest } from "../errors.ts";
import { newId } from "../ids.ts";
import { checkTag, payloadTooLarge } from "../input.ts";
import { captureJson, jsonBytes } from "../json.ts";
import { LIMITS } from "../limits.ts";
import type { JsonObject } from "../types.ts";

/** An item as the message that it is stored as: role and type from the item, which itself is the payload. */
export interface ItemMessage {
	messageId: string;
	role: string | null;
	type: string | null;
	payload: JsonObject;
}

/** Captured items, in order. */
export interface CapturedItems {
	messages: ItemMessage[];
	/** A number of bytes that the messages do not exceed as JSON. */
	maxBytes: number;
}

/** Bytes that a message takes as JSON beside its payload, at most: id, role, type, their names. */
const MAX_ENVELOPE_BYTES = 4096;
/** Bytes that a request takes beside its messages: document, conversation id, operation id. */
const REQUEST_RESERVE_BYTES = 64 * 1024;
/** Of empty metadata, which every message has. */
const METADATA_BYTES = 2;

/** Captures items; the ids of their messages are fixed here, so that a repeated request stores nothing twice. */
export function captureItems(field: string, items: unknown): CapturedItems {
	if (!Array.isArray(items)) throw badRequest(field, "must be an array of items");
	let maxBytes = 0;
	const messages = Array.from({ length: items.length }, (_, index) => {
		const item = captureItem(`${field}[${index}]`, items[index]);
		maxBytes += item.maxBytes;
		return item.message;
	});
	return { messages, maxBytes };
}

/** Captures one item by the rules of a payload (VAL-3, VAL-5…7). */
export function captureItem(field: string, item: unknown): { message: ItemMessage; maxBytes: number } {
	const captured = captureJson(field, item);
	const payload = captured?.value;
	if (captured === undefined || typeof payload !== "object" || payload === null || Array.isArray(payload)) {
		throw badRequest(field, "must be an item, which is a JSON object");
	}
	if (captured.maxBytes + METADATA_BYTES > LIMITS.messageBytes) {
		if (jsonBytes(payload) + METADATA_BYTES > LIMITS.messageBytes) throw payloadTooLarge(field, LIMITS.messageBytes);
	}
	const message = {
		messageId: newId(),
		role: tagOf(field, payload, "role"),
		type: tagOf(field, payload, "type"),
		payload,
	};
	return { message, maxBytes: captured.maxBytes + MAX_ENVELOPE_BYTES };
}

function tagOf(field: string, payload: JsonObject, name: "role" | "type"): string | null {
	const tag = payload[name];
	return typeof tag === "string" ? checkTag(`${field}.${name}`, tag) : null;
}

/** Cuts messages into slices that each fit into a request: nearly always a single one. */
export function sliceItems({ messages, maxBytes }: CapturedItems): ItemMessage[][] {
	const most = LIMITS.requestBytes - REQUEST_RESERVE_BYTES;
	if (maxBytes <= most) return messages.length === 0 ? [] : [messages];
	const slices: ItemMessage[][] = [];
	let free = 0;
	for (const message of messages) {
		const bytes = jsonBytes({ ...message }) + 1;
		if (slices.length === 0 || bytes > free) {
			slices.push([]);
			free = most;
		}
		slices.at(-1)!.push(message);
		free -= bytes;
	}
	return slices;
}
