import type { Interrupt, RunStatus } from "./agents.ts";
import type { Conversation } from "./conversations.ts";
import { Fault } from "./faults.ts";
import type { JsonObject, JsonValue } from "./json.ts";

/** What an interrupted run left: what it asks, for all to see, and what its agent needs to go on, where it stopped. */
export interface RunInterrupt {
	shown: Interrupt;
	state: JsonValue;
	branch: number;
}

/** A conversation as HTTP shows it. */
export interface Thread extends Conversation {
	config: JsonObject | null;
	/** Of its last run. */
	status: RunStatus;
	error: string | null;
	/** What it waits for, also when a run that went on from there has failed. */
	interrupt: Interrupt | null;
}

/** Seconds after which the other run may be over. */
const TRY_AGAIN = 1;

export function runInProgress(conversationId: string): Fault {
	return new Fault("Conflict", `Thread ${JSON.stringify(conversationId)} has a run in progress; try again later`, {
		retryAfter: TRY_AGAIN,
	});
}

export function lostRun(conversationId: string): Fault {
	return new Fault(
		"Conflict",
		`Thread ${JSON.stringify(conversationId)} was deleted, or another run has it; nothing more of this one is stored`,
	);
}

/** Checks that a thread waits for an answer, and on the branch that is the active one. */
export function checkWaits(conversationId: string, interrupt: RunInterrupt | null, activeBranch: number): void {
	const thread = `Thread ${JSON.stringify(conversationId)}`;
	if (interrupt === null) throw new Fault("Conflict", `${thread} does not wait for an answer`);
	if (interrupt.branch === activeBranch) return;
	throw new Fault("Conflict", `${thread} waits for an answer on branch ${interrupt.branch}; switch to that first`);
}

export function branchMoved(conversationId: string): Fault {
	return new Fault(
		"Conflict",
		`Another branch of thread ${JSON.stringify(conversationId)} became the active one; nothing more of the run is stored`,
	);
}

/** Whether a run was refused because of another one, which will end. */
export function isRunInProgress(error: unknown): boolean {
	return error instanceof Fault && error.code === "Conflict" && error.retryAfter !== undefined;
}
