import { randomBytes } from "node:crypto";
import { gzipSync } from "node:zlib";
import { createStore, type Store } from "@iga-pages/agent/store";
import { type Checkpointer, createCheckpointer } from "@iga-pages/agent/store/langgraph";
import { HumanMessage } from "@langchain/core/messages";
import { type Checkpoint, emptyCheckpoint, MemorySaver, uuid6 } from "@langchain/langgraph-checkpoint";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { failure } from "../support/errors.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { type LossyFetch, lossyFetch } from "../support/lost-answers.ts";
import { query } from "../support/sql.ts";

let gateway: TestGateway;
let lossy: LossyFetch;
let saver: Checkpointer;
let threads = 0;

beforeAll(async () => {
	lossy = lossyFetch();
	gateway = await startGateway({ store: { fetch: lossy.fetch } });
	saver = createCheckpointer(null, { store: gateway.store });
});
afterAll(() => gateway.close());

type Config = Parameters<Checkpointer["getTuple"]>[0];

function newThread(ns = ""): Config {
	return { configurable: { thread_id: `thread-${++threads}`, checkpoint_ns: ns } };
}

/** A checkpoint whose channels all changed, at versions of the saver's. */
function newCheckpoint(values: Record<string, unknown> = {}, id = uuid6(0)): Checkpoint {
	const versions = Object.keys(values).map((channel) => [channel, saver.getNextVersion(undefined)]);
	return { ...emptyCheckpoint(), id, channel_values: values, channel_versions: Object.fromEntries(versions) };
}

async function put(config: Config, values: Record<string, unknown> = {}, metadata: object = {}): Promise<Config> {
	const checkpoint = newCheckpoint(values);
	const known = { source: "loop" as const, step: 0, parents: {}, ...metadata };
	return saver.put(config, checkpoint, known, checkpoint.channel_versions);
}

async function drain<T>(items: AsyncIterable<T>): Promise<T[]> {
	const all: T[] = [];
	for await (const item of items) all.push(item);
	return all;
}

const TABLES = ["checkpoints", "checkpoint_blobs", "checkpoint_writes", "checkpoint_pieces"];

async function countRows(threadId: unknown): Promise<number[]> {
	return Promise.all(
		TABLES.map(async (table) => {
			const text = `SELECT count(*)::int AS count FROM ${table} WHERE project_id = $1 AND thread_id = $2`;
			const [row] = await query<{ count: number }>(gateway, text, [gateway.projectId, threadId]);
			return row!.count;
		}),
	);
}

/** A serialiser whose bytes are neither JSON nor text, and whose type says so. */
const CUSTOM_SERDE = {
	async dumpsTyped(value: unknown): Promise<[string, Uint8Array]> {
		const text = new TextEncoder().encode(JSON.stringify(value));
		return ["xor", Uint8Array.from(text, (byte) => byte ^ 0xff)];
	},
	async loadsTyped(type: string, bytes: Uint8Array | string): Promise<unknown> {
		if (type !== "xor" || typeof bytes === "string") throw new Error(`unknown type ${type}`);
		return JSON.parse(new TextDecoder().decode(bytes.map((byte) => byte ^ 0xff)));
	},
};

