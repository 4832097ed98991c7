import { archiveMethods } from "./archives.ts";
import { branchMethods } from "./branches.ts";
import { configMethods } from "./configs.ts";
import { rememberTransport } from "./connections.ts";
import { contextMethods } from "./contexts.ts";
import { erasureMethods } from "./erasures.ts";
import { forkMethods } from "./forks.ts";
import { labelMethods } from "./labels.ts";
import { checkStoreOptions } from "./options.ts";
import { searchMethods } from "./searches.ts";
import type { Sessions } from "./session-methods.ts";
import { tailMethods } from "./tails.ts";
import { createTransport } from "./transport.ts";
import { treeMethods } from "./trees.ts";
import type { StoreOptions } from "./types.ts";

export { createAgentStore } from "./agent-store.ts";
export { StoreError, type StoreErrorCode, type StoreErrorDetail, type StoreErrorJson } from "./errors.ts";
export type { Sessions } from "./session-methods.ts";
export type * from "./session-types.ts";
export type { AgentSnapshot, AgentStore, States } from "./state-methods.ts";
export type * from "./state-types.ts";
export { createStates, states } from "./states.ts";
export type {
	CallOptions,
	Conversation,
	JsonInput,
	JsonObject,
	JsonObjectInput,
	JsonPrimitive,
	JsonValue,
	Message,
	MessageKind,
	Page,
	StoreOptions,
} from "./types.ts";

/**
 * Creates sessions of their own, for a second project or a gateway in the same process; the options are those of
 * `createStore`. Nothing is opened, read or sent before the first call of a method.
 *
 * @throws StoreError `BadRequest` for an unknown or invalid option.
 * @example
 * const archive = createSessions({ url: "https://gateway.example/graphql", token: archiveToken });
 */
export function createSessions(options?: StoreOptions | null): Sessions {
	const settings = checkStoreOptions(options);
	const transport = createTransport(settings);
	const sessions: Sessions = {
		...branchMethods(transport),
		...treeMethods(transport),
		...labelMethods(transport),
		...forkMethods(transport),
		...contextMethods(transport),
		...configMethods(transport),
		...archiveMethods(transport),
		...erasureMethods(transport),
		...searchMethods(transport),
		...tailMethods(settings),
	};
	rememberTransport(sessions, transport);
	return sessions;
}

/**
 * The sessions of the application's own project, ready to use: its identity is found at the first call.
 *
 * @example
 * const { branch } = await sessions.branch({ conversationId, messageId });
 */
export const sessions: Sessions = createSessions();
