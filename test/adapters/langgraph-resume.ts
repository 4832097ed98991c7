// Started as a process of its own: approves what an interrupted run of another process waits for, with nothing but the
// thread's id; prints what the agent answers then, and to a further message.
import { createCheckpointer } from "@iga-pages/agent/store/langgraph";
import { Command } from "@langchain/langgraph";
import { createDeepTeller, createTeller } from "./langgraph-agents.ts";

const [threadId, kind] = process.argv.slice(2);
const checkpointer = createCheckpointer();
const agent = kind === "deep" ? createDeepTeller(checkpointer) : createTeller(checkpointer);
const config = { configurable: { thread_id: threadId } };
const resumed = await agent.invoke(new Command({ resume: { decisions: [{ type: "approve" }] } }) as never, config);
const next = await agent.invoke({ messages: [{ role: "user", content: "and?" }] }, config);
console.log(JSON.stringify([resumed, next].map(({ messages }) => messages.at(-1)?.text)));