describe("values", () => {
	it("come back as the framework's own saver returns them", async () => {
		const values = {
			map: new Map([["a", new Set([1])]]),
			bytes: new Uint8Array([0, 1, 255, 0]),
			nothing: undefined,
			nan: Number.NaN,
			message: new HumanMessage("hi \u0000 \ud83c 汉"),
			text: "nul \u0000, lone \ud83c",
			long: "long ".repeat(10_000),
		};
		const metadata = {
			source: "loop" as const,
			step: 0,
			parents: {},
			"nul\u0000": "\u0000\ud83c",
			user: { b: 1, a: 2 },
		};
		const checkpoint = newCheckpoint(values);
		const memory = new MemorySaver();
		const config = newThread();
		const expected = await memory.getTuple(await memory.put(config, checkpoint, metadata));
		const tuple = await saver.getTuple(await saver.put(config, checkpoint, metadata, checkpoint.channel_versions));
		expect(tuple?.checkpoint).toEqual({ ...expected?.checkpoint, channel_values: expect.anything() });
		expect(tuple?.checkpoint.channel_values).toEqual({ ...expected?.checkpoint.channel_values, bytes: values.bytes });
		expect(Object.getPrototypeOf(tuple?.checkpoint.channel_values["bytes"])).toBe(Uint8Array.prototype);
		expect(JSON.stringify(tuple?.metadata)).toBe(JSON.stringify(metadata));
	});

	it("are kept as any serialiser writes them, its type included", async () => {
		const custom = createCheckpointer(CUSTOM_SERDE, { store: gateway.store });
		const checkpoint = newCheckpoint({ state: { text: "x".repeat(5_000), n: 1 } });
		const metadata = { source: "loop" as const, step: 3, parents: {} };
		const config = await custom.put(newThread(), checkpoint, metadata, checkpoint.channel_versions);
		await custom.putWrites(config, [["log", { a: 1 }]], "task");
		const [tuple] = await drain(custom.list(config, { filter: { step: 3 } }));
		expect(tuple).toMatchObject({ checkpoint, metadata, pendingWrites: [["task", "log", { a: 1 }]] });
		await expect(saver.getTuple(config)).rejects.toThrow();
	});

	it("of 512 bytes and more are stored compressed, once per version", async () => {
		const first = await put(newThread(), { big: "a".repeat(1_000_000), small: "b" });
		const kept = (await saver.getTuple(first))!.checkpoint;
		const next = { ...newCheckpoint(), channel_values: kept.channel_values, channel_versions: kept.channel_versions };
		const second = await saver.put(first, next, { source: "loop", step: 1, parents: {} }, {});
		expect((await saver.getTuple(second))?.checkpoint.channel_values).toEqual(kept.channel_values);
		const rows = await query(
			gateway,
			`SELECT channel, encoding, octet_length(data) < 2000 AS short FROM checkpoint_blobs
			WHERE project_id = $1 AND thread_id = $2 ORDER BY channel`,
			[gateway.projectId, first.configurable?.["thread_id"]],
		);
		expect(rows).toEqual([
			{ channel: "big", encoding: "gzip", short: true },
			{ channel: "small", encoding: "identity", short: true },
		]);
	});

	it("of a channel that is empty at its version take no row, and the channel stays empty", async () => {
		const checkpoint = newCheckpoint({ full: 1, empty: 2 });
		delete checkpoint.channel_values["empty"];
		const config = await saver.put(
			newThread(),
			checkpoint,
			{ source: "loop", step: 0, parents: {} },
			checkpoint.channel_versions,
		);
		const tuple = await saver.getTuple(config);
		expect(tuple?.checkpoint).toMatchObject({
			channel_values: { full: 1 },
			channel_versions: checkpoint.channel_versions,
		});
		expect(tuple?.checkpoint.channel_values).not.toHaveProperty("empty");
		expect(await countRows(config.configurable?.["thread_id"])).toEqual([1, 1, 0, 0]);
	});

	it("are those of the moment of the call", async () => {
		const state = { list: [1] };
		const checkpoint = newCheckpoint({ state });
		const metadata = { source: "loop" as const, step: 0, parents: {} };
		const storing = saver.put(newThread(), checkpoint, metadata, checkpoint.channel_versions);
		state.list.push(2);
		metadata.step = 9;
		const tuple = await saver.getTuple(await storing);
		expect(tuple).toMatchObject({ checkpoint: { channel_values: { state: { list: [1] } } }, metadata: { step: 0 } });
	});

	it.each([
		["is no gzip", Buffer.from("no gzip")],
		["is cut off", gzipSync("x".repeat(10_000)).subarray(0, 20)],
		["would take more than 256 MiB", gzipSync(Buffer.alloc(257 * 1024 * 1024))],
	])("of which one %s are refused by name", async (_, data) => {
		const config = await put(newThread(), { text: "x".repeat(1_000) });
		await query(gateway, "UPDATE checkpoint_blobs SET data = $3 WHERE project_id = $1 AND thread_id = $2", [
			gateway.projectId,
			config.configurable?.["thread_id"],
			data,
		]);
		expect((await failure(saver.getTuple(config))).toJSON()).toEqual({
			code: "UnknownError",
			message: expect.stringContaining("cannot be unpacked"),
		});
	});

	it("over the limit of a request are refused with the limit's name", async () => {
		const random = new Uint8Array(randomBytes(52 * 1024 * 1024));
		expect((await failure(put(newThread(), { random }))).toJSON()).toMatchObject({
			code: "PayloadTooLarge",
			message: expect.stringMatching("64 MiB"),
		});
	});
});

