import { describe, expect, it } from "vitest";
import { GO } from "../../server/domain/go-sessions.ts";
import { DEFAULT_LIMITS } from "../../server/domain/limits.ts";
import { PI } from "../../server/domain/pi-sessions.ts";
import { type Converted, convert, fileOf } from "./conversion.ts";

const header = { type: "session", version: 3, id: "s" };
const entry = (id: string, parentId: string | null, more: object = {}) => ({
	type: "message",
	id,
	parentId,
	message: { role: "user", content: id },
	...more,
});

/** The parent of each message, by the ids of their entries. */
function parents({ messages, branches }: Converted): Record<string, string | null> {
	const idOf = (message: (typeof messages)[number]) => (message.metadata["entry"] as { id: string }).id;
	const before = (branch: number, high: number): string | null => {
		const own = messages.filter((message) => message.branch === branch && Number(message.seq) <= high).at(-1);
		if (own !== undefined) return idOf(own);
		const place = branches.find((candidate) => candidate.branch === branch);
		return place === undefined ? null : before(place.parentBranch, Math.min(high, Number(place.forkSeq)));
	};
	return Object.fromEntries(
		messages.map((message) => [idOf(message), before(message.branch, Number(message.seq) - 1)]),
	);
}

describe("a last line that was cut", () => {
	it.each([
		["in its middle", '{"type":"mess'],
		["in the middle of a sign", Buffer.from('{"type":"é').subarray(0, -1)],
		["and ended by a newline", '{"type":"mess\n'],
	])("is reported, and the rest is kept: %s", async (_where, torn) => {
		const text = Buffer.concat([Buffer.from(fileOf([header, entry("a", null), entry("b", "a")])), Buffer.from(torn)]);
		const converted = await convert(PI, text);
		expect(parents(converted)).toEqual({ a: null, b: "a" });
		expect(converted.reports).toEqual(["4: is cut off; everything before it is imported"]);
	});

	it("is whole where only its newline is missing", async () => {
		const converted = await convert(PI, fileOf([header, entry("a", null)]).trimEnd());
		expect(parents(converted)).toEqual({ a: null });
		expect(converted.reports).toEqual([]);
	});
});

describe("a last line that can be read", () => {
	it("VAL-10: is refused for a number that would change", async () => {
		await expect(convert(PI, fileOf([header, '{"type":"message","message":1e400}']))).rejects.toThrow(
			"line 2: the number 1e400 would change its value (VAL-10)",
		);
	});
});

describe("a bad line in the middle", () => {
	const big = "x".repeat(DEFAULT_LIMITS.messageBytes);
	it.each<[string, object | string, string]>([
		["no JSON", '{"type":"mess', "must be JSON"],
		["no object", "[1]", "must be a JSON object"],
		["without a type", {}, "type must be a string"],
		["without a message", { type: "message", id: "x", parentId: "a" }, "message must be given"],
		["a second header", header, "is a second header"],
		["an id again", entry("a", null), 'id "a" must not occur twice'],
		["VAL-10: a number that would change", '{"type":"message","message":9007199254740993}', "9007199254740993"],
		["VAL-7: a message over the limit", entry("x", "a", { message: big }), "must be at most 16 MiB (VAL-7)"],
		["VAL-6: too deep", `{"type":"message","message":${"[".repeat(300)}${"]".repeat(300)}}`, "(VAL-6)"],
		["VAL-2: a type that is no type", entry("x", "a", { type: "y".repeat(300) }), "(VAL-2)"],
		["a label that is too long", { type: "label", targetId: "a", label: "y".repeat(300) }, "label: must be at most"],
	])("is refused by its number, or left out: %s", async (_what, bad, problem) => {
		const file = [header, entry("a", null), bad, entry("b", "a")];
		const refusal = await convert(PI, file).catch((error: Error) => error.message);
		expect(refusal).toMatch(/^line 3: /);
		expect(refusal).toContain(problem);
		const converted = await convert(PI, file, { skipBadLines: true });
		expect(parents(converted)).toEqual({ a: null, b: "a" });
		expect(converted.reports).toEqual([expect.stringMatching(/^3: .*; it is left out$/)]);
	});

	it("leaves what hung on it to the entry above it, from wherever it is named", async () => {
		const file = [
			header,
			entry("a", null),
			entry("b", "a"),
			'{"id":"lost', // hung on b
			entry("side", "a"),
			entry("c", "lost"),
			entry("d", "lost"),
		];
		await expect(convert(PI, file)).rejects.toThrow("line 4: must be JSON");
		const converted = await convert(PI, file, { skipBadLines: true });
		expect(parents(converted)).toEqual({ a: null, b: "a", side: "a", c: "b", d: "b" });
		expect(converted.reports).toEqual([
			"4: must be JSON; it is left out",
			'6: its parent "lost" is no entry above it; it follows line 3 instead',
		]);
	});

	it("is not a hole in a file without ids", async () => {
		const line = (content: string) => ({ type: "message", message: { role: "user", content } });
		const file = [{ type: "session", id: "s" }, line("1"), "{", line("2")];
		const { messages, branches } = await convert(PI, file, { skipBadLines: true });
		expect(messages.map(({ payload }) => (payload as { content: string }).content)).toEqual(["1", "2"]);
		expect(branches).toEqual([]);
	});
});

