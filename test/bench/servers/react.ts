import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import type { ChatResult } from "@langchain/core/outputs";
import { tool } from "@langchain/core/tools";
import { type BaseCheckpointSaver, MemorySaver } from "@langchain/langgraph";
import { createReactAgent } from "@langchain/langgraph/prebuilt";
import { PostgresSaver } from "@langchain/langgraph-checkpoint-postgres";
import { createCheckpointer } from "../../../client/adapters/langgraph.ts";
import { createStore } from "../../../client/store.ts";

/** An agent of LangGraph whose model costs nothing: told how many turns to take, it takes them and tells the time. */
const [, , saver = "", url = "", token = ""] = process.argv;

const WORDS = Array.from({ length: 500 }, () => Math.random().toString(36).slice(2, 9));

/** Text that a database can compress about as well as people's. */
function text(characters: number): string {
	let words = "";
	while (words.length < characters) words += `${WORDS[Math.floor(Math.random() * WORDS.length)]} `;
	return words.slice(0, characters);
}

/** Calls the tool once after each question, and then answers. */
class ScriptedModel extends BaseChatModel {
	_llmType(): string {
		return "scripted";
	}

	override bindTools(): this {
		return this;
	}

	async _generate(messages: BaseMessage[]): Promise<ChatResult> {
		const call = { name: "search", args: { query: "q" }, id: `call-${messages.length}`, type: "tool_call" as const };
		const isAnswer = messages.at(-1)?.type === "tool";
		const message = new AIMessage(isAnswer ? text(490) : { content: "", tool_calls: [call] });
		return { generations: [{ text: message.text, message }] };
	}
}

const search = tool(() => text(1_000), {
	name: "search",
	description: "Searches.",
	schema: { type: "object", properties: { query: { type: "string" } } },
});

async function createSaver(): Promise<BaseCheckpointSaver> {
	if (saver === "gateway") return createCheckpointer(null, { store: createStore({ url, token }) });
	if (saver === "memory") return new MemorySaver();
	const official = PostgresSaver.fromConnString(url, { schema: "saver" });
	await official.setup();
	return official;
}

const agent = createReactAgent({ llm: new ScriptedModel({}), tools: [search], checkpointSaver: await createSaver() });
let threads = 0;

async function run(turns: number): Promise<{ milliseconds: number; messages: number }> {
	const config = { configurable: { thread_id: `thread-${++threads}` } };
	const startedAt = performance.now();
	let messages = 0;
	for (let turn = 0; turn < turns; turn++) {
		const state = await agent.invoke({ messages: [{ role: "user", content: text(108) }] }, config);
		messages = state.messages.length;
	}
	return { milliseconds: performance.now() - startedAt, messages };
}

process.on("message", ({ turns }: { turns?: number }) => {
	if (turns !== undefined) void run(turns).then((done) => process.send?.(done));
});
process.send?.({ port: 0 });
