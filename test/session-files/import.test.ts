import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openInput } from "../../server/commands/import-input.ts";
import { importLines } from "../../server/commands/import-lines.ts";
import type { JsonObject } from "../../server/domain/json.ts";
import { DEFAULT_LIMITS } from "../../server/domain/limits.ts";
import { importArchive } from "../../server/store/archives.ts";
import { temporaryFolder } from "../support/folder.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { rowVersions } from "../support/sql.ts";
import { goFiles, piFiles } from "./arbitrary.ts";
import { allMessages, createWorkplace, entryIdOf, fileWith, type Workplace } from "./commands.ts";
import { fileOf } from "./conversion.ts";
import { meaningOf } from "./reference.ts";

const FILE = new URL("../../../shared/data/agent-session.jsonl", import.meta.url);
const found = existsSync(FILE);
if (!found) console.warn("SKIPPED: the real agent session, since agent-session.jsonl is missing");

let gateway: TestGateway;
let place: Workplace;

beforeAll(async () => {
	gateway = await startGateway();
});
beforeEach(async () => {
	place = await createWorkplace(gateway);
});
afterAll(() => gateway.close());

const parse = (lines: readonly string[]) => lines.map((line) => JSON.parse(line) as JsonObject);

const header = { type: "session", version: 3, id: "s", timestamp: "2026-01-01T00:00:00.000Z", cwd: "/w" };
const entry = (id: string, parentId: string | null) => ({
	...{ type: "message", id, parentId, timestamp: "2026-01-01T00:00:00.000Z" },
	message: { role: "user", content: id },
});

describe.skipIf(!found)("a real session of pi", () => {
	const conversationId = "ffae836b-9420-4060-ac13-7745215f90ff";

	/** The lines as version 1 means them: each hangs on the one before, and places of lines are ids. */
	async function asTree(): Promise<JsonObject[]> {
		const lines = parse((await readFile(FILE, "utf8")).trimEnd().split("\n"));
		const idOf = (index: number) => (index + 1).toString(16).padStart(8, "0");
		return lines.map(({ firstKeptEntryIndex, ...line }, index) => {
			if (index === 0) return line;
			const kept = firstKeptEntryIndex === undefined ? {} : { firstKeptEntryId: idOf(firstKeptEntryIndex as number) };
			return { ...line, ...kept, id: idOf(index), parentId: index === 1 ? null : idOf(index - 1) };
		});
	}

	it("is imported whole, once, with the context that its tool builds, and comes back equal as a tree", async () => {
		const file = await fileWith(await readFile(FILE));
		expect(await place.import(file)).toEqual({ stdout: "1 imported, 0 already there, 0 refused\n", stderr: "" });
		const { sessions } = place;
		expect(await sessions.getStats({ conversationId })).toMatchObject({
			...{ messageCount: 990, compactionCount: 2, branchCount: 1, leafCount: 1, maxDepth: 1001 },
		});
		const messages = await allMessages(place, conversationId);
		const types = (type: string) => messages.filter((message) => message.type === type).length;
		expect([types("model_change"), types("thinking_level_change")]).toEqual([5, 5]);
		expect(await sessions.getConfig({ conversationId })).toEqual({ model: "claude-opus-4-5" });

		const lines = await asTree();
		const said = (lines: readonly JsonObject[]) =>
			lines.flatMap(({ message }) => (message === undefined ? [] : [message]));
		// As text, so that the order of keys counts, too.
		expect(messages.filter(({ kind }) => kind === "message").map(({ payload }) => JSON.stringify(payload))).toEqual(
			said(lines).map((message) => JSON.stringify(message)),
		);
		const expected = meaningOf(lines);
		const context = await sessions.getContext({ conversationId });
		expect(context.map(entryIdOf)).toEqual(expected.context);
		expect(context[0]).toMatchObject({ kind: "compaction", payload: { summary: lines[628]!["summary"] } });

		const before = await rowVersions(gateway, place.projectId);
		expect((await place.import(file)).stdout).toBe("0 imported, 1 already there, 0 refused\n");
		expect(await rowVersions(gateway, place.projectId)).toEqual(before);

		expect(meaningOf(parse(await place.export(conversationId, "pi")))).toEqual(expected);
		const { rows, leaf, context: kept } = meaningOf(parse(await place.export(conversationId, "go")));
		const shape = (all: typeof rows) => all.map(({ says: _, ...row }) => row);
		expect([shape(rows), leaf, kept]).toEqual([shape(expected.rows), expected.leaf, expected.context]);
	}, 120_000);
});

