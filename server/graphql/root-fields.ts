import { type DocumentNode, Kind, type OperationDefinitionNode, type SelectionSetNode } from "graphql";

/** The root fields that an operation selects, those of fragments included. */
export function countRootFields(document: DocumentNode, operation: OperationDefinitionNode): number {
	const spread = new Set<string>();
	const count = ({ selections }: SelectionSetNode): number => {
		let fields = 0;
		for (const selection of selections) {
			if (selection.kind === Kind.FIELD) fields += 1;
			else if (selection.kind === Kind.INLINE_FRAGMENT) fields += count(selection.selectionSet);
			else if (!spread.has(selection.name.value)) {
				spread.add(selection.name.value);
				const name = selection.name.value;
				const fragment = document.definitions.find(
					(definition) => definition.kind === Kind.FRAGMENT_DEFINITION && definition.name.value === name,
				);
				if (fragment?.kind === Kind.FRAGMENT_DEFINITION) fields += count(fragment.selectionSet);
			}
		}
		return fields;
	};
	return count(operation.selectionSet);
}
