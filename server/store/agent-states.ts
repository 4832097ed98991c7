import { continuation, fromAgentMessage, toAgentMessage } from "../domain/agent-states.ts";
import { CONTEXT_PAGE_MESSAGES } from "../domain/contexts.ts";
import { draftItems } from "../domain/history.ts";
import { checkId, newId } from "../domain/ids.ts";
import type { JsonObject, JsonValue } from "../domain/json.ts";
import type { Message } from "../domain/messages.ts";
import { checkPageSize, openCursor, type Page, sealCursor } from "../domain/pages.ts";
import { checkRevision, checkVersion, encodeState, parseRevision, type StateEntry } from "../domain/states.ts";
import { insertNew } from "./appends.ts";
import { openWalk, readContext, sealWalk, startContext } from "./contexts.ts";
import { lockConversation } from "./conversations.ts";
import type { Statement, Transaction } from "./database.ts";
import type { Scope } from "./scope.ts";
import { CLOCK, isoTime } from "./times.ts";

/** A page of what an agent kept in a conversation: the first one has the state, every one has messages. */
export interface AgentStatePage {
	/** What the agent keeps besides its messages; null where it never saved, and on later pages. */
	state: JsonObject | null;
	version: number;
	revision: string;
	updatedAt: string;
	messages: JsonValue[];
	/** Where the walk goes on; null when it is over. */
	nextCursor: string | null;
}

interface EntryRow {
	key: string;
	version: number;
	revision: string;
	updated_at: string;
}

const ENTRY_COLUMNS = `c.conversation_id AS key, c.agent_version AS version, c.agent_revision AS revision,
	${isoTime("updated_at", "c")}`;

const SELECT: Statement = {
	name: "agent_state_select",
	text: `SELECT c.agent_state AS state, ${ENTRY_COLUMNS}, c.active_branch AS branch, c.last_seq AS bound
		FROM conversations c WHERE c.project_id = $1 AND c.conversation_id = $2`,
};

interface Row extends EntryRow {
	state: JsonObject | null;
	branch: number;
	bound: string;
}

/**
 * A page of what an agent kept in a conversation; null where there is no such conversation. The messages are the
 * context of the active path as it was when the state of the first page was read.
 */
export async function getAgentState(
	scope: Scope,
	input: { conversationId: string; after?: string | null | undefined },
): Promise<AgentStatePage | null> {
	const { db, identity, limits } = scope;
	const { projectId } = identity;
	const conversationId = checkId("conversationId", input.conversationId, limits.idBytes);
	const what = `agent state\0${conversationId}`;
	const run: Transaction["query"] = (statement, values) => db.read(statement, values);
	const [row] = await run<Row>(SELECT, [projectId, conversationId]);
	if (row === undefined) return null;
	const start =
		input.after == null
			? await startContext(run, projectId, conversationId, row)
			: { walk: openWalk(scope, what, input.after), compaction: [] };
	if (start === undefined) return null;
	const most = { messages: CONTEXT_PAGE_MESSAGES, bytes: limits.pageBytes };
	const { messages, next } = await readContext(run, projectId, conversationId, start.walk, most);
	return {
		state: input.after == null ? row.state : null,
		version: row.version,
		revision: row.revision,
		updatedAt: row.updated_at,
		messages: [...start.compaction, ...messages].map(toAgentMessage),
		nextCursor: next && sealWalk(scope, what, next),
	};
}

const LIST: Statement = {
	name: "agent_states_list",
	text: `SELECT ${ENTRY_COLUMNS} FROM conversations c
		WHERE c.project_id = $1
			AND (c.updated_at, c.conversation_id) < (coalesce($2::timestamptz, 'infinity'), coalesce($3, ''))
		ORDER BY c.updated_at DESC, c.conversation_id DESC LIMIT $4::int + 1`,
};

const LIST_SCOPE = "agent states";

