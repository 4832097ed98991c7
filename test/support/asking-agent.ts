import type { Agent, AgentOptions } from "../../server/domain/agents.ts";

/** Loses its threads soon when it dies. */
export const agentOptions: AgentOptions = { leaseMs: 1_500 };

/** Asks, and repeats the answer at once, unless that is to wait: then never. */
export const agent: Agent = async function* ({ resume, signal }) {
	if (resume === null) {
		yield { type: "agent_interrupt", reason: "approval", data: { tool: "rm" }, state: null };
		return;
	}
	yield "begun ";
	if (resume.answer === "wait") await new Promise((resolve) => signal.addEventListener("abort", resolve));
	yield String(resume.answer);
};