describe("writes", () => {
	it("of special channels replace, others keep the first, each for itself", async () => {
		const config = await put(newThread());
		await saver.putWrites(
			config,
			[
				["__resume__", "old"],
				["log", "first"],
			],
			"task",
		);
		await saver.putWrites(
			config,
			[
				["__resume__", "new"],
				["log", "second"],
			],
			"task",
		);
		expect((await saver.getTuple(config))?.pendingWrites).toEqual([
			["task", "__resume__", "new"],
			["task", "log", "first"],
		]);
	});

	it("keep the last of two special ones in one call", async () => {
		const config = await put(newThread());
		await saver.putWrites(
			config,
			[
				["__interrupt__", 1],
				["__interrupt__", 2],
				["constructor", 3],
			],
			"task",
		);
		expect((await saver.getTuple(config))?.pendingWrites).toEqual([
			["task", "__interrupt__", 2],
			["task", "constructor", 3],
		]);
	});

	it("come in the order of task path, task id and index, by code point", async () => {
		const config = await put(newThread());
		const tasks = [
			["a", "~2"],
			["c", ""],
			["b", "~1, \u{10000}"],
			["d", "~1, \uffee"],
			["e", "~1, \uffee"],
		] as const;
		for (const [id, path] of tasks)
			await saver.putWrites(
				config,
				[
					["x", 1],
					["y", 2],
				],
				id,
				path,
			);
		const order = (await saver.getTuple(config))?.pendingWrites?.map(([id, channel]) => id + channel);
		expect(order).toEqual(["cx", "cy", "dx", "dy", "ex", "ey", "bx", "by", "ax", "ay"]);
	});

	it("may arrive before their checkpoint, and nothing is sent for none", async () => {
		const config = newThread();
		const checkpoint = newCheckpoint();
		const place = { configurable: { thread_id: config.configurable?.["thread_id"], checkpoint_id: checkpoint.id } };
		await saver.putWrites(place, [["log", 1]], "task");
		expect(await saver.getTuple(config)).toBeUndefined();
		const written = await saver.put(config, checkpoint, { source: "loop", step: 0, parents: {} }, {});
		const { sent } = lossy;
		await saver.putWrites(written, [], "other");
		expect(lossy.sent).toBe(sent);
		expect((await saver.getTuple(config))?.pendingWrites).toEqual([["task", "log", 1]]);
	});

	it("by the hundred at once succeed, however few calls the gateway lets wait", async () => {
		const limits = { waitingCalls: 20 };
		const tight = await startGateway({ databaseUrl: gateway.databaseUrl, poolSize: 1, limits, store: { retries: 0 } });
		const newSaver = () => createCheckpointer(null, { store: tight.store });
		const metadata = { source: "loop" as const, step: 0, parents: {} };
		const config = await newSaver().put(newThread(), newCheckpoint(), metadata, {});
		const many = Array.from({ length: 300 }, (_, index) => index);
		// Many instances, as when each request of an application makes its own.
		await Promise.all(many.map((n) => newSaver().putWrites(config, [["n", n]], `task-${n}`)));
		const written = (await newSaver().getTuple(config))?.pendingWrites?.map(([, , n]) => n as number);
		expect(written?.sort((a, b) => a - b)).toEqual(many);
		await tight.close();
	});

	it("whose answer was lost are there once", async () => {
		const config = newThread();
		lossy.losing = 1;
		const stored = await put(config, { a: 1 });
		lossy.losing = 1;
		await saver.putWrites(
			stored,
			[
				["log", 1],
				["__resume__", 2],
			],
			"task",
		);
		expect(lossy.losing).toBe(0);
		expect(await countRows(config.configurable?.["thread_id"])).toEqual([1, 1, 2, 0]);
	});
});

