import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startGateway, type TestGateway } from "../support/gateway.ts";

const ORIGIN = "https://chat.example";
const QUERY = JSON.stringify({ query: "{ viewer { role } }" });

let open: TestGateway;
let closed: TestGateway;

beforeAll(async () => {
	open = await startGateway({ origins: [ORIGIN, "http://localhost:5173"] });
	closed = await startGateway({ databaseUrl: open.databaseUrl });
});

afterAll(async () => {
	await closed.close();
	await open.close();
});

/** What a browser asks before a script's request with a token. */
function preflight(gateway: TestGateway, origin: string, path = "/graphql"): Promise<Response> {
	return fetch(new URL(path, gateway.url), {
		method: "OPTIONS",
		headers: {
			origin,
			"access-control-request-method": "POST",
			"access-control-request-headers": "authorization,content-type,x-agent-sdk",
		},
	});
}

function corsHeaders({ headers }: Response): string[] {
	return [...headers.keys()].filter((name) => name.startsWith("access-control-"));
}

describe("a page of another origin", () => {
	it.each(["/graphql", "/health/ready"])("may call %s with a token when its origin is listed", async (path) => {
		const { status, headers } = await preflight(open, ORIGIN, path);
		expect(status).toBe(204);
		expect(headers.get("access-control-allow-origin")).toBe(ORIGIN);
		expect(headers.get("access-control-allow-methods")).toBe("POST");
		expect(headers.get("access-control-allow-headers")).toBe("authorization,content-type,x-agent-sdk");
		expect(headers.get("access-control-allow-credentials")).toBeNull();
		expect(headers.get("vary")).toContain("origin");
	});

	it("may read answers and refusals, with their ids and times to wait", async () => {
		const good = await open.post(QUERY, { origin: ORIGIN });
		const refused = await open.post(QUERY, { origin: ORIGIN, authorization: "Bearer wrong" });
		const missing = await fetch(new URL("/nowhere", open.url), { headers: { origin: ORIGIN } });
		expect([good.status, refused.status, missing.status]).toEqual([200, 401, 404]);
		for (const { headers } of [good, refused, missing]) {
			expect(headers.get("access-control-allow-origin")).toBe(ORIGIN);
			expect(headers.get("access-control-expose-headers")).toBe("retry-after, x-request-id");
			expect(headers.get("vary")).toContain("origin");
		}
	});

	it.each([
		"https://evil.example",
		"http://chat.example",
		"https://chat.example:444",
		"https://chat.example.evil.example",
		"https://sub.chat.example",
		"null",
	])("gets nothing when its origin is not listed: %s", async (origin) => {
		expect(corsHeaders(await preflight(open, origin))).toEqual([]);
		const answer = await open.post(QUERY, { origin });
		expect(corsHeaders(answer)).toEqual([]);
		expect(answer.headers.get("vary")).toContain("origin");
	});

	it("gets nothing by default", async () => {
		const asked = await preflight(closed, ORIGIN);
		expect(asked.status).toBeGreaterThanOrEqual(400);
		expect(corsHeaders(asked)).toEqual([]);
		expect(corsHeaders(await closed.post(QUERY, { origin: ORIGIN }))).toEqual([]);
	});
});
