import type { PartRecord } from "../domain/archives.ts";
import type { JsonValue } from "../domain/json.ts";
import type { Limits } from "../domain/limits.ts";
import type { Statement } from "./database.ts";
import { isoTime } from "./times.ts";

/** How a column is written from text, and read. */
type ColumnType = "text" | "int" | "bigint" | "json" | "time" | "bytes" | "texts";

/** A row as it is read; and as text to be written, null for NULL. */
type Row = Record<string, never>;
export type Draft = Record<string, string | null>;

/** A table whose rows are parts of items. */
export interface Parts {
	record: PartRecord["record"];
	/** A page of an item's rows: $1 is the project, then the item's key, the place to go on after, rows and bytes at most. */
	page: Statement;
	/** Where the first page begins. */
	start: string[];
	/** The place of a row, to go on after it. */
	place(row: Row): string[];
	toRecord(row: Row): PartRecord;
	/** Inserts rows and returns the place in the batch of each; what is taken is left out. */
	insert: Statement;
	/** What of a row may be taken already. */
	taken: string;
	/** The values of an insert behind project and key. */
	columns(drafts: readonly Draft[]): (string | null)[][];
	toDraft(record: PartRecord, limits: Limits): Draft;
}

const WRITTEN: Record<ColumnType, (source: string) => string> = {
	text: (source) => source,
	int: (source) => `${source}::int`,
	bigint: (source) => `${source}::bigint`,
	json: (source) => `${source}::text::json`,
	time: (source) => `${source}::timestamptz`,
	bytes: (source) => `decode(${source}, 'base64')`,
	texts: (source) => `ARRAY(SELECT json_array_elements_text(${source}::json))`,
};

interface Definition<Part extends PartRecord> {
	record: Part["record"];
	table: string;
	/** The columns of the item's key, behind project_id. */
	key: readonly string[];
	columns: Readonly<Record<string, ColumnType>>;
	/** The columns that order the rows of an item. */
	order: readonly string[];
	/** What of a row may be taken already: `its key` unless said. */
	taken?: string;
	/** SQL of the bytes of a row's content. */
	size: string;
	/** A query for the rows, in order, for a table that is not read by its primary key. */
	rows?: string;
	/** SQL of columns that are not read as they stand in the row `page`. */
	reads?: Readonly<Record<string, string>>;
	toRecord(row: Record<string, never>): Part;
	toDraft(record: Part, limits: Limits): Draft;
}

// What pages cost is what they return: rows are read in the order of an index, and cut before their content is.
export function defineParts<Part extends PartRecord>(definition: Definition<Part>): Parts {
	const { record, table, key, columns, order, size, taken = "its key", reads, toRecord, toDraft } = definition;
	const names = Object.keys(columns);
	const after = key.length + 2;
	const most = after + order.length;
	const inItem = ["project_id", ...key].map((column, index) => `${column} = $${index + 1}`).join(" AND ");
	const places = order.map((column, index) => `$${after + index}::${columns[column]}`);
	const rows =
		definition.rows ??
		`SELECT * FROM ${table} WHERE ${inItem} AND (${order.join()}) > (${places.join()})
			ORDER BY ${order.join()} LIMIT $${most}::int`;
	const read = names.map((name) => {
		const other = reads?.[name];
		if (other !== undefined) return `${other} AS ${name}`;
		return columns[name] === "time" ? isoTime(name, "page") : `page.${name}`;
	});
	const inputs = names.map((_name, index) => `$${after + index}::text[]`);
	const fixed = ["project_id", ...key].map((_column, index) => `$${index + 1}`);
	return {
		record,
		page: {
			name: `archive_page_${table}`,
			replan: true,
			text: `SELECT ${read.join()} FROM (
					SELECT *, row_number() OVER walk AS position, sum(${size}) OVER walk AS bytes_so_far
					FROM (${rows}) AS read
					WINDOW walk AS (ORDER BY ${order.join()})
				) AS page
				WHERE position = 1 OR bytes_so_far <= $${most + 1}::bigint
				ORDER BY position`,
		},
		start: order.map((column) => (columns[column] === "text" ? "" : "0")),
		place: (row) => order.map((column) => String(row[column])),
		toRecord,
		insert: {
			name: `archive_insert_${table}`,
			...(table === "messages" ? { conversation: 1 as const } : {}),
			text: `INSERT INTO ${table} (${["project_id", ...key, ...names].join()})
				SELECT ${fixed.join()}, ${names.map((name) => WRITTEN[columns[name]!](`input.${name}`)).join()}
				FROM unnest(${inputs.join()}) AS input (${names.join()})
				ON CONFLICT DO NOTHING RETURNING ${order.join()}`,
		},
		taken,
		columns: (drafts) => names.map((name) => drafts.map((draft) => draft[name] ?? null)),
		toDraft: (part, limits) => toDraft(part as Part, limits),
	};
}

/** JSON text for a column in which null is NULL. */
export function jsonText(value: JsonValue): string | null {
	return value === null ? null : JSON.stringify(value);
}
