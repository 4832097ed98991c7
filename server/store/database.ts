import { PrismaPg } from "@prisma/adapter-pg";
import pg from "pg";
import { Fault } from "../domain/faults.ts";
import { DEFAULT_LIMITS, type Limits } from "../domain/limits.ts";
import { PrismaClient } from "./generated/client.ts";
import { type Group, GroupCommit } from "./group-commit.ts";
import { isConnectionLoss, isTransient, toFault, unreachable } from "./postgres-errors.ts";
import { type Caller, overloaded, Turns } from "./turns.ts";

/** A fixed statement. Its name makes Postgres keep the plan, so names are few and never made up at run time. */
export interface Statement {
	name: string;
	text: string;
	/** Planned anew each time: as long as the tables are small, Postgres may plan to go through a whole project. */
	replan?: true;
	/** The rows it returns are those that its WITH has written; with a column, those of them where that is true. */
	returnsWritten?: true | string;
	/**
	 * For those that add or remove messages: which of the values is the conversation's id, the first being the project's;
	 * or the column of the rows written that has it.
	 */
	conversation?: 1 | 2 | string;
}

export interface DatabaseOptions {
	url: string;
	/** `transaction`: a pooler such as pgbouncer in transaction mode stands between; no prepared statements then. */
	pooler?: "none" | "transaction";
	/** Connections at most, 10 by default. */
	poolSize?: number;
	limits?: Pick<Limits, "waitingCalls" | "waitingMs" | "statementMs" | "lockMs">;
	/** Told of connections that broke while idle; without a listener they would end the process. */
	onIdleError?: (error: Error) => void;
	/** Told of the rows that a statement inserted, updated or deleted, once that is committed. */
	onRowsWritten?: ((statement: string, rows: number) => void) | undefined;
	/** Told of conversations that got or lost messages, once that is committed. */
	onMessagesWritten?: ((projectId: string, conversationId: string) => void) | undefined;
}

/** Runs statements one after another inside a transaction that `Database.transaction` opened. */
export interface Transaction {
	query<Row extends pg.QueryResultRow>(statement: Statement, values: unknown[]): Promise<Row[]>;
}

/** Runs statements and transactions. */
export interface Queries {
	/** For administration; it takes no turns. */
	readonly prisma: PrismaClient;
	/** Runs one statement that only reads. */
	read<Row extends pg.QueryResultRow>(statement: Statement, values: unknown[]): Promise<Row[]>;
	/** Runs one statement that writes, as a transaction of its own. */
	write<Row extends pg.QueryResultRow>(statement: Statement, values: unknown[]): Promise<Row[]>;
	/** Does a call together with others of its project that come at the same time, where the group does it; else alone. */
	together<Call, Result>(
		group: Group<Call, Result>,
		projectId: string,
		call: Call,
		doAlone: () => Promise<Result>,
	): Promise<Result>;
	/** Runs work in one transaction: all of it is committed when the work resolves, nothing when it throws. */
	transaction<T>(work: (transaction: Transaction) => Promise<T>): Promise<T>;
}

const ATTEMPTS = 3;

/** What pg-pool says, without a code, when all connections stayed in use; every other failure is one to connect. */
const WAITED_TOO_LONG = "timeout exceeded when trying to connect";

/** The one pool of the process: hot statements run on it as SQL, administration through Prisma. */
export class Database implements Queries {
	readonly prisma: PrismaClient;
	readonly read: Queries["read"];
	readonly write: Queries["write"];
	readonly transaction: Queries["transaction"];
	readonly together: Queries["together"];
	readonly #pool: pg.Pool;
	readonly #turns: Turns;
	readonly #groups = new Map<Group<never, unknown>, unknown>();
	readonly #mostWaiting: number;
	readonly #named: boolean;
	readonly #onWritten: Pick<DatabaseOptions, "onRowsWritten" | "onMessagesWritten">;
	/** Connections in use. */
	readonly #used = new Set<pg.PoolClient & Pick<pg.Client, "end">>();

