import { createHash } from "node:crypto";
import { badRequest } from "./faults.ts";
import { tooLarge } from "./json.ts";

/** What a caller gives of a value whose bytes are its pieces, one behind another, and then its data. */
export interface PiecesInput {
	/** Their names. */
	pieces?: readonly string[] | null | undefined;
	/** A version of the same channel whose pieces need not be sent again. */
	base?: string | null | undefined;
}

/** A piece that was sent, still in base64. */
export interface PieceDraft {
	name: string;
	data: string;
}

export interface PiecesDraft {
	names: readonly string[];
	/** Those of them that were not sent: the base has to have them. */
	borrowed: readonly string[];
	/** Of the whole value. */
	bytes: number;
}

/** Of a value with all its pieces: it is read as one, and a few names may stand for much. */
const MOST_BYTES = 16 * 1024 * 1024;

const NAME = /^([1-9]\d{0,8})-[A-Za-z0-9+/]{43}=$/;

/** The name of a piece says what is in it: its length and its SHA-256. */
export function namePiece(bytes: Uint8Array): string {
	return `${bytes.byteLength}-${createHash("sha256").update(bytes).digest("base64")}`;
}

/** The pieces that were sent, by name: in the order of their names, in which all that write them lock them. */
export function draftPieces(sent: readonly string[]): Map<string, PieceDraft> {
	const pieces = sent.map((data) => ({ name: namePiece(Buffer.from(data, "base64")), data }));
	return new Map(pieces.sort((a, b) => (a.name < b.name ? -1 : 1)).map((piece) => [piece.name, piece]));
}

/** Checks the pieces of a value; undefined of one that has none. */
export function draftNames(
	field: string,
	{ pieces, base }: PiecesInput,
	dataBytes: number,
	sent: ReadonlyMap<string, PieceDraft>,
): PiecesDraft | undefined {
	if (pieces == null || pieces.length === 0) return undefined;
	const lengths = pieces.map((name, index) => {
		const length = NAME.exec(name)?.[1];
		if (length === undefined) throw badRequest(`${field}.pieces[${index}]`, "must be a length and a SHA-256 in base64");
		return Number(length);
	});
	const bytes = lengths.reduce((sum, length) => sum + length, dataBytes);
	if (bytes > MOST_BYTES) throw tooLarge(`${field}.pieces`, MOST_BYTES);
	const borrowed = [...new Set(pieces)].filter((name) => !sent.has(name));
	if (borrowed.length > 0 && base == null) {
		throw badRequest(`${field}.pieces`, "must be sent along where there is no base");
	}
	return { names: pieces, borrowed, bytes };
}
