import { rememberTransport } from "./connections.ts";
import { conversationMethods } from "./conversations.ts";
import { messageMethods } from "./messages.ts";
import type { Store } from "./methods.ts";
import { checkStoreOptions } from "./options.ts";
import { createTransport } from "./transport.ts";
import type { StoreOptions } from "./types.ts";

export { StoreError, type StoreErrorCode, type StoreErrorDetail, type StoreErrorJson } from "./errors.ts";
export type { Store } from "./methods.ts";
export type * from "./types.ts";

/**
 * Creates a store of its own, for a second project or a gateway in the same process. Nothing is opened, read or sent
 * before the first call of a method.
 *
 * A `url` given here is used with the `token` given here and no other. Without a `url` the identity is that of the
 * application: `AGENT_STORE_URL` and `AGENT_STORE_TOKEN`, else the link of the project that the working directory is
 * in. A call takes at most 30 s (`timeoutMs`) and repeats failed requests twice (`retries`) where that is safe (rules
 * ERR-3, ERR-4).
 *
 * @throws StoreError `BadRequest` for an unknown or invalid option.
 * @example
 * const archive = createStore({ url: "https://gateway.example/graphql", token: archiveToken, retries: 5 });
 */
export function createStore(options?: StoreOptions | null): Store {
	const transport = createTransport(checkStoreOptions(options));
	const store: Store = { ...conversationMethods(transport), ...messageMethods(transport) };
	rememberTransport(store, transport);
	return store;
}

/**
 * The store of the application's own project, ready to use: its identity is found at the first call.
 *
 * @example
 * const { conversationId } = await store.createConversation();
 * await store.appendMessage({ conversationId, role: "user", payload: { text: "Hello" } });
 */
export const store: Store = createStore();
