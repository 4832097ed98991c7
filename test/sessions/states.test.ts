import { createStates, type JsonObject, type States, type StatesOptions } from "@iga-pages/agent/sessions";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { failure } from "../support/errors.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { HOSTILE_JSON } from "../support/hostile-json.ts";
import { lossyFetch } from "../support/lost-answers.ts";
import { query } from "../support/sql.ts";

let gateway: TestGateway;
let states: States;

/** States of the first project, with what a program says of its versions. */
function statesOf(options: StatesOptions = {}): States {
	const { url, token } = gateway;
	return createStates({ url, token, ...options });
}

beforeAll(async () => {
	gateway = await startGateway();
	states = statesOf();
});

afterAll(() => gateway.close());

const SNAPSHOT = {
	status: "interrupted",
	messages: [{ role: "user", content: "Plan a trip" }],
	turn: 3,
	usage: { promptTokens: 12, completionTokens: 30 },
	interruptReason: { toolCallId: "call-1", data: null },
};

describe("a state", () => {
	it("comes back as it was saved, with its revision", async () => {
		const saved = await states.save({ key: "whole", state: SNAPSHOT, version: 2 });
		expect(saved).toEqual({ key: "whole", revision: "1", updatedAt: expect.stringMatching(/T.*\.\d{3}Z$/) });
		expect(await states.load({ key: "whole" })).toEqual({ ...saved, state: SNAPSHOT, version: 2 });
		expect(await states.has({ key: "whole" })).toBe(true);
	});

	it("is replaced whole by the next save, under a greater revision", async () => {
		const revisions = [];
		for (let turn = 1; turn <= 11; turn++) {
			revisions.push(Number((await states.save({ key: "next", state: { turn, [`only${turn}`]: true } })).revision));
		}
		expect(revisions).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
		expect(await states.load({ key: "next" })).toMatchObject({
			state: { turn: 11, only11: true },
			version: 0,
			revision: "11",
		});
	});

	it("is null, and not there, under a key that nobody saved", async () => {
		expect(await states.load({ key: "unknown" })).toBeNull();
		expect(await states.has({ key: "unknown" })).toBe(false);
	});

	it("is deleted for ever, also twice and where there is none", async () => {
		await states.save({ key: "gone", state: { secret: 1 } });
		await states.appendCheckpoint({ key: "gone", state: { secret: 2 } });
		for (let round = 0; round < 2; round++) await states.delete({ key: "gone" });
		expect(await states.load({ key: "gone" })).toBeNull();
		expect(await states.latestCheckpoint({ key: "gone" })).toBeNull();
		for (const table of ["states", "state_checkpoints"]) {
			expect(await query(gateway, `SELECT FROM ${table} WHERE key = 'gone'`)).toEqual([]);
		}
		expect((await states.save({ key: "gone", state: {} })).revision).toBe("1");
	});

	it("VAL-3 keeps every JSON value exactly", async () => {
		const state: JsonObject = { ...HOSTILE_JSON, ...(HOSTILE_JSON["an own __proto__"] as JsonObject) };
		await states.save({ key: "hostile", state });
		const snapshot = await states.load({ key: "hostile" });
		expect(JSON.stringify(snapshot?.state)).toBe(JSON.stringify(state));
	});

	it("has nothing to do with a conversation of that id", async () => {
		await gateway.store.appendMessage({ conversationId: "both", payload: "kept" });
		expect(await states.has({ key: "both" })).toBe(false);
		await states.save({ key: "both", state: { turn: 1 } });
		await gateway.store.deleteConversation({ conversationId: "both" });
		expect(await states.load({ key: "both" })).toMatchObject({ state: { turn: 1 } });
		expect(await gateway.store.getConversation({ conversationId: "both" })).toBeNull();
	});

	it("VAL-1 may have any id as its key", async () => {
		for (const key of ["../../etc/passwd", "%2e%2e", "'; DROP TABLE states; --", "🧭".repeat(64), " "]) {
			await states.save({ key, state: { key } });
			expect((await states.load({ key }))?.state).toEqual({ key });
		}
	});
});

