import type { JsonObject, JsonValue } from "./json.ts";
import {
	BadLine,
	isObject,
	optionalText,
	requireText,
	type SessionContent,
	type SessionFamily,
	type Settings,
	without,
} from "./session-files.ts";

const FRAME = ["type", "id", "parentId", "timestamp"];
const COMPACTION = ["summary", "firstKeptEntryId", "firstKeptEntryIndex"];

/** Session files of pi: the fields of an entry stand inline, in camel case. */
export const PI: SessionFamily = {
	name: "pi",
	newestVersion: 3,
	linearVersion: 1,
	readHeader: (line, version) => ({
		id: optionalText(line, "id"),
		version,
		timestamp: optionalText(line, "timestamp"),
		// `parentSession` is the path of a file.
		parentId: null,
		settings: { ...modelOf(line), ...thinkingOf(line) },
		rest: without(line, "type", "version", "id", "timestamp"),
	}),
	readEntry: (line, version) => {
		const type = requireText(line, "type");
		return {
			id: optionalText(line, "id"),
			parentId: optionalText(line, "parentId"),
			type,
			timestamp: optionalText(line, "timestamp"),
			content: readContent(type, line, version),
			rest: type === "message" ? without(line, ...FRAME, "message") : {},
		};
	},
	writeHeader: ({ id, timestamp, rest }) => ({
		type: "session",
		version: PI.newestVersion,
		id,
		timestamp,
		cwd: "",
		...rest,
	}),
	writeEntry: ({ id, parentId, type, timestamp, content, rest }) => {
		const frame = { type, id, parentId, timestamp };
		return { ...frame, ...writeContent(type, content), ...rest, ...frame };
	},
};

function readContent(type: string, line: JsonObject, version: number): SessionContent {
	const fields = without(line, ...FRAME);
	switch (type) {
		case "message": {
			const { message } = line;
			if (message === undefined) throw new BadLine("message must be given");
			const renamed = version < 3 && isObject(message) && message["role"] === "hookMessage";
			return { kind: "message", payload: renamed ? { ...message, role: "custom" } : message };
		}
		case "custom_message":
			return { kind: "message", payload: fields };
		case "compaction":
			return {
				kind: "compaction",
				summary: requireText(line, "summary"),
				firstKept: optionalText(line, "firstKeptEntryId") ?? indexOf(line),
				details: without(fields, ...COMPACTION),
			};
		case "branch_summary":
			return { kind: "branch_summary", summary: requireText(line, "summary"), details: without(fields, "summary") };
		case "label":
			return { kind: "label", targetId: requireText(line, "targetId"), label: optionalText(line, "label") || null };
		case "session_info":
			return { kind: "name", name: optionalText(line, "name") || null };
		case "model_change":
			return { kind: "custom", payload: fields, settings: modelOf(line) };
		case "thinking_level_change":
			return { kind: "custom", payload: fields, settings: thinkingOf(line) };
		default:
			return { kind: "custom", payload: fields };
	}
}

function indexOf(line: JsonObject): number | null {
	const index = line["firstKeptEntryIndex"];
	return typeof index === "number" ? index : null;
}

function modelOf({ modelId }: JsonObject): Settings {
	return typeof modelId === "string" && modelId.trim() !== "" ? { model: modelId } : {};
}

/** Our efforts by pi's levels; "off" takes the thinking out. */
const EFFORTS = new Map([
	["off", null],
	["minimal", "low"],
	["low", "low"],
	["medium", "medium"],
	["high", "high"],
	["xhigh", "max"],
]);

function thinkingOf({ thinkingLevel }: JsonObject): Settings {
	const effort = typeof thinkingLevel === "string" ? EFFORTS.get(thinkingLevel) : undefined;
	return effort === undefined ? {} : { thinking: effort === null ? null : { effort } };
}

function writeContent(type: string, content: SessionContent): JsonObject {
	switch (content.kind) {
		case "compaction":
			return { summary: content.summary, firstKeptEntryId: content.firstKept, tokensBefore: 0, ...content.details };
		case "branch_summary":
			return { fromId: "root", summary: content.summary, ...content.details };
		case "label":
			return content.label === null
				? { targetId: content.targetId }
				: { targetId: content.targetId, label: content.label };
		case "name":
			return { name: content.name ?? "" };
		case "nothing":
			return {};
		default:
			return type === "message" ? { message: content.payload } : inline(type, content.payload);
	}
}

/** The fields of an own kind of entry; data that would not come back as it is goes into a field of its own. */
function inline(type: string, payload: JsonValue): JsonObject {
	const fits = isObject(payload) && !FRAME.some((name) => Object.hasOwn(payload, name));
	if (fits && (type !== "custom" || typeof payload["customType"] === "string")) return payload;
	return { customType: type, data: payload };
}
