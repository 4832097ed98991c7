import { once } from "node:events";
import { createServer, request as openRequest } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { createGateway } from "@iga-pages/agent-gateway";
import { pino } from "pino";
import { Registry } from "prom-client";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { sendRaw } from "../support/raw.ts";
import { openSocket, readAnswer, requestHead } from "../support/raw-http.ts";
import { lockConversation, waitForLockWaiters } from "../support/sql.ts";

const ORIGIN = "https://chat.example";

let gateway: TestGateway;
let reader: string;
interface Line {
	requestId: string;
	operation: string;
	code: string;
	status: number;
}
const lines: Line[] = [];

beforeAll(async () => {
	const logger = pino({ level: "info" }, { write: (line: string) => lines.push(JSON.parse(line) as Line) });
	gateway = await startGateway({ logger, origins: [ORIGIN], limits: { requestBytes: 100_000 } });
	reader = (await gateway.createProject({ role: "read" })).token;
	for (let seq = 1; seq <= 3; seq++) {
		const payload = { text: "汉\0\ud800", ["__proto__"]: [1e21, 5e-324, -0.5, null, "", {}, []] };
		await gateway.store.appendMessage({ conversationId: "c", messageId: `m${seq}`, payload });
	}
	const empty = { type: "json", data: "e30=" };
	const checkpoint = { checkpoint: empty, metadata: empty, format: 1, channelVersions: [], values: [] };
	await sendRaw(gateway, {
		query: "mutation ($input: PutCheckpointInput!) { putCheckpoint(input: $input) { checkpointId } }",
		variables: { input: { threadId: "t", checkpointId: "found", metadataJson: { a: [1], b: null }, ...checkpoint } },
	});
});

afterAll(() => gateway.close());

interface Sent {
	body: string | Buffer;
	headers?: Record<string, string>;
}

interface Answer {
	status: number;
	headers: Record<string, unknown>;
	text: string;
	/** Whether it came the direct way: there the request's id is the first header. */
	direct?: boolean;
	logged: Partial<Line>;
}

/** What the connection adds, and what is new with each request. */
const OWN = ["connection", "keep-alive", "transfer-encoding", "content-length", "date", "x-request-id"];

function answerOf(status: number, headers: Record<string, unknown>, text: string): Answer {
	const id = headers["x-request-id"] as string;
	const kept = Object.entries(headers).filter(([name]) => !OWN.includes(name));
	const { operation, code, status: loggedStatus } = lines.find(({ requestId }) => requestId === id) ?? {};
	return {
		status,
		headers: Object.fromEntries(kept.sort()),
		text: text.replaceAll(id, "<id>"),
		logged: { operation, code, status: loggedStatus } as Partial<Line>,
	};
}

function headersOf({ headers = {} }: Sent): Record<string, string> {
	const all = { "content-type": "application/json", authorization: `Bearer ${gateway.token}`, ...headers };
	return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ""));
}

async function overHttp(sent: Sent, path: string): Promise<Answer> {
	const url = new URL(path, gateway.url);
	const request = openRequest(url, { method: "POST", headers: headersOf(sent), agent: false });
	request.end(sent.body);
	const [response] = await once(request, "response");
	let text = "";
	for await (const part of response.setEncoding("utf8")) text += part;
	const direct = response.rawHeaders[0] === "x-request-id";
	return { ...answerOf(response.statusCode, response.headers, text), direct };
}

async function inProcess(sent: Sent): Promise<Answer> {
	const response = await gateway.gateway.fetch(gateway.url, {
		method: "POST",
		headers: headersOf(sent),
		body: new Uint8Array(Buffer.from(sent.body)),
	});
	return answerOf(response.status, Object.fromEntries(response.headers), await response.text());
}

const query = (text: string, more: object = {}): Sent => ({ body: JSON.stringify({ query: text, ...more }) });
const VIEWER = query("{ viewer { role project { name } } }");
const under = (headers: Record<string, string>, sent = VIEWER): Sent => ({ ...sent, headers });
const MESSAGE = "messageId seq role payload metadata createdAt conversation { conversationId updatedAt }";
const LIST = `query List($first: Int = 2, $after: String) { messages(conversationId: "c", first: $first, after: $after) {
	edges { cursor node { ...M } } nodes { id ...M } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }
	fragment M on Message { ${MESSAGE} }`;
