import type { BaseMessage } from "@langchain/core/messages";
import type { MemorySaver } from "@langchain/langgraph";
import { type Agent, textOf } from "../domain/agents.ts";
import type { JsonObject, JsonValue } from "../domain/json.ts";
import type { Message } from "../domain/messages.ts";
import { dumpCheckpoints, loadCheckpoints } from "./langgraph-checkpoints.ts";

/** A compiled graph, as far as the gateway needs it. */
export interface Graph {
	checkpointer?: unknown;
	stream(input: never, options: never): Promise<AsyncIterable<unknown>>;
	withConfig(config: never): Graph;
}

/** What an interrupted run of a graph needs to go on. */
interface Interrupted extends JsonObject {
	checkpoints: string;
	/** Ids of the messages that the thread has. */
	known: string[];
	/** Whether it waits for an answer; else the graph was compiled to pause there. */
	isAsked: boolean;
}

/** What messages of some kinds have besides. */
type Called = BaseMessage & { tool_calls?: (JsonObject & { id?: string })[]; tool_call_id?: string };

/** What a run of a graph streams. */
type Part =
	| ["messages", [BaseMessage]]
	| ["values", { messages: BaseMessage[] } | { __interrupt__: { id: string; value?: JsonValue }[] }];

/** Roles by LangChain's own names of its messages. */
const ROLES: Readonly<Record<string, string>> = { human: "user", ai: "assistant", system: "system", tool: "tool" };

/**
 * Runs a compiled LangGraph graph with a `messages` channel on the gateway's threads. It gets the thread as input and
 * no checkpointer of its own, so that the gateway alone stores: messages, and no other state. Of the config, all fields
 * stand in `configurable`, beside `thread_id`.
 *
 * An `interrupt()` interrupts the run, and the state of the graph is kept until `resume` answers, with what
 * `Command({ resume })` takes. A pause that the graph was compiled with goes on with any answer. LangGraph takes no
 * thread named `__proto__`, `constructor` or `prototype`.
 *
 * @throws TypeError for a graph that was compiled with a checkpointer.
 */
export function langGraphAgent(graph: Graph): Agent {
	if (graph.checkpointer) {
		throw new TypeError("Compile the graph without a checkpointer: the gateway stores its threads itself");
	}
	return async function* ({ threadId, context, message, resume, config, signal }) {
		const { Command, MemorySaver } = await import("@langchain/langgraph");
		const before = resume?.state as Interrupted | undefined;
		const answer = resume?.answer ?? null;
		if (before?.isAsked && answer === null) {
			yield { type: "agent_error", error: "resume: must not be null, which LangGraph does not take for an answer" };
			return;
		}
		const saver = new MemorySaver();
		if (before !== undefined) await loadCheckpoints(saver, before.checkpoints);
		const said = message === null ? context : [...context, message];
		const ask = before?.isAsked ? new Command({ resume: answer }) : null;
		const input = before === undefined ? { messages: said.map(toInput) } : ask;
		const parts = await start(graph, saver, input, { signal, configurable: { ...config, thread_id: threadId } });
		let known: readonly (string | undefined)[] | undefined = before?.known;
		let latest: readonly BaseMessage[] = [];
		let interrupts: JsonObject[] | undefined;
		for await (const [mode, value] of parts) {
			if (mode === "messages") {
				const delta = deltaOf(value[0]);
				if (delta !== "") yield { type: "message_delta", delta };
			} else if ("__interrupt__" in value) {
				const asked = value.__interrupt__.map(({ id, value: what = null }) => ({ id, value: what }));
				interrupts = [...(interrupts ?? []), ...asked];
			} else {
				latest = value.messages;
				// The first values are those of the input.
				known ??= latest.map(({ id }) => id);
			}
		}
		if (interrupts !== undefined) latest = await answered(saver, threadId);
		const isKnown = new Set(known);
		const added = latest.filter(({ id }) => !isKnown.has(id));
		for (const message of added) yield { type: "message", message: toOutput(message) };
		if (interrupts === undefined) return;
		const state: Interrupted = {
			checkpoints: await dumpCheckpoints(saver, threadId),
			known: [...isKnown, ...added.map(({ id }) => id)].filter((id) => id !== undefined),
			isAsked: interrupts.length > 0,
		};
		yield { type: "agent_interrupt", reason: "graph_interrupt", data: { interrupts }, state };
	};
}

/** Runs a graph with a checkpointer for this run alone, which comes to hold where it ended, and nothing before that. */
function start(graph: Graph, saver: MemorySaver, input: object | null, options: object): Promise<AsyncIterable<Part>> {
	const own = graph.withConfig({} as never);
	own.checkpointer = saver;
	const how = { ...options, streamMode: ["messages", "values"], durability: "exit" };
	return own.stream(input as never, how as never) as Promise<AsyncIterable<Part>>;
}

/** The text of a piece; whole messages come with the pieces, but are stored at the end. */
function deltaOf(piece: BaseMessage): string {
	const isPiece = piece.getType() === "ai" && piece.constructor.name.endsWith("Chunk");
	return isPiece ? textOf(piece.content as JsonValue) : "";
}

/** The messages of an interrupted run that can be stored: a call without a result would spoil the thread for a next one. */
async function answered(saver: MemorySaver, threadId: string): Promise<BaseMessage[]> {
	const tuple = await saver.getTuple({ configurable: { thread_id: threadId } });
	// What is left out here is told at the end.
	const messages = (tuple?.checkpoint.channel_values["messages"] ?? []) as BaseMessage[];
	const results = new Set(messages.map((message) => (message as Called).tool_call_id));
	const open = messages.findIndex(({ tool_calls = [] }: Called) => tool_calls.some(({ id }) => !results.has(id)));
	return open === -1 ? messages : messages.slice(0, open);
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
	const { content, name, tool_calls: calls, tool_call_id: callId } = message as Called;
	const role = ROLES[message.getType()] ?? message.getType();
	const payload: JsonObject = { role, content: content as JsonValue };
	if (name !== undefined) payload["name"] = name;
	if (calls !== undefined && calls.length > 0) payload["tool_calls"] = calls;
	if (callId !== undefined) payload["tool_call_id"] = callId;
	return { role, payload };
}
