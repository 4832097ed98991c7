import type { Agent, AgentEvent, AgentRun } from "../../server/domain/agents.ts";
import { textOf } from "../../server/domain/agents.ts";

/** What an agent in a test does with a run. */
export type Script = (run: AgentRun) => AsyncIterable<AgentEvent>;

/** An agent whose script the test sets; it keeps the runs that it got. */
export function scriptedAgent(initial: Script = echo): { runs: AgentRun[]; script: Script; agent: Agent } {
	const runs: AgentRun[] = [];
	const scripted = {
		runs,
		script: initial,
		agent: (run: AgentRun) => {
			runs.push(run);
			return scripted.script(run);
		},
	};
	return scripted;
}

/** Answers with what was said. */
export async function* echo({ message }: AgentRun): AsyncGenerator<AgentEvent> {
	yield { type: "message", message: { role: "assistant", payload: { role: "assistant", content: said(message) } } };
}

/** The text of the message that a run answers. */
export function said(message: AgentRun["message"]): string {
	return message === null ? "" : textOf(message.payload);
}

/** A promise to be resolved from outside. */
export function gate() {
	let open = () => {};
	const opened = new Promise<void>((resolve) => {
		open = resolve;
	});
	return { open, opened };
}
