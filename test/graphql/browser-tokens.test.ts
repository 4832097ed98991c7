import { createStore } from "@iga-pages/agent/store";
import { decodeJwt, decodeProtectedHeader, UnsecuredJWT } from "jose";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { rotateSigningKey } from "../../server/store/signing-keys.ts";
import { createToken, listTokens, revokeToken } from "../../server/store/tokens.ts";
import { askForBrowserToken, createBrowserToken, forge, secretOf } from "../support/browser-tokens.ts";
import { failure } from "../support/errors.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { sendRaw } from "../support/raw.ts";

let gateway: TestGateway;

beforeAll(async () => {
	gateway = await startGateway();
	for (const conversationId of ["mine", "other"]) {
		const messages = [{ messageId: `${conversationId} 1`, payload: conversationId }, { payload: 2 }];
		await gateway.store.appendMessages({ conversationId, messages });
	}
});

afterAll(() => gateway.close());

function browser(token: string) {
	return createStore({ url: gateway.url, token, retries: 0 });
}

/** Asks a gateway that has not seen the token before, and so remembers nothing of it. */
async function statusElsewhere(token: string): Promise<number> {
	const elsewhere = await startGateway({ databaseUrl: gateway.databaseUrl });
	onTestFinished(elsewhere.close);
	return (await sendRaw(elsewhere, { query: "{ viewer { role } }" }, token)).status;
}

