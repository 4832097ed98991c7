import type { RequestListener } from "node:http";
import { createYoga, type Plugin } from "graphql-yoga";
import { LRUCache } from "lru-cache";
import { type Logger, pino } from "pino";
import type { Registry } from "prom-client";
import { Runner } from "./agents/runner.ts";
import { type Agent, type AgentOptions, checkAgentOptions } from "./domain/agents.ts";
import { Fault } from "./domain/faults.ts";
import { DEFAULT_LIMITS, type Limits } from "./domain/limits.ts";
import { compiledOperations } from "./graphql/compiled-operations.ts";
import { createContext } from "./graphql/context.ts";
import { documentLimits } from "./graphql/document-limits.ts";
import { errorShape } from "./graphql/errors.ts";
import { graphiqlPage, renderGraphiQL } from "./graphql/graphiql.ts";
import { schema } from "./graphql/schema.ts";
import { API, createApi } from "./http/api.ts";
import { type Arrival, Arrivals, arrive, parameters } from "./http/arrivals.ts";
import { BodyReader } from "./http/body.ts";
import { chatRoute } from "./http/chat.ts";
import { Cors } from "./http/cors.ts";
import { direct } from "./http/direct.ts";
import { answerHealth } from "./http/health.ts";
import { createIdentify } from "./http/identity.ts";
import { InFlight } from "./http/in-flight.ts";
import { createMetrics, type MetricSources } from "./http/metrics.ts";
import { withBody } from "./http/parsed-requests.ts";
import { RateLimit } from "./http/rate-limit.ts";
import { requestLog } from "./http/request-log.ts";
import { stateRoutes } from "./http/states.ts";
import { subscriptions } from "./http/subscriptions.ts";
import { tailRoute } from "./http/tails.ts";
import { threadRoutes } from "./http/threads.ts";
import { Database } from "./store/database.ts";
import { loggable } from "./store/postgres-errors.ts";
import { Tails } from "./store/tails.ts";

export type { Agent, AgentEvent, AgentMessage, AgentOptions, AgentRun } from "./domain/agents.ts";

export interface GatewayOptions {
	/** Of a Postgres ≥ 14 whose schema is up to date. */
	databaseUrl: string;
	/** `transaction` when a pooler in transaction mode stands before Postgres; `none` by default. */
	pooler?: "none" | "transaction";
	/** Of the same Postgres past the pooler, to hear of other gateways' messages at once; `databaseUrl` without a pooler. */
	directUrl?: string | undefined;
	/** What a server around the gateway leaves before its paths, as it stands in URLs, such as `/store`; nothing by default. */
	basePath?: string;
	/** Database connections at most, 10 by default; one more is for those hints. */
	poolSize?: number;
	/** Serves the explorer, with this token filled in for callers on this machine; off by default. */
	graphiql?: false | { token?: string };
	/** Answers introspection; off by default, needed by the explorer. */
	introspection?: boolean;
	/** Where requests and unexpected errors go; standard output by default. */
	logger?: Logger;
	/** Gets the gateway's metrics, to be served wherever the process serves its own; without it, nothing is counted. */
	metrics?: Registry | undefined;
	limits?: Partial<Limits>;
	/** Origins whose pages may call the gateway, such as `https://chat.example`; none by default. */
	origins?: readonly string[];
	/** Requests that one token may send a second to this process; any number by default. */
	requestsPerSecond?: number | undefined;
	/** Answers `/api/chat`; without one, that is 501. `agents/openai` and `agents/langgraph` make one of what you have. */
	agent?: Agent | undefined;
	/** How the agent is run. */
	agentOptions?: AgentOptions | undefined;
}

/** A running gateway, to be mounted in a server or called in the same process. */
export interface Gateway {
	/** Answers a request without a socket; `createStore({ url, token, fetch })` of the SDK takes it. */
	fetch(input: string | URL | Request, init?: RequestInit): Promise<Response>;
	/** Answers requests of `node:http` and of routers built on it. */
	handler: RequestListener;
	/** Rejects where the database does not answer. */
	ready(): Promise<void>;
	/**
	 * Refuses new requests with ServiceUnavailable, ends streams, finishes requests under way, and closes the connections.
	 * What is not finished after `limits.shutdownMs` loses its connection to the database and is answered with an error.
	 * Called again, it is the same closing.
	 */
	close(): Promise<void>;
}

const ENDPOINT = "/graphql";

/** Of the grace at a shutdown, what is left to answer requests that did not end. */
const LAST_WORDS_MS = 1_000;

/** Characters of GraphQL documents that are kept parsed; the SDK's take a few thousand. */
const CACHED_DOCUMENT_CHARACTERS = 4_000_000;

