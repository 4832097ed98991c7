import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { reasonOf, StartError } from "../domain/start-error.ts";

/** How the SDK finds the gateway and its project: `link.json` in the data folder. */
export interface Link {
	/** Of the GraphQL endpoint. */
	url: string;
	token: string;
}

/** The link that an earlier start wrote; null when there is none that can be read. */
export async function readLink(folder: string): Promise<Link | null> {
	try {
		const link: Partial<Link> | null = JSON.parse(await readFile(join(folder, "link.json"), "utf8"));
		return typeof link?.url === "string" && typeof link.token === "string"
			? { url: link.url, token: link.token }
			: null;
	} catch {
		return null;
	}
}

/** Writes the link, readable by its owner only, in one step, so that a program never reads half of it. */
export async function writeLink(folder: string, link: Link): Promise<void> {
	const file = join(folder, "link.json");
	const aside = `${file}.${process.pid}`;
	try {
		await writeFile(aside, `${JSON.stringify(link, null, 2)}\n`, { mode: 0o600 });
		await rename(aside, file);
	} catch (error) {
		throw new StartError(`Cannot write ${file} (${reasonOf(error)}): make it writable or set AGENT_STORE_DATA.`, {
			cause: error,
		});
	}
}
