import { createHash } from "node:crypto";
import { type Checkpointer, createCheckpointer } from "@iga-pages/agent/store/langgraph";
import { type Checkpoint, emptyCheckpoint, uuid6 } from "@langchain/langgraph-checkpoint";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { sendRaw } from "../support/raw.ts";
import { query } from "../support/sql.ts";

let gateway: TestGateway;
/** Bytes of the bodies that were sent. */
let sent: number[] = [];
let threads = 0;

beforeAll(async () => {
	gateway = await startGateway({
		store: {
			fetch: (url, init) => {
				sent.push(Buffer.byteLength(String(init?.body)));
				return fetch(url, init);
			},
		},
	});
});
afterAll(() => gateway.close());

/** As in a process of its own: it knows nothing of what others sent. */
function newSaver(): Checkpointer {
	return createCheckpointer(null, { store: gateway.store });
}

type Config = Parameters<Checkpointer["getTuple"]>[0];

function newThread(): { id: string; config: Config } {
	const id = `pieces-${++threads}`;
	return { id, config: { configurable: { thread_id: id, checkpoint_ns: "" } } };
}

/** Text that no other text has anything in common with. */
function text(bytes: number): string {
	let all = "";
	while (all.length < bytes) all += createHash("sha256").update(`${all.length} ${Math.random()}`).digest("hex");
	return all.slice(0, bytes);
}

function messages(count: number, bytes = 1_000): { text: string }[] {
	return Array.from({ length: count }, () => ({ text: text(bytes) }));
}

/** Puts a checkpoint after another in which one channel has a new value. */
async function putList(saver: Checkpointer, config: Config, list: unknown): Promise<Config> {
	const version = saver.getNextVersion(undefined);
	const checkpoint: Checkpoint = {
		...emptyCheckpoint(),
		id: uuid6(0),
		channel_values: { list },
		channel_versions: { list: version },
	};
	return saver.put(config, checkpoint, { source: "loop", step: 0, parents: {} }, { list: version });
}

async function readList(config: Config): Promise<unknown> {
	return (await newSaver().getTuple(config))?.checkpoint.channel_values["list"];
}

interface Stored {
	/** How each version is stored. */
	encodings: string[];
	pieces: number;
	bytes: number;
	/** Pieces that no value has. */
	unused: number;
}

async function stored(threadId: string): Promise<Stored> {
	const [row] = await query<Stored>(
		gateway,
		`SELECT ARRAY(SELECT encoding FROM checkpoint_blobs WHERE project_id = $1 AND thread_id = $2 ORDER BY version) AS encodings,
			count(*)::int AS pieces, coalesce(sum(octet_length(data)), 0)::int AS bytes,
			count(*) FILTER (WHERE name <> ALL (ARRAY(
				SELECT unnest(pieces) FROM checkpoint_blobs WHERE project_id = $1 AND thread_id = $2
			)))::int AS unused
		FROM checkpoint_pieces WHERE project_id = $1 AND thread_id = $2`,
		[gateway.projectId, threadId],
	);
	return row!;
}

const VALUE = { type: "json", data: Buffer.from("1]").toString("base64") };
const PIECE = Buffer.from("[1,").toString("base64");
const NAME = `3-${createHash("sha256").update("[1,").digest("base64")}`;

/** Puts a checkpoint of one channel as no SDK would. */
function put(threadId: string, value: object, fields: object = {}) {
	return sendRaw(gateway, {
		query: "mutation ($input: PutCheckpointInput!) { putCheckpoint(input: $input) { checkpointId } }",
		variables: {
			input: {
				threadId,
				checkpointId: "1",
				format: 4,
				checkpoint: VALUE,
				metadata: VALUE,
				channelVersions: [{ channel: "list", version: "1" }],
				values: [{ channel: "list", version: "1", value: VALUE, ...value }],
				...fields,
			},
		},
	});
}

/** A transaction beside the gateway's. */
async function beginOther(): Promise<(text: string, values?: unknown[]) => Promise<unknown>> {
	const client = new pg.Client(gateway.databaseUrl);
	await client.connect();
	onTestFinished(() => client.end());
	await client.query("BEGIN");
	return (text, values = []) => client.query(text, values);
}

/** Resolves once a statement about checkpoints waits for a lock. */
async function someoneWaits(): Promise<void> {
	await vi.waitUntil(async () => {
		const [row] = await query<{ waits: boolean }>(
			gateway,
			`SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
				AND query LIKE '%checkpoint_%') AS waits`,
		);
		return row!.waits;
	}, 10_000);
}

