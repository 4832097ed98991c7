import { createStates, type StateCheckpoint, type States, type StatesOptions } from "@iga-pages/agent/sessions";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { failure } from "../support/errors.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { lossyFetch } from "../support/lost-answers.ts";
import { query } from "../support/sql.ts";

let gateway: TestGateway;
let states: States;

function statesOf(options: StatesOptions = {}): States {
	const { url, token } = gateway;
	return createStates({ url, token, ...options });
}

beforeAll(async () => {
	gateway = await startGateway();
	states = statesOf();
});

afterAll(() => gateway.close());

async function append(key: string, count: number): Promise<string[]> {
	const seqs: string[] = [];
	for (let turn = 1; turn <= count; turn++) seqs.push((await states.appendCheckpoint({ key, state: { turn } })).seq);
	return seqs;
}

async function drain(key: string, limit?: number): Promise<StateCheckpoint[]> {
	const items: StateCheckpoint[] = [];
	let cursor: string | null = null;
	do {
		const page: Awaited<ReturnType<States["listCheckpoints"]>> = await states.listCheckpoints({
			key,
			cursor,
			limit: limit ?? null,
		});
		items.push(...page.items);
		cursor = page.nextCursor;
	} while (cursor !== null);
	return items;
}

const turns = (checkpoints: readonly StateCheckpoint[]) => checkpoints.map(({ state }) => state["turn"]);

describe("checkpoints of a key", () => {
	it("get increasing seqs of their own, and leave the state alone", async () => {
		expect(await append("rising", 11)).toEqual(["1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11"]);
		expect(await append("another", 1)).toEqual(["1"]);
		expect(await states.has({ key: "rising" })).toBe(false);
		await states.save({ key: "rising", state: { turn: 100 } });
		expect(await append("rising", 1)).toEqual(["12"]);
		expect(await states.load({ key: "rising" })).toMatchObject({ revision: "1", state: { turn: 100 } });
	});

	it("are read back, the newest alone and all of them by pages, the newest first", async () => {
		await append("pages", 7);
		expect(await states.latestCheckpoint({ key: "pages" })).toEqual({
			key: "pages",
			seq: "7",
			version: 0,
			state: { turn: 7 },
			createdAt: expect.stringMatching(/Z$/),
		});
		expect(turns(await drain("pages"))).toEqual([7, 6, 5, 4, 3, 2, 1]);
		expect(turns(await drain("pages", 3))).toEqual([7, 6, 5, 4, 3, 2, 1]);
		expect(await states.listCheckpoints({ key: "pages", limit: 7 })).toMatchObject({ nextCursor: null });
	});

	it("are none under an unknown key", async () => {
		expect(await states.latestCheckpoint({ key: "unknown" })).toBeNull();
		expect(await states.listCheckpoints({ key: "unknown" })).toEqual({ items: [], nextCursor: null });
		expect(await states.pruneCheckpoints({ key: "unknown", keep: 1 })).toEqual({ removed: 0 });
	});

	it("get 20 different seqs when 20 come at the same time, the first ones of a key included", async () => {
		const appended = await Promise.all(
			Array.from({ length: 20 }, (_, turn) => states.appendCheckpoint({ key: "parallel", state: { turn } })),
		);
		const seqs = appended.map(({ seq }) => Number(seq)).sort((a, b) => a - b);
		expect(seqs).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
		expect(new Set(turns(await drain("parallel")))).toHaveLength(20);
	});

	it("ERR-4: are kept once when the answer gets lost", async () => {
		const lossy = lossyFetch();
		lossy.losing = 2;
		expect(await statesOf({ fetch: lossy.fetch }).appendCheckpoint({ key: "lost", state: {} })).toEqual({ seq: "1" });
		expect(lossy.sent).toBe(3);
		expect(await append("lost", 1)).toEqual(["2"]);
	});

	it("VAL-7: make a short page of large ones, and none is missed", async () => {
		const state = { text: "x".repeat(6 * 1024 * 1024) };
		for (let index = 0; index < 3; index++) await states.appendCheckpoint({ key: "large", state });
		const page = await states.listCheckpoints({ key: "large" });
		expect(page.items.map(({ seq }) => seq)).toEqual(["3", "2"]);
		expect((await drain("large")).map(({ seq }) => seq)).toEqual(["3", "2", "1"]);
	});
});

