import { checkEndpoint, type Endpoint } from "./endpoint.ts";
import { badRequest, StoreError } from "./errors.ts";

const REMEDY =
	"give createStore a url and a token, or set AGENT_STORE_URL and AGENT_STORE_TOKEN, or link the project: " +
	"start a development gateway in its folder, or run the commands login and link";

/**
 * Finds the identity of the running application: the environment, else the link of the project that the working
 * directory is in. Everything from Node is fetched here and by name, so that bundlers for browsers see no import.
 */
export function findIdentity(allowInsecureHttp: boolean): Endpoint {
	const process = nodeProcess();
	if (process === undefined) throw unauthorized("There is no environment to take an identity from");
	try {
		return fromEnvironment(process.env, allowInsecureHttp) ?? fromLink(process, allowInsecureHttp);
	} catch (error) {
		if (error instanceof StoreError) throw error;
		throw unauthorized("The search for an identity failed", error);
	}
}

/** The process, where it is Node's or offers what Node's does. */
export function nodeProcess(): NodeJS.Process | undefined {
	const { process } = globalThis as { process?: Partial<NodeJS.Process> };
	// A bundler's stand-in for `process` has an `env` at most.
	return typeof process?.getBuiltinModule === "function" ? (process as NodeJS.Process) : undefined;
}

function fromEnvironment(env: NodeJS.ProcessEnv, allowInsecureHttp: boolean): Endpoint | undefined {
	const url = env["AGENT_STORE_URL"] || undefined;
	const token = env["AGENT_STORE_TOKEN"] || undefined;
	if (url === undefined && token === undefined) return undefined;
	// Half a pair must not be filled up from elsewhere: the token would go to an address that it is not for.
	if (url === undefined || token === undefined) {
		throw unauthorized(`${url === undefined ? "AGENT_STORE_URL" : "AGENT_STORE_TOKEN"} is not set, but its pair is`);
	}
	return checkEndpoint({ url: "AGENT_STORE_URL", token: "AGENT_STORE_TOKEN" }, url, token, allowInsecureHttp);
}

function fromLink(process: NodeJS.Process, allowInsecureHttp: boolean): Endpoint {
	const { dirname } = process.getBuiltinModule("node:path");
	const ignored: string[] = [];
	let folder: string | undefined = process.cwd();
	while (folder !== undefined) {
		const file = linkFile(process, folder);
		const found = readTrusted(process, file);
		if (found?.text !== undefined) return readLink(process, file, found.text, allowInsecureHttp);
		if (found !== undefined && !ignored.includes(found.problem)) ignored.push(found.problem);
		folder = dirname(folder) === folder ? undefined : dirname(folder);
	}
	throw unauthorized(["No identity was found", ...ignored].join("; "));
}

/** Where the link of a folder stands. */
export function linkFile(process: NodeJS.Process, folder: string): string {
	const { resolve } = process.getBuiltinModule("node:path");
	return resolve(folder, process.env["AGENT_STORE_DATA"] || ".agent-store", "link.json");
}

/** Where `login` keeps the current user's tokens, by the addresses of their gateways. */
export function credentialsFile(process: NodeJS.Process): string {
	const { isAbsolute, join } = process.getBuiltinModule("node:path");
	const configured = process.env["XDG_CONFIG_HOME"] ?? "";
	const home = isAbsolute(configured) ? configured : join(process.getBuiltinModule("node:os").homedir(), ".config");
	return join(home, "iga-pages", "credentials.json");
}

function readLink(process: NodeJS.Process, file: string, text: string, allowInsecureHttp: boolean): Endpoint {
	const link = parseObject(text);
	if (link === undefined) throw badRequest(file, "must be a JSON object with url and token");
	const source = { url: `url in ${file}`, token: `token in ${file}` };
	const endpoint = checkEndpoint(source, link["url"], link["token"], allowInsecureHttp);
	if (endpoint.token !== undefined) return endpoint;
	return fromCredentials(process, file, link["url"] as string, allowInsecureHttp);
}

