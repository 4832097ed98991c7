import { describe, expect, it } from "vitest";
import { GO } from "../../server/domain/go-sessions.ts";
import { PI } from "../../server/domain/pi-sessions.ts";
import { type Converted, convert, write } from "./conversion.ts";

const user = (text: string) => ({ role: "user", content: text });
const contents = ({ messages }: Converted) => messages.map(({ payload }) => (payload as { content?: unknown }).content);

/** The message that a compaction keeps first, by its content. */
function firstKept({ messages }: Converted): unknown {
	const kept = messages.find(({ kind }) => kind === "compaction")?.firstKeptSeq;
	return kept && contents({ messages } as Converted)[Number(kept) - 1];
}

describe("a file of pi", () => {
	it("of version 1 is a line of entries, whose compaction keeps from the place of a line on", async () => {
		const header = { type: "session", id: "s", timestamp: "2026-01-01T00:00:00.000Z", cwd: "/w", modelId: "m" };
		const entries = [
			{ type: "message", timestamp: "2026-01-01T00:00:01.000Z", message: user("1") },
			{ type: "message", timestamp: "2026-01-01T00:00:02.000Z", message: user("2") },
			{
				type: "compaction",
				timestamp: "2026-01-01T00:00:03.000Z",
				summary: "S",
				firstKeptEntryIndex: 2,
				tokensBefore: 9,
			},
			{ type: "message", timestamp: "2026-01-01T00:00:04.000Z", message: { role: "hookMessage", content: "4" } },
		];
		const converted = await convert(PI, [header, ...entries]);
		expect(converted.reports).toEqual([]);
		expect(converted.branches).toEqual([]);
		expect(converted.messages.map(({ seq, kind, role }) => [seq, kind, role])).toEqual([
			["1", "message", "user"],
			["2", "message", "user"],
			["3", "compaction", null],
			["4", "message", "custom"],
		]);
		expect(firstKept(converted)).toBe("2");
		const [, first, second, compaction] = await write(PI, converted.records);
		expect(first).toMatchObject({ parentId: null });
		expect(second).toMatchObject({ parentId: first!["id"] });
		expect(compaction).toEqual({
			type: "compaction",
			id: "00000004",
			parentId: second!["id"],
			timestamp: "2026-01-01T00:00:03.000Z",
			summary: "S",
			firstKeptEntryId: second!["id"],
			tokensBefore: 9,
		});
	});

	it("counts blank lines neither as entries nor as places", async () => {
		const text = `\ufeff{"type":"session","id":"s"}\r\n\r\n${JSON.stringify({ type: "message", message: user("1") })}\r\n\n${JSON.stringify({ type: "message", message: user("2") })}\r\n{"type":"compaction","summary":"S","firstKeptEntryIndex":2}`;
		const converted = await convert(PI, text);
		expect(converted.reports).toEqual([]);
		expect(firstKept(converted)).toBe("2");
	});

	it.each([2, 3])("of version %i is a tree by ids", async (version) => {
		const converted = await convert(PI, [
			{ type: "session", version, id: "s", timestamp: "2026-01-01T00:00:00.000Z", cwd: "/w" },
			{ type: "message", id: "a", parentId: null, message: user("a") },
			{ type: "message", id: "b", parentId: "a", message: { role: "hookMessage", content: "b" } },
			{ type: "message", id: "c", parentId: "a", message: user("c") },
		]);
		expect(converted.branches).toMatchObject([{ branch: 1, parentBranch: 0, forkSeq: "1" }]);
		expect(converted.messages.map(({ branch }) => branch)).toEqual([0, 0, 1]);
		expect(converted.conversation).toMatchObject({ activeBranch: 1, lastBranch: 1, lastSeq: "3" });
		expect(converted.messages[1]!.role).toBe(version === 2 ? "custom" : "hookMessage");
	});

	it("sets the config that the last settings on the path of its leaf come to", async () => {
		const thinking = (thinkingLevel: string) => ({ type: "thinking_level_change", thinkingLevel });
		const { conversation, messages } = await convert(PI, [
			{ type: "session", version: 3, id: "s" },
			{ ...thinking("xhigh"), id: "a", parentId: null },
			{ type: "model_change", id: "b", parentId: "a", provider: "p", modelId: "one" },
			{ type: "model_change", id: "c", parentId: "b", provider: "p", modelId: "two" },
			{ type: "message", id: "d", parentId: "b", message: user("d") },
		]);
		expect(conversation.config).toEqual({ model: "one", thinking: { effort: "max" } });
		expect(messages[1]).toMatchObject({
			kind: "custom",
			type: "model_change",
			payload: { provider: "p", modelId: "one" },
		});
		const off = await convert(PI, [{ type: "session", id: "s", modelId: "m", thinkingLevel: "low" }, thinking("off")]);
		expect(off.conversation.config).toEqual({ model: "m" });
	});

	it("shows the model custom messages and no custom data", async () => {
		const { messages } = await convert(PI, [
			{ type: "session", version: 3, id: "s" },
			{ type: "custom", id: "a", parentId: null, customType: "x", data: { n: 1 } },
			{ type: "custom_message", id: "b", parentId: "a", customType: "x", content: "seen", display: true },
			{ type: "from_the_future", id: "c", parentId: "b", what: 1 },
		]);
		expect(messages.map(({ kind, type, payload }) => [kind, type, payload])).toEqual([
			["custom", "custom", { customType: "x", data: { n: 1 } }],
			["message", "custom_message", { customType: "x", content: "seen", display: true }],
			["custom", "from_the_future", { what: 1 }],
		]);
	});
});

