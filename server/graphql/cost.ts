import type { FieldComplexity } from "@pothos/plugin-complexity";
import { type GraphQLSchema, isObjectType } from "graphql";
import type { Context } from "./context.ts";

/** A field counts once. */
const PLAIN = { field: 1, multiplier: 1 };

/** What a field selects counts as often as its arguments ask for. */
const COUNTED: FieldComplexity<Context, { first?: number | null; ids?: readonly unknown[] }> = (
	{ first, ids },
	{ limits },
) => {
	if (ids != null) return { field: 1, multiplier: ids.length };
	// A number beyond the limit is refused by the field itself, with its own message.
	return { field: 1, multiplier: Math.min(Math.max(first ?? limits.pageLimitDefault, 1), limits.pageLimit) };
};

/**
 * Prices every field for the limit of a document's cost. Here and not by the plugin's own options, which look at the
 * arguments of every field of every request, whether or not it has any.
 */
export function price(schema: GraphQLSchema): GraphQLSchema {
	for (const type of Object.values(schema.getTypeMap()).filter(isObjectType)) {
		for (const field of Object.values(type.getFields())) {
			const counted = field.args.some(({ name }) => name === "first" || name === "ids");
			field.extensions = { ...field.extensions, complexity: counted ? COUNTED : PLAIN };
		}
	}
	return schema;
}
