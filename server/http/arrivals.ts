import { randomUUID } from "node:crypto";
import type { ExecutionResult } from "graphql";
import type { GraphQLParams, Plugin } from "graphql-yoga";
import { codeOf, Fault } from "../domain/faults.ts";
import type { Identity } from "../store/tokens.ts";
import type { BodyReader } from "./body.ts";
import { errorResponse } from "./errors.ts";
import type { Identify } from "./identity.ts";
import type { InFlight } from "./in-flight.ts";
import type { AnsweredRequest } from "./request-log.ts";

/** A request as far as all ways of answering look at it. */
interface Incoming {
	header(name: string): string | null;
	/** Aborted when the client leaves. */
	signal(): AbortSignal;
}

/** What accompanies a request from its arrival on. */
export interface Arrival extends Incoming {
	requestId: string;
	/** By `performance.now()`. */
	startedAt: number;
	/** Whether it counts as being in flight; false when the gateway is closing. */
	entered: boolean;
	/** Known once the caller is. */
	identity?: Identity;
	/** What was asked for, by a name from a fixed list. */
	operation?: string;
	/** Of the first error. */
	code?: unknown;
	/** Gives back the bytes in flight that its body took. */
	releaseBody?: () => void;
	/** What another way of answering found out before it handed the request over. */
	found?: { params: GraphQLParams; result?: ExecutionResult } | { failure: unknown };
}

/** Gives each request its id, frees what it held when it is answered, and tells those who watch. */
export class Arrivals {
	readonly #inFlight: InFlight;
	readonly #watchers: readonly ((answered: AnsweredRequest) => void)[];

	constructor(inFlight: InFlight, watchers: readonly ((answered: AnsweredRequest) => void)[]) {
		this.#inFlight = inFlight;
		this.#watchers = watchers;
	}

	begin({ header, signal }: Incoming): Arrival {
		return { requestId: randomUUID(), startedAt: performance.now(), entered: this.#inFlight.enter(), header, signal };
	}

	end(arrival: Arrival, status: number): void {
		arrival.releaseBody?.();
		if (arrival.entered) this.#inFlight.leave();
		const { requestId, startedAt, identity, operation = "none", code } = arrival;
		const answered = {
			requestId,
			project: identity?.projectName,
			operation,
			code: typeof code === "string" ? code : status < 400 ? "OK" : codeOf(status),
			status,
			seconds: (performance.now() - startedAt) / 1_000,
			sdk: arrival.header("x-agent-sdk"),
		};
		for (const watch of this.#watchers) watch(answered);
	}
}

/** Lets Yoga's requests arrive, unless they have arrived already. */
export function arrive(arrivals: Arrivals, endpoint: string): Plugin<object, Arrival> {
	return {
		onRequest({ request, url, serverContext, endResponse }) {
			if (serverContext.requestId === undefined) {
				const header = (name: string) => request.headers.get(name);
				Object.assign(serverContext, arrivals.begin({ header, signal: () => request.signal }));
			}
			if (!serverContext.entered) endResponse(closing(serverContext.requestId, url.pathname === endpoint));
		},
		onResponse({ response, serverContext }) {
			// The explorer's page is sent before requests get their ids.
			if (serverContext.requestId === undefined) return;
			arrivals.end(serverContext, response.status);
			response.headers.set("x-request-id", serverContext.requestId);
		},
	};
}

/** Gives Yoga the parameters of a request: asks who it is before it reads a body, and neither where that was done before. */
export function parameters(identify: Identify, bodies: BodyReader): Plugin<object, Arrival> {
	return {
		onRequestParse({ serverContext, setRequestParser }) {
			setRequestParser(async (request) => {
				const { found } = serverContext;
				if (found !== undefined) {
					if ("failure" in found) throw found.failure;
					return found.params;
				}
				const identity = await identify(request);
				serverContext.identity = identity;
				return bodies.read(request, identity.projectId, (release) => {
					serverContext.releaseBody = release;
				});
			});
		},
		onParams({ context: { found }, setResult }) {
			if (found !== undefined && "result" in found) setResult(found.result);
		},
	};
}

function closing(requestId: string, isGraphQL: boolean): Response {
	const fault = new Fault("ServiceUnavailable", "The gateway is shutting down", { retryAfter: 1 });
	if (!isGraphQL) return errorResponse(fault, requestId);
	const { code, status, message } = fault;
	const error = { message, extensions: { code, status, requestId } };
	return Response.json({ errors: [error] }, { status, headers: { "retry-after": "1" } });
}
