import type { Access } from "../domain/access.ts";
import { Fault } from "../domain/faults.ts";
import { deleteState, getState, listStates } from "../store/states.ts";
import type { Route } from "./router.ts";
import { CURSOR, LIMIT, page, STATE, STATE_ENTRY } from "./schemas.ts";
import { readNumber } from "./wire.ts";

const READ: Access = { role: "read", limited: "closed" };
const WRITE: Access = { role: "write", limited: "closed" };

export const stateRoutes: readonly Route[] = [
	{
		method: "GET",
		path: "/api/states",
		name: "listStates",
		summary: "A page of the keys with a saved state, the latest saved first.",
		access: READ,
		query: { limit: LIMIT, cursor: CURSOR },
		success: { status: 200, description: "A page.", schema: page("states", STATE_ENTRY) },
		answer: async (call) => {
			const first = readNumber(call.query, "limit");
			const { items, hasNext, cursorOf } = await listStates(call, { first, after: call.query["cursor"] });
			const states = items.map(({ key, version, revision, updatedAt }) => ({
				key,
				version,
				revision,
				updated_at: updatedAt,
			}));
			return { states, next_cursor: hasNext ? cursorOf(items.at(-1)!) : null };
		},
	},
	{
		method: "GET",
		path: "/api/states/{key}",
		name: "getState",
		summary: "The state that an agent saved under a key.",
		access: READ,
		success: { status: 200, description: "The state.", schema: STATE },
		errors: [404],
		answer: async (call) => {
			const saved = await getState(call, { key: call.key });
			if (saved === null) throw new Fault("NotFound", `State ${JSON.stringify(call.key)} does not exist`);
			const { key, version, revision, updatedAt, state } = saved;
			return { key, version, revision, updated_at: updatedAt, state };
		},
	},
	{
		method: "DELETE",
		path: "/api/states/{key}",
		name: "deleteState",
		summary: "Deletes a state with its checkpoints. An unknown one is a success.",
		access: WRITE,
		success: { status: 204, description: "It is gone." },
		answer: async (call) => {
			await deleteState(call, { key: call.key });
			return undefined;
		},
	},
];
