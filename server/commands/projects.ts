import { readConfig } from "../config.ts";
import { StartError } from "../domain/start-error.ts";
import type { Database } from "../store/database.ts";
import { createProject, deleteProject, findProject, listProjects, type Project } from "../store/projects.ts";
import { withDatabase } from "./database.ts";
import { showProgress } from "./progress.ts";
import { readAnswer } from "./prompt.ts";
import { printTable } from "./table.ts";

/** Makes a project and prints its id. */
export async function runProjectCreate(name: string): Promise<void> {
	const { projectId } = await withDatabase(readConfig(), (db) => createProject(db, name));
	process.stdout.write(`${projectId}\n`);
}

/** Prints all projects. */
export async function runProjectList(): Promise<void> {
	const projects = await withDatabase(readConfig(), listProjects);
	printTable(
		["NAME", "ID", "CREATED"],
		projects.map(({ name, projectId, createdAt }) => [name, projectId, createdAt.toISOString()]),
	);
}

/** Deletes a project with everything in it, if its name is given a second time. */
export async function runProjectDelete(name: string, confirmation: string | undefined): Promise<void> {
	await withDatabase(readConfig(), async (db) => {
		const { projectId } = await requireProject(db, name);
		const question = `This deletes the project ${JSON.stringify(name)} with everything in it, for ever. Type its name: `;
		const answer = confirmation ?? (await readAnswer(question));
		if (answer !== name) {
			throw new StartError(
				`Nothing was deleted: the name given to confirm it is ${JSON.stringify(answer)}, not ${JSON.stringify(name)}.`,
			);
		}
		const progress = showProgress(process.stderr, { what: "rows deleted" });
		await deleteProject(db, projectId, progress.advance).finally(progress.end);
		process.stdout.write(`The project ${JSON.stringify(name)} is deleted.\n`);
	});
}

/** @throws StartError when there is none of this name. */
export async function requireProject(db: Database, name: string): Promise<Project> {
	const project = await findProject(db, name);
	if (project !== null) return project;
	throw new StartError(
		`There is no project ${JSON.stringify(name)}: make it with "agent-gateway project create <name>".`,
	);
}
