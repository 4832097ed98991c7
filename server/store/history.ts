import {
	anyNumber,
	type CallReplacement,
	checkReplacements,
	checkSuffix,
	digestOperation,
	draftItems,
	endsWith,
	type HistoryOperation,
	replaceCalls,
	reusedOperationId,
	type StoredCall,
	suffixMismatch,
} from "../domain/history.ts";
import { checkId } from "../domain/ids.ts";
import type { JsonValue } from "../domain/json.ts";
import type { Message, MessageDraft, MessageInput } from "../domain/messages.ts";
import { appendMessages, insertNew } from "./appends.ts";
import { takeOff } from "./branches.ts";
import { type LockedConversation, lockConversation } from "./conversations.ts";
import type { Statement } from "./database.ts";
import { clearLocked, type MessageRow, messageColumns, toMessage } from "./messages.ts";
import { ACTIVE_PATH, pathRows } from "./paths.ts";
import type { Scope } from "./scope.ts";
import { CLOCK } from "./times.ts";

/** What every change of a history names: the conversation, and an id that a retry repeats. */
interface OperationInput {
	conversationId: string;
	operationId: string;
}

/** Appends messages in any number, all or none; ids that exist with equal content are a repetition (rule MSG-4). */
export async function appendHistory(
	scope: Scope,
	input: { conversationId: string; messages: readonly MessageInput[] },
): Promise<void> {
	if (input.messages.length === 0) return;
	await appendMessages({ ...scope, limits: anyNumber(input.messages, scope.limits) }, input);
}

/** Removes the newest message and returns it; null where there is none. */
export async function popHistory(scope: Scope, input: OperationInput): Promise<Message | null> {
	const popped = await once(scope, input, { type: "pop_item" }, async (locked) => {
		const [newest] = await readNewest(locked, 1, scope.limits.requestBytes);
		// Of nothing that was popped, nothing is remembered: many ask an empty history again and again.
		if (newest === undefined) return NOTHING_DONE;
		await takeOff(locked, newest.seq);
		return newest;
	});
	return popped as Message | null;
}

/** Removes all messages, as clearMessages does, and forgets all operation ids but its own. */
export async function clearHistory(scope: Scope, input: OperationInput): Promise<void> {
	await once(scope, input, { type: "clear" }, async (locked) => {
		await clearLocked(locked);
		return null;
	});
}

/** Puts these messages in the place of all others, in one transaction. */
export async function replaceHistory(
	scope: Scope,
	input: OperationInput & { messages: readonly MessageInput[] },
): Promise<void> {
	const drafts = draftItems("input.messages", input.messages, scope.limits);
	const operation: HistoryOperation = { type: "replace_history", items: input.messages };
	await once(
		scope,
		input,
		operation,
		async (locked) => {
			await takeOff(locked, "0");
			await insertLocked(locked, drafts);
			return null;
		},
		{ create: drafts.length > 0 },
	);
}

// No request can spell a suffix that is larger than itself, so none larger is read.
const NEWEST: Statement = {
	name: "history_newest",
	text: `SELECT ${messageColumns("newest")} FROM conversations c CROSS JOIN LATERAL (
			SELECT *, sum(bytes) OVER (ORDER BY seq DESC) - bytes AS bytes_before
			FROM (${pathRows({ ...ACTIVE_PATH, order: "desc", limit: "$3::int" })}) AS read
		) AS newest
		WHERE c.project_id = $1 AND c.conversation_id = $2 AND bytes_before <= $4::bigint ORDER BY newest.seq DESC`,
};

/** The newest messages, the newest first. */
async function readNewest(locked: LockedConversation, count: number, mostBytes: number): Promise<Message[]> {
	const { transaction, projectId, conversationId } = locked;
	const rows = await transaction.query<MessageRow>(NEWEST, [projectId, conversationId, count, mostBytes]);
	return rows.map(toMessage);
}

/**
 * Appends messages, in the place of the expected suffix where one is given. The operation id is remembered for as
 * long as the history is: the framework keeps it, and may come back with it days later.
 */
export async function applyHistoryTransaction(
	scope: Scope,
	input: OperationInput & { expectedSuffix?: readonly JsonValue[] | null; messages: readonly MessageInput[] },
): Promise<void> {
	const { limits } = scope;
	const { messages: items, expectedSuffix } = input;
	const drafts = draftItems("input.messages", items, limits);
	const suffix = expectedSuffix ?? [];
	checkSuffix("input.expectedSuffix", suffix, limits);
	const operation: HistoryOperation =
		expectedSuffix == null
			? { type: "append_items", items }
			: { type: "replace_suffix", expectedSuffix: suffix, items };
	await once(
		scope,
		input,
		operation,
		async (locked) => {
			if (suffix.length > 0) await removeSuffix(locked, suffix, limits.requestBytes);
			await insertLocked(locked, drafts);
			return null;
		},
		{ create: true, lasting: true },
	);
}

async function removeSuffix(
	locked: LockedConversation,
	expected: readonly JsonValue[],
	mostBytes: number,
): Promise<void> {
	const newest = await readNewest(locked, expected.length, mostBytes);
	const payloads = newest.map(({ payload }) => payload);
	if (!endsWith(payloads, expected)) throw suffixMismatch();
	await takeOff(locked, newest.at(-1)!.seq);
}

