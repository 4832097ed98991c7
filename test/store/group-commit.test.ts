import { afterAll, describe, expect, it } from "vitest";
import { Fault } from "../../server/domain/faults.ts";
import { Database } from "../../server/store/database.ts";
import { type Group, GroupCommit } from "../../server/store/group-commit.ts";

/** Opens nothing, for no group asks it. */
const db = new Database({ url: "postgres://nowhere" });

afterAll(() => db.close());

/** Calls that come at the same time; their group fails, and then the first of them alone, too. */
async function outcomes(together: Fault, alone: Fault): Promise<PromiseSettledResult<string>[]> {
	const group: Group<string, string> = { run: () => Promise.reject(together) };
	const commit = new GroupCommit(db, group, 10);
	return Promise.allSettled([
		commit.join("project", "first", () => Promise.reject(alone)),
		commit.join("project", "second", () => Promise.resolve("stored")),
	]);
}

describe("calls whose group fails", () => {
	const broken = new Fault("UnknownError", "The connection broke", { status: 502 });
	const refused = new Fault("ServiceUnavailable", "The gateway is shutting down", { retryAfter: 1 });
	const late = new Fault("TimeoutError", "Nothing was written");

	it("ERR-6: are not said to have left nothing when their group may have been committed", async () => {
		for (const alone of [refused, late]) {
			expect(await outcomes(broken, alone)).toEqual([
				{ status: "rejected", reason: broken },
				{ status: "fulfilled", value: "stored" },
			]);
		}
	});

	it("ERR-6: fail as they do alone when their group left nothing", async () => {
		expect(await outcomes(late, refused)).toEqual([
			{ status: "rejected", reason: refused },
			{ status: "fulfilled", value: "stored" },
		]);
	});
});
