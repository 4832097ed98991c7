import type { Checkpointer } from "@iga-pages/agent/store/langgraph";
import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import type { ChatResult } from "@langchain/core/outputs";
import { createDeepAgent } from "deepagents";
import { type AgentMiddleware, createAgent, humanInTheLoopMiddleware, tool } from "langchain";
import { z } from "zod";

type Reply = string | { name: string; args: Record<string, unknown> };

/** A model that follows a script instead of thinking: its reply depends on how far the conversation got. */
class ScriptedModel extends BaseChatModel {
	readonly #reply: (messages: BaseMessage[]) => Reply;

	constructor(reply: (messages: BaseMessage[]) => Reply) {
		super({});
		this.#reply = reply;
	}

	_llmType(): string {
		return "scripted";
	}

	override bindTools(): this {
		return this;
	}

	async _generate(messages: BaseMessage[]): Promise<ChatResult> {
		const reply = this.#reply(messages);
		const message =
			typeof reply === "string"
				? new AIMessage(reply)
				: new AIMessage({ content: "", tool_calls: [{ ...reply, id: `call-${messages.length}`, type: "tool_call" }] });
		return { generations: [{ text: message.text, message }] };
	}
}

/** What happened since the user's last message. */
function sinceUser(messages: BaseMessage[]): { asked: string; results: BaseMessage[] } {
	const start = messages.findLastIndex(({ type }) => type === "human");
	return { asked: messages[start]?.text ?? "", results: messages.slice(start).filter(({ type }) => type === "tool") };
}

const transfer = tool(({ amount }) => `transferred ${amount}`, {
	name: "transfer",
	description: "Transfers money.",
	schema: z.object({ amount: z.number() }),
});

/** An agent that asks before it transfers money. */
export function createTeller(checkpointer?: Checkpointer) {
	const model = new ScriptedModel((messages) => {
		const { asked, results } = sinceUser(messages);
		if (asked !== "pay") return `heard ${messages.filter(({ type }) => type === "human").length} messages`;
		return results.length === 0 ? { name: "transfer", args: { amount: 7 } } : `done: ${results.at(-1)?.text}`;
	});
	// The framework's own types do not fit each other under exactOptionalPropertyTypes.
	const approval = humanInTheLoopMiddleware({ interruptOn: { transfer: true } } as never);
	const middleware = [approval as unknown as AgentMiddleware];
	return createAgent({ model, tools: [transfer], middleware, ...(checkpointer && { checkpointer }) });
}

/** A deep agent that writes a file, lets a subagent work, and asks before it transfers money. */
export function createDeepTeller(checkpointer?: Checkpointer) {
	const model = new ScriptedModel((messages) => {
		const { asked, results } = sinceUser(messages);
		if (asked.startsWith("count")) return "the subagent counted 3";
		if (asked !== "pay") return `heard ${messages.filter(({ type }) => type === "human").length} messages`;
		if (results.length === 0) return { name: "write_file", args: { file_path: "/note.txt", content: "nul \u0000" } };
		if (results.length === 1) return { name: "task", args: { description: "count", subagent_type: "counter" } };
		if (results.length === 2) return { name: "transfer", args: { amount: 3 } };
		return `done: ${results
			.slice(1)
			.map(({ text }) => text)
			.join(", ")}`;
	});
	return createDeepAgent({
		model,
		tools: [transfer],
		...(checkpointer && { checkpointer }),
		interruptOn: { transfer: true },
		subagents: [{ name: "counter", description: "Counts.", systemPrompt: "Count.", tools: [] }],
	});
}