describe("a list that grows", () => {
	it("is sent and stored once, however many versions have it, and every version reads back", async () => {
		const { id, config } = newThread();
		const saver = newSaver();
		const list = messages(40);
		const configs = [await putList(saver, config, list)];
		await putList(saver, configs[0]!, [...list, ...messages(1)]);
		const lists = Array.from({ length: 20 }, (_, n) => [...list, ...messages(n + 1)]);
		sent = [];
		for (const each of lists) configs.push(await putList(saver, configs.at(-1)!, each));
		expect(Math.max(...sent)).toBeLessThan(40_000);
		for (const [index, each] of lists.entries()) expect(await readList(configs[index + 1]!)).toEqual(each);
		const { encodings, bytes, unused } = await stored(id);
		expect(encodings).toEqual(Array(22).fill(expect.stringMatching(/^(gzip|pieces)$/)));
		expect(encodings.filter((encoding) => encoding === "pieces").length).toBe(21);
		expect(bytes).toBeLessThan(40 * 1_100 + 210 * 1_100 + 22 * 4_000);
		expect(unused).toBe(0);
		const all: unknown[] = [];
		for await (const { checkpoint } of newSaver().list(config)) all.push(checkpoint.channel_values["list"]);
		expect(all.slice(0, 20)).toEqual(lists.toReversed());
	});

	it("is sent in part by a process that has only read it", async () => {
		const { config } = newThread();
		const list = messages(40);
		const first = newSaver();
		let last = await putList(first, config, list);
		for (let n = 0; n < 3; n++) {
			const saver = newSaver();
			expect((await saver.getTuple(config))?.checkpoint.channel_values["list"]).toEqual(list);
			list.push(...messages(1));
			sent = [];
			last = await putList(saver, last, list);
			// The first version is stored whole; the second one brings the pieces.
			if (n > 0) expect(sent).toEqual([expect.toSatisfy((bytes: number) => bytes < 15_000)]);
		}
		expect(await readList(last)).toEqual(list);
	});

	it("shows what was changed in place, wherever that is", async () => {
		const { config } = newThread();
		const saver = newSaver();
		const list = messages(30);
		let last = await putList(saver, config, list);
		for (const index of [29, 15, 0]) {
			list[index]!.text = text(1_000);
			last = await putList(saver, last, list);
			expect(await readList(last)).toEqual(list);
		}
		list.splice(10, 5);
		expect(await readList(await putList(saver, last, list))).toEqual(list);
	});

	it("branches, and goes on from both", async () => {
		const { config } = newThread();
		const saver = newSaver();
		const list = messages(20);
		const root = await putList(saver, await putList(saver, config, list), [...list, "root"]);
		const [left, right] = [
			[...list, ...messages(9)],
			[...list, ...messages(9)],
		];
		const ends = [await putList(saver, root, left), await putList(saver, root, right)];
		expect([await readList(ends[0]!), await readList(ends[1]!)]).toEqual([left, right]);
	});
});

it("a value that changes altogether is stored whole and compressed", async () => {
	const { id, config } = newThread();
	const saver = newSaver();
	let last = config;
	for (let n = 0; n < 3; n++) last = await putList(saver, last, messages(20));
	expect(await stored(id)).toMatchObject({ encodings: ["gzip", "gzip", "gzip"], pieces: 0 });
});

it("bytes that the application changes while they are sent are stored as they were", async () => {
	const { config } = newThread();
	const saver = newSaver();
	const bytes = new Uint8Array(Buffer.from(text(20_000)));
	let last = await putList(saver, config, bytes);
	for (let n = 0; n < 3; n++) {
		const before = bytes.slice();
		const putting = putList(saver, last, bytes);
		// Once it is serialised, and before it is packed.
		for (let turn = 0; turn < 4; turn++) await Promise.resolve();
		bytes.fill(n, 12_000);
		last = await putting;
		expect(await readList(last)).toEqual(before);
	}
});

