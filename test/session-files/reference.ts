import type { JsonObject, JsonValue } from "../../server/domain/json.ts";

// What a session file means, read straight from its lines and all at once, as the tools do that write such files.

/** An entry of either family. */
interface Entry {
	id: string;
	parent: string | null;
	type: string;
	/** What it says, without the names of other entries. */
	says: JsonValue;
	timestamp: JsonValue | undefined;
	firstKept: JsonValue | undefined;
	target: JsonValue | undefined;
}

/** The tree of a file: what has to be the same after a way through the store. */
export interface Meaning {
	/** In the order of the file; the parent is the row before it on its path. */
	rows: (Pick<Entry, "id" | "type" | "says" | "timestamp"> & { parent: string | null; firstKept: string | null })[];
	labels: Record<string, string>;
	name: string | null;
	leaf: string | null;
	/** What a model sees at the leaf: ids of rows, the summary's first. */
	context: string[];
}

const FACTS = ["label", "session_info"];
const SEEN = ["message", "custom_message", "branch_summary"];

/** The meaning of the lines of a file of pi from version 2 on, or of the Go family. */
export function meaningOf(lines: readonly JsonObject[]): Meaning {
	const entries = lines
		.slice(1)
		.map((line) => (line["data"] === undefined || "parentId" in line ? fromPi(line) : fromGo(line)));
	const byId = new Map(entries.map((entry) => [entry.id, entry]));
	const pathTo = (id: string | null): Entry[] => {
		const path: Entry[] = [];
		for (let entry = byId.get(id ?? ""); entry !== undefined; entry = byId.get(entry.parent ?? "")) path.unshift(entry);
		return path;
	};
	const rowsOf = (path: readonly Entry[]) => path.filter(({ type }) => !FACTS.includes(type));
	const keptOf = (compaction: Entry, before: readonly Entry[]): string | null => {
		const { id: own, firstKept } = compaction;
		if (firstKept === own) return null;
		const start = before.findIndex(({ id }) => id === firstKept);
		// What cannot be found hides nothing.
		return rowsOf(before.slice(Math.max(start, 0)))[0]?.id ?? null;
	};
	const labels = new Map<string, string>();
	let name: string | null = null;
	for (const { type, target, says } of entries) {
		if (type === "session_info") name = (says as string) || null;
		if (type !== "label" || FACTS.includes(byId.get(target as string)?.type ?? "label")) continue;
		if (says === "" || says == null) labels.delete(target as string);
		else labels.set(target as string, says as string);
	}
	const path = rowsOf(pathTo(entries.at(-1)?.id ?? null));
	const last = path.findLastIndex(({ type }) => type === "compaction");
	const kept = last === -1 ? null : keptOf(path[last]!, pathTo(path[last]!.parent));
	const start = kept === null ? Math.max(last, 0) : path.findIndex(({ id }) => id === kept);
	return {
		rows: rowsOf(entries).map((entry) => ({
			id: entry.id,
			type: entry.type,
			says: entry.says,
			timestamp: entry.timestamp,
			parent: rowsOf(pathTo(entry.parent)).at(-1)?.id ?? null,
			firstKept: entry.type === "compaction" ? keptOf(entry, pathTo(entry.parent)) : null,
		})),
		labels: Object.fromEntries([...labels].sort()),
		name,
		leaf: path.at(-1)?.id ?? null,
		context: [
			...path.slice(Math.max(last, 0), last + 1),
			...path.slice(start).filter(({ type }) => SEEN.includes(type)),
		].map(({ id }) => id),
	};
}

function fromPi({ type, id, parentId, timestamp, ...fields }: JsonObject): Entry {
	const { message, firstKeptEntryId, targetId, ...others } = fields;
	const says: { [type: string]: JsonValue | undefined } = {
		message: message as JsonValue,
		label: others["label"] ?? null,
		session_info: others["name"] ?? null,
	};
	return {
		id: id as string,
		parent: (parentId as string | null) ?? null,
		type: type as string,
		says: Object.hasOwn(says, type as string) ? (says[type as string] ?? null) : others,
		timestamp,
		firstKept: firstKeptEntryId,
		target: targetId,
	};
}

function fromGo({ type, id, parent_id, timestamp, data }: JsonObject): Entry {
	const { first_kept_entry_id, target_id, ...others } = data as JsonObject;
	const says: { [type: string]: JsonValue | undefined } = {
		label: others["label"] ?? null,
		session_info: others["name"] ?? null,
	};
	return {
		id: id as string,
		parent: (parent_id as string | undefined) ?? null,
		type: type as string,
		says: Object.hasOwn(says, type as string) ? (says[type as string] ?? null) : others,
		timestamp,
		firstKept: first_kept_entry_id,
		target: target_id,
	};
}
