import { randomBytes, randomUUID } from "node:crypto";
import { SignJWT } from "jose";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { createBrowserToken } from "../support/browser-tokens.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { sendRaw } from "../support/raw.ts";

let gateway: TestGateway;

beforeAll(async () => {
	gateway = await startGateway();
});

afterAll(() => gateway.close());

const query = "{ viewer { role } }";

/** How often the database is asked for tokens while requests are sent one after another. @returns Also their statuses. */
async function lookUps(tokens: string[]): Promise<{ count: number; statuses: number[] }> {
	const spy = vi.spyOn(pg.Client.prototype, "query");
	const statuses: number[] = [];
	for (const token of tokens) statuses.push((await sendRaw(gateway, { query }, token)).status);
	const texts = spy.mock.calls.map(([statement]) => (statement as unknown as { text?: string }).text ?? "");
	spy.mockRestore();
	return { count: texts.filter((text) => /FROM (api_tokens|signing_keys)/.test(text)).length, statuses };
}

const token = (bytes = 48) => `ags_${randomBytes(bytes).toString("base64url")}`;

async function jwt(claims: object): Promise<string> {
	return new SignJWT({ ...claims }).setProtectedHeader({ alg: "HS256", kid: randomUUID() }).sign(randomBytes(32));
}

describe("ISO-1: a wrong token", () => {
	it.each<[string, () => string | Promise<string>]>([
		["random text", () => randomUUID()],
		["another prefix", () => token().replace("ags_", "agt_")],
		["a token that is too short", () => token(47)],
		["a token that is too long", () => token(49)],
		["a token with a character that is none of its own", () => token().replace(/.$/, "!")],
		["a JWT of somebody else", () => jwt({ sub: "somebody" })],
		["a JWT with ids that are none", () => jwt({ project: "p", jti: "j", by: "b" })],
		["half a JWT", async () => (await jwt({})).slice(0, -50)],
	])("is refused without a look into the database: %s", async (_, make) => {
		const wrong = await make();
		expect(await lookUps([wrong])).toEqual({ count: 0, statuses: [401] });
	});

	it.each<[string, () => string | Promise<string>]>([
		["a token that never was", () => token()],
		["a JWT that nobody signed", () => jwt({ project: gateway.projectId, jti: randomUUID(), by: randomUUID() })],
		[
			"a browser token that was changed",
			async () => `${(await createBrowserToken(gateway, { conversationIds: ["c"] })).slice(0, -4)}AAAA`,
		],
	])("costs one look however often it comes: %s", async (_, make) => {
		const wrong = await make();
		const { count, statuses } = await lookUps([wrong, wrong, wrong, wrong, wrong]);
		expect({ count, statuses }).toEqual({ count: 1, statuses: [401, 401, 401, 401, 401] });
	});
});