describe("what is refused", () => {
	it.each<[string, (it: States) => Promise<unknown>, string, RegExp]>([
		["VAL-1: an empty key", (it) => it.save({ key: "", state: {} }), "BadRequest", /^key: /],
		["VAL-1: 257 bytes of key", (it) => it.load({ key: "x".repeat(257) }), "BadRequest", /^key: .*256/],
		["VAL-4: an array", (it) => it.save({ key: "bad", state: [] as never }), "BadRequest", /^state: .*VAL-4/],
		["VAL-4: no state", (it) => it.save({ key: "bad" } as never), "BadRequest", /^state: /],
		["VAL-5: NaN inside", (it) => it.save({ key: "bad", state: { a: [NaN] } }), "BadRequest", /^state\.a\[0\]: /],
		["VAL-6: 201 levels", (it) => it.save({ key: "bad", state: { a: nested(200) } }), "BadRequest", /VAL-6/],
		[
			"VAL-7: over 16 MiB",
			(it) => it.save({ key: "bad", state: { a: "x".repeat(16 * 1024 * 1024) } }),
			"PayloadTooLarge",
			/^state: .*16 MiB/,
		],
		["VAL-8: an unknown name", (it) => it.save({ key: "bad", state: {}, ttl: 1 } as never), "BadRequest", /ttl/],
		["a negative version", (it) => it.save({ key: "bad", state: {}, version: -1 }), "BadRequest", /^version: /],
		["half a version", (it) => it.save({ key: "bad", state: {}, version: 1.5 }), "BadRequest", /^version: /],
		[
			"a revision that is none",
			(it) => it.save({ key: "bad", state: {}, expectedRevision: "one" }),
			"BadRequest",
			/^expectedRevision: /,
		],
		["MSG-7: a page of 201", (it) => it.list({ limit: 201 }), "BadRequest", /^limit: /],
		["MSG-8: a cursor of nothing", (it) => it.list({ cursor: "AAAA" }), "BadRequest", /MSG-8/],
	])("%s", async (_, call, code, message) => {
		expect(await failure(call(states))).toMatchObject({ code, message: expect.stringMatching(message) });
		expect(await states.has({ key: "bad" })).toBe(false);
	});

	it("VAL-6: 200 levels are kept", async () => {
		const state = { a: nested(199) };
		await states.save({ key: "deep", state });
		expect((await states.load({ key: "deep" }))?.state).toEqual(state);
	});

	it("by the gateway, too, when no SDK stands before it", async () => {
		const document = "mutation ($input: SaveStateInput!) { saveState(input: $input) { revision } }";
		for (const [input, message] of [
			[{ key: "", state: {} }, /^input\.key: /],
			[{ key: "bad", state: [] }, /^input\.state: .*VAL-4/],
			[{ key: "bad", state: { a: nested(200) } }, /^input\.state: .*VAL-6/],
			[{ key: "bad", state: {}, version: -1 }, /^input\.version: /],
			[{ key: "bad", state: {}, expectedRevision: "-1" }, /^input\.expectedRevision: /],
			[{ key: "bad", state: {}, operationId: "" }, /^input\.operationId: /],
		] as const) {
			const answer = await gateway.post({ query: document, variables: { input } });
			expect(answer.status).toBe(400);
			expect(await answer.json()).toMatchObject({ errors: [{ message: expect.stringMatching(message) }] });
		}
		expect(await states.has({ key: "bad" })).toBe(false);
	});
});

function nested(levels: number): JsonObject {
	let value: JsonObject = {};
	for (let level = 1; level < levels; level++) value = { a: value };
	return value;
}

