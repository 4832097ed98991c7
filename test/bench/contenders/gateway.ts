import { createStore, type Store } from "../../../client/store.ts";
import type { Call } from "../call.ts";
import type { Message } from "../load.ts";
import { startServerProcess } from "../server-process.ts";
import { type Contender, decodeGraphql, jsonPost, overHttp, type Start } from "./contender.ts";

/** The gateway as it is shipped, and the requests that the SDK sends it. */
export async function startGateway({ databaseUrl, projectId, token }: Start): Promise<Contender> {
	const env = { DATABASE_URL: databaseUrl, PORT: "0", LOG_LEVEL: "warn" };
	const process = await startServerProcess("../../dist/server/main.js", ["serve"], env);
	return overHttp("gateway", projectId, process, { encode: (call) => sdkMessage(token, call), decode: decodeGraphql });
}

/** What the SDK sends for a call. */
export async function sdkMessage(token: string, call: Call): Promise<Message> {
	let sent: RequestInit | undefined;
	const store = createStore({
		url: "http://127.0.0.1/graphql",
		token,
		retries: 0,
		fetch: async (_url, init) => {
			sent = init;
			throw new Error("It is not sent, only looked at");
		},
	});
	await callStore(store, call).catch(() => {});
	if (sent === undefined) throw new Error(`The SDK sends nothing for ${call.kind}`);
	return jsonPost("/graphql", sent.body as string, Object.fromEntries(new Headers(sent.headers)));
}

/** Makes a call by the SDK's method for it. */
export async function callStore(store: Store, call: Call): Promise<unknown> {
	switch (call.kind) {
		case "append": {
			const { conversationId, messages } = call;
			const [first] = messages;
			if (messages.length === 1) return store.appendMessage({ conversationId, ...first! });
			return store.appendMessages({ conversationId, messages });
		}
		case "messages": {
			const { conversationId, order, limit } = call;
			return store.listMessages({ conversationId, order, limit });
		}
		case "message":
			return store.getMessage({ messageId: call.messageId });
		case "conversations":
			return store.listConversations({ limit: call.limit });
	}
}
