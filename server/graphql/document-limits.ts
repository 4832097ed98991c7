import { maxAliasesPlugin } from "@escape.tech/graphql-armor-max-aliases";
import { maxDepthPlugin } from "@escape.tech/graphql-armor-max-depth";
import { GraphQLError, NoSchemaIntrospectionCustomRule, parse, type ValidationRule } from "graphql";
import type { Plugin } from "graphql-yoga";
import type { Limits } from "../domain/limits.ts";
import { rootFields } from "./root-fields.ts";

/** The limits of GraphQL documents (contract, "Limits and defaults"), each refused before anything runs. */
export function documentLimits(limits: Limits, options: { introspection: boolean }): Plugin[] {
	return [
		maxDepthPlugin({ n: limits.documentDepth, ignoreIntrospection: true }),
		maxAliasesPlugin({ n: limits.documentAliases }),
		{
			onParse({ setParseFn }) {
				setParseFn((source, parseOptions) => {
					try {
						return parse(source, { ...parseOptions, maxTokens: limits.documentTokens });
					} catch (error) {
						// The parser recurses, and may run out of stack before it has counted the tokens.
						if (!(error instanceof RangeError)) throw error;
						throw new GraphQLError("Syntax Error: The document is nested too deeply. Parsing aborted.");
					}
				});
			},
			onValidate({ addValidationRule }) {
				addValidationRule(maxRootFields(limits.documentRootFields));
				if (!options.introspection) addValidationRule(NoSchemaIntrospectionCustomRule);
			},
		},
	];
}

function maxRootFields(most: number): ValidationRule {
	return function MaxRootFieldsRule(context) {
		return {
			OperationDefinition(operation) {
				if (rootFields(context.getDocument(), operation).length > most) {
					context.reportError(
						new GraphQLError(`An operation may select at most ${most} root fields`, { nodes: operation }),
					);
				}
			},
		};
	};
}
