import { createStore } from "@iga-pages/agent/store";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { failure } from "../support/errors.ts";
import { everythingOf, fill, fillAll } from "../support/everything.ts";
import { startGateway, type TestGateway, type TestProject } from "../support/gateway.ts";
import { sendRaw } from "../support/raw.ts";
import { nodeId, normal, ROOT_FIELDS, requestOf } from "../support/root-fields.ts";
import { query } from "../support/sql.ts";

let gateway: TestGateway;
let stranger: TestProject;

beforeAll(async () => {
	gateway = await startGateway();
	stranger = await gateway.createProject();
});

afterAll(() => gateway.close());

describe("projects with the same ids", () => {
	it("ISO-1: each store sees its own rows only, and changes its own rows only", async () => {
		const [one, two] = [await gateway.createProject(), await gateway.createProject()];
		await fill(one, "one");
		await fill(two, "two");
		const before = await everythingOf(gateway, one.projectId);
		const { store } = two;
		expect(await store.getConversation({ conversationId: "shared" })).toMatchObject({ metadata: { text: "two" } });
		expect(await store.getMessage({ messageId: "shared 1" })).toMatchObject({ payload: "two 1" });
		const { items } = await store.listMessages({ conversationId: "shared" });
		expect(items.map(({ payload }) => payload)).toEqual(["two 1", "two 2", "two 3"]);
		expect((await store.listConversations()).items).toHaveLength(1);
		await store.updateConversation({ conversationId: "shared", metadata: { text: "changed" } });
		await store.updateMessage({ messageId: "shared 1", payload: "changed" });
		await store.appendMessage({ conversationId: "shared", messageId: "shared 4", payload: 1 });
		await store.deleteMessage({ messageId: "shared 2" });
		await store.clearMessages({ conversationId: "shared" });
		await store.deleteConversation({ conversationId: "shared" });
		expect(await everythingOf(gateway, one.projectId)).toEqual(before);
		expect(await one.store.getMessage({ messageId: "shared 2" })).toMatchObject({ payload: "one 2", seq: "2" });
	});

	it("ISO-1: the same ids are taken at the same time in two projects", async () => {
		const projects = [await gateway.createProject(), await gateway.createProject()];
		for (let round = 0; round < 20; round++) {
			const conversationId = `both ${round}`;
			const written = await Promise.all(
				projects.map(({ store }, payload) =>
					store.appendMessage({ conversationId, messageId: conversationId, payload }),
				),
			);
			expect(written.map(({ seq, payload }) => [seq, payload])).toEqual([
				["1", 0],
				["1", 1],
			]);
		}
	});

	it("ISO-1: nothing in a body, a header or metadata chooses the project", async () => {
		await fill(gateway, "mine");
		const { projectId } = gateway;
		const document = "query ($id: String!) { conversation(conversationId: $id) { metadata } }";
		const response = await fetch(`${gateway.url}?project=${projectId}`, {
			method: "POST",
			headers: {
				"content-type": "application/json",
				authorization: `Bearer ${stranger.token}`,
				"x-project-id": projectId,
				cookie: `token=${gateway.token}`,
			},
			body: JSON.stringify({
				query: document,
				variables: { id: "shared" },
				extensions: { projectId, token: gateway.token },
			}),
		});
		expect(await response.json()).toEqual({ data: { conversation: null } });
		const { metadata } = await stranger.store.createConversation({ metadata: { projectId, owner: projectId } });
		expect(metadata).toEqual({ projectId, owner: projectId });
		expect((await gateway.store.listConversations()).items).toHaveLength(1);
	});

	it("ISO-1: requests of two projects that alternate on few connections stay apart, failing ones included", async () => {
		const narrow = await startGateway({ databaseUrl: gateway.databaseUrl, poolSize: 1 });
		try {
			const projects = [narrow, await narrow.createProject()];
			await Promise.all(projects.map((project, index) => fill(project, `${index}`)));
			await Promise.all(
				Array.from({ length: 100 }, async (_, round) => {
					const { store } = projects[round % 2]!;
					if (round % 5 === 0) {
						const call = store.appendMessage({ conversationId: "shared", messageId: "shared 1", payload: "other" });
						expect((await failure(call)).code).toBe("Conflict");
					}
					expect(await store.getMessage({ messageId: "shared 1" })).toMatchObject({ payload: `${round % 2} 1` });
				}),
			);
		} finally {
			await narrow.close();
		}
	});
});

