import type { Logger } from "pino";
import { authorize } from "../domain/access.ts";
import { unknownConversation } from "../domain/conversations.ts";
import { Fault } from "../domain/faults.ts";
import { checkId } from "../domain/ids.ts";
import type { Limits } from "../domain/limits.ts";
import type { Database } from "../store/database.ts";
import type { Identity } from "../store/tokens.ts";
import type { BodyReader } from "./body.ts";
import { errorResponse, toFault } from "./errors.ts";
import type { Identify } from "./identity.ts";
import { describe } from "./openapi.ts";
import { type Call, checkNames, decodeKey, type Match, match, type Route } from "./router.ts";

/** Where the HTTP API is. */
export const API = "/api/";
const DESCRIPTION = `${API}openapi.json`;

interface ApiOptions {
	routes: readonly Route[];
	/** What stands before their paths. */
	basePath: string;
	db: Database;
	limits: Limits;
	bodies: BodyReader;
	identify: Identify;
	logger: Logger;
}

/** What is learnt of a request while it is answered. */
interface Learnt {
	requestId: string;
	identity?: Identity;
	operation?: string;
	code?: unknown;
	releaseBody?: () => void;
}

/** Answers requests to the HTTP API: with the same tokens, roles and limits as GraphQL. */
export function createApi({ routes, basePath, db, limits, bodies, identify, logger }: ApiOptions) {
	const description = describe(routes, basePath);

	const call = async ({ route, key }: Match, request: Request, url: URL, learnt: Learnt): Promise<Response> => {
		const identity = await identify(request);
		learnt.identity = identity;
		const query = Object.fromEntries(url.searchParams);
		checkNames("query", query, route.query ?? {});
		const body = await bodies.readObject(request, identity.projectId, (release) => {
			learnt.releaseBody = release;
		});
		checkNames("body", body, route.body ?? {});
		const signal = standardSignal(request.signal);
		const call: Call = {
			db: db.for({ project: identity.projectId, signal: () => signal }),
			identity,
			limits,
			requestId: learnt.requestId,
			key: route.path.includes("{key}") ? checkKey("key", decodeKey(key), limits) : "",
			query,
			body,
			header: (name) => request.headers.get(name),
			verify: () => identify(request, "again"),
			signal,
		};
		const conversationId = route.conversationOf === undefined ? call.key : route.conversationOf(call);
		if (!authorize(identity, route.access, conversationId)) throw unknownConversation(conversationId ?? "");
		const answer = await route.answer(call);
		if (answer instanceof Response) return answer;
		const { status } = route.success;
		return answer === undefined ? new Response(null, { status }) : Response.json(answer, { status });
	};

	return async (request: Request, path: string, url: URL, learnt: Learnt): Promise<Response> => {
		const { requestId } = learnt;
		try {
			if (path === DESCRIPTION && request.method === "GET") {
				learnt.operation = path;
				return Response.json(description);
			}
			const found = match(routes, path);
			const chosen = found.get(request.method);
			if (chosen !== undefined) {
				learnt.operation = `${chosen.route.method} ${chosen.route.path}`;
				return await call(chosen, request, url, learnt);
			}
			if (found.size === 0)
				throw new Fault("NotFound", `There is nothing at ${path}; ${DESCRIPTION} tells what there is`);
			const allowed = [...found.keys()].join(", ");
			const fault = new Fault("BadRequest", `method: must be one of ${allowed}`, { status: 405 });
			const refusal = errorResponse(fault, requestId);
			refusal.headers.set("allow", allowed);
			return refusal;
		} catch (error) {
			const fault = inApiNames(toFault(error, requestId, logger));
			learnt.code = fault.code;
			return errorResponse(fault, requestId);
		}
	};
}

/** Yoga's signal of a request is not quite one: combined with others, it loses those who listen to it. */
function standardSignal(signal: AbortSignal): AbortSignal {
	const controller = new AbortController();
	if (signal.aborted) controller.abort();
	else signal.addEventListener("abort", () => controller.abort(), { once: true });
	return controller.signal;
}

/** The store names the fields of GraphQL's arguments. */
function inApiNames(fault: Fault): Fault {
	if (fault.code !== "BadRequest") return fault;
	const { message, status } = fault;
	const renamed = message
		.replace(/^input\./, "")
		.replace(/^first:/, "limit:")
		.replace(/^after:/, "cursor:");
	return new Fault("BadRequest", renamed, { status });
}

/** Checks the key of a thread or state. Clients resolve `.` and `..` in paths, so nothing under them could be reached. */
export function checkKey(field: string, value: unknown, { idBytes }: Limits): string {
	const key = checkId(field, value, idBytes);
	if (key === "." || key === "..") throw new Fault("BadRequest", `${field}: must not be "." or ".."`);
	return key;
}