const APPEND = `mutation Append($input: AppendMessageInput!) { appendMessage(input: $input) { message { ${MESSAGE} } } }`;
const again = (input: object) =>
	query(APPEND, { variables: { input: { conversationId: "c", messageId: "m1", ...input } } });
const SUBSCRIPTION = 'subscription { messageAdded(conversationId: "c", after: "wrong") { kind } }';

/** Answered the direct way from beginning to end. */
const GOOD: Record<string, Sent> = {
	"a query": VIEWER,
	"a list": query(LIST),
	"a list with variables": query(LIST, { variables: { first: 1 } }),
	"a list of an unknown conversation": query('{ messages(conversationId: "none") { nodes { seq } } }'),
	"an absent message": query('{ message(messageId: "none") { seq } }'),
	"variables that are null": query(LIST, { variables: null, operationName: null }),
	"a number as every variable of another type": query(LIST, { variables: { first: 3, unknown: 5 } }),
	"several root fields": query('{ a: viewer { role } b: message(messageId: "m1") { seq } __typename }'),
	"the one of several operations that is named": query("query A { viewer { role } } query B { __typename }", {
		operationName: "B",
	}),
	"a node": query(
		'{ nodes(ids: ["TWVzc2FnZTptMQ", "TWVzc2FnZTpub25l"]) { __typename id ... on Message { payload } } }',
	),
	"a node by a variable in a list": query("query ($id: ID!) { nodes(ids: [$id]) { id } }", {
		variables: { id: "TWVzc2FnZTptMQ" },
	}),
	"variables in a literal of JSON": query(
		'query ($a: JSON, $b: JSON) { checkpoints(threadId: "t", filter: { a: [$a], b: $b }) { nodes { checkpointId } } }',
		{ variables: { a: 1 } },
	),
	"a node of an interface": query(
		'{ node(id: "TWVzc2FnZTptMQ") { ... on Message { seq } ... on Conversation { id } } }',
	),
	directives: query("query ($no: Boolean = false) { viewer { role project @include(if: $no) { name } } }"),
	"aliases that are names of JavaScript": query(
		"{ __proto__: viewer { constructor: role __proto__: role } toString: viewer { hasOwnProperty: role } }",
	),
	"a mutation without effect": query('mutation { deleteMessage(input: { messageId: "none" }) { messageId } }'),
	"several mutations": query(
		'mutation { a: deleteMessage(input: { messageId: "none" }) { messageId } b: clearMessages(input: { conversationId: "none" }) { conversationId } }',
	),
	"a byte order mark before the body": { body: `\uFEFF${VIEWER.body}` },
	"a body with blanks": { body: `\r\n\t ${VIEWER.body} \n` },
	"a key twice": { body: '{"query": "{ nothing }", "query": "{ viewer { role } }"}' },
	"a charset in the content type": under({ "content-type": "Application/JSON; charset=utf-8" }),
	"any type accepted": under({ accept: "*/*" }),
	"the type of GraphQL accepted": under({ accept: "application/graphql-response+json, application/json" }),
	"plain JSON accepted": under({ accept: "application/json, application/graphql-response+json" }),
	"a stream accepted, too": under({ accept: "text/event-stream, application/json" }),
	"a page accepted first": under({ accept: "text/html,\tapplication/GraphQL-response+json" }),
	"any application accepted": under({ accept: "application/*" }),
	"a listed origin": under({ origin: ORIGIN }),
	"an origin that is not listed": under({ origin: "https://evil.example" }),
	"an SDK's version": under({ "x-agent-sdk": "1.2.3" }),
	"a scheme in capitals": { ...VIEWER, headers: {} },
};

