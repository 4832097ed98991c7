// A session that goes on: the first turn's id is all that the second one needs, on any machine.
import { query } from "@anthropic-ai/claude-agent-sdk";
import { createSessionStore } from "@iga-pages/agent/store/claude";

const sessionStore = createSessionStore();

/** Runs one turn. Without an `env` of yours, the SDK takes that of this process. */
async function turn(prompt: string, resume?: string, env?: Record<string, string>) {
	const options = { sessionStore, tools: [], ...(resume === undefined ? {} : { resume }), ...(env ? { env } : {}) };
	let sessionId = resume;
	let answer: string | undefined;
	for await (const message of query({ prompt, options })) {
		// The framework goes on when an append was given up; only this message tells.
		if (message.type === "system" && message.subtype === "mirror_error") console.error(message.error);
		if (message.type === "result") {
			sessionId = message.session_id;
			answer = message.result;
		}
	}
	return { sessionId, answer };
}

export async function claudeExample(env?: Record<string, string>) {
	const first = await turn("What is the capital of Norway?", undefined, env);
	// Keep first.sessionId with your user or conversation; the second turn may run anywhere.
	const second = await turn("And of Sweden?", first.sessionId, env);
	return { sessionId: second.sessionId, answers: [first.answer, second.answer] };
}
