import type { RunStatus } from "../domain/agents.ts";
import { unknownConversation } from "../domain/conversations.ts";
import type { JsonObject, JsonValue } from "../domain/json.ts";
import type { Message, MessageDraft } from "../domain/messages.ts";
import { branchMoved, checkWaits, lostRun, type RunInterrupt, runInProgress, type Thread } from "../domain/runs.ts";
import { insertNew } from "./appends.ts";
import { readContext, startContext } from "./contexts.ts";
import {
	CONVERSATION_COLUMNS,
	type ConversationRow,
	type LockedConversation,
	lockConversation,
	toConversation,
} from "./conversations.ts";
import type { Statement, Transaction } from "./database.ts";
import type { Scope } from "./scope.ts";

// A run that does not renew its lease any more has died.
const STATUS = `CASE WHEN run_id IS NULL THEN coalesce(run_status, 'idle')
	WHEN run_expires_at > clock_timestamp() THEN 'running' ELSE 'error' END`;

const SELECT: Statement = {
	name: "thread_select",
	text: `SELECT ${CONVERSATION_COLUMNS}, config, ${STATUS} AS status, run_error, run_interrupt
		FROM conversations WHERE project_id = $1 AND conversation_id = $2`,
};

type ThreadRow = ConversationRow & {
	config: JsonObject | null;
	status: RunStatus;
	run_error: string | null;
	run_interrupt: RunInterrupt | null;
};

/** A conversation with its config and how its last run ended; null where there is none. */
export async function getThread({ db, identity }: Scope, conversationId: string): Promise<Thread | null> {
	const [row] = await db.read<ThreadRow>(SELECT, [identity.projectId, conversationId]);
	if (row === undefined) return null;
	const { config, status, run_error, run_interrupt } = row;
	const conversation = toConversation(row);
	// While a run goes on from it, it waits for nothing.
	const interrupt = status === "running" ? null : run_interrupt;
	return { ...conversation, config, status, error: run_error, interrupt: interrupt?.shown ?? null };
}

/** What a run begins with. */
export interface StartedRun {
	conversationId: string;
	runId: string;
	/** Where its messages belong. */
	branch: number;
	incarnation: string;
	/** The last seq at its beginning, its message included. */
	lastSeq: string;
	config: JsonObject | null;
	message: Message | null;
	/** Of the interrupted run that it continues. */
	state: JsonValue;
}

const READ_RUN: Statement = {
	name: "run_read",
	text: `SELECT incarnation, config, run_id IS NOT NULL AND run_expires_at > clock_timestamp() AS is_held,
			run_interrupt AS interrupt
		FROM conversations WHERE project_id = $1 AND conversation_id = $2`,
};

interface RunRow {
	incarnation: string;
	config: JsonObject | null;
	is_held: boolean;
	interrupt: RunInterrupt | null;
}

// An interrupt stays until what goes on from it has ended, so that a failure can be answered anew.
/** SQL of a row with the clock and the time that lies $4 milliseconds ahead; beside what is updated, as `CLOCK` is. */
const LEASE = `(
			SELECT now, now + $4::float8 * interval '1 millisecond' AS expiry FROM (SELECT clock_timestamp() AS now) AS clock
		) AS lease`;

const TAKE: Statement = {
	name: "run_take",
	text: `UPDATE conversations SET run_id = $3::uuid, run_status = NULL, run_error = NULL,
			run_interrupt = CASE WHEN $5::boolean THEN run_interrupt END,
			run_expires_at = lease.expiry
		FROM ${LEASE} WHERE project_id = $1 AND conversation_id = $2 RETURNING last_seq`,
};

/**
 * Gives a conversation to a run and stores the message that it answers, in one transaction; a conversation that is not
 * there is made. Without a message, the run continues one that was interrupted.
 *
 * @throws Fault Conflict while another run has the conversation.
 */
export async function startRun(
	{ db, identity }: Scope,
	input: { conversationId: string; runId: string; draft: MessageDraft | null; leaseMs: number },
): Promise<StartedRun> {
	const { conversationId, runId, draft, leaseMs } = input;
	const { projectId } = identity;
	const key = [projectId, conversationId];
	return db.transaction(async (transaction) => {
		const locked = await lockConversation(transaction, projectId, conversationId, { create: draft !== null });
		if (locked === undefined) throw unknownConversation(conversationId);
		const [row] = await transaction.query<RunRow>(READ_RUN, key);
		const { incarnation, config, is_held, interrupt } = row!;
		if (is_held) throw runInProgress(conversationId);
		if (draft === null) checkWaits(conversationId, interrupt, locked.activeBranch);
		const [message = null] = draft === null ? [] : await insertNew(transaction, projectId, conversationId, [draft]);
		const [taken] = await transaction.query<{ last_seq: string }>(TAKE, [...key, runId, leaseMs, draft === null]);
		return {
			conversationId,
			runId,
			branch: locked.activeBranch,
			incarnation,
			lastSeq: taken!.last_seq,
			config,
			message,
			state: draft === null ? interrupt!.state : null,
		};
	});
}

