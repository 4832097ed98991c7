import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { type ApiThread, callApi } from "../support/api.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { openStream } from "../support/streams.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const EXAMPLE = "server/examples/http.ts";

let gateway: TestGateway;

beforeAll(async () => {
	gateway = await startGateway();
});
afterAll(() => gateway.close());

/** Starts the example on a free port. */
async function start() {
	const child = spawn(process.execPath, ["--import", "tsx", EXAMPLE], {
		cwd: ROOT,
		env: { ...process.env, DATABASE_URL: gateway.databaseUrl, PORT: "0" },
		stdio: ["ignore", "pipe", "inherit"],
	});
	onTestFinished(() => void child.kill("SIGKILL"));
	const ended = once(child, "exit");
	let output = "";
	child.stdout.on("data", (chunk) => {
		output += chunk;
	});
	const address = /Serving on (http:\/\/127\.0\.0\.1:\d+)/;
	await vi.waitFor(() => expect(output).toMatch(address), { timeout: 60_000, interval: 20 });
	const [, origin = ""] = address.exec(output)!;
	return { child, ended, origin, mounted: { ...gateway, url: `${origin}/graphql` } };
}

/** The curl commands that the example tells, for a server elsewhere. */
async function curls(origin: string): Promise<string[]> {
	const text = await readFile(`${ROOT}/${EXAMPLE}`, "utf8");
	const lines = text.replaceAll(/^\/\/ {0,3}/gm, "").replaceAll(/ \\\n/g, "");
	return [...lines.matchAll(/^curl .*$/gm)].map(([line]) => line.replace("http://127.0.0.1:4000", origin));
}

const hasCurl = await promisify(execFile)("curl", ["--version"]).then(
	() => true,
	() => false,
);

describe("the HTTP example", () => {
	it.skipIf(!hasCurl)("answers each of its curl commands", async () => {
		const { origin } = await start();
		const answers: string[] = [];
		for (const line of await curls(origin)) {
			const run = promisify(execFile)("sh", ["-c", line.replace("curl", "curl --fail -sS")], {
				env: { ...process.env, TOKEN: gateway.token },
			});
			answers.push((await run).stdout);
		}
		const [once, streamed = "", thread, fork, list] = answers;
		expect(JSON.parse(once!)).toMatchObject({
			thread_id: "thread-123",
			output: "You (to echo) said something for the 1. time, seq 1.",
		});
		expect(streamed.split("\n\n").filter((event) => event.includes("event: message_delta")).length).toBeGreaterThan(5);
		expect(streamed).toContain("event: done");
		expect(JSON.parse(thread!)).toMatchObject({ status: "finished", messages: { length: 4 } });
		expect(JSON.parse(fork!)).toMatchObject({ parent_thread_id: "thread-123" });
		expect(JSON.parse(list!)).toMatchObject({ threads: { length: 2 } });
	});

	it("ends gracefully in the middle of a run, and remembers it after the next start", async () => {
		const first = await start();
		const stream = await openStream(first.mounted, "/api/chat", {
			method: "POST",
			body: JSON.stringify({ message: "Hello", thread_id: "kept", stream: true }),
			headers: { "content-type": "application/json" },
		});
		await stream.until(3);
		first.child.kill("SIGTERM");
		await stream.ended;
		expect(stream.events().at(-1)).toContain('"status":"finished"');
		expect(await first.ended).toEqual([0, null]);
		const second = await start();
		const { body } = await callApi<ApiThread>(second.mounted, "GET", "/api/threads/kept");
		expect(body).toMatchObject({ status: "finished", messages: { length: 2 } });
	});
});
