import { StoreError } from "@iga-pages/agent/store";
import pg from "pg";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { failure } from "../support/errors.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { query, rowVersions } from "../support/sql.ts";

interface LogEntry {
	level: number;
	requestId?: string;
	err?: { message: string; stack: string };
}

let gateway: TestGateway;
const log: LogEntry[] = [];

beforeAll(async () => {
	const logger = pino({ level: "warn" }, { write: (line: string) => log.push(JSON.parse(line) as LogEntry) });
	gateway = await startGateway({ logger, store: { retries: 0 } });
});

afterAll(() => gateway.close());

describe("database errors that have a meaning", () => {
	it("ERR-1: keep SQLSTATE, message, details and hint as Postgres gave them", async () => {
		const { store, projectId } = gateway;
		await store.createConversation({ conversationId: "taken" });
		const error = await failure(store.createConversation({ conversationId: "taken" }));
		const message = 'duplicate key value violates unique constraint "conversations_pkey"';
		expect(error.toJSON()).toEqual({
			code: "Conflict",
			status: 409,
			message,
			error: {
				code: "23505",
				message,
				details: `Key (project_id, conversation_id)=(${projectId}, taken) already exists.`,
				hint: null,
			},
			requestId: expect.any(String),
		});
		expect(error).toBeInstanceOf(StoreError);
	});

	it("ERR-1 ERR-4: that passed three times inside the gateway are ServiceUnavailable with their SQLSTATE", async () => {
		const { store } = gateway;
		await query(gateway, "CREATE SEQUENCE tries");
		await query(
			gateway,
			`CREATE FUNCTION fail_thrice() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
				PERFORM nextval('tries');
				IF new.message_id LIKE 'thrice%' OR (new.message_id = 'once' AND currval('tries') < 5) THEN
					RAISE EXCEPTION 'could not serialize access' USING ERRCODE = '40001', HINT = 'try again';
				END IF;
				RETURN new;
			END $$`,
		);
		await query(
			gateway,
			"CREATE TRIGGER fail_thrice BEFORE INSERT ON messages FOR EACH ROW EXECUTE FUNCTION fail_thrice()",
		);
		const error = await failure(store.appendMessage({ conversationId: "busy", messageId: "thrice", payload: 1 }));
		expect(error).toMatchObject({
			code: "ServiceUnavailable",
			status: 503,
			error: { code: "40001", message: "could not serialize access", details: null, hint: "try again" },
		});
		const [row] = await query<{ tries: string }>(gateway, "SELECT last_value AS tries FROM tries");
		expect(row?.tries).toBe("3");
		expect(await store.getConversation({ conversationId: "busy" })).toBeNull();
		// The fourth try in all fails, the fifth succeeds: the gateway's second of this call.
		expect(await store.appendMessage({ conversationId: "busy", messageId: "once", payload: 1 })).toMatchObject({
			seq: "1",
		});
		const response = await gateway.post({
			query:
				'mutation { appendMessage(input: { conversationId: "busy", messageId: "thrice-2", payload: 1 }) { message { seq } } }',
		});
		expect(response.status).toBe(503);
		expect(response.headers.get("retry-after")).toMatch(/^[1-9]\d*$/);
		await query(gateway, "DROP TRIGGER fail_thrice ON messages");
	});
});

