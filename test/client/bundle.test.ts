import { createContext, runInContext } from "node:vm";
import { build } from "esbuild";
import { describe, expect, test } from "vitest";
import type * as Entry from "../../client/store.ts";
import { data, MESSAGE, scriptedFetch } from "./scripted-fetch.ts";

const store = new URL("../../client/store.ts", import.meta.url).pathname;

async function bundle() {
	const { metafile, outputFiles, warnings } = await build({
		entryPoints: [store],
		bundle: true,
		write: false,
		metafile: true,
		platform: "browser",
		format: "iife",
		globalName: "agent",
		logLevel: "silent",
	});
	return { code: outputFiles[0]?.text ?? "", inputs: Object.values(metafile.inputs), warnings };
}

describe("a browser's bundle", () => {
	test("builds without warnings and imports nothing of Node", async () => {
		const { inputs, warnings } = await bundle();
		expect(warnings).toEqual([]);
		expect(inputs.flatMap(({ imports }) => imports).filter(({ path }) => path.startsWith("node:"))).toEqual([]);
	});

	test.each([
		["without process", {}],
		["with a bundler's stand-in for process", { process: { env: {} } }],
	])("runs %s", async (_, globals) => {
		const { code } = await bundle();
		// What browsers have of what the SDK uses, and nothing else.
		const browser = { AbortController, Headers, Response, URL, clearTimeout, crypto, performance, setTimeout };
		const context = createContext({ ...browser, ...globals });
		const { createStore, store, StoreError } = runInContext(`${code}; agent`, context) as typeof Entry;

		const error: unknown = await store.getMessage({ messageId: "m" }).catch((reason: unknown) => reason);
		expect(error).toBeInstanceOf(StoreError);
		expect(error).toMatchObject({ code: "Unauthorized", message: expect.stringContaining("createStore a url") });

		const { fetch, sent } = scriptedFetch(data({ appendMessage: { message: MESSAGE } }));
		const own = createStore({ url: "https://gateway.example/graphql", token: "t", fetch });
		await expect(own.appendMessage({ conversationId: "c", payload: { text: "hi" } })).resolves.toEqual(MESSAGE);
		expect(sent).toHaveLength(1);
	});
});