describe("writes that go along with a checkpoint", () => {
	it("are stored though the checkpoint is refused", async () => {
		const config = await put(newThread());
		const itself = { ...newCheckpoint(), id: config.configurable?.["checkpoint_id"] };
		const [refused] = await Promise.all([
			failure(saver.put(config, itself, { source: "loop", step: 1, parents: {} }, {})),
			saver.putWrites(config, [["log", 1]], "task"),
		]);
		expect(refused).toMatchObject({ code: "BadRequest", message: expect.stringContaining("parentCheckpointId") });
		expect((await saver.getTuple(config))?.pendingWrites).toEqual([["task", "log", 1]]);
	});

	it("are refused for themselves", async () => {
		const config = await put(newThread());
		const [next, good, bad] = await Promise.all([
			put(config, { a: 1 }),
			saver.putWrites(config, [["log", 1]], "good"),
			failure(saver.putWrites(config, [["\0", 1]], "bad")),
		]);
		expect(good).toBeUndefined();
		expect(bad).toMatchObject({ code: "BadRequest", message: expect.stringContaining("channel") });
		expect((await saver.getTuple(config))?.pendingWrites).toEqual([["good", "log", 1]]);
		expect((await saver.getTuple(next))?.checkpoint.channel_values).toEqual({ a: 1 });
	});
});

