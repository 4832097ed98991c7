import { randomBytes, randomUUID } from "node:crypto";
import { Fault } from "../domain/faults.ts";
import { checkName } from "../domain/ids.ts";
import type { Database, Statement } from "./database.ts";
import { Prisma } from "./generated/client.ts";
import { newSecret } from "./signing-keys.ts";

/** The tenant: every row belongs to one (rule ISO-1). */
export interface Project {
	projectId: string;
	name: string;
	createdAt: Date;
}

const FIELDS = { projectId: true, name: true, createdAt: true } as const;

/** Creates a project; a name that exists is a Conflict. */
export async function createProject(db: Database, name: string): Promise<Project> {
	checkName("name", name);
	try {
		return await db.prisma.project.create({
			data: {
				projectId: randomUUID(),
				name,
				cursorKey: new Uint8Array(randomBytes(32)),
				signingKeys: { create: { secret: newSecret() } },
			},
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

/** All projects, by name. */
export async function listProjects(db: Database): Promise<Project[]> {
	return db.prisma.project.findMany({ orderBy: { name: "asc" }, select: FIELDS });
}

/** The tables that may hold many rows of a project, those that refer to others first. */
const LARGE = [
	"messages",
	"conversations",
	"checkpoint_writes",
	"checkpoint_blobs",
	"checkpoint_pieces",
	"checkpoints",
	"transcript_entries",
	"transcripts",
	"state_checkpoints",
	"states",
];

const DELETED_AT_ONCE = 5_000;

const DELETIONS = LARGE.map(
	(table): Statement => ({
		name: `project_delete_${table}`,
		text: `WITH gone AS (
				DELETE FROM ${table} WHERE project_id = $1
					AND ctid = ANY(ARRAY(SELECT ctid FROM ${table} WHERE project_id = $1 LIMIT $2)) RETURNING 1
			)
			SELECT count(*)::int AS deleted FROM gone`,
	}),
);

/**
 * Deletes a project with everything in it, in steps that no statement timeout ends. Its tokens go first, so that
 * nobody writes any more; when it breaks off, the rest is deleted by calling it again.
 *
 * @param onDeleted Told of the rows of each step.
 */
export async function deleteProject(
	db: Database,
	projectId: string,
	onDeleted: (rows: number) => void = () => {},
): Promise<void> {
	await db.prisma.apiToken.deleteMany({ where: { projectId } });
	for (const deletion of DELETIONS) {
		let deleted: number;
		do {
			const [row] = await db.write<{ deleted: number }>(deletion, [projectId, DELETED_AT_ONCE]);
			deleted = row?.deleted ?? 0;
			onDeleted(deleted);
		} while (deleted === DELETED_AT_ONCE);
	}
	await db.prisma.project.deleteMany({ where: { projectId } });
}
