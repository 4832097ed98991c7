import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { beforeAll, describe, expect, it } from "vitest";

const CONTRACT = new URL("../../client/CONTRACT.md", import.meta.url);
/** The agreement that client/CONTRACT.md restates; it lies beside the checkout where the project is developed. */
const SHARED = new URL("../../../shared/contract.md", import.meta.url);
const TESTS = new URL("../", import.meta.url);

const ID = "[A-Z]{3,4}-\\d+";

/** The ids that a text states as items of a list; other occurrences, such as UTF-8, are no rules. */
function statedIds(text: string): string[] {
	return [...text.matchAll(new RegExp(`^- \\**(${ID})\\b`, "gm"))].map(([, id]) => id!);
}

/** The name that a chain such as `it.each(rows)` starts with. */
function rootName(node: ts.Expression): string | undefined {
	if (ts.isIdentifier(node)) return node.text;
	if (ts.isPropertyAccessExpression(node) || ts.isCallExpression(node)) return rootName(node.expression);
	if (ts.isTaggedTemplateExpression(node)) return rootName(node.tag);
	return undefined;
}

/** The titles of all tests in a source text. */
function titlesIn(name: string, text: string): string[] {
	const titles: string[] = [];
	const visit = (node: ts.Node): void => {
		const [title] = ts.isCallExpression(node) ? node.arguments : [];
		if (title !== undefined && ["it", "test"].includes(rootName((node as ts.CallExpression).expression) ?? "")) {
			if (ts.isStringLiteralLike(title)) titles.push(title.text);
			if (ts.isTemplateExpression(title)) titles.push(title.getText());
		}
		ts.forEachChild(node, visit);
	};
	visit(ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true));
	return titles;
}

let stated: string[];
/** Every id in a title, with the titles. */
let cited: Map<string, string[]>;

beforeAll(async () => {
	stated = statedIds(await readFile(CONTRACT, "utf8"));
	cited = new Map();
	const files = (await readdir(TESTS, { recursive: true })).filter((name) => name.endsWith(".test.ts"));
	for (const name of files) {
		for (const title of titlesIn(name, await readFile(new URL(name, TESTS), "utf8"))) {
			for (const [id] of title.matchAll(new RegExp(`\\b${ID}\\b`, "g")))
				cited.set(id, [...(cited.get(id) ?? []), title]);
		}
	}
});

describe("client/CONTRACT.md", () => {
	it("states every rule once", () => {
		expect(stated.length).toBeGreaterThan(35);
		expect(stated).toEqual([...new Set(stated)]);
	});

	it("has a test for every rule, with its id in the title", () => {
		expect(stated.filter((id) => !cited.has(id))).toEqual([]);
	});

	it("has the rules that test titles name", () => {
		const areas = new Set(stated.map((id) => id.split("-")[0]));
		const named = [...cited.keys()].filter((id) => areas.has(id.split("-")[0]) && !/^ISO-\d{4}$/.test(id));
		expect(named.filter((id) => !stated.includes(id))).toEqual([]);
	});

	it.skipIf(!existsSync(fileURLToPath(SHARED)))(
		"states every rule of the shared contract (../shared beside the checkout)",
		async () => {
			const shared = statedIds(await readFile(SHARED, "utf8"));
			expect(shared.length).toBeGreaterThan(35);
			expect(shared.filter((id) => !stated.includes(id))).toEqual([]);
		},
	);
});

describe("the reading of titles", () => {
	it("finds plain, tabled, conditional and template titles, and no others", () => {
		const source = [
			'it("AAA-1: plain", () => {});',
			'it.each([["AAA-9: a row"]])("AAA-2: %s", () => {});',
			["test.skipIf(x)(`AAA-3: $", "{n}`, () => {});"].join(""),
			'describe("AAA-9: a group", () => { test("AAA-4: inside", () => {}); });',
			'// it("AAA-9: a comment")',
			'expect("AAA-9: a value").toBe("it");',
		].join("\n");
		expect(
			titlesIn("x.ts", source)
				.join()
				.match(/AAA-\d/g),
		).toEqual(["AAA-1", "AAA-2", "AAA-3", "AAA-4"]);
	});
});
