import type { ArchiveLine } from "./archives.ts";
import type { JsonObject } from "./json.ts";
import { isObject } from "./session-files.ts";

/** The files that can be imported. */
export const FORMATS = ["agent-store", "pi", "go", "claude"] as const;
export type Format = (typeof FORMATS)[number];

/** How many lines are looked at; the first ones may be damaged. */
const LINES = 100;
/** Up to here a version may be one of pi, if nothing else tells the families apart. */
const NEWEST_PI = 3;

/** Tells by what lines hold which format they are of; undefined where nothing tells. */
export async function detectFormat(lines: AsyncIterable<ArchiveLine>): Promise<Format | undefined> {
	let header: JsonObject | undefined;
	let looked = 0;
	for await (const line of lines) {
		if ("value" in line && isObject(line.value)) {
			if (line.value["type"] === "session") header ??= line.value;
			else {
				const format = formatOf(line.value);
				if (format !== undefined) return format;
			}
		}
		looked += 1;
		if (looked === LINES) break;
	}
	if (header === undefined) return undefined;
	const { version = 1 } = header;
	const isGo = Object.hasOwn(header, "parent_session") || (typeof version === "number" && version > NEWEST_PI);
	return isGo ? "go" : "pi";
}

const PI_FIELDS = ["parentId", "message", "customType"];
/** What version 1 of pi has without any of those. */
const PI_TYPES = ["compaction", "model_change", "thinking_level_change"];

/** An entry of pi has its fields inline, one of the Go family in `data`; a line of Claude names its session or a uuid. */
function formatOf(line: JsonObject): Format | undefined {
	const { record, type, sessionId, leafUuid } = line;
	if (record !== undefined) return "agent-store";
	if (typeof type !== "string") return undefined;
	if (typeof sessionId === "string" || leafUuid !== undefined) return "claude";
	if (PI_FIELDS.some((name) => Object.hasOwn(line, name))) return "pi";
	if (Object.hasOwn(line, "data")) return "go";
	return PI_TYPES.includes(type) ? "pi" : undefined;
}