describe("pruning", () => {
	it("keeps the newest, tells how many went, and seqs go on", async () => {
		await append("prune", 5);
		expect(await states.pruneCheckpoints({ key: "prune", keep: 2 })).toEqual({ removed: 3 });
		expect(turns(await drain("prune"))).toEqual([5, 4]);
		expect(await states.pruneCheckpoints({ key: "prune", keep: 2 })).toEqual({ removed: 0 });
		expect(await states.pruneCheckpoints({ key: "prune", keep: 100 })).toEqual({ removed: 0 });
		expect(await states.pruneCheckpoints({ key: "prune", keep: 0 })).toEqual({ removed: 2 });
		expect(await append("prune", 1)).toEqual(["6"]);
	});

	it.each([-1, 1.5, "2", null, 2 ** 31])("refuses to keep %s", async (keep) => {
		const error = await failure(states.pruneCheckpoints({ key: "prune", keep: keep as number }));
		expect(error).toMatchObject({ code: "BadRequest", message: expect.stringMatching(/^keep: /) });
	});
});

describe("restoring", () => {
	it("makes the newest checkpoint, or the one that is named, the state", async () => {
		await states.save({ key: "restore", state: { turn: 9 } });
		await append("restore", 3);
		const newest = await states.restoreCheckpoint({ key: "restore" });
		expect(newest).toMatchObject({ key: "restore", state: { turn: 3 }, version: 0, revision: "2" });
		expect(await states.load({ key: "restore" })).toEqual(newest);
		const named = await states.restoreCheckpoint({ key: "restore", seq: "1", expectedRevision: "2" });
		expect(named).toMatchObject({ state: { turn: 1 }, revision: "3" });
		expect(await states.load({ key: "restore" })).toEqual(named);
		expect(turns(await drain("restore"))).toEqual([3, 2, 1]);
	});

	it("gives a key without a state its first one", async () => {
		await append("only checkpoints", 1);
		expect(await states.restoreCheckpoint({ key: "only checkpoints", expectedRevision: "0" })).toMatchObject({
			revision: "1",
		});
	});

	it("refuses what is not there, and a revision that is not the expected one; nothing is saved then", async () => {
		await append("refused", 3);
		await states.pruneCheckpoints({ key: "refused", keep: 1 });
		await states.save({ key: "refused", state: { turn: 9 } });
		for (const [input, code] of [
			[{ key: "refused", seq: "2" }, "NotFound"],
			[{ key: "refused", seq: "4" }, "NotFound"],
			[{ key: "unknown" }, "NotFound"],
			[{ key: "refused", seq: "two" }, "BadRequest"],
			[{ key: "refused", expectedRevision: "7" }, "Conflict"],
		] as const) {
			expect([input, (await failure(states.restoreCheckpoint(input))).code]).toEqual([input, code]);
		}
		expect(await states.load({ key: "refused" })).toMatchObject({ state: { turn: 9 }, revision: "1" });
		expect(await query(gateway, "SELECT FROM states WHERE key = 'unknown'")).toEqual([]);
	});

	it("ERR-4: saves once when answers get lost", async () => {
		await append("restore lost", 1);
		const lossy = lossyFetch();
		lossy.losing = 2;
		expect(await statesOf({ fetch: lossy.fetch }).restoreCheckpoint({ key: "restore lost" })).toMatchObject({
			revision: "1",
		});
	});
});

describe("versions of checkpoints", () => {
	it("are migrated, or refused when newer, by latest and restore; lists show what is stored", async () => {
		const migrators = { 0: ({ step }: { step?: unknown }) => ({ turn: (step ?? null) as number }) };
		const program = statesOf({ version: 1, migrators });
		await states.appendCheckpoint({ key: "versions", state: { step: 4 } });
		expect(await program.latestCheckpoint({ key: "versions" })).toMatchObject({ version: 1, state: { turn: 4 } });
		expect(await program.restoreCheckpoint({ key: "versions" })).toMatchObject({ version: 1, state: { turn: 4 } });
		expect(await states.load({ key: "versions" })).toMatchObject({ version: 1, state: { turn: 4 } });
		await program.appendCheckpoint({ key: "versions", state: { turn: 5 } });
		await states.appendCheckpoint({ key: "versions", state: { future: 6 }, version: 2 });
		for (const call of [program.latestCheckpoint, program.restoreCheckpoint]) {
			expect((await failure(call({ key: "versions" }))).code).toBe("Conflict");
		}
		const { items } = await program.listCheckpoints({ key: "versions" });
		expect(items.map(({ version, state }) => [version, state])).toEqual([
			[2, { future: 6 }],
			[1, { turn: 5 }],
			[0, { step: 4 }],
		]);
		expect(await program.restoreCheckpoint({ key: "versions", seq: "2" })).toMatchObject({ state: { turn: 5 } });
	});
});
