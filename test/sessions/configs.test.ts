import { createSessions, type Sessions, type ThreadConfig } from "@iga-pages/agent/sessions";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { failure } from "../support/errors.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";

let gateway: TestGateway;
let sessions: Sessions;
let conversations = 0;

beforeAll(async () => {
	gateway = await startGateway();
	sessions = createSessions({ url: gateway.url, token: gateway.token });
});

afterAll(() => gateway.close());

async function converse(): Promise<string> {
	const { conversationId } = await gateway.store.createConversation({ conversationId: `config-${++conversations}` });
	return conversationId;
}

const FULL: ThreadConfig = {
	model: "large",
	responseFormat: {
		type: "json_schema",
		jsonSchema: { name: "answer", description: "d", schema: JSON.parse('{"b":{"__proto__":1},"a":[]}'), strict: true },
	},
	thinking: { includeThoughts: true, display: "summarized", effort: "max", budget: -1 },
	skills: ["search", "draw"],
};

describe("the config of a conversation", () => {
	it("is null until it is set, is replaced whole, and is null again when it is taken out", async () => {
		const conversationId = await converse();
		expect(await sessions.getConfig({ conversationId })).toBeNull();
		expect(await sessions.setConfig({ conversationId, config: FULL })).toEqual(FULL);
		expect(JSON.stringify(await sessions.getConfig({ conversationId }))).toBe(JSON.stringify(FULL));
		expect(await sessions.setConfig({ conversationId, config: { skills: [] } })).toEqual({ skills: [] });
		expect(await sessions.setConfig({ conversationId, config: { model: null } })).toBeNull();
		await sessions.setConfig({ conversationId, config: FULL });
		expect(await sessions.setConfig({ conversationId, config: null })).toBeNull();
		expect(await sessions.getConfig({ conversationId })).toBeNull();
	});

	it("keeps its other fields when thinking is set and taken out", async () => {
		const conversationId = await converse();
		await sessions.setConfig({ conversationId, config: FULL });
		const thinking = { effort: "low" as const };
		expect(await sessions.setThinking({ conversationId, thinking })).toEqual({ ...FULL, thinking });
		const { thinking: _gone, ...rest } = FULL;
		expect(await sessions.setThinking({ conversationId, thinking: null })).toEqual(rest);
		expect(await sessions.getConfig({ conversationId })).toEqual(rest);
		await sessions.setConfig({ conversationId, config: null });
		expect(await sessions.setThinking({ conversationId, thinking })).toEqual({ thinking });
		expect(await sessions.setThinking({ conversationId, thinking: null })).toBeNull();
	});

	it("survives two changes at once", async () => {
		const conversationId = await converse();
		await sessions.setConfig({ conversationId, config: { model: "m" } });
		const budgets = Array.from({ length: 20 }, (_, budget) =>
			sessions.setThinking({ conversationId, thinking: { budget } }),
		);
		for (const config of await Promise.all(budgets)) expect(config).toMatchObject({ model: "m" });
	});

	it.each([
		[{ model: "" }, "config.model: must be a string"],
		[{ model: 1 }, "config.model: must be a string"],
		[{ models: "m" }, "config: unknown models"],
		[JSON.parse('{"__proto__": {}}'), "config: unknown __proto__"],
		[{ responseFormat: {} }, "config.responseFormat.type: is required"],
		[{ responseFormat: { type: "xml" } }, "config.responseFormat.type: must be one of text"],
		[{ responseFormat: { type: "json_schema" } }, "config.responseFormat.jsonSchema: must be given"],
		[{ responseFormat: { type: "text", jsonSchema: { name: "n", schema: {} } } }, "jsonSchema: must be given"],
		[{ responseFormat: { type: "json_schema", jsonSchema: { name: "n" } } }, "jsonSchema.schema: is required"],
		[{ thinking: { effort: "huge" } }, "config.thinking.effort: must be one of low"],
		[{ thinking: { display: true } }, "config.thinking.display: must be one of summarized"],
		[{ thinking: { budget: 1.5 } }, "config.thinking.budget: must be an integer"],
		[{ thinking: { includeThoughts: "yes" } }, "config.thinking.includeThoughts: must be a boolean"],
		[{ skills: "search" }, "config.skills: must be an array"],
		[{ skills: ["a", " "] }, "config.skills[1]: must be a string"],
		[[], "config: must be a JSON object"],
		[undefined, "config: is required"],
	])("refuses %j and names the field", async (config, message) => {
		const conversationId = await converse();
		await sessions.setConfig({ conversationId, config: { model: "before" } });
		expect(await failure(sessions.setConfig({ conversationId, config: config as never }))).toMatchObject({
			code: "BadRequest",
			message: expect.stringContaining(message),
		});
		expect(await sessions.getConfig({ conversationId })).toEqual({ model: "before" });
	});

	it("refuses a thinking part that is none, and unknown conversations", async () => {
		const conversationId = await converse();
		expect(
			await failure(sessions.setThinking({ conversationId, thinking: { effort: "huge" as never } })),
		).toMatchObject({ code: "BadRequest", message: expect.stringContaining("thinking.effort") });
		const refused = [
			sessions.getConfig({ conversationId: "nobody" }),
			sessions.setConfig({ conversationId: "nobody", config: { model: "m" } }),
			sessions.setThinking({ conversationId: "nobody", thinking: null }),
		];
		for (const error of await Promise.all(refused.map(failure))) {
			expect(error).toMatchObject({ code: "NotFound", status: 404 });
		}
		expect(await gateway.store.getConversation({ conversationId: "nobody" })).toBeNull();
	});
});
