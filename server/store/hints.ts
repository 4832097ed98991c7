import { hash } from "node:crypto";
import pg from "pg";

const CHANNEL = "agent_store_messages";

/** How long hints are gathered: a notification at each append would make commits wait for each other. */
const GATHER_MS = 25;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;
const CONNECT_MS = 5_000;

/** Postgres takes 8,000 bytes a notification; a key has 16. */
const KEYS_A_NOTIFICATION = 400;
/** When more are unsent, everybody looks at everything. */
const MOST_KEYS = 4_000;
const ALL = "*";

/** What `pg.Client` has, too, though its types do not say so. */
type Client = pg.Client & {
	/** Of the backend. */
	processID: number;
	unref(): void;
};

interface HintsOptions {
	/** Of Postgres itself, not of a pooler; without one, only this gateway's own hints are heard. */
	url: string | undefined;
	/** Told of the keys of conversations that may have changed; undefined: any may have. */
	onHint: (keys: readonly string[] | undefined) => void;
	onError: (error: Error) => void;
}

/** Stands for a conversation in hints: short, and tells nothing to others who listen. */
export function hintKey(projectId: string, conversationId: string): string {
	return hash("sha256", `${projectId}\0${conversationId}`, "base64url").slice(0, 16);
}

/**
 * Hints between the gateways of one database that a conversation may have changed, by LISTEN and NOTIFY on one
 * connection. A hint may be lost, and come for nothing: who waits for one also looks by itself, every now and then.
 */
export class Hints {
	readonly #options: HintsOptions;
	readonly #gathered = new Set<string>();
	readonly #unsent = new Set<string>();
	#gathering: NodeJS.Timeout | undefined;
	#sending: Promise<void> | undefined;
	#client: Client | undefined;
	#connecting: NodeJS.Timeout | undefined;
	#isOpen = false;
	#isClosed = false;
	#pauseMs = FIRST_PAUSE_MS;

	constructor(options: HintsOptions) {
		this.#options = options;
	}

	/** Connects, and from then on again whenever the connection breaks. */
	open(): void {
		if (this.#isOpen || this.#isClosed || this.#options.url === undefined) return;
		this.#isOpen = true;
		void this.#connect(this.#options.url);
	}

	/** Passes on, in a moment, that a conversation has changed; called once that is committed. */
	give(key: string): void {
		if (this.#isClosed) return;
		this.open();
		this.#gathered.add(key);
		this.#gathering ??= setTimeout(() => void this.#pass(), GATHER_MS);
	}

	/** Takes no more hints, passes on the last ones, and disconnects. */
	async close(): Promise<void> {
		this.#isClosed = true;
		clearTimeout(this.#connecting);
		await this.#pass();
		await this.#client?.end().catch(() => {});
	}

	async #pass(): Promise<void> {
		clearTimeout(this.#gathering);
		this.#gathering = undefined;
		const keys = [...this.#gathered];
		this.#gathered.clear();
		this.#options.onHint(keys);
		if (this.#options.url === undefined) return;
		for (const key of keys) this.#unsent.add(key);
		if (this.#unsent.size > MOST_KEYS) {
			this.#unsent.clear();
			this.#unsent.add(ALL);
		}
		await this.#send();
	}

	#send(): Promise<void> {
		this.#sending ??= this.#sendAll().finally(() => {
			this.#sending = undefined;
		});
		return this.#sending;
	}

	/** Sends what is unsent, one notification after another; without a connection, that waits for the next one. */
	async #sendAll(): Promise<void> {
		while (this.#client !== undefined && this.#unsent.size > 0) {
			const keys = [...this.#unsent].slice(0, KEYS_A_NOTIFICATION);
			for (const key of keys) this.#unsent.delete(key);
			try {
				await this.#client.query("SELECT pg_notify($1, $2)", [CHANNEL, keys.join(" ")]);
			} catch {
				// The connection breaks; that is heard where it was made.
				for (const key of keys) this.#unsent.add(key);
				return;
			}
		}
	}

	async #connect(url: string): Promise<void> {
		const client = new pg.Client({
			connectionString: url,
			application_name: "agent-gateway-hints",
			connectionTimeoutMillis: CONNECT_MS,
			keepAlive: true,
		}) as Client;
		let isOver = false;
		const onEnd = (error?: Error) => {
			if (isOver) return;
			isOver = true;
			this.#client = undefined;
			if (this.#isClosed) return;
			if (error !== undefined) this.#options.onError(error);
			this.#connecting = setTimeout(() => void this.#connect(url), this.#pauseMs).unref();
			this.#pauseMs = Math.min(this.#pauseMs * 2, LONGEST_PAUSE_MS);
		};
		client.on("error", onEnd).on("end", onEnd);
		client.on("notification", ({ payload, processId }) => {
			// What this gateway gave it knows already.
			if (processId === client.processID) return;
			this.#options.onHint(keysOf(payload));
		});
		try {
			await client.connect();
			// A hint that is lost in a crash was of no use, so nobody waits for the disk.
			await client.query(`SET synchronous_commit TO off; LISTEN ${CHANNEL}`);
			client.unref();
		} catch (error) {
			onEnd(error as Error);
			await client.end().catch(() => {});
			return;
		}
		if (this.#isClosed) return void (await client.end());
		this.#client = client;
		this.#pauseMs = FIRST_PAUSE_MS;
		// Nobody knows what was said before.
		this.#options.onHint(undefined);
		await this.#send();
	}
}

function keysOf(payload = ALL): string[] | undefined {
	const keys = payload.split(" ");
	return keys.includes(ALL) ? undefined : keys;
}
