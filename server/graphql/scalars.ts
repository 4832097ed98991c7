import { GraphQLError, GraphQLScalarType, Kind, type ValueNode } from "graphql";
import { isExactNumber, type JsonObject, type JsonValue } from "../domain/json.ts";

type Variables = Record<string, unknown> | null | undefined;

/** Any JSON value, `null` included. Exact: what was stored comes back (rule VAL-3). */
export const JSONScalar = new GraphQLScalarType<JsonValue, JsonValue>({
	name: "JSON",
	description:
		"Any JSON value, null included. It comes back exactly as it was given: key order, U+0000, lone surrogates and `__proto__` keys too.",
	parseValue: (value) => value as JsonValue,
	parseLiteral: literalToJson,
	serialize: (value) => value as JsonValue,
});

/** A JSON object. That it is one is checked with the other rules of its argument, which names the field (rule VAL-4). */
export const JSONObjectScalar = new GraphQLScalarType<JsonObject, JsonObject>({
	name: "JSONObject",
	description: "A JSON object. It comes back exactly as it was given.",
	parseValue: (value) => value as JsonObject,
	parseLiteral: (node, variables) => literalToJson(node, variables) as JsonObject,
	serialize: (value) => value as JsonObject,
});

/** A time of the database's clock (rule VAL-11); Postgres has formatted it. */
export const DateTimeScalar = new GraphQLScalarType<string, string>({
	name: "DateTime",
	description:
		"A time of the database's clock as ISO-8601 in UTC with milliseconds, such as `2026-11-30T18:00:00.000Z`.",
	serialize: (value) => value as string,
});

function literalToJson(node: ValueNode, variables?: Variables): JsonValue {
	switch (node.kind) {
		case Kind.NULL:
			return null;
		case Kind.STRING:
		case Kind.BOOLEAN:
			return node.value;
		case Kind.INT:
		case Kind.FLOAT:
			if (isExactNumber(node.value)) return Number(node.value);
			throw new GraphQLError(
				`The number ${node.value.slice(0, 60)} would change its value; send it as a string (VAL-10)`,
				{ nodes: node },
			);
		case Kind.LIST:
			return node.values.map((value) => literalToJson(value, variables));
		case Kind.OBJECT:
			// fromEntries keeps `__proto__` an ordinary key.
			return Object.fromEntries(node.fields.map((field) => [field.name.value, literalToJson(field.value, variables)]));
		case Kind.VARIABLE:
			// Without variables this is validation, which looks at variables elsewhere.
			return (variables?.[node.name.value] ?? null) as JsonValue;
		case Kind.ENUM:
			throw new GraphQLError(`${node.value} is not JSON; strings stand in double quotes (VAL-10)`, { nodes: node });
	}
}
