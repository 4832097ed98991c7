import { badRequest } from "./errors.ts";
import {
	AgentStateDocument,
	type AgentStateQuery,
	AgentStatesDocument,
	ConversationDocument,
	DeleteConversationDocument,
	SaveAgentStateDocument,
} from "./generated/operations.ts";
import { newId } from "./ids.ts";
import {
	capturePayload,
	checkCursor,
	checkId,
	checkLimit,
	payloadTooLarge,
	readArguments,
	readOptionalArguments,
} from "./input.ts";
import { jsonBytes } from "./json.ts";
import { LIMITS } from "./limits.ts";
import { checkStoreOptions } from "./options.ts";
import { toPage } from "./pages.ts";
import type { AgentStore } from "./state-methods.ts";
import type { StatesOptions } from "./state-types.ts";
import { checkVersion, checkVersions, migrate } from "./state-versions.ts";
import { captureState, checkRevision, readKey } from "./states.ts";
import { createTransport } from "./transport.ts";
import type { JsonObject, JsonValue } from "./types.ts";

type AgentStatePage = NonNullable<AgentStateQuery["agentState"]>;

/**
 * Creates an agent store; the options are those of `createStates`. Nothing is opened, read or sent before the first
 * call of a method.
 *
 * @throws StoreError `BadRequest` for an unknown or invalid option.
 * @example
 * const agents = createAgentStore({ version: 1 });
 * await agents.save({ key: conversationId, state: { status: "finished", turn: 1, messages } });
 */
export function createAgentStore(options?: StatesOptions | null): AgentStore {
	const { version, migrators, ...storeOptions } = options ?? {};
	const versions = checkVersions({ version, migrators });
	const transport = createTransport(checkStoreOptions(storeOptions));
	return {
		async save(input, callOptions) {
			const args = readArguments("save", input, ["key", "state", "version", "expectedRevision"]);
			const content = {
				conversationId: checkId("key", args.key),
				...captureAgentState(args.state),
				version: checkVersion(args.version) ?? versions.version ?? 0,
				...checkRevision(args.expectedRevision),
			};
			return transport.request(
				{
					document: SaveAgentStateDocument,
					// Fixed here, before the first attempt, so that a save whose answer was lost is not done again.
					variables: { input: { ...content, operationId: newId() } },
					retry: "always",
					read: ({ saveAgentState: saved }) =>
						saved === null
							? undefined
							: { key: saved.conversationId, revision: saved.revision, updatedAt: saved.updatedAt },
				},
				callOptions,
			);
		},

		async load(input, callOptions) {
			const key = readKey("load", input);
			return transport.call(callOptions, async ({ send }) => {
				const read = (after: string | null): Promise<AgentStatePage | null> =>
					send({
						document: AgentStateDocument,
						variables: { conversationId: key, ...(after === null ? {} : { after }) },
						retry: "always",
						read: ({ agentState }) => agentState,
					});
				const first = await read(null);
				if (first === null) return null;
				const messages = first.messages as JsonValue[];
				for (let { nextCursor } = first; nextCursor !== null; ) {
					const page = await read(nextCursor);
					// The conversation was deleted meanwhile.
					if (page === null) return null;
					for (const message of page.messages) messages.push(message);
					({ nextCursor } = page);
				}
				const { revision, updatedAt } = first;
				const rest = { key, revision, updatedAt };
				// Where no agent saved, there is nothing to migrate.
				if (first.state === null) return { ...rest, version: versions.version ?? 0, state: { messages } };
				const stored = { ...rest, version: first.version, state: first.state };
				const migrated = await migrate(versions, stored);
				return { ...migrated, state: { ...migrated.state, messages } };
			});
		},

		async has(input, callOptions) {
			const conversationId = readKey("has", input);
			return transport.request(
				{
					document: ConversationDocument,
					variables: { conversationId },
					retry: "always",
					read: ({ conversation }) => conversation !== null,
				},
				callOptions,
			);
		},

		async delete(input, callOptions) {
			const conversationId = readKey("delete", input);
			await transport.request(
				{
					document: DeleteConversationDocument,
					variables: { input: { conversationId } },
					retry: "unexecuted",
					read: (data) => data.deleteConversation?.conversationId,
				},
				callOptions,
			);
		},

		async list(input, callOptions) {
			const { limit, cursor } = readOptionalArguments("list", input, ["limit", "cursor"]);
			return transport.request(
				{
					document: AgentStatesDocument,
					variables: { ...checkLimit(limit), ...checkCursor(cursor) },
					retry: "always",
					read: (data) => toPage(data.agentStates),
				},
				callOptions,
			);
		},
	};
}

/** Captures a state as messages, each with the limits of one, and the rest. */
function captureAgentState(value: unknown): { messages: JsonValue[]; state: JsonObject } {
	if (typeof value !== "object" || value === null || Array.isArray(value)) {
		throw badRequest("state", "must be a JSON object with messages (VAL-4)");
	}
	let messages: unknown;
	let rest: object;
	try {
		({ messages, ...rest } = value as { messages?: unknown });
	} catch (error) {
		throw badRequest("state", "could not be read (VAL-5)", error);
	}
	if (!Array.isArray(messages)) throw badRequest("state.messages", "must be an array");
	return { messages: Array.from(messages, captureAgentMessage), state: captureState(rest) };
}

function captureAgentMessage(message: unknown, index: number): JsonValue {
	const field = `state.messages[${index}]`;
	const { value, maxBytes } = capturePayload(field, message);
	if (maxBytes > LIMITS.messageBytes && jsonBytes(value) > LIMITS.messageBytes) {
		throw payloadTooLarge(field, LIMITS.messageBytes);
	}
	return value;
}
