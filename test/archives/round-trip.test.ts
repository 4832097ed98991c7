import { mkdir, mkdtemp, readdir, readFile, readlink, rm, stat, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Annotation, Command, END, interrupt, START, StateGraph } from "@langchain/langgraph";
import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ArchiveRecord } from "../../server/domain/archives.ts";
import { DEFAULT_LIMITS } from "../../server/domain/limits.ts";
import { exportArchive } from "../../server/store/archives.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { HOSTILE_JSON, reveal } from "../support/hostile-json.ts";
import { query } from "../support/sql.ts";
import { createPlace, digestOf, type Place, recordsOf } from "./places.ts";

let gateway: TestGateway;
let source: Place;
let target: Place;
let folder: string;
let archive: string;

beforeAll(async () => {
	gateway = await startGateway();
	source = await createPlace(gateway);
	target = await createPlace(gateway);
	folder = await mkdtemp(join(tmpdir(), "agent-store-test-"));
	archive = join(folder, "source.jsonl");
});
afterAll(async () => {
	await rm(folder, { recursive: true });
	await gateway.close();
});

const Trip = Annotation.Root({
	log: Annotation<string[]>({ reducer: (left, right) => [...left, ...right], default: () => [] }),
});

/** A graph that asks before its last step. */
function tripGraph(checkpointer: BaseCheckpointSaver) {
	return new StateGraph(Trip)
		.addNode("plan", () => ({ log: ["planned \0 \ud800"] }))
		.addNode("ask", () => ({ log: [`answered ${interrupt("go?")}`] }))
		.addEdge(START, "plan")
		.addEdge("plan", "ask")
		.addEdge("ask", END)
		.compile({ checkpointer });
}

const thread = { configurable: { thread_id: "trip" } };
const session = { projectKey: "-home-app", sessionId: "5a1e0000-0000-4000-8000-000000000000" };
const subagent = { ...session, subpath: "subagents/agent-1" };

async function fill({ store, sessions, states, checkpointer, transcripts, history }: Place): Promise<void> {
	await store.createConversation({ conversationId: "hostile", metadata: { ...HOSTILE_JSON } });
	for (const [name, payload] of Object.entries(HOSTILE_JSON)) {
		await store.appendMessage({ conversationId: "hostile", messageId: name, payload, metadata: { payload } });
	}
	await store.deleteMessage({ messageId: "zero" });

	const conversationId = "tree/../%00 😀";
	for (const n of [1, 2, 3])
		await store.appendMessage({ conversationId, messageId: `a${n}`, role: "user", payload: n });
	await sessions.branch({ conversationId, messageId: "a2" });
	await store.appendMessage({ conversationId, messageId: "b1", role: null, type: "t", payload: ["b", 1] });
	await sessions.appendBranchSummary({ conversationId, messageId: "s1", summary: "went elsewhere", fromBranch: 0 });
	await sessions.compact({ conversationId, messageId: "c1", summary: "short", firstKeptMessageId: "b1", details: [1] });
	await sessions.appendCustom({ conversationId, messageId: "x1", payload: { mark: true } });
	await sessions.branch({ conversationId, messageId: null });
	await store.appendMessage({ conversationId, messageId: "d1", payload: "before the first" });
	await sessions.switchBranch({ conversationId, branch: 1 });
	await sessions.setLabel({ messageId: "a2", label: "the fork" });
	await sessions.setConfig({ conversationId, config: { model: "m", thinking: { effort: "high" }, skills: ["s"] } });
	await store.updateMessage({ messageId: "a1", payload: { changed: "\0" } });
	await sessions.fork({ conversationId, messageId: "c1", newConversationId: "fork" });
	await store.createConversation({ conversationId: "empty" });

	await states.save({ key: "agent", state: { n: 1, nul: "\0" }, version: 3 });
	for (const n of [1, 2, 3]) await states.appendCheckpoint({ key: "agent", state: { n } });
	await states.pruneCheckpoints({ key: "agent", keep: 2 });
	await states.appendCheckpoint({ key: "checkpoints only", state: {} });

	await tripGraph(checkpointer).invoke({ log: ["began"] }, thread);
	const line = (uuid: string, text: string) => ({ type: "user", uuid, text });
	await transcripts.append(session, [line("u1", "a\0b"), { type: "mode", text: "\ud800" }, line("u2", "2")]);
	await transcripts.append(subagent, [line("u1", "the same uuid, elsewhere")]);

	await history("items").addItems([{ role: "user", content: "hello" }]);
	const transaction = { type: "append_items" as const, items: [{ role: "user" as const, content: "once" }] };
	await history("items").applyHistoryTransaction({ operationId: "lasting", transaction });
}

/** Belongs to one place only. */
const OF_A_PLACE = ["project_id", "incarnation", "agent_operation_id", "run_id", "run_expires_at"];

/** Beside those, tables that are no part of an archive: values in pieces are whole there. */
const OF_NO_ARCHIVE = ["projects", "api_tokens", "signing_keys", "revoked_browser_tokens", "checkpoint_pieces"];

