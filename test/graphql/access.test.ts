import { buildSchema } from "graphql";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { guard } from "../../server/graphql/access.ts";
import { createToken, listTokens, revokeToken } from "../../server/store/tokens.ts";
import { createBrowserToken } from "../support/browser-tokens.ts";
import { everythingOf, fillAll } from "../support/everything.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { type RawAnswer, sendRaw } from "../support/raw.ts";
import { normal, ROOT_FIELDS, requestOf } from "../support/root-fields.ts";

let gateway: TestGateway;

beforeAll(async () => {
	gateway = await startGateway();
	await fillAll(gateway, gateway);
});

afterAll(() => gateway.close());

function codes({ errors }: RawAnswer): string[] {
	return errors.map(({ extensions }) => extensions.code);
}

const MUTATIONS = ROOT_FIELDS.filter(([, kind]) => kind === "mutation");

/** What names a message has no conversation to be judged by; what the token does not reach is absent to these. */
const BY_MESSAGE = /^(update|delete)Message$|^setLabel$/;

describe("a root field", () => {
	it("cannot be served without an access rule", () => {
		expect(() => guard(buildSchema("type Query { viewer: Int, secrets: Int }"))).toThrow(
			"Query.secrets has no access rule",
		);
		expect(() => guard(buildSchema("type Query { viewer: Int } type Mutation { destroy: Int }"))).toThrow(
			"Mutation.destroy has no access rule",
		);
	});

	it.each(ROOT_FIELDS)("is closed to tokens that are unknown, revoked or expired: %s", async (_, kind, field) => {
		const { db, projectId } = gateway;
		const revoked = await createToken(db, { projectId, role: "admin", name: field.name });
		const { tokenId } = (await listTokens(db, projectId)).find(({ name }) => name === field.name)!;
		await revokeToken(db, tokenId);
		const expired = await createToken(db, { projectId, role: "admin", name: "old", expiresAt: new Date(0) });
		const browser = await createBrowserToken(gateway, { conversationIds: ["shared"], expiredFor: 1 });
		for (const token of ["ags_unknown", `ags_${"A".repeat(64)}`, "e30.e30.e30", revoked, expired, browser]) {
			const answer = await sendRaw(gateway, requestOf(kind, field, "foreign"), token);
			expect(answer).toMatchObject({
				status: 401,
				data: null,
				errors: [{ message: "The token is unknown, expired or revoked", extensions: { code: "Unauthorized" } }],
			});
		}
	});

	it.each(MUTATIONS)("that writes is Forbidden to a token that may read: %s", async (_, kind, field) => {
		const { db, projectId } = gateway;
		const before = await everythingOf(gateway, projectId);
		const reader = await createToken(db, { projectId, role: "read", name: "reader" });
		const browser = await createBrowserToken(gateway, { conversationIds: ["shared"], role: "READ" });
		for (const token of [reader, browser]) {
			const answer = await sendRaw(gateway, requestOf(kind, field, "foreign"), token);
			expect(answer).toMatchObject({ status: 403, errors: [{ extensions: { code: "Forbidden" } }] });
			expect(answer.data?.[field.name] ?? null).toBeNull();
		}
		expect(await everythingOf(gateway, projectId)).toEqual(before);
	});

	it.each(ROOT_FIELDS)("shows and changes nothing beyond a token's conversations: %s", async (_, kind, field) => {
		const before = await everythingOf(gateway, gateway.projectId);
		const token = await createBrowserToken(gateway, { conversationIds: ["mine"], role: "WRITE" });
		// The first names are those of another conversation of the same project.
		const other = await sendRaw(gateway, requestOf(kind, field, "foreign"), token);
		const absent = await sendRaw(gateway, requestOf(kind, field, "absent"), token);
		expect(normal(other)).toBe(normal(absent));
		expect(JSON.stringify(other)).not.toContain("owned");
		if (kind === "mutation" && !BY_MESSAGE.test(field.name)) expect(codes(other)).toEqual(["Forbidden"]);
		expect(await everythingOf(gateway, gateway.projectId)).toEqual(before);
	});
});

describe("a document", () => {
	it("answers no introspection unless that is on", async () => {
		for (const query of ["{ __schema { types { name } } }", '{ __type(name: "Query") { name } }']) {
			const answer = await sendRaw(gateway, { query });
			expect(answer).toMatchObject({ status: 400, data: null });
			expect(codes(answer)).toContain("BadRequest");
		}
		expect((await sendRaw(gateway, { query: "{ __typename }" })).data).toEqual({ __typename: "Query" });
		const open = await startGateway({ databaseUrl: gateway.databaseUrl, introspection: true });
		const answer = await sendRaw(open, { query: "{ __schema { queryType { name } } }" });
		await open.close();
		expect(answer.data).toEqual({ __schema: { queryType: { name: "Query" } } });
	});

	it("may not ask for a multiple of multiples of pages", async () => {
		const page = "nodes { conversation { messages(first: 200) { nodes { seq } } } }";
		const query = `query ($first: Int) { conversations(first: $first) { nodes { messages(first: 200) { ${page} } } } }`;
		const refused = await sendRaw(gateway, { query, variables: { first: 200 } });
		expect(refused).toMatchObject({ status: 400, errors: [{ extensions: { code: "BadRequest" } }] });
		expect(refused.errors[0]?.message).toMatch(/^query: may select 100000 values at most, not \d+/);
		expect((await sendRaw(gateway, { query, variables: { first: 1 } })).errors).toEqual([]);
	});

	it("may ask for the largest pages with a page inside", async () => {
		const query = "{ conversations(first: 200) { nodes { messages(first: 50) { nodes { seq role type payload } } } } }";
		expect((await sendRaw(gateway, { query })).errors).toEqual([]);
		const wide = await sendRaw(gateway, { query: "{ conversations(first: 1000000) { nodes { metadata } } }" });
		expect(wide.errors[0]?.message).toMatch(/^first: must be an integer from 1 to 200/);
	});
});