/** Handed over, sooner or later. */
const OTHER: Record<string, Sent> = {
	"a message with other content": again({ payload: "other" }),
	"an input without payload": again({}),
	"an input field that there is not": again({ payload: 1, nothing: 1 }),
	"a variable that is missing": query(APPEND),
	"a variable of the wrong type": query(LIST, { variables: { first: "two" } }),
	"a wrong cursor": query(LIST, { variables: { after: "wrong" } }),
	"a page that is too large": query(LIST, { variables: { first: 1_000 } }),
	"several root fields of which one fails": query('{ viewer { role } messages(conversationId: "") { nodes { seq } } }'),
	"several mutations that all fail": query(
		'mutation { a: updateMessage(input: { messageId: "none", payload: 1 }) { message { seq } } b: updateMessage(input: { messageId: "m1" }) { message { seq } } }',
	),
	"an update of nothing": query(
		'mutation { updateConversation(input: { conversationId: "none", metadata: { a: 1 } }) { conversation { metadata } } }',
	),
	"a token that may only read": { ...again({ payload: 1 }), headers: { authorization: "<reader>" } },
	"no token": under({ authorization: "" }),
	"an unknown token": under({ authorization: "Bearer wrong" }),
	"another scheme": under({ authorization: "Basic eDp5" }),
	"a syntax error": query("{ viewer { role "),
	"an empty document": query(""),
	"only a comment": query("# nothing"),
	"a field that there is not": query("{ nothing }"),
	"two errors of validation": query("{ nothing viewer { nothing } }"),
	introspection: query("{ __schema { types { name } } }"),
	"a document that is too deep": query(
		`{ node(id: "x") ${"{ ... on Message { conversation ".repeat(10)}${"} }".repeat(10)} }`,
	),
	"too many aliases": query(`{ ${Array.from({ length: 60 }, (_, index) => `a${index}: __typename`).join(" ")} }`),
	"too many tokens": query(`{ ${"__typename ".repeat(3_000)} }`),
	"a document that costs too much": query(
		"{ conversations(first: 200) { nodes { messages(first: 200) { nodes { seq role type payload } } } } }",
	),
	"an operation name that there is not": query("query A { viewer { role } }", { operationName: "B" }),
	"several operations without a name": query("query A { viewer { role } } query B { viewer { role } }"),
	"an operation name that is empty": query("query A { viewer { role } }", { operationName: "" }),
	"an operation name that is a number": query("query A { viewer { role } }", { operationName: 5 }),
	"a document without an operation": query("fragment F on Viewer { role }"),
	"a query that is a number": { body: '{"query": 5}' },
	"a query that is null": { body: '{"query": null}' },
	"no query": { body: "{}" },
	"a parameter that there is not": query("{ viewer { role } }", { id: "1" }),
	"variables that are text": query("{ viewer { role } }", { variables: "{}" }),
	"variables that are an array": query("{ viewer { role } }", { variables: [] }),
	extensions: query("{ viewer { role } }", { extensions: { persistedQuery: { version: 1 } } }),
	"extensions that are an array": query("{ viewer { role } }", { extensions: [] }),
	"a subscription that fails": query(SUBSCRIPTION),
	"a subscription that fails, as a stream": under({ accept: "text/event-stream" }, query(SUBSCRIPTION)),
	"a subscription as JSON": under(
		{ accept: "application/json" },
		query('subscription { messageAdded(conversationId: "c") { kind } }'),
	),
	"no body": { body: "" },
	"half a body": { body: '{"query": "{ viewer' },
	"an array": { body: `[${VIEWER.body}]` },
	null: { body: "null" },
	"a string": { body: '"{ viewer { role } }"' },
	"bytes that are not UTF-8": { body: Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]) },
	"a number that a double would change": {
		body: '{"query": "{ viewer { role } }", "variables": {"n": 9007199254740993}}',
	},
	"a number beyond all doubles": again({ payload: "<number>" }),
	"a literal that a double would change": query(
		'mutation { appendMessage(input: { conversationId: "c", payload: 9007199254740993 }) { message { seq } } }',
	),
	"JSON that is too deep": again({ payload: JSON.parse("[".repeat(201) + "]".repeat(201)) as unknown }),
	"a body that is too large": again({ payload: "x".repeat(100_000) }),
	"another content type": under({ "content-type": "text/plain" }),
	"no content type": under({ "content-type": "" }),
	"the content type of GraphQL": under({ "content-type": "application/graphql+json" }),
	"a form": { body: "query=%7Bviewer%7Brole%7D%7D", headers: { "content-type": "application/x-www-form-urlencoded" } },
	"a compressed body": { body: gzipSync(VIEWER.body), headers: { "content-encoding": "gzip" } },
	"a body that says it is not compressed": under({ "content-encoding": "identity" }),
	"a type accepted that there is not": under({ accept: "text/html" }),
	"only a stream accepted": under({ accept: "text/event-stream" }),
	"only parts accepted": under({ accept: "multipart/mixed" }),
	"types accepted with weights": under({ accept: "application/json;q=0.5, application/graphql-response+json" }),
	"another charset accepted": under({ accept: "application/json; charset=latin1" }),
	"an odd wildcard accepted": under({ accept: "*/json, application/graphql-response+json" }),
	"an error for a listed origin": under({ origin: ORIGIN, authorization: "Bearer wrong" }),
};

