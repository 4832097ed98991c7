import { badRequest, Fault } from "./faults.ts";
import { checkObject, encodeJson, type JsonObject, type JsonText } from "./json.ts";
import type { Limits } from "./limits.ts";

/** The place of a saved state, without the state. */
export interface StateEntry {
	key: string;
	/** The version of its form, which the application counts. */
	version: number;
	/** Counts the saves, a decimal string. */
	revision: string;
	updatedAt: string;
}

/** The snapshot of an agent under a key. */
export interface State extends StateEntry {
	state: JsonObject;
}

/** A snapshot that was kept beside the state of a key. */
export interface StateCheckpoint {
	key: string;
	/** Its place among the checkpoints of the key, a decimal string. */
	seq: string;
	version: number;
	state: JsonObject;
	createdAt: string;
}

/** Checks the snapshot of an agent: an object within the limits of a message (rules VAL-4, VAL-6, VAL-7). */
export function encodeState(field: string, state: JsonObject, limits: Limits): JsonText {
	return encodeJson(field, checkObject(field, state), { depth: limits.jsonDepth, bytes: limits.messageBytes });
}

/** Checks the version of a state's form; 0 when omitted. */
export function checkVersion(field: string, version: number | null | undefined): number {
	if (version == null) return 0;
	if (version < 0) throw badRequest(field, "must be an integer of at least 0");
	return version;
}

const LARGEST = 2n ** 63n - 1n;

/** Checks the precondition `expectedRevision`: a revision as a decimal string, 0 where nothing may be saved yet. */
export function parseRevision(field: string, value: string | null | undefined): bigint | null {
	if (value == null) return null;
	if (!/^\d{1,19}$/.test(value) || BigInt(value) > LARGEST) {
		throw badRequest(field, 'must be a revision, such as "12", or "0" for none');
	}
	return BigInt(value);
}

/** Refuses the save of a state that others saved since the caller looked; runs under the lock of its row. */
export function checkRevision(field: string, expected: bigint | null, revision: bigint): void {
	if (expected === null || expected === revision) return;
	throw new Fault("Conflict", `${field}: the revision of the state is ${revision}, not ${expected}`);
}

/** Checks the seq of a checkpoint. */
export function checkCheckpointSeq(field: string, value: string | null | undefined): string | null {
	if (value == null) return null;
	if (!/^\d{1,19}$/.test(value) || BigInt(value) > LARGEST) throw badRequest(field, 'must be a seq, such as "12"');
	return String(BigInt(value));
}

/** Checks how many checkpoints are to stay. */
export function checkKept(field: string, keep: number): number {
	if (keep < 0) throw badRequest(field, "must be an integer of at least 0");
	return keep;
}
