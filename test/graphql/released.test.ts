import { readdir, readFile } from "node:fs/promises";
import { buildSchema, findBreakingChanges, type GraphQLSchema, parse, validate } from "graphql";
import { describe, expect, it } from "vitest";
import { schema } from "../../server/graphql/schema.ts";

/**
 * The schemas of all releases, copied at each: `schema.graphql` as `<version>.graphql`. SDKs of those releases are in
 * use, so the schema only grows. Until the first release is out, its file may be replaced.
 */
const FOLDER = new URL("released/", import.meta.url);
const FILES = await readdir(FOLDER);

function breakingChanges(released: GraphQLSchema, current: GraphQLSchema): string[] {
	return findBreakingChanges(released, current).map(({ description }) => description);
}

describe("the GraphQL schema", () => {
	it.each(FILES)("has everything that was released in %s", async (file) => {
		const released = buildSchema(await readFile(new URL(file, FOLDER), "utf8"));
		expect(breakingChanges(released, schema)).toEqual([]);
	});

	it("has a file for each release of the changelog", async () => {
		const changelog = await readFile(new URL("../../CHANGELOG.md", import.meta.url), "utf8");
		const released = [...changelog.matchAll(/^## (\d\S*)/gm)].map(([, version]) => `${version}.graphql`);
		expect(FILES).toEqual(expect.arrayContaining(released));
	});

	it("would not lose a field, a type or an enum value, nor demand a new argument, unnoticed", () => {
		const released = buildSchema("enum E { A B } type T { a: E } type Query { t(x: Int): T, u: Int }");
		const current = buildSchema("enum E { A } type Query { t(x: Int, y: Int!): Int }");
		expect(breakingChanges(released, current)).toHaveLength(5);
	});

	it("answers the operations of the SDK, also as it was released", async () => {
		const operations = new URL("../../client/operations/", import.meta.url);
		const names = await readdir(operations);
		const documents = await Promise.all(names.map((name) => readFile(new URL(name, operations), "utf8")));
		expect(validate(schema, parse(documents.join("\n")))).toEqual([]);
	});
});
