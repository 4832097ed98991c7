import { expect, it, onTestFinished } from "vitest";
import { startGateway } from "../support/gateway.ts";
import { runMixedLoad } from "../support/mixed-load.ts";

const MINUTE = 60_000;

it("ERR-6 MSG-2 CONV-4: three gateways under mixed load for a minute, one killed after another, leave the rows that clients were told of", async () => {
	const beside = await startGateway();
	onTestFinished(beside.close);
	const end = Date.now() + MINUTE;
	const done = await runMixedLoad(beside, ({ kills }) => Date.now() >= end && kills >= 3);
	console.log(`${done.operations} operations, ${done.kills} kills: ${JSON.stringify(done.outcomes)}`);
	expect(done.outcomes.resolved).toBeGreaterThan(100);
}, 300_000);