describe("a browser token", () => {
	it("to read reads its conversations and sees no others", async () => {
		const store = browser(await createBrowserToken(gateway, { conversationIds: ["mine", "future"] }));
		expect(await store.getConversation({ conversationId: "mine" })).toMatchObject({ conversationId: "mine" });
		expect((await store.listMessages({ conversationId: "mine", limit: 1 })).items).toMatchObject([{ payload: "mine" }]);
		expect(await store.getMessage({ messageId: "mine 1" })).toMatchObject({ payload: "mine" });
		expect(await store.getConversation({ conversationId: "other" })).toBeNull();
		expect(await store.getMessage({ messageId: "other 1" })).toBeNull();
		expect(await store.listMessages({ conversationId: "other" })).toEqual({ items: [], nextCursor: null });
		const { items } = await store.listConversations();
		expect(items.map(({ conversationId }) => conversationId)).toEqual(["mine"]);
		expect(await failure(store.appendMessage({ conversationId: "mine", payload: 3 }))).toMatchObject({
			code: "Forbidden",
			status: 403,
		});
	});

	it("to write writes in its conversations, creates them, and writes nowhere else", async () => {
		const store = browser(await createBrowserToken(gateway, { conversationIds: ["new"], role: "WRITE" }));
		const { messageId } = await store.appendMessage({ conversationId: "new", payload: 1 });
		expect(await store.updateMessage({ messageId, payload: 2 })).toMatchObject({ payload: 2 });
		await store.updateConversation({ conversationId: "new", metadata: { title: "own" } });
		await store.deleteMessage({ messageId });
		await store.deleteMessage({ messageId });
		const refused = [
			store.appendMessage({ conversationId: "other", payload: 3 }),
			store.appendMessage({ conversationId: "nobody's", payload: 3 }),
			store.createConversation(),
			store.deleteConversation({ conversationId: "other" }),
			store.clearMessages({ conversationId: "nobody's" }),
		];
		for (const call of refused) {
			expect(await failure(call)).toMatchObject({
				code: "Forbidden",
				message: "This credential is limited to other conversations",
			});
		}
		const unknown = [
			store.updateMessage({ messageId: "other 1", payload: 3 }),
			store.updateMessage({ messageId: "nobody's", payload: 3 }),
		];
		for (const call of unknown) expect((await failure(call)).code).toBe("NotFound");
		await store.deleteMessage({ messageId: "other 1" });
		expect(await gateway.store.getMessage({ messageId: "other 1" })).toMatchObject({ payload: "other" });
	});

	it("pages through its own conversations alone", async () => {
		const conversationIds = ["p1", "p2", "p3"];
		for (const conversationId of [...conversationIds, "q1", "q2"]) {
			await gateway.store.createConversation({ conversationId });
		}
		const store = browser(await createBrowserToken(gateway, { conversationIds }));
		const seen: string[] = [];
		let cursor: string | null = null;
		do {
			const page: { items: { conversationId: string }[]; nextCursor: string | null } = await store.listConversations({
				limit: 1,
				cursor,
			});
			seen.push(...page.items.map(({ conversationId }) => conversationId));
			cursor = page.nextCursor;
		} while (cursor !== null);
		expect(seen).toEqual(["p3", "p2", "p1"]);
	});

	it("tells in viewer what it is", async () => {
		const { created } = await askForBrowserToken(gateway, { conversationIds: ["mine", "mine"] });
		const query = "{ viewer { role conversationIds expiresAt } }";
		expect((await sendRaw(gateway, { query }, created!.token)).data).toEqual({
			viewer: { role: "READ", conversationIds: ["mine"], expiresAt: created!.expiresAt },
		});
		expect((await sendRaw(gateway, { query })).data).toEqual({
			viewer: { role: "WRITE", conversationIds: null, expiresAt: null },
		});
	});

	it("lives for 900 seconds, or as long as was asked for, up to a day", async () => {
		const lifetime = async (input: object) => {
			const { created } = await askForBrowserToken(gateway, { conversationIds: ["mine"], ...input });
			const { iat = 0, exp = 0 } = decodeJwt(created!.token);
			expect(Date.parse(created!.expiresAt)).toBe(exp * 1_000);
			return exp - iat;
		};
		expect(await lifetime({})).toBe(900);
		expect(await lifetime({ lifetimeSeconds: 1 })).toBe(1);
		expect(await lifetime({ lifetimeSeconds: 86_400 })).toBe(86_400);
	});

	it("is not remembered beyond its end", async () => {
		const token = await createBrowserToken(gateway, { conversationIds: ["mine"], lifetimeSeconds: 2 });
		expect((await sendRaw(gateway, { query: "{ viewer { role } }" }, token)).status).toBe(200);
		await vi.waitFor(
			async () => expect((await sendRaw(gateway, { query: "{ viewer { role } }" }, token)).status).toBe(401),
			{ timeout: 8_000, interval: 100 },
		);
	});

	it.each([
		[{ conversationIds: [] }, "input.conversationIds: must be 1 to 100 ids"],
		[{ conversationIds: Array.from({ length: 101 }, String) }, "input.conversationIds: must be 1 to 100 ids"],
		[{ conversationIds: ["a", "é".repeat(129)] }, "input.conversationIds[1]: must be at most 256 UTF-8 bytes (VAL-1)"],
		[{ conversationIds: ["a"], role: "ADMIN" }, "input.role: must be READ or WRITE"],
		[{ conversationIds: ["a"], lifetimeSeconds: 0 }, "input.lifetimeSeconds: must be 1 to 86400"],
		[{ conversationIds: ["a"], lifetimeSeconds: 86_401 }, "input.lifetimeSeconds: must be 1 to 86400"],
		[
			{ conversationIds: Array.from({ length: 100 }, (_, index) => `${index} ${"x".repeat(200)}`) },
			"input.conversationIds: make a token of more than 8192 bytes; give fewer",
		],
	])("is refused with the field and the rule: %#", async (input, message) => {
		const { created, errors } = await askForBrowserToken(gateway, input);
		expect(created ?? null).toBeNull();
		expect(errors).toMatchObject([{ message, extensions: { code: "BadRequest" } }]);
	});

	it("is not made by who may only read, nor by a browser", async () => {
		const reader = await gateway.createProject({ role: "read" });
		const page = await createBrowserToken(gateway, { conversationIds: ["mine"], role: "WRITE" });
		for (const token of [reader.token, page]) {
			const { errors } = await askForBrowserToken(gateway, { conversationIds: ["mine"] }, token);
			expect(errors).toMatchObject([{ extensions: { code: "Forbidden" } }]);
		}
	});

	it("ISO-1: is worth nothing when it was altered or signed by anybody else", async () => {
		const token = await createBrowserToken(gateway, { conversationIds: ["mine"] });
		const secret = await secretOf(gateway, token);
		const other = await gateway.createProject();
		const { created } = await askForBrowserToken(gateway, { conversationIds: ["mine"] }, other.token);
		const foreignSecret = await secretOf(gateway, created!.token);
		const [head, body, signature] = token.split(".");
		const wider = Buffer.from(JSON.stringify({ ...decodeJwt(token), conversations: ["mine", "other"] }));
		const forgeries = [
			`${head}.${wider.toString("base64url")}.${signature}`,
			`${head}.${body}.`,
			`${head}.${body}`,
			new UnsecuredJWT({ ...decodeJwt(token) }).encode(),
			await forge(token, {}, foreignSecret),
			await forge(token, {}, new Uint8Array(32)),
			await forge(created!.token, { project: gateway.projectId }, foreignSecret),
			await forge(token, { project: other.projectId }, secret),
			await forge(token, { exp: undefined }, secret),
			await forge(token, { by: "nobody" }, secret),
			await forge(token, { jti: undefined }, secret),
		];
		for (const forgery of forgeries) expect([forgery, await statusOf(forgery)]).toEqual([forgery, 401]);
		expect(await statusOf(await forge(token, {}, secret))).toBe(200);
	});

	async function statusOf(token: string): Promise<number> {
		return (await sendRaw(gateway, { query: "{ viewer { role } }" }, token)).status;
	}
});

