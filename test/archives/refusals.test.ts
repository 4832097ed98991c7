import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { temporaryFolder } from "../support/folder.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { query } from "../support/sql.ts";
import { archiveOf, conversationRecord, createPlace, messageRecord, type Place } from "./places.ts";

let gateway: TestGateway;
let place: Place;

beforeAll(async () => {
	gateway = await startGateway();
	place = await createPlace(gateway);
});
afterAll(() => gateway.close());

/** Imports lines as a file; what is said of each refused one, without what follows all of them. */
async function importing(lines: readonly (string | Buffer)[]) {
	const file = join(await temporaryFolder(), "archive.jsonl");
	await writeFile(file, Buffer.concat(lines.flatMap((line) => [Buffer.from(line as string), Buffer.from("\n")])));
	const { code, stdout, stderr } = await place.run("import", [file]);
	return { code, stdout: stdout.trim(), said: stderr.trim().split("\n").slice(0, -1) };
}

async function storedIds(): Promise<string[]> {
	const sql = "SELECT conversation_id AS id FROM conversations WHERE project_id = $1 ORDER BY 1";
	return (await query<{ id: string }>(gateway, sql, [place.projectId])).map(({ id }) => id);
}

const linesOf = (...items: object[][]) =>
	archiveOf(...items)
		.trimEnd()
		.split("\n");
const good = (id: string) => [conversationRecord(id), messageRecord(1, { messageId: `${id} 1` })];
const other = { messageId: "another" };
const compaction = { kind: "compaction", payload: { summary: "" } };
const branched = { lastBranch: 1, activeBranch: 1 };
const branch = (fields: object) => {
	const createdAt = "2026-11-30T12:00:00.000Z";
	return { record: "branch", branch: 1, parentBranch: 0, forkSeq: "1", createdAt, ...fields };
};

function deep(levels: number): unknown {
	let value: unknown = 1;
	for (let level = 0; level < levels; level++) value = [value];
	return value;
}

/** Records that a conversation may not have, what is said of the last one, and other fields of the conversation. */
const WRONG: [records: object[], message: string, conversation?: object][] = [
	[[messageRecord(2), messageRecord(1, other)], "message: must follow the one before by its key"],
	[[messageRecord(1), messageRecord(1, other)], "message: must follow the one before by its key"],
	[[messageRecord(10)], "message.seq: must be from 1"],
	[[messageRecord(0)], "message.seq: must be from 1"],
	[[messageRecord(1, { seq: "-1" })], "message.seq: must be a seq"],
	[
		[messageRecord(1), messageRecord(2, { messageId: "m-1" })],
		"message: a message with its messageId is there already",
	],
	[[messageRecord(1), messageRecord(2, { createdAt: "2026-11-30T11:00:00.000Z" })], "(VAL-11)"],
	[[messageRecord(1, { updatedAt: "yesterday" })], "message.updatedAt: must be a time"],
	[[messageRecord(1, { createdAt: "0000-12-31T00:00:00.000Z" })], "message.createdAt: must be a time"],
	[[messageRecord(1, { createdAt: "-000001-01-01T00:00:00.000Z" })], "message.createdAt: must be a time"],
	[[messageRecord(1, { updatedAt: "+010000-01-01T00:00:00.000Z" })], "message.updatedAt: must be a time"],
	[[], "conversation.lastSeq: must be at most 9007199254740991", { lastSeq: "9223372036854775807" }],
	[[], "conversation: unknown \\u001b[31mred (VAL-8)", { "\u001b[31mred": 1 }],
	[[messageRecord(1, { messageId: "é".repeat(129) })], "message.messageId: must be at most 256 UTF-8 bytes (VAL-1)"],
	[[messageRecord(1, { role: "\0" })], "message.role: must not contain U+0000 (VAL-2)"],
	[[messageRecord(1, { label: "\ud800" })], "message.label: must not contain a lone surrogate (VAL-2)"],
	[[messageRecord(1, { metadata: [] })], "message.metadata: must be a JSON object (VAL-4)"],
	[[messageRecord(1, { payload: deep(201) })], "message.payload: must be nested at most 200 levels deep (VAL-6)"],
	[[messageRecord(1, { payload: "x".repeat(17 << 20) })], "message.payload: must be at most 16 MiB (VAL-7)"],
	[[messageRecord(1, { color: "red" })], "message: unknown color (VAL-8)"],
	[[messageRecord(1, { kind: "note" })], "message.kind: must be one of"],
	[[messageRecord(1, { kind: "compaction" })], "message.payload.summary: must be a string"],
	[[messageRecord(1, { ...compaction, firstKeptSeq: "2" })], "message.firstKeptSeq: must be null, or in a compaction"],
	[[messageRecord(1, { firstKeptSeq: "1" })], "message.firstKeptSeq: must be null, or in a compaction"],
	[[messageRecord(1, { branch: 1 })], "message.branch: must be a branch of the conversation"],
	[
		[{ record: "channelValue", channel: "c", version: "1", checkpointNs: "" }],
		"record: must be one of branch, message",
	],
	[[{ record: "thing" }], "record: must be one of"],
	[[[]], "record: must be one of"],
	[[messageRecord(1)], "branch: must be there for each number up to 1", branched],
	[[branch({ branch: 2 })], "branch.branch: must count from 1 to 1 without gaps", branched],
	[[branch({ parentBranch: 1 })], "branch.parentBranch: must be an older branch", branched],
	[[branch({ forkSeq: "10" })], "branch.forkSeq: must be at most 9", branched],
	[[branch({}), messageRecord(1, { branch: 1 })], "message.seq: must be from 2, after the fork", branched],
	[[branch({}), messageRecord(1), branch({})], "record: must not be a branch after a message", branched],
	[[], "conversation.activeBranch: must be a branch of the conversation", { activeBranch: 1 }],
	[[], "conversation.config.model: must be a string", { config: { model: 1 } }],
	[[], "conversation.metadata: must be at most 1 MiB (VAL-7)", { metadata: { text: "x".repeat(1 << 20) } }],
];