describe("any tree of a session file", () => {
	/** Imports lines into a conversation, as the command does. */
	async function importFile(lines: readonly JsonObject[], conversationId: string): Promise<void> {
		const input = await openInput(await fileWith(fileOf(lines)), undefined, DEFAULT_LIMITS);
		const context = {
			...{ conversationId, projectKey: undefined, asConversation: false, skipBadLines: false },
			...{ limits: DEFAULT_LIMITS, onRead: () => {}, report: () => {} },
		};
		const scope = { db: gateway.db, identity: { projectId: place.projectId }, limits: DEFAULT_LIMITS };
		await importArchive(scope, importLines(input, context), ({ outcome, refusal }) => {
			expect([outcome, refusal]).toEqual(["imported", null]);
		});
	}

	it.each([
		["pi", piFiles],
		["Go", goFiles],
	])(
		"has its parents, labels, name and leaf here, and the context that its tool builds: %s",
		async (name, files) => {
			const { sessions, store } = place;
			let trees = 0;
			await fc.assert(
				fc.asyncProperty(files, async (lines) => {
					fc.pre(lines.length > 1);
					const conversationId = `${name}-${++trees}`;
					await importFile(lines, conversationId);
					const expected = meaningOf(lines);
					const messages = new Map(
						(await allMessages(place, conversationId)).map((message) => [message.messageId, message]),
					);
					const idOf = (messageId: string | null) => (messageId === null ? null : entryIdOf(messages.get(messageId)!));
					const { items } = await sessions.getTree({ conversationId, limit: 200 });
					expect(items.map(({ messageId, parentMessageId }) => [idOf(messageId), idOf(parentMessageId)])).toEqual(
						expected.rows.map(({ id, parent }) => [id, parent]),
					);
					const labelled = (await sessions.listLabels({ conversationId })).map((message) => [
						entryIdOf(message),
						message.label,
					]);
					expect(Object.fromEntries(labelled.sort())).toEqual(expected.labels);
					expect((await store.getConversation({ conversationId }))?.metadata["title"] ?? null).toBe(expected.name);
					const active = (await sessions.listBranches({ conversationId })).find(({ active }) => active);
					expect(idOf(active?.leafMessageId ?? null)).toBe(expected.leaf);
					expect((await sessions.getContext({ conversationId })).map(entryIdOf)).toEqual(expected.context);
				}),
				{ numRuns: 15 },
			);
			expect(trees).toBeGreaterThan(10);
		},
		120_000,
	);
});

