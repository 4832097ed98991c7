import type { BaseCheckpointSaver } from "@langchain/langgraph-checkpoint";
import { StoreError } from "../errors.ts";
import type { SerializedFieldsFragment, SerializedValueInput } from "../generated/operations.ts";
import { nodeProcess } from "../identity.ts";
import { captureJson } from "../json.ts";
import type { JsonObject } from "../types.ts";

/** What turns values into bytes and back; the framework brings one. */
export type Serializer = BaseCheckpointSaver["serde"];

/** Shorter values gain little from compression. */
const COMPRESSED_FROM_BYTES = 512;

/** Of a value before it is compressed: a few compressed bytes may stand for more than a process can hold. */
const MOST_BYTES = 256 * 1024 * 1024;

/** A value as the serialiser wrote it. */
export interface Serialized {
	type: string;
	bytes: Uint8Array;
}

/** Serialises a value, at the call and not later. */
export async function serialize(serde: Serializer, value: unknown): Promise<Serialized> {
	const [type, bytes] = await serde.dumpsTyped(value);
	if (bytes.byteLength > MOST_BYTES) {
		throw new StoreError({ code: "PayloadTooLarge", message: "A value must be at most 256 MiB when serialised" });
	}
	// Bytes are their own serialisation, and the application may change them while they are sent.
	return { type, bytes: bytes === value ? bytes.slice() : bytes };
}

/** Packs a value for the way. */
export async function pack({ type, bytes }: Serialized): Promise<SerializedValueInput> {
	if (bytes.byteLength >= COMPRESSED_FROM_BYTES) {
		const packed = await gzip(bytes);
		if (packed.byteLength < bytes.byteLength) return { type, encoding: "GZIP", data: toBase64(packed) };
	}
	return { type, encoding: "IDENTITY", data: toBase64(bytes) };
}

/** Serialises a value, at the call and not later, and packs its bytes for the way. */
export async function packValue(serde: Serializer, value: unknown): Promise<SerializedValueInput> {
	return pack(await serialize(serde, value));
}

/** The bytes that `pack` packed. */
export async function unpack({ encoding, data }: SerializedFieldsFragment): Promise<Uint8Array> {
	const bytes = fromBase64(data);
	return encoding === "GZIP" ? gunzip(bytes) : bytes;
}

/** The value that `packValue` packed. */
export async function unpackValue(serde: Serializer, value: SerializedFieldsFragment): Promise<unknown> {
	return serde.loadsTyped(value.type, await unpack(value));
}

/**
 * The top-level entries of an object that are JSON: what the gateway can show and filter by. Metadata are kept whole
 * elsewhere, so that an entry that JSON cannot hold is only missing here.
 */
export function projectJson(field: string, source: object | undefined): JsonObject {
	return Object.fromEntries(
		Object.entries(source ?? {}).flatMap(([key, value]) => {
			try {
				const json = captureJson(field, JSON.parse(JSON.stringify(value)));
				return json === undefined ? [] : [[key, json.value]];
			} catch {
				return [];
			}
		}),
	);
}

async function gzip(bytes: Uint8Array): Promise<Uint8Array> {
	return (await runZlib("gzip", bytes)) ?? pipe(bytes, new CompressionStream("gzip"));
}

async function gunzip(bytes: Uint8Array): Promise<Uint8Array> {
	try {
		return (
			(await runZlib("gunzip", bytes, { maxOutputLength: MOST_BYTES })) ??
			(await pipe(bytes, new DecompressionStream("gzip")))
		);
	} catch (cause) {
		const message = "A stored value cannot be unpacked: it is damaged, or more than 256 MiB";
		throw new StoreError({ code: "UnknownError", message, cause });
	}
}

/** Of a value that is packed and unpacked at once: the way to another thread and back would take longer. */
const AT_ONCE_BYTES = 16 * 1024;

/**
 * Node's own zlib where there is one, beside the event loop for large values: the web's streams take several times as
 * much CPU.
 */
async function runZlib(
	method: "gzip" | "gunzip",
	bytes: Uint8Array,
	options: { maxOutputLength?: number } = {},
): Promise<Uint8Array | undefined> {
	const zlib = nodeProcess()?.getBuiltinModule("node:zlib");
	if (zlib === undefined) return undefined;
	if (method === "gzip" && bytes.byteLength < AT_ONCE_BYTES) return new Uint8Array(zlib.gzipSync(bytes));
	return new Promise((resolve, reject) => {
		zlib[method](bytes, options, (error, result) => (error === null ? resolve(new Uint8Array(result)) : reject(error)));
	});
}

async function pipe(bytes: Uint8Array, through: CompressionStream | DecompressionStream): Promise<Uint8Array> {
	let size = 0;
	const bounded = new TransformStream<Uint8Array, Uint8Array>({
		transform(part, controller) {
			size += part.byteLength;
			if (size > MOST_BYTES) throw new RangeError("too many bytes");
			controller.enqueue(part);
		},
	});
	const stream = new Blob([bytes as Uint8Array<ArrayBuffer>]).stream().pipeThrough(through).pipeThrough(bounded);
	return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Of characters that `String.fromCharCode` takes as arguments. */
const CHUNK = 0x8000;

export function toBase64(bytes: Uint8Array): string {
	const { Buffer } = globalThis;
	if (Buffer !== undefined) return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
	let text = "";
	for (let start = 0; start < bytes.length; start += CHUNK) {
		text += String.fromCharCode(...bytes.subarray(start, start + CHUNK));
	}
	return btoa(text);
}

/** A plain array, not Node's Buffer, which a value that is bytes itself would be handed out as. */
function fromBase64(text: string): Uint8Array {
	const { Buffer } = globalThis;
	if (Buffer !== undefined) return new Uint8Array(Buffer.from(text, "base64"));
	return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}
