import { defaultFieldResolver, type GraphQLSchema, isObjectType } from "graphql";
import { guard } from "./access.ts";
import { builder } from "./builder.ts";
import { price } from "./cost.ts";
import "./agent-states.ts";
import "./archives.ts";
import "./branches.ts";
import "./browser-tokens.ts";
import "./checkpoints.ts";
import "./configs.ts";
import "./contexts.ts";
import "./conversations.ts";
import "./erasures.ts";
import "./forks.ts";
import "./history.ts";
import "./labels.ts";
import "./messages.ts";
import "./state-checkpoints.ts";
import "./states.ts";
import "./tails.ts";
import "./transcripts.ts";
import "./trees.ts";
import "./viewer.ts";

/** The executable schema; building it needs no database. */
export const schema = guard(price(withoutDefaultResolvers(builder.toSchema())));

/** Pothos names the default resolver; where there is none, it is not called, but the property is read in its place. */
function withoutDefaultResolvers(built: GraphQLSchema): GraphQLSchema {
	for (const type of Object.values(built.getTypeMap())) {
		if (!isObjectType(type)) continue;
		for (const field of Object.values(type.getFields())) {
			if (field.resolve === defaultFieldResolver) delete field.resolve;
		}
	}
	return built;
}
