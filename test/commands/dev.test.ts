import { once } from "node:events";
import { readFile, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { join } from "node:path";
import { createStore } from "@iga-pages/agent/store";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { isAlive } from "../../server/embedded/processes.ts";
import { temporaryFolder } from "../support/folder.ts";
import { type GatewayProcess, runGateway, startGatewayProcess } from "../support/gateway-process.ts";

let folder: string;
let running: GatewayProcess[];

beforeEach(async () => {
	folder = join(await temporaryFolder(), ".agent-store");
	running = [];
});

afterEach(async () => {
	for (const gateway of running) await gateway.stop();
	// A gateway that was killed leaves its Postgres to the next start, which a test may not have.
	const pid = await postgresPid().catch(() => 0);
	if (pid > 0 && isAlive(pid)) process.kill(pid, "SIGINT");
	await vi.waitFor(() => expect(pid > 0 && isAlive(pid)).toBe(false), { timeout: 20_000 });
});

async function start(env: Record<string, string> = {}): Promise<GatewayProcess> {
	const gateway = await startGatewayProcess("dev", { AGENT_STORE_DATA: folder, ...env });
	running.push(gateway);
	return gateway;
}

const run = (env: Record<string, string> = {}) => runGateway(["dev"], { AGENT_STORE_DATA: folder, PORT: "0", ...env });

async function postgresPid(): Promise<number> {
	return Number((await readFile(join(folder, "postgres/data/postmaster.pid"), "utf8")).split("\n")[0]);
}

async function link(): Promise<{ url: string; token: string }> {
	return JSON.parse(await readFile(join(folder, "link.json"), "utf8"));
}

describe("agent-gateway dev", () => {
	it("serves a development project that the link file leads to", async () => {
		const { url } = await start();
		const found = await link();
		expect(found.url).toBe(url);
		expect((await stat(join(folder, "link.json"))).mode & 0o777).toBe(0o600);
		expect((await stat(folder)).mode & 0o777).toBe(0o700);
		for (const path of ["/health/live", "/health/ready"]) {
			expect((await fetch(new URL(path, url))).status).toBe(200);
		}
		const store = createStore(found);
		const { conversationId } = await store.createConversation();
		await store.appendMessage({ conversationId, payload: "hello" });
		expect((await store.listMessages({ conversationId })).items.map(({ payload }) => payload)).toEqual(["hello"]);
	});

	it("ISO-3: lets nobody in without the token", async () => {
		const { url } = await start();
		const answer = await fetch(url, {
			method: "POST",
			headers: { "content-type": "application/json" },
			body: JSON.stringify({ query: "{ viewer { project { name } } }" }),
		});
		expect(answer.status).toBe(401);
	});

	it("ends with 0 on Ctrl-C, and Postgres with it", async () => {
		const gateway = await start();
		const pid = await postgresPid();
		gateway.signal("SIGINT", "group");
		expect(await gateway.ended).toBe(0);
		expect(isAlive(pid)).toBe(false);
		await expect(postgresPid()).rejects.toThrow("ENOENT");
	});

	it("finds data and token again at the next start", async () => {
		const first = await start();
		const { token } = await link();
		const { conversationId } = await createStore({ url: first.url, token }).createConversation();
		await first.stop();
		const second = await start();
		expect(await link()).toEqual({ url: second.url, token });
		const store = createStore({ url: second.url, token });
		expect(await store.getConversation({ conversationId })).not.toBeNull();
	});

	it("makes a new token where the link's does not work", async () => {
		await (await start()).stop();
		const { url, token } = await link();
		await writeFile(join(folder, "link.json"), JSON.stringify({ url, token: `${token}x` }));
		await start();
		expect((await link()).token).not.toBe(`${token}x`);
		await createStore(await link()).createConversation();
	});

	it("ERR-6: survives kill -9 with everything that it had acknowledged", async () => {
		const first = await start();
		const { token } = await link();
		const store = createStore({ url: first.url, token });
		await store.appendMessage({ conversationId: "c", payload: 1 });
		const pid = await postgresPid();
		first.signal("SIGKILL");
		expect(await first.ended).toBe("SIGKILL");
		expect(isAlive(pid)).toBe(true);
		const second = await start();
		expect(isAlive(pid)).toBe(false);
		const page = await createStore({ url: second.url, token }).listMessages({ conversationId: "c" });
		expect(page.items.map(({ payload }) => payload)).toEqual([1]);
	});

	it("lets running requests end before it does, and takes no new ones", async () => {
		const gateway = await start();
		const { port } = new URL(gateway.url);
		const { token } = await link();
		// A request whose body is half sent is a running one.
		const body = JSON.stringify({ query: "{ viewer { project { name } } }" });
		const socket = connect(Number(port), "127.0.0.1");
		let answer = "";
		socket.on("data", (chunk) => {
			answer += chunk;
		});
		socket.write(
			`POST /graphql HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nAuthorization: Bearer ${token}\r\nExpect: 100-continue\r\nContent-Length: ${body.length}\r\n\r\n`,
		);
		await vi.waitFor(() => expect(answer).toContain("100 Continue"));
		gateway.signal("SIGTERM");
		await vi.waitFor(() => expect(fetch(gateway.url)).rejects.toThrow("fetch failed"));
		socket.write(body);
		expect(await gateway.ended).toBe(0);
		expect(answer).toContain("200 OK");
		expect(answer).toContain('"development"');
	});

	it("takes a signal that npm forwards, too, for one", async () => {
		const gateway = await start();
		const pid = await postgresPid();
		gateway.signal("SIGINT", "group");
		gateway.signal("SIGINT");
		expect(await gateway.ended).toBe(0);
		expect(isAlive(pid)).toBe(false);
	});

	it("ends at once on a later signal, and Postgres with it", async () => {
		const gateway = await start();
		const pid = await postgresPid();
		const socket = connect(Number(new URL(gateway.url).port), "127.0.0.1");
		socket.on("error", () => {});
		// Half a request keeps the gateway from ending in order.
		socket.write("POST /graphql HTTP/1.1\r\nHost: 127.0.0.1\r\nExpect: 100-continue\r\nContent-Length: 9\r\n\r\n");
		await once(socket, "data");
		let ended: unknown;
		const end = gateway.ended.then((code) => {
			ended = code;
		});
		await vi.waitFor(
			() => {
				if (ended === undefined) gateway.signal("SIGINT");
				expect(ended).toBe(130);
			},
			{ timeout: 9_000 },
		);
		await end;
		await vi.waitFor(() => expect(isAlive(pid)).toBe(false), { timeout: 20_000 });
	});

	it("ends with an error when its Postgres ends", async () => {
		const gateway = await start();
		process.kill(await postgresPid(), "SIGINT");
		expect(await gateway.ended).toBe(1);
	});

	it("says in one line that the port is taken, and leaves no Postgres behind", async () => {
		const other = createServer().listen(0, "127.0.0.1");
		onTestFinished(() => void other.close());
		await once(other, "listening");
		const { port } = other.address() as AddressInfo;
		const { code, stderr } = await run({ PORT: String(port) });
		expect(stderr).toBe(
			`agent-gateway: Port ${port} on 127.0.0.1 is taken: stop the program that uses it, or set PORT to another number.\n`,
		);
		expect(code).toBe(1);
		await expect(postgresPid()).rejects.toThrow("ENOENT");
	});

	it("says in one line that another gateway uses the folder", async () => {
		const { pid } = await start();
		const { code, stderr } = await run();
		expect(stderr).toBe(
			`agent-gateway: Another gateway (pid ${pid}) uses the data folder ${folder}: stop it, or set AGENT_STORE_DATA to another folder.\n`,
		);
		expect(code).toBe(1);
	});

	it("says in one line that the data directory is damaged", async () => {
		await (await start()).stop();
		await writeFile(join(folder, "postgres/data/global/pg_control"), "garbage");
		const { code, stderr } = await run();
		expect(stderr).toMatch(/^agent-gateway: The embedded Postgres does not start \(.+\): if the data directory .+\n$/);
		expect(code).toBe(1);
	});
});
