import {
	type AgentOutputItem,
	type Model,
	type ModelRequest,
	type ModelResponse,
	type StreamEvent,
	Usage,
} from "@openai/agents";

type Done = Extract<StreamEvent, { type: "response_done" }>["response"];

/** What a scripted model answers: items, or a failure, or whatever the request decides. */
export type Step =
	| AgentOutputItem[]
	| Error
	| ((request: ModelRequest) => AgentOutputItem[] | Promise<AgentOutputItem[]>);

/** A model that follows a script instead of thinking. */
export class ScriptedModel implements Model {
	/** The input of each call. */
	readonly inputs: ModelRequest["input"][] = [];
	readonly #steps: Step[];

	constructor(steps: Step[]) {
		this.#steps = [...steps];
	}

	async getResponse(request: ModelRequest): Promise<ModelResponse> {
		this.inputs.push(structuredClone(request.input));
		const step = this.#steps.shift();
		if (step === undefined) throw new Error("The script has no further step");
		if (step instanceof Error) throw step;
		const output = typeof step === "function" ? await step(request) : step;
		return { usage: new Usage(), output, responseId: `response-${this.inputs.length}` };
	}

	async *getStreamedResponse(request: ModelRequest): AsyncIterable<StreamEvent> {
		const { output, responseId } = await this.getResponse(request);
		yield { type: "response_started" };
		yield {
			type: "response_done",
			response: {
				id: responseId!,
				usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
				// The event's own type leaves out items that a stream carries nevertheless.
				output: output as Done["output"],
			},
		};
	}
}

/** An answer in words. */
export function says(text: string): AgentOutputItem {
	return { type: "message", role: "assistant", status: "completed", content: [{ type: "output_text", text }] };
}

/** A call of a tool. */
export function calls(name: string, args: object, callId: string): AgentOutputItem {
	return { type: "function_call", name, callId, status: "completed", arguments: JSON.stringify(args) };
}
