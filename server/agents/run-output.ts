import { type AgentEvent, type AgentMessage, assistantMessage, type RunEvent, textOf } from "../domain/agents.ts";
import { newId } from "../domain/ids.ts";
import type { Limits } from "../domain/limits.ts";
import { draftMessage, type MessageDraft } from "../domain/messages.ts";

/** What an agent puts out in a run: the text for the reply, and messages to store. */
export class RunOutput {
	readonly #limits: Limits;
	readonly #keepsPartial: boolean;
	#messages: MessageDraft[] = [];
	/** What came in pieces since the last message. */
	#pieces = "";
	#text = "";

	constructor(limits: Limits, keepsPartial: boolean) {
		this.#limits = limits;
		this.#keepsPartial = keepsPartial;
	}

	/** The text of the last message, or of the one that is on its way. */
	get text(): string {
		return this.#text;
	}

	/** Whether no message waits to be stored. */
	get isEmpty(): boolean {
		return this.#messages.length === 0;
	}

	/** Notes an event, and returns what a client is told of it at once. */
	take(event: AgentEvent): RunEvent | null {
		if (typeof event === "string") return this.take({ type: "message_delta", delta: event });
		switch (event.type) {
			case "message":
				this.#add(event.message);
				return null;
			case "message_delta": {
				const { type, delta, kind = "text" } = event;
				if (kind === "text") {
					this.#pieces += delta;
					this.#text = this.#pieces;
				}
				return { kind: "agent", type, payload: { delta, kind } };
			}
			case "agent_interrupt": {
				const { type, reason, data = null } = event;
				return { kind: "agent", type, payload: { reason, data } };
			}
			case "agent_error":
				return null;
			case "message_reset":
				// The pieces so far belong to an attempt that failed.
				this.#pieces = "";
				this.#text = "";
				return { kind: "agent", type: event.type, payload: event.payload };
			default:
				return { kind: "agent", type: event.type, payload: event.payload };
		}
	}

	/** The messages that wait to be stored. */
	takeMessages(): MessageDraft[] {
		const messages = this.#messages;
		this.#messages = [];
		return messages;
	}

	/** Those of a run that ended well: an answer that came in pieces alone is one, too. */
	takeWhole(): MessageDraft[] {
		if (this.#pieces !== "") this.#add(assistantMessage(this.#pieces));
		return this.takeMessages();
	}

	/** Those of a run that failed. */
	takePartial(): MessageDraft[] {
		if (!this.#keepsPartial) return [];
		if (this.#pieces !== "") this.#add({ ...assistantMessage(this.#pieces), metadata: { partial: true } });
		return this.takeMessages();
	}

	#add(message: AgentMessage): void {
		this.#messages.push(draftMessage("message of the agent", { ...message, messageId: newId() }, this.#limits));
		this.#pieces = "";
		this.#text = textOf(message.payload);
	}
}
