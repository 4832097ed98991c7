import { Agent, tool } from "@openai/agents";
import { z } from "zod";
import { calls, ScriptedModel, type Step, says } from "./openai-model.ts";

/** The two halves of a script whose tool waits for a person's approval, before and after the interruption. */
export const APPROVAL_SCRIPT: { asking: Step[]; answering: Step[] } = {
	asking: [[calls("transfer", { amount: 7 }, "call-1")]],
	answering: [[says("Transferred.")]],
};

/** An agent of that script. Each process makes its own. */
export function createTeller(steps: Step[]): { agent: Agent; model: ScriptedModel } {
	const transfer = tool({
		name: "transfer",
		description: "Transfers money",
		parameters: z.object({ amount: z.number() }),
		needsApproval: true,
		execute: async ({ amount }) => `transferred ${amount}`,
	});
	const model = new ScriptedModel(steps);
	return { agent: new Agent({ name: "Teller", instructions: "Transfer.", model, tools: [transfer] }), model };
}
