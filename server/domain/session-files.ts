import { Fault } from "./faults.ts";
import type { JsonObject, JsonValue } from "./json.ts";

// Other tools keep a session in a file of JSON Lines: a header, then entries that form a tree. The families differ in
// how they write an entry, not in what they mean. Here is what they share; each one's writing has a file of its own.

/** The first line. */
export interface SessionHeader {
	id: string | null;
	version: number;
	timestamp: string | null;
	/** The session that it was taken from, where the family names sessions by their ids. */
	parentId: string | null;
	/** What the settings were at the beginning. */
	settings: Settings;
	/** All other fields, by the names that the family gives them. */
	rest: JsonObject;
}

/** An entry, in the words of no family. */
export interface SessionEntry {
	id: string | null;
	/** Null at the beginning of a path, and where the line does not say. */
	parentId: string | null;
	type: string;
	timestamp: string | null;
	content: SessionContent;
	/** Other fields of the line, by the names that the family gives them. */
	rest: JsonObject;
	/** Not on the path that the file goes on with, even as its last line. */
	aside?: boolean;
}

export type SessionContent =
	/** A row: a message for the model or one that no model sees. */
	| { kind: "message" | "custom"; payload: JsonValue; settings?: Settings | undefined }
	| {
			kind: "compaction";
			summary: string;
			details: JsonObject;
			/** The id of the entry that is kept first, or the place of its line, the header being 0; null for none. */
			firstKept: string | number | null;
	  }
	| { kind: "branch_summary"; summary: string; details: JsonObject }
	/** Facts about the session, which are no rows. */
	| { kind: "label"; targetId: string; label: string | null }
	| { kind: "name"; name: string | null }
	| { kind: "nothing" };

/** What a line says about how the model is called; undefined leaves a part as it is, null takes it out. */
export interface Settings {
	/** The whole config. */
	config?: JsonObject | null;
	model?: string | null;
	thinking?: JsonObject | null;
}

/** How files of a family are read. */
export interface SessionReader {
	/** What people call it. */
	name: string;
	newestVersion: number;
	/** Up to this version entries follow each other without saying so. */
	linearVersion: number;
	/** @throws BadLine */
	readHeader(line: JsonObject, version: number): SessionHeader;
	/** @throws BadLine */
	readEntry(line: JsonObject, version: number): SessionEntry;
}

/** A family whose files are read and written, always in its newest version. */
export interface SessionFamily extends SessionReader {
	writeHeader(header: { id: string; timestamp: string; parentId: string | null; rest: JsonObject }): JsonObject;
	writeEntry(entry: SessionEntry & { id: string }): JsonObject;
}

/** Told what of a file is left out, or is read otherwise than it stands there. */
export type Report = (line: number, what: string) => void;

/** Why a file is refused: one of its lines. */
export class LineFault extends Fault {
	readonly line: number;

	constructor(line: number, problem: string) {
		super("BadRequest", problem);
		this.line = line;
	}
}

/** What is wrong with a line, in the words of a rule: "must be …". */
export class BadLine extends Error {
	override name = "BadLine";
}

/** The value of a field that has to be a string. */
export function requireText(fields: JsonObject, name: string): string {
	const value = fields[name];
	if (typeof value !== "string") throw new BadLine(`${name} must be a string`);
	return value;
}

/** The value of a field that may be left out or null, and else has to be a string. */
export function optionalText(fields: JsonObject, name: string): string | null {
	return fields[name] == null ? null : requireText(fields, name);
}

/** The fields of an object but for some. */
export function without(fields: JsonObject, ...names: string[]): JsonObject {
	return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
}

export function isObject(value: JsonValue | undefined): value is JsonObject {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The version of a file whose first line is this, 1 where it does not say. */
export function readVersion(family: SessionReader, header: JsonObject): number {
	const version = header["version"] ?? 1;
	if (typeof version !== "number" || !Number.isInteger(version) || version < 1) {
		throw new BadLine("version must be an integer of at least 1");
	}
	if (version > family.newestVersion) {
		throw new BadLine(
			`version is ${version}, and files of the ${family.name} family are read up to version ${family.newestVersion}`,
		);
	}
	return version;
}
