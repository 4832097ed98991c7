import { randomUUID } from "node:crypto";
import type { RequestListener } from "node:http";
import { createYoga, type Plugin } from "graphql-yoga";
import { LRUCache } from "lru-cache";
import { type Logger, pino } from "pino";
import { DEFAULT_LIMITS, type Limits } from "./domain/limits.ts";
import { createContext } from "./graphql/context.ts";
import { documentLimits } from "./graphql/document-limits.ts";
import { errorShape } from "./graphql/errors.ts";
import { graphiqlPage, renderGraphiQL } from "./graphql/graphiql.ts";
import { roles } from "./graphql/roles.ts";
import { schema } from "./graphql/schema.ts";
import { BodyReader } from "./http/body.ts";
import { answerHealth } from "./http/health.ts";
import { createIdentify } from "./http/identity.ts";
import { Database } from "./store/database.ts";
import type { Identity } from "./store/tokens.ts";

export interface GatewayOptions {
	/** Of a Postgres ≥ 14 whose schema is up to date. */
	databaseUrl: string;
	/** `transaction` when a pooler in transaction mode stands before Postgres; `none` by default. */
	pooler?: "none" | "transaction";
	/** Database connections at most, 10 by default. */
	poolSize?: number;
	/** Serves the explorer, with this token filled in for callers on this machine; off by default. */
	graphiql?: false | { token?: string };
	/** Answers introspection; off by default, needed by the explorer. */
	introspection?: boolean;
	/** Where unexpected errors go; standard output by default. */
	logger?: Logger;
	limits?: Partial<Limits>;
}

/** A running gateway, to be mounted in a server or called in the same process. */
export interface Gateway {
	/** Answers a request without a socket; `createStore({ fetch })` of the SDK takes it. */
	fetch(request: Request): Promise<Response>;
	/** Answers requests of `node:http` and of routers built on it. */
	handler: RequestListener;
	/** Rejects where the database does not answer. */
	ready(): Promise<void>;
	/** Waits for running statements and closes the database connections. */
	close(): Promise<void>;
}

/** What accompanies a request from its arrival on. */
interface Arrival {
	requestId: string;
	identity: Identity;
	/** Gives back the bytes in flight that its body took. */
	release?: () => void;
}

/** Characters of GraphQL documents that are kept parsed; the SDK's take a few thousand. */
const CACHED_DOCUMENT_CHARACTERS = 4_000_000;

/** Composes the gateway. Nothing is opened until the first request. */
export function createGateway(options: GatewayOptions): Gateway {
	const {
		databaseUrl,
		pooler = "none",
		poolSize = 10,
		graphiql = false,
		introspection = false,
		logger = pino(),
	} = options;
	const limits = { ...DEFAULT_LIMITS, ...options.limits };
	const db = new Database({
		url: databaseUrl,
		pooler,
		poolSize,
		limits,
		onIdleError: (error) => logger.warn({ err: error }, "an idle database connection broke"),
	});
	const ready = () => db.ping();
	const yoga = createYoga<Arrival>({
		schema,
		context: ({ identity }) => createContext({ db, identity, limits }),
		plugins: [
			arrivals(),
			health(ready),
			parameters(createIdentify(db), new BodyReader(limits)),
			...documentLimits(limits, { introspection }),
			roles(),
			errorShape(logger),
		],
		graphiql: graphiql === false ? false : graphiqlPage(graphiql.token),
		renderGraphiQL,
		parserAndValidationCache: {
			documentCache: new LRUCache({
				maxSize: CACHED_DOCUMENT_CHARACTERS,
				sizeCalculation: (_, text: string) => text.length + 1,
			}),
			errorCache: new LRUCache({
				maxSize: CACHED_DOCUMENT_CHARACTERS,
				sizeCalculation: (_, text: string) => text.length + 1,
			}),
		},
		// Errors are shaped by errorShape, bodies read by BodyReader; other origins get nothing.
		maskedErrors: false,
		maxRequestBodySize: false,
		cors: false,
		batching: false,
		landingPage: false,
		logging: false,
	});
	return {
		fetch: async (request) => yoga.fetch(request),
		handler: (request, response) => void yoga.handle(request, response),
		ready,
		close: async () => {
			await yoga.dispose();
			await db.close();
		},
	};
}

/** Gives each request its id, and frees what it held when it is answered. */
function arrivals(): Plugin<object, Arrival> {
	return {
		onRequestParse({ serverContext }) {
			serverContext.requestId = randomUUID();
		},
		onResponse({ response, serverContext }) {
			serverContext.release?.();
			if (serverContext.requestId !== undefined) response.headers.set("x-request-id", serverContext.requestId);
		},
	};
}

function health(ready: () => Promise<void>): Plugin<object, Arrival> {
	return {
		async onRequest({ url, endResponse }) {
			const answer = url.pathname.startsWith("/health/") ? await answerHealth(url.pathname, ready) : undefined;
			if (answer !== undefined) endResponse(answer);
		},
	};
}

/** Asks who it is before it reads a body. */
function parameters(identify: (request: Request) => Promise<Identity>, bodies: BodyReader): Plugin<object, Arrival> {
	return {
		onRequestParse({ serverContext, setRequestParser }) {
			setRequestParser(async (request) => {
				serverContext.identity = await identify(request);
				return bodies.read(request, (release) => {
					serverContext.release = release;
				});
			});
		},
	};
}
