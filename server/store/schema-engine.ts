import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { PrismaPg } from "@prisma/adapter-pg";
import {
	bindMigrationAwareSqlAdapterFactory,
	ColumnTypeEnum,
	type SqlDriverAdapter,
	type SqlMigrationAwareDriverAdapterFactory,
} from "@prisma/driver-adapter-utils";
import type { SchemaEngine } from "@prisma/schema-engine-wasm/schema_engine_bg";
import pg from "pg";

/** Reads rows, as a `Database` does. */
export interface Reader {
	read(statement: { name: string; text: string }, values: unknown[]): Promise<Record<string, unknown>[]>;
}

/** Postgres's type "char", in which the catalog keeps its flags. */
const CHAR_OID = 18;
const TEXT_OID = 25;

/**
 * Runs Prisma's schema engine, the WebAssembly build, on one connection that is closed afterwards.
 *
 * Everything happens in one transaction: a migration that fails or is interrupted leaves nothing, not
 * even a row that says so. Hence a migration may not hold what Postgres refuses in a transaction
 * (CREATE INDEX CONCURRENTLY). The engine's own advisory lock is taken first, on the same connection
 * and without a time-out, so that a second migrator waits for the first instead of giving up.
 */
export async function withSchemaEngine<T>(
	url: string,
	work: (engine: SchemaEngine, reader: Reader) => Promise<T>,
): Promise<T> {
	const pool = new pg.Pool({ connectionString: url, max: 1, idleTimeoutMillis: 0 });
	pool.on("error", () => {});
	// The engine reports a failed statement in its own words; Postgres's are better.
	let failure: unknown;
	try {
		await pool.query("SET statement_timeout = 0; SET lock_timeout = 0; SET idle_in_transaction_session_timeout = 0");
		await pool.query("SELECT pg_advisory_lock(72707369)");
		const adapters = bindMigrationAwareSqlAdapterFactory(
			adapterFactory(pool, (error) => {
				failure ??= error;
			}),
		);
		const { SchemaEngine } = await loadEngine();
		const engine = await SchemaEngine.new({ datamodels: undefined }, () => {}, adapters);
		try {
			await pool.query("BEGIN");
			const result = await work(engine, { read: async ({ text }, values) => (await pool.query(text, values)).rows });
			await pool.query("COMMIT");
			return result;
		} finally {
			engine.free();
		}
	} catch (error) {
		throw failure ?? error;
	} finally {
		await pool.end();
	}
}

function adapterFactory(pool: pg.Pool, onFailure: (error: unknown) => void): SqlMigrationAwareDriverAdapterFactory {
	const prisma = new PrismaPg(pool);
	return {
		provider: prisma.provider,
		adapterName: prisma.adapterName,
		connectToShadowDb: () => Promise.reject(new Error("The gateway uses no shadow database.")),
		async connect(): Promise<SqlDriverAdapter> {
			const adapter = await prisma.connect();
			return {
				provider: adapter.provider,
				adapterName: adapter.adapterName,
				async queryRaw(query) {
					// The stock adapter refuses columns of type "char".
					const characters: number[] = [];
					const client = {
						async query(config: pg.QueryArrayConfig): Promise<pg.QueryArrayResult> {
							const result = await pool.query(config);
							for (const [index, field] of result.fields.entries()) {
								if (field.dataTypeID !== CHAR_OID) continue;
								field.dataTypeID = TEXT_OID;
								characters.push(index);
							}
							return result;
						},
					};
					const set = await Object.create(adapter, { client: { value: client } }).queryRaw(query);
					for (const index of characters) set.columnTypes[index] = ColumnTypeEnum.Character;
					return set;
				},
				executeRaw: (query) => adapter.executeRaw(query),
				async executeScript(script) {
					// Sent whole: the stock adapter splits at every semicolon, inside strings and functions too.
					try {
						await pool.query(script);
					} catch (error) {
						onFailure(error);
						throw error;
					}
				},
				startTransaction: () => Promise.reject(new Error("The engine runs inside one transaction already.")),
				getConnectionInfo: () => adapter.getConnectionInfo(),
				dispose: () => Promise.resolve(),
			};
		},
	};
}

let engineModule: Promise<typeof import("@prisma/schema-engine-wasm/schema_engine_bg")> | undefined;

/** Loads the engine at its first use: it is large, and a gateway that only serves never needs it. */
function loadEngine() {
	engineModule ??= instantiateEngine();
	return engineModule;
}

async function instantiateEngine() {
	const script = createRequire(import.meta.url).resolve("@prisma/schema-engine-wasm/schema_engine_bg");
	const bindings = await import("@prisma/schema-engine-wasm/schema_engine_bg");
	const code = await readFile(script.replace(/\.js$/, ".wasm"));
	const { instance } = await WebAssembly.instantiate(code, {
		"./schema_engine_bg.js": bindings as unknown as WebAssembly.ModuleImports,
	});
	// The engine hands the text of a crash to this global before it fails.
	Object.assign(globalThis, { PRISMA_WASM_PANIC_REGISTRY: { set_message: () => {} } });
	bindings.__wbg_set_wasm(instance.exports);
	(instance.exports["__wbindgen_start"] as () => void)();
	return bindings;
}
