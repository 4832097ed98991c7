import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { checkEndpoint, type Endpoint } from "../endpoint.ts";
import { ViewerDocument } from "../generated/operations.ts";
import { findIdentity, linkFile } from "../identity.ts";
import { checkStoreOptions } from "../options.ts";
import { createTransport } from "../transport.ts";
import { CommandError } from "./command-error.ts";
import { knownAddresses, storeToken, tokenFor, writePrivate } from "./credentials.ts";
import { ask, isInteractive } from "./prompt.ts";

export interface AccessOptions {
	/** Of the gateway; another one is found or asked for. */
	address: string | undefined;
	/** Permits plain http to another machine. */
	allowInsecureHttp: boolean;
}

/** Stores a token for a gateway, after the gateway has taken it. */
export async function login({ address, allowInsecureHttp }: AccessOptions): Promise<void> {
	if (address === undefined && !isInteractive()) {
		throw new CommandError('"login" needs the address of the gateway; the token is read from standard input.');
	}
	const given = address ?? (await ask("Address of the gateway, such as https://gateway.example/graphql: ", PLAIN));
	const { url } = checkAddress(given, allowInsecureHttp);
	const token = await ask("Token (not shown): ", { secret: true });
	if (token === "") throw new CommandError("No token was given; nothing is stored.");
	const project = await projectOf(checkEndpoint(NAMES, url, token, allowInsecureHttp), allowInsecureHttp);
	const file = storeToken(url, token);
	print(`Logged in to the project ${project.name} at ${url}. The token is in ${file}.`);
	print('Next: "npx @iga-pages/agent link" in the directory of your application.');
}

/** Ties the working directory to the project of a gateway that somebody is logged in to. No secret is written. */
export async function link({ address, allowInsecureHttp }: AccessOptions): Promise<void> {
	const url = address === undefined ? onlyAddress() : checkAddress(address, allowInsecureHttp).url;
	const token = tokenFor(url);
	if (token === undefined) throw new CommandError(`Nobody is logged in to ${url}: run "login" first.`);
	const project = await projectOf({ url, token }, allowInsecureHttp);
	const file = linkFile(process, process.cwd());
	writePrivate(file, `${JSON.stringify({ url }, null, "\t")}\n`);
	writeFileSync(join(dirname(file), ".gitignore"), "*\n");
	print(`${process.cwd()} is linked to the project ${project.name} at ${url}.`);
}

/** Says who an application in the working directory is. */
export async function whoami({ allowInsecureHttp }: AccessOptions): Promise<void> {
	const endpoint = findIdentity(allowInsecureHttp);
	const { name, role, expiresAt } = await projectOf(endpoint, allowInsecureHttp);
	print(`address  ${endpoint.url}`);
	print(`project  ${name}`);
	print(`role     ${role.toLowerCase()}`);
	if (expiresAt !== null) print(`until    ${expiresAt}`);
}

/** Forgets the token for a gateway. That does not revoke it. */
export async function logout({ address, allowInsecureHttp }: AccessOptions): Promise<void> {
	const url = address === undefined ? onlyAddress() : checkAddress(address, allowInsecureHttp).url;
	if (tokenFor(url) === undefined) return print(`Nobody is logged in to ${url}.`);
	storeToken(url, undefined);
	print(`Logged out of ${url}. The token stays valid until the gateway's operator revokes it.`);
}

const PLAIN = { secret: false };
const NAMES = { url: "address", token: "token" };

function print(line: string): void {
	process.stdout.write(`${line}\n`);
}

function checkAddress(address: string, allowInsecureHttp: boolean): Endpoint {
	return checkEndpoint(NAMES, address, undefined, allowInsecureHttp);
}

function onlyAddress(): string {
	const addresses = knownAddresses();
	const [only] = addresses;
	if (only === undefined) throw new CommandError('Nobody is logged in: run "login" first.');
	if (addresses.length === 1) return only;
	throw new CommandError(`Say which gateway is meant: ${addresses.join(", ")}.`);
}

async function projectOf({ url, token }: Endpoint, allowInsecureHttp: boolean) {
	const transport = createTransport(checkStoreOptions({ url, token, allowInsecureHttp }));
	const viewer = await transport.request(
		{ document: ViewerDocument, variables: {}, retry: "always", read: (data) => data.viewer ?? undefined },
		undefined,
	);
	return { name: viewer.project.name, role: viewer.role, expiresAt: viewer.expiresAt };
}