describe("the import of a damaged file", () => {
	it("keeps what stands before a line that was cut, and says so", async () => {
		const file = await fileWith(`${fileOf([header, entry("a", null), entry("b", "a")])}{"type":"mess`);
		const { stdout, stderr } = await place.import(file);
		expect(stdout).toBe("1 imported, 0 already there, 0 refused\n");
		expect(stderr).toBe("line 4: is cut off; everything before it is imported\n");
		expect(await allMessages(place, "s")).toHaveLength(2);
	});

	it("refuses a bad line by its number and stores nothing; or leaves it out if told to", async () => {
		const file = await fileWith(fileOf([header, entry("a", null), "{", entry("b", "lost")]));
		const refused = await place.run(["import", file]);
		expect(refused).toMatchObject({ code: 1, stdout: "0 imported, 0 already there, 1 refused\n" });
		expect(refused.stderr).toMatch(/^line 3: must be JSON\nagent-gateway: Nothing was kept/);
		expect(await place.store.getConversation({ conversationId: "s" })).toBeNull();
		const { stderr } = await place.import(file, ["--skip-bad-lines"]);
		expect(stderr).toBe(
			'line 3: must be JSON; it is left out\nline 4: its parent "lost" is no entry above it; it follows line 2 instead\n',
		);
		expect((await allMessages(place, "s")).map(entryIdOf)).toEqual(["a", "b"]);
	});

	it.each([
		["an empty file", "", /^agent-gateway: There is nothing to import: neither an archive with its header/],
		["a newer version", fileOf([{ ...header, version: 5 }]), /line 1: version is 5, and files of the Go family/],
	])("refuses %s", async (_what, text, message) => {
		const { code, stderr } = await place.run(["import", await fileWith(text), "--skip-bad-lines"]);
		expect([code, stderr]).toEqual([1, expect.stringMatching(message)]);
	});

	it("refuses what is no file, and files of a directory at once", async () => {
		const folder = await temporaryFolder();
		const missing = await place.run(["import", `${folder}/missing.jsonl`]);
		expect(missing).toMatchObject({ code: 1, stderr: expect.stringContaining("missing.jsonl (ENOENT") });
		const directory = await place.run(["import", folder, "--format", "pi"]);
		expect(directory).toMatchObject({ code: 1, stderr: expect.stringContaining("is a directory") });
		const format = await place.run(["import", folder, "--format", "tape"]);
		expect(format).toMatchObject({ code: 2, stderr: expect.stringContaining("--format must be one of agent-store") });
	});
});

describe("the import of a session file", () => {
	it("comes by standard input, too, under an id of its own, and leaves no file behind", async () => {
		const left = async () => (await readdir("/tmp")).filter((name) => name.startsWith("agent-gateway-import-"));
		const before = await left();
		const text = fileOf([
			header,
			entry("a", null),
			{ ...entry("l", "a"), type: "label", targetId: "a", label: "here" },
		]);
		const { code, stdout } = await place.run(["import", "-", "--conversation", "mine"], text);
		expect([code, stdout]).toEqual([0, "1 imported, 0 already there, 0 refused\n"]);
		expect(await left()).toEqual(before);
		expect((await place.sessions.listLabels({ conversationId: "mine" })).map(({ label }) => label)).toEqual(["here"]);
		const again = await place.import(await fileWith(text), ["--conversation", "mine"]);
		expect(again.stdout).toBe("0 imported, 1 already there, 0 refused\n");
	});

	it("goes on as any conversation does, and what was said since is exported, too", async () => {
		await place.import(await fileWith(fileOf([header, entry("a", null), entry("b", "a")])));
		const [first] = await allMessages(place, "s");
		await place.sessions.branch({ conversationId: "s", messageId: first!.messageId });
		const added = await place.store.appendMessage({ conversationId: "s", role: "user", payload: { text: "c" } });
		await place.store.updateConversation({ conversationId: "s", metadata: { title: "A name" } });
		const { rows, name, leaf } = meaningOf(parse(await place.export("s", "pi")));
		expect(rows.map(({ id, parent }) => [id, parent])).toEqual([
			["a", null],
			["b", "a"],
			[added.messageId, "a"],
		]);
		expect([name, leaf]).toEqual(["A name", added.messageId]);
		const again = await place.run(["import", await fileWith(fileOf([header, entry("a", null)]))]);
		expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining("is there already, with other content") });
	});

	it("cannot be asked for a conversation that is not there, or for several at once", async () => {
		const unknown = await place.run(["export", "--format", "pi", "--conversation", "nowhere"]);
		expect(unknown).toMatchObject({
			code: 1,
			stdout: "",
			stderr: 'agent-gateway: There is no conversation "nowhere".\n',
		});
		const several = await place.run(["export", "--format", "go", "--conversation", "a", "--conversation", "b"]);
		expect(several).toMatchObject({ code: 2, stderr: expect.stringContaining("needs one --conversation") });
	});
});
