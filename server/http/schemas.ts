import type { Schema } from "./router.ts";

/** JSON schemas of what the HTTP API takes and answers. */
export const TEXT: Schema = { type: "string" };
const MAYBE_TEXT: Schema = { type: ["string", "null"] };
const TIME: Schema = { type: "string", format: "date-time" };
const SEQ: Schema = { type: "string", pattern: "^[0-9]+$" };

export const KEY: Schema = { type: "string", minLength: 1, description: "1 to 256 UTF-8 bytes (VAL-1)." };
export const LIMIT: Schema = { type: "integer", minimum: 1, maximum: 200, default: 50 };
export const CURSOR: Schema = { type: "string", description: "The `next_cursor` of the page before." };
export const METADATA: Schema = { type: "object" };

export const THINKING: Schema = {
	type: ["object", "null"],
	properties: {
		include_thoughts: { type: "boolean" },
		display: { enum: ["summarized", "omitted"] },
		effort: { enum: ["low", "medium", "high", "max"] },
		budget: { type: "integer" },
	},
	additionalProperties: false,
};

const RESPONSE_FORMAT: Schema = {
	type: ["object", "null"],
	required: ["type"],
	properties: {
		type: { enum: ["text", "json_object", "json_schema"] },
		json_schema: {
			type: "object",
			required: ["name", "schema"],
			properties: { name: TEXT, description: TEXT, schema: { type: "object" }, strict: { type: "boolean" } },
		},
	},
	additionalProperties: false,
};

/** The fields of a config, which a chat request has, too. */
export const CONFIG_FIELDS: Readonly<Record<string, Schema>> = {
	model: MAYBE_TEXT,
	response_format: RESPONSE_FORMAT,
	thinking: THINKING,
	skills: { type: ["array", "null"], items: TEXT },
};

export const CONFIG: Schema = { type: ["object", "null"], properties: CONFIG_FIELDS, additionalProperties: false };

export const THREAD_INFO = record({
	thread_id: TEXT,
	metadata: METADATA,
	parent_thread_id: MAYBE_TEXT,
	parent_entry_id: MAYBE_TEXT,
	created_at: TIME,
	updated_at: TIME,
});

const INTERRUPT: Schema = { ...record({ reason: TEXT, data: {} }), type: ["object", "null"] };

export const THREAD = record({
	...(THREAD_INFO["properties"] as object),
	status: { enum: ["idle", "running", "finished", "interrupted", "error"], description: "Of the thread's last run." },
	error: { ...MAYBE_TEXT, description: "Why the last run failed." },
	interrupt: {
		...INTERRUPT,
		description:
			"What it waits for, also when a run that went on from there has failed; `resume` of a chat answers it.",
	},
	config: CONFIG,
});

export const ENTRY = record({
	entry_id: TEXT,
	seq: SEQ,
	branch: { type: "integer" },
	kind: { enum: ["message", "compaction", "branch_summary", "custom"] },
	role: MAYBE_TEXT,
	type: MAYBE_TEXT,
	payload: {},
	metadata: METADATA,
	label: MAYBE_TEXT,
	source_entry_id: MAYBE_TEXT,
	created_at: TIME,
	updated_at: TIME,
});

export const STATE_ENTRY = record({ key: TEXT, version: { type: "integer" }, revision: SEQ, updated_at: TIME });
export const STATE = record({ ...(STATE_ENTRY["properties"] as object), state: { type: "object" } });

export const CHAT_ANSWER = record({
	thread_id: TEXT,
	run_id: TEXT,
	output: { ...TEXT, description: "The text of the last message; empty when the run was interrupted." },
	status: { enum: ["finished", "interrupted"] },
	interrupt: INTERRUPT,
});

export const ERROR = record({ error: record({ code: TEXT, message: TEXT, requestId: TEXT }) });

/** An object that has all of these fields. */
function record(properties: Readonly<Record<string, Schema>>): Schema {
	return { type: "object", required: Object.keys(properties), properties };
}

/** A page of a list, under its name. */
export function page(name: string, items: Schema): Schema {
	return record({ [name]: { type: "array", items }, next_cursor: MAYBE_TEXT });
}
