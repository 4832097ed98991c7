import SchemaBuilder from "@pothos/core";
import RelayPlugin from "@pothos/plugin-relay";
import { badRequest } from "../domain/faults.ts";
import type { JsonObject, JsonValue } from "../domain/json.ts";
import type { Context } from "./context.ts";
import { DateTimeScalar, JSONObjectScalar, JSONScalar } from "./scalars.ts";

interface SchemaTypes {
	Context: Context;
	DefaultFieldNullability: false;
	DefaultEdgesNullability: false;
	Scalars: {
		JSON: { Input: JsonValue; Output: JsonValue };
		JSONObject: { Input: JsonObject; Output: JsonObject };
		DateTime: { Input: string; Output: string };
	};
}

/** The one schema builder. Root fields are nullable, so that a failing one leaves the others of its request their data. */
export const builder = new SchemaBuilder<SchemaTypes>({
	plugins: [RelayPlugin],
	defaultFieldNullability: false,
	relay: {
		clientMutationId: "omit",
		cursorType: "String",
		nodesOnConnection: { description: "The items of this page, without their cursors." },
		edgesFieldOptions: { nullable: false, description: "The items of this page, each with its cursor." },
		nodeQueryOptions: { description: "Any object by its node id, or null." },
		nodesQueryOptions: { description: "Objects by their node ids, in the order asked; null where there is none." },
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
