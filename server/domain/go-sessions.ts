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

const FRAME = ["type", "id", "parent_id", "timestamp", "data", "version"];
const COMPACTION = ["summary", "first_kept_entry_id", "firstKeptEntryIndex", "first_kept_entry_index"];

/** Session files of the Go family: what an entry says stands in `data`, in snake case. */
export const GO: SessionFamily = {
	name: "Go",
	newestVersion: 4,
	linearVersion: 1,
	readHeader: (line, version) => ({
		id: optionalText(line, "id"),
		version,
		timestamp: optionalText(line, "timestamp"),
		parentId: optionalText(line, "parent_session") || null,
		settings: {},
		rest: without(line, "type", "version", "id", "timestamp"),
	}),
	readEntry: (line, version) => {
		const type = requireText(line, "type");
		return {
			id: optionalText(line, "id") || null,
			parentId: optionalText(line, "parent_id") || null,
			type,
			timestamp: optionalText(line, "timestamp"),
			content: readContent(type, line["data"], version),
			rest: without(line, ...FRAME),
		};
	},
	writeHeader: ({ id, timestamp, parentId, rest }) => ({
		type: "session",
		version: GO.newestVersion,
		id,
		timestamp,
		...(parentId === null ? {} : { parent_session: parentId }),
		...rest,
	}),
	writeEntry: ({ id, parentId, type, timestamp, content, rest }) => {
		const parent: JsonObject = parentId === null ? {} : { parent_id: parentId };
		const frame = { id, ...parent, type, data: writeContent(content), timestamp, version: GO.newestVersion };
		return { ...frame, ...rest, ...frame };
	},
};

function readContent(type: string, data: JsonValue | undefined, version: number): SessionContent {
	if (data === undefined) throw new BadLine("data must be given");
	if (type === "message") {
		const renamed = version < 4 && isObject(data) && data["role"] === "hookMessage";
		return { kind: "message", payload: renamed ? { ...data, role: "custom" } : data };
	}
	// Of a tool that has such messages the model sees them, though the Go family itself writes none.
	if (type === "custom_message") return { kind: "message", payload: data };
	const fields = isObject(data) ? data : {};
	switch (type) {
		case "compaction":
			return {
				kind: "compaction",
				summary: requireText(fields, "summary"),
				firstKept: optionalText(fields, "first_kept_entry_id") || indexOf(fields),
				details: without(fields, ...COMPACTION),
			};
		case "branch_summary":
			return { kind: "branch_summary", summary: requireText(fields, "summary"), details: without(fields, "summary") };
		case "label":
			return {
				kind: "label",
				targetId: requireText(fields, "target_id"),
				label: optionalText(fields, "label") || null,
			};
		case "session_info":
			return { kind: "name", name: optionalText(fields, "name") || null };
		default:
			return { kind: "custom", payload: data, settings: settingsOf(fields) };
	}
}

function indexOf(fields: JsonObject): number | null {
	const index = fields["firstKeptEntryIndex"] ?? fields["first_kept_entry_index"];
	return typeof index === "number" ? index : null;
}

const CONFIG_NAMES: readonly (readonly [string, string])[] = [
	["response_format", "responseFormat"],
	["json_schema", "jsonSchema"],
	["include_thoughts", "includeThoughts"],
];

/** The Go family keeps the config of a thread in entries of its own, formerly the thinking part alone. */
function settingsOf({ kind, config, thinking }: JsonObject): Settings {
	if (kind === "thread_config") return { config: isObject(config) ? inCamelCase(config) : null };
	if (kind === "thread_thinking") return { thinking: isObject(thinking) ? inCamelCase(thinking) : null };
	return {};
}

function inCamelCase(config: JsonObject): JsonObject {
	const names = new Map(CONFIG_NAMES);
	const entries = Object.entries(config).map(([name, value]) => {
		// A schema is not ours to rename in.
		const inner = isObject(value) && name !== "schema" ? inCamelCase(value) : value;
		return [names.get(name) ?? name, inner] as const;
	});
	return Object.fromEntries(entries);
}

function writeContent(content: SessionContent): JsonValue {
	switch (content.kind) {
		case "compaction":
			return { summary: content.summary, first_kept_entry_id: content.firstKept, kept_count: 0, ...content.details };
		case "branch_summary":
			return { summary: content.summary, branch_id: "", ...content.details };
		case "label":
			return { target_id: content.targetId, label: content.label ?? "" };
		case "name":
			return { name: content.name ?? "" };
		case "nothing":
			return {};
		default:
			return content.payload;
	}
}
