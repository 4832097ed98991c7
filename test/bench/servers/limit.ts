import pg from "pg";
import { obey } from "./harness.ts";
import { POOL_SIZE, readOptions, toQuery } from "./queries.ts";

/** The limit: the same SQL from a bare client, nothing before it. */
const options = readOptions();
const pool = new pg.Pool({ connectionString: options.databaseUrl, max: POOL_SIZE });

obey({
	prepare: (call) => () => pool.query(toQuery(options, call)),
	read: (result) =>
		(result as pg.QueryResult<Record<string, unknown>>).rows.map((row) =>
			Object.fromEntries(Object.entries(row).map(([name, value]) => [camelCase(name), value])),
		),
});

function camelCase(column: string): string {
	return column.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}
