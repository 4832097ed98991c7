import { execFile, type SpawnOptions, spawn } from "node:child_process";
import { chmod, lchown, readdir, readFile, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { reasonOf, StartError } from "../domain/start-error.ts";
import type { PostgresBinaries } from "./binaries.ts";

const run = promisify(execFile);

/** Under which account the programs of Postgres run: Postgres refuses root. */
export interface Account {
	/** Program and first arguments put before the command. */
	prefix: readonly string[];
	/** Set to give up root before the program runs. */
	ids: { uid?: number; gid?: number };
}

interface User {
	uid: number;
	gid: number;
}

/**
 * Chooses the account. Anyone but root runs Postgres as they are. For root a user namespace shows
 * Postgres a plain user who is root outside, so that it reaches whatever root owns. Where namespaces
 * are forbidden, the owner of the place (or nobody) runs it, if they can reach programs and data.
 *
 * @param home Folder of the data; given to that user where needed.
 * @throws StartError when Postgres does not run on this machine or no account reaches it.
 */
export async function chooseAccount(home: string, binaries: PostgresBinaries): Promise<Account> {
	const plain: Account = { prefix: [], ids: {} };
	if (process.getuid?.() !== 0) {
		const failure = await probe(plain, home, binaries);
		if (failure === null) return plain;
		throw new StartError(
			`The embedded Postgres does not run on this machine (${failure}): set DATABASE_URL to a Postgres of your own.`,
		);
	}
	const nobody = await userBy(([name]) => name === "nobody");
	const inside = nobody ?? { uid: 1, gid: 1 };
	const namespace: Account = {
		prefix: ["unshare", "--user", `--map-user=${inside.uid}`, `--map-group=${inside.gid}`, "--"],
		ids: {},
	};
	const failure = await probe(namespace, home, binaries);
	if (failure === null) {
		await giveTo({ uid: 0, gid: 0 }, home);
		return namespace;
	}
	const place = await stat(dirname(dirname(home)));
	const owner = place.uid === 0 ? undefined : await userBy(([, , uid]) => uid === String(place.uid));
	for (const user of [owner, nobody]) {
		if (user === undefined) continue;
		// Others may pass through the outer folder, not look into it; the data below stays 0700.
		await chmod(dirname(home), 0o711);
		await giveTo(user, home);
		const account: Account = { prefix: [], ids: user };
		if ((await probe(account, home, binaries)) === null) return account;
	}
	throw new StartError(
		`Postgres refuses to run as root, and no other user can reach ${home} or the program (${failure}): start the gateway as another user, or set DATABASE_URL to a Postgres of your own.`,
	);
}

/** Starts a program of Postgres under the account. */
export function spawnAs(account: Account, program: string, args: readonly string[], options: SpawnOptions) {
	const [command = program, ...rest] = [...account.prefix, program, ...args];
	return spawn(command, rest, { ...options, ...account.ids });
}

/** Why Postgres cannot run so, or null when it can: it starts, and its folder is writable. */
async function probe(account: Account, home: string, binaries: PostgresBinaries): Promise<string | null> {
	const check =
		process.platform === "win32"
			? [binaries.postgres, "--version"]
			: ["/bin/sh", "-c", 'cd "$1" && test -w . && exec "$2" --version', "sh", home, binaries.postgres];
	const [command = "", ...args] = [...account.prefix, ...check];
	try {
		await run(command, args, { env: binaries.env, ...account.ids });
		return null;
	} catch (error) {
		const { stderr } = error as { stderr?: string };
		return reasonOf(stderr ? new Error(stderr) : error);
	}
}

/** Postgres demands that its folder belongs to the account that runs it. */
async function giveTo(user: User, path: string): Promise<void> {
	const { uid } = await stat(path);
	if (uid === user.uid) return;
	for (const entry of await readdir(path, { recursive: true })) {
		await lchown(join(path, entry), user.uid, user.gid);
	}
	await lchown(path, user.uid, user.gid);
}

async function userBy(matches: (fields: string[]) => boolean): Promise<User | undefined> {
	const lines = (await readFile("/etc/passwd", "utf8").catch(() => "")).split("\n");
	const fields = lines.map((line) => line.split(":")).find(matches);
	return fields && { uid: Number(fields[2]), gid: Number(fields[3]) };
}
