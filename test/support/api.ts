import type { TestGateway } from "./gateway.ts";

/** An answer of the HTTP API. */
export interface ApiAnswer<Body> {
	status: number;
	headers: Headers;
	body: Body;
}

/** What the API tells of a failure. */
export interface ApiError {
	error: { code: string; message: string; requestId: string };
}

/** Calls the HTTP API as the first project unless a token says otherwise; a string is sent as it is. */
export async function callApi<Body = ApiError>(
	gateway: TestGateway,
	method: string,
	path: string,
	body?: object | string,
	token: string | null = gateway.token,
): Promise<ApiAnswer<Body>> {
	const response = await fetch(new URL(path, gateway.url), {
		method,
		headers: {
			...(token === null ? {} : { authorization: `Bearer ${token}` }),
			...(body === undefined ? {} : { "content-type": "application/json" }),
		},
		...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
	});
	const text = await response.text();
	return { status: response.status, headers: response.headers, body: (text === "" ? null : JSON.parse(text)) as Body };
}

/** A thread as the API shows it. */
export interface ApiThread {
	thread_id: string;
	parent_thread_id: string | null;
	parent_entry_id: string | null;
	metadata: object;
	status: string;
	error: string | null;
	interrupt: { reason: string; data: unknown } | null;
	config: object | null;
	messages: { entry_id: string; role: string | null; payload: unknown; metadata: object; seq: string }[];
	next_cursor: string | null;
}
