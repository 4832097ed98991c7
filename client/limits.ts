const MIB = 1024 * 1024;

/** The contract's limits, checked before anything is sent. */
export const LIMITS = {
	/** Bytes of an id, a role or a type (rules VAL-1, VAL-2). */
	idBytes: 256,
	/** Levels of arrays and objects in a JSON value (rule VAL-6). */
	jsonDepth: 200,
	/** Bytes of a message's payload and metadata together (rule VAL-7). */
	messageBytes: 16 * MIB,
	/** Bytes of a conversation's metadata (rule VAL-7). */
	metadataBytes: MIB,
	/** Bytes of a request's body (rule VAL-7). */
	requestBytes: 64 * MIB,
	/** Items of a page (rule MSG-7). */
	pageLimit: 200,
	/** Messages of one appendMessages (rule MSG-4). */
	batchMessages: 100,
} as const;

/** The number of bytes that a string takes in UTF-8. */
export function utf8Bytes(text: string): number {
	let bytes = text.length;
	for (let index = 0; index < text.length; index++) {
		const unit = text.charCodeAt(index);
		if (unit < 0x80) continue;
		// A surrogate pair is two units and four bytes, so either half counts two; all else from U+0800 counts three.
		bytes += unit < 0x800 || (unit >= 0xd800 && unit <= 0xdfff) ? 1 : 2;
	}
	return bytes;
}