describe("list", () => {
	it("streams a long thread in pages, newest first, and stops with its reader", async () => {
		const thread = newThread();
		const ids: unknown[] = [];
		for (let index = 0, config = thread; index < 120; index++) {
			config = await put(config, { n: index });
			ids.unshift(config.configurable?.["checkpoint_id"]);
		}
		const { sent } = lossy;
		expect((await drain(saver.list(thread))).map(({ checkpoint }) => checkpoint.id)).toEqual(ids);
		expect(lossy.sent - sent).toBe(3);
		for await (const { checkpoint } of saver.list(thread)) {
			expect(checkpoint.id).toBe(ids[0]);
			break;
		}
		expect(lossy.sent - sent).toBe(4);
		expect((await drain(saver.list(thread, { limit: 70 }))).map(({ checkpoint }) => checkpoint.id)).toEqual(
			ids.slice(0, 70),
		);
		const before = { configurable: { checkpoint_id: ids[99] } } as Config;
		expect((await drain(saver.list(thread, { before }))).map(({ checkpoint }) => checkpoint.id)).toEqual(
			ids.slice(100),
		);
		expect(await drain(saver.list(thread, { limit: 0 }))).toEqual([]);
	});

	it("cuts pages by bytes and misses nothing", async () => {
		const thread = newThread();
		for (let index = 0, config = thread; index < 5; index++) {
			const noise = new Uint8Array(randomBytes(6 * 1024 * 1024));
			config = await put(config, { noise });
		}
		const { sent } = lossy;
		const tuples = await drain(saver.list(thread));
		expect(tuples.map(({ checkpoint }) => (checkpoint.channel_values["noise"] as Uint8Array).length)).toEqual(
			Array.from({ length: 5 }, () => 6 * 1024 * 1024),
		);
		expect(lossy.sent - sent).toBe(3);
	});

	it("filters by equal metadata, nested and hostile values included", async () => {
		const thread = newThread();
		await put(thread, {}, { user: { a: 1, b: [2] }, text: "nul \u0000 \ud83c", big: 10n, absent: undefined });
		await put(thread, {}, { user: { a: 1 }, text: "nul" });
		const matches = async (filter: object) => (await drain(saver.list(thread, { filter }))).length;
		expect(await matches({ user: { b: [2], a: 1 } })).toBe(1);
		expect(await matches({ text: "nul \u0000 \ud83c" })).toBe(1);
		expect(await matches({ text: "nul" })).toBe(1);
		expect(await matches({ step: 0, user: { a: 1 } })).toBe(1);
		expect(await matches({ step: "0" })).toBe(0);
		expect(await matches({ a: 1 })).toBe(0);
		expect(await matches({})).toBe(2);
	});

	it("reads the whole project without a thread, newest first across threads and namespaces", async () => {
		const project = await gateway.createProject();
		const own = createCheckpointer(null, { store: project.store });
		const ids: string[] = [];
		for (let index = 0; index < 60; index++) {
			const config = { configurable: { thread_id: `t${index % 7}`, checkpoint_ns: index % 2 ? "child" : "" } };
			const checkpoint = emptyCheckpoint();
			checkpoint.id = uuid6(0);
			ids.unshift(checkpoint.id);
			await own.put(config, checkpoint, { source: "loop", step: index, parents: {} }, {});
		}
		const idsOf = async (config: Config) => (await drain(own.list(config))).map(({ checkpoint }) => checkpoint.id);
		expect(await idsOf({ configurable: {} })).toEqual(ids);
		expect(await idsOf({ configurable: { checkpoint_ns: "child" } })).toEqual(
			ids.filter((_, index) => index % 2 === 0),
		);
		expect(await idsOf({ configurable: { checkpoint_id: ids[3] } })).toEqual([ids[3]]);
	});
});

describe("keys", () => {
	const longest = `${"汉".repeat(85)}a`;

	it("of the longest permitted length and of any characters are taken", async () => {
		const keys = { thread_id: longest, checkpoint_ns: `${"n".repeat(1_020)}|'"\\`, checkpoint_id: "i".repeat(256) };
		const checkpoint = newCheckpoint({ ["c".repeat(1_024)]: 1, __proto__x: 2 }, keys.checkpoint_id);
		const config = await saver.put(
			{ configurable: { thread_id: keys.thread_id, checkpoint_ns: keys.checkpoint_ns } },
			checkpoint,
			{ source: "loop", step: 0, parents: {} },
			checkpoint.channel_versions,
		);
		expect(config).toEqual({ configurable: keys });
		await saver.putWrites(config, [["c".repeat(1_024), 1]], "t".repeat(256), "p".repeat(1_024));
		expect((await saver.getTuple(config))?.checkpoint).toEqual(checkpoint);
	});

	it.each([
		["thread_id", { thread_id: `${longest}a` }],
		["thread_id", { thread_id: "" }],
		["thread_id", { thread_id: 7 }],
		["thread_id", { thread_id: null }],
		["thread_id", { thread_id: "a\u0000" }],
		["checkpointNs", { checkpoint_ns: "n".repeat(1_025) }],
		["checkpointNs", { checkpoint_ns: "\ud83c" }],
		["checkpoint_ns", { checkpoint_ns: 1 }],
		["checkpoint_id", { checkpoint_id: "i".repeat(257) }],
		["checkpoint_id", { checkpoint_id: "i\u0000" }],
	])("with a bad %s are refused by name (%#)", async (name, keys) => {
		const config = { configurable: { thread_id: "t", checkpoint_ns: "", checkpoint_id: "i", ...keys } } as Config;
		const calls: (() => Promise<unknown>)[] = [
			() => put(config),
			() => saver.getTuple(config),
			() => saver.putWrites(config, [["log", 1]], "task"),
			() => drain(saver.list(config)),
			() => saver.getDeltaChannelHistory({ config, channels: ["a"] }),
		];
		for (const call of calls) {
			expect(await failure(call())).toMatchObject({ code: "BadRequest", message: expect.stringMatching(name) });
		}
	});

	it.each([
		["channel", "a\u0000", "task", ""],
		["channel", "c".repeat(1_025), "task", ""],
		["taskId", "log", "", ""],
		["taskPath", "log", "task", "p\u0000"],
	])("of writes with a bad %s are refused by name", async (name, channel, task, path) => {
		const call = saver.putWrites(await put(newThread()), [[channel, 1]], task, path);
		expect(await failure(call)).toMatchObject({ code: "BadRequest", message: expect.stringMatching(name) });
	});

	it("that are missing mean nothing found, or a refusal to write", async () => {
		expect(await saver.getTuple({})).toBeUndefined();
		expect(await saver.getDeltaChannelHistory({ config: {}, channels: ["a"] })).toEqual({ a: { writes: [] } });
		expect((await failure(put({}))).message).toMatch(/thread_id: is required/);
		expect((await failure(saver.putWrites(newThread(), [["a", 1]], "t"))).message).toMatch(/checkpoint_id/);
		expect((await failure(saver.deleteThread(""))).message).toMatch(/threadId/);
		expect((await failure(saver.pruneThread("t", { keep: 0 }))).message).toMatch(/keep/);
		expect((await failure(saver.pruneThread("t", {} as never))).message).toMatch(/keep/);
	});
});

