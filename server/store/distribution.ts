import pg from "pg";
import { reasonOf, StartError } from "../domain/start-error.ts";

/** The lock of migrations, which may not change the tables meanwhile. */
const LOCK = "SELECT pg_advisory_lock(72707369)";

const FIND_CITUS = "SELECT FROM pg_proc WHERE proname = 'create_distributed_table'";

/** The tables that belong to projects, what each refers to, and whether Citus has it already. */
const TABLES = `SELECT c.relname AS name,
		ARRAY(
			SELECT f.relname::text FROM pg_constraint fk JOIN pg_class f ON f.oid = fk.confrelid
			WHERE fk.conrelid = c.oid AND fk.contype = 'f' AND fk.confrelid <> c.oid
		) AS refers,
		EXISTS (SELECT FROM pg_dist_partition p WHERE p.logicalrelid = c.oid) AS done
	FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'project_id' AND NOT a.attisdropped
	WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace
	ORDER BY c.relname`;

interface Table {
	name: string;
	refers: string[];
	done: boolean;
}

/** Names of projects are unique across all of them, which no shard can check: so every node has the whole table. */
const REFERENCE = "projects";

/** All others lie with this one: the rows of one project are on one node. */
const FIRST = "conversations";

/**
 * Distributes the migrated tables over the nodes of a Citus cluster, by project. What is distributed stays as it is, so
 * that it may be run again after it broke off, and after a migration that made a table.
 *
 * @param url A direct connection to the coordinator.
 * @param onProgress Told how many tables of how many are distributed: at the start and after each.
 * @returns The names of the tables distributed now, in order.
 * @throws StartError where the database is not one of Citus, or Citus refuses.
 */
export async function distribute(
	url: string,
	onProgress: (distributed: number, total: number) => void = () => {},
): Promise<string[]> {
	const client = new pg.Client({ connectionString: url });
	client.on("error", () => {});
	try {
		await client.connect();
		await client.query("SET statement_timeout = 0; SET lock_timeout = 0");
		await client.query(LOCK);
		if ((await client.query(FIND_CITUS)).rowCount === 0) {
			throw new StartError(
				'The database has no Citus: install it on every node, name it in shared_preload_libraries, and run "CREATE EXTENSION citus" in this database. Nothing was distributed.',
			);
		}
		const tables = inOrder((await client.query<Table>(TABLES)).rows).filter(({ done }) => !done);
		if (tables.length > 0) onProgress(0, tables.length);
		// Each in a transaction of its own: Citus opens further connections, which see only what is committed.
		for (const [index, { name }] of tables.entries()) {
			await client.query(distribution(name));
			onProgress(index + 1, tables.length);
		}
		return tables.map(({ name }) => name);
	} catch (error) {
		if (error instanceof StartError) throw error;
		throw new StartError(`The tables were not all distributed; run it again: ${reasonOf(error)}`, { cause: error });
	} finally {
		await client.end();
	}
}

function distribution(table: string): string {
	if (table === REFERENCE) return `SELECT create_reference_table('${table}')`;
	const neighbour = table === FIRST ? "none" : FIRST;
	return `SELECT create_distributed_table('${table}', 'project_id', colocate_with => '${neighbour}')`;
}

/** Citus wants what a table refers to, and what it lies with, to be distributed before it. */
function inOrder(tables: readonly Table[]): Table[] {
	const needs = ({ name, refers }: Table) => (name === REFERENCE || name === FIRST ? refers : [...refers, FIRST]);
	const ordered: Table[] = [];
	const visit = (table: Table): void => {
		if (ordered.includes(table)) return;
		for (const other of tables) if (needs(table).includes(other.name)) visit(other);
		ordered.push(table);
	};
	tables.forEach(visit);
	return ordered;
}