describe("expectedRevision", () => {
	it("lets a save through when nobody else saved", async () => {
		let { revision } = await states.save({ key: "turns", state: { turn: 0 }, expectedRevision: "0" });
		for (let turn = 1; turn <= 3; turn++) {
			({ revision } = await states.save({ key: "turns", state: { turn }, expectedRevision: revision }));
		}
		expect(await states.load({ key: "turns" })).toMatchObject({ revision: "4", state: { turn: 3 } });
	});

	it("is a Conflict that tells the revision when somebody did, and nothing is saved", async () => {
		await states.save({ key: "raced", state: { by: "me" } });
		await states.save({ key: "raced", state: { by: "other" } });
		for (const expectedRevision of ["0", "1", "3"]) {
			const error = await failure(states.save({ key: "raced", state: { by: "me" }, expectedRevision }));
			expect(error).toMatchObject({ code: "Conflict", status: 409 });
			expect(error.message).toContain(`is 2, not ${expectedRevision}`);
		}
		expect(await states.load({ key: "raced" })).toMatchObject({ revision: "2", state: { by: "other" } });
		const none = await failure(states.save({ key: "never", state: {}, expectedRevision: "1" }));
		expect(none).toMatchObject({ code: "Conflict", message: expect.stringContaining("is 0, not 1") });
		expect(await query(gateway, "SELECT FROM states WHERE key = 'never'")).toEqual([]);
	});

	it("lets exactly one of 20 through that save at the same time", async () => {
		for (const expectedRevision of ["0", "1", "2"]) {
			const calls = Array.from({ length: 20 }, (_, by) =>
				states.save({ key: "one of many", state: { by }, expectedRevision }),
			);
			const outcomes = await Promise.allSettled(calls);
			const winner = outcomes.findIndex(({ status }) => status === "fulfilled");
			expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
			expect((await states.load({ key: "one of many" }))?.state).toEqual({ by: winner });
		}
	});

	it("is not needed: of 20 at the same time all save, each under a revision of its own", async () => {
		const saved = await Promise.all(Array.from({ length: 20 }, (_, by) => states.save({ key: "all", state: { by } })));
		const revisions = saved.map(({ revision }) => Number(revision)).sort((a, b) => a - b);
		expect(revisions).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
		const last = saved.findIndex(({ revision }) => revision === "20");
		expect(await states.load({ key: "all" })).toMatchObject({ state: { by: last }, revision: "20" });
	});
});

describe("a save whose answer gets lost", () => {
	it("ERR-4: is done once, and is no Conflict with itself", async () => {
		const lossy = lossyFetch();
		const unlucky = statesOf({ fetch: lossy.fetch });
		for (const expectedRevision of ["0", "1", null]) {
			lossy.losing = 2;
			const saved = await unlucky.save({ key: "lost", state: { expectedRevision }, expectedRevision });
			expect(saved.revision).toBe(String(Number(expectedRevision ?? 2) + 1));
		}
		expect(lossy.sent).toBe(9);
		expect(await states.load({ key: "lost" })).toMatchObject({ revision: "3", state: { expectedRevision: null } });
	});

	it("ERR-4: a deletion is not done again", async () => {
		const lossy = lossyFetch();
		await states.save({ key: "lost deletion", state: {} });
		lossy.losing = 1;
		const error = await failure(statesOf({ fetch: lossy.fetch }).delete({ key: "lost deletion" }));
		expect(error.code).toBe("NetworkError");
		expect(lossy.sent).toBe(1);
	});
});

describe("the list of states", () => {
	it("has each key once, the latest saved first, page by page", async () => {
		const project = await gateway.createProject();
		const own = statesOf({ token: project.token });
		for (const key of ["z", "a", "b", "c", "d", "e", "f"]) await own.save({ key, state: {}, version: 3 });
		await own.appendCheckpoint({ key: "checkpoint only", state: {} });
		await own.save({ key: "z", state: {} });
		const keys: string[] = [];
		let cursor: string | null = null;
		do {
			const page: Awaited<ReturnType<States["list"]>> = await own.list({ limit: 3, cursor });
			keys.push(...page.items.map(({ key }) => key));
			cursor = page.nextCursor;
		} while (cursor !== null);
		expect(keys).toEqual(["z", "f", "e", "d", "c", "b", "a"]);
		expect((await own.list({ limit: 2 })).items).toEqual([
			{ key: "z", version: 0, revision: "2", updatedAt: expect.any(String) },
			{ key: "f", version: 3, revision: "1", updatedAt: expect.any(String) },
		]);
		expect(await own.list()).toMatchObject({ nextCursor: null });
	});

	it("ISO-1: shows nothing of another project, nor do its cursors work there", async () => {
		const [one, two] = [await gateway.createProject(), await gateway.createProject()];
		const [own, other] = [statesOf({ token: one.token }), statesOf({ token: two.token })];
		for (const key of ["a", "b"]) await own.save({ key, state: { owned: true } });
		const { nextCursor } = await own.list({ limit: 1 });
		expect(await other.list()).toEqual({ items: [], nextCursor: null });
		expect(await other.load({ key: "a" })).toBeNull();
		expect((await failure(other.list({ cursor: nextCursor }))).code).toBe("BadRequest");
		await other.delete({ key: "a" });
		expect(await own.has({ key: "a" })).toBe(true);
	});
});

