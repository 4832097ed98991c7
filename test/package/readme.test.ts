import { execFile } from "node:child_process";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { build, type Plugin } from "esbuild";
import { parse, validate } from "graphql";
import ts from "typescript";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { schema } from "../../server/graphql/schema.ts";
import type { TestGateway } from "../support/gateway.ts";
import { startSearchGateway } from "../support/searches.ts";
import { openSubscription } from "../support/streams.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
// Below the root, so that packages are found; below node_modules, so that nobody else looks there.
const FOLDER = `${ROOT}node_modules/.readme/`;
const READMES = ["README.md", "client/README.md"];
const ALIAS = {
	"@iga-pages/agent/sessions": `${ROOT}client/sessions.ts`,
	"@iga-pages/agent/store": `${ROOT}client/store.ts`,
	"@iga-pages/agent/store/openai": `${ROOT}client/adapters/openai.ts`,
	"@iga-pages/agent/store/langgraph": `${ROOT}client/adapters/langgraph.ts`,
	"@iga-pages/agent/store/claude": `${ROOT}client/adapters/claude.ts`,
	"@iga-pages/agent-gateway": `${ROOT}server/app.ts`,
};

/** Hundreds of megabytes that are installed for the long tests only, which run the example of it. */
const withoutClaude: Plugin = {
	name: "without-claude",
	setup({ onResolve, onLoad }) {
		onResolve({ filter: /^@anthropic-ai\/claude-agent-sdk$/ }, ({ path }) => ({ path, namespace: "absent" }));
		onLoad({ filter: /./, namespace: "absent" }, () => ({ contents: "export const query = undefined;" }));
	},
};

interface Snippet {
	name: string;
	text: string;
}

async function snippets(language: string): Promise<Snippet[]> {
	const found: Snippet[] = [];
	for (const readme of READMES) {
		const text = await readFile(`${ROOT}${readme}`, "utf8").catch(() => "");
		for (const match of text.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, "gms"))) {
			const line = text.slice(0, match.index).split("\n").length;
			found.push({ name: `${readme} line ${line}`, text: match[1]! });
		}
	}
	return found;
}

const typescript = await snippets("ts");
const graphql = await snippets("graphql");

describe("the README", () => {
	let gateway: TestGateway;

	beforeAll(async () => {
		await mkdir(FOLDER, { recursive: true });
		gateway = await startSearchGateway();
	});

	afterAll(async () => {
		await gateway.close();
		await rm(FOLDER, { recursive: true, force: true });
	});

	it("has snippets of TypeScript and GraphQL", () => {
		expect(typescript.length).toBeGreaterThan(4);
		expect(graphql.length).toBeGreaterThan(0);
	});

	it("has TypeScript snippets that compile", async () => {
		const files = await Promise.all(
			typescript.map(async ({ text }, index) => {
				const file = `${FOLDER}snippet-${index}.ts`;
				await writeFile(file, text);
				return file;
			}),
		);
		const { config } = ts.readConfigFile(`${ROOT}tsconfig.json`, ts.sys.readFile);
		const { options } = ts.parseJsonConfigFileContent(config, ts.sys, ROOT);
		// The Claude Agent SDK is not installed; this declares as much of it as is used.
		const declared = `${ROOT}client/adapters/claude-agent-sdk.d.ts`;
		const program = ts.createProgram([...files, declared], { ...options, noUnusedLocals: false });
		const problems = ts.getPreEmitDiagnostics(program).map((problem) => {
			const at = problem.file?.fileName.match(/snippet-(\d+)/)?.[1];
			return `${at === undefined ? "" : typescript[Number(at)]!.name}: ${ts.flattenDiagnosticMessageText(problem.messageText, "\n")}`;
		});
		expect(problems).toEqual([]);
	});

	it.each(typescript)("has a TypeScript snippet that runs: $name", async ({ name, text }) => {
		const file = `${FOLDER}${name.replace(/\W/g, "-")}.mjs`;
		await build({
			stdin: { contents: text, loader: "ts", resolveDir: ROOT },
			outfile: file,
			alias: ALIAS,
			bundle: true,
			format: "esm",
			platform: "node",
			packages: "external",
			plugins: [withoutClaude],
		});
		const env = {
			...process.env,
			AGENT_STORE_URL: gateway.url,
			AGENT_STORE_TOKEN: gateway.token,
			DATABASE_URL: gateway.databaseUrl,
		};
		// Rejects where the program fails.
		await promisify(execFile)(process.execPath, [file], { env });
	});

	it.each(graphql)("has a GraphQL snippet that runs: $name", async ({ text }) => {
		expect(validate(schema, parse(text))).toEqual([]);
		if (text.startsWith("subscription")) {
			const stream = await openSubscription(gateway, text);
			await stream.until(1);
			expect(stream.events()[0]).toMatch(/^event: next\ndata: \{"data":/);
			return;
		}
		const answer = await gateway.post({ query: text });
		expect(await answer.json()).not.toHaveProperty("errors");
	});
});
