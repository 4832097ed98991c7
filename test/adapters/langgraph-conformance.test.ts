import { createCheckpointer } from "@iga-pages/agent/store/langgraph";
import * as vitest from "vitest";
import { startGateway, type TestGateway } from "../support/gateway.ts";

// The framework's own suite expects a runner whose functions are global.
Object.assign(globalThis, vitest);
const { deltaChannelHistoryTests, specTest } = await import("@langchain/langgraph-checkpoint-validation");

let gateway: TestGateway;
vitest.beforeAll(async () => {
	gateway = await startGateway();
});
vitest.afterAll(() => gateway.close());

const initializer = {
	checkpointerName: "Checkpointer",
	// Lists of the suite span all threads, so that each checkpointer needs a project of its own.
	createCheckpointer: async () => createCheckpointer(null, { store: (await gateway.createProject()).store }),
};

specTest(initializer);
deltaChannelHistoryTests(initializer);
