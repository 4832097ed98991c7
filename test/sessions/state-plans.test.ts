import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { listAgentStates } from "../../server/store/agent-states.ts";
import type { Scope } from "../../server/store/scope.ts";
import { getStateCheckpoint, listStateCheckpoints } from "../../server/store/state-checkpoints.ts";
import { getState, listStates } from "../../server/store/states.ts";
import { startGateway, type TestGateway } from "../support/gateway.ts";
import { readingsOf } from "../support/plans.ts";
import { query } from "../support/sql.ts";

let gateway: TestGateway;

const PAGE = 20;

beforeAll(async () => {
	gateway = await startGateway();
	const other = await gateway.createProject();
	for (const { projectId } of [gateway, other]) {
		// Half of the keys have checkpoints only.
		for (const text of [
			`INSERT INTO states (project_id, key, state, revision, created_at, updated_at)
			SELECT $1, 'k' || n, CASE WHEN n % 2 = 0 THEN '{}'::json END, 1 - n % 2, now(),
				CASE WHEN n % 2 = 0 THEN now() - n * interval '1 s' END
			FROM generate_series(1, 4000) AS n`,
			`INSERT INTO state_checkpoints (project_id, key, seq, state, version, bytes, operation_id, created_at)
			SELECT $1, 'k1', n, '{}', 0, 2, n, now() FROM generate_series(1, 4000) AS n`,
			`INSERT INTO conversations (project_id, conversation_id, metadata, created_at, updated_at)
			SELECT $1, 'c' || n, '{}', now(), now() - n * interval '1 s' FROM generate_series(1, 4000) AS n`,
		]) {
			await query(gateway, text, [projectId]);
		}
	}
	for (const table of ["states", "state_checkpoints", "conversations"]) await query(gateway, `ANALYZE ${table}`);
});

afterAll(() => gateway.close());

describe("the statements on states", () => {
	it.each<[string, (scope: Scope) => Promise<unknown>, string, number]>([
		["one state", (scope) => getState(scope, { key: "k2" }), "states", 1],
		["a page of states", (scope) => listStates(scope, { first: PAGE }), "states", PAGE + 1],
		["a page of agents' states", (scope) => listAgentStates(scope, { first: PAGE }), "conversations", PAGE + 1],
		["the newest checkpoint", (scope) => getStateCheckpoint(scope, { key: "k1" }), "state_checkpoints", 1],
		["one checkpoint", (scope) => getStateCheckpoint(scope, { key: "k1", seq: "7" }), "state_checkpoints", 1],
		[
			"a page of checkpoints",
			(scope) => listStateCheckpoints(scope, { key: "k1", first: PAGE }),
			"state_checkpoints",
			PAGE + 1,
		],
	])("read by an index, and no more than they return: %s", async (_, work, table, rows) => {
		const readings = await readingsOf(gateway, work);
		expect(readings).toHaveLength(1);
		expect(readings[0]).toMatchObject({ scanned: [], rows: { [table]: rows } });
	});
});