/** The rows of every table of a place as text, without what belongs to it only. */
async function rowsOf({ projectId }: Place): Promise<Record<string, string[]>> {
	const columns = await query<{ table: string; columns: string }>(
		gateway,
		`SELECT table_name AS table, string_agg(quote_ident(column_name), ',' ORDER BY ordinal_position) AS columns
		FROM information_schema.columns c
		WHERE table_schema = current_schema() AND table_name <> ALL($2)
			AND column_name <> ALL($1) AND (column_name <> 'operation_id' OR table_name NOT LIKE 'state%')
			AND EXISTS (SELECT FROM information_schema.columns p WHERE p.table_name = c.table_name AND p.column_name = 'project_id')
		GROUP BY table_name ORDER BY table_name`,
		[OF_A_PLACE, OF_NO_ARCHIVE],
	);
	const rows = columns.map(async ({ table, columns: names }) => {
		const found = await query<{ row: string }>(
			gateway,
			`SELECT ROW(${names})::text AS row FROM ${table} WHERE project_id = $1 ORDER BY 1`,
			[projectId],
		);
		return [table, found.map(({ row }) => row)] as const;
	});
	return Object.fromEntries(await Promise.all(rows));
}

/** All that the SDK shows of a place. */
async function seenIn({ store, sessions, states, checkpointer, transcripts, history }: Place) {
	const conversations = [];
	for (const conversation of (await store.listConversations({ limit: 200 })).items) {
		const { conversationId } = conversation;
		const branches = await sessions.listBranches({ conversationId });
		const paths = branches.map(({ branch }) => sessions.listPath({ conversationId, branch, limit: 200 }));
		const contexts = branches.map(({ branch }) => sessions.getContext({ conversationId, branch }));
		conversations.push({
			conversation,
			branches,
			paths: (await Promise.all(paths)).map(({ items }) => items),
			contexts: await Promise.all(contexts),
			messages: (await store.listMessages({ conversationId, limit: 200 })).items,
			tree: (await sessions.getTree({ conversationId, limit: 200 })).items,
			leaves: await sessions.listLeaves({ conversationId }),
			labels: await sessions.listLabels({ conversationId }),
			stats: await sessions.getStats({ conversationId }),
			config: await sessions.getConfig({ conversationId }),
		});
	}
	const checkpoints = [];
	for await (const tuple of checkpointer.list(thread)) checkpoints.push(tuple);
	return {
		conversations,
		states: [
			await states.load({ key: "agent" }),
			(await states.listCheckpoints({ key: "agent" })).items,
			await states.has({ key: "checkpoints only" }),
			await states.latestCheckpoint({ key: "checkpoints only" }),
		],
		checkpoints,
		state: await tripGraph(checkpointer).getState(thread),
		main: await transcripts.load(session),
		sub: await transcripts.load(subagent),
		subkeys: await transcripts.listSubkeys(session),
		listed: await transcripts.listSessions(session.projectKey),
		items: await history("items").getItems(),
	};
}

describe("an archive of a project", () => {
	it("is restored in another project, as the SDK shows it", async () => {
		await fill(source);
		// What runs of agents and the Claude framework would write.
		await query(
			gateway,
			`WITH summarized AS (
				UPDATE transcripts SET summary = '{"title":"\\u0000"}', summary_mtime = mtime, summary_seq = last_seq
				WHERE project_id = $1
			)
			UPDATE conversations SET run_status = 'interrupted', run_error = 'none',
				run_interrupt = '{"shown":{"reason":"approve","data":["\\u0000"]},"state":{"step":1}}',
				agent_state = '{"__proto__":1e+21}', agent_version = 2, agent_revision = 3
			WHERE project_id = $1 AND conversation_id = 'items'`,
			[source.projectId],
		);
		expect(await source.run("export", ["--output", archive])).toEqual({ code: 0, stdout: "", stderr: "" });
		expect((await stat(archive)).mode & 0o777).toBe(0o600);
		expect(await target.run("import", [archive])).toEqual({
			code: 0,
			stdout: "9 imported, 0 already there, 0 refused\n",
			stderr: "",
		});
		const [before, after] = [await seenIn(source), await seenIn(target)];
		expect(after.conversations).toHaveLength(5);
		expect(after.checkpoints.length).toBeGreaterThan(1);
		expect(reveal(JSON.parse(JSON.stringify(after)))).toBe(reveal(JSON.parse(JSON.stringify(before))));
		expect(after).toEqual(before);
	});

	it("is there row by row, but for what belongs to its place", async () => {
		const rows = await rowsOf(source);
		expect(Object.values(rows).filter((found) => found.length === 0)).toEqual([]);
		expect(Object.keys(rows).length).toBeGreaterThanOrEqual(12);
		expect(await rowsOf(target)).toEqual(rows);
	});

	it("is the same when it is exported there again", async () => {
		const second = join(folder, "target.jsonl");
		await target.run("export", ["--output", second]);
		expect(await digestOf(second)).toBe(await digestOf(archive));
	});

	it("changes nothing when it is imported again", async () => {
		const versions = () =>
			query(gateway, "SELECT xmin::text, ctid::text FROM messages WHERE project_id = $1", [target.projectId]);
		const before = await versions();
		expect(await target.run("import", [archive])).toEqual({
			code: 0,
			stdout: "0 imported, 9 already there, 0 refused\n",
			stderr: "",
		});
		expect(await versions()).toEqual(before);
	});

	it("leaves alone what went on since, and says so", async () => {
		await target.store.appendMessage({ conversationId: "fork", payload: "later" });
		const { code, stdout, stderr } = await target.run("import", ["-"], await readFile(archive, "utf8"));
		expect([code, stdout]).toEqual([1, "0 imported, 8 already there, 1 refused\n"]);
		expect(stderr).toMatch(
			/^line \d+: conversation "fork": is there already, with other content; it was left as it is$/m,
		);
		expect((await target.store.listMessages({ conversationId: "fork", order: "desc", limit: 1 })).items).toMatchObject([
			{ payload: "later" },
		]);
	});
});