describe("versions", () => {
	const migrators = {
		0: ({ step, ...rest }: JsonObject) => ({ ...rest, turn: step ?? 0 }),
		1: async (state: JsonObject) => ({ ...state, usage: {} }),
	};

	it("mark what is saved, and are read back without a change", async () => {
		const program = statesOf({ version: 2, migrators });
		await program.save({ key: "marked", state: { turn: 1 } });
		expect(await states.load({ key: "marked" })).toMatchObject({ version: 2, state: { turn: 1 } });
		expect(await program.load({ key: "marked" })).toMatchObject({ version: 2, state: { turn: 1 } });
	});

	it("of older programs go through the migrators, one step at a time", async () => {
		const program = statesOf({ version: 2, migrators });
		await states.save({ key: "old 0", state: { step: 7 } });
		await states.save({ key: "old 1", state: { turn: 7 }, version: 1 });
		for (const key of ["old 0", "old 1"]) {
			const snapshot = await program.load({ key });
			expect(snapshot).toMatchObject({ version: 2, state: { turn: 7, usage: {} }, revision: "1" });
			expect(Object.keys(snapshot?.state ?? {})).not.toContain("step");
		}
		// Loading has saved nothing.
		expect(await states.load({ key: "old 0" })).toMatchObject({ version: 0, state: { step: 7 }, revision: "1" });
	});

	it("of newer programs are refused, and stay as they are", async () => {
		await states.save({ key: "new", state: { future: true }, version: 3 });
		const error = await failure(statesOf({ version: 2, migrators }).load({ key: "new" }));
		expect(error).toMatchObject({ code: "Conflict", message: expect.stringMatching(/version 3.*up to 2/) });
		expect(await states.load({ key: "new" })).toMatchObject({ version: 3, state: { future: true } });
		expect(await statesOf({ version: 2 }).has({ key: "new" })).toBe(true);
	});

	it("that no migrator leads on from are refused", async () => {
		await states.save({ key: "gap", state: { step: 1 } });
		const error = await failure(statesOf({ version: 2, migrators: { 0: migrators[0] } }).load({ key: "gap" }));
		expect(error).toMatchObject({ code: "Conflict", message: expect.stringContaining("from version 1 to 2") });
	});

	it("name the migrator that fails", async () => {
		await states.save({ key: "fails", state: {} });
		const cause = new Error("no step");
		const thrower = () => {
			throw cause;
		};
		const thrown = await failure(statesOf({ version: 1, migrators: { 0: thrower } }).load({ key: "fails" }));
		expect(thrown).toMatchObject({ code: "BadRequest", message: "migrators.0: failed", cause });
		const nothing = statesOf({ version: 1, migrators: { 0: () => null as never } });
		expect((await failure(nothing.load({ key: "fails" }))).message).toMatch(/^migrators\.0: must be a JSON object/);
	});

	it.each<[string, StatesOptions, RegExp]>([
		["a version that is none", { version: -1 }, /^version: /],
		["migrators without a version", { migrators }, /^migrators: /],
		["a migrator of the version itself", { version: 1, migrators }, /^migrators\.1: /],
		["a migrator that is none", { version: 1, migrators: { 0: "x" as never } }, /^migrators\.0: /],
		["an unknown option", { versions: 1 } as never, /versions/],
	])("are refused at creation: %s", (_, options, message) => {
		expect(() => statesOf(options)).toThrow(message);
	});
});
