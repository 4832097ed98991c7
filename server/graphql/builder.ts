import SchemaBuilder from "@pothos/core";
import ComplexityPlugin from "@pothos/plugin-complexity";
import RelayPlugin from "@pothos/plugin-relay";
import { badRequest } from "../domain/faults.ts";
import type { JsonObject, JsonValue } from "../domain/json.ts";
import type { Context } from "./context.ts";
import { DateTimeScalar, JSONObjectScalar, JSONScalar } from "./scalars.ts";

export interface SchemaTypes {
	Context: Context;
	DefaultFieldNullability: false;
	DefaultEdgesNullability: false;
	DefaultNodeNullability: false;
	Scalars: {
		JSON: { Input: JsonValue; Output: JsonValue };
		JSONObject: { Input: JsonObject; Output: JsonObject };
		DateTime: { Input: string; Output: string };
	};
}

/** The one schema builder. Root fields are nullable, so that a failing one leaves the others of its request their data. */
export const builder = new SchemaBuilder<SchemaTypes>({
	plugins: [RelayPlugin, ComplexityPlugin],
	defaultFieldNullability: false,
	complexity: {
		limit: ({ limits }) => ({ complexity: limits.documentCost }),
		complexityError: (_kind, { complexity, maxComplexity }) =>
			badRequest(
				"query",
				`may select ${maxComplexity} values at most, not ${complexity}: ask for less, or with a smaller first`,
			),
	},
	relay: {
		clientMutationId: "omit",
		cursorType: "String",
		idFieldOptions: { description: "The Relay node id, opaque." },
		nodeTypeOptions: { description: "Whatever has a node id." },
		pageInfoTypeOptions: { description: "Where a page stands in its walk." },
		nodesOnConnection: { description: "The items of this page, without their cursors." },
		edgesFieldOptions: { nullable: false, description: "The items of this page, each with its cursor." },
		nodeFieldOptions: { nullable: false, description: "The item." },
		cursorFieldOptions: { description: "Give it as `after` to go on behind the item." },
		pageInfoFieldOptions: { description: "Where the page stands in its walk." },
		hasNextPageFieldOptions: {
			description: "Whether a further item existed (MSG-9); pages may be short, so only this tells the end.",
		},
		hasPreviousPageFieldOptions: { description: "Whether the page was asked for with `after`." },
		startCursorFieldOptions: { description: "The cursor of the first item." },
		endCursorFieldOptions: { description: "The cursor of the last item: give it as `after` to get the next page." },
		firstArgOptions: { description: "Items of the page: 1 to 200, 50 when omitted." },
		afterArgOptions: { description: "A cursor of the same list: the page starts behind it." },
		lastArgOptions: { description: "Not supported: refused." },
		beforeArgOptions: { description: "Not supported: refused." },
		nodeQueryOptions: {
			description: "Any object by its node id, or null.",
			args: { id: { description: "The node id." } },
		},
		nodesQueryOptions: {
			description: "Objects by their node ids, in the order asked; null where there is none.",
			args: { ids: { description: "The node ids." } },
		},
		mutationInputArgOptions: { description: "What to do." },
		encodeGlobalID: (typename, id) => Buffer.from(`${typename}:${id}`).toString("base64url"),
		decodeGlobalID: (globalId) => {
			const [, typename, id] = /^(\w+):(.*)$/s.exec(Buffer.from(globalId, "base64url").toString()) ?? [];
			if (typename === undefined || id === undefined) throw badRequest("id", "is not a node id");
			return { typename, id };
		},
	},
});

builder.addScalarType("JSON", JSONScalar);
builder.addScalarType("JSONObject", JSONObjectScalar);
builder.addScalarType("DateTime", DateTimeScalar);

builder.queryType({ description: "Reads. Another project's objects look exactly like absent ones." });
builder.mutationType({ description: "Writes. Each root field is one transaction." });
