import { existsSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { type Browser, chromium } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createBrowserToken } from "../support/browser-tokens.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";

const CHROMIUM = "/usr/bin/chromium";
const STORE = fileURLToPath(new URL("../../client/store.ts", import.meta.url));

if (!existsSync(CHROMIUM)) console.warn(`SKIPPED: the SDK in a browser, since ${CHROMIUM} is missing`);

/** A page whose global `agent` is the SDK; every port is an origin of its own. */
async function servePage(): Promise<{ origin: string; server: Server }> {
	const { outputFiles } = await build({
		entryPoints: [STORE],
		bundle: true,
		write: false,
		platform: "browser",
		format: "iife",
		globalName: "agent",
	});
	const html = `<!doctype html><meta charset="utf-8"><script>${outputFiles[0]!.text}</script>`;
	const server = createServer((_request, response) => response.setHeader("content-type", "text/html").end(html));
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}

describe.skipIf(!existsSync(CHROMIUM))("the SDK on a page of another origin", () => {
	let browser: Browser;
	let gateway: TestGateway;
	let listed: Awaited<ReturnType<typeof servePage>>;
	let other: Awaited<ReturnType<typeof servePage>>;

	beforeAll(async () => {
		[listed, other] = [await servePage(), await servePage()];
		gateway = await startGateway({ origins: [listed.origin] });
		browser = await chromium.launch({
			executablePath: CHROMIUM,
			args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking", "--disable-sync"],
		});
	});

	afterAll(async () => {
		await browser?.close();
		listed.server.close();
		other.server.close();
		await gateway.close();
	});

	/** Appends and reads on a page, and tries another conversation. */
	async function visit(origin: string): Promise<unknown> {
		const page = await browser.newPage();
		await page.goto(origin);
		const token = await createBrowserToken(gateway, { conversationIds: ["chat"], role: "WRITE" });
		const program = `(async () => {
			const store = agent.createStore(${JSON.stringify({ url: gateway.url, token, retries: 0, headers: { "x-trace": "1" } })});
			const message = { conversationId: "chat", messageId: "first", payload: "从浏览器" };
			const outcomes = await Promise.allSettled([
				store.appendMessage(message),
				store.appendMessage({ ...message, conversationId: "other" }),
			]);
			return outcomes.map(({ value, reason }) => value ? [value.seq, value.payload] : [reason.code, reason.status]);
		})()`;
		return page.evaluate(program).finally(() => page.close());
	}

	it("works with a browser token when the origin is listed, and reads its errors", async () => {
		expect(await visit(listed.origin)).toEqual([
			["1", "从浏览器"],
			["Forbidden", 403],
		]);
	});

	it("gets no answer otherwise", async () => {
		expect(await visit(other.origin)).toEqual([
			["NetworkError", undefined],
			["NetworkError", undefined],
		]);
	});
});
