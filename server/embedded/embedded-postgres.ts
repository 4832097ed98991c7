import { randomBytes } from "node:crypto";
import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { prepareDataFolder } from "../data-folder.ts";
import { reasonOf, StartError } from "../domain/start-error.ts";
import { chooseAccount } from "./account.ts";
import { findBinaries } from "./binaries.ts";
import { type Cluster, ensureCluster } from "./cluster.ts";
import { lockHolder, takeLock } from "./lock.ts";
import { clearLeftover, readPidFile, startServer, stopServer } from "./server-process.ts";

export interface EmbeddedPostgresOptions {
	/** The data folder (AGENT_STORE_DATA); Postgres keeps everything in its subfolder `postgres`. */
	folder: string;
	/** Told in a few words what is going on. */
	log?: (message: string) => void;
	/** Called when Postgres ends although nobody stopped it. */
	onExit?: (message: string) => void;
	/** False gives up durability for speed. For tests only. Default: true. */
	durable?: boolean;
	/** Default: 100. */
	maxConnections?: number;
}

export interface EmbeddedPostgres {
	/** Connection string with the password. */
	url: string;
	/** Stops Postgres in order; returns when it is gone. May be called twice. */
	stop(): Promise<void>;
}

/**
 * Starts the Postgres that comes with the gateway, on a free port of 127.0.0.1; makes its data at the
 * first start and finds it again later. What a killed gateway left behind is cleared away.
 *
 * @throws StartError, one line with the remedy, for each thing that can be wrong with folder, data or platform.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
	const { log = () => {}, durable = true, maxConnections = 100 } = options;
	const home = await prepareHome(options.folder);
	const unlock = await takeLock(home);
	try {
		const passwordFile = join(home, "password");
		const data = join(home, "data");
		const password = await ensurePassword(passwordFile);
		const binaries = await findBinaries(join(home, "lib"));
		const account = await chooseAccount(home, binaries);
		const cluster: Cluster = { binaries, account, data, passwordFile, durable };
		if (await ensureCluster(cluster)) log(`made the database in ${data}`);
		await clearLeftover(data);
		const { port, child } = await startServer(cluster, settings(durable, maxConnections));
		let stopping: Promise<void> | undefined;
		// Whatever ends the process before it has stopped Postgres, Postgres ends, too; only kill -9 leaves it.
		const endPostgres = () => child.kill("SIGINT");
		process.once("exit", endPostgres);
		child.once("exit", (code, signal) => {
			if (stopping === undefined) {
				options.onExit?.(`The embedded Postgres ended (${signal ?? code}); its log is ${join(home, "postgres.log")}.`);
			}
		});
		const stop = async () => {
			if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) await stopServer(child.pid);
			process.off("exit", endPostgres);
			await unlock();
		};
		return {
			url: urlOf(password, port),
			stop: () => {
				stopping ??= stop();
				return stopping;
			},
		};
	} catch (error) {
		await unlock();
		throw error instanceof StartError ? error : asStartError(error, home);
	}
}

/**
 * The embedded Postgres for a short command: joins the one that a running gateway holds (whose `stop`
 * then does nothing), else starts it.
 *
 * @throws StartError as {@link startEmbeddedPostgres} does.
 */
export async function useEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
	const home = join(resolve(options.folder), "postgres");
	if ((await lockHolder(home)) !== null) {
		const server = await readPidFile(join(home, "data"));
		const password = await readFile(join(home, "password"), "utf8").catch(() => "");
		if (server?.ready && password !== "") {
			return { url: urlOf(password.trim(), server.port), stop: () => Promise.resolve() };
		}
	}
	return startEmbeddedPostgres(options);
}

async function prepareHome(folder: string): Promise<string> {
	const home = join(resolve(folder), "postgres");
	await prepareDataFolder(resolve(folder));
	try {
		await mkdir(home, { recursive: true, mode: 0o700 });
		await chmod(home, 0o700);
	} catch (error) {
		throw asStartError(error, home);
	}
	return home;
}

async function ensurePassword(file: string): Promise<string> {
	const known = (await readFile(file, "utf8").catch(ifMissing)).trim();
	if (known !== "") return known;
	const password = randomBytes(24).toString("base64url");
	await writeFile(file, `${password}\n`, { mode: 0o600 });
	return password;
}

function ifMissing(error: NodeJS.ErrnoException): string {
	if (error.code === "ENOENT") return "";
	throw error;
}

function settings(durable: boolean, maxConnections: number): string[] {
	const chosen = [
		`max_connections=${maxConnections}`,
		// Refused statements are the gateway's to report; their text may hold what users wrote.
		"log_min_messages=log",
		"log_min_error_statement=panic",
	];
	return durable ? chosen : [...chosen, "fsync=off", "synchronous_commit=off", "full_page_writes=off"];
}

function urlOf(password: string, port: number): string {
	return `postgres://postgres:${password}@127.0.0.1:${port}/postgres`;
}

function asStartError(error: unknown, home: string): StartError {
	return new StartError(
		`Cannot use the data folder ${home} (${reasonOf(error)}): make it readable and writable, or set AGENT_STORE_DATA to another folder.`,
		{ cause: error },
	);
}
