import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { listTokens, revokeToken } from "../../server/store/tokens.ts";
import { callApi } from "../support/api.ts";
import { createBrowserToken } from "../support/browser-tokens.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { openStream } from "../support/streams.ts";

let gateway: TestGateway;
let other: TestGateway;

beforeAll(async () => {
	gateway = await startGateway({ limits: { tailPollMs: 200, heartbeatMs: 20 } });
	other = await startGateway({ databaseUrl: gateway.databaseUrl });
});

afterAll(async () => {
	await other.close();
	await gateway.close();
});

interface Told {
	id: string | undefined;
	event: string;
	data: { type: string; thread_id: string; payload: { payload: unknown } | null; error?: { code: string } };
}

function parse(event: string): Told {
	const fields = new Map(
		event.split("\n").map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)]),
	);
	return { id: fields.get("id"), event: fields.get("event")!, data: JSON.parse(fields.get("data")!) as Told["data"] };
}

describe("GET /api/threads/{key}/events", () => {
	it("streams what is there and what comes, in frames that proxies pass on", async () => {
		const stream = await openStream(gateway, "/api/threads/streamed/events");
		expect(stream.response.status).toBe(200);
		expect(Object.fromEntries(stream.response.headers)).toMatchObject({
			"content-type": "text/event-stream; charset=utf-8",
			"cache-control": "no-cache, no-transform",
			"x-accel-buffering": "no",
			"x-request-id": expect.any(String),
		});
		await stream.until(1);
		const { store } = gateway;
		const stored = await store.appendMessage({
			conversationId: "streamed",
			messageId: "s1",
			role: "user",
			payload: "hi\n",
		});
		await stream.until(2);
		const [opened, message] = stream.events().map(parse);
		expect(opened).toMatchObject({ event: "opened", data: { type: "opened", thread_id: "streamed", payload: null } });
		expect(message).toEqual({
			id: expect.any(String),
			event: "message",
			data: {
				schema: "thread.event.v1",
				thread_id: "streamed",
				type: "message",
				payload: {
					entry_id: "s1",
					seq: "1",
					branch: 0,
					kind: "message",
					role: "user",
					type: null,
					payload: "hi\n",
					metadata: {},
					label: null,
					source_entry_id: null,
					created_at: stored.createdAt,
					updated_at: stored.updatedAt,
				},
			},
		});
	});

	it("goes on behind Last-Event-ID or after, on any gateway, and is reset when the thread was deleted", async () => {
		const conversationId = "käse/1";
		const path = `/api/threads/${encodeURIComponent(conversationId)}/events`;
		const messages = [1, 2, 3].map((payload) => ({ payload }));
		await gateway.store.appendMessages({ conversationId, messages });
		const first = await openStream(gateway, path);
		await first.until(4);
		const [, one, two] = first.events().map(parse);
		const access = { url: other.url, token: gateway.token };
		const resumed = [
			await openStream(access, `${path}?last=1`, { headers: { "last-event-id": one!.id! } }),
			await openStream(access, `${path}?after=${encodeURIComponent(two!.id!)}`),
			await openStream(access, `${path}?last=1`),
		];
		for (const [index, wanted] of [[2, 3], [3], [3]].entries()) {
			const stream = resumed[index]!;
			await stream.until(1 + wanted.length);
			const told = stream.events().map((event) => parse(event).data.payload?.payload);
			expect(told).toEqual([undefined, ...wanted]);
		}
		await callApi(gateway, "DELETE", path.replace("/events", ""));
		await gateway.store.appendMessage({ conversationId, payload: "new" });
		const late = await openStream(access, path, { headers: { "last-event-id": two!.id! } });
		for (const stream of [late, first]) {
			await stream.until(stream === late ? 3 : 6);
			expect(
				stream
					.events()
					.slice(-2)
					.map((event) => parse(event).event),
			).toEqual(["reset", "message"]);
		}
	});

	it("gives signs of life while nothing happens, as a subscription does", async () => {
		const headers = { authorization: `Bearer ${gateway.token}`, accept: "text/event-stream" };
		const query = encodeURIComponent('subscription { messageAdded(conversationId: "silent") { kind } }');
		for (const path of ["/api/threads/silent/events", `/graphql?query=${query}`]) {
			const { body } = await fetch(new URL(path, gateway.url), { headers });
			let text = "";
			for await (const part of body!.pipeThrough(new TextDecoderStream())) {
				text += part;
				if (text.split("\n\n: still here").length > 3) break;
			}
			expect(text).toMatch(/opened/i);
		}
	});

	it("refuses what is wrong with it, before it streams", async () => {
		const path = "/api/threads/refused/events";
		const { events, until } = await openStream(gateway, path);
		await until(1);
		const position = encodeURIComponent(parse(events()[0]!).id!);
		for (const wrong of [
			`/api/threads/another/events?after=${position}`,
			`${path}?after=${position}&last=1`,
			`${path}?after=`,
			`${path}?last=-1`,
			`${path}?since=1`,
		]) {
			const { status, body } = await callApi(gateway, "GET", wrong);
			expect([wrong, status, body.error.code]).toEqual([wrong, 400, "BadRequest"]);
		}
		for (const token of [null, "ags_unknown"]) {
			expect(await callApi(gateway, "GET", path, undefined, token)).toMatchObject({
				status: 401,
				body: { error: { code: "Unauthorized" } },
			});
		}
	});

	it("shows a credential only the threads that it reaches, and ends with an error when that has ended", async () => {
		await gateway.store.appendMessage({ conversationId: "hidden", payload: "secret" });
		const browser = await createBrowserToken(gateway, { conversationIds: ["mine"] });
		const headers = { authorization: `Bearer ${browser}` };
		const hidden = await openStream(gateway, "/api/threads/hidden/events", { headers });
		const mine = await openStream(gateway, "/api/threads/mine/events", { headers });
		await hidden.until(1);
		await gateway.store.appendMessage({ conversationId: "hidden", payload: "secret 2" });
		await gateway.store.appendMessage({ conversationId: "mine", payload: 1 });
		await mine.until(2);
		expect(hidden.events()).toHaveLength(1);
		const { projectId, token } = await gateway.createProject();
		const doomed = await openStream(gateway, "/api/threads/doomed/events", {
			headers: { authorization: `Bearer ${token}` },
		});
		await doomed.until(1);
		const [ended] = await listTokens(gateway.db, projectId);
		await revokeToken(gateway.db, ended!.tokenId);
		await doomed.ended;
		expect(parse(doomed.events().at(-1)!)).toMatchObject({ event: "error", data: { error: { code: "Unauthorized" } } });
	});
});
