import type {
	ConversationRecord,
	ItemRecord,
	StateRecord,
	ThreadRecord,
	TranscriptRecord,
} from "../domain/archives.ts";
import { jsonText } from "./archive-tables.ts";
import type { Statement, Transaction } from "./database.ts";
import { isoTime } from "./times.ts";

type Row = Record<string, never>;

/** How the items of a kind are found, one after another in the order of their keys, and made. */
interface Items<Item extends ItemRecord> {
	/** The first item behind a key; the empty key stands before all. */
	next: Statement;
	/** The same among the items that belong to one conversation id, which stands behind the key. */
	nextOf: Statement;
	start: string[];
	key(item: Item): string[];
	toRecord(row: Row): Item;
	/** Makes the item without its parts; undefined where all of it are its parts. Returns a row unless it is there. */
	insert: Statement;
	values(item: Item): unknown[];
	/** What is done when all parts are there, in the same transaction. */
	finish?: { statement: Statement; values(item: Item): unknown[] };
}

// A run that does not renew its lease any more has died; one that does is not over.
const CONVERSATION = `SELECT conversation_id, metadata, config, agent_state, agent_version, agent_revision,
	CASE WHEN run_id IS NULL THEN run_status WHEN run_expires_at <= clock_timestamp() THEN 'error' END AS run_status,
	run_error, run_interrupt, last_seq, active_branch, last_branch, parent_conversation_id, parent_message_id,
	${isoTime("created_at")}, ${isoTime("updated_at")} FROM conversations WHERE project_id = $1`;

const conversations: Items<ConversationRecord> = {
	next: {
		name: "archive_conversation_next",
		replan: true,
		text: `${CONVERSATION} AND conversation_id > $2 ORDER BY conversation_id LIMIT 1`,
	},
	nextOf: {
		name: "archive_conversation_next_of",
		text: `${CONVERSATION} AND conversation_id > $2 AND conversation_id = $3`,
	},
	start: [""],
	key: ({ conversationId }) => [conversationId],
	toRecord: (row) => ({
		record: "conversation",
		conversationId: row["conversation_id"]!,
		metadata: row["metadata"]!,
		config: row["config"]!,
		agentState: row["agent_state"]!,
		agentVersion: row["agent_version"]!,
		agentRevision: row["agent_revision"]!,
		run:
			row["run_status"] === null
				? null
				: { status: row["run_status"]!, error: row["run_error"]!, interrupt: row["run_interrupt"]! },
		lastSeq: row["last_seq"]!,
		activeBranch: row["active_branch"]!,
		lastBranch: row["last_branch"]!,
		parentConversationId: row["parent_conversation_id"]!,
		parentMessageId: row["parent_message_id"]!,
		createdAt: row["created_at"]!,
		updatedAt: row["updated_at"]!,
	}),
	insert: {
		name: "archive_insert_conversation",
		text: `INSERT INTO conversations (project_id, conversation_id, metadata, config, agent_state, agent_version,
				agent_revision, run_status, run_error, run_interrupt, last_seq, active_branch, last_branch,
				parent_conversation_id, parent_message_id, created_at, updated_at)
			VALUES ($1, $2, $3::text::json, $4::text::json, $5::text::json, $6, $7, $8, $9, $10::text::json, $11, $12, $13,
				$14, $15, $16::text::timestamptz, $17::text::timestamptz)
			ON CONFLICT DO NOTHING RETURNING true AS is_new`,
	},
	values: (it) => [
		it.conversationId,
		JSON.stringify(it.metadata),
		jsonText(it.config),
		jsonText(it.agentState),
		it.agentVersion,
		it.agentRevision,
		it.run?.status ?? null,
		it.run?.error ?? null,
		it.run?.interrupt == null ? null : JSON.stringify(it.run.interrupt),
		it.lastSeq,
		it.activeBranch,
		it.lastBranch,
		it.parentConversationId,
		it.parentMessageId,
		it.createdAt,
		it.updatedAt,
	],
};

const STATE = `SELECT key, state, version, revision, last_seq, ${isoTime("created_at")}, ${isoTime("updated_at")}
	FROM states WHERE project_id = $1`;

const states: Items<StateRecord> = {
	next: {
		name: "archive_state_next",
		replan: true,
		text: `${STATE} AND key > $2 ORDER BY key LIMIT 1`,
	},
	nextOf: { name: "archive_state_next_of", text: `${STATE} AND key > $2 AND key = $3` },
	start: [""],
	key: ({ key }) => [key],
	toRecord: (row) => ({
		record: "state",
		key: row["key"]!,
		state: row["state"]!,
		version: row["version"]!,
		revision: row["revision"]!,
		lastSeq: row["last_seq"]!,
		createdAt: row["created_at"]!,
		updatedAt: row["updated_at"]!,
	}),
	insert: {
		name: "archive_insert_state",
		text: `INSERT INTO states (project_id, key, state, version, revision, last_seq, created_at, updated_at)
			VALUES ($1, $2, $3::text::json, $4, $5, $6, $7::text::timestamptz, $8::text::timestamptz)
			ON CONFLICT DO NOTHING RETURNING true AS is_new`,
	},
	values: (it) => [it.key, jsonText(it.state), it.version, it.revision, it.lastSeq, it.createdAt, it.updatedAt],
};

/** A thread is whatever has its id: it has no row of its own, and writes may come before their checkpoint. */
function nextThread(condition: string): string {
	const first = ["checkpoints", "checkpoint_blobs", "checkpoint_writes"].map(
		(table) => `(SELECT thread_id FROM ${table} WHERE project_id = $1 AND ${condition} ORDER BY thread_id LIMIT 1)`,
	);
	return `SELECT thread_id FROM (${first.join(" UNION ALL ")}) AS first ORDER BY thread_id LIMIT 1`;
}

