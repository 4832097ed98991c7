import { createSessions, type Sessions } from "@iga-pages/agent/sessions";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { failure } from "../support/errors.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { sendRaw } from "../support/raw.ts";
import { ageRows } from "../support/sql.ts";

let gateway: TestGateway;
let sessions: Sessions;

beforeAll(async () => {
	gateway = await startGateway();
	sessions = createSessions({ url: gateway.url, token: gateway.token });
});

afterAll(() => gateway.close());

describe("setLabel", () => {
	it("sets, replaces and removes a fact on a message, whose place and content stay", async () => {
		const stored = await gateway.store.appendMessage({ conversationId: "labels", messageId: "m1", payload: { a: 1 } });
		await ageRows(gateway);
		const first = await sessions.setLabel({ messageId: "m1", label: "first" });
		expect(first).toMatchObject({ seq: stored.seq, payload: { a: 1 }, label: "first" });
		expect(first.updatedAt > first.createdAt).toBe(true);
		expect(await gateway.store.getConversation({ conversationId: "labels" })).toMatchObject({
			updatedAt: first.updatedAt,
		});
		await gateway.store.appendMessage({ conversationId: "labels", messageId: "m2", payload: 2 });
		await sessions.setLabel({ messageId: "m2", label: "汉".repeat(85) });
		await sessions.setLabel({ messageId: "m1", label: "again" });
		const listed = await sessions.listLabels({ conversationId: "labels" });
		expect(listed.map(({ messageId, label }) => [messageId, label])).toEqual([
			["m1", "again"],
			["m2", "汉".repeat(85)],
		]);
		expect(await sessions.setLabel({ messageId: "m1", label: null })).toMatchObject({ label: null });
		expect(await sessions.listLabels({ conversationId: "labels" })).toMatchObject([{ messageId: "m2" }]);
		const page = await gateway.store.listMessages({ conversationId: "labels" });
		expect(page.items).toHaveLength(2);
	});

	it("refuses unknown messages and labels that are none", async () => {
		await gateway.store.appendMessage({ conversationId: "refused", messageId: "r1", payload: 1 });
		expect(await failure(sessions.setLabel({ messageId: "nobody", label: "x" }))).toMatchObject({ code: "NotFound" });
		for (const label of ["", "a\0", "\ud800", "x".repeat(257), 1, undefined]) {
			expect(await failure(sessions.setLabel({ messageId: "r1", label: label as string }))).toMatchObject({
				code: "BadRequest",
				message: expect.stringMatching(/^label: /),
			});
		}
		for (const label of ["", "x".repeat(257)]) {
			const query =
				'mutation ($label: String) { setLabel(input: { messageId: "r1", label: $label }) { message { label } } }';
			const { errors } = await sendRaw(gateway, { query, variables: { label } });
			expect(errors[0]).toMatchObject({ extensions: { code: "BadRequest" } });
		}
		expect(await sessions.listLabels({ conversationId: "refused" })).toEqual([]);
	});
});
