import { expect, it, onTestFinished } from "vitest";
import { startGateway } from "../support/gateway.ts";
import { runMixedLoad } from "../support/mixed-load.ts";

it("ERR-6 MSG-2 CONV-4: three gateways under mixed load, one killed after another, leave the rows that clients were told of", async () => {
	const beside = await startGateway();
	onTestFinished(beside.close);
	// A bounded form of test/long/cluster.test.ts.
	const done = await runMixedLoad(beside, ({ operations, kills }) => operations >= 400 && kills >= 2);
	expect(done.outcomes.resolved).toBeGreaterThan(100);
}, 120_000);
