import type { Agent, AgentOptions } from "../../server/domain/agents.ts";

/** Loses its threads soon when it dies. */
export const agentOptions: AgentOptions = { leaseMs: 1_500 };

/** Answers at once, unless it is told to wait: then never. */
export const agent: Agent = async function* ({ message, signal }) {
	yield "begun ";
	const isTold = JSON.stringify(message?.payload).includes("wait");
	if (isTold) await new Promise((resolve) => signal.addEventListener("abort", resolve));
	yield "done";
};