/** All that a model should see of a run's path before the message that it answers. */
export async function readRunContext({ db, identity, limits }: Scope, run: StartedRun): Promise<Message[]> {
	const { conversationId, branch, message, lastSeq } = run;
	const { projectId } = identity;
	const bound = message === null ? lastSeq : String(BigInt(message.seq) - 1n);
	const start = await startContext(db.read, projectId, conversationId, { branch, bound });
	if (start === undefined) throw lostRun(conversationId);
	const messages = start.compaction;
	const most = { messages: limits.pageLimit, bytes: limits.pageBytes };
	for (let walk: typeof start.walk | null = start.walk; walk !== null; ) {
		const page = await readContext(db.read, projectId, conversationId, walk, most);
		messages.push(...page.messages);
		walk = page.next;
	}
	return messages;
}

const RENEW: Statement = {
	name: "run_renew",
	text: `UPDATE conversations SET run_expires_at = lease.expiry FROM ${LEASE}
		WHERE project_id = $1 AND conversation_id = $2 AND run_id = $3::uuid AND run_expires_at > lease.now
		RETURNING run_id`,
};

/** Prolongs the time for which a run has its conversation; false when it has lost it. */
export async function renewRun({ db, identity }: Scope, run: StartedRun, leaseMs: number): Promise<boolean> {
	const values = [identity.projectId, run.conversationId, run.runId, leaseMs];
	return (await db.write(RENEW, values)).length > 0;
}

/**
 * Stores messages of a run behind those that its conversation has.
 *
 * @throws Fault Conflict when the run has lost the conversation, or its branch is not the active one any more.
 */
export async function appendToRun(
	{ db, identity }: Scope,
	run: StartedRun,
	drafts: readonly MessageDraft[],
): Promise<Message[]> {
	return db.transaction(async (transaction) => {
		const { projectId } = identity;
		await lockRun(transaction, projectId, run);
		// From the interrupt on it would be stored twice.
		if (run.message === null) await transaction.query(DROP_INTERRUPT, [projectId, run.conversationId]);
		return insertNew(transaction, projectId, run.conversationId, drafts);
	});
}

const DROP_INTERRUPT: Statement = {
	name: "run_drop_interrupt",
	text: "UPDATE conversations SET run_interrupt = NULL WHERE project_id = $1 AND conversation_id = $2",
};

const FINISH: Statement = {
	name: "run_finish",
	text: `UPDATE conversations SET run_id = NULL, run_expires_at = NULL, run_status = $3, run_error = $4,
			run_interrupt = CASE WHEN $6::boolean THEN run_interrupt ELSE $5::text::json END
		WHERE project_id = $1 AND conversation_id = $2`,
	// Told also when nothing was stored, for runs that wait for this one.
	conversation: 1,
};

/** How a run ended. */
export interface RunEnd {
	status: Exclude<RunStatus, "idle" | "running">;
	error?: string | null;
	interrupt?: string | null;
}

/** Stores the last messages of a run and gives the conversation back, in one transaction. */
export async function finishRun(
	{ db, identity }: Scope,
	run: StartedRun,
	drafts: readonly MessageDraft[],
	{ status, error = null, interrupt = null }: RunEnd,
): Promise<Message[]> {
	const { projectId } = identity;
	const { conversationId } = run;
	return db.transaction(async (transaction) => {
		await lockRun(transaction, projectId, run, { anyBranch: drafts.length === 0 });
		const stored = drafts.length === 0 ? [] : await insertNew(transaction, projectId, conversationId, drafts);
		const isRepeatable = status === "error" && drafts.length === 0;
		await transaction.query(FINISH, [projectId, conversationId, status, error, interrupt, isRepeatable]);
		return stored;
	});
}

const READ_HOLDER: Statement = {
	name: "run_read_holder",
	text: `SELECT run_id = $3::uuid AND run_expires_at > clock_timestamp() AS is_mine
		FROM conversations WHERE project_id = $1 AND conversation_id = $2`,
};

async function lockRun(
	transaction: Transaction,
	projectId: string,
	{ conversationId, runId, branch }: StartedRun,
	{ anyBranch = false } = {},
): Promise<LockedConversation> {
	const locked = await lockConversation(transaction, projectId, conversationId);
	if (locked === undefined) throw lostRun(conversationId);
	const [row] = await transaction.query<{ is_mine: boolean | null }>(READ_HOLDER, [projectId, conversationId, runId]);
	if (row?.is_mine !== true) throw lostRun(conversationId);
	if (!anyBranch && locked.activeBranch !== branch) {
		throw branchMoved(conversationId);
	}
	return locked;
}
