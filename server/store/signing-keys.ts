import { randomBytes } from "node:crypto";
import type { Database } from "./database.ts";

const SECRET_BYTES = 32;

/** A secret to sign browser tokens with. */
export function newSecret(): Uint8Array<ArrayBuffer> {
	return new Uint8Array(randomBytes(SECRET_BYTES));
}

/**
 * Gives a project a new key to sign browser tokens with. The older ones verify for `keepSeconds`, as long as a token
 * may live, and are then removed by the next rotation; with 0 they are removed, and all their tokens end.
 */
export async function rotateSigningKey(
	{ prisma }: Pick<Database, "prisma">,
	{ projectId, keepSeconds }: { projectId: string; keepSeconds: number },
): Promise<void> {
	const now = new Date();
	const keptSince = new Date(now.getTime() - keepSeconds * 1_000);
	await prisma.$transaction([
		prisma.signingKey.updateMany({ where: { projectId, retiredAt: null }, data: { retiredAt: now } }),
		prisma.signingKey.deleteMany({ where: { projectId, retiredAt: { lte: keptSince } } }),
		prisma.signingKey.create({ data: { projectId, secret: newSecret() } }),
	]);
}
