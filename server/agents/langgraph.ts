import type { BaseMessage } from "@langchain/core/messages";
import { type Agent, textOf } from "../domain/agents.ts";
import type { JsonObject, JsonValue } from "../domain/json.ts";
import type { Message } from "../domain/messages.ts";

/** A compiled graph, as far as the gateway needs it. */
export interface Graph {
	checkpointer?: unknown;
	stream(input: never, options: never): Promise<AsyncIterable<unknown>>;
}

/** Roles by LangChain's own names of its messages. */
const ROLES: Readonly<Record<string, string>> = { human: "user", ai: "assistant", system: "system", tool: "tool" };

/**
 * Runs a compiled LangGraph graph with a `messages` channel on the gateway's threads. It gets the thread as input and
 * has no checkpointer, so that the gateway alone stores: messages, and no other state. Of the config, all fields
 * stand in `configurable`. Since an `interrupt()` needs a checkpointer, it fails the run.
 *
 * @throws TypeError for a graph that was compiled with a checkpointer.
 */
export function langGraphAgent(graph: Graph): Agent {
	if (graph.checkpointer) {
		throw new TypeError("Compile the graph without a checkpointer: the gateway stores its threads itself");
	}
	return async function* ({ context, message, resume, config, signal }) {
		if (resume !== null) {
			yield { type: "agent_error", error: "A graph without a checkpointer cannot go on after an interrupt" };
			return;
		}
		const messages = (message === null ? context : [...context, message]).map(toInput);
		const stream = graph.stream.bind(graph) as (input: object, options: object) => Promise<AsyncIterable<unknown>>;
		const options = { signal, streamMode: ["messages", "values"], configurable: config };
		let known: Set<string | undefined> | undefined;
		let latest: readonly BaseMessage[] = [];
		for await (const part of await stream({ messages }, options)) {
			const [mode, value] = part as ["messages", [BaseMessage]] | ["values", { messages: BaseMessage[] }];
			if (mode === "messages") {
				const [piece] = value;
				// Whole messages come here, too; they are stored at the end.
				if (piece.getType() !== "ai" || !piece.constructor.name.endsWith("Chunk")) continue;
				const delta = textOf(piece.content as JsonValue);
				if (delta !== "") yield { type: "message_delta", delta };
			} else {
				latest = value.messages;
				// The first values are those of the input.
				known ??= new Set(latest.map(({ id }) => id));
			}
		}
		for (const added of latest) if (!known?.has(added.id)) yield { type: "message", message: toOutput(added) };
	};
}

function toInput({ kind, role, payload }: Message): JsonObject {
	if (kind !== "message") return { role: "system", content: textOf((payload as JsonObject)["summary"] ?? null) };
	const isMessage = typeof payload === "object" && payload !== null && !Array.isArray(payload) && "content" in payload;
	return isMessage && typeof payload["role"] === "string"
		? payload
		: { role: role ?? "user", content: textOf(payload) };
}

/** A message in the form that LangChain takes back. */
function toOutput(message: BaseMessage) {
	const { content, name } = message;
	const { tool_calls: calls, tool_call_id: callId } = message as { tool_calls?: JsonValue[]; tool_call_id?: string };
	const role = ROLES[message.getType()] ?? message.getType();
	const payload: JsonObject = { role, content: content as JsonValue };
	if (name !== undefined) payload["name"] = name;
	if (calls !== undefined && calls.length > 0) payload["tool_calls"] = calls;
	if (callId !== undefined) payload["tool_call_id"] = callId;
	return { role, payload };
}
