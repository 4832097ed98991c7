import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { query } from "../support/sql.ts";

const ISO_UTC = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** The first gateway; the others share its database. */
let gateway: TestGateway;

beforeAll(async () => {
	gateway = await startGateway();
});

afterAll(() => gateway.close());

/** The database's clock in epoch milliseconds. */
async function databaseClock(): Promise<number> {
	const [row] = await query<{ now: string }>(gateway, "SELECT extract(epoch FROM clock_timestamp()) * 1000 AS now");
	return Number(row?.now);
}

/** Writes and reads through a gateway, and returns every time that it gave. */
async function timesOf({ store }: TestGateway): Promise<string[]> {
	const conversationId = randomUUID();
	const message = await store.appendMessage({ conversationId, payload: 1 });
	const { messageId } = message;
	const things = [
		message,
		await store.createConversation(),
		await store.getConversation({ conversationId }),
		await store.updateConversation({ conversationId, metadata: { a: 1 } }),
		await store.updateMessage({ messageId, role: "x" }),
		await store.getMessage({ messageId }),
		...(await store.appendMessages({ conversationId, messages: [{ payload: 1 }, { payload: 2 }] })),
		...(await store.listMessages({ conversationId })).items,
		...(await store.listConversations({ limit: 2 })).items,
	];
	return things.flatMap((thing) => [thing!.createdAt, thing!.updatedAt]);
}

async function setDatabase(setting: string): Promise<void> {
	const [row] = await query<{ name: string }>(gateway, "SELECT quote_ident(current_database()) AS name");
	await query(gateway, `ALTER DATABASE ${row!.name} ${setting}`);
}

async function setRole(setting: string): Promise<void> {
	const [row] = await query<{ role: string; name: string }>(
		gateway,
		"SELECT quote_ident(current_user) AS role, quote_ident(current_database()) AS name",
	);
	await query(gateway, `ALTER ROLE ${row!.role} IN DATABASE ${row!.name} ${setting}`);
}

const PLACES: Record<string, { set: () => Promise<void>; reset: () => Promise<void>; options?: string }> = {
	database: {
		set: async () => {
			await setDatabase("SET timezone = 'Asia/Kathmandu'");
			await setDatabase("SET datestyle = 'SQL, DMY'");
		},
		reset: () => setDatabase("RESET ALL"),
	},
	role: {
		set: () => setRole("SET timezone = 'Pacific/Chatham'"),
		reset: () => setRole("RESET ALL"),
	},
	session: {
		set: async () => {},
		reset: async () => {},
		options: "-c timezone=America/St_Johns -c datestyle=German",
	},
};