const threads: Items<ThreadRecord> = {
	next: { name: "archive_thread_next", replan: true, text: nextThread("thread_id > $2") },
	nextOf: { name: "archive_thread_next_of", replan: true, text: nextThread("thread_id > $2 AND thread_id = $3") },
	start: [""],
	key: ({ threadId }) => [threadId],
	toRecord: (row) => ({ record: "thread", threadId: row["thread_id"]! }),
	insert: {
		name: "archive_insert_thread",
		replan: true,
		text: `SELECT true AS is_new WHERE NOT EXISTS (${nextThread("thread_id = $2")})`,
	},
	values: ({ threadId }) => [threadId],
};

const TRANSCRIPT = `SELECT project_key, session_id, last_seq, mtime, summary, summary_mtime, summary_seq,
	${isoTime("created_at")} FROM transcripts WHERE project_id = $1 AND (project_key, session_id) > ($2, $3)`;

const transcripts: Items<TranscriptRecord> = {
	next: {
		name: "archive_transcript_next",
		replan: true,
		text: `${TRANSCRIPT} ORDER BY project_key, session_id LIMIT 1`,
	},
	nextOf: {
		name: "archive_transcript_next_of",
		replan: true,
		text: `${TRANSCRIPT} AND session_id = $4 ORDER BY project_key, session_id LIMIT 1`,
	},
	start: ["", ""],
	key: ({ projectKey, sessionId }) => [projectKey, sessionId],
	toRecord: (row) => ({
		record: "transcript",
		projectKey: row["project_key"]!,
		sessionId: row["session_id"]!,
		lastSeq: row["last_seq"]!,
		mtime: numberOrNull(row["mtime"]!),
		summary: row["summary"]!,
		summaryMtime: numberOrNull(row["summary_mtime"]!),
		summarySeq: row["summary_seq"]!,
		createdAt: row["created_at"]!,
	}),
	insert: {
		name: "archive_insert_transcript",
		text: `INSERT INTO transcripts (project_id, project_key, session_id, last_seq, mtime, summary, summary_mtime,
				summary_seq, created_at)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9::text::timestamptz)
			ON CONFLICT DO NOTHING RETURNING true AS is_new`,
	},
	values: (it) => [
		it.projectKey,
		it.sessionId,
		it.lastSeq,
		it.mtime,
		it.summary,
		it.summaryMtime,
		it.summarySeq,
		it.createdAt,
	],
	// The clock of the project key must not fall behind what it gave out elsewhere. All others take it last, too.
	finish: {
		statement: {
			name: "archive_advance_clock",
			text: `INSERT INTO transcript_clocks AS c (project_id, project_key, last_mtime)
				SELECT $1, $2, $3::bigint WHERE $3::bigint IS NOT NULL
				ON CONFLICT (project_id, project_key) DO UPDATE SET last_mtime = greatest(c.last_mtime, excluded.last_mtime)`,
		},
		values: ({ projectKey, mtime }) => [projectKey, mtime],
	},
};

const ITEMS: { readonly [Kind in ItemRecord["record"]]: Items<Extract<ItemRecord, { record: Kind }>> } = {
	conversation: conversations,
	state: states,
	thread: threads,
	transcript: transcripts,
};

/** The kinds of items, in the order in which an archive has them. */
const KINDS = Object.keys(ITEMS) as ItemRecord["record"][];

function itemsOf(kind: ItemRecord["record"]): Items<ItemRecord> {
	return ITEMS[kind] as unknown as Items<ItemRecord>;
}

/** The records that open the items of a project, or those that belong to some conversation ids. */
export async function* readItems(
	{ query }: Transaction,
	projectId: string,
	conversationIds: readonly string[] | undefined,
): AsyncGenerator<ItemRecord> {
	const ids =
		conversationIds && [...new Set(conversationIds)].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
	for (const kind of KINDS) {
		const { next, nextOf, start, key, toRecord } = itemsOf(kind);
		for (const id of ids ?? [undefined]) {
			for (let after = start; ; ) {
				const [row] = await (id === undefined
					? query<Row>(next, [projectId, ...after])
					: query<Row>(nextOf, [projectId, ...after, id]));
				if (row === undefined) break;
				const item = toRecord(row);
				yield item;
				after = key(item);
			}
		}
	}
}

/** The record of an item as it is stored; undefined where there is none. */
export async function readItem(
	{ query }: Transaction,
	projectId: string,
	wanted: ItemRecord,
): Promise<ItemRecord | undefined> {
	const { nextOf, start, key, toRecord } = itemsOf(wanted.record);
	const ids = key(wanted);
	// Of a transcript the project key is given, too.
	const after = ids.length === 1 ? start : [ids[0]!, ""];
	const [row] = await query<Row>(nextOf, [projectId, ...after, ids.at(-1)!]);
	const found = row && toRecord(row);
	return found !== undefined && key(found).every((id, index) => id === ids[index]) ? found : undefined;
}

/** Makes an item without its parts; false where it is there already. */
export async function insertItem({ query }: Transaction, projectId: string, item: ItemRecord): Promise<boolean> {
	const { insert, values } = itemsOf(item.record);
	return (await query(insert, [projectId, ...values(item)])).length > 0;
}

/** Ends the making of an item whose parts are all there. */
export async function finishItem({ query }: Transaction, projectId: string, item: ItemRecord): Promise<void> {
	const { finish } = itemsOf(item.record);
	if (finish !== undefined) await query(finish.statement, [projectId, ...finish.values(item)]);
}

function numberOrNull(value: string | null): number | null {
	return value === null ? null : Number(value);
}