describe("versions", () => {
	it("are unique, of digits and one dot, and sort after integers as strings and as numbers", () => {
		const next = (current?: number | string) => saver.getNextVersion(current as number) as unknown as string;
		let version = next();
		for (const integer of [0, 1, 9, 10, 95, 998, 2 ** 31, 1e15]) {
			expect(version > (integer as unknown as string)).toBe(true);
			expect(version.localeCompare(String(integer))).toBe(1);
			expect(next(integer) > version || integer < 2).toBe(true);
		}
		for (let count = 0; count < 1_100; count++) {
			const following = next(version);
			expect(following > version && following.localeCompare(version) === 1).toBe(true);
			version = following;
		}
		expect(version).toMatch(/^\d+\.\d+$/);
		expect(new Set(Array.from({ length: 1_000 }, () => next(version))).size).toBe(1_000);
		expect(next("00000000000000000000000000000007.0.5") > next(6)).toBe(true);
	});
});

describe("deleteThread", () => {
	it("removes everything of the thread in all namespaces and nothing else", async () => {
		const [thread, other] = [newThread(), newThread()];
		const id = thread.configurable?.["thread_id"] as string;
		for (const config of [thread, { configurable: { thread_id: id, checkpoint_ns: "child" } }, other]) {
			await saver.putWrites(await put(config, { a: 1 }), [["log", 1]], "task");
		}
		await saver.deleteThread(id);
		expect(await countRows(id)).toEqual([0, 0, 0, 0]);
		expect(await countRows(other.configurable?.["thread_id"])).toEqual([1, 1, 1, 0]);
		await saver.deleteThread(id);
	});

	it("lets a late write begin the thread anew, without the old state", async () => {
		const thread = newThread();
		const old = await put(thread, { a: 1 });
		await saver.deleteThread(thread.configurable?.["thread_id"] as string);
		await saver.putWrites(old, [["log", 1]], "task");
		expect(await saver.getTuple(thread)).toBeUndefined();
		const late = newCheckpoint({ a: 2 });
		await saver.put(old, late, { source: "loop", step: 1, parents: {} }, late.channel_versions);
		expect((await saver.getTuple(thread))?.checkpoint.channel_values).toEqual({ a: 2 });
	});
});