/** A page of the conversations as agents' states, the latest updated first. */
export async function listAgentStates(
	{ db, identity, limits }: Scope,
	input: { first?: number | null | undefined; after?: string | null | undefined },
): Promise<Page<StateEntry>> {
	const first = checkPageSize("first", input.first, limits);
	const [updatedAt = null, key = null] =
		input.after == null ? [] : openCursor("after", identity.cursorKey, LIST_SCOPE, input.after);
	const rows = await db.read<EntryRow>(LIST, [identity.projectId, updatedAt, key, first]);
	return {
		items: rows.slice(0, first).map(toEntry),
		hasNext: rows.length > first,
		cursorOf: (item) => sealCursor(identity.cursorKey, LIST_SCOPE, [item.updatedAt, item.key]),
	};
}

const FIND: Statement = {
	name: "agent_state_find",
	text: `SELECT ${ENTRY_COLUMNS}, c.agent_operation_id AS operation_id
		FROM conversations c WHERE c.project_id = $1 AND c.conversation_id = $2`,
};

const SAVE: Statement = {
	name: "agent_state_save",
	returnsWritten: true,
	text: `WITH c AS (
			UPDATE conversations SET agent_state = $3::text::json, agent_version = $4, agent_operation_id = $5,
				agent_revision = agent_revision + 1, updated_at = greatest(updated_at, clock.now)
			FROM ${CLOCK} WHERE project_id = $1 AND conversation_id = $2 RETURNING conversations.*
		)
		SELECT ${ENTRY_COLUMNS} FROM c`,
};

interface SaveAgentStateInput {
	conversationId: string;
	/** The same in a retry, so that nothing is saved twice. */
	operationId: string;
	messages: readonly JsonValue[];
	state: JsonObject;
	version?: number | null | undefined;
	expectedRevision?: string | null | undefined;
}

/**
 * Saves what an agent keeps. Its messages have to go on where the context of the active path ends: the new ones are
 * appended, in the transaction that saves the rest; what is stored is never rewritten.
 */
export async function saveAgentState(scope: Scope, input: SaveAgentStateInput): Promise<Omit<StateEntry, "version">> {
	const { db, identity, limits } = scope;
	const { projectId } = identity;
	const conversationId = checkId("input.conversationId", input.conversationId, limits.idBytes);
	const operationId = checkId("input.operationId", input.operationId, limits.idBytes);
	const expected = parseRevision("input.expectedRevision", input.expectedRevision);
	const version = checkVersion("input.version", input.version);
	const { text } = encodeState("input.state", input.state, limits);
	const drafts = draftItems(
		"input.messages",
		input.messages.map((message) => fromAgentMessage(newId(), message, limits.idBytes)),
		limits,
	);
	return db.transaction(async (transaction) => {
		const key = [projectId, conversationId];
		await lockConversation(transaction, projectId, conversationId, { create: true });
		const [saved] = await transaction.query<EntryRow & { operation_id: string | null }>(FIND, key);
		if (saved!.operation_id === operationId) return toEntry(saved!);
		checkRevision("input.expectedRevision", expected, BigInt(saved!.revision));
		const most = { messages: drafts.length + 1, bytes: 2 * limits.requestBytes };
		const context = await readAll(transaction, projectId, conversationId, most);
		const added = continuation("input.messages", input.messages, context).length;
		const fresh = drafts.slice(drafts.length - added);
		if (fresh.length > 0) await insertNew(transaction, projectId, conversationId, fresh);
		const [row] = await transaction.query<EntryRow>(SAVE, [...key, text, version, operationId]);
		return toEntry(row!);
	});
}

/** The stored context, as far as it can be what a request repeats: no request spells more than it may hold. */
async function readAll(
	{ query }: Transaction,
	projectId: string,
	conversationId: string,
	most: { messages: number; bytes: number },
): Promise<Message[]> {
	const { walk, compaction } = (await startContext(query, projectId, conversationId, { branch: null }))!;
	const { messages } = await readContext(query, projectId, conversationId, walk, most);
	return [...compaction, ...messages];
}

function toEntry(row: EntryRow): StateEntry {
	return { key: row.key, version: row.version, revision: row.revision, updatedAt: row.updated_at };
}