describe("what is removed behind a process's back", () => {
	const removals: [string, (id: string) => Promise<unknown>][] = [
		["a deleted thread", (id) => newSaver().deleteThread(id)],
		["a pruned thread", (id) => newSaver().pruneThread(id, { keep: 1 })],
		[
			"a base that is gone",
			(id) =>
				query(gateway, "DELETE FROM checkpoint_blobs WHERE project_id = $1 AND thread_id = $2", [
					gateway.projectId,
					id,
				]),
		],
	];

	it.each(removals)("is sent again: %s", async (_name, remove) => {
		const { id, config } = newThread();
		const saver = newSaver();
		const list = messages(20);
		let last = config;
		for (let n = 0; n < 3; n++) last = await putList(saver, last, [...list, n]);
		const side = await putList(newSaver(), last, [...list, "newer"]);
		await remove(id);
		const after = await putList(saver, side, [...list, ...messages(2)]);
		const expected = (await newSaver().getTuple(after))?.checkpoint.channel_values["list"] as unknown[];
		expect(expected).toHaveLength(22);
		expect(expected.slice(0, 20)).toEqual(list);
	});

	it("takes its pieces along", async () => {
		const { id, config } = newThread();
		const saver = newSaver();
		let last = config;
		const list = messages(20);
		for (let n = 0; n < 6; n++) {
			list[n] = messages(1)[0]!;
			last = await putList(saver, last, list);
		}
		const before = await stored(id);
		await saver.pruneThread(id, { keep: 1 });
		const pruned = await stored(id);
		expect(pruned.unused).toBe(0);
		expect(pruned.pieces).toBeLessThan(before.pieces);
		expect(await readList(last)).toEqual(list);
		await saver.deleteThread(id);
		expect(await stored(id)).toEqual({ encodings: [], pieces: 0, bytes: 0, unused: 0 });
	});

	it("waits for a checkpoint that borrows from it, or is waited for", async () => {
		const { id, config } = newThread();
		const saver = newSaver();
		const list = messages(20);
		const last = await putList(saver, await putList(saver, config, list), [...list, 1]);
		const other = await beginOther();
		await other("DELETE FROM checkpoint_blobs WHERE project_id = $1 AND thread_id = $2", [gateway.projectId, id]);
		const putting = putList(saver, last, [...list, 2]);
		await someoneWaits();
		await other("DELETE FROM checkpoint_pieces WHERE project_id = $1 AND thread_id = $2", [gateway.projectId, id]);
		await other("COMMIT");
		expect(await readList(await putting)).toEqual([...list, 2]);
	});

	it("is stored again where it is sent while it is removed", async () => {
		const { id } = newThread();
		await put(id, { pieces: [NAME] }, { pieces: [PIECE] });
		const other = await beginOther();
		await other("DELETE FROM checkpoint_blobs WHERE project_id = $1 AND thread_id = $2", [gateway.projectId, id]);
		await other("SELECT FROM checkpoint_pieces WHERE project_id = $1 AND thread_id = $2 FOR UPDATE", [
			gateway.projectId,
			id,
		]);
		const putting = put(id, { version: "2", pieces: [NAME] }, { pieces: [PIECE] });
		await someoneWaits();
		await other("DELETE FROM checkpoint_pieces WHERE project_id = $1 AND thread_id = $2", [gateway.projectId, id]);
		await other("COMMIT");
		expect((await putting).status).toBe(200);
		expect(await stored(id)).toMatchObject({ encodings: ["pieces"], pieces: 1, unused: 0 });
	});

	it("stays where it is sent again while its removal waits", async () => {
		const { id } = newThread();
		await put(id, { pieces: [NAME] }, { pieces: [PIECE] });
		await query(gateway, "DELETE FROM checkpoint_blobs WHERE project_id = $1 AND thread_id = $2", [
			gateway.projectId,
			id,
		]);
		const other = await beginOther();
		await other("SELECT FROM checkpoint_pieces WHERE project_id = $1 AND thread_id = $2 FOR NO KEY UPDATE", [
			gateway.projectId,
			id,
		]);
		const pruning = newSaver().pruneThread(id, { keep: 1 });
		await someoneWaits();
		await other(
			`INSERT INTO checkpoint_blobs (project_id, thread_id, checkpoint_ns, channel, version, type, encoding, data, pieces, bytes)
			VALUES ($1, $2, '', 'list', '2', 'json', 'pieces', '', ARRAY[$3], 3)`,
			[gateway.projectId, id, NAME],
		);
		await other("COMMIT");
		await pruning;
		expect(await stored(id)).toMatchObject({ encodings: ["pieces"], pieces: 1, unused: 0 });
	});

	it("never takes what a checkpoint at the same time has", async () => {
		const { id, config } = newThread();
		const list = messages(15);
		let running = true;
		const prune = async () => {
			while (running) await newSaver().pruneThread(id, { keep: 1 });
		};
		const grow = async (saver: Checkpointer) => {
			let last = config;
			for (let n = 0; n < 25; n++) {
				const value = [...list.slice(n % 5), `${n}`];
				last = await putList(saver, last, value);
				// Pruned meanwhile, or whole.
				const found = await readList(last);
				if (found !== undefined) expect(found).toEqual(value);
			}
		};
		const pruning = [prune(), prune()];
		await Promise.all([grow(newSaver()), grow(newSaver())]).finally(() => {
			running = false;
		});
		await Promise.all(pruning);
		for await (const { checkpoint } of newSaver().list(config)) {
			expect((checkpoint.channel_values["list"] as unknown[]).length).toBeGreaterThan(10);
		}
		await newSaver().pruneThread(id, { keep: 1 });
		expect((await stored(id)).unused).toBe(0);
	});
});