// The text of a payload is looked for, since looking into JSON fails on U+0000; what only looks alike is sorted out later.
const SELECT_CALLS: Statement = {
	name: "history_select_calls",
	text: `SELECT message_id, payload FROM conversations c CROSS JOIN LATERAL (${pathRows({
		...ACTIVE_PATH,
		where: `${ACTIVE_PATH.where} AND EXISTS (
			SELECT FROM unnest($3::text[]) AS part WHERE position(part IN m.payload::text) > 0
		)`,
		order: "asc",
	})}) AS m
		WHERE c.project_id = $1 AND c.conversation_id = $2 ORDER BY seq`,
};

const REMOVE: Statement = {
	name: "history_remove",
	text: "DELETE FROM messages WHERE project_id = $1 AND conversation_id = $2 AND message_id = ANY($3::text[])",
};

// One step past every earlier change, so that a walk over several pages sees that it met this one.
const SET_PAYLOADS: Statement = {
	name: "history_set_payloads",
	replan: true,
	text: `WITH touched AS (
			UPDATE conversations SET updated_at = greatest(
				(updated_at AT TIME ZONE 'UTC' + interval '1 millisecond') AT TIME ZONE 'UTC', clock.now)
			FROM ${CLOCK} WHERE project_id = $1 AND conversation_id = $2 RETURNING updated_at
		)
		UPDATE messages m SET payload = input.payload::json, updated_at = touched.updated_at,
			bytes = octet_length(input.payload) + octet_length(m.metadata::text)
		FROM touched, unnest($3::text[], $4::text[]) AS input (message_id, payload)
		WHERE m.project_id = $1 AND m.conversation_id = $2 AND m.message_id = input.message_id`,
};

/** Replaces function calls by their call ids; ids that no call has are passed over. */
export async function applyHistoryMutations(
	scope: Scope,
	input: OperationInput & { replacements: readonly CallReplacement[] },
): Promise<void> {
	const { replacements } = input;
	checkReplacements("input.replacements", replacements, scope.limits);
	const operation: HistoryOperation = { type: "replace_function_calls", replacements };
	await once(scope, input, operation, async ({ transaction, projectId, conversationId }) => {
		const parts = replacements.map(({ callId }) => `"callId":${JSON.stringify(callId)}`);
		const rows = await transaction.query<{ message_id: string; payload: JsonValue }>(SELECT_CALLS, [
			projectId,
			conversationId,
			parts,
		]);
		const calls: StoredCall[] = rows.map(({ message_id, payload }) => ({ messageId: message_id, payload }));
		const { changed, removed } = replaceCalls(calls, replacements);
		if (changed.length === 0) return null;
		await transaction.query(REMOVE, [projectId, conversationId, removed]);
		await transaction.query(SET_PAYLOADS, [
			projectId,
			conversationId,
			changed.map(({ messageId }) => messageId),
			changed.map(({ payload }) => JSON.stringify(payload)),
		]);
		return null;
	});
}

async function insertLocked(locked: LockedConversation, drafts: readonly MessageDraft[]): Promise<void> {
	const { transaction, projectId, conversationId } = locked;
	if (drafts.length > 0) await insertNew(transaction, projectId, conversationId, drafts);
}

const SELECT_OPERATION: Statement = {
	name: "history_select_operation",
	text: `SELECT digest, result FROM history_operations
		WHERE project_id = $1 AND conversation_id = $2 AND operation_id = $3`,
};

// An id that the SDK made for one call is of no use when that call is over; an hour is many times its time.
const INSERT_OPERATION: Statement = {
	name: "history_insert_operation",
	text: `WITH expired AS (
			DELETE FROM history_operations WHERE project_id = $1 AND conversation_id = $2 AND expires_at < now()
		)
		INSERT INTO history_operations (project_id, conversation_id, operation_id, digest, result, expires_at)
		VALUES ($1, $2, $3, $4, $5::text::json, CASE WHEN $6 THEN NULL ELSE now() + interval '1 hour' END)`,
};

const NOTHING_DONE = Symbol("nothing done");

/**
 * Does work once per operation id: under the lock of the conversation it looks whether the id is known, and else
 * works and remembers the id with the result, all in one transaction. Without `create`, an unknown conversation has
 * nothing to change.
 */
async function once(
	{ db, identity, limits }: Scope,
	input: OperationInput,
	operation: HistoryOperation,
	work: (locked: LockedConversation) => Promise<object | null | typeof NOTHING_DONE>,
	{ create = false, lasting = false } = {},
): Promise<unknown> {
	const { projectId } = identity;
	const conversationId = checkId("input.conversationId", input.conversationId, limits.idBytes);
	const operationId = checkId("input.operationId", input.operationId, limits.idBytes);
	const digest = digestOperation(operation);
	return db.transaction(async (transaction) => {
		const locked = await lockConversation(transaction, projectId, conversationId, { create });
		if (locked === undefined) return null;
		// A statement of its own: the one that waited for the lock saw what was there before.
		const known = [projectId, conversationId, operationId];
		const [earlier] = await transaction.query<{ digest: Buffer; result: unknown }>(SELECT_OPERATION, known);
		if (earlier !== undefined) {
			if (!digest.equals(earlier.digest)) throw reusedOperationId();
			return earlier.result;
		}
		const result = await work(locked);
		if (result === NOTHING_DONE) return null;
		const text = result === null ? null : JSON.stringify(result);
		await transaction.query(INSERT_OPERATION, [...known, digest, text, lasting]);
		return result;
	});
}
