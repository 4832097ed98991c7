import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DEFAULT_LIMITS } from "../../server/domain/limits.ts";
import {
	createConversation,
	deleteConversation,
	listConversations,
	updateConversation,
} from "../../server/store/conversations.ts";
import { Database } from "../../server/store/database.ts";
import { listMessages } from "../../server/store/message-pages.ts";
import {
	appendMessage,
	appendMessages,
	clearMessages,
	deleteMessage,
	getMessages,
	updateMessage,
} from "../../server/store/messages.ts";
import { createProject } from "../../server/store/projects.ts";
import type { Scope } from "../../server/store/scope.ts";
import { checkToken, createToken } from "../../server/store/tokens.ts";
import { createDatabase, type TestDatabase } from "../support/database.ts";

// A plan may be made while the tables are empty and kept while they grow. Then only the statement's shape keeps the
// planner from an index by which it would read a whole project or conversation.
describe("the plans that Postgres keeps of the Store's statements, made on an empty database", () => {
	let database: TestDatabase;
	let db: Database;
	let version: number;
	const plans = new Map<string, string[]>();

	beforeAll(async () => {
		database = await createDatabase();
		// One connection, so that its prepared statements can be looked at.
		db = new Database({ url: database.url, poolSize: 1 });
		const { projectId } = await createProject(db, "plans");
		const identity = await checkToken(db, (await createToken(db, { projectId, role: "write", name: "test" })) as never);
		const scope = { db, identity, limits: DEFAULT_LIMITS } as Scope;
		await createConversation(scope, { conversationId: "c" });
		await updateConversation(scope, { conversationId: "c", metadata: { a: 1 } });
		await appendMessage(scope, { conversationId: "c", messageId: "m", payload: 1 });
		await appendMessages(scope, { conversationId: "c", messages: [{ messageId: "n", payload: 1 }] });
		await getMessages(scope, ["m"]);
		await listConversations(scope, {});
		await listMessages(scope, { conversationId: "c", order: "asc" });
		await listMessages(scope, { conversationId: "c", order: "desc" });
		await updateMessage(scope, { messageId: "m", role: "user" });
		await deleteMessage(scope, { messageId: "m" });
		await clearMessages(scope, { conversationId: "c" });
		await deleteConversation(scope, { conversationId: "c" });
		version = Number(
			(await run<{ version: string }>("SELECT current_setting('server_version_num') AS version"))[0]?.version,
		);
		await run("SET plan_cache_mode = force_generic_plan");
		// Prisma's own statements, which look up a row by its whole key, have no names of ours.
		const prepared = await run<{ name: string; parameters: number }>(
			"SELECT name, cardinality(parameter_types) AS parameters FROM pg_prepared_statements WHERE name ~ '^(conversation|message)'",
		);
		for (const { name, parameters } of prepared) {
			const values = Array(parameters).fill("NULL").join(", ");
			const lines = await run<{ "QUERY PLAN": string }>(`EXPLAIN EXECUTE ${name} (${values})`);
			plans.set(
				name,
				lines.map((line) => line["QUERY PLAN"].trim()),
			);
		}
	});

	afterAll(async () => {
		await db.close();
		await database.drop();
	});

	function run<Row extends object>(text: string): Promise<Row[]> {
		return db.read({ name: "test", text, replan: true }, []);
	}

	it("are looked at for every statement", () => {
		expect([...plans.keys()].length).toBeGreaterThan(10);
	});

	it("read no table whole", () => {
		const whole = [...plans].filter(([, lines]) => lines.some((line) => line.includes("Seq Scan on")));
		expect(whole).toEqual([]);
	});

	it("enter an index by more than the project", () => {
		const wide = [...plans].flatMap(([name, lines]) =>
			lines.filter((line) => /^Index Cond: \(project_id = \$\d\)$/.test(line)).map(() => name),
		);
		// All indexes cost the same on an empty table, and Postgres 15 then takes another one for ids of messages. Its
		// first ANALYZE, a minute after the first rows, ends that.
		const known = version < 160_000 ? /^conversations_list|^messages_(append|select)$/ : /^conversations_list/;
		expect(wide.filter((name) => !known.test(name))).toEqual([]);
	});
});
