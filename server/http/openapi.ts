import type { Route, Schema } from "./router.ts";
import { ERROR, KEY } from "./schemas.ts";

/** Every route may answer with these. */
const ALWAYS = [400, 401, 403, 413, 429, 500, 503, 504];

const MEANING: Readonly<Record<number, string>> = {
	400: "The request is refused; the message names the field and the rule.",
	401: "No or a bad token.",
	403: "The token may not do this.",
	404: "It is not there.",
	409: "A taken id, or a run in progress.",
	413: "Over a size limit.",
	429: "Rate or overload; see Retry-After.",
	500: "Unexpected; the log has the reason under the request id.",
	501: "The gateway has no agent.",
	503: "The database is not reachable, or the gateway shuts down.",
	504: "The database did not finish in time.",
};

/** The OpenAPI 3.1 description of the routes, which are below a path. */
export function describe(routes: readonly Route[], basePath: string): object {
	const paths: Record<string, Record<string, object>> = {};
	for (const route of routes) {
		paths[route.path] ??= {};
		paths[route.path]![route.method.toLowerCase()] = operation(route);
	}
	return {
		openapi: "3.1.0",
		info: {
			title: "Agent store: threads and chat",
			version: "1",
			description: `A thread is a conversation; GraphQL, at ${basePath}/graphql, shows the same ones.`,
		},
		servers: [{ url: basePath || "/" }],
		security: [{ bearer: [] }],
		paths,
		components: {
			securitySchemes: { bearer: { type: "http", scheme: "bearer" } },
			schemas: { Error: ERROR },
		},
	};
}

function operation({ name, summary, path, query = {}, body, required = [], success, errors = [] }: Route): object {
	const inPath = path.includes("{key}") ? [{ name: "key", in: "path", required: true, schema: KEY }] : [];
	const inQuery = Object.entries(query).map(([field, schema]) => ({ name: field, in: "query", schema }));
	return {
		operationId: name,
		summary,
		parameters: [...inPath, ...inQuery],
		...(body === undefined
			? {}
			: {
					requestBody: {
						required: required.length > 0,
						content: json({ type: "object", required, properties: body, additionalProperties: false }),
					},
				}),
		responses: {
			[success.status]: {
				description: success.description,
				...(success.schema === undefined && !success.isStream ? {} : { content: contentOf(success) }),
			},
			...Object.fromEntries([...ALWAYS, ...errors].map((status) => [status, failure(status)])),
		},
	};
}

function contentOf({ schema, isStream = false }: Route["success"]): object {
	const stream = isStream ? { "text/event-stream": { schema: { type: "string" } } } : {};
	return { ...(schema === undefined ? {} : json(schema)), ...stream };
}

function failure(status: number): object {
	return { description: MEANING[status], content: json({ $ref: "#/components/schemas/Error" }) };
}

function json(schema: Schema): object {
	return { "application/json": { schema } };
}
