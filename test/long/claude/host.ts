import { createStore } from "@iga-pages/agent/store";
import { createSessionStore } from "@iga-pages/agent/store/claude";
import { importSdk } from "./sdk.ts";

/** A host process that runs one turn, for a test that kills it. Its orders are JSON in the first argument. */
const { sdk, url, token, prompt, options } = JSON.parse(process.argv[2] ?? "") as {
	sdk: string;
	url: string;
	token: string;
	prompt: string;
	options: Record<string, unknown>;
};
const sessionStore = createSessionStore({ store: createStore({ url, token }) });
const { query } = await importSdk(sdk);
for await (const message of query({ prompt, options: { ...options, sessionStore } })) {
	if (message.type === "result") process.stdout.write(`${message.result}\n`);
}
