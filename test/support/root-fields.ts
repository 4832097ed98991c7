import {
	type GraphQLArgument,
	type GraphQLField,
	type GraphQLInputType,
	type GraphQLOutputType,
	getNamedType,
	getNullableType,
	isCompositeType,
	isInputObjectType,
	isListType,
	isObjectType,
	isRequiredArgument,
	isRequiredInputField,
} from "graphql";
import { schema } from "../../server/graphql/schema.ts";

/** The arguments of the schema that name something, with values of the first project and values that nobody has. */
const NAMES: Record<string, { foreign: unknown; absent: unknown }> = {
	conversationId: { foreign: "shared", absent: "absent" },
	messageId: { foreign: "shared 1", absent: "absent 1" },
	threadId: { foreign: "foreign thread", absent: "absent thread" },
	checkpointId: { foreign: "foreign checkpoint", absent: "absent checkpoint" },
	channels: { foreign: ["foreign channel"], absent: ["absent channel"] },
	projectKey: { foreign: "foreign key", absent: "absent key" },
	sessionId: { foreign: "foreign session", absent: "absent session" },
	operationId: { foreign: "foreign operation", absent: "absent operation" },
	key: { foreign: "foreign state", absent: "absent state" },
	batchId: { foreign: "foreign batch", absent: "absent batch" },
	id: { foreign: nodeId("Message:shared 1"), absent: nodeId("Message:absent 1") },
	ids: {
		foreign: [nodeId("Message:shared 1"), nodeId("Conversation:shared")],
		absent: [nodeId("Message:absent 1"), nodeId("Conversation:absent")],
	},
};

export function nodeId(text: string): string {
	return Buffer.from(text).toString("base64url");
}

/** What other required arguments get, by name or type. */
const FILLERS: Record<string, unknown> = {
	channel: "foreign channel",
	entries: ['{"owned":true}'],
	data: Buffer.from("owned").toString("base64"),
	summary: '{"filler":true}',
	mtime: 1,
	start: 0,
	JSON: { a: 1 },
	JSONObject: { a: 1 },
	String: "filler",
	ID: "filler",
	Int: 1,
	Boolean: true,
};

/** A value for an input: of every name that occurs in it, and of whatever else it requires. */
function inputOf(name: string, type: GraphQLInputType, which: "foreign" | "absent"): unknown {
	const named = NAMES[name];
	if (named !== undefined) return named[which];
	if (name in FILLERS) return FILLERS[name];
	const inner = getNullableType(type);
	if (isListType(inner)) return [inputOf(name, inner.ofType, which)];
	if (isInputObjectType(inner)) {
		const fields = Object.values(inner.getFields());
		const wanted = fields.filter(
			(field) => field.name in NAMES || isRequiredInputField(field) || field.name === "payload",
		);
		return Object.fromEntries(wanted.map((field) => [field.name, inputOf(field.name, field.type, which)]));
	}
	const filler = FILLERS[getNamedType(type).name];
	if (filler === undefined) throw new Error(`The test knows no value for ${name}: ${String(type)}`);
	return filler;
}

/** All that can be selected of a type without required arguments, a few levels deep. */
function selectionOf(type: GraphQLOutputType, depth = 4): string {
	const named = getNamedType(type);
	if (!isCompositeType(named)) return "";
	if (!isObjectType(named)) return "{ __typename id }";
	const fields = Object.values(named.getFields())
		.filter((field) => !field.args.some(isRequiredArgument))
		.filter((field) => depth > 1 || !isCompositeType(getNamedType(field.type)))
		.map((field) => `${field.name} ${selectionOf(field.type, depth - 1)}`);
	return fields.length === 0 ? "{ __typename }" : `{ ${fields.join(" ")} }`;
}

/** A request for one root field, with names that belong to another project or to nobody. */
export function requestOf(
	kind: "query" | "mutation",
	field: GraphQLField<unknown, unknown>,
	which: "foreign" | "absent",
) {
	const wanted = field.args.filter(
		(arg: GraphQLArgument) => arg.name in NAMES || arg.name === "input" || isRequiredArgument(arg),
	);
	const declared = wanted.map((arg) => `$${arg.name}: ${String(arg.type)}`).join(", ");
	const passed = wanted.map((arg) => `${arg.name}: $${arg.name}`).join(", ");
	const [head, args] = wanted.length === 0 ? ["", ""] : [`(${declared})`, `(${passed})`];
	return {
		query: `${kind} ${head} { ${field.name} ${args} ${selectionOf(field.type)} }`,
		variables: Object.fromEntries(wanted.map((arg) => [arg.name, inputOf(arg.name, arg.type, which)])),
	};
}

/** An answer without what is different in any two answers. */
export function normal(answer: unknown): string {
	const sameNames = Object.values(NAMES).reduce(
		(text, { foreign, absent }) =>
			[foreign].flat().reduce<string>((rest, name, at) => {
				const other = [absent].flat()[at] as string;
				return rest.replaceAll(`"${name as string}"`, '"NAME"').replaceAll(`"${other}"`, '"NAME"');
			}, text),
		JSON.stringify(answer).replaceAll('\\"', '"'),
	);
	return sameNames
		.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "UUID")
		.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME")
		.replaceAll(/eyJ[\w.-]+/g, "JWT");
}

/** Every root field of the schema, for `it.each`. */
export const ROOT_FIELDS = (["query", "mutation"] as const).flatMap((kind) =>
	Object.values((kind === "query" ? schema.getQueryType() : schema.getMutationType())!.getFields()).map(
		(field) => [`${kind} ${field.name}`, kind, field] as const,
	),
);
