import { join, relative, sep } from "node:path";
import { StartError } from "../domain/start-error.ts";

/** Of all transcripts. */
export const EXTENSION = ".jsonl";

/** A file's name without that. */
export function withoutExtension(name: string): string {
	return name.endsWith(EXTENSION) ? name.slice(0, -EXTENSION.length) : name;
}

/** The subpath of a transcript in a file beside the main one, as Claude Code lays them; empty for the main one itself. */
export function subpathOf(main: string, file: string): string {
	if (file === main) return "";
	return withoutExtension(relative(withoutExtension(main), file))
		.split(sep)
		.join("/");
}

/**
 * The file of a transcript beside the main one.
 *
 * @throws StartError for a subpath, which is what some client gave, that leads elsewhere.
 */
export function fileOf(main: string, subpath: string): string {
	if (subpath === "") return main;
	if (!main.endsWith(EXTENSION)) {
		throw new StartError(
			`The session has transcripts of subagents, which lie in a folder beside it: let --output end with ${EXTENSION}.`,
		);
	}
	const segments = subpath.split("/");
	if (segments.every((segment) => !/^\.{0,2}$|[\\:]/.test(segment))) {
		return join(withoutExtension(main), ...segments) + EXTENSION;
	}
	throw new StartError(`No file can be named like the transcript ${JSON.stringify(subpath)}: export an archive.`);
}
