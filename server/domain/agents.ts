import { checkConfig } from "./configs.ts";
import { badRequest, type Fault } from "./faults.ts";
import type { JsonObject, JsonValue } from "./json.ts";
import type { Message } from "./messages.ts";

/** What a run waits for. */
export interface Interrupt {
	reason: string;
	data: JsonValue;
}

/** What an agent is run with. */
export interface AgentRun {
	/** The conversation's id. */
	threadId: string;
	runId: string;
	/** What a model should see of the thread before the message, in order: the latest compaction, then what it keeps. */
	context: readonly Message[];
	/** What the user says, stored already; null when the run goes on after an interrupt. */
	message: Message | null;
	/** Of an interrupted run that goes on: what the agent kept, and what the caller answers. */
	resume: { state: JsonValue; answer: JsonValue } | null;
	/** Field by field: the request's value, else the thread's, else the gateway's. */
	config: JsonObject;
	/** Aborted when the client has left, the run has lost the thread, or the gateway shuts down. */
	signal: AbortSignal;
}

/** A message that an agent puts out, to be stored. */
export interface AgentMessage {
	role?: string | null;
	type?: string | null;
	payload: JsonValue;
	metadata?: JsonObject;
}

/**
 * What an agent yields. Text alone is a `message_delta`. A `message` is stored. An `agent_interrupt` ends the run until
 * somebody answers: `state` is kept for then, the rest is shown. An `agent_error` fails the run with a text that the
 * client may read. All else is passed on as it is, under its name.
 */
export type AgentEvent =
	| string
	| { type: "message_delta"; delta: string; kind?: "text" | "thinking" }
	| { type: "message"; message: AgentMessage }
	| { type: "agent_interrupt"; reason: string; data?: JsonValue; state: JsonValue }
	| { type: "agent_error"; error: string }
	| { type: PassedOn; payload: JsonObject };

/** The events that the gateway only passes on. */
type PassedOn =
	| "turn_start"
	| "turn_end"
	| "message_reset"
	| "model_failover"
	| "tool_call_start"
	| "tool_call_end"
	| "handoff_start"
	| "handoff_end"
	| "compaction_start"
	| "compaction_end"
	| "auto_retry"
	| "skill_loaded";

/** Answers one message of a thread. It stores nothing by itself. */
export type Agent = (run: AgentRun) => AsyncIterable<AgentEvent>;

/** How the gateway runs its agent. */
export interface AgentOptions {
	/** What calls use where neither the request nor the thread says otherwise. */
	config?: JsonObject;
	/** A second run on a thread is refused with a Conflict, or waits; `refuse` by default. */
	whenBusy?: "refuse" | "wait";
	/** Messages are stored together when the run ends, or each as it comes; `end` by default. */
	store?: "end" | "each";
	/** Of a run that fails, stores the messages so far and the text of an unfinished one; off by default. */
	keepPartial?: boolean;
	/** Milliseconds for which a run has its thread unless it renews that, 60,000 by default; it renews after a third. */
	leaseMs?: number;
	/** Milliseconds that a run waits for its thread at most, 30,000 by default. */
	waitMs?: number;
}

/** Checks how the operator wants the agent to be run. */
export function checkAgentOptions(options: AgentOptions): AgentOptions {
	return options.config === undefined
		? options
		: { ...options, config: checkConfig("agentOptions.config", options.config) };
}

/** How a run ended; of a thread, how its last one did. */
export type RunStatus = "idle" | "running" | "finished" | "interrupted" | "error";

/** What happens in a run, in order; `end` is the last one, always. */
export type RunEvent =
	| { kind: "message"; message: Message }
	| { kind: "agent"; type: string; payload: JsonObject }
	| { kind: "end"; output: string; status: RunStatus; interrupt: Interrupt | null; error: Fault | null };

/** The config of a run: each field that a higher place has replaces the lower one whole. */
export function effectiveConfig(...places: readonly (JsonObject | null | undefined)[]): JsonObject {
	return Object.fromEntries(places.flatMap((place) => Object.entries(place ?? {})));
}

/** A user's message as it is stored, in the form that the agents' frameworks have for it. */
export function userMessage(text: string): AgentMessage {
	return { role: "user", payload: { role: "user", content: text } };
}

/** An answer that came in pieces only, as a message. */
export function assistantMessage(text: string): AgentMessage {
	return { role: "assistant", payload: { role: "assistant", content: text } };
}

/** The text that a message says: it is one, or has it as `content` or `text`, perhaps in parts. */
export function textOf(payload: JsonValue): string {
	if (typeof payload === "string") return payload;
	if (Array.isArray(payload)) return payload.map(textOf).join("");
	if (payload === null || typeof payload !== "object") return "";
	return textOf(payload["content"] ?? payload["text"] ?? null);
}

/** Checks what a user says. */
export function checkMessage(field: string, value: JsonValue | undefined): string {
	if (typeof value !== "string" || value === "") throw badRequest(field, "must be a non-empty string");
	return value;
}