describe("beside the Store", () => {
	it("shows no conversation and no message, and is not cleared with them", async () => {
		const project = await gateway.createProject();
		const own = createCheckpointer(null, { store: project.store });
		const config = await own.put(
			{ configurable: { thread_id: "shared-id" } },
			emptyCheckpoint(),
			{ source: "input", step: -1, parents: {} },
			{},
		);
		expect((await project.store.listConversations()).items).toEqual([]);
		expect((await project.store.listMessages({ conversationId: "shared-id" })).items).toEqual([]);
		await project.store.appendMessage({ conversationId: "shared-id", payload: 1 });
		await project.store.clearMessages({ conversationId: "shared-id" });
		await project.store.deleteConversation({ conversationId: "shared-id" });
		expect(await own.getTuple(config)).toBeDefined();
	});

	it("keeps projects apart in every operation (ISO-2)", async () => {
		const config = await put(newThread(), { a: 1 }, { user: "x" });
		await saver.putWrites(config, [["a", 2]], "task");
		const before = await saver.getTuple(config);
		const child = await put(config, {});
		const stranger = createCheckpointer(null, { store: (await gateway.createProject()).store });
		const threadId = config.configurable?.["thread_id"] as string;
		expect(await stranger.getTuple(config)).toBeUndefined();
		expect(await drain(stranger.list({}))).toEqual([]);
		expect(await stranger.getDeltaChannelHistory({ config: child, channels: ["a"] })).toEqual({ a: { writes: [] } });
		const theirs = newCheckpoint({ a: "theirs" }, config.configurable?.["checkpoint_id"] as string);
		await stranger.put({ configurable: { thread_id: threadId } }, theirs, { source: "loop", step: 5, parents: {} }, {});
		await stranger.putWrites(config, [["a", "theirs"]], "task");
		await stranger.pruneThread(threadId, { keep: 1 });
		await stranger.deleteThread(threadId);
		expect(await saver.getTuple(config)).toEqual(before);
		expect(await saver.getTuple(child)).toBeDefined();
	});

	it("refuses a cursor of another list", async () => {
		const thread = newThread();
		for (let index = 0, config = thread; index < 2; index++) config = await put(config);
		const list = (args: string) =>
			gateway.post({ query: `{ checkpoints(first: 1, ${args}) { pageInfo { endCursor } nodes { checkpointId } } }` });
		const id = JSON.stringify(thread.configurable?.["thread_id"]);
		const { data } = (await (await list(`threadId: ${id}`)).json()) as {
			data: { checkpoints: { pageInfo: { endCursor: string } } };
		};
		const after = `after: ${JSON.stringify(data.checkpoints.pageInfo.endCursor)}`;
		expect((await list(`threadId: ${id}, ${after}`)).status).toBe(200);
		expect((await list(`threadId: "other", ${after}`)).status).toBe(400);
		expect((await list(`threadId: ${id}, checkpointNs: "", ${after}`)).status).toBe(400);
		expect((await list(`threadId: ${id}, filter: {a: 1}, ${after}`)).status).toBe(400);
	});
});

describe("createCheckpointer", () => {
	it("returns at once, without an identity, and shows no secret", async () => {
		const store = createStore({ url: gateway.url, token: "ags_secret" });
		const made = createCheckpointer(undefined, { store });
		expect(JSON.stringify({ made })).toBe('{"made":"[StoreCheckpointer]"}');
		expect(Object.keys(made)).toEqual(["serde"]);
		expect((await failure(made.getTuple({ configurable: { thread_id: "t" } }))).code).toBe("Unauthorized");
	});

	it.each([
		["serde", [{}, undefined]],
		["unknown argument", [null, { shop: 1 }]],
		["store", [null, { store: {} as Store }]],
		["store", [null, { store: "x" }]],
	])("refuses a bad %s", (message, args) => {
		expect(() => createCheckpointer(...(args as Parameters<typeof createCheckpointer>))).toThrow(message);
	});
});
