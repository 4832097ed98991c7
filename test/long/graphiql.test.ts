import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { type Browser, chromium } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startGateway, type TestGateway } from "../support/gateway.ts";

const CHROMIUM = "/usr/bin/chromium";
const SCREENSHOTS = new URL("../screenshots/", import.meta.url);

if (!existsSync(CHROMIUM)) console.warn(`SKIPPED: GraphiQL in a browser, since ${CHROMIUM} is missing`);

describe.skipIf(!existsSync(CHROMIUM))("GraphiQL", () => {
	let gateway: TestGateway;
	let browser: Browser;

	beforeAll(async () => {
		gateway = await startGateway({ introspection: true });
		browser = await chromium.launch({
			executablePath: CHROMIUM,
			args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking", "--disable-sync"],
		});
	});

	afterAll(async () => {
		await browser?.close();
		await gateway.close();
	});

	it("works without internet, is authorized by the development token and runs its example", async () => {
		const { store } = gateway;
		await store.createConversation({ conversationId: "hello", metadata: { title: "我的第一段对话" } });
		await store.appendMessage({ conversationId: "hello", role: "user", payload: { text: "你好" } });
		// The explorer gets its token from the gateway that serves it, as `dev` gives it.
		const explorer = await startGateway({
			databaseUrl: gateway.databaseUrl,
			graphiql: { token: gateway.token },
			introspection: true,
		});
		const page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
		const foreign: string[] = [];
		const errors: string[] = [];
		page.on("request", (request) => {
			if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(new URL(explorer.url).origin)) {
				foreign.push(request.url());
			}
		});
		page.on("pageerror", (error) => errors.push(error.message));
		await page.goto(explorer.url);
		await page.getByRole("button", { name: /execute query/i }).click();
		await page.getByText("我的第一段对话").first().waitFor();
		await mkdir(SCREENSHOTS, { recursive: true });
		await page.screenshot({ path: fileURLToPath(new URL("graphiql.png", SCREENSHOTS)) });
		const shown = (await page.locator("body").textContent()) ?? "";
		expect(shown).toContain("你好");
		expect(foreign).toEqual([]);
		expect(errors).toEqual([]);
		await explorer.close();
	});
});
