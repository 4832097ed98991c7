import { chmod, mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { reasonOf, StartError } from "./domain/start-error.ts";

/**
 * Makes the folder of the embedded data and of the development link: mode 0700, kept out of git by
 * its own `.gitignore`. A folder that already holds something of the user's keeps its mode and gets
 * no `.gitignore`.
 *
 * @throws StartError when the folder cannot be made or read.
 */
export async function prepareDataFolder(folder: string): Promise<void> {
	try {
		await mkdir(folder, { recursive: true, mode: 0o700 });
		if ((await readdir(folder)).length > 0) return;
		await chmod(folder, 0o700);
		await writeFile(join(folder, ".gitignore"), "*\n");
	} catch (error) {
		throw new StartError(
			`Cannot write to the data folder ${folder} (${reasonOf(error)}): make it writable or set AGENT_STORE_DATA to another folder.`,
			{ cause: error },
		);
	}
}
