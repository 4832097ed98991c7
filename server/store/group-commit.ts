import { Fault } from "../domain/faults.ts";
import type { Database, Queries } from "./database.ts";

/** A kind of call that many callers of one project make at the same time, and that one statement can do for all of them. */
export interface Group<Call, Result> {
	/** Does calls of a project together. Those without a result were not done: they are to be done alone. */
	run(db: Queries, projectId: string, calls: readonly Call[]): Promise<readonly (Result | undefined)[]>;
}

interface Member<Call, Result> {
	call: Call;
	doAlone: () => Promise<Result>;
	resolve(result: Result | Promise<Result>): void;
	reject(fault: Fault): void;
}

/** A project's calls: whether some of them run, who comes with the next, and until when there are no groups. */
interface Line<Call, Result> {
	isBusy: boolean;
	members: Member<Call, Result>[];
	restsUntil: number;
}

/** Calls of one group at most. */
const LARGEST = 64;

/** What runs longer is not waited for: something holds it up. */
const PATIENCE_MS = 100;

/** So long a project's calls are done alone after a group has failed: what made it fail would make the next one, too. */
const REST_MS = 1_000;

/**
 * Group commit: calls of a project that come in the same moment, or while others of it run, go to the database as one
 * statement and are committed as one transaction. A call that comes alone is done at once, and as if there were no groups.
 */
export class GroupCommit<Call, Result> {
	readonly #db: Database;
	readonly #group: Group<Call, Result>;
	readonly #mostWaiting: number;
	readonly #lines = new Map<string, Line<Call, Result>>();

	/** @param mostWaiting Calls of a project that wait for a group; beyond them each is done alone. */
	constructor(db: Database, group: Group<Call, Result>, mostWaiting: number) {
		this.#db = db;
		this.#group = group;
		this.#mostWaiting = mostWaiting;
	}

	/** Does a call, with others or alone. */
	async join(projectId: string, call: Call, doAlone: () => Promise<Result>): Promise<Result> {
		const line = this.#lines.get(projectId) ?? { isBusy: false, members: [], restsUntil: 0 };
		if (line.members.length >= this.#mostWaiting || performance.now() < line.restsUntil) return doAlone();
		this.#lines.set(projectId, line);
		return new Promise((resolve, reject) => {
			line.members.push({ call, doAlone, resolve, reject });
			this.#startNext(projectId, line);
		});
	}

	#startNext(projectId: string, line: Line<Call, Result>): void {
		if (line.isBusy) return;
		if (line.members.length === 0) {
			if (line.restsUntil <= performance.now()) this.#lines.delete(projectId);
			return;
		}
		line.isBusy = true;
		// All requests are read first that have arrived by now.
		setImmediate(() => {
			let isOver = false;
			const end = () => {
				if (isOver) return;
				isOver = true;
				clearTimeout(patience);
				line.isBusy = false;
				this.#startNext(projectId, line);
			};
			const patience = setTimeout(end, PATIENCE_MS);
			void this.#run(projectId, line).finally(end);
		});
	}

	/** Settles the first members. Never rejects. */
	async #run(projectId: string, line: Line<Call, Result>): Promise<void> {
		const members = line.members.splice(0, LARGEST);
		const [first, ...others] = members;
		if (others.length === 0) return settleAlone(first!);
		const calls = members.map(({ call }) => call);
		try {
			const results = await this.#group.run(this.#db.for({ project: projectId }), projectId, calls);
			line.restsUntil = 0;
			for (const [index, member] of members.entries()) {
				const result = results[index];
				if (result === undefined) void settleAlone(member);
				else member.resolve(result);
			}
		} catch (error) {
			// Nothing ran, nor would it alone. After all else each is done alone, and so gets the failure that is its own.
			const isRefused = error instanceof Fault && error.retryAfter !== undefined;
			if (!isRefused) line.restsUntil = performance.now() + REST_MS;
			// What may have taken effect already is not refused, timed out or in conflict if it fails now: that is unknown.
			const unknown = error instanceof Fault && error.code === "UnknownError" ? error : undefined;
			for (const member of members) isRefused ? member.reject(error) : void settleAlone(member, unknown);
		}
	}
}

/** Does a call alone; `unknown` is what it fails with, if it does, instead of its own failure. */
async function settleAlone<Call, Result>(member: Member<Call, Result>, unknown?: Fault): Promise<void> {
	const done = member.doAlone().catch((error: unknown) => {
		throw unknown ?? error;
	});
	member.resolve(done);
	await done.catch(() => {});
}
