import { readFile } from "node:fs/promises";
import {
	type GraphQLNamedType,
	isEnumType,
	isInputObjectType,
	isInterfaceType,
	isObjectType,
	printSchema,
} from "graphql";
import { describe, expect, it } from "vitest";
import { schema } from "../../server/graphql/schema.ts";

const BUILT_IN = /^(__|String$|Int$|Float$|Boolean$|ID$)/;

function* describables(type: GraphQLNamedType): Generator<[name: string, description: string | null | undefined]> {
	yield [type.name, type.description];
	if (isEnumType(type)) for (const value of type.getValues()) yield [`${type.name}.${value.name}`, value.description];
	if (isInputObjectType(type)) {
		for (const field of Object.values(type.getFields())) yield [`${type.name}.${field.name}`, field.description];
	}
	if (isObjectType(type) || isInterfaceType(type)) {
		for (const field of Object.values(type.getFields())) {
			yield [`${type.name}.${field.name}`, field.description];
			for (const arg of field.args) yield [`${type.name}.${field.name}(${arg.name})`, arg.description];
		}
	}
}

describe("the GraphQL schema", () => {
	const types = Object.values(schema.getTypeMap()).filter((type) => !BUILT_IN.test(type.name));

	it("describes every type, field, argument and value", () => {
		const undescribed = types.flatMap((type) => [...describables(type)]).filter(([, description]) => !description);
		expect(undescribed.map(([name]) => name)).toEqual([]);
	});

	it("leaves every root field nullable, so that one failing field does not take the others' data (ERR-7)", () => {
		const roots = [schema.getQueryType()!, schema.getMutationType()!, schema.getSubscriptionType()!].flatMap((type) =>
			Object.values(type.getFields()),
		);
		const required = roots.filter(({ type, name }) => String(type).endsWith("!") && name !== "nodes");
		expect(required.map(({ name }) => name)).toEqual([]);
	});

	it("is the committed schema.graphql", async () => {
		const committed = await readFile(new URL("../../server/graphql/schema.graphql", import.meta.url), "utf8");
		expect(committed.trim()).toBe(printSchema(schema).trim());
	});
});
