import { badRequest } from "./faults.ts";
import { checkObject, encodeJson, type JsonObject, type JsonText, type JsonValue } from "./json.ts";
import type { Limits } from "./limits.ts";

type Check = (field: string, value: JsonValue) => JsonValue;

/** A config with another thinking part; null takes it out. The other fields stay. */
export function withThinking(config: JsonObject | null, thinking: JsonObject | null): JsonObject | null {
	const { thinking: _replaced, ...rest } = config ?? {};
	if (thinking !== null) rest["thinking"] = thinking;
	return Object.keys(rest).length === 0 ? null : rest;
}

/** The text of a config as it is stored; null for none, and for one without fields, which sets nothing. */
export function encodeConfig(field: string, config: JsonObject | null, limits: Limits): JsonText | null {
	if (config === null || Object.keys(config).length === 0) return null;
	return encodeJson(field, config, { depth: limits.jsonDepth, bytes: limits.metadataBytes });
}

const text: Check = (field, value) => {
	if (typeof value !== "string" || value.trim() === "") throw badRequest(field, "must be a string that is not blank");
	return value;
};

const flag: Check = (field, value) => {
	if (typeof value !== "boolean") throw badRequest(field, "must be a boolean");
	return value;
};

const oneOf =
	(...allowed: string[]): Check =>
	(field, value) => {
		if (!allowed.includes(value as string)) throw badRequest(field, `must be one of ${allowed.join(", ")}`);
		return value;
	};

const texts: Check = (field, value) => {
	if (!Array.isArray(value)) throw badRequest(field, "must be an array of strings");
	return value.map((item, index) => text(`${field}[${index}]`, item));
};

const integer: Check = (field, value) => {
	if (!Number.isSafeInteger(value)) throw badRequest(field, "must be an integer");
	return value;
};

const object: Check = (field, value) => checkObject(field, value);

/** An object of known fields; null leaves a field out. */
function fields(checks: Readonly<Record<string, Check>>) {
	return (field: string, value: JsonValue): JsonObject => {
		const given = checkObject(field, value);
		const unknown = Object.keys(given).filter((name) => !Object.hasOwn(checks, name));
		if (unknown.length > 0) {
			throw badRequest(field, `unknown ${unknown.join(", ")}; known are ${Object.keys(checks).join(", ")} (VAL-8)`);
		}
		const present = Object.entries(given).filter(([, entry]) => entry !== null);
		return Object.fromEntries(present.map(([name, entry]) => [name, checks[name]!(`${field}.${name}`, entry)]));
	};
}

/** Checks the thinking part of a config. */
export const checkThinking = fields({
	includeThoughts: flag,
	display: oneOf("summarized", "omitted"),
	effort: oneOf("low", "medium", "high", "max"),
	budget: integer,
});

const checkSchema = fields({ name: text, description: text, schema: object, strict: flag });

const checkFormatFields = fields({
	type: oneOf("text", "json_object", "json_schema"),
	jsonSchema: (field, value) => {
		const schema = checkSchema(field, value);
		for (const name of ["name", "schema"]) {
			if (schema[name] === undefined) throw badRequest(`${field}.${name}`, "is required");
		}
		return schema;
	},
});

/** Checks the call config of a thread: known fields only, each with a value that it may have. */
export const checkConfig = fields({
	model: text,
	responseFormat: (field, value) => {
		const format = checkFormatFields(field, value);
		if (format["type"] === undefined) throw badRequest(`${field}.type`, "is required");
		if ((format["type"] === "json_schema") !== (format["jsonSchema"] !== undefined)) {
			throw badRequest(`${field}.jsonSchema`, "must be given with type json_schema, and only with it");
		}
		return format;
	},
	thinking: checkThinking,
	skills: texts,
});