describe("a file of the Go family", () => {
	const old = [
		{ type: "message", data: user("1"), timestamp: "2026-01-01T00:00:01Z" },
		{ type: "message", data: user("2"), timestamp: "2026-01-01T00:00:02Z" },
		{ type: "compaction", data: { summary: "S", firstKeptEntryIndex: 2 } },
		{ type: "message", data: { role: "hookMessage", content: "4" } },
	];

	it("of version 1 gets ids, and is a line where it does not say otherwise", async () => {
		const converted = await convert(GO, [
			{ type: "session", id: "s" },
			...old,
			{ type: "message", id: "own", data: user("5") },
			{ type: "message", parent_id: "own", data: user("6") },
			{ type: "message", parent_id: "own", data: user("7") },
		]);
		expect(contents(converted)).toEqual(["1", "2", undefined, "4", "5", "6", "7"]);
		expect(converted.messages.map(({ branch }) => branch)).toEqual([0, 0, 0, 0, 0, 0, 1]);
		expect(firstKept(converted)).toBe("2");
		expect(converted.messages[3]!.role).toBe("custom");
	});

	it("without a header is one of version 1", async () => {
		const converted = await convert(GO, old, { fallbackId: "name-of-the-file" });
		expect(converted.conversation).toMatchObject({ conversationId: "name-of-the-file", lastBranch: 0 });
		expect(contents(converted)).toEqual(["1", "2", undefined, "4"]);
		expect(firstKept(converted)).toBe("2");
	});

	it.each([2, 3, 4])("of version %i is a tree by ids", async (version) => {
		const { branches, messages, conversation } = await convert(GO, [
			{ type: "session", version, id: "s", timestamp: "2026-01-01T00:00:00Z", parent_session: "before" },
			{ id: "a", type: "message", data: user("a") },
			{ id: "b", parent_id: "a", type: "message", data: { role: "hookMessage", content: "b" } },
			{ id: "c", type: "message", data: user("c") },
		]);
		expect(branches).toMatchObject([{ branch: 1, parentBranch: 0, forkSeq: "0" }]);
		expect(messages.map(({ branch }) => branch)).toEqual([0, 0, 1]);
		expect(messages[1]!.role).toBe(version < 4 ? "custom" : "hookMessage");
		expect(conversation.parentConversationId).toBe("before");
	});

	it("sets the config that its thread has", async () => {
		const config = { model: "m", response_format: { type: "json_object" }, thinking: { include_thoughts: true } };
		const { conversation, messages } = await convert(GO, [
			{ type: "session", version: 4, id: "s" },
			{ id: "a", type: "custom", data: { kind: "thread_config", config } },
			{ id: "b", parent_id: "a", type: "custom", data: { kind: "thread_thinking", thinking: { effort: "low" } } },
		]);
		expect(conversation.config).toEqual({
			model: "m",
			responseFormat: { type: "json_object" },
			thinking: { effort: "low" },
		});
		expect(messages[0]).toMatchObject({ kind: "custom", payload: { kind: "thread_config", config } });
	});

	it("is imported without a config that this gateway does not know, and says so", async () => {
		const { conversation, reports } = await convert(GO, [
			{ type: "session", version: 4, id: "s" },
			{ id: "a", type: "custom", data: { kind: "thread_config", config: { model: 7 } } },
		]);
		expect(conversation.config).toBeNull();
		expect(reports).toEqual([expect.stringContaining("config.model: must be a string")]);
	});
});

