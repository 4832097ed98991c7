import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));

export default defineConfig({
	resolve: {
		alias: [
			{ find: /^@iga-pages\/agent\/store\/(\w+)$/, replacement: path("./client/adapters/$1.ts") },
			{ find: /^@iga-pages\/agent\/(\w+)$/, replacement: path("./client/$1.ts") },
			{ find: "@iga-pages/agent-gateway", replacement: path("./server/app.ts") },
			// What Node itself resolves; the bundler's own choice would load graphql a second time.
			{ find: /^graphql$/, replacement: path("./node_modules/graphql/index.js") },
		],
	},
	test: {
		include: ["test/**/*.test.ts"],
		exclude: ["test/long/**", "**/node_modules/**"],
		globalSetup: ["test/support/global-setup.ts"],
		testTimeout: 60_000,
		hookTimeout: 60_000,
	},
});
