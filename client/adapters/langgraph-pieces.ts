import { nodeProcess } from "../identity.ts";

/** Smaller values are stored whole, and much larger ones compressed. */
const CUT_FROM_BYTES = 4 * 1024;
const CUT_TO_BYTES = 4 * 1024 * 1024;

const SHORTEST = 512;
const LONGEST = 16 * 1024;
/** Bytes that decide whether a piece ends behind them. */
const WINDOW = 32;
/** One place in so many, on average, ends a piece. */
const SPACING_BITS = 10;

/** One random number for each byte. Places depend on them, so they stay as they are. */
const NUMBERS = Int32Array.from({ length: 256 }, (_, byte) => {
	const mixed = Math.imul(byte + 1, 0x9e3779b1);
	return Math.imul(mixed ^ (mixed >>> 15), 0x85ebca77);
});

/** A piece, and its name as the gateway makes it of the bytes. */
export interface Piece {
	name: string;
	bytes: Uint8Array;
}

/** Pieces, and what follows the last of them. */
export interface Pieces {
	pieces: Piece[];
	rest: Uint8Array;
}

/**
 * Cuts the bytes of a value where their content says so: what two versions of a value have in common is cut at the same
 * places, wherever it stands. Undefined where that is not worth it, or nothing here computes a SHA-256 at once.
 */
export function cutPieces(bytes: Uint8Array): Pieces | undefined {
	if (bytes.byteLength < CUT_FROM_BYTES || bytes.byteLength > CUT_TO_BYTES) return undefined;
	const digest = nodeProcess()?.getBuiltinModule("node:crypto")?.hash;
	if (digest === undefined) return undefined;
	const pieces: Piece[] = [];
	let start = 0;
	let hash = 0;
	for (let end = SHORTEST - WINDOW; end < bytes.byteLength; ) {
		// Each step shifts out the byte that stood 32 steps before.
		hash = ((hash << 1) + NUMBERS[bytes[end++]!]!) | 0;
		const length = end - start;
		if (length < SHORTEST || (hash >>> (32 - SPACING_BITS) !== 0 && length < LONGEST)) continue;
		const piece = bytes.subarray(start, end);
		pieces.push({ name: `${length}-${digest("sha256", piece, "base64")}`, bytes: piece });
		start = end;
		end += SHORTEST - WINDOW;
	}
	return { pieces, rest: bytes.subarray(start) };
}

/** A version of a channel, and what it was cut into. */
export interface Base {
	version: string;
	names: ReadonlySet<string>;
	/** Whether the gateway has it in pieces; else it is stored whole. */
	stored: boolean;
}

/** Whether at least half of a value is in pieces that the version before has, too. */
export function resembles({ pieces, rest }: Pieces, base: Base | undefined): boolean {
	if (base === undefined) return false;
	let common = 0;
	let other = rest.byteLength;
	for (const { name, bytes } of pieces) {
		if (base.names.has(name)) common += bytes.byteLength;
		else other += bytes.byteLength;
	}
	return common >= other;
}

/** Of all bases together: some 10 MB. */
const MOST_NAMES = 100_000;

/** The last known version of each channel: what the next one has in common with it need not be sent again. */
export class Bases {
	/** Those set last come last. */
	readonly #bases = new Map<string, Base>();
	#names = 0;

	get(channel: string): Base | undefined {
		return this.#bases.get(channel);
	}

	set(channel: string, base: Base): void {
		this.#delete(channel);
		this.#bases.set(channel, base);
		this.#names += base.names.size;
		for (const [oldest] of this.#bases) {
			if (this.#names <= MOST_NAMES) break;
			this.#delete(oldest);
		}
	}

	#delete(channel: string): void {
		this.#names -= this.#bases.get(channel)?.names.size ?? 0;
		this.#bases.delete(channel);
	}
}

/** The base that a version becomes once it is stored. */
export function baseOf(version: string, { pieces }: Pieces, stored: boolean): Base {
	return { version, names: new Set(pieces.map(({ name }) => name)), stored };
}
