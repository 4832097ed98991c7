import { Fault } from "./faults.ts";
import { equalJson, type JsonValue } from "./json.ts";
import type { Message, MessageInput } from "./messages.ts";

/** What a model is told of a message that session operations wrote, as a message of the agent's own form. */
const TOLD = { compaction: "compaction_summary", branch_summary: "branch_summary" } as const;

/**
 * A message of a context as its agent sees it: what the agent saved; and of compactions and branch summaries their
 * text, as what the system says.
 */
export function toAgentMessage({ kind, payload }: Pick<Message, "kind" | "payload">): JsonValue {
	if (kind !== "compaction" && kind !== "branch_summary") return payload;
	const { summary } = payload as { summary: string };
	return { role: "system", type: TOLD[kind], content: summary };
}

/** A message of an agent as one to append: its role is shown in lists, where it has one that may stand there. */
export function fromAgentMessage(messageId: string, payload: JsonValue, idBytes: number): MessageInput {
	const role = typeof payload === "object" && payload !== null && !Array.isArray(payload) ? payload["role"] : null;
	return { messageId, payload, role: typeof role === "string" && isTag(role, idBytes) ? role : null };
}

function isTag(text: string, maxBytes: number): boolean {
	return Buffer.byteLength(text) <= maxBytes && !text.includes("\0") && !/\p{Surrogate}/u.test(text);
}

/**
 * The messages that go on where the stored context ends.
 *
 * @throws Fault Conflict that names the first place at which they do not repeat it.
 */
export function continuation(
	field: string,
	messages: readonly JsonValue[],
	context: readonly Message[],
): readonly JsonValue[] {
	const at = context.findIndex((stored, index) => {
		const given = messages[index];
		return given === undefined || !equalJson(given, toAgentMessage(stored));
	});
	if (at < 0) return messages.slice(context.length);
	const { messageId, seq } = context[at]!;
	const stored = `message ${JSON.stringify(messageId)} with seq ${seq}`;
	throw new Fault(
		"Conflict",
		at < messages.length
			? `${field}[${at}]: differs from ${stored}, which stands there; branch or compact, then go on from a new load`
			: `${field}: ends before ${stored}; load what was stored meanwhile, or branch before it`,
	);
}
