import fc from "fast-check";
import type { JsonObject, JsonValue } from "../../server/domain/json.ts";

/** An entry to be put into a tree: behind which of those before it, and what it says. */
interface Step {
	/** Counted back from the last one; beyond the first it begins a path. */
	back: number;
	target: number;
	kind: string;
	text: string;
}

const step = fc.record<Step>({
	// Mostly the tip, as in a conversation.
	back: fc.oneof({ weight: 5, arbitrary: fc.constant(0) }, { weight: 2, arbitrary: fc.nat(12) }),
	target: fc.nat(6),
	kind: fc.constantFrom(
		...["message", "message", "message", "message", "compaction", "branch_summary", "custom", "custom_message"],
		...["label", "label", "session_info", "model_change", "unlabel"],
	),
	text: fc.string({ unit: fc.constantFrom("a", "é", "\0", "\ud800", "中", '"', "\u2028"), minLength: 1, maxLength: 4 }),
});

const steps = fc.array(step, { maxLength: 24 });

/** Files of pi with any tree of entries. */
export const piFiles: fc.Arbitrary<JsonObject[]> = steps.map((all) => [
	{ type: "session", version: 3, id: "random", timestamp: "2026-01-01T00:00:00.000Z", cwd: "/w" },
	...build(all, (type, id, parentId, timestamp, says) => ({ type, id, parentId, timestamp, ...piFields(type, says) })),
]);

/** Files of the Go family with any tree of entries. */
export const goFiles: fc.Arbitrary<JsonObject[]> = steps.map((all) => [
	{ type: "session", version: 4, id: "random", timestamp: "2026-01-01T00:00:00Z", cwd: "/w" },
	...build(all, (type, id, parentId, timestamp, says) => ({
		id,
		...(parentId === null ? {} : { parent_id: parentId }),
		type,
		data: goData(type, says),
		timestamp,
		version: 4,
	})),
]);

interface Says {
	text: string;
	/** An entry that it names. */
	named: string;
}

function build(
	all: readonly Step[],
	line: (type: string, id: string, parentId: string | null, timestamp: string, says: Says) => JsonObject,
): JsonObject[] {
	const idAt = (index: number): string | null => (index < 0 ? null : (0xa0000000 + index).toString(16));
	return all.map(({ back, target, kind, text }, index) => {
		const named = idAt(index - 1 - target) ?? "nowhere";
		const timestamp = new Date(Date.UTC(2026, 0, 1, 0, 0, (index * 37) % 60)).toISOString();
		const type = kind === "unlabel" ? "label" : kind;
		return line(type, idAt(index)!, idAt(index - 1 - back), timestamp, { text: kind === "unlabel" ? "" : text, named });
	});
}

function piFields(type: string, { text, named }: Says): JsonObject {
	const fields: Record<string, JsonObject> = {
		message: { message: { role: "user", content: text }, extra: 1 },
		compaction: { summary: text, firstKeptEntryId: named, tokensBefore: 3, details: { text } },
		branch_summary: { summary: text, fromId: named, fromHook: true },
		custom: { customType: "note", data: text },
		custom_message: { customType: "note", content: text, display: true },
		label: text === "" ? { targetId: named } : { targetId: named, label: readable(text) },
		session_info: { name: text },
		model_change: { provider: "p", modelId: text },
	};
	return fields[type]!;
}

function goData(type: string, { text, named }: Says): JsonValue {
	const data: Record<string, JsonValue> = {
		message: { role: "user", content: text },
		compaction: { summary: text, first_kept_entry_id: named, kept_count: 2 },
		branch_summary: { summary: text, branch_id: named },
		custom: { kind: "note", id: text, type: text },
		custom_message: { content: text },
		label: { target_id: named, label: readable(text) },
		session_info: { name: text },
		model_change: { model: text },
	};
	return data[type]!;
}

/** What a label may be. */
function readable(text: string): string {
	return text.replaceAll(/[\0\ud800]/g, "-");
}
