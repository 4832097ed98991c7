import { badRequest } from "../errors.ts";
import { newId } from "../ids.ts";

/** The entries of one append as they were when it was called. */
export interface Batch {
	id: string;
	/** The entries as JSON text. */
	texts: readonly string[];
}

/** A part of a batch that is sent in one request. */
export interface Slice {
	/** Place of its first entry in the batch. */
	start: number;
	entries: string[];
}

const SLICE_ENTRIES = 500;
/** One entry may be longer; it then travels alone. */
const SLICE_CHARACTERS = 4 * 1024 * 1024;

/**
 * Tells a repeated append from a new one. The framework repeats a failed append with the same array, so what was
 * called with the same array, for the same place and with the same content, is the same batch; an array that was
 * changed since is a new one. Keeps nothing longer than the framework keeps the array.
 */
export class Batches {
	readonly #known = new WeakMap<readonly unknown[], Map<string, Batch>>();

	/** Captures the entries and finds or makes their batch; `place` names where they are to be appended. */
	capture(entries: readonly unknown[], place: string): Batch {
		const texts = entries.map(encode);
		const places = this.#known.get(entries) ?? new Map<string, Batch>();
		const known = places.get(place);
		if (known !== undefined && isEqual(known.texts, texts)) return known;
		const batch = { id: newId(), texts };
		this.#known.set(entries, places.set(place, batch));
		return batch;
	}
}

/** Whatever JSON.stringify yields is taken, at any depth: a refused entry would be a lost turn. */
function encode(entry: unknown, index: number): string {
	let text: string | undefined;
	try {
		text = JSON.stringify(entry);
	} catch (error) {
		throw badRequest(`entries[${index}]`, "must be JSON", error);
	}
	if (text === undefined) throw badRequest(`entries[${index}]`, "must be JSON");
	return text;
}

function isEqual(a: readonly string[], b: readonly string[]): boolean {
	return a.length === b.length && a.every((text, index) => text === b[index]);
}

/** Cuts a batch by number and size, in order. */
export function* slice({ texts }: Batch): Generator<Slice> {
	let entries: string[] = [];
	let characters = 0;
	for (const [index, text] of texts.entries()) {
		if (entries.length === SLICE_ENTRIES || (entries.length > 0 && characters + text.length > SLICE_CHARACTERS)) {
			yield { start: index - entries.length, entries };
			entries = [];
			characters = 0;
		}
		entries.push(text);
		characters += text.length;
	}
	if (entries.length > 0) yield { start: texts.length - entries.length, entries };
}
