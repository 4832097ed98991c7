import { readFile } from "node:fs/promises";
import { createSessions } from "@iga-pages/agent/sessions";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { branchingExample } from "../../client/examples/branching.ts";
import { readTree, storeTree, type Turn } from "../../client/examples/conversation-trees.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { rowVersions } from "../support/sql.ts";

const TREES = new URL("../../../shared/data/conversation-trees.jsonl", import.meta.url);
const text = await readFile(TREES, "utf8").catch(() => null);
if (text === null) console.warn("SKIPPED: the real conversation trees, since conversation-trees.jsonl is missing");

let gateway: TestGateway;

beforeAll(async () => {
	gateway = await startGateway();
	Object.assign(process.env, { AGENT_STORE_URL: gateway.url, AGENT_STORE_TOKEN: gateway.token });
});

afterAll(async () => {
	delete process.env["AGENT_STORE_URL"];
	delete process.env["AGENT_STORE_TOKEN"];
	await gateway.close();
});

/** A tree with nothing but what is stored, in the order of its replies. */
function plain({ id, role, text, replies }: Turn): Turn {
	return { id, role, text, replies: replies.map(plain) };
}

describe("the branching example", () => {
	it("shows the path of the second plan and keeps the first", async () => {
		const { conversationId, messages } = await branchingExample();
		expect(messages.map(({ role, payload }) => [role, payload])).toEqual([
			["user", { text: "Plan A" }],
			["user", { text: "Try a different plan" }],
		]);
		const sessions = createSessions({ url: gateway.url, token: gateway.token });
		const leaves = await sessions.listLeaves({ conversationId });
		expect(leaves.map(({ payload }) => payload)).toEqual([{ text: "First plan" }, { text: "Try a different plan" }]);
		expect(await sessions.getStats({ conversationId })).toMatchObject({
			messageCount: 3,
			branchCount: 2,
			leafCount: 2,
			maxDepth: 1,
		});
	});
});

describe.skipIf(text === null)("real conversation trees", () => {
	it("come back node for node, and are not stored twice", async () => {
		const roots = (text ?? "")
			.split("\n")
			.filter((line) => line !== "")
			.map((line) => (JSON.parse(line) as { prompt: Turn }).prompt);
		expect(roots).toHaveLength(70);
		const messageVersions = async () => (await rowVersions(gateway)).filter(({ id }) => id.startsWith("m:"));
		const earlier = (await messageVersions()).length;
		for (const root of roots) {
			await storeTree(root.id, root);
			expect(await readTree(root.id)).toEqual(plain(root));
		}
		const [first] = roots;
		const before = await messageVersions();
		expect(before.length - earlier).toBe(797);
		await storeTree(first!.id, first!);
		expect(await messageVersions()).toEqual(before);
	}, 300_000);
});
