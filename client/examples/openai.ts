// A chat that remembers: two runs, as two requests of one user would start them, share a conversation.
import { createSession } from "@iga-pages/agent/store/openai";
import { Agent, type Model, run, tool } from "@openai/agents";
import { z } from "zod";

const weather = tool({
	name: "weather",
	description: "Tells the weather in a city.",
	parameters: z.object({ city: z.string() }),
	execute: async ({ city }) => `Sunny in ${city}.`,
});

/** Answers one input. Without a model of yours, the framework's default one wants OPENAI_API_KEY. */
async function answer(conversationId: string, input: string, model?: Model): Promise<string | undefined> {
	const agent = new Agent({
		name: "Assistant",
		instructions: "Answer in one sentence.",
		tools: [weather],
		...(model === undefined ? {} : { model }),
	});
	const result = await run(agent, input, { session: createSession(conversationId) });
	return result.finalOutput;
}

export async function openaiExample(model?: Model) {
	const conversationId = `openai-${Date.now()}`;
	const first = await answer(conversationId, "What is the weather in Oslo?", model);
	// The second run knows the first one: the session loads it.
	const second = await answer(conversationId, "Which city did I ask about?", model);
	return { conversationId, answers: [first, second] };
}
