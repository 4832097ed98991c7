import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));

const CLAUDE_SDK = "./test/long/claude/sdks/node_modules/claude-agent-sdk-latest/sdk.mjs";

/** `vitest run` is the suite; `--mode long` runs test/long instead: soaks, a browser, whatever takes minutes. */
export default defineConfig(({ mode }) => ({
	resolve: {
		alias: [
			{ find: /^@iga-pages\/agent\/store\/(\w+)$/, replacement: path("./client/adapters/$1.ts") },
			{ find: /^@iga-pages\/agent\/(\w+)$/, replacement: path("./client/$1.ts") },
			{ find: "@iga-pages/agent-gateway", replacement: path("./server/app.ts") },
			// What Node itself resolves; the bundler's own choice would load graphql a second time.
			{ find: /^graphql$/, replacement: path("./node_modules/graphql/index.js") },
			// Installed by its test, see test/long/claude/sdk.ts.
			...(mode === "long" ? [{ find: "@anthropic-ai/claude-agent-sdk", replacement: path(CLAUDE_SDK) }] : []),
		],
	},
	test: {
		include: mode === "long" ? ["test/long/**/*.test.ts"] : ["test/**/*.test.ts"],
		exclude: ["**/node_modules/**", ...(mode === "long" ? [] : ["test/long/**"])],
		globalSetup: ["test/support/global-setup.ts"],
		// Most tests wait for processes and for Postgres, so two at once pay even on two cores.
		maxWorkers: Math.max(2, availableParallelism() - 1),
		testTimeout: 60_000,
		hookTimeout: 60_000,
	},
}));