describe("another project's rows", () => {
	it.each(ROOT_FIELDS)("ISO-2: look like absent ones to %s, and stay as they are", async (_, kind, field) => {
		const owner = await gateway.createProject();
		await fillAll(gateway, owner);
		const before = await everythingOf(gateway, owner.projectId);
		const answers = [];
		for (const which of ["foreign", "absent"] as const) {
			// A project of its own each, so that the first write cannot show in the second answer.
			const { token } = await gateway.createProject();
			answers.push(await sendRaw(gateway, requestOf(kind, field, which), token));
		}
		const [foreign, absent] = answers;
		if (field.name !== "viewer") expect(normal(foreign)).toBe(normal(absent));
		expect(foreign?.errors.map(({ message }) => message).join()).not.toMatch(/variable|Cannot query|Unexpected/i);
		expect(JSON.stringify(foreign)).not.toContain("owned");
		expect(JSON.stringify(foreign)).not.toContain(owner.projectId);
		expect(await everythingOf(gateway, owner.projectId)).toEqual(before);
	});

	it("ISO-2: cannot be reached with the cursors of their project", async () => {
		const [owner, thief] = [await gateway.createProject(), await gateway.createProject()];
		await fill(owner, "owned");
		await fill(thief, "own");
		await owner.store.createConversation({ conversationId: "second" });
		await thief.store.createConversation({ conversationId: "second" });
		const messages = (await owner.store.listMessages({ conversationId: "shared", limit: 1 })).nextCursor;
		const conversations = (await owner.store.listConversations({ limit: 1 })).nextCursor;
		const garbage = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
		const list = (cursor: string | null) => failure(thief.store.listMessages({ conversationId: "shared", cursor }));
		const listAll = (cursor: string | null) => failure(thief.store.listConversations({ cursor }));
		for (const [refusal, other] of [
			[await list(messages), await list(garbage)],
			[await listAll(conversations), await listAll(garbage)],
		]) {
			expect(refusal).toMatchObject({ code: "BadRequest", status: 400 });
			expect(refusal?.message).toBe(other?.message);
		}
	});

	it("ISO-2: a node id says nothing about who has it", async () => {
		await fill(stranger, "theirs");
		const ids = ["Message:shared 1", "Conversation:shared"].map(nodeId);
		const { token } = await gateway.createProject();
		const document = "query ($ids: [ID!]!) { nodes(ids: $ids) { id } }";
		expect((await sendRaw(gateway, { query: document, variables: { ids } }, token)).data).toEqual({
			nodes: [null, null],
		});
		const own = await sendRaw(gateway, { query: document, variables: { ids } }, stranger.token);
		expect(own.data).toEqual({ nodes: ids.map((id) => ({ id })) });
	});

	it("ISO-2: every key, index and foreign key of the tables leads with the project", async () => {
		const loose = await query<{ name: string }>(
			gateway,
			`SELECT c.relname AS name FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
			JOIN pg_class t ON t.oid = i.indrelid JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = i.indkey[0]
			WHERE t.relnamespace = current_schema()::regnamespace AND t.relname NOT LIKE '\\_prisma%'
				AND t.relname <> 'projects' AND a.attname <> 'project_id'`,
		);
		expect(loose).toEqual([]);
	});
});

describe("credentials", () => {
	it.each([
		["no header", {}],
		["an empty token", { authorization: "Bearer " }],
		["another scheme", { authorization: "Basic YTpi" }],
		["an unknown token", { authorization: "Bearer ags_unknown" }],
		["a token of the right form", { authorization: `Bearer ags_${"A".repeat(64)}` }],
		["two tokens", { authorization: "Bearer a b" }],
	])("ISO-3: nothing is answered with %s", async (_, headers) => {
		const requests = [
			"{ viewer { role } }",
			"{ conversations { nodes { conversationId } } }",
			"{ __typename }",
			'mutation { appendMessage(input: { conversationId: "anonymous", payload: 1 }) { __typename } }',
		];
		for (const text of requests) {
			const response = await fetch(gateway.url, {
				method: "POST",
				headers: { "content-type": "application/json", ...headers },
				body: JSON.stringify({ query: text }),
			});
			expect(response.status).toBe(401);
			const { data, errors } = (await response.json()) as { data?: unknown; errors: unknown[] };
			expect(data ?? null).toBeNull();
			expect(errors).toMatchObject([{ extensions: { code: "Unauthorized", status: 401 } }]);
		}
		const get = await fetch(`${gateway.url}?query={__typename}`, { headers: headers as Record<string, string> });
		expect(get.status).toBe(401);
	});

	it("ISO-3: a revoked, an expired and an altered token are refused with the same words", async () => {
		const project = await gateway.createProject();
		const expired = await gateway.createProject();
		await query(gateway, "UPDATE api_tokens SET revoked_at = now() WHERE project_id = $1", [project.projectId]);
		await query(gateway, "UPDATE api_tokens SET expires_at = now() - interval '1 s' WHERE project_id = $1", [
			expired.projectId,
		]);
		const altered = `${gateway.token.slice(0, -2)}${gateway.token.endsWith("AA") ? "BB" : "AA"}`;
		const errors = [];
		for (const token of [project.token, expired.token, altered, "ags_unknown"]) {
			const store = createStore({ url: gateway.url, token });
			errors.push(await failure(store.getConversation({ conversationId: "shared" })));
		}
		for (const error of errors) expect(error).toMatchObject({ code: "Unauthorized", status: 401 });
		expect(new Set(errors.map(({ message }) => message)).size).toBe(1);
	});

	it("ISO-3: a credential to read may not write", async () => {
		const reader = await gateway.createProject({ role: "read" });
		expect(await reader.store.getConversation({ conversationId: "shared" })).toBeNull();
		const error = await failure(reader.store.appendMessage({ conversationId: "shared", payload: 1 }));
		expect(error).toMatchObject({ code: "Forbidden", status: 403 });
		expect((await reader.store.listConversations()).items).toEqual([]);
	});
});
