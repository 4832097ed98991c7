import { once } from "node:events";
import { readdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { StartError } from "../domain/start-error.ts";
import { type Account, spawnAs } from "./account.ts";
import type { PostgresBinaries } from "./binaries.ts";

/** The major version of the embedded Postgres; data of another one cannot be read. */
const MAJOR_VERSION = "18";

/** What the embedded Postgres needs to be started: programs, account and its places on the disk. */
export interface Cluster {
	binaries: PostgresBinaries;
	account: Account;
	/** The data directory. */
	data: string;
	passwordFile: string;
	/** False gives up durability for speed; for tests. */
	durable: boolean;
}

/**
 * Makes the data directory, or checks that the one found can be used.
 *
 * @returns Whether it was made.
 * @throws StartError when it is damaged, made by another version, or cannot be made.
 */
export async function ensureCluster(cluster: Cluster): Promise<boolean> {
	const entries = await readdir(cluster.data).catch((error: NodeJS.ErrnoException) => {
		if (error.code === "ENOENT") return [];
		throw error;
	});
	if (entries.length > 0) {
		await checkVersion(cluster.data);
		return false;
	}
	await createCluster(cluster);
	return true;
}

async function checkVersion(data: string): Promise<void> {
	const version = (await readFile(join(data, "PG_VERSION"), "utf8").catch(() => "")).trim();
	if (version === MAJOR_VERSION) return;
	throw new StartError(
		version === ""
			? `The data directory ${data} is damaged (PG_VERSION is missing): restore it from a copy, or move it away to start with an empty database.`
			: `The data directory ${data} was made by Postgres ${version}, and this is Postgres ${MAJOR_VERSION}: use the gateway's version that made it, or move it away to start with an empty database.`,
	);
}

/** initdb works in a folder aside, so that an interrupted one leaves nothing that looks like data. */
async function createCluster({ binaries, account, data, passwordFile, durable }: Cluster): Promise<void> {
	const aside = `${data}.new`;
	await rm(aside, { recursive: true, force: true });
	const args = ["-D", aside, "-U", "postgres", "-A", "scram-sha-256", "--pwfile", passwordFile];
	args.push("-E", "UTF8", "--locale=C", "--no-instructions");
	if (!durable) args.push("--no-sync");
	const child = spawnAs(account, binaries.initdb, args, {
		env: binaries.env,
		stdio: ["ignore", "ignore", "pipe"],
		// Out of the terminal's process group: Ctrl-C is the gateway's to handle.
		detached: true,
	});
	let output = "";
	child.stderr?.on("data", (chunk) => {
		output += chunk;
	});
	const [code] = await once(child, "close");
	if (code !== 0) {
		const reason = output.split("\n").find((line) => line.includes("error:") || line.includes("FATAL")) ?? output;
		throw new StartError(
			`Cannot make the data directory ${data} (${reason.trim() || `initdb ended with ${code}`}): check the disk and its rights, or set DATABASE_URL to a Postgres of your own.`,
		);
	}
	await rename(aside, data);
}
