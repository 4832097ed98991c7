import type { Access } from "../domain/access.ts";
import { badRequest } from "../domain/faults.ts";
import type { JsonObject } from "../domain/json.ts";
import type { Scope } from "../store/scope.ts";

/** What a route works with: who asks, and what for. */
export interface Call extends Scope {
	requestId: string;
	/** The `{key}` of the path; empty where the path has none. */
	key: string;
	query: Readonly<Record<string, string>>;
	/** Empty where none was sent. */
	body: JsonObject;
	/** Of the request's headers. */
	header(name: string): string | null;
	/** Asks again whether the credential still holds, which may end during a long answer. */
	verify(): Promise<unknown>;
	/** Aborted when the client has left. */
	signal: AbortSignal;
}

/** A description of a JSON value, as OpenAPI has them. */
export interface Schema {
	[keyword: string]: unknown;
}

/** An endpoint of the HTTP API: how it is called, who may, what it does. The OpenAPI description is made of these. */
export interface Route {
	method: "GET" | "POST" | "PUT" | "DELETE";
	/** Segments, of which `{key}` stands for any. */
	path: string;
	/** Its name in the description. */
	name: string;
	summary: string;
	access: Access;
	/** The conversation that it is about, for credentials that are limited to some; the path's key when omitted. */
	conversationOf?: (call: Call) => string | null;
	query?: Readonly<Record<string, Schema>>;
	/** Fields of the body; others are refused. */
	body?: Readonly<Record<string, Schema>>;
	required?: readonly string[];
	success: { status: number; description: string; schema?: Schema; isStream?: boolean };
	/** Codes of errors besides those of every route. */
	errors?: readonly number[];
	/** Returns what is sent as JSON, or a response of its own; without either the answer is empty. */
	answer(call: Call): Promise<object | undefined>;
}

/** A route and the key that a path has for it. */
export interface Match {
	route: Route;
	key: string;
}

/** The routes of a path, by method. */
export function match(routes: readonly Route[], path: string): Map<string, Match> {
	const found = new Map<string, Match>();
	for (const route of routes) {
		const key = keyIn(route.path, path);
		if (key !== undefined) found.set(route.method, { route, key });
	}
	return found;
}

function keyIn(pattern: string, path: string): string | undefined {
	const wanted = pattern.split("/");
	const given = path.split("/");
	if (wanted.length !== given.length) return undefined;
	let key = "";
	for (const [index, segment] of wanted.entries()) {
		if (segment !== "{key}" && segment !== given[index]) return undefined;
		if (segment === "{key}") key = given[index]!;
	}
	return pattern.includes("{key}") && key === "" ? undefined : key;
}

/** Reads the key of a path. */
export function decodeKey(key: string): string {
	try {
		return decodeURIComponent(key);
	} catch (cause) {
		throw badRequest("key", `must be percent-encoded UTF-8 (${(cause as Error).name})`);
	}
}

/** Refuses names that a route does not know (rule VAL-8). */
export function checkNames(what: string, given: object, known: object): void {
	const unknown = Object.keys(given).filter((name) => !Object.hasOwn(known, name));
	if (unknown.length === 0) return;
	const names = Object.keys(known);
	const rest = names.length === 0 ? "there are none here" : `known are ${names.join(", ")}`;
	throw badRequest(what, `unknown ${unknown.join(", ")}; ${rest} (VAL-8)`);
}
