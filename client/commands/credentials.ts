import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { credentialsFile, readCredentials } from "../identity.ts";

/** The addresses that somebody is logged in to. */
export function knownAddresses(): string[] {
	return Object.keys(readCredentials(process) ?? {});
}

/** The token for an address; undefined where nobody is logged in to it. */
export function tokenFor(address: string): string | undefined {
	const entries = readCredentials(process) ?? {};
	const entry = Object.hasOwn(entries, address) ? entries[address] : undefined;
	const { token } = (typeof entry === "object" && entry !== null ? entry : {}) as { token?: unknown };
	return typeof token === "string" ? token : undefined;
}

/** Keeps the token for an address, or forgets it. @returns The file that holds them. */
export function storeToken(address: string, token: string | undefined): string {
	const { [address]: _, ...others } = readCredentials(process) ?? {};
	const file = credentialsFile(process);
	const entries = token === undefined ? others : { ...others, [address]: { token } };
	writePrivate(file, `${JSON.stringify(entries, null, "\t")}\n`);
	return file;
}

/** Writes a file that only its owner can read, in a folder of the same kind, in one step. */
export function writePrivate(file: string, text: string): void {
	mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
	const aside = `${file}.${process.pid}`;
	writeFileSync(aside, text, { mode: 0o600 });
	renameSync(aside, file);
}