describe("unexpected errors", () => {
	it("ERR-5: reach the client as UnknownError with a request id and nothing else; the log has the rest under that id", async () => {
		const { store } = gateway;
		await query(gateway, "ALTER TABLE messages RENAME COLUMN payload TO secret_payload");
		try {
			for (const call of [
				() => store.appendMessage({ conversationId: "masked", payload: "private words" }),
				() => store.listMessages({ conversationId: "taken" }),
				() => store.getMessage({ messageId: "m" }),
			]) {
				log.length = 0;
				const error = await failure(call());
				const { requestId } = error;
				expect(error.toJSON()).toEqual({
					code: "UnknownError",
					status: 500,
					message: "Unexpected error",
					requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
				});
				expect(log).toHaveLength(1);
				expect(log[0]).toMatchObject({ level: 50, requestId, err: { message: expect.stringContaining("payload") } });
				expect(JSON.stringify(log)).not.toMatch(/private words|ags_|postgres:\/\//);
			}
			const response = await gateway.post({ query: '{ message(messageId: "x") { payload } }' });
			const text = await response.text();
			expect(response.status).toBe(500);
			expect(text).not.toMatch(/SELECT|secret|42703|postgres|\.ts|node_modules|\bat /);
			const { errors } = JSON.parse(text) as { errors: { extensions: { requestId: string } }[] };
			expect(response.headers.get("x-request-id")).toBe(errors[0]?.extensions.requestId);
		} finally {
			await query(gateway, "ALTER TABLE messages RENAME COLUMN secret_payload TO payload");
		}
		expect(await failure(store.getMessage({ messageId: "x".repeat(300) }))).toMatchObject({ code: "BadRequest" });
	});

	it("ERR-5: of the token's look-up are masked, too", async () => {
		await query(gateway, "ALTER TABLE api_tokens RENAME COLUMN role TO secret_role");
		log.length = 0;
		const strange = `ags_${Buffer.alloc(48, 9).toString("base64url")}`;
		const response = await gateway.post({ query: "{ viewer { role } }" }, { authorization: `Bearer ${strange}` });
		await query(gateway, "ALTER TABLE api_tokens RENAME COLUMN secret_role TO role");
		const text = await response.text();
		expect(response.status).toBe(500);
		expect(JSON.parse(text)).toMatchObject({
			errors: [{ message: "Unexpected error", extensions: { code: "UnknownError", status: 500 } }],
		});
		expect(text).not.toMatch(/secret|column|SELECT/);
		expect(log).toMatchObject([{ level: 50, err: { message: expect.stringContaining("role") } }]);
		expect(JSON.stringify(log)).not.toContain(strange);
	});

	it("ERR-5: are not logged for what callers do wrong", async () => {
		log.length = 0;
		await gateway.post("not JSON");
		await gateway.post({ query: "{ nothing }" });
		await gateway.post({ query: '{ messages(conversationId: "") { nodes { seq } } }' });
		await gateway.post({ query: "{ viewer { role } }" }, { authorization: "" });
		expect(log).toEqual([]);
	});
});

describe("success and failure of writes", () => {
	it("ERR-6: a write that resolved is seen by another connection at once", async () => {
		const { store, projectId } = gateway;
		const client = new pg.Client(gateway.databaseUrl);
		await client.connect();
		const read = async (text: string, id: string) => (await client.query(text, [projectId, id])).rows[0];
		const message = "SELECT payload, role FROM messages WHERE project_id = $1 AND message_id = $2";
		const conversation = "SELECT metadata FROM conversations WHERE project_id = $1 AND conversation_id = $2";
		try {
			await store.createConversation({ conversationId: "durable", metadata: { a: 1 } });
			expect(await read(conversation, "durable")).toEqual({ metadata: { a: 1 } });
			await store.updateConversation({ conversationId: "durable", metadata: { a: 2 } });
			expect(await read(conversation, "durable")).toEqual({ metadata: { a: 2 } });
			await store.appendMessage({ conversationId: "durable", messageId: "durable-1", payload: 1 });
			expect(await read(message, "durable-1")).toEqual({ payload: 1, role: null });
			await store.updateMessage({ messageId: "durable-1", role: "user" });
			expect(await read(message, "durable-1")).toEqual({ payload: 1, role: "user" });
			await store.deleteMessage({ messageId: "durable-1" });
			expect(await read(message, "durable-1")).toBeUndefined();
			await store.appendMessages({ conversationId: "durable", messages: [{ messageId: "durable-2", payload: [2] }] });
			expect(await read(message, "durable-2")).toEqual({ payload: [2], role: null });
			await store.clearMessages({ conversationId: "durable" });
			expect(await read(message, "durable-2")).toBeUndefined();
			await store.deleteConversation({ conversationId: "durable" });
			expect(await read(conversation, "durable")).toBeUndefined();
		} finally {
			await client.end();
		}
	});

	it("ERR-6: commits wait for the disk where the server does not say otherwise", async () => {
		const [row] = await query<{ boot: string; now: string }>(
			gateway,
			"SELECT boot_val AS boot, current_setting('synchronous_commit') AS now FROM pg_settings WHERE name = 'synchronous_commit'",
		);
		const settings = await query<{ setconfig: string[] }>(
			gateway,
			"SELECT setconfig FROM pg_db_role_setting WHERE setdatabase = (SELECT oid FROM pg_database WHERE datname = current_database())",
		);
		expect(row?.boot).toBe("on");
		expect(settings.flatMap(({ setconfig }) => setconfig)).not.toContainEqual(expect.stringContaining("synchronous"));
	});
});

describe("GraphQL over HTTP", () => {
	const unknownUpdate = 'updateMessage(input: { messageId: "unknown", role: "x" }) { message { seq } }';

	it.each([
		"application/json",
		"application/graphql-response+json",
		"application/graphql-response+json, application/json",
		"*/*",
	])("ERR-7: answers a request with one root field with the status of its error: accept %s", async (accept) => {
		await gateway.store.createConversation({ conversationId: `one-${accept}` });
		for (const [status, code, query] of [
			[200, undefined, "{ viewer { role } }"],
			[400, "BadRequest", '{ messages(conversationId: "a", first: 0) { nodes { seq } } }'],
			[400, "BadRequest", "{ viewer { nothing } }"],
			[400, "BadRequest", "{ viewer "],
			[404, "NotFound", `mutation { ${unknownUpdate} }`],
			[
				409,
				"Conflict",
				`mutation { createConversation(input: { conversationId: "one-${accept}" }) { conversation { metadata } } }`,
			],
		] as const) {
			const response = await gateway.post({ query }, { accept });
			expect(response.status, query).toBe(status);
			const type = accept.startsWith("application/graphql-response+json")
				? "application/graphql-response+json"
				: "application/json";
			expect(response.headers.get("content-type")).toContain(type);
			const body = (await response.json()) as { errors?: unknown[] };
			expect(body.errors === undefined).toBe(code === undefined);
			if (code !== undefined) expect(body).toMatchObject({ errors: [{ extensions: { code, status } }] });
		}
		const anonymous = await gateway.post({ query: "{ viewer { role } }" }, { accept, authorization: "" });
		expect(anonymous.status).toBe(401);
		expect(await anonymous.json()).toMatchObject({ errors: [{ extensions: { code: "Unauthorized", status: 401 } }] });
	});

	it.each(["application/json", "application/graphql-response+json"])(
		"ERR-7: answers several root fields with 200 and keeps the data of those that succeeded: accept %s",
		async (accept) => {
			const { store } = gateway;
			const { messageId } = await store.appendMessage({ conversationId: "several", payload: 1 });
			const response = await gateway.post(
				{
					query: `{
						good: message(messageId: ${JSON.stringify(messageId)}) { payload }
						bad: messages(conversationId: "several", first: 0) { nodes { seq } }
						viewer { role }
						worse: messages(conversationId: "several", after: "x") { nodes { seq } }
					}`,
				},
				{ accept },
			);
			expect(response.status).toBe(200);
			const body = (await response.json()) as { data: unknown; errors: { path: string[] }[] };
			expect(body.data).toEqual({ good: { payload: 1 }, bad: null, viewer: { role: "WRITE" }, worse: null });
			expect(body.errors).toHaveLength(2);
			expect(body.errors.map(({ path }) => path)).toEqual(expect.arrayContaining([["bad"], ["worse"]]));
			expect(body.errors).toMatchObject(Array(2).fill({ extensions: { code: "BadRequest", status: 400 } }));
		},
	);

	it("ERR-7: runs several mutations in order, and one that fails leaves the others their effect", async () => {
		const { store } = gateway;
		const response = await gateway.post({
			query: `mutation {
				first: appendMessage(input: { conversationId: "sequence", messageId: "s-1", payload: 1 }) { message { seq } }
				${unknownUpdate}
				second: appendMessage(input: { conversationId: "sequence", messageId: "s-2", payload: 2 }) { message { seq } }
				clash: appendMessage(input: { conversationId: "sequence", messageId: "s-1", payload: 9 }) { message { seq } }
				gone: deleteMessage(input: { messageId: "s-1" }) { messageId }
			}`,
		});
		expect(response.status).toBe(200);
		expect(await response.json()).toMatchObject({
			data: {
				first: { message: { seq: "1" } },
				updateMessage: null,
				second: { message: { seq: "2" } },
				clash: null,
				gone: { messageId: "s-1" },
			},
			errors: [
				{ path: ["updateMessage"], extensions: { code: "NotFound", status: 404 } },
				{ path: ["clash"], extensions: { code: "Conflict", status: 409, error: { code: "23505" } } },
			],
		});
		expect((await store.listMessages({ conversationId: "sequence" })).items).toMatchObject([{ messageId: "s-2" }]);
	});

	it("ERR-7: answers 200 also where every one of several root fields fails", async () => {
		const response = await gateway.post({
			query:
				'{ a: messages(conversationId: "", first: 1) { nodes { seq } } b: messages(conversationId: "") { nodes { seq } } }',
		});
		expect(response.status).toBe(200);
		expect(await response.json()).toMatchObject({ data: { a: null, b: null }, errors: [{}, {}] });
	});

	it("ERR-7: keeps nested pages apart: a bad argument of one leaves the others their data", async () => {
		const { store } = gateway;
		await store.appendMessage({ conversationId: "nested", payload: 1 });
		const response = await gateway.post({
			query: `{
				good: node(id: "${Buffer.from("Conversation:nested").toString("base64url")}") {
					... on Conversation { messages { nodes { payload } } }
				}
				bad: node(id: "${Buffer.from("Conversation:nested").toString("base64url")}") {
					... on Conversation { messages(after: "x") { nodes { payload } } }
				}
			}`,
		});
		expect(response.status).toBe(200);
		expect(await response.json()).toMatchObject({
			data: { good: { messages: { nodes: [{ payload: 1 }] } }, bad: null },
			errors: [{ extensions: { code: "BadRequest", status: 400 } }],
		});
	});

	it.each([
		["a field that does not exist", "{ viewer { password } }", "password"],
		["a root field that does not exist", "{ projects { name } }", "projects"],
		["an argument that does not exist", '{ messages(conversationId: "a", offset: 1) { nodes { seq } } }', "offset"],
		["a type that does not fit", "{ messages(conversationId: 7) { nodes { seq } } }", "String"],
		["a missing argument", "{ messages { nodes { seq } } }", "conversationId"],
		[
			"an input field that does not exist",
			'mutation { clearMessages(input: { conversation: "a" }) { conversationId } }',
			"conversation",
		],
		[
			"an input field of the wrong type",
			'mutation { clearMessages(input: { conversationId: ["a"] }) { conversationId } }',
			"String",
		],
		[
			"an enum value that does not exist",
			'{ messages(conversationId: "a", order: NEWEST) { nodes { seq } } }',
			"NEWEST",
		],
		["last", '{ messages(conversationId: "a", last: 1) { nodes { seq } } }', "last"],
		["before", '{ conversations(before: "x") { nodes { metadata } } }', "before"],
	])("ERR-7: refuses %s as BadRequest that names it, and writes nothing", async (_what, document, named) => {
		const before = await rowVersions(gateway);
		const response = await gateway.post({ query: document });
		expect(response.status).toBe(400);
		const { errors } = (await response.json()) as { errors: { message: string; extensions: object }[] };
		expect(errors[0]?.message).toContain(named);
		expect(errors[0]?.extensions).toMatchObject({ code: "BadRequest", status: 400, requestId: expect.any(String) });
		expect(await rowVersions(gateway)).toEqual(before);
	});

	it("ERR-7: refuses variables of the wrong type and unknown input fields as BadRequest that names them", async () => {
		const before = await rowVersions(gateway);
		const append = "mutation ($input: AppendMessageInput!) { appendMessage(input: $input) { message { seq } } }";
		for (const [input, named] of [
			[{ conversationId: "v", payload: 1, seq: "9" }, "seq"],
			[{ conversationId: "v", payload: 1, projectId: "x" }, "projectId"],
			[{ conversationId: 1, payload: 1 }, "conversationId"],
			[{ conversationId: null, payload: 1 }, "conversationId"],
			[{ payload: 1 }, "conversationId"],
			[{ conversationId: "v" }, "payload"],
			[{ conversationId: "v", payload: 1, role: { a: 1 } }, "role"],
			[{ conversationId: "v", payload: 1, metadata: "x" }, "metadata"],
			["v", "input"],
			[null, "input"],
			[[], "input"],
		] as const) {
			const response = await gateway.post({ query: append, variables: { input } });
			expect(response.status, named).toBe(400);
			const { errors } = (await response.json()) as { errors: { message: string; extensions: object }[] };
			expect(errors[0]?.message).toContain(named);
			expect(errors[0]?.extensions).toMatchObject({ code: "BadRequest", status: 400 });
		}
		expect(await rowVersions(gateway)).toEqual(before);
	});

	it("ERR-7: refuses a mutation of a credential that may only read as Forbidden, and writes nothing", async () => {
		const reader = await gateway.createProject({ role: "read" });
		expect(await failure(reader.store.appendMessage({ conversationId: "a", payload: 1 }))).toMatchObject({
			code: "Forbidden",
			status: 403,
			requestId: expect.any(String),
		});
		expect(await rowVersions(gateway, reader.projectId)).toEqual([]);
		expect(await reader.store.listConversations()).toEqual({ items: [], nextCursor: null });
	});
});