/** Fills in what is known only when the gateway runs, or cannot be written as a value. */
function complete(sent: Sent): Sent {
	const { body, headers = {} } = sent;
	return {
		body: typeof body === "string" ? body.replace('"<number>"', "1e400") : body,
		headers: headers["authorization"] === "<reader>" ? { ...headers, authorization: `Bearer ${reader}` } : headers,
	};
}

describe("a POST of JSON is answered alike the direct way, by Yoga and in the process:", () => {
	it.each(Object.entries({ ...GOOD, ...OTHER }))("ERR-7: %s", async (what, sent) => {
		const request = complete(sent);
		const { direct, ...answer } = await overHttp(request, "/graphql");
		const { direct: never, ...byYoga } = await overHttp(request, "/graphql?by=yoga");
		expect(never).toBe(false);
		expect(direct).toBe(what in GOOD);
		expect(answer).toEqual(byYoga);
		expect(answer).toEqual(await inProcess(request));
		expect(answer.logged.status).toBe(answer.status);
		if (what in GOOD) expect(answer).toMatchObject({ status: 200, logged: { code: "OK" } });
		if (what === "variables in a literal of JSON") expect(answer.text).toContain("found");
	});
});

/** The same endpoint; an address with a query is left to Yoga. */
const WAYS = { directly: "/graphql", "by Yoga": "/graphql?by=yoga" };