describe("a file of a newer version", () => {
	it.each([
		[PI, 4, "version is 4, and files of the pi family are read up to version 3"],
		[GO, 5, "version is 5, and files of the Go family are read up to version 4"],
	])("is refused, even where bad lines are skipped: %o", async (family, version, message) => {
		const file = [{ type: "session", version, id: "s" }];
		await expect(convert(family, file, { skipBadLines: true })).rejects.toThrow(`line 1: ${message}`);
	});

	it("is told from one whose version is no version", async () => {
		await expect(convert(PI, [{ type: "session", version: "3", id: "s" }])).rejects.toThrow("line 1: version must be");
	});
});

describe("the times of messages", () => {
	const times = async (timestamps: (string | undefined)[], header?: string) => {
		const entries = timestamps.map((timestamp) => ({ type: "message", timestamp, message: user("x") }));
		const { messages, conversation } = await convert(PI, [{ type: "session", id: "s", timestamp: header }, ...entries]);
		expect(messages.map(({ metadata }) => (metadata["entry"] as { timestamp: unknown }).timestamp)).toEqual(
			timestamps.map((timestamp) => timestamp ?? null),
		);
		return [conversation.createdAt, ...messages.map(({ createdAt }) => createdAt)];
	};
	const at = (second: number) => `2026-01-01T00:00:0${second}.000Z`;

	it("VAL-11: never contradict seq, and stand as they were in the metadata", async () => {
		expect(await times([at(2), at(1), at(3)], at(5))).toEqual([at(2), at(2), at(2), at(3)]);
		expect(await times([undefined, at(2), undefined, "0001-01-01T00:00:00Z", "nonsense", at(3)], at(1))).toEqual([
			at(1),
			...[at(2), at(2), at(2), at(2), at(2), at(3)],
		]);
		expect(await times([undefined])).toEqual(["1970-01-01T00:00:00.000Z", "1970-01-01T00:00:00.000Z"]);
		expect(await times(["2026-01-01T02:00:01.123456789+02:00"])).toContain("2026-01-01T00:00:01.123Z");
	});
});

describe("the ids of messages", () => {
	it("differ between conversations and stay the same for the same entry", async () => {
		const file = [
			{ type: "session", version: 3, id: "s" },
			{ type: "message", id: "0000000a", parentId: null, message: user("a") },
		];
		const idIn = async (conversationId: string) => (await convert(PI, file, { conversationId })).messages[0]!.messageId;
		expect(await idIn("one")).toBe(await idIn("one"));
		expect(await idIn("one")).not.toBe(await idIn("two"));
	});
});
