import type { Limits } from "../domain/limits.ts";
import type { Queries } from "./database.ts";
import type { Identity } from "./tokens.ts";

/** What every store function works in: the database, who asks, and what is allowed at most. */
export interface Scope {
	db: Queries;
	identity: Identity;
	limits: Limits;
}

/** What is enough for work on all of a project, which an operator may ask for, too. */
export interface ProjectScope extends Omit<Scope, "identity"> {
	identity: Pick<Identity, "projectId">;
}
