import { randomBytes, randomUUID } from "node:crypto";
import { Fault } from "../domain/faults.ts";
import type { Database } from "./database.ts";
import { Prisma } from "./generated/client.ts";

/** The tenant: every row belongs to one (rule ISO-1). */
export interface Project {
	projectId: string;
	name: string;
	createdAt: Date;
}

const FIELDS = { projectId: true, name: true, createdAt: true } as const;

/** Creates a project; a name that exists is a Conflict. */
export async function createProject(db: Database, name: string): Promise<Project> {
	if (name.trim() === "") throw new Fault("BadRequest", "name: must not be empty");
	try {
		return await db.prisma.project.create({
			data: { projectId: randomUUID(), name, cursorKey: new Uint8Array(randomBytes(32)) },
			select: FIELDS,
		});
	} catch (error) {
		if (error instanceof Prisma.PrismaClientKnownRequestError && error.code === "P2002") {
			throw new Fault("Conflict", `Project ${JSON.stringify(name)} exists already`, { cause: error });
		}
		throw error;
	}
}

/** The project of this name, or null. */
export async function findProject(db: Database, name: string): Promise<Project | null> {
	return db.prisma.project.findUnique({ where: { name }, select: FIELDS });
}
