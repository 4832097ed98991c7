import { badRequest } from "./faults.ts";

/** What pruning has to know of a checkpoint; lists of one namespace come newest first. */
export interface CheckpointOutline {
	checkpointNs: string;
	checkpointId: string;
	parentCheckpointId: string | null;
	format: number;
	/** Channels with a stored value at their version in this checkpoint, and channels with a version but no value. */
	stored: readonly string[];
	empty: readonly string[];
	/** Channels that tasks wrote to after this checkpoint. */
	written: readonly string[];
}

const FIRST_FORMAT_WITH_SENDS = 4;

/** Checks how many checkpoints of each namespace are to stay. */
export function checkKeep(field: string, keep: number): number {
	if (!Number.isInteger(keep) || keep < 1) throw badRequest(field, "must be an integer of at least 1");
	return keep;
}

/** The checkpoints of a thread that nothing needs when the newest `keep` of each namespace are to stay whole. */
export function selectPrunable(outlines: readonly CheckpointOutline[], keep: number): CheckpointOutline[] {
	const namespaces = new Map<string, CheckpointOutline[]>();
	for (const outline of outlines) {
		const list = namespaces.get(outline.checkpointNs);
		if (list === undefined) namespaces.set(outline.checkpointNs, [outline]);
		else list.push(outline);
	}
	return [...namespaces.values()].flatMap((list) => {
		const byId = new Map(list.map((outline) => [outline.checkpointId, outline]));
		const needed = new Set(list.slice(0, keep));
		for (const outline of list.slice(0, keep))
			for (const ancestor of neededAncestors(outline, byId)) needed.add(ancestor);
		return list.filter((outline) => !needed.has(outline));
	});
}

/**
 * The ancestors from whose writes a checkpoint's channels are rebuilt. A delta channel has no value of its own: it is
 * the last stored value and the writes since. A channel that merely was consumed has none either, but no write follows
 * its last stored value, so it needs nobody.
 */
function neededAncestors(
	outline: CheckpointOutline,
	byId: ReadonlyMap<string, CheckpointOutline>,
): readonly CheckpointOutline[] {
	const open = new Set(outline.empty);
	const written = new Set<string>();
	const path: CheckpointOutline[] = [];
	const seen = new Set([outline]);
	let needed = 0;
	let ancestor = parentOf(outline, byId);
	if (outline.format < FIRST_FORMAT_WITH_SENDS && ancestor !== undefined) needed = 1;
	while (ancestor !== undefined && (open.size > 0 || path.length < needed) && !seen.has(ancestor)) {
		seen.add(ancestor);
		path.push(ancestor);
		for (const channel of ancestor.written) {
			if (!open.has(channel)) continue;
			written.add(channel);
			needed = path.length;
		}
		for (const channel of ancestor.stored) {
			if (open.delete(channel) && written.has(channel)) needed = path.length;
		}
		ancestor = parentOf(ancestor, byId);
	}
	return path.slice(0, needed);
}

function parentOf(
	{ parentCheckpointId }: CheckpointOutline,
	byId: ReadonlyMap<string, CheckpointOutline>,
): CheckpointOutline | undefined {
	return parentCheckpointId === null ? undefined : byId.get(parentCheckpointId);
}
