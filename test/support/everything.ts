import { expect } from "vitest";
import { schema } from "../../server/graphql/schema.ts";
import type { TestGateway, TestProject } from "./gateway.ts";
import { sendRaw } from "./raw.ts";
import { requestOf } from "./root-fields.ts";
import { query } from "./sql.ts";

/** Everything that a project has, as rows of every table that has a project. */
export async function everythingOf(gateway: TestGateway, projectId: string): Promise<unknown> {
	const tables = await query<{ name: string }>(
		gateway,
		`SELECT table_name AS name FROM information_schema.columns
		WHERE table_schema = current_schema() AND column_name = 'project_id' AND table_name <> 'api_tokens' ORDER BY 1`,
	);
	expect(tables.length).toBeGreaterThan(5);
	return Promise.all(
		tables.map(async ({ name }) => [
			name,
			await query(gateway, `SELECT t::text, xmin::text FROM ${name} t WHERE project_id = $1 ORDER BY 1`, [projectId]),
		]),
	);
}

/** Fills a project with the ids that `requestOf` calls foreign. */
export async function fill({ store }: TestProject, text: string): Promise<void> {
	await store.createConversation({ conversationId: "shared", metadata: { text } });
	const messages = [1, 2, 3].map((n) => ({ messageId: `shared ${n}`, payload: `${text} ${n}` }));
	await store.appendMessages({ conversationId: "shared", messages });
}

/** Fills every table that the root fields can fill, under the names that are foreign to all others. */
export async function fillAll(gateway: TestGateway, owner: TestProject): Promise<void> {
	await fill(owner, "owned");
	const writers = Object.values(schema.getMutationType()!.getFields()).filter(({ name }) =>
		/^(put|set|saveState|appendStateCheckpoint|appendTranscript)/.test(name),
	);
	for (const field of writers) {
		const { errors } = await sendRaw(gateway, requestOf("mutation", field, "foreign"), owner.token);
		expect([field.name, errors]).toEqual([field.name, []]);
	}
	const input = { conversationId: "shared", messages: ["owned 1", "owned 2", "owned 3"], state: { owned: true } };
	const save = "mutation ($input: SaveAgentStateInput!) { saveAgentState(input: $input) { revision } }";
	expect((await sendRaw(gateway, { query: save, variables: { input } }, owner.token)).errors).toEqual([]);
}