	constructor(options: DatabaseOptions) {
		const { url, pooler = "none", poolSize = 10, limits = DEFAULT_LIMITS, onIdleError = () => {} } = options;
		this.#named = pooler === "none";
		this.#onWritten = options;
		this.#turns = new Turns(poolSize, limits);
		this.#mostWaiting = limits.waitingCalls;
		this.#pool = new pg.Pool({
			connectionString: url,
			max: poolSize,
			connectionTimeoutMillis: limits.waitingMs,
			application_name: "agent-gateway",
			keepAlive: true,
			// Poolers refuse timeouts as startup parameters; there they come from ALTER ROLE.
			...(this.#named
				? { statement_timeout: limits.statementMs, lock_timeout: limits.lockMs, onConnect: keepPlans }
				: {}),
		});
		this.#pool.on("error", onIdleError);
		// A connection that breaks while it is in use rejects its statement and emits an error besides; without a
		// listener of its own, that would end the process.
		this.#pool.on("connect", (client) => client.on("error", () => {}));
		this.prisma = new PrismaClient({ adapter: new PrismaPg(this.#pool) });
		({ read: this.read, write: this.write, transaction: this.transaction, together: this.together } = this.for({}));
	}

	/** The same database for the calls of one caller, which take turns with those of other projects. */
	for(caller: Caller): Queries {
		return {
			prisma: this.prisma,
			read: (statement, values) =>
				this.#attempt(caller, async (client) => (await this.#run<never>(client, statement, values)).rows, false),
			write: (statement, values) => this.#attempt(caller, (client) => this.#write(client, statement, values), true),
			transaction: (work) => this.#attempt(caller, (client) => this.#transact(client, work), true),
			together: (group, ...call) => this.#groupCommit(group).join(...call),
		};
	}

	/** Rejects with ServiceUnavailable where Postgres does not answer. */
	async ping(): Promise<void> {
		await this.read({ name: "ping", text: "SELECT 1" }, []);
	}

	/** Connections in use, open ones besides, and calls that wait for one. */
	get load(): { used: number; idle: number; waiting: number } {
		const { totalCount, idleCount } = this.#pool;
		return { used: totalCount - idleCount, idle: idleCount, waiting: this.#turns.waiting };
	}

	/** Takes no more calls, refuses those that wait, and breaks the connections of those that run. */
	abandon(): void {
		this.#turns.close();
		// In the middle of a statement this closes the socket.
		for (const client of this.#used) void client.end();
	}

	/** Waits for running statements and closes every connection. */
	async close(): Promise<void> {
		await this.prisma.$disconnect();
		await this.#pool.end();
	}

	#groupCommit<Call, Result>(group: Group<Call, Result>): GroupCommit<Call, Result> {
		const known = this.#groups.get(group) as GroupCommit<Call, Result> | undefined;
		const found = known ?? new GroupCommit(this, group, this.#mostWaiting);
		this.#groups.set(group, found);
		return found;
	}

	async #transact<T>(client: pg.PoolClient, work: (transaction: Transaction) => Promise<T>): Promise<T> {
		let result: T;
		const written: (() => void)[] = [];
		try {
			await client.query("BEGIN");
			result = await work({
				query: async (statement, values) => {
					const answer = await this.#run<never>(client, statement, values);
					written.push(this.#news(statement, values, answer));
					return answer.rows;
				},
			});
		} catch (error) {
			// A failed rollback means a dead connection, which rolls back by itself.
			await client.query("ROLLBACK").catch(() => {});
			throw isTransient(error) ? error : toFault(error, false);
		}
		await client.query("COMMIT");
		for (const tell of written) tell();
		return result;
	}

	async #write(client: pg.PoolClient, statement: Statement, values: unknown[]): Promise<never[]> {
		const answer = await this.#run<never>(client, statement, values);
		this.#news(statement, values, answer)();
		return answer.rows;
	}

	/** Tells what a statement wrote, when that is committed; of values and rows it keeps no more until then than it tells. */
	#news(statement: Statement, values: unknown[], answer: pg.QueryResult): () => void {
		const rows = rowsWritten(statement, answer);
		if (rows === 0) return () => {};
		const projectId = values[0] as string;
		const conversationIds = conversationsWritten(statement, values, answer);
		return () => {
			this.#onWritten.onRowsWritten?.(statement.name, rows);
			for (const id of conversationIds) this.#onWritten.onMessagesWritten?.(projectId, id);
		};
	}

	async #run<Row extends pg.QueryResultRow>(
		client: pg.PoolClient,
		statement: Statement,
		values: unknown[],
	): Promise<pg.QueryResult<Row>> {
		const { name, text, replan } = statement;
		const config = this.#named && !replan ? { name, text, values } : { text, values };
		// By callback: with the promise that pg makes, garbage collections keep nearly every result until the next full one.
		return new Promise((resolve, reject) => {
			void client.query<Row>(config, (error, result) => (error ? reject(error) : resolve(result)));
		});
	}

	async #attempt<T>(caller: Caller, work: (client: pg.PoolClient) => Promise<T>, writes: boolean): Promise<T> {
		const leave = await this.#turns.take(caller);
		try {
			for (let attempt = 1; ; attempt++) {
				const client = await this.#connect();
				this.#used.add(client);
				let broken = false;
				try {
					return await work(client);
				} catch (error) {
					if (attempt < ATTEMPTS && isTransient(error)) continue;
					broken = isBroken(error);
					throw toFault(error, writes);
				} finally {
					this.#used.delete(client);
					client.release(broken);
				}
			}
		} finally {
			leave();
		}
	}

	async #connect(): Promise<pg.PoolClient> {
		try {
			return await this.#pool.connect();
		} catch (error) {
			throw error instanceof Error && error.message === WAITED_TOO_LONG ? overloaded() : unreachable(error);
		}
	}
}

/**
 * Lets Postgres keep the plans of named statements. By itself it plans most lists anew at each call, for as long as that
 * takes again: it expects a tenth of all rows of a LIMIT that it does not know. Citus plans by the values only.
 */
async function keepPlans(client: pg.ClientBase): Promise<void> {
	await client.query(
		`SELECT set_config('plan_cache_mode', 'force_generic_plan', false)
		WHERE NOT EXISTS (SELECT FROM pg_extension WHERE extname = 'citus')`,
	);
}

/** What the statement's own INSERT, UPDATE or DELETE wrote; those in its WITH count where it returns what they wrote. */
function rowsWritten({ returnsWritten }: Statement, { command, rowCount, rows }: pg.QueryResult): number {
	if (typeof returnsWritten === "string") return rows.filter((row) => row[returnsWritten]).length;
	return command === "SELECT" && !returnsWritten ? 0 : (rowCount ?? 0);
}

/** The conversations whose messages a statement that has written has added or removed. */
function conversationsWritten(
	{ conversation, returnsWritten }: Statement,
	values: unknown[],
	{ rows }: pg.QueryResult,
): ReadonlySet<string> {
	if (conversation === undefined) return new Set();
	if (typeof conversation === "number") return new Set([values[conversation] as string]);
	return new Set(rows.filter((row) => row[returnsWritten as string]).map((row) => row[conversation] as string));
}

/** Whether a failure may have left its connection unusable: only what Postgres or a rule of ours said does not. */
function isBroken(error: unknown): boolean {
	const cause = error instanceof Fault ? error.cause : error;
	if (error instanceof Fault && cause === undefined) return false;
	return !(cause instanceof pg.DatabaseError) || isConnectionLoss(cause);
}
