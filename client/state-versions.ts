import { badRequest, StoreError } from "./errors.ts";
import { captureMetadata } from "./input.ts";
import type { StateMigrator } from "./state-types.ts";
import type { JsonObject } from "./types.ts";

/** What a program says of the forms of its states. */
export interface Versions {
	/** Undefined where it says nothing: then nothing is checked. */
	version: number | undefined;
	migrators: Readonly<Record<number, StateMigrator>>;
}

/** The largest integer of GraphQL. */
const LARGEST_INT = 2 ** 31 - 1;

/** Checks the version of a state's form; undefined where none is given. */
export function checkVersion(value: unknown): number | undefined {
	if (value == null) return undefined;
	if (typeof value !== "number" || !Number.isInteger(value) || value < 0 || value > LARGEST_INT) {
		throw badRequest("version", "must be an integer of at least 0");
	}
	return value;
}

/** Checks the options about versions. */
export function checkVersions(options: { version: unknown; migrators: unknown }): Versions {
	const version = checkVersion(options.version);
	const { migrators } = options;
	if (migrators == null) return { version, migrators: {} };
	if (version === undefined) throw badRequest("migrators", "must be given together with the version they lead to");
	if (typeof migrators !== "object") throw badRequest("migrators", "must be an object of functions");
	for (const [from, migrate] of Object.entries(migrators)) {
		if (!/^\d+$/.test(from) || Number(from) >= version || typeof migrate !== "function") {
			throw badRequest(`migrators.${from}`, `must be a function, under a version below ${version}`);
		}
	}
	return { version, migrators: { ...migrators } };
}

/**
 * Brings a state that was read to the version of the program, one step at a time.
 *
 * @throws StoreError `Conflict` for a newer version, and for one that no migrator leads on from.
 */
export async function migrate<Stored extends { key: string; version: number; state: JsonObject }>(
	{ version, migrators }: Versions,
	stored: Stored,
): Promise<Stored> {
	if (version === undefined || version === stored.version) return stored;
	const where = `state ${JSON.stringify(stored.key)}: is of version ${stored.version}`;
	if (stored.version > version) throw refused(`${where}, and this program knows versions up to ${version} only`);
	let { state } = stored;
	for (let from = stored.version; from < version; from++) {
		const step = migrators[from];
		if (step === undefined) throw refused(`${where}, and no migrator leads from version ${from} to ${from + 1}`);
		let next: JsonObject;
		try {
			next = await step(state);
		} catch (error) {
			throw badRequest(`migrators.${from}`, "failed", error);
		}
		state = captureMetadata(`migrators.${from}`, next).value;
	}
	return { ...stored, state, version };
}

function refused(message: string): StoreError {
	return new StoreError({ code: "Conflict", message });
}
