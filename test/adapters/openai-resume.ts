// Started as a process of its own: resumes an interrupted run with what the first process left behind, a serialised
// state on standard input and a conversation in the store. Whether the call is approved is the second argument.
import { text } from "node:stream/consumers";
import { createSession } from "@iga-pages/agent/store/openai";
import { Runner, RunState } from "@openai/agents";
import { APPROVAL_SCRIPT, createTeller } from "./openai-approval.ts";

const [conversationId, decision] = process.argv.slice(2);
const { agent } = createTeller(APPROVAL_SCRIPT.answering);
const state = await RunState.fromString<unknown, typeof agent>(agent, await text(process.stdin));
for (const interruption of state.getInterruptions()) {
	if (decision === "approve") state.approve(interruption);
	else state.reject(interruption);
}
const session = createSession(conversationId!);
const result = await new Runner({ tracingDisabled: true }).run(agent, state, { session });
console.log(JSON.stringify(result.finalOutput));
