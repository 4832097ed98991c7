import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createToken, listTokens, revokeToken } from "../../server/store/tokens.ts";
import { type ApiError, callApi } from "../support/api.ts";
import { createBrowserToken } from "../support/browser-tokens.ts";
import { everythingOf, fillAll } from "../support/everything.ts";
import { startGateway, type TestGateway, type TestProject } from "../support/gateway.ts";

// Every route that the gateway itself describes; a new one is walked without a change here.
const gateway: TestGateway = await startGateway({ agent: async function* () {} });
const { body: description } = await callApi<{ paths: Record<string, Record<string, unknown>> }>(
	gateway,
	"GET",
	"/api/openapi.json",
	undefined,
	null,
);
const ROUTES = Object.entries(description.paths)
	.flatMap(([path, methods]) => Object.keys(methods).map((method) => [method.toUpperCase(), path] as const))
	.filter(([, path]) => path !== "/api/openapi.json");
const WRITES = ROUTES.filter(([method]) => method !== "GET");
/** Of what belongs to a key; a stream is compared by its status, since it stays open for a thread that may come. */
const KEYED = ROUTES.filter(([, path]) => path.includes("{key}"));

/** What a route takes that needs a body. */
const BODIES: Record<string, object> = {
	"PUT /api/threads/{key}/config": { config: null },
	"PUT /api/threads/{key}/thinking": { thinking: null },
	"POST /api/chat": { message: "Hi", thread_id: "shared" },
};

let owner: TestProject;

beforeAll(async () => {
	owner = await gateway.createProject();
	await fillAll(gateway, owner);
});

afterAll(() => gateway.close());

async function call(method: string, path: string, key: string, token: string | null) {
	const url = path.replace("{key}", encodeURIComponent(key));
	if (path.endsWith("/events")) {
		const leave = new AbortController();
		const headers: Record<string, string> = token === null ? {} : { authorization: `Bearer ${token}` };
		const { status, headers: answered } = await fetch(new URL(url, gateway.url), { headers, signal: leave.signal });
		leave.abort();
		return { status, headers: answered, body: null };
	}
	return callApi<ApiError | null>(gateway, method, url, BODIES[`${method} ${path}`], token);
}

function withoutRequestId(body: ApiError | null, key: string): string {
	return JSON.stringify(body)
		.replaceAll(/"requestId":"[^"]+"/g, "")
		.replaceAll(key, "KEY");
}

describe("a route of the HTTP API", () => {
	it("is one of those that the description names", () => {
		expect(ROUTES.length).toBeGreaterThan(12);
		expect(KEYED.length).toBeGreaterThan(8);
	});

	it.each(ROUTES)(
		"is closed without a token, and to unknown, revoked and expired ones: %s %s",
		async (method, path) => {
			const { db } = gateway;
			const { projectId } = owner;
			const revoked = await createToken(db, { projectId, role: "admin", name: `${method} ${path}` });
			const { tokenId } = (await listTokens(db, projectId)).find(({ name }) => name === `${method} ${path}`)!;
			await revokeToken(db, tokenId);
			const expired = await createToken(db, { projectId, role: "admin", name: "old", expiresAt: new Date(0) });
			const browser = await createBrowserToken(gateway, { conversationIds: ["shared"], expiredFor: 1 });
			for (const token of [null, "ags_unknown", `ags_${"A".repeat(64)}`, "e30.e30.e30", revoked, expired, browser]) {
				expect((await call(method, path, "shared", token)).status).toBe(401);
			}
		},
	);

	it.each(WRITES)(
		"that writes is Forbidden to a token that may read, and changes nothing: %s %s",
		async (method, path) => {
			const { db } = gateway;
			const before = await everythingOf(gateway, owner.projectId);
			const reader = await createToken(db, { projectId: owner.projectId, role: "read", name: "reader" });
			const { status, body } = await call(method, path, "shared", reader);
			expect([status, body?.error.code]).toEqual([403, "Forbidden"]);
			expect(await everythingOf(gateway, owner.projectId)).toEqual(before);
		},
	);

	it.each(KEYED)("ISO-2: answers for another project's key as for one that nobody has: %s %s", async (method, path) => {
		const before = await everythingOf(gateway, owner.projectId);
		const foreign = await call(method, path, "shared", gateway.token);
		const absent = await call(method, path, "nobody", gateway.token);
		expect(foreign.status).toBe(absent.status);
		expect(withoutRequestId(foreign.body, "shared")).toBe(withoutRequestId(absent.body, "nobody"));
		expect(await everythingOf(gateway, owner.projectId)).toEqual(before);
	});

	it.each(KEYED)("is closed to a token for browsers that is for another thread: %s %s", async (method, path) => {
		const browser = await createBrowserToken(gateway, { conversationIds: ["elsewhere"], role: "WRITE" });
		const limited = await call(method, path, "shared", browser);
		const absent = await call(method, path, "nobody", browser);
		expect(limited.status).toBe(absent.status);
		expect(withoutRequestId(limited.body, "shared")).toBe(withoutRequestId(absent.body, "nobody"));
		if (method !== "GET") expect(limited.status).toBe(403);
	});
});
