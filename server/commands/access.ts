import { readConfig } from "../config.ts";
import { ROLES } from "../domain/access.ts";
import { StartError } from "../domain/start-error.ts";
import { createProject, findProject } from "../store/projects.ts";
import { createToken } from "../store/tokens.ts";
import { withDatabase } from "./database.ts";
import { UsageError } from "./usage-error.ts";

/** Makes a project and prints its id. */
export async function runProjectCreate(name: string): Promise<void> {
	const { projectId } = await withDatabase(readConfig(), (db) => createProject(db, name));
	process.stdout.write(`${projectId}\n`);
}

/** Makes a token and prints it; nothing can show it again. */
export async function runTokenCreate(options: { project: string; role: string; name: string }): Promise<void> {
	const role = ROLES.find((candidate) => candidate === options.role);
	if (role === undefined) {
		throw new UsageError(`--role must be one of ${ROLES.join(", ")}, not ${JSON.stringify(options.role)}.`);
	}
	const token = await withDatabase(readConfig(), async (db) => {
		const project = await findProject(db, options.project);
		if (project === null) {
			throw new StartError(
				`There is no project ${JSON.stringify(options.project)}: make it with "agent-gateway project create <name>".`,
			);
		}
		return createToken(db, { projectId: project.projectId, role, name: options.name });
	});
	process.stdout.write(`${token}\n`);
}