describe("an export", () => {
	it("is as of one moment, whatever is written meanwhile", async () => {
		const scope = { db: gateway.db, identity: { projectId: source.projectId }, limits: DEFAULT_LIMITS };
		const records = await exportArchive(scope, {}, async (all) => {
			const read: ArchiveRecord[] = [];
			for await (const record of all) {
				if (read.length === 1) {
					await source.store.appendMessage({ conversationId: "hostile", messageId: "meanwhile", payload: 1 });
					await source.store.deleteConversation({ conversationId: "tree/../%00 😀" });
				}
				read.push(record);
			}
			return read;
		});
		expect(records.map((record) => JSON.stringify(record)).slice(1)).toEqual(
			(await readFile(archive, "utf8")).trimEnd().split("\n").slice(1),
		);
	});

	it("that fails leaves no file, and no part of one", async () => {
		const directory = join(folder, "directory");
		await mkdir(directory);
		const there = await readdir(folder);
		const failed = await source.run("export", ["--output", join(folder, "nowhere", "out.jsonl")]);
		expect(failed).toMatchObject({
			code: 1,
			stderr: expect.stringMatching(/^agent-gateway: Cannot write to .*ENOENT/),
		});
		expect(await source.run("export", ["--output", directory])).toMatchObject({ code: 1 });
		expect(await readdir(folder)).toEqual(there);
	});

	it("takes the place of no device, such as /dev/stdout is", async () => {
		const device = join(folder, "device");
		await symlink("/dev/null", device);
		const failed = await source.run("export", ["--output", device]);
		expect(failed).toMatchObject({ code: 1, stderr: expect.stringContaining("is there and no plain file") });
		expect(await readlink(device)).toBe("/dev/null");
	});
});

describe("what was restored", () => {
	it("goes on: appends take the next seq, threads resume, transcripts grow, clocks do not fall back", async () => {
		const { store, states, checkpointer, transcripts } = target;
		const before = await store.listMessages({ conversationId: "hostile", order: "desc", limit: 1 });
		const message = await store.appendMessage({ conversationId: "hostile", payload: 1 });
		expect(BigInt(message.seq)).toBe(BigInt(before.items[0]!.seq) + 1n);
		expect(await states.appendCheckpoint({ key: "agent", state: {} })).toEqual({ seq: "4" });
		const resumed = await tripGraph(checkpointer).invoke(new Command({ resume: "yes" }), thread);
		expect(resumed.log).toEqual(["began", "planned \0 \ud800", "answered yes"]);
		const [{ mtime } = { mtime: 0 }] = await transcripts.listSessions(session.projectKey);
		await transcripts.append(session, [
			{ type: "user", uuid: "u1" },
			{ type: "user", uuid: "u3" },
		]);
		expect(await transcripts.load(session)).toHaveLength(4);
		expect((await transcripts.listSessions(session.projectKey))[0]!.mtime).toBeGreaterThan(mtime);
	});

	it("refuses the cursors of the place that it came from (MSG-8)", async () => {
		const { nextCursor } = await source.store.listMessages({ conversationId: "hostile", limit: 2 });
		const walk = target.store.listMessages({ conversationId: "hostile", limit: 2, cursor: nextCursor! });
		await expect(walk).rejects.toMatchObject({ code: "BadRequest" });
	});
});

describe("an archive of some conversation ids", () => {
	it("holds all that is stored under them, and nothing else", async () => {
		const { stdout } = await source.run("export", ["--conversation", "fork", "--conversation", "trip"]);
		const records = recordsOf(stdout).filter(({ record }) => record !== "message");
		expect(records.map(({ record }) => record).slice(0, 4)).toEqual(["archive", "conversation", "end", "thread"]);
		expect(records[1]).toMatchObject({ conversationId: "fork", parentMessageId: "c1" });
		const { stdout: other } = await source.run("export", ["--conversation", session.sessionId]);
		const kinds = recordsOf(other).map(({ record }) => record);
		expect(kinds).toEqual(["archive", "transcript", ...Array(4).fill("transcriptEntry"), "end"]);
		const { stdout: nothing } = await source.run("export", ["--conversation", "unknown"]);
		expect(recordsOf(nothing)).toHaveLength(1);
	});
});
