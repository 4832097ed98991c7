import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { cp, mkdir, readdir, readFile, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../support/folder.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const run = promisify(execFile);

/** What an operator's shell has: nothing of this test run. */
const ENV = { PATH: process.env["PATH"], HOME: process.env["HOME"] };

/** How the lock file marks a package that not everybody needs. */
interface Locked {
	dev?: boolean;
	optional?: boolean;
	devOptional?: boolean;
	bin?: Record<string, string>;
}

/** A fresh clone, as far as building it goes, with those of the dependencies that `npm ci` would install. */
async function checkout(isInstalled: (locked: Locked) => boolean): Promise<string> {
	const folder = await temporaryFolder();
	const link = async (target: string, path: string) => {
		await mkdir(dirname(join(folder, path)), { recursive: true });
		await symlink(target, join(folder, path));
	};
	const isSource = (path: string) => !/[\\/](dist|node_modules|store[\\/]generated)$/.test(path);
	for (const name of await readdir(ROOT)) {
		if (!/^(server|client|prisma(\.config\.ts)?|(package|tsconfig).*\.json)$/.test(name)) continue;
		await cp(join(ROOT, name), join(folder, name), { recursive: true, filter: isSource });
	}
	const { packages } = JSON.parse(await readFile(join(ROOT, "package-lock.json"), "utf8"));
	for (const [path, locked] of Object.entries<Locked>(packages)) {
		const isTop = /^node_modules\/(@[^/]+\/)?[^/]+$/.test(path) && existsSync(join(ROOT, path));
		if (!isTop || !isInstalled(locked)) continue;
		await link(join(ROOT, path), path);
		for (const [command, file] of Object.entries(locked.bin ?? {})) {
			const bin = `node_modules/.bin/${command}`;
			if (!existsSync(join(folder, bin))) await link(join(ROOT, path, file), bin);
		}
	}
	return folder;
}

describe("a checkout without dev dependencies", () => {
	it("builds itself when it is installed, and runs", { timeout: 300_000 }, async () => {
		const cwd = await checkout(({ dev }) => !dev);
		await run("npm", ["run", "prepare"], { cwd, env: ENV });
		const doctor = run(process.execPath, ["dist/server/main.js", "doctor"], { cwd, env: ENV });
		await expect(doctor).rejects.toMatchObject({ code: 1, stdout: expect.stringContaining("set DATABASE_URL") });
	});

	it("says what it lacks where optional ones are left out, too", async () => {
		const cwd = await checkout(({ dev, optional, devOptional }) => !(dev || optional || devOptional));
		await expect(run("npm", ["run", "prepare"], { cwd, env: ENV })).rejects.toMatchObject({
			code: 1,
			stdout: expect.stringContaining("Nothing was built. Where dev and optional dependencies are both left out,"),
		});
	});
});