describe("a parent that is no entry above", () => {
	it.each<[string, object[], Record<string, string | null>]>([
		["unknown", [entry("a", null), entry("b", "nowhere"), entry("c", "b")], { a: null, b: "a", c: "b" }],
		["itself", [entry("a", null), entry("b", "b"), entry("c", "b")], { a: null, b: "a", c: "b" }],
		["in a circle", [entry("a", null), entry("b", "c"), entry("c", "b")], { a: null, b: "a", c: "b" }],
		["unknown at the beginning", [entry("a", "nowhere"), entry("b", "a")], { a: null, b: "a" }],
	])("is refused by the line's number, or what is above takes its place: %s", async (_what, entries, expected) => {
		const file = [header, ...entries];
		await expect(convert(PI, file)).rejects.toThrow(/^line [23]: its parent "\w+" is no entry above it$/);
		const converted = await convert(PI, file, { skipBadLines: true });
		expect(parents(converted)).toEqual(expected);
		expect(converted.reports).toHaveLength(1);
	});
});

describe("a compaction that keeps what is not on its path", () => {
	it.each([
		["unknown", "nowhere"],
		["on another branch", "side"],
	])("hides nothing, and that is reported: %s", async (_what, firstKeptEntryId) => {
		const { messages, reports } = await convert(PI, [
			header,
			entry("a", null),
			entry("side", "a"),
			entry("b", "a"),
			{ type: "compaction", id: "c", parentId: "b", summary: "S", firstKeptEntryId },
		]);
		expect(messages.at(-1)).toMatchObject({ kind: "compaction", firstKeptSeq: null, payload: { summary: "S" } });
		expect(reports).toEqual([
			`5: keeps messages from "${firstKeptEntryId}" on, which is not on its path; it hides nothing`,
		]);
	});

	it("keeps what follows a label that it names", async () => {
		const { messages, reports } = await convert(PI, [
			header,
			entry("a", null),
			{ type: "label", id: "l", parentId: "a", targetId: "a", label: "here" },
			entry("b", "l"),
			{ type: "compaction", id: "c", parentId: "b", summary: "S", firstKeptEntryId: "l" },
		]);
		expect(messages.at(-1)).toMatchObject({ firstKeptSeq: "2" });
		expect(reports).toEqual([]);
	});
});

describe("a file without a session", () => {
	it.each([
		["empty", ""],
		["blank", "\n \r\n\n"],
		["one line that was cut", '{"type":"sess'],
	])("is refused: %s", async (_what, text) => {
		await expect(convert(GO, text, { fallbackId: "x" })).rejects.toThrow("file: must hold a session");
	});

	it("is not one with a header alone", async () => {
		const { conversation, messages } = await convert(PI, [header]);
		expect(conversation).toMatchObject({ conversationId: "s", lastSeq: "0", activeBranch: 0 });
		expect(messages).toEqual([]);
	});

	it("needs an id from elsewhere without a header", async () => {
		await expect(convert(GO, [{ type: "message", data: {} }])).rejects.toThrow("must have a header with an id");
	});
});