describe("times", () => {
	it.each(Object.entries(PLACES))("VAL-11: are ISO-8601 in UTC whatever the zone of the %s", async (_, place) => {
		const url = new URL(gateway.databaseUrl);
		if (place.options !== undefined) url.searchParams.set("options", place.options);
		await place.set();
		const elsewhere = await startGateway({ databaseUrl: url.href });
		try {
			const [row] = await query<{ TimeZone: string }>(elsewhere, "SHOW timezone");
			expect(row?.TimeZone).toMatch(/Kathmandu|Chatham|St_Johns/);
			const before = await databaseClock();
			const times = await timesOf(elsewhere);
			const after = await databaseClock();
			for (const time of times) {
				expect(time).toMatch(ISO_UTC);
				// Rounded to milliseconds, up or down.
				expect(Date.parse(time)).toBeGreaterThanOrEqual(Math.floor(before));
				expect(Date.parse(time)).toBeLessThanOrEqual(Math.ceil(after));
			}
		} finally {
			await elsewhere.close();
			await place.reset();
		}
	});

	it("VAL-11: read the same through gateways of different zones, and cursors go from one to the other", async () => {
		const url = new URL(gateway.databaseUrl);
		url.searchParams.set("options", "-c timezone=Asia/Kathmandu -c datestyle=SQL");
		const elsewhere = await startGateway({ databaseUrl: url.href });
		try {
			const headers = { authorization: `Bearer ${gateway.token}` };
			const list = async (from: TestGateway, after: string | null) => {
				const document = `query ($after: String) { conversations(first: 1, after: $after) {
					nodes { conversationId createdAt updatedAt } pageInfo { endCursor }
				} }`;
				const response = await from.post({ query: document, variables: { after } }, headers);
				const { data } = (await response.json()) as {
					data: { conversations: { nodes: unknown[]; pageInfo: { endCursor: string } } };
				};
				return data.conversations;
			};
			for (const metadata of [{ a: 1 }, { a: 2 }, { a: 3 }]) await gateway.store.createConversation({ metadata });
			let after: string | null = null;
			for (let page = 0; page < 3; page++) {
				const [here, there]: Awaited<ReturnType<typeof list>>[] = [
					await list(gateway, after),
					await list(elsewhere, after),
				];
				expect(there).toEqual(here);
				after = here!.pageInfo.endCursor;
			}
		} finally {
			await elsewhere.close();
		}
	});

	it("VAL-11: are kept as timestamptz(3), everywhere", async () => {
		const columns = await query<{ column: string }>(
			gateway,
			`SELECT table_name || '.' || column_name AS column FROM information_schema.columns
			WHERE table_schema = current_schema() AND table_name NOT LIKE '\\_prisma%' AND column_name LIKE '%\\_at'
				AND NOT (data_type = 'timestamp with time zone' AND datetime_precision = 3)`,
		);
		expect(columns).toEqual([]);
	});

	it("VAL-11: show milliseconds of zero in full", async () => {
		const { store } = gateway;
		const { conversationId } = await store.createConversation();
		await query(
			gateway,
			"UPDATE conversations SET created_at = '2026-01-02T03:04:05Z', updated_at = '2026-12-31T23:59:59.900+00' WHERE conversation_id = $1",
			[conversationId],
		);
		expect(await store.getConversation({ conversationId })).toMatchObject({
			createdAt: "2026-01-02T03:04:05.000Z",
			updatedAt: "2026-12-31T23:59:59.900Z",
		});
	});

	it("VAL-11: createdAt never falls while seq rises, though the clock was set back", async () => {
		const { store } = gateway;
		const conversationId = "clock";
		await store.appendMessage({ conversationId, payload: 1 });
		// As if the clock had been an hour ahead until now.
		for (const table of ["conversations", "messages"]) {
			await query(
				gateway,
				`UPDATE ${table} SET created_at = created_at + interval '1 hour', updated_at = updated_at + interval '1 hour'
				WHERE conversation_id = $1`,
				[conversationId],
			);
		}
		await store.appendMessage({ conversationId, payload: 2 });
		await store.appendMessages({ conversationId, messages: [{ payload: 3 }, { payload: 4 }] });
		await store.updateConversation({ conversationId, metadata: { a: 1 } });
		await store.appendMessage({ conversationId, payload: 5 });
		const { items } = await store.listMessages({ conversationId });
		const created = items.map(({ createdAt }) => createdAt);
		expect(created).toHaveLength(5);
		expect(created).toEqual([...created].sort());
	});

	it("VAL-11: createdAt never contradicts seq among parallel appends of two gateways", async () => {
		const second = await startGateway({ databaseUrl: gateway.databaseUrl });
		try {
			const conversationId = "parallel";
			const document = "mutation ($input: AppendMessageInput!) { appendMessage(input: $input) { __typename } }";
			const headers = { authorization: `Bearer ${gateway.token}` };
			await Promise.all(
				Array.from({ length: 60 }, async (_, payload) => {
					const where = payload % 2 === 0 ? gateway : second;
					const answer = await where.post(
						{ query: document, variables: { input: { conversationId, payload } } },
						headers,
					);
					expect(answer.status).toBe(200);
				}),
			);
			const { items } = await gateway.store.listMessages({ conversationId, limit: 200 });
			const created = items.map(({ createdAt }) => createdAt);
			expect(created).toHaveLength(60);
			expect(created).toEqual([...created].sort());
		} finally {
			await second.close();
		}
	});
});
