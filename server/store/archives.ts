import type { ArchiveLine, ArchiveRecord, ImportedItem } from "../domain/archives.ts";
import type { ProjectScope } from "./scope.ts";

/**
 * Reads a project, or what is stored under some ids, as an archive: as of one moment, with its header, in an order that
 * only the content decides. `write` consumes the records as fast as it can; they are read no faster.
 */
export async function exportArchive<T>(
	_scope: ProjectScope,
	_selection: { conversationIds?: readonly string[] | undefined },
	_write: (records: AsyncIterable<ArchiveRecord>) => Promise<T>,
): Promise<T> {
	throw new Error("not built yet");
}

/**
 * Imports the items of an archive, each in one transaction: one that is refused leaves nothing, and the others go on.
 * One that is there already with the same content stays as it is.
 *
 * @throws Fault where the archive has no header, or one that this version cannot read.
 */
export async function importArchive(
	_scope: ProjectScope,
	_lines: AsyncIterable<ArchiveLine>,
	_onItem: (item: ImportedItem) => void,
): Promise<void> {
	throw new Error("not built yet");
}
