import type { AgentInputItem, Agent as OpenAIAgent, RunStreamEvent } from "@openai/agents";
import { type Agent, type AgentEvent, textOf } from "../domain/agents.ts";
import type { JsonObject, JsonValue } from "../domain/json.ts";
import type { Message } from "../domain/messages.ts";

/** What an interrupted run of the framework needs to go on. */
interface Interrupted extends JsonObject {
	state: string;
	/** Items that it put out before, and that are stored. */
	items: number;
}

/** What of the framework's agent the gateway needs; the types of its versions differ in the rest. */
type AnyAgent = Pick<OpenAIAgent, "name"> & object;

/**
 * Runs an agent of the OpenAI Agents SDK on the gateway's threads. It gets the thread as input and no session, so that
 * the gateway alone stores. A call that needs approval interrupts the run; `resume` answers it with true, or with an
 * object of such by call id, and all else rejects it.
 *
 * Of the config, `model`, `responseFormat` and the thinking's `effort` are used. The format is that of this agent, not
 * of those that it hands over to, and comes in place of its `outputType`; its listeners (`agent.on`) hear no such run.
 */
export function openAIAgent(openai: AnyAgent): Agent {
	return async function* ({ context, message, resume, config, signal }) {
		const { Runner, RunState } = await import("@openai/agents");
		const agent = withFormat(openai as OpenAIAgent, config["responseFormat"] as JsonObject | undefined);
		const runner = new Runner(settingsOf(config));
		const before = resume?.state as Interrupted | undefined;
		const resumed = before && (await RunState.fromString<undefined, typeof agent>(agent, before.state));
		for (const asked of resumed?.getInterruptions() ?? []) {
			if (isApproved(resume?.answer ?? null, asked.rawItem)) resumed?.approve(asked);
			else resumed?.reject(asked);
		}
		const said = message === null ? context : [...context, message];
		const result = await runner.run(agent, resumed ?? said.map(toItem), { stream: true, signal });
		for await (const event of result) {
			const told = toEvent(event);
			if (told !== undefined) yield told;
		}
		await result.completed;
		for (const item of result.output.slice(before?.items ?? 0)) {
			const payload = item as JsonObject;
			const { role, type } = payload;
			yield {
				type: "message",
				message: {
					role: typeof role === "string" ? role : null,
					type: typeof type === "string" ? type : null,
					payload,
				},
			};
		}
		if (result.interruptions.length === 0) return;
		const calls = result.interruptions.map(({ rawItem }) => rawItem as JsonObject);
		const state: Interrupted = { state: result.state.toString(), items: result.output.length };
		yield { type: "agent_interrupt", reason: "tool_approval", data: { calls }, state };
	};
}

function settingsOf({ model, thinking }: JsonObject) {
	const effort = (thinking as JsonObject | undefined)?.["effort"];
	return {
		...(typeof model === "string" ? { model } : {}),
		...(typeof effort === "string"
			? { modelSettings: { reasoning: { effort: effort === "max" ? "high" : (effort as "low" | "medium" | "high") } } }
			: {}),
	};
}

/** An agent that answers in a format; as it is, where none is wanted. */
function withFormat(agent: OpenAIAgent, format: JsonObject | undefined): OpenAIAgent {
	if (format === undefined) return agent;
	const { type, jsonSchema } = format;
	const schema = type === "json_schema" && { strict: false, ...(jsonSchema as JsonObject) };
	// The framework passes a json_object on to the model, though its types do not know it.
	const outputType = type === "text" ? type : { type, ...schema };
	return agent.clone({ outputType: outputType as OpenAIAgent["outputType"] });
}

function isApproved(answer: JsonValue, call: object): boolean {
	if (answer === true || typeof answer !== "object" || answer === null || Array.isArray(answer)) return answer === true;
	const { callId } = call as { callId?: string };
	return callId !== undefined && answer[callId] === true;
}

/** A message of a thread as the framework's item: one that is an item already, or a text in its role. */
function toItem({ kind, role, payload }: Message): AgentInputItem {
	if (kind !== "message") return { role: "system", content: textOf((payload as JsonObject)["summary"] ?? null) };
	const isObject = typeof payload === "object" && payload !== null && !Array.isArray(payload);
	if (isObject && typeof payload["type"] === "string") return payload as unknown as AgentInputItem;
	const content = textOf(payload);
	if (role === "assistant") {
		return { type: "message", role, status: "completed", content: [{ type: "output_text", text: content }] };
	}
	return { role: role === "system" ? "system" : "user", content };
}

function toEvent(event: RunStreamEvent): AgentEvent | undefined {
	if (event.type === "raw_model_stream_event") {
		return event.data.type === "output_text_delta" ? { type: "message_delta", delta: event.data.delta } : undefined;
	}
	if (event.type !== "run_item_stream_event") return undefined;
	const raw = event.item.rawItem as
		| { callId?: string; name?: string; arguments?: string; output?: JsonValue }
		| undefined;
	if (raw?.callId === undefined) return undefined;
	const { callId, name = "", arguments: given = "", output = null } = raw;
	if (event.name === "tool_called") {
		return { type: "tool_call_start", payload: { tool_call: { id: callId, name, arguments: given } } };
	}
	if (event.name !== "tool_output") return undefined;
	return { type: "tool_call_end", payload: { tool_call_id: callId, tool_name: name, result: output } };
}