describe("import refuses by line, keeps nothing of what it refuses, and goes on with the others:", () => {
	it("records that the API would refuse, too", async () => {
		const items = WRONG.map(([records, , fields], n) => [conversationRecord(`wrong ${n}`, fields), ...records]);
		const { code, stdout, said } = await importing(linesOf(good("first"), ...items, good("last")));
		expect([code, stdout]).toEqual([1, `2 imported, 0 already there, ${WRONG.length} refused`]);
		let line = 4;
		for (const [n, [records, message]] of WRONG.entries()) {
			line += 1 + records.length;
			expect([n, said[n]]).toEqual([n, expect.stringMatching(new RegExp(`^line ${line}: `))]);
			expect(said[n]).toContain(message);
			line += 1;
		}
		expect(await storedIds()).toEqual(["first", "last"]);
	});

	it("lines that are no JSON, no UTF-8, or hold numbers that would change (VAL-10)", async () => {
		const bad: [Buffer | string, string][] = [
			["{", "must be JSON"],
			[Buffer.from([0x22, 0xff, 0x22]), "must be UTF-8"],
			[JSON.stringify(messageRecord(1)).replace('{"seq":1}', "9007199254740993"), "9007199254740993 would change"],
			[JSON.stringify(messageRecord(1)).replace('{"seq":1}', "1e400"), "the number 1e400 would change its value"],
		];
		const text = bad.map((_, n) => [conversationRecord(`torn ${n}`), messageRecord(1)]);
		const exact = [
			conversationRecord("exact"),
			messageRecord(1, { messageId: "exact", payload: [1e21, 5e-324, 2 ** 60] }),
		];
		const lines: (string | Buffer)[] = linesOf(...text, exact);
		for (const [n, [line]] of bad.entries()) lines[2 + 3 * n] = line;
		const { stdout, said } = await importing(lines);
		expect(stdout).toBe("1 imported, 0 already there, 4 refused");
		for (const [n, [, message]] of bad.entries()) {
			expect(said[n]).toMatch(new RegExp(`^line ${3 + 3 * n}: conversation "torn ${n}": `));
			expect(said[n]).toContain(message);
		}
		expect(await storedIds()).toEqual(["exact", "first", "last"]);
		expect((await place.store.getMessage({ messageId: "exact" }))?.payload).toEqual([1e21, 5e-324, 2 ** 60]);
	});

	it("a transcript with a time that the clock of its project key could not go on from exactly", async () => {
		const createdAt = "2026-11-30T12:00:00.000Z";
		const ids = { projectKey: "key", sessionId: "session" };
		const transcript = { record: "transcript", ...ids, lastSeq: "1", mtime: Number.MAX_SAFE_INTEGER, createdAt };
		const { stdout, said } = await importing(linesOf([transcript]));
		expect(stdout).toBe("0 imported, 0 already there, 1 refused");
		expect(said).toEqual([expect.stringContaining("transcript.mtime: must be an integer from 0 to 8640000000000000")]);
	});

	it("ends that are missing or count other records, and lines outside of any item", async () => {
		await place.store.appendMessage({ conversationId: "owner", messageId: "owned", payload: 1 });
		const [header, ...rest] = linesOf(
			[conversationRecord("without end"), messageRecord(1)],
			[conversationRecord("without line"), messageRecord(1), messageRecord(2, other)],
			good("whole"),
			[conversationRecord("thief"), messageRecord(1), messageRecord(2, { messageId: "owned" })],
			[conversationRecord("cut"), messageRecord(1)],
		);
		// Without the first end, the next message, and the last end; with a message in front.
		const left = rest.filter((_line, index) => ![2, 5, rest.length - 1].includes(index));
		const { stdout, said } = await importing([header!, JSON.stringify(messageRecord(1)), ...left]);
		expect(stdout).toBe("1 imported, 0 already there, 5 refused");
		expect(said).toEqual([
			"line 2: record: must open a conversation, state, thread or transcript here",
			'line 5: conversation "without end": end: is missing: something else begins inside of this conversation',
			expect.stringMatching(/^line 7: conversation "without line": end\.records: must be 2, /),
			'line 13: conversation "thief": message: a message with its messageId is there already',
			'line 16: conversation "cut": end: is missing: the archive ends inside of this conversation',
		]);
		expect(await storedIds()).toEqual(["exact", "first", "last", "owner", "whole"]);
	});
});

describe("import refuses a file", () => {
	it("of a newer version, naming both; without a header; or that is not there", async () => {
		const newer = await place.run("import", ["-"], archiveOf(good("newer")).replace('"version":1', '"version":2'));
		expect(newer).toMatchObject({
			code: 1,
			stderr: expect.stringContaining("has version 2, this gateway reads up to version 1"),
		});
		const headless = await place.run("import", ["-"], linesOf(good("headless")).slice(1).join("\n"));
		expect(headless).toMatchObject({ code: 1, stderr: expect.stringMatching(/^agent-gateway: .*header/) });
		const nowhere = await place.run("import", ["/nowhere.jsonl"]);
		expect(nowhere).toMatchObject({ code: 1, stderr: expect.stringMatching(/^agent-gateway: Cannot read \/nowhere/) });
		expect(await storedIds()).not.toContain("headless");
	});
});