describe("in GraphQL", () => {
	it("a value is its pieces and then its data", async () => {
		const { id, config } = newThread();
		expect(await put(id, { pieces: [NAME] }, { pieces: [PIECE, PIECE, VALUE.data] })).toMatchObject({ status: 200 });
		const [row] = await query(gateway, "SELECT data, bytes FROM checkpoint_blobs WHERE thread_id = $1", [id]);
		expect(row).toEqual({ data: Buffer.from("1]"), bytes: 5 });
		expect((await stored(id)).pieces).toBe(1);
		const answer = await sendRaw(gateway, {
			query: "query ($id: String!) { checkpoint(threadId: $id) { values { value { type encoding data } } } }",
			variables: { id: config.configurable?.["thread_id"] },
		});
		const data = Buffer.from("[1,1]").toString("base64");
		expect(answer.data).toEqual({ checkpoint: { values: [{ value: { type: "json", encoding: "IDENTITY", data } }] } });
	});

	it("is refused, and nothing of it stored, where the base lacks a piece", async () => {
		const { id } = newThread();
		const taskWrites = [{ checkpointId: "0", taskId: "t", writes: [{ idx: 0, channel: "list", value: VALUE }] }];
		const answer = await put(id, { pieces: [NAME], base: "1" }, { pieces: [VALUE.data], taskWrites });
		expect(answer).toMatchObject({ status: 409, errors: [{ extensions: { code: "Conflict" } }] });
		for (const table of ["checkpoints", "checkpoint_blobs", "checkpoint_pieces", "checkpoint_writes"]) {
			expect(await query(gateway, `SELECT FROM ${table} WHERE thread_id = $1`, [id])).toHaveLength(0);
		}
	});

	it.each([
		["pieces that are neither sent nor lent", { pieces: [NAME] }, {}, "input.values[0].pieces: "],
		["a name of another form", { pieces: ["1-abc"] }, {}, "input.values[0].pieces[0]: "],
		[
			"a name that promises more than it has",
			{ pieces: [`4${NAME.slice(1)}`] },
			{ pieces: [PIECE] },
			"input.values[0].pieces: ",
		],
		["pieces that are no base64", { pieces: [NAME] }, { pieces: ["?"] }, "input.pieces[0]: "],
		[
			"compressed data behind pieces",
			{ pieces: [NAME], value: { ...VALUE, encoding: "GZIP" } },
			{ pieces: [PIECE] },
			"input.values[0].value.encoding: ",
		],
	])("refuses %s", async (_name, value, fields, message) => {
		const answer = await put(newThread().id, value, fields);
		expect(answer.status).toBe(400);
		expect(answer.errors[0]?.message.startsWith(message)).toBe(true);
	});

	it("refuses a value whose pieces come to more than 16 MiB", async () => {
		const large = `9999999${NAME.slice(1)}`;
		const answer = await put(newThread().id, { pieces: [large, large], base: "1" });
		expect(answer).toMatchObject({ status: 413, errors: [{ extensions: { code: "PayloadTooLarge" } }] });
	});

	it("ends a page by the size of whole values", async () => {
		const small = await startGateway({ limits: { pageBytes: 60_000 } });
		onTestFinished(() => small.close());
		const saver = createCheckpointer(null, { store: small.store });
		const config = { configurable: { thread_id: "paged", checkpoint_ns: "" } };
		let last: Config = config;
		const list = messages(20);
		for (let n = 0; n < 6; n++) last = await putList(saver, last, [...list, n]);
		const answer = await sendRaw(small, { query: '{ checkpoints(threadId: "paged") { nodes { checkpointId } } }' });
		expect(answer.data).toEqual({ checkpoints: { nodes: [expect.anything(), expect.anything()] } });
		const all: unknown[] = [];
		for await (const { checkpoint } of saver.list(config)) all.push(checkpoint.channel_values["list"]);
		expect(all).toEqual([5, 4, 3, 2, 1, 0].map((n) => [...list, n]));
	});
});