/** A link without a token names the gateway only; the token is the one that `login` stored for that address. */
function fromCredentials(process: NodeJS.Process, link: string, url: string, allowInsecureHttp: boolean): Endpoint {
	const file = credentialsFile(process);
	const entries = readCredentials(process);
	if (entries === undefined) throw unauthorized(`${link} holds no token and ${file} does not exist`);
	const entry = Object.hasOwn(entries, url) ? entries[url] : undefined;
	const token = typeof entry === "object" && entry !== null ? (entry as { token?: unknown }).token : undefined;
	if (token == null) throw unauthorized(`${file} holds no token for the gateway of ${link}`);
	return checkEndpoint({ url: `url in ${link}`, token: `token in ${file}` }, url, token, allowInsecureHttp);
}

/** What `login` stored; undefined when it never did. */
export function readCredentials(process: NodeJS.Process): Record<string, unknown> | undefined {
	const file = credentialsFile(process);
	const found = readTrusted(process, file, 0o077);
	if (found === undefined) return undefined;
	if (found.text === undefined) throw unauthorized(found.problem);
	const entries = parseObject(found.text);
	if (entries === undefined) throw badRequest(file, "must be a JSON object: remove it and run the command login again");
	return entries;
}

/**
 * Reads a file that only the current user can have written: otherwise somebody else, by a file planted in a shared
 * parent folder, would receive the conversations. Undefined when there is none.
 */
function readTrusted(
	process: NodeJS.Process,
	file: string,
	forbiddenMode = 0o022,
): { text: string; problem?: never } | { text?: never; problem: string } | undefined {
	const fs = process.getBuiltinModule("node:fs");
	const { dirname } = process.getBuiltinModule("node:path");
	let descriptor: number;
	try {
		// Without O_NONBLOCK, opening a planted pipe would wait for ever.
		descriptor = fs.openSync(file, fs.constants.O_RDONLY | (fs.constants.O_NONBLOCK ?? 0));
	} catch (error) {
		const { code } = error as NodeJS.ErrnoException;
		if (code === "ENOENT" || code === "ENOTDIR") return undefined;
		return { problem: `${file} was ignored, for it cannot be read (${code})` };
	}
	try {
		const folder = dirname(file);
		// Of the file, the open descriptor is asked, so that it cannot be exchanged between the check and the reading.
		const opened = fs.fstatSync(descriptor);
		if (!opened.isFile()) return { problem: `${file} was ignored, for it is not a file` };
		const problem =
			describeRisk(process, file, opened, forbiddenMode) ??
			describeRisk(process, file, fs.lstatSync(file), 0) ??
			describeRisk(process, folder, fs.lstatSync(folder), 0) ??
			describeRisk(process, folder, fs.statSync(folder), 0o022);
		return problem === undefined ? { text: fs.readFileSync(descriptor, "utf8") } : { problem };
	} catch (error) {
		return { problem: `${file} was ignored, for it cannot be read (${(error as NodeJS.ErrnoException).code})` };
	} finally {
		fs.closeSync(descriptor);
	}
}

function describeRisk(
	process: NodeJS.Process,
	path: string,
	stat: { uid: number; mode: number },
	forbiddenMode: number,
): string | undefined {
	// Windows knows neither; there, a home folder is its user's by default.
	if (process.getuid === undefined) return undefined;
	if (stat.uid !== process.getuid()) return `${path} was ignored, for it belongs to another user`;
	if ((stat.mode & forbiddenMode) !== 0) {
		const verb = forbiddenMode === 0o022 ? "write" : "read or write";
		return `${path} was ignored, for others may ${verb} it: chmod ${forbiddenMode === 0o022 ? "go-w" : "go-rwx"} it`;
	}
	return undefined;
}

function parseObject(text: string): Record<string, unknown> | undefined {
	try {
		const value: unknown = JSON.parse(text);
		return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : undefined;
	} catch {
		return undefined;
	}
}

function unauthorized(problem: string, cause?: unknown): StoreError {
	return new StoreError({ code: "Unauthorized", message: `${problem}: ${REMEDY}`, cause });
}
