import {
	type Agent,
	type AgentEvent,
	type AgentOptions,
	effectiveConfig,
	type RunEvent,
	userMessage,
} from "../domain/agents.ts";
import { Fault } from "../domain/faults.ts";
import { newId } from "../domain/ids.ts";
import { encodeJson, type JsonObject, type JsonValue } from "../domain/json.ts";
import { draftMessage, type Message, type MessageDraft } from "../domain/messages.ts";
import { isRunInProgress, lostRun, type RunInterrupt } from "../domain/runs.ts";
import type { Database } from "../store/database.ts";
import {
	appendToRun,
	finishRun,
	type RunEnd,
	readRunContext,
	renewRun,
	type StartedRun,
	startRun,
} from "../store/runs.ts";
import type { Scope } from "../store/scope.ts";
import type { Changes } from "../store/tails.ts";
import { RunOutput } from "./run-output.ts";

const LEASE_MS = 60_000;
const WAIT_MS = 30_000;

/** What somebody wants of the agent. */
export interface ChatInput {
	conversationId: string;
	/** What the user says; null to continue an interrupted run. */
	message: string | null;
	messageId: string | null;
	/** What the user answers to an interrupt. */
	answer: JsonValue;
	config: JsonObject;
}

interface RunnerOptions {
	db: Database;
	agent: Agent;
	options: AgentOptions;
	/** Begins to hear of changes of a conversation, the ends of its runs included. */
	watch: (projectId: string, conversationId: string) => Changes;
	/** Turns what an agent threw into what a client may know. */
	explain: (error: unknown) => Fault;
	/** Told that a lease could not be renewed, or the end of a run not be stored. */
	onStoreError: (error: unknown) => void;
}

/** Runs the gateway's agent on threads, one run a thread at a time. */
export class Runner {
	readonly #options: RunnerOptions;
	readonly #closing = new AbortController();
	/** What stops each of the runs. */
	readonly #running = new Set<AbortController>();

	constructor(options: RunnerOptions) {
		this.#options = options;
	}

