import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import type { Server } from "node:http";
import { type AddressInfo, createServer } from "node:net";
import { fileURLToPath } from "node:url";
import { createStore } from "@iga-pages/agent/store";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createChatPage } from "../../server/examples/chat-page.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { Wire } from "../support/wire.ts";

const CHROMIUM = "/usr/bin/chromium";
const SCREENSHOTS = new URL("../screenshots/", import.meta.url);

if (!existsSync(CHROMIUM)) console.warn(`SKIPPED: the chat page in a browser, since ${CHROMIUM} is missing`);

async function freePort(): Promise<number> {
	const server = createServer().listen(0, "127.0.0.1");
	await once(server, "listening");
	const { port } = server.address() as AddressInfo;
	server.close();
	await once(server, "close");
	return port;
}

describe.skipIf(!existsSync(CHROMIUM))("the chat page", () => {
	const conversationId = "chat-page";
	let wire: Wire;
	let gateway: TestGateway;
	let other: TestGateway;
	let server: Server;
	let browser: Browser;
	let origin: string;

	beforeAll(async () => {
		// The gateway has to know the page's origin before the page knows the gateway.
		const port = await freePort();
		origin = `http://127.0.0.1:${port}`;
		gateway = await startGateway({ origins: [origin] });
		other = await startGateway({ databaseUrl: gateway.databaseUrl });
		wire = new Wire(gateway.url);
		await wire.open();
		const { token } = gateway;
		server = createChatPage({ url: wire.databaseUrl, token, conversationId }).listen(port, "127.0.0.1");
		await once(server, "listening");
		browser = await chromium.launch({
			executablePath: CHROMIUM,
			args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking", "--disable-sync"],
		});
	});

	afterAll(async () => {
		await browser?.close();
		server.close();
		await wire.cut();
		await other.close();
		await gateway.close();
	});

	async function open(): Promise<{ page: Page; urls: string[]; errors: string[] }> {
		const page = await browser.newPage({ viewport: { width: 700, height: 600 } });
		const urls: string[] = [];
		const errors: string[] = [];
		page.on("request", (request) => urls.push(request.url()));
		page.on("pageerror", (error) => errors.push(error.message));
		await page.goto(origin);
		await page.getByText("live", { exact: true }).waitFor();
		return { page, urls, errors };
	}

	const shown = (page: Page) => page.locator("#messages li").allInnerTexts();

	it("shows in every window what anybody says, also after its connection broke, and forgets what is deleted", async () => {
		const { store } = gateway;
		await store.appendMessage({ conversationId, role: "assistant", payload: { text: "早上好！有什么可以帮你？" } });
		const [first, second] = [await open(), await open()];
		await first.page.getByLabel("Message").fill("<b>Hello</b> from the first window");
		await first.page.getByRole("button", { name: "Send" }).click();
		await second.page.getByText("from the first window").waitFor();
		// Somebody else, on another gateway.
		const agent = createStore({ url: other.url, token: gateway.token });
		await agent.appendMessage({ conversationId, role: "assistant", payload: { text: "Hello! I see both of you." } });
		for (const { page } of [first, second]) await page.getByText("I see both of you").waitFor();
		await wire.cut();
		await first.page.getByText("reconnecting").waitFor();
		await agent.appendMessage({ conversationId, role: "assistant", payload: { text: "You were away." } });
		await wire.open();
		for (const { page } of [first, second]) await page.getByText("You were away").waitFor();
		const messages = [
			"早上好！有什么可以帮你？",
			"<b>Hello</b> from the first window",
			"Hello! I see both of you.",
			"You were away.",
		];
		for (const { page } of [first, second]) {
			await page.getByText("live", { exact: true }).waitFor();
			expect(await shown(page)).toEqual(messages);
		}
		await mkdir(SCREENSHOTS, { recursive: true });
		await first.page.screenshot({ path: fileURLToPath(new URL("chat-page.png", SCREENSHOTS)) });
		await store.deleteConversation({ conversationId });
		await store.appendMessage({ conversationId, role: "user", payload: { text: "A new beginning" } });
		for (const { page } of [first, second]) {
			await page.getByText("A new beginning").waitFor();
			expect(await shown(page)).toEqual(["A new beginning"]);
		}
		for (const { urls, errors } of [first, second]) {
			expect(errors).toEqual([]);
			expect(urls.filter((url) => url.includes("eyJ"))).toEqual([]);
			expect(urls.every((url) => url.startsWith(origin) || url.startsWith(new URL(wire.databaseUrl).origin))).toBe(
				true,
			);
		}
	});
});