describe("the end of a browser token", () => {
	it("comes by revokeBrowserToken, for this one alone", async () => {
		const { created: one } = await askForBrowserToken(gateway, { conversationIds: ["mine"] });
		const { created: two } = await askForBrowserToken(gateway, { conversationIds: ["mine"] });
		const query = "mutation ($tokenId: String!) { revokeBrowserToken(input: { tokenId: $tokenId }) { tokenId } }";
		for (const tokenId of [one!.tokenId, one!.tokenId, "00000000-0000-4000-8000-000000000000"]) {
			expect((await sendRaw(gateway, { query, variables: { tokenId } })).data).toEqual({
				revokeBrowserToken: { tokenId },
			});
		}
		expect(await statusElsewhere(one!.token)).toBe(401);
		expect(await statusElsewhere(two!.token)).toBe(200);
		const refused = await sendRaw(gateway, { query, variables: { tokenId: one!.token } });
		expect(refused.errors[0]?.message).toMatch(/^input\.tokenId: must be the tokenId/);
	});

	it("is not brought about from another project", async () => {
		const { created } = await askForBrowserToken(gateway, { conversationIds: ["mine"] });
		const stranger = await gateway.createProject();
		const query = "mutation ($tokenId: String!) { revokeBrowserToken(input: { tokenId: $tokenId }) { tokenId } }";
		await sendRaw(gateway, { query, variables: { tokenId: created!.tokenId } }, stranger.token);
		expect(await statusElsewhere(created!.token)).toBe(200);
	});

	it("comes with that of the token that made it", async () => {
		const { db, projectId } = gateway;
		const maker = await createToken(db, { projectId, role: "write", name: "maker" });
		const { created } = await askForBrowserToken(gateway, { conversationIds: ["mine"] }, maker);
		expect(await statusElsewhere(created!.token)).toBe(200);
		const { tokenId } = (await listTokens(db, projectId)).find(({ name }) => name === "maker")!;
		expect(await revokeToken(db, tokenId)).toBe(true);
		expect(await statusElsewhere(created!.token)).toBe(401);
	});

	it("is never later than that of the token that made it", async () => {
		const { db, projectId } = gateway;
		const expiresAt = new Date(Date.now() + 60_000);
		const maker = await createToken(db, { projectId, role: "write", name: "brief", expiresAt });
		const { created } = await askForBrowserToken(gateway, { conversationIds: ["mine"] }, maker);
		expect(Date.parse(created!.expiresAt)).toBe(Math.floor(expiresAt.getTime() / 1_000) * 1_000);
	});

	it("comes with the removal of its key, not with the rotation", async () => {
		const { db, projectId } = gateway;
		const make = async () => (await askForBrowserToken(gateway, { conversationIds: ["mine"] })).created!.token;
		const first = await make();
		await rotateSigningKey(db, { projectId, keepSeconds: 86_400 });
		const second = await make();
		expect(decodeProtectedHeader(second).kid).not.toBe(decodeProtectedHeader(first).kid);
		expect([await statusElsewhere(first), await statusElsewhere(second)]).toEqual([200, 200]);
		await rotateSigningKey(db, { projectId, keepSeconds: 0 });
		expect([await statusElsewhere(first), await statusElsewhere(second)]).toEqual([401, 401]);
		expect(await statusElsewhere(await make())).toBe(200);
	});
});
