import { maxAliasesPlugin } from "@escape.tech/graphql-armor-max-aliases";
import { maxDepthPlugin } from "@escape.tech/graphql-armor-max-depth";
import { GraphQLError, NoSchemaIntrospectionCustomRule, parse, type ValidationRule } from "graphql";
import { isAsyncIterable, type Plugin } from "graphql-yoga";
import type { Limits } from "../domain/limits.ts";
import { rootFields } from "./root-fields.ts";

/**
 * The limits of GraphQL documents (contract, "Limits and defaults"), each refused before anything runs; and, unless
 * introspection is on, nothing that shows the schema to those who do not know it.
 */
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
			},
		},
		...(options.introspection ? [] : [hiddenSchema()]),
	];
}

/** Begins what libraries end a message with: names that resemble one that does not exist. */
const SUGGESTION = " Did you mean ";

/** Refuses introspection, and lets errors name nothing that the caller has not named. */
function hiddenSchema(): Plugin {
	return {
		onValidate({ addValidationRule }) {
			addValidationRule(NoSchemaIntrospectionCustomRule);
		},
		// The executor asks for suggestions whatever it is told, so they are cut off at the end.
		onResultProcess({ result }) {
			if (isAsyncIterable(result) || !("errors" in result)) return;
			for (const error of result.errors ?? []) error.message = withoutSuggestion(error.message);
		},
	};
}

/** No regular expression: messages hold values of the caller, which it would go through once for each beginning. */
function withoutSuggestion(message: string): string {
	const start = message.endsWith("?") ? message.indexOf(SUGGESTION) : -1;
	return start === -1 ? message : message.slice(0, start);
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