/** Composes the gateway. Nothing is opened until the first request. */
export function createGateway(options: GatewayOptions): Gateway {
	const {
		databaseUrl,
		directUrl = databaseUrl,
		pooler = "none",
		basePath = "",
		poolSize = 10,
		graphiql = false,
		introspection = false,
		logger = pino(),
		origins = [],
		requestsPerSecond,
	} = options;
	const limits = { ...DEFAULT_LIMITS, ...options.limits };
	const endpoint = `${checkBasePath(basePath)}${ENDPOINT}`;
	const inFlight = new InFlight();
	/** Live tails, which go on until somebody ends them. */
	const streams = new InFlight();
	const bodies = new BodyReader(limits);
	const sources: MetricSources = {
		pool: () => db.load,
		requestsInFlight: () => inFlight.count,
		bytesInFlight: () => bodies.bytesInFlight,
		liveTails: () => tails.count,
	};
	const metrics = options.metrics && createMetrics(options.metrics, sources);
	const db: Database = new Database({
		url: databaseUrl,
		pooler,
		poolSize,
		limits,
		onIdleError: (error) => logger.warn({ err: error }, "an idle database connection broke"),
		onRowsWritten: metrics?.onRowsWritten,
		onMessagesWritten: (projectId, conversationId) => tails.announce(projectId, conversationId),
	});
	const tails = new Tails({
		listenUrl: pooler === "none" || directUrl !== databaseUrl ? directUrl : undefined,
		limits,
		onError: (error) => logger.warn({ err: error }, "the connection for hints broke; live tails look by themselves"),
	});
	const identify = createIdentify(db, new RateLimit(requestsPerSecond));
	const ready = () => db.ping();
	const watch = tails.watch.bind(tails);
	const runner = options.agent && createRunner(options.agent, options.agentOptions, { db, watch, logger });
	const followed = tailRoute((call, input) => tails.open(call, input, call.verify), streams, logger);
	const routed = [...threadRoutes, followed, ...stateRoutes, chatRoute(runner, inFlight)];
	const api = createApi({ routes: routed, basePath, db, limits, bodies, identify, logger });
	const arrivals = new Arrivals(inFlight, metrics ? [requestLog(logger), metrics.onAnswer] : [requestLog(logger)]);
	const cors = new Cors(origins);
	const yoga = createYoga<Arrival>({
		schema,
		graphqlEndpoint: endpoint,
		context: ({ identity, signal, header }) => {
			const scope = { db: db.for({ project: identity!.projectId, signal }), identity: identity!, limits };
			const verify = () => identify({ headers: { get: header } }, "again");
			return createContext(scope, (input) => tails.open(scope, input, verify));
		},
		plugins: [
			arrive(arrivals, endpoint),
			cors.plugin,
			routes(basePath, { ready, hasExplorer: graphiql !== false, api }),
			parameters(identify, bodies),
			...documentLimits(limits, { introspection }),
			compiledOperations(),
			errorShape(logger),
			subscriptions(limits, streams),
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
		// Errors are shaped by errorShape, bodies read by BodyReader; Cors lets in the origins that are listed, which Yoga does not do strictly.
		maskedErrors: false,
		maxRequestBodySize: false,
		cors: false,
		batching: false,
		landingPage: false,
		logging: false,
	});
	const answer = direct({ yoga, endpoint, arrivals, identify, bodies, cors });
	const close = async (): Promise<void> => {
		tails.end();
		await inFlight.drain(limits.shutdownMs - LAST_WORDS_MS);
		// They store that they were cut short, and tell their clients.
		runner?.close();
		await inFlight.drain(LAST_WORDS_MS);
		db.abandon();
		await inFlight.drain(LAST_WORDS_MS);
		// They were ended first of all, and may have to hand out what they hold.
		await streams.drain(LAST_WORDS_MS);
		await tails.close();
		await yoga.dispose();
		await db.close();
	};
	let closed: Promise<void> | undefined;
	return {
		fetch: async (input, init) => yoga.fetch(new Request(input, init)),
		handler: (request, response) => void answer(withBody(request), response),
		ready,
		close: () => {
			closed ??= close();
			return closed;
		},
	};
}

function createRunner(
	agent: Agent,
	agentOptions: AgentOptions = {},
	{ db, watch, logger }: { db: Database; watch: Tails["watch"]; logger: Logger },
): Runner {
	const options = checkAgentOptions(agentOptions);
	return new Runner({
		db,
		watch,
		agent,
		options,
		explain: (error) => {
			if (error instanceof Fault) return error;
			logger.error({ err: loggable(error) }, "the agent failed");
			return new Fault("UnknownError", "The agent failed");
		},
		onStoreError: (error) => logger.warn({ err: loggable(error) }, "a run could not be noted in the database"),
	});
}

/** Segments of the characters that every client sends as they are. */
const URL_PATH = /^(\/([\w.~!$&'()*+,;=:@-]|%[\da-f]{2})+)+$/i;

function checkBasePath(path: string): string {
	// Clients resolve "." and "..".
	if (path === "" || (URL_PATH.test(path) && new URL(path, "http://localhost").pathname === path)) return path;
	throw new TypeError(
		`basePath must begin with "/", not end with it, and be as URLs have it, such as "/caf%C3%A9"; it is ${JSON.stringify(path)}`,
	);
}

interface Routes {
	ready: () => Promise<void>;
	hasExplorer: boolean;
	api: ReturnType<typeof createApi>;
}

/** Answers every path but the GraphQL endpoint's. */
function routes(basePath: string, { ready, hasExplorer, api }: Routes): Plugin<object, Arrival> {
	const endpoint = `${basePath}${ENDPOINT}`;
	return {
		async onRequest({ request, url, endResponse, serverContext }) {
			const { requestId } = serverContext;
			const { pathname } = url;
			if (pathname === endpoint) return;
			const path = pathname.startsWith(`${basePath}/`) ? pathname.slice(basePath.length) : "";
			if (path.startsWith(API)) return endResponse(await api(request, path, url, serverContext));
			if (path === "/" && hasExplorer)
				return endResponse(new Response(null, { status: 302, headers: { location: endpoint } }));
			const message = `There is nothing at ${request.method} ${pathname}; GraphQL is at ${endpoint}`;
			const health = await answerHealth(path, ready);
			if (health !== undefined) serverContext.operation = path;
			endResponse(health ?? Response.json({ error: { code: "NotFound", message, requestId } }, { status: 404 }));
		},
	};
}