describe.each(Object.entries(WAYS))("a request that is answered %s", (_way, path) => {
	const registry = new Registry();
	let small: TestGateway;

	beforeAll(async () => {
		const limits = { requestBytes: 1_000_000, requestBytesInFlight: 50_000, waitingCalls: 1, waitingMs: 60_000 };
		small = await startGateway({ metrics: registry, poolSize: 1, limits, store: { retries: 0 } });
		await small.store.appendMessage({ conversationId: "locked", payload: 1 });
	});
	afterAll(() => small.close());

	const metric = async (name: string) =>
		(await registry.getSingleMetric(`agent_gateway_${name}`)!.get()).values[0]?.value;
	const becomes = (name: string, value: number) =>
		vi.waitFor(async () => expect(await metric(name)).toBe(value), { timeout: 20_000 });
	const nothingIsHeld = async () => {
		await becomes("requests_in_flight", 0);
		await becomes("request_bytes_in_flight", 0);
	};
	const send = async (head: string, ...parts: string[]) => {
		const socket = await openSocket(small);
		for (const part of [head, ...parts]) socket.write(part);
		return socket;
	};
	const chunked = (token = small.token) =>
		requestHead(small, { "transfer-encoding": "chunked", authorization: `Bearer ${token}` }, path);
	const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;
	const append = (payload: string, conversationId = "locked") =>
		JSON.stringify({ query: APPEND, variables: { input: { conversationId, payload } } });
	const whole = (body: string) => requestHead(small, { "content-length": String(body.length) }, path) + body;

	it("ERR-6: holds nothing when its client leaves, whenever that is", async () => {
		const { token } = await small.createProject();
		const leavers = [
			// Before the token is known, in the middle of the body, and at once.
			await send(chunked(token)),
			await send(chunked(), chunk(" ".repeat(1_000))),
			await send(chunked(), chunk(" ".repeat(1_000)), chunk("{")),
			await send(requestHead(small, { "content-length": "1000" }, path), "{"),
		];
		leavers[0]!.destroy();
		await becomes("request_bytes_in_flight", 2_002);
		for (const socket of leavers) socket.destroy();
		await nothingIsHeld();
	});

	it("ERR-6: is not executed any more when its client leaves before its turn", async () => {
		const lock = await lockConversation(small, "locked");
		const running = await send(whole(append("running")));
		await waitForLockWaiters(small, 1);
		const leaver = await send(whole(append("left")));
		await becomes("database_waiting_calls", 1);
		leaver.destroy();
		await becomes("database_waiting_calls", 0);
		await lock.release();
		expect((await readAnswer(running)).status).toBe(200);
		await nothingIsHeld();
		const { items } = await small.store.listMessages({ conversationId: "locked" });
		expect(items.map(({ payload }) => payload)).not.toContain("left");
	});

	it("ERR-6: is executed to its end when its client leaves while it runs", async () => {
		const lock = await lockConversation(small, "locked");
		const leaver = await send(whole(append("stays")));
		await waitForLockWaiters(small, 1);
		leaver.destroy();
		await lock.release();
		await nothingIsHeld();
		const { items } = await small.store.listMessages({ conversationId: "locked" });
		expect(items.map(({ payload }) => payload)).toContain("stays");
	});

	it("VAL-7: is refused when too many bytes are worked on, and gives its own back", async () => {
		const lock = await lockConversation(small, "locked");
		const running = await send(whole(append("x".repeat(30_000))));
		await waitForLockWaiters(small, 1);
		const refused = await readAnswer(await send(whole(append("y".repeat(30_000), "other"))));
		expect(refused.status).toBe(429);
		expect(refused.text).toMatch(/\r\nretry-after: 1\r\n/i);
		await lock.release();
		expect((await readAnswer(running)).status).toBe(200);
		await nothingIsHeld();
	});

	it.each(["[", "a b", "a:99999", "%zz", "x@y:z", "#"])(
		"ERR-5: is refused without a stack, and holds nothing, when its host is %j",
		async (host) => {
			for (const authorization of [`Bearer ${small.token}`, "Bearer wrong", ""]) {
				const body = VIEWER.body as string;
				const head = requestHead(small, { host, authorization, "content-length": String(body.length) }, path);
				const { status, text } = await readAnswer(await send(head, body));
				expect(status).toBe(400);
				const [, answer = ""] = text.split("\r\n\r\n");
				expect(JSON.parse(answer)).toEqual({
					error: {
						code: "BadRequest",
						message: "host: must form a URL together with the path",
						requestId: expect.any(String),
					},
				});
			}
			await nothingIsHeld();
		},
	);

	it("MSG-5: shares its connection with those before and after it", async () => {
		const socket = await openSocket(small);
		const next = (body: string) =>
			requestHead(small, { "content-length": String(body.length), connection: "keep-alive" }, path) + body;
		socket.write(next(append("1", "p")) + next("no JSON") + whole(append("2", "p")));
		const { text } = await readAnswer(socket);
		expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 200", "HTTP/1.1 400", "HTTP/1.1 200"]);
		await nothingIsHeld();
	});

	it("ERR-4: is refused once the gateway closes, and finished when it came before", async () => {
		const closing = createGateway({ databaseUrl: small.databaseUrl, logger: pino({ level: "silent" }) });
		const server = createServer(closing.handler).listen(0, "127.0.0.1");
		onTestFinished(() => void server.close().closeAllConnections());
		await once(server, "listening");
		const url = new URL(path, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
		const headers = { "content-type": "application/json", authorization: `Bearer ${small.token}` };
		const post = (body: string) => fetch(url, { method: "POST", headers, body });
		const lock = await lockConversation(small, "locked");
		const running = post(append("finished"));
		await waitForLockWaiters(small, 1);
		const closed = closing.close();
		const refused = await post(append("late"));
		expect(refused.status).toBe(503);
		expect(refused.headers.get("retry-after")).toBe("1");
		expect(await refused.json()).toMatchObject({ errors: [{ extensions: { code: "ServiceUnavailable" } }] });
		await lock.release();
		expect((await running).status).toBe(200);
		await closed;
	});
});
