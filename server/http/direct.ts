import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { getOperationAST, OperationTypeNode } from "graphql";
import { type GraphQLParams, isAsyncIterable, type YogaServerInstance } from "graphql-yoga";
import type { Arrival, Arrivals } from "./arrivals.ts";
import type { BodyReader } from "./body.ts";
import type { Cors } from "./cors.ts";
import type { ErrorBody } from "./errors.ts";
import type { Identify } from "./identity.ts";
import type { PassedOn } from "./parsed-requests.ts";

interface DirectOptions {
	yoga: YogaServerInstance<Arrival, object>;
	/** The path of GraphQL. */
	endpoint: string;
	arrivals: Arrivals;
	identify: Identify;
	bodies: BodyReader;
	cors: Cors;
}

interface Sent {
	status: number;
	type: string;
	text: string;
}

/**
 * Answers queries and mutations that are posted as JSON, which is what nearly every request is, without the objects of
 * the Fetch API, which cost more than the rest. Parsing, validation and execution are Yoga's, with all its plugins.
 * What turns out to be anything else is handed over to Yoga, with what was found out so far: so errors, streams and
 * whatever is unusual are answered in one place only.
 */
export function direct({ yoga, endpoint, arrivals, identify, bodies, cors }: DirectOptions): RequestListener {
	/** The text of the answer; undefined hands over. */
	const answer = async (request: IncomingMessage, arrival: Arrival): Promise<string | undefined> => {
		if (!arrival.entered) return undefined;
		try {
			const identity = await identify({ headers: { get: arrival.header } });
			arrival.identity = identity;
			const params = await bodies.readMessage(request, identity.projectId, (release) => {
				arrival.releaseBody = release;
			});
			arrival.found = { params };
			if (!isWellFormed(params)) return undefined;
			const { query, variables, operationName } = params;
			const { parse, validate, contextFactory, execute, schema } = yoga.getEnveloped(arrival);
			const document = parse(query);
			if (validate(schema, document).length > 0) return undefined;
			const operation = getOperationAST(document, operationName);
			if (operation == null || operation.operation === OperationTypeNode.SUBSCRIPTION) return undefined;
			const contextValue = await contextFactory();
			const result = await execute({ schema, document, contextValue, variableValues: variables, operationName });
			if (!isAsyncIterable(result) && result.errors === undefined) return JSON.stringify(result);
			arrival.found = { params, result };
		} catch (failure) {
			arrival.found = { failure };
		}
		return undefined;
	};

	const begin = (request: IncomingMessage, response: ServerResponse) => {
		const header = (name: string) => headerOf(request, name);
		return arrivals.begin({ header, signal: leaving(response) });
	};
	const send = (response: ServerResponse, arrival: Arrival, { status, type, text }: Sent): void => {
		arrivals.end(arrival, status);
		// The client has left.
		if (response.destroyed) return;
		response.writeHead(status, {
			"x-request-id": arrival.requestId,
			"content-type": `${type}; charset=utf-8`,
			"content-length": Buffer.byteLength(text),
			...cors.headers(arrival.header("origin")),
		});
		response.end(text);
	};

	return async (request, response) => {
		if (!hasAddress(request)) {
			const arrival = begin(request, response);
			const { requestId } = arrival;
			const error: ErrorBody = {
				code: "BadRequest",
				message: "host: must form a URL together with the path",
				requestId,
			};
			return send(response, arrival, { status: 400, type: "application/json", text: JSON.stringify({ error }) });
		}
		const type = isPlainPost(request, endpoint) ? answerType(request.headers.accept) : undefined;
		if (type === undefined) return void yoga.handle(request, response);
		const arrival = begin(request, response);
		const text = await answer(request, arrival);
		if (text === undefined) return void yoga.handle(request, response, arrival);
		send(response, arrival, { status: 200, type, text });
	};
}

/** Whether host and path make a URL. Yoga would answer with the stack of an error, before any plugin hears of it. */
function hasAddress({ url = "", originalUrl = url, headers }: PassedOn): boolean {
	const host = headers[":authority"] || headers.host || "localhost";
	return URL.canParse(`http://${host}${originalUrl}`);
}

/** Whether it is a POST of JSON whose body nobody has read yet, such as a body parser of a server around the gateway. */
function isPlainPost(request: PassedOn, endpoint: string): boolean {
	const { method, url, originalUrl = url, headers, body, readableEnded } = request;
	return (
		method === "POST" &&
		originalUrl === endpoint &&
		/^application\/json *(;|$)/i.test(headers["content-type"] ?? "") &&
		headers["content-encoding"] === undefined &&
		body === undefined &&
		!readableEnded
	);
}

const TYPES: { readonly [range: string]: string } = {
	"*/*": "application/json",
	"application/*": "application/json",
	"application/json": "application/json",
	"application/graphql-response+json": "application/graphql-response+json",
};

/** The type of the answer, as Yoga would choose it: by the first range that admits JSON. */
function answerType(accept: string | undefined): string | undefined {
	if (accept?.includes(";")) return undefined;
	const ranges = (accept || "*/*").replace(/\s/g, "").toLowerCase().split(",");
	const first = ranges.find((range) => Object.hasOwn(TYPES, range) || range.includes("*"));
	return first === undefined ? undefined : TYPES[first];
}

/** Whether Yoga's own check of the parameters has nothing to say. */
function isWellFormed(params: GraphQLParams): params is GraphQLParams & { query: string } {
	const { query, variables, operationName, ...others } = params;
	return (
		typeof query === "string" &&
		(variables == null || (typeof variables === "object" && !Array.isArray(variables))) &&
		(operationName == null || typeof operationName === "string") &&
		Object.keys(others).length === 0
	);
}

function headerOf({ headers }: IncomingMessage, name: string): string | null {
	const value = headers[name];
	return (Array.isArray(value) ? value.join(", ") : value) ?? null;
}

/** A signal for the end of the connection. It is made when somebody asks, which only those do who have to wait. */
function leaving(response: ServerResponse): () => AbortSignal {
	let controller: AbortController | undefined;
	return () => {
		if (controller === undefined) {
			const made = new AbortController();
			if (response.destroyed) made.abort();
			else {
				// Once the answer is sent nobody looks at it any more, and to abort would make an error with its stack.
				response.once("close", () => {
					if (!response.writableFinished) made.abort();
				});
			}
			controller = made;
		}
		return controller.signal;
	};
}
