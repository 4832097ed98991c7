import { createStore } from "../../../client/store.ts";
import { callStore, sdkMessage } from "../contenders/gateway.ts";
import { obey } from "./harness.ts";

/** A client of the gateway: the SDK, or a bare `fetch` that sends the same. */
const [, , mode, url = "", token = ""] = process.argv;
const store = createStore({ url, token });

obey({
	prepare: async (call) => {
		if (mode === "sdk") return () => callStore(store, call);
		const { headers, body } = await sdkMessage(token, call);
		// Of the others `fetch` itself takes care.
		const { "content-type": type = "", accept = "", authorization = "", "x-agent-sdk": sdk = "" } = headers;
		const init = { method: "POST", headers: { "content-type": type, accept, authorization, "x-agent-sdk": sdk }, body };
		return async () => (await fetch(url, init)).json();
	},
	read: (result) => [result],
});
