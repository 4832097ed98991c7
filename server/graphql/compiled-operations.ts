import {
	BREAK,
	type DocumentNode,
	type ExecutionArgs,
	GraphQLError,
	getOperationAST,
	Kind,
	type OperationDefinitionNode,
	OperationTypeNode,
	type SelectionSetNode,
	visit,
} from "graphql";
import { type CompiledQuery, compileQuery, isCompiledQuery } from "graphql-jit";
import type { Plugin } from "graphql-yoga";
import { LRUCache } from "lru-cache";
import { rootFields } from "./root-fields.ts";

/** What is known of an operation: that it was run once, or how it runs. */
type Known = "run once" | "by the executor" | CompiledQuery;

/** Operations of which is known how they run; the SDK has a few dozen. */
const MOST_OPERATIONS = 500;

/** Of one that is compiled, and of all that are known, as `sizeOf` counts; code takes some twenty bytes for each. */
const LARGEST = 20_000;
const MOST_CODE = 2_000_000;

/**
 * Runs operations that come again as compiled code: a page of 50 messages has 650 fields, and the executor makes several
 * objects for each of them, every time. Whatever is refused before anything runs is left to the executor, which then says
 * why. Only from the second time on, so that compiling is no way to keep the gateway busy.
 */
export function compiledOperations(): Plugin {
	const known = new LRUCache<OperationDefinitionNode, Known>({ max: MOST_OPERATIONS, maxSize: MOST_CODE });

	const find = ({ schema, document, operationName }: ExecutionArgs): Known => {
		const operation = getOperationAST(document, operationName);
		if (!operation) return "by the executor";
		const found = known.get(operation);
		if (found !== undefined && found !== "run once") return found;
		const size = sizeOf(document, operation);
		if (found === undefined) {
			const mayBeCompiled = size <= LARGEST && isSimple(document, operation) && isOfPlainWords(document);
			known.set(operation, mayBeCompiled ? "run once" : "by the executor", { size });
			return "by the executor";
		}
		const compiled = compile(schema, document, operationName);
		known.set(operation, compiled, { size });
		return compiled;
	};

	return {
		onExecute({ args, executeFn, setExecuteFn }) {
			const compiled = find(args);
			if (typeof compiled === "string") return;
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

/**
 * Characters of the document, which is kept, and of the paths of all fields, which code grows with: it has each field as
 * often as its fragment is spread, with the whole path. Beyond the largest size it does not go on counting.
 */
function sizeOf({ definitions, loc }: DocumentNode, operation: OperationDefinitionNode): number {
	const named = definitions.filter((definition) => definition.kind === Kind.FRAGMENT_DEFINITION);
	const fragments = new Map(named.map(({ name, selectionSet }) => [name.value, selectionSet]));
	let size = loc!.source.body.length;
	const add = (set: SelectionSetNode | undefined, path: number): void => {
		for (const selection of set?.selections ?? []) {
			if (size > LARGEST) return;
			if (selection.kind === Kind.FRAGMENT_SPREAD) add(fragments.get(selection.name.value), path);
			else if (selection.kind === Kind.INLINE_FRAGMENT) add(selection.selectionSet, path);
			else {
				const length = path + (selection.alias ?? selection.name).value.length;
				size += length;
				add(selection.selectionSet, length);
			}
		}
	};
	add(operation.selectionSet, 0);
	return size;
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

function compile(schema: ExecutionArgs["schema"], document: DocumentNode, name?: string | null): Known {
	const compiled = compileQuery(schema, document, name ?? undefined);
	return isCompiledQuery(compiled) ? compiled : "by the executor";
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
