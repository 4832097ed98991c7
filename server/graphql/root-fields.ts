import { type DocumentNode, Kind, type OperationDefinitionNode, type SelectionSetNode } from "graphql";

/** By operation: parsed documents are kept, so that most requests find theirs here. */
const known = new WeakMap<OperationDefinitionNode, readonly string[]>();

/** The names of the root fields that an operation selects, those of fragments included, each as often as it is. */
export function rootFields(document: DocumentNode, operation: OperationDefinitionNode): readonly string[] {
	const found = known.get(operation) ?? collect(document, operation);
	known.set(operation, found);
	return found;
}

/** The one field that an operation selects, or `several`. */
export function operationName(fields: readonly string[]): string {
	return fields.every((name) => name === fields[0]) ? (fields[0] ?? "none") : "several";
}

function collect(document: DocumentNode, operation: OperationDefinitionNode): string[] {
	const spread = new Set<string>();
	const fields: string[] = [];
	const visit = ({ selections }: SelectionSetNode): void => {
		for (const selection of selections) {
			if (selection.kind === Kind.FIELD) fields.push(selection.name.value);
			else if (selection.kind === Kind.INLINE_FRAGMENT) visit(selection.selectionSet);
			else if (!spread.has(selection.name.value)) {
				spread.add(selection.name.value);
				const name = selection.name.value;
				const fragment = document.definitions.find(
					(definition) => definition.kind === Kind.FRAGMENT_DEFINITION && definition.name.value === name,
				);
				if (fragment?.kind === Kind.FRAGMENT_DEFINITION) visit(fragment.selectionSet);
			}
		}
	};
	visit(operation.selectionSet);
	return fields;
}
