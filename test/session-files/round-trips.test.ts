import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { GO } from "../../server/domain/go-sessions.ts";
import type { JsonObject } from "../../server/domain/json.ts";
import { PI } from "../../server/domain/pi-sessions.ts";
import { goFiles, piFiles } from "./arbitrary.ts";
import { convert, write } from "./conversion.ts";
import { type Meaning, meaningOf } from "./reference.ts";

/** What the entries of another family can say of a tree: everything but how messages are written. */
function shape({ rows, ...facts }: Meaning) {
	return { ...facts, rows: rows.map(({ says: _, ...row }) => row) };
}

describe("a session file that was imported and exported", () => {
	it.each([
		["pi", PI, piFiles],
		["Go", GO, goFiles],
	] as const)(
		"has the same tree, payloads, labels, name and leaf: %s",
		async (_name, family, files) => {
			await fc.assert(
				fc.asyncProperty(files, async (file) => {
					const before = await convert(family, file);
					const written = await write(family, before.records);
					expect(meaningOf(written)).toEqual(meaningOf(file));
					expect(written[0]).toEqual(file[0]);
					// And once more: nothing moves any further.
					const after = await convert(family, written);
					expect(after.messages).toEqual(before.messages);
					expect(await write(family, after.records)).toEqual(written);
				}),
				{ numRuns: 300 },
			);
		},
		120_000,
	);

	it.each([
		["pi", PI, GO, piFiles],
		["Go", GO, PI, goFiles],
	] as const)(
		"has the same tree in the files of the other family: %s",
		async (_name, from, to, files) => {
			await fc.assert(
				fc.asyncProperty(files, async (file) => {
					const before = await convert(from, file);
					const other = await write(to, before.records);
					expect(shape(meaningOf(other))).toEqual(shape(meaningOf(file)));
					const { messages } = await convert(to, other);
					const visible = ({ messageId, branch, seq, kind, role, firstKeptSeq, label }: (typeof messages)[number]) => {
						return { messageId, branch, seq, kind, role, firstKeptSeq, label };
					};
					expect(messages.map(visible)).toEqual(before.messages.map(visible));
				}),
				{ numRuns: 150 },
			);
		},
		120_000,
	);
});

describe("the leaf of a file", () => {
	const entry = (id: string, parentId: string | null): JsonObject => ({
		...{ type: "message", id, parentId, timestamp: "2026-01-01T00:00:00.000Z" },
		message: { role: "user", content: id },
	});
	const header: JsonObject = { type: "session", version: 3, id: "s", timestamp: "2026-01-01T00:00:00.000Z", cwd: "/w" };

	it("is where its last entry hangs, though that is a label in the middle of a branch", async () => {
		const label: JsonObject = { ...entry("l", "a"), type: "label", targetId: "b", label: "there" };
		const { conversation, branches, records } = await convert(PI, [header, entry("a", null), entry("b", "a"), label]);
		expect(branches).toMatchObject([{ branch: 1, parentBranch: 0, forkSeq: "1" }]);
		expect(conversation.activeBranch).toBe(1);
		const written = await write(PI, records);
		expect(written).toHaveLength(4);
		expect(written.at(-1)).toMatchObject({ type: "label", parentId: "a", targetId: "b", label: "there" });
	});

	it("is told by a name where the last message is another one", async () => {
		const { records } = await convert(PI, [header, entry("a", null), entry("b", "a"), entry("c", "a")]);
		const switched = records.map((record) =>
			record.record === "conversation" ? { ...record, activeBranch: 0 } : record,
		);
		const written = await write(PI, switched);
		expect(written.at(-1)).toMatchObject({ type: "session_info", name: "", parentId: "b" });
		expect((await convert(PI, written)).conversation).toMatchObject({ activeBranch: 0, lastBranch: 1 });
	});
});

describe("a conversation of an application", () => {
	it("becomes a file of messages with roles and texts, under the ids of the messages", async () => {
		const { records } = await convert(PI, [
			{ type: "session", version: 3, id: "s" },
			{ type: "message", id: "a", parentId: null, message: { role: "user", content: "x" } },
		]);
		const payloads = ["plain", { text: "in text" }, { content: [{ type: "text", text: "block" }] }, { n: 1 }];
		const own = payloads.map((payload, index) => ({
			...records.find((record) => record.record === "message")!,
			...{ messageId: `m-${index}`, seq: String(index + 1), role: index === 0 ? null : "assistant" },
			...{ payload, metadata: {}, label: null },
		}));
		const all = [...records.slice(0, 1), ...own] as typeof records;
		const written = await write(PI, all);
		expect(written.slice(1).map(({ id, parentId, message }) => [id, parentId, message])).toEqual([
			["m-0", null, { role: "user", content: "plain" }],
			["m-1", "m-0", { role: "assistant", content: "in text" }],
			["m-2", "m-1", { role: "assistant", content: [{ type: "text", text: "block" }] }],
			["m-3", "m-2", { role: "assistant", content: '{"n":1}' }],
		]);
	});

	it("gives no id twice, whatever applications put into their metadata", async () => {
		const { records } = await convert(PI, [
			{ type: "session", version: 3, id: "s" },
			{ type: "message", id: "a", parentId: null, message: { role: "user", content: "x" } },
		]);
		const [message] = records.filter((record) => record.record === "message");
		const copy = { ...message!, messageId: "m-2", seq: "2" };
		const written = await write(PI, [...records.slice(0, 2), copy]);
		expect(written.slice(1).map(({ id, parentId }) => [id, parentId])).toEqual([
			["a", null],
			["m-2", "a"],
		]);
	});
});

describe("an entry that only the Go family has", () => {
	it("keeps its place in a file of pi, whatever fields it has", async () => {
		const data = { id: "not-the-entry", type: "not-the-type", parentId: "nowhere" };
		const { records } = await convert(GO, [
			{ type: "session", version: 4, id: "s" },
			{ id: "a", type: "from_the_future", data, timestamp: "2026-01-01T00:00:00Z" },
		]);
		const frame = { type: "from_the_future", id: "a", parentId: null, timestamp: "2026-01-01T00:00:00Z" };
		expect((await write(PI, records))[1]).toEqual({ ...frame, customType: "from_the_future", data });
		expect((await write(GO, records))[1]).toMatchObject({ id: "a", type: "from_the_future", data });
	});
});
