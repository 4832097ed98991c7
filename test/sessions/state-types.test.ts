import type { AgentStore, JsonObject, JsonValue, States, StatesOptions } from "@iga-pages/agent/sessions";
import { describe, expectTypeOf, test } from "vitest";

interface Snapshot {
	status: "idle" | "running";
	messages: { role: string; content: string; name?: string }[];
	turn: number;
}

declare const snapshot: Snapshot;
const key = "k";

/** Never run: `tsc` is what tests these lines. */
const accepted = [
	(states: States) => states.save({ key, state: snapshot }),
	(states: States) => states.save({ key, state: {}, version: null, expectedRevision: undefined }),
	(states: States) => states.appendCheckpoint({ key, state: snapshot, version: 1 }),
	(states: States) => states.list(null, { timeoutMs: 1 }),
	(agents: AgentStore) => agents.save({ key, state: snapshot }),
	(): StatesOptions => ({ version: 1, migrators: { 0: async ({ a, ...rest }) => ({ ...rest, b: a ?? null }) } }),
];

const refused = [
	// @ts-expect-error a state is required
	(states: States) => states.save({ key }),
	// @ts-expect-error a state is an object
	(states: States) => states.save({ key, state: [1] }),
	// @ts-expect-error a Date would come back as a string
	(states: States) => states.save({ key, state: { at: new Date() } }),
	// @ts-expect-error a revision is a string
	(states: States) => states.save({ key, state: {}, expectedRevision: 1 }),
	// @ts-expect-error an unknown argument
	(states: States) => states.load({ key, version: 1 }),
	// @ts-expect-error agents have no checkpoints
	(agents: AgentStore) => agents.latestCheckpoint({ key }),
	// @ts-expect-error a migrator makes an object
	(): StatesOptions => ({ version: 1, migrators: { 0: () => 1 } }),
];

describe("types of states", () => {
	test("VAL-5, VAL-8: inputs are what can be stored", () => {
		expectTypeOf(accepted).not.toBeAny();
		expectTypeOf(refused).not.toBeAny();
	});

	test("results are the documented objects", () => {
		expectTypeOf<States["save"]>().returns.resolves.toHaveProperty("revision").toEqualTypeOf<string>();
		expectTypeOf<States["appendCheckpoint"]>().returns.resolves.toEqualTypeOf<{ seq: string }>();
		expectTypeOf<States["pruneCheckpoints"]>().returns.resolves.toEqualTypeOf<{ removed: number }>();
		expectTypeOf<States["has"]>().returns.resolves.toEqualTypeOf<boolean>();
		expectTypeOf<NonNullable<Awaited<ReturnType<States["load"]>>>["state"]>().toEqualTypeOf<JsonObject>();
		expectTypeOf<NonNullable<Awaited<ReturnType<AgentStore["load"]>>>["state"]["messages"]>().toEqualTypeOf<
			JsonValue[]
		>();
	});
});
