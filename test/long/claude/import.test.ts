import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { createSessionStore } from "@iga-pages/agent/store/claude";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createWorkplace } from "../../session-files/commands.ts";
import { startGateway, type TestGateway } from "../../support/gateway.ts";
import { startFakeAnthropic } from "./fake-anthropic.ts";
import { importSdk, VERSIONS } from "./sdk.ts";
import { Turns } from "./turns.ts";

let gateway: TestGateway;

beforeAll(async () => {
	gateway = await startGateway();
});
afterAll(() => gateway.close());

it.each(VERSIONS)(
	"goes on with a session of Claude Agent SDK $version that was imported from its files",
	async ({ name }) => {
		const sdk = await importSdk(name);
		const anthropic = await startFakeAnthropic();
		const turns = new Turns(sdk, anthropic, "tenant_42");
		try {
			const place = await createWorkplace(gateway);
			const cwd = turns.newDirectory();
			const configDirectory = turns.newDirectory();
			const input = { description: "look", prompt: "look around", subagent_type: "general-purpose" };
			anthropic.toolCalls.push({ names: ["Agent", "Task"], input });
			const tools = ["Agent", "Task"];
			const env = turns.environment(configDirectory);
			const options = {
				settingSources: [],
				permissionMode: "default",
				maxTurns: 5,
				tools,
				allowedTools: tools,
				env,
				cwd,
			};
			let resume: string | undefined;
			for await (const message of sdk.query({ prompt: "first", options })) {
				if (message.type === "result") resume = message.session_id;
			}
			const projects = join(configDirectory, "projects");
			const [projectKey = ""] = readdirSync(projects);
			const written = readFileSync(join(projects, projectKey, `${resume}.jsonl`), "utf8");
			const { stdout } = await place.import(join(projects, projectKey), ["--as-conversation"]);
			expect(stdout).toBe("2 imported, 0 already there, 0 refused\n");
			expect(`${(await place.export(resume!, "claude")).join("\n")}\n`).toBe(written);
			rmSync(configDirectory, { recursive: true });

			const sessionStore = createSessionStore({ store: place.store });
			expect(await sessionStore.listSubkeys({ projectKey, sessionId: resume! })).toEqual([
				expect.stringMatching(/^subagents\/agent-/),
			]);
			const second = await turns.run("second", { sessionStore, cwd, resume });
			expect(second).toMatchObject({ sessionId: resume, failed: undefined, mirrorErrors: [] });
			const asked = second.asked[0] ?? [];
			expect([asked[0], asked.at(-1)]).toEqual(["first", "second"]);
			expect(asked.some((text) => /^answer \d$/.test(text))).toBe(true);
			const context = await place.sessions.getContext({ conversationId: resume! });
			expect(context[0]).toMatchObject({ role: "user" });
			expect(context.some(({ role }) => role === "assistant")).toBe(true);
		} finally {
			await anthropic.close();
			turns.remove();
		}
	},
	900_000,
);
