import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { scriptedAgent } from "../support/agents.ts";
import { callApi } from "../support/api.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";

type Schema = Parameters<typeof z.fromJSONSchema>[0];

interface Operation {
	operationId: string;
	requestBody?: { content: { "application/json": { schema: { properties: object } } } };
	responses: Record<string, { content?: Record<string, { schema: Schema }> }>;
}

interface Description {
	openapi: string;
	paths: Record<string, Record<string, Operation>>;
	components: { schemas: { Error: Schema } };
}

let gateway: TestGateway;
let description: Description;

beforeAll(async () => {
	gateway = await startGateway({ agent: scriptedAgent().agent });
	description = (await callApi<Description>(gateway, "GET", "/api/openapi.json", undefined, null)).body;
});
afterAll(() => gateway.close());

function operations(): [string, string, Operation][] {
	return Object.entries(description.paths).flatMap(([path, methods]) =>
		Object.entries(methods).map(([method, operation]): [string, string, Operation] => [
			method.toUpperCase(),
			path,
			operation,
		]),
	);
}

const fill = (path: string, key = "t") => path.replace("{key}", key);

describe("the OpenAPI description", () => {
	it("is of version 3.1 and has every route", () => {
		expect(description.openapi).toBe("3.1.0");
		expect(operations().map(([method, path]) => `${method} ${path}`)).toEqual([
			"POST /api/threads",
			"GET /api/threads",
			"GET /api/threads/{key}",
			"DELETE /api/threads/{key}",
			"POST /api/threads/{key}/branch",
			"GET /api/threads/{key}/config",
			"PUT /api/threads/{key}/config",
			"GET /api/threads/{key}/thinking",
			"PUT /api/threads/{key}/thinking",
			"GET /api/threads/{key}/events",
			"GET /api/states",
			"GET /api/states/{key}",
			"DELETE /api/states/{key}",
			"POST /api/chat",
		]);
		const names = operations().map(([, , { operationId }]) => operationId);
		expect(new Set(names).size).toBe(names.length);
	});

	it("has no method that is not answered, and lacks none that is", async () => {
		for (const path of Object.keys(description.paths)) {
			for (const method of ["GET", "POST", "PUT", "DELETE"]) {
				const { status } = await callApi(gateway, method, fill(path), undefined, null);
				const isDescribed = description.paths[path]?.[method.toLowerCase()] !== undefined;
				expect([method, path, status]).toEqual([method, path, isDescribed ? 401 : 405]);
			}
		}
	});

	it("describes what is answered", async () => {
		const requests: [string, string, object?][] = [
			["POST", "/api/threads", { thread_id: "t", metadata: { a: 1 } }],
			["POST", "/api/chat", { thread_id: "t", message: "Hi" }],
			["GET", "/api/threads"],
			["GET", "/api/threads/{key}"],
			["POST", "/api/threads/{key}/branch", {}],
			[
				"PUT",
				"/api/threads/{key}/config",
				{ config: { model: "m", response_format: { type: "text" }, thinking: { effort: "low" }, skills: ["s"] } },
			],
			["GET", "/api/threads/{key}/config"],
			["PUT", "/api/threads/{key}/thinking", { thinking: { budget: 1 } }],
			["GET", "/api/threads/{key}/thinking"],
			["GET", "/api/states"],
			["DELETE", "/api/threads/{key}"],
			["DELETE", "/api/states/{key}"],
		];
		for (const [method, path, body] of requests) {
			const { status, body: answer } = await callApi<object | null>(gateway, method, fill(path), body);
			const response = description.paths[path]?.[method.toLowerCase()]?.responses[status];
			expect(response, `${method} ${path} answered ${status}`).toBeDefined();
			const schema = response?.content?.["application/json"]?.schema;
			if (schema === undefined) expect(answer).toBeNull();
			else expect(z.fromJSONSchema(schema).parse(answer)).toEqual(answer);
		}
		const { body } = await callApi(gateway, "GET", "/api/threads/unknown");
		expect(z.fromJSONSchema(description.components.schemas.Error).parse(body)).toEqual(body);
	});

	it("names each field that a body may have", async () => {
		for (const [method, path, { requestBody }] of operations()) {
			if (requestBody === undefined) continue;
			const { body } = await callApi(gateway, method, fill(path), { no_such_field: 1 });
			const { properties } = requestBody.content["application/json"].schema;
			expect(body.error.message).toBe(
				`body: unknown no_such_field; known are ${Object.keys(properties).join(", ")} (VAL-8)`,
			);
		}
	});
});