	/** Ends all runs with an error. */
	close(): void {
		this.#closing.abort(new Fault("ServiceUnavailable", "The gateway is shutting down", { retryAfter: 1 }));
		for (const run of this.#running) run.abort(this.#closing.signal.reason);
	}

	/**
	 * Takes the thread and stores the user's message.
	 *
	 * @throws Fault where nothing was stored.
	 */
	async start(scope: Scope, input: ChatInput, signal: AbortSignal): Promise<StartedRun> {
		const { conversationId, message, messageId } = input;
		const { whenBusy = "refuse", waitMs = WAIT_MS, leaseMs = LEASE_MS } = this.#options.options;
		const said = message === null ? null : { ...userMessage(message), messageId: messageId ?? newId() };
		const draft = said && draftMessage("message", said, scope.limits);
		const runId = crypto.randomUUID();
		const until = Date.now() + waitMs;
		const stopped = AbortSignal.any([signal, this.#closing.signal]);
		let changes: Changes | undefined;
		stopped.addEventListener("abort", () => changes?.leave(), { once: true });
		try {
			for (;;) {
				try {
					return await startRun(scope, { conversationId, runId, draft, leaseMs });
				} catch (error) {
					if (whenBusy !== "wait" || !isRunInProgress(error) || Date.now() > until) throw error;
				}
				await changes?.wait(until - Date.now());
				// What changed before the first wait is seen by one more look.
				changes ??= this.#options.watch(scope.identity.projectId, conversationId);
				if (stopped.aborted) throw this.#closing.signal.reason ?? left();
			}
		} finally {
			changes?.leave();
		}
	}

	/** Runs the agent. However that ends, it is stored, and the thread is given back. */
	async *run(caller: Scope, started: StartedRun, input: ChatInput, signal: AbortSignal): AsyncGenerator<RunEvent> {
		const { db, options, explain, onStoreError } = this.#options;
		// The end of a run is stored when its client has left, too.
		const scope = { ...caller, db: db.for({ project: caller.identity.projectId }) };
		const stop = new AbortController();
		const onLeft = () => stop.abort(left());
		signal.addEventListener("abort", onLeft);
		this.#running.add(stop);
		if (signal.aborted) onLeft();
		if (this.#closing.signal.aborted) stop.abort(this.#closing.signal.reason);
		const lease = this.#keep(scope, started, stop);
		const output = new RunOutput(scope.limits, options.keepPartial ?? false);
		let isOver = false;
		const finish = async (drafts: readonly MessageDraft[], end: RunEnd): Promise<Message[]> => {
			const stored = await finishRun(scope, started, drafts, end);
			isOver = true;
			return stored;
		};
		/** Stores what is left of a failed run; where that cannot be stored, at least that it failed. */
		const fail = async ({ message }: Fault): Promise<Message[]> => {
			const end: RunEnd = { status: "error", error: message };
			try {
				return await finish(output.takePartial(), end);
			} catch (error) {
				onStoreError(error);
				return finish([], end).catch(() => []);
			}
		};
		try {
			if (started.message !== null) yield { kind: "message", message: started.message };
			yield { kind: "agent", type: "agent_start", payload: input.message === null ? {} : { input: input.message } };
			let interrupt: RunInterrupt | null = null;
			for await (const event of this.#play(scope, started, input, stop.signal)) {
				const shown = output.take(event);
				if (shown !== null) yield shown;
				if (typeof event === "object" && event.type === "agent_interrupt") {
					const { reason, data = null, state } = event;
					interrupt = { shown: { reason, data }, state, branch: started.branch };
					break;
				}
				if (options.store !== "each" || output.isEmpty) continue;
				const stored = await appendToRun(scope, started, output.takeMessages());
				for (const message of stored) yield { kind: "message", message };
			}
			stop.signal.throwIfAborted();
			const end: RunEnd =
				interrupt === null
					? { status: "finished" }
					: { status: "interrupted", interrupt: encodeInterrupt(interrupt, scope) };
			for (const message of await finish(output.takeWhole(), end)) yield { kind: "message", message };
			yield { kind: "agent", type: "agent_end", payload: { output: output.text } };
			const { status } = end;
			yield { kind: "end", output: output.text, status, interrupt: interrupt?.shown ?? null, error: null };
		} catch (thrown) {
			const error = explain(stop.signal.aborted ? stop.signal.reason : thrown);
			if (!isOver) for (const message of await fail(error)) yield { kind: "message", message };
			yield { kind: "agent", type: "agent_error", payload: { error: error.message } };
			yield { kind: "end", output: output.text, status: "error", interrupt: null, error };
		} finally {
			stop.abort(left());
			// Who reads these events may have gone in the middle.
			if (!isOver) await fail(left());
			clearInterval(lease);
			signal.removeEventListener("abort", onLeft);
			this.#running.delete(stop);
		}
	}

	/** What the agent yields, until it ends or is stopped; one that does not listen to its signal is left alone then. */
	async *#play(scope: Scope, started: StartedRun, input: ChatInput, signal: AbortSignal): AsyncGenerator<AgentEvent> {
		const { agent, options } = this.#options;
		const { conversationId, runId, message, state, config } = started;
		const stopped = new Promise<never>((_, reject) => {
			signal.addEventListener("abort", () => reject(signal.reason), { once: true });
		});
		// Whether anybody waits for it or not.
		stopped.catch(() => {});
		signal.throwIfAborted();
		const context = await readRunContext(scope, started);
		const events = agent({
			threadId: conversationId,
			runId,
			context,
			message,
			resume: message === null ? { state, answer: input.answer } : null,
			config: effectiveConfig(options.config, config, input.config),
			signal,
		})[Symbol.asyncIterator]();
		try {
			for (;;) {
				const next = await Promise.race([events.next(), stopped]);
				if (next.done) return;
				yield next.value;
				if (typeof next.value === "object" && next.value.type === "agent_error") {
					throw new Fault("UnknownError", next.value.error);
				}
			}
		} finally {
			// Not awaited: it may wait for something that never comes.
			void Promise.resolve(events.return?.()).catch(() => {});
		}
	}

	/** Renews the lease of a run until that is over; a run that has lost it is stopped. */
	#keep(scope: Scope, started: StartedRun, stop: AbortController): NodeJS.Timeout {
		const { leaseMs = LEASE_MS } = this.#options.options;
		return setInterval(() => {
			renewRun(scope, started, leaseMs).then((isKept) => {
				if (!isKept) stop.abort(lostRun(started.conversationId));
			}, this.#options.onStoreError);
		}, leaseMs / 3);
	}
}

function encodeInterrupt({ shown, ...rest }: RunInterrupt, { limits }: Scope): string {
	const value: JsonValue = { shown: { ...shown }, ...rest };
	return encodeJson("agent_interrupt", value, { depth: limits.jsonDepth, bytes: limits.messageBytes }).text;
}

/** Nobody reads it; 499 is what proxies log for it. */
function left(): Fault {
	return new Fault("UnknownError", "The client left before the end of the run", { status: 499 });
}
