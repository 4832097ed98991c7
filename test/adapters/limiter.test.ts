import { describe, expect, it } from "vitest";
import { createLimiter } from "../../client/adapters/limiter.ts";

/** Tasks that end when they are told to, and what is known about them. */
function heldTasks(count: number) {
	const started: number[] = [];
	const ends: ((fail?: Error) => void)[] = [];
	const tasks = Array.from({ length: count }, (_, index) => () => {
		started.push(index);
		return new Promise<number>((resolve, reject) => {
			ends[index] = (fail) => (fail === undefined ? resolve(index) : reject(fail));
		});
	});
	return { started, ends, tasks };
}

/** Lets everything that is ready happen. */
function settle(): Promise<void> {
	return new Promise((resolve) => setImmediate(resolve));
}

describe("the limiter", () => {
	it("runs as many tasks as allowed, the others in their order", async () => {
		const { started, ends, tasks } = heldTasks(5);
		const limit = createLimiter(2);
		const results = tasks.map((task) => limit(task));
		await settle();
		expect(started).toEqual([0, 1]);
		ends[1]!();
		await settle();
		expect(started).toEqual([0, 1, 2]);
		ends[0]!();
		ends[2]!();
		await settle();
		expect(started).toEqual([0, 1, 2, 3, 4]);
		ends[3]!();
		ends[4]!();
		expect(await Promise.all(results)).toEqual([0, 1, 2, 3, 4]);
	});

	it("gives the place of a failed task to the next", async () => {
		const { started, ends, tasks } = heldTasks(2);
		const limit = createLimiter(1);
		const [first, second] = tasks.map((task) => limit(task));
		await settle();
		ends[0]!(new Error("failed"));
		await expect(first).rejects.toThrow("failed");
		await settle();
		expect(started).toEqual([0, 1]);
		ends[1]!();
		expect(await second).toBe(1);
	});

	it("has its places free again when all is done", async () => {
		const limit = createLimiter(1);
		for (let round = 0; round < 3; round++) expect(await limit(async () => round)).toBe(round);
		const { started, tasks } = heldTasks(1);
		void limit(tasks[0]!);
		await settle();
		expect(started).toEqual([0]);
	});
});
