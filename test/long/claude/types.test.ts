import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { expect, it } from "vitest";
import { sdkFile, VERSIONS } from "./sdk.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

it.each(VERSIONS)(
	"the store has the type that Claude Agent SDK $version wants",
	({ name }) => {
		const types = sdkFile(name).replace(/\.mjs$/, ".js");
		const folder = mkdtempSync(`${ROOT}node_modules/.claude-types-`);
		try {
			const file = `${folder}/snippet.ts`;
			writeFileSync(
				file,
				`import { createSessionStore } from "@iga-pages/agent/store/claude";
			import { InMemorySessionStore, query, type SessionStore } from "${types}";
			const sessionStore: Required<SessionStore> = createSessionStore();
			export const messages = query({ prompt: "", options: { sessionStore } });
			// @ts-expect-error: a store must be able to load
			export const wrong: SessionStore = { append: sessionStore.append };
			export const theirs: SessionStore = new InMemorySessionStore();`,
			);
			const { config } = ts.readConfigFile(`${ROOT}tsconfig.json`, ts.sys.readFile);
			const { options } = ts.parseJsonConfigFileContent(config, ts.sys, ROOT);
			const problems = ts.getPreEmitDiagnostics(ts.createProgram([file], options));
			expect(problems.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"))).toEqual([]);
		} finally {
			rmSync(folder, { recursive: true, force: true });
		}
	},
	900_000,
);
