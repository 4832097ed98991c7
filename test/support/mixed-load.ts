import { createStore, type Message, type Store } from "@iga-pages/agent/store";
import { expect, onTestFinished } from "vitest";
import type { TestGateway } from "./gateway.ts";
import { type GatewayProcess, startGatewayProcess } from "./gateway-process.ts";
import { Ledger, type Outcome } from "./ledger.ts";
import { drainMessages, seqs } from "./pages.ts";

/** How far a load has come. */
export interface Progress {
	operations: number;
	kills: number;
}

const WRITERS = 12;
const SHARED = ["shared-1", "shared-2", "shared-3"];

/**
 * Runs three gateway processes on one database, one after another killed and started again throughout, under calls of
 * all kinds, and then compares each row with what the clients were told.
 */
export async function runMixedLoad(beside: TestGateway, isEnough: (progress: Progress) => boolean) {
	const progress: Progress = { operations: 0, kills: 0 };
	const env = { DATABASE_URL: beside.databaseUrl };
	const gateways = await Promise.all([1, 2, 3].map(() => startGatewayProcess("serve", env)));
	onTestFinished(async () => {
		for (const gateway of gateways) await gateway.stop();
	});
	const stores = gateways.map(({ url }) => createStore({ url, token: beside.token, retries: 4 }));
	const restarting = (async () => {
		for (let turn = 0; !isEnough(progress); turn = (turn + 1) % gateways.length) {
			gateways[turn] = await killAndRestart(gateways[turn]!, env);
			progress.kills += 1;
		}
	})();
	const writers = await Promise.all(
		Array.from({ length: WRITERS }, async (_, number) => {
			const writer = new Writer(number, stores);
			while (!isEnough(progress)) {
				await writer.step();
				progress.operations += 1;
			}
			return writer;
		}),
	);
	await restarting;
	await verify(beside, writers);
	const outcomes: Record<Outcome, number> = { resolved: 0, refused: 0, unknown: 0 };
	for (const { ledger } of writers) {
		for (const outcome of Object.keys(outcomes) as Outcome[]) outcomes[outcome] += ledger.outcomes[outcome];
	}
	return { ...progress, outcomes };
}

async function killAndRestart(gateway: GatewayProcess, env: Record<string, string>): Promise<GatewayProcess> {
	gateway.signal("SIGKILL");
	await gateway.ended;
	return startGatewayProcess("serve", { ...env, PORT: new URL(gateway.url).port });
}

/** A client that does one thing after another, each at another gateway. */
class Writer {
	readonly ledger = new Ledger();
	/** Keys of the shared conversations' metadata that are its own, with the values that they may have. */
	readonly labels = new Map<string, Set<number | undefined>>();
	readonly #number: number;
	readonly #stores: readonly Store[];
	#step = 0;
	#label = 0;

	constructor(number: number, stores: readonly Store[]) {
		this.#number = number;
		this.#stores = stores;
	}

	async step(): Promise<void> {
		const step = this.#step++;
		const store = this.#stores[(this.#number + step) % this.#stores.length]!;
		const conversationId = step % 2 === 0 ? SHARED[(this.#number + step) % SHARED.length]! : `own-${this.#number}`;
		if (step % 7 === 3) await this.ledger.update(store);
		else if (step % 7 === 5) await this.ledger.delete(store);
		else if (step % 7 === 6) await this.#setLabel(store, step);
		else if (step % 7 === 2) await this.#read(store);
		else await this.ledger.append(store, conversationId, (step % 5) + 1);
	}

	async #setLabel(store: Store, value: number): Promise<void> {
		const key = `w${this.#number}-${this.#label}`;
		const before = this.labels.get(key) ?? new Set([undefined]);
		const after = await store.updateConversation({ conversationId: SHARED[0]!, metadata: { [key]: value } }).then(
			() => new Set([value]),
			() => {
				// Whatever became of it, it may come late: the key is left alone.
				this.#label += 1;
				return new Set([...before, value]);
			},
		);
		this.labels.set(key, after);
	}

	/** A page is in order and without doubles, also while others write. */
	async #read(store: Store): Promise<void> {
		const page = await store.listMessages({ conversationId: SHARED[0]!, order: "desc", limit: 30 }).catch(() => null);
		if (page === null) return;
		const places = seqs(page.items);
		expect(places).toEqual([...new Set(places)].sort((a, b) => b - a));
	}
}

async function verify({ store }: TestGateway, writers: readonly Writer[]): Promise<void> {
	const conversations = [...SHARED, ...writers.map((_, number) => `own-${number}`)];
	const walks = conversations.map((conversationId) => drainMessages(store, { conversationId, limit: 200 }));
	const stored = (await Promise.all(walks)).flat();
	let inBooks = 0;
	for (const { ledger } of writers) {
		const own = stored.filter((message: Message) => ledger.knows(message));
		ledger.verify(own);
		inBooks += own.length;
	}
	expect(inBooks).toBe(stored.length);
	const metadata = (await store.getConversation({ conversationId: SHARED[0]! }))?.metadata ?? {};
	const labels = new Map(writers.flatMap((writer) => [...writer.labels]));
	expect(Object.keys(metadata).filter((key) => !labels.has(key))).toEqual([]);
	for (const [key, possible] of labels) expect([...possible]).toContain(metadata[key]);
}
