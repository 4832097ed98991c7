import { describe, expect, it } from "vitest";
import { readArchiveLines } from "../../server/domain/archive-lines.ts";
import { DEFAULT_LIMITS } from "../../server/domain/limits.ts";
import { detectFormat } from "../../server/domain/session-formats.ts";
import { fileOf } from "./conversion.ts";

function detect(lines: (object | string)[]) {
	async function* chunks() {
		yield Buffer.from(fileOf(lines));
	}
	return detectFormat(readArchiveLines(chunks(), DEFAULT_LIMITS));
}

const header = (version?: number) => ({ type: "session", id: "s", ...(version === undefined ? {} : { version }) });

describe("the format of a file", () => {
	it.each<[string | undefined, (object | string)[]]>([
		["agent-store", [{ record: "archive", format: "agent-store", version: 1 }]],
		["pi", [header(), { type: "message", message: {} }]],
		["pi", [header(), { type: "thinking_level_change", thinkingLevel: "off" }]],
		["pi", [header(), { type: "custom", customType: "x", data: 1 }]],
		["pi", [header(3), { type: "label", id: "a", parentId: null, targetId: "b" }]],
		["pi", [header(3)]],
		["go", [header(), { type: "message", data: {} }]],
		// A version that pi has, too.
		["go", [header(3), { type: "message", id: "a", parent_id: "b", data: {} }]],
		["go", [{ type: "message", data: {} }]],
		["go", [header(4)]],
		["go", [{ ...header(1), parent_session: "x" }]],
		["claude", [{ type: "user", message: {}, uuid: "a", parentUuid: null, sessionId: "s" }]],
		["claude", [{ type: "queue-operation", sessionId: "s" }]],
		["claude", [{ type: "file-history-snapshot" }, { type: "summary", summary: "x", leafUuid: "a" }]],
		["pi", ["{", "", "[1]", { type: "message", parentId: null, message: {} }]],
		[undefined, []],
		[undefined, [{ some: "thing" }]],
	])("is %s, by its lines: %j", async (format, lines) => {
		expect(await detect(lines)).toBe(format);
	});
});
