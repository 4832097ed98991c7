import {
	BREAK,
	type DocumentNode,
	type ExecutionArgs,
	GraphQLError,
	getOperationAST,
	type OperationDefinitionNode,
	OperationTypeNode,
	visit,
} from "graphql";
import { type CompiledQuery, compileQuery, isCompiledQuery } from "graphql-jit";
import type { Plugin } from "graphql-yoga";
import { LRUCache } from "lru-cache";
import { rootFields } from "./root-fields.ts";

/** What is known of an operation: that it was run once, or how it runs; null when it is not to be compiled. */
type Known = "run once" | CompiledQuery | null;

/** Documents that are kept compiled; the SDK has a few dozen. */
const MOST_DOCUMENTS = 500;

/** Characters of a document that is compiled; compiled it takes some fifty times as much. */
const LONGEST_DOCUMENT = 10_000;

/**
 * Runs operations that come again as compiled code: a page of 50 messages has 650 fields, and the executor makes several
 * objects for each of them, every time. Whatever is refused before anything runs is left to the executor, which then says
 * why. Only from the second time on, so that compiling is no way to keep the gateway busy.
 */
export function compiledOperations(): Plugin {
	const known = new LRUCache<DocumentNode, Map<string | null | undefined, Known>>({ max: MOST_DOCUMENTS });

	const find = ({ schema, document, operationName }: ExecutionArgs): CompiledQuery | null => {
		const operations = known.get(document) ?? new Map<string | null | undefined, Known>();
		known.set(document, operations);
		const found = operations.get(operationName);
		if (found !== undefined && found !== "run once") return found;
		if (found === undefined) {
			operations.set(operationName, mayBeCompiled(document, operationName) ? "run once" : null);
			return null;
		}
		const compiled = compile(schema, document, operationName);
		operations.set(operationName, compiled);
		return compiled;
	};

	return {
		onExecute({ args, executeFn, setExecuteFn }) {
			const compiled = find(args);
			if (compiled === null) return;
			setExecuteFn(async (executed: ExecutionArgs) => {
				const { rootValue, contextValue, variableValues, document } = executed;
				const result = await compiled.query(rootValue, contextValue, variableValues);
				if (result.errors === undefined) return result;
				if (!("data" in result)) return executeFn(executed);
				return { errors: result.errors.map((error) => placed(error, document)), data: result.data };
			});
		},
	};
}

function mayBeCompiled(document: DocumentNode, operationName: string | null | undefined): boolean {
	const text = document.loc?.source.body ?? "";
	const operation = getOperationAST(document, operationName);
	return (
		operation != null && isSimple(document, operation) && text.length <= LONGEST_DOCUMENT && isOfPlainWords(document)
	);
}

/** Whether nothing has to wait for anything: the root fields of a mutation run one after another. */
function isSimple(document: DocumentNode, operation: OperationDefinitionNode): boolean {
	if (operation.operation === OperationTypeNode.MUTATION) return rootFields(document, operation).length === 1;
	return operation.operation === OperationTypeNode.QUERY;
}

/**
 * Whether nothing of the document can be mistaken when it is compiled. The compiler writes strings into its code and takes
 * some of them for code, so none of a caller's may get there; values that come as variables do not. It also reads literals
 * of JSON without their variables, omitted ones in a list as null, and what every object inherits as if it were given.
 */
function isOfPlainWords(document: DocumentNode): boolean {
	let isPlain = true;
	const refuse = () => {
		isPlain = false;
		return BREAK;
	};
	visit(document, {
		StringValue: refuse,
		ObjectValue: refuse,
		ListValue: refuse,
		Name: ({ value }) => (value in Object.prototype ? refuse() : undefined),
	});
	return isPlain;
}

function compile(schema: ExecutionArgs["schema"], document: DocumentNode, name?: string | null): CompiledQuery | null {
	const compiled = compileQuery(schema, document, name ?? undefined);
	return isCompiledQuery(compiled) ? compiled : null;
}

/** Compiled code knows lines and columns; the executor's errors know positions. */
function placed(error: GraphQLError, { loc }: DocumentNode): GraphQLError {
	const { message, locations = [], path, originalError } = error;
	const source = loc!.source;
	const positions = locations.map(({ line, column }) => positionOf(source.body, line, column));
	return new GraphQLError(message, { source, positions, path, originalError });
}

function positionOf(body: string, line: number, column: number): number {
	const before = [...body.matchAll(/\r\n|[\n\r]/g)][line - 2];
	return (before === undefined ? 0 : before.index + before[0].length) + column - 1;
}
