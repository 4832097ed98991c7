import type { Contender, Start } from "./contender.ts";
import { startDriven } from "./driven.ts";

/** A bare pg client in a process of its own, with the gateway's SQL. */
export async function startLimit({ databaseUrl, projectId, statements }: Start): Promise<Contender> {
	const options = JSON.stringify({ databaseUrl, projectId, statements });
	return startDriven("limit: bare pg client", projectId, "./servers/limit.ts", [options]);
}
